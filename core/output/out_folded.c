// SPDX-License-Identifier: MIT
/*
 * A line is kept as it is printed, so that equal stacks of different refreshes, whose functions
 * have different indices, are one.
 */
#include "core/output/out_folded.h"

#include "core/base/hash_table.h"
#include "core/base/text.h"
#include "core/base/text_buffer.h"
#include "core/base/util.h"
#include "core/view/code_hottest.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct folded_stack {
	uint64_t weight;
	char text[]; /* without the weight */
};

struct folded {
	struct folded_stack **stacks;
	size_t n, capacity;
	struct hash_table table; /* by text: index + 1 */
	uint64_t random;         /* in its keys: other users choose the names */
	size_t bytes, bytes_max;
	char event[64]; /* the first time event; "": none yet */
	bool refreshes; /* has samples of refreshes */
};

struct folded *folded_new(size_t bytes)
{
	struct folded *folded = xcalloc(1, sizeof(*folded));

	hash_table_init(&folded->table, 0);
	folded->random = hash_random_odd();
	folded->bytes_max = bytes > 0 ? bytes : FOLDED_BYTES;
	return folded;
}

void folded_free(struct folded *folded)
{
	if (!folded)
		return;
	for (size_t i = 0; i < folded->n; i++)
		free(folded->stacks[i]);
	free(folded->stacks);
	hash_table_fini(&folded->table);
	free(folded);
}

static struct folded_stack *find_stack(const struct folded *folded, const char *text, uint64_t key)
{
	struct hash_slot *slot = hash_table_slot(&folded->table, key);

	while (slot->number && strcmp(folded->stacks[slot->number - 1]->text, text) != 0)
		slot = hash_table_next(&folded->table, slot);
	return slot->number ? folded->stacks[slot->number - 1] : NULL;
}

/* Adds to the stack of that text. A new one needs room within so many bytes. */
static bool add_to_stack(struct folded *folded, const char *text, uint64_t weight, size_t bytes_max)
{
	uint64_t key = hash_mix(folded->random, hash_bytes(folded->random, text, strlen(text)));
	struct folded_stack *stack = find_stack(folded, text, key);
	size_t bytes = sizeof(*stack) + strlen(text) + 1;

	if (!stack) {
		if (folded->bytes + bytes > bytes_max)
			return false;
		stack = xmalloc(bytes);
		stack->weight = 0;
		memcpy(stack->text, text, strlen(text) + 1);
		folded->stacks = array_reserve(folded->stacks, &folded->capacity, folded->n + 1,
					       sizeof(*folded->stacks));
		folded->stacks[folded->n++] = stack;
		hash_table_add(&folded->table, key)->number = folded->n;
		folded->bytes += bytes;
	}
	stack->weight += weight;
	return true;
}

/* Appends a name from outside; "" is no frame for the tools. */
static void append_name(struct text_buffer *line, const char *name, const char *suffix)
{
	size_t size = 3 * strlen(name) + 1;
	char *printable = xmalloc(size);
	size_t length = text_printable(printable, size, name, UINT_MAX);

	for (size_t i = 0; i < length; i++)
		if (printable[i] == ' ')
			printable[i] = '_';
		else if (printable[i] == ';')
			printable[i] = ':';
	if (length > 0)
		text_buffer_add(line, printable, length);
	else
		text_buffer_add_text(line, "[unknown]");
	text_buffer_add_text(line, suffix);
	free(printable);
}

/* Also without a name: the kernel as a whole, if its symbols are hidden. */
static bool is_of_kernel(const struct code_function *function)
{
	return function->kind == CODE_KERNEL ||
	       (function->kind == CODE_UNNAMED && strcmp(function->module, "[kernel]") == 0);
}

static void append_stack(struct text_buffer *line, const struct code_profile *profile,
			 const struct code_entry *entry)
{
	for (uint32_t i = entry->depth; i-- > 0;) {
		const struct code_function *function =
			&profile->functions[profile->frames[entry->frame + i]];

		text_buffer_add(line, ";", 1);
		append_name(line, function->name, is_of_kernel(function) ? "_[k]" : "");
	}
}

/* The rows whose samples are wanted, by pid or tid. */
struct wanted {
	struct view view;
	struct hash_table rows; /* index in view.rows + 1 */
	bool threads;           /* by tid */
	bool all;               /* samples without a row too */
};

static void wanted_init(const struct view *of, struct wanted *wanted)
{
	struct view_spec spec = {.by = of->spec.by == ROLLUP_THREAD ? ROLLUP_THREAD
								    : ROLLUP_PROCESS,
				 .filter = of->spec.filter};

	view_init(of->snapshot, &spec, &wanted->view);
	wanted->threads = spec.by == ROLLUP_THREAD;
	wanted->all = !of->snapshot->targeted && !row_filter_is_set(&spec.filter);
	hash_table_init(&wanted->rows, wanted->view.n);
	for (size_t line = 0; line < wanted->view.n; line++) {
		const struct row *row = view_row(&wanted->view, line);
		uint32_t key = (uint32_t)(wanted->threads ? row->tid : row->pid);

		if (!hash_table_slot(&wanted->rows, key)->number)
			hash_table_add(&wanted->rows, key)->number = line + 1;
	}
}

static void wanted_fini(struct wanted *wanted)
{
	hash_table_fini(&wanted->rows);
	view_fini(&wanted->view);
}

/* Returns the command of a task, "" if it is unknown, or NULL if the task is not wanted. */
static const char *command_of(const struct wanted *wanted, const struct code_task *task)
{
	uint32_t key = (uint32_t)(wanted->threads ? task->tid : task->pid);
	size_t found = hash_table_slot(&wanted->rows, key)->number;

	if (found)
		return view_row(&wanted->view, found - 1)->comm;
	return wanted->all ? "" : NULL;
}

static void add_entry(struct folded *folded, const struct code_profile *profile,
		      const struct code_entry *entry, const char *command, struct text_buffer *line)
{
	const char *event = profile->events[entry->event].name;

	line->length = 0;
	if (strcmp(event, folded->event) != 0) {
		append_name(line, event, "");
		text_buffer_add(line, ";", 1);
	}
	append_name(line, command, "");
	size_t root = line->length;
	append_stack(line, profile, entry);
	if (add_to_stack(folded, line->bytes, entry->weight, folded->bytes_max))
		return;
	line->length = root;
	text_buffer_add_text(line, ";[other]");
	/* Commands are few, unless a program changes its name all the time. */
	if (!add_to_stack(folded, line->bytes, entry->weight,
			  folded->bytes_max + folded->bytes_max / 8))
		add_to_stack(folded, "[other]", entry->weight, SIZE_MAX);
}

void folded_add(struct folded *folded, const struct view *view)
{
	const struct code_profile *profile = view->snapshot->code;
	struct wanted wanted;
	struct text_buffer line = {0};

	if (!profile || profile->n_entries == 0 || (view->snapshot->run && folded->refreshes))
		return;
	folded->refreshes |= !view->snapshot->run;
	unsigned time = code_time_event(profile);
	if (!folded->event[0])
		text_copy(folded->event, sizeof(folded->event), profile->events[time].name);
	wanted_init(view, &wanted);
	for (size_t i = 0; i < profile->n_entries; i++) {
		const struct code_entry *entry = &profile->entries[i];
		const char *command = command_of(&wanted, &profile->tasks[entry->task]);

		if (command && entry->event == time)
			add_entry(folded, profile, entry, command, &line);
	}
	wanted_fini(&wanted);
	free(line.bytes);
}

static int compare_stacks(const void *a, const void *b)
{
	return strcmp((*(struct folded_stack *const *)a)->text,
		      (*(struct folded_stack *const *)b)->text);
}

void out_folded(const struct folded *folded, FILE *out)
{
	struct folded_stack **sorted = xcalloc(folded->n, sizeof(struct folded_stack *));

	for (size_t i = 0; i < folded->n; i++)
		sorted[i] = folded->stacks[i];
	if (folded->n > 0)
		qsort(sorted, folded->n, sizeof(*sorted), compare_stacks);
	for (size_t i = 0; i < folded->n; i++)
		fprintf(out, "%s %" PRIu64 "\n", sorted[i]->text, sorted[i]->weight);
	free(sorted);
}
