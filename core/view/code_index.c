// SPDX-License-Identifier: MIT
/*
 * A row has the samples of its tasks, or the samples on its CPUs. Its tasks are found as
 * core/snapshot/detail.c finds threads: by the keys of the history. A view is made for each of many
 * rows, so none reads all tasks. Tasks of a process are neighbours in the profile. Tasks of a user,
 * a cgroup, a command or a tree are neighbours in an order of their own, which is made when the
 * first such row needs it.
 */
#include "core/view/code_view_internal.h"

#include "core/base/util.h"
#include "core/view/code_together.h"

#include <stdlib.h>
#include <string.h>

/* Tasks by the key of the row that they belong to, then by their index. */
struct code_order {
	bool made;
	uint32_t *tasks; /* of the profile */
	struct code_order_key {
		uint64_t number, start;
		uint32_t task;
	} * keys; /* of each of them */
	size_t n;
};

/* A process of the profile, or an ancestor of one. */
struct code_node {
	pid_t pid, parent;  /* parent 0: unknown */
	size_t begin, end;  /* of its tree among `tasks` of the order */
	size_t child, next; /* first child, next sibling: index + 1; 0: none */
	bool visited;
};

/* Tasks in the order of a walk through the trees, in which a tree is a range. */
struct code_tree {
	bool made;
	uint32_t *tasks;
	size_t n_tasks;
	struct code_node *nodes;
	size_t n, capacity;
	struct hash_table by_pid; /* index in nodes + 1 */
};

enum { CODE_ORDERS = HISTORY_COMMAND - HISTORY_USER + 1 };

/* What is made when it is needed. */
struct code_orders {
	struct code_order groups[CODE_ORDERS]; /* from HISTORY_USER on */
	struct code_tree tree;
};

/* An unknown start matches any start. */
static bool starts_match(uint64_t start, uint64_t other)
{
	return !start || !other || start == other;
}

static const struct row *find_row(const struct code_index *index, const struct code_task *task)
{
	struct hash_slot *slot = hash_table_slot(&index->threads, (uint32_t)task->tid);

	for (; slot->item; slot = hash_table_next(&index->threads, slot)) {
		const struct row *row = slot->item;

		if (row->pid == task->pid && starts_match(row->start_ns, task->start_ns))
			return row;
	}
	return NULL;
}

static void add_main(struct hash_table *mains, const struct row *row)
{
	struct hash_slot *slot = hash_table_slot(mains, (uint32_t)row->pid);

	if (!slot->item)
		hash_table_add(mains, (uint32_t)row->pid)->item = (void *)(uintptr_t)row;
	else if (row->tid == row->pid)
		slot->item = (void *)(uintptr_t)row;
}

static void index_rows(struct code_index *index)
{
	const struct snapshot *snapshot = index->snapshot;

	hash_table_init(&index->threads, snapshot_ran(snapshot));
	hash_table_init(&index->mains_by_pid, snapshot->n_sleeping);
	for (size_t i = 0; i < snapshot->n_sleeping; i++)
		add_main(&index->mains_by_pid, &snapshot->sleeping[i]);
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct row *row = &snapshot->threads.items[i];

		hash_table_add(&index->threads, (uint32_t)row->tid)->item = (void *)(uintptr_t)row;
		add_main(&index->mains_by_pid, row);
	}
}

static struct code_index *make_index(const struct snapshot *snapshot, struct code_profile *together)
{
	const struct code_profile *profile = together ? together : snapshot->code;
	struct code_index *index = xcalloc(1, sizeof(*index));

	index->snapshot = snapshot;
	index->profile = profile;
	index->together = together;
	index_rows(index);
	index->first_entry = xcalloc(profile->n_tasks + 1, sizeof(*index->first_entry));
	index->orders = xcalloc(1, sizeof(*index->orders));
	index->rows = xcalloc(profile->n_tasks, sizeof(*index->rows));
	index->mains = xcalloc(profile->n_tasks, sizeof(*index->mains));
	for (size_t i = 0, entry = 0; i < profile->n_tasks; i++) {
		index->first_entry[i] = entry;
		while (entry < profile->n_entries && profile->entries[entry].task == i)
			entry++;
		index->first_entry[i + 1] = entry;
		index->rows[i] = find_row(index, &profile->tasks[i]);
		index->mains[i] =
			hash_table_find(&index->mains_by_pid, (uint32_t)profile->tasks[i].pid);
	}
	return index;
}

struct code_index *code_index_new(const struct snapshot *snapshot)
{
	return snapshot->code ? make_index(snapshot, code_together_new(snapshot->code)) : NULL;
}

struct code_index *code_index_new_exact(const struct snapshot *snapshot)
{
	return snapshot->code ? make_index(snapshot, NULL) : NULL;
}

void code_index_free(struct code_index *index)
{
	if (!index)
		return;
	hash_table_fini(&index->threads);
	hash_table_fini(&index->mains_by_pid);
	for (size_t i = 0; i < CODE_ORDERS; i++) {
		free(index->orders->groups[i].tasks);
		free(index->orders->groups[i].keys);
	}
	free(index->orders->tree.tasks);
	free(index->orders->tree.nodes);
	if (index->orders->tree.made)
		hash_table_fini(&index->orders->tree.by_pid);
	free(index->orders);
	free(index->first_entry);
	free(index->rows);
	free(index->mains);
	code_together_free(index->together);
	free(index);
}

/* Returns the first task of the profile that is not before (pid, tid). */
static size_t first_task(const struct code_profile *profile, int64_t pid, int64_t tid)
{
	size_t low = 0, high = profile->n_tasks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct code_task *task = &profile->tasks[middle];

		if (task->pid < pid || (task->pid == pid && task->tid < tid))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct code_tasks range_of(size_t first, size_t end)
{
	return (struct code_tasks){.first = first, .n = end - first};
}

/* The key has an unsigned number, the profile a signed one: -1 is unknown. */
static struct code_tasks tasks_of_process(const struct code_index *index, uint32_t pid)
{
	int64_t first = (pid_t)pid;

	return range_of(first_task(index->profile, first, INT64_MIN),
			first_task(index->profile, first + 1, INT64_MIN));
}

static struct code_tasks tasks_of_thread(const struct code_index *index, pid_t pid, uint32_t tid)
{
	int64_t first = (pid_t)tid;

	return range_of(first_task(index->profile, pid, first),
			first_task(index->profile, pid, first + 1));
}

static int compare_keys(const void *a, const void *b)
{
	const struct code_order_key *left = a, *right = b;

	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return (left->task > right->task) - (left->task < right->task);
}

static void make_order(const struct code_index *index, enum history_kind kind,
		       struct code_order *order)
{
	static const enum rollup by[CODE_ORDERS] = {
		[HISTORY_USER - HISTORY_USER] = ROLLUP_USER,
		[HISTORY_CGROUP - HISTORY_USER] = ROLLUP_CGROUP,
		[HISTORY_COMMAND - HISTORY_USER] = ROLLUP_COMMAND,
	};
	size_t n_tasks = index->profile->n_tasks;

	order->made = true;
	order->tasks = xcalloc(n_tasks, sizeof(*order->tasks));
	order->keys = xcalloc(n_tasks, sizeof(*order->keys));
	for (size_t i = 0; i < n_tasks; i++) {
		const struct row *row = kind == HISTORY_COMMAND ? index->mains[i] : index->rows[i];

		if (!row)
			continue;
		const struct history_key key =
			history_key_of_row(index->snapshot, by[kind - HISTORY_USER], row);
		order->keys[order->n++] =
			(struct code_order_key){key.number, key.start, (uint32_t)i};
	}
	if (order->n > 0)
		qsort(order->keys, order->n, sizeof(*order->keys), compare_keys);
	for (size_t i = 0; i < order->n; i++)
		order->tasks[i] = order->keys[i].task;
}

/* Returns the first place whose key is not before `key`. */
static size_t first_key(const struct code_order *order, const struct code_order_key *key)
{
	size_t low = 0, high = order->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_keys(&order->keys[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct code_tasks tasks_of_group(const struct code_index *index,
					const struct history_key *key)
{
	struct code_order *order = &index->orders->groups[key->kind - HISTORY_USER];
	struct code_order_key wanted = {.number = key->number, .start = key->start};

	if (!order->made)
		make_order(index, key->kind, order);
	size_t first = first_key(order, &wanted), end = first;
	while (end < order->n && order->keys[end].number == wanted.number &&
	       order->keys[end].start == wanted.start)
		end++;
	return (struct code_tasks){order->tasks, first, end - first};
}

/* Returns the index + 1 of the process; 0: it is not there. */
static size_t find_node(const struct code_tree *tree, pid_t pid)
{
	return hash_table_slot(&tree->by_pid, (uint32_t)pid)->number;
}

/* Adds a process and its ancestors, up to the first that is there. */
static void add_nodes(const struct code_index *index, pid_t pid, struct code_tree *tree)
{
	while (!find_node(tree, pid)) {
		const struct row *row = hash_table_find(&index->mains_by_pid, (uint32_t)pid);
		pid_t parent = row && row->ppid > 0 ? row->ppid : 0;

		tree->nodes = array_reserve(tree->nodes, &tree->capacity, tree->n + 1,
					    sizeof(*tree->nodes));
		tree->nodes[tree->n] = (struct code_node){.pid = pid, .parent = parent};
		hash_table_add(&tree->by_pid, (uint32_t)pid)->number = ++tree->n;
		if (!parent)
			return;
		pid = parent;
	}
}

static void link_children(struct code_tree *tree)
{
	for (size_t i = tree->n; i-- > 0;) {
		struct code_node *node = &tree->nodes[i];
		size_t parent = node->parent ? find_node(tree, node->parent) : 0;

		if (!parent || parent == i + 1)
			continue;
		node->next = tree->nodes[parent - 1].child;
		tree->nodes[parent - 1].child = i + 1;
	}
}

static void enter_node(const struct code_index *index, struct code_node *node,
		       struct code_tree *tree)
{
	const struct code_tasks own = tasks_of_process(index, (uint32_t)node->pid);

	node->visited = true;
	node->begin = tree->n_tasks;
	for (size_t i = 0; i < own.n; i++)
		tree->tasks[tree->n_tasks++] = (uint32_t)(own.first + i);
}

/* Without recursion: a tree may be deep. */
static void walk_tree(const struct code_index *index, size_t root, struct code_tree *tree)
{
	size_t *path = xcalloc(tree->n + 1, sizeof(*path)), depth = 0;

	enter_node(index, &tree->nodes[root], tree);
	path[depth++] = root;
	while (depth > 0) {
		struct code_node *node = &tree->nodes[path[depth - 1]];
		size_t child = node->child;

		if (!child) {
			node->end = tree->n_tasks;
			depth--;
			continue;
		}
		node->child = tree->nodes[child - 1].next;
		if (tree->nodes[child - 1].visited)
			continue;
		enter_node(index, &tree->nodes[child - 1], tree);
		path[depth++] = child - 1;
	}
	free(path);
}

static void make_tree(const struct code_index *index, struct code_tree *tree)
{
	const struct code_profile *profile = index->profile;

	tree->made = true;
	hash_table_init(&tree->by_pid, profile->n_tasks);
	for (size_t i = 0; i < profile->n_tasks; i++)
		add_nodes(index, profile->tasks[i].pid, tree);
	tree->tasks = xcalloc(profile->n_tasks, sizeof(*tree->tasks));
	link_children(tree);
	for (size_t i = 0; i < tree->n; i++)
		if (!tree->nodes[i].parent || !find_node(tree, tree->nodes[i].parent))
			walk_tree(index, i, tree);
	/* Parents that were read at different times may form a ring, which has no root. */
	for (size_t i = 0; i < tree->n; i++)
		if (!tree->nodes[i].visited)
			walk_tree(index, i, tree);
}

static struct code_tasks tasks_of_tree(const struct code_index *index, uint32_t pid)
{
	struct code_tree *tree = &index->orders->tree;

	if (!tree->made)
		make_tree(index, tree);
	size_t found = find_node(tree, (pid_t)pid);
	if (!found)
		return (struct code_tasks){.n = 0};
	const struct code_node *node = &tree->nodes[found - 1];
	return (struct code_tasks){tree->tasks, node->begin, node->end - node->begin};
}

struct code_tasks code_index_tasks(const struct code_index *index,
				   const struct code_subject *subject)
{
	const struct history_key *key = &subject->key;
	const struct code_tasks all = range_of(0, index->profile->n_tasks);

	if (subject->selected)
		return all;
	switch (key->kind) {
	case HISTORY_MACHINE:
	case HISTORY_TARGET:
	case HISTORY_CPU:
	case HISTORY_SOCKET:
	case HISTORY_NODE:
		break;
	case HISTORY_THREAD:
		return subject->pid ? tasks_of_thread(index, subject->pid, key->number) : all;
	case HISTORY_PROCESS:
		return subject->tree ? tasks_of_tree(index, key->number)
				     : tasks_of_process(index, key->number);
	case HISTORY_USER:
	case HISTORY_CGROUP:
	case HISTORY_COMMAND:
		return tasks_of_group(index, key);
	}
	return all;
}

bool code_index_has_task(const struct code_index *index, const struct code_subject *subject,
			 size_t i)
{
	const struct history_key *key = &subject->key;
	const struct code_task *task = &index->profile->tasks[i];
	bool starts = starts_match(task->start_ns, key->start);

	if (subject->selected)
		return true;
	if (key->kind == HISTORY_TARGET)
		return index->rows[i] != NULL;
	if (key->kind == HISTORY_THREAD)
		return (uint32_t)task->tid == key->number && starts;
	/* Only the main thread has the start of its process. */
	if (key->kind == HISTORY_PROCESS && !subject->tree)
		return starts || task->tid != task->pid;
	return true;
}
