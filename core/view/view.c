// SPDX-License-Identifier: MIT
/*
 * Makes the lines of a view and sorts them. A sort key is computed once for each line: a number or
 * a text. Tasks with numeric keys are sorted by radix, since there may be many thousands. The
 * columns are chosen in view_columns.c. Cells are formatted in view_cell.c, and only when they are
 * shown.
 */
#include "core/view/view_internal.h"

#include "core/base/radix.h"
#include "core/base/util.h"
#include "core/sys/cgroup_name.h"
#include "core/view/cpu_stall.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CGROUP_NAME_BYTES = 256 };

static size_t choose_sort(const struct view *view)
{
	bool worst = strcmp(view->spec.sort, "worst") == 0;
	int column = view_find_column(view, worst ? "stall" : view->spec.sort);

	if (column >= 0 || (rollup_is_of_cpus(view->spec.by) && !worst))
		return column < 0 ? 0 : (size_t)column;
	column = view_find_column(view, "cpu_percent");
	/* Else by the first metric. */
	for (size_t i = 0; column < 0 && i < view->n_columns; i++)
		if (view->columns[i].field == FIELD_METRIC)
			column = (int)i;
	return column < 0 ? 0 : (size_t)column;
}

/* The key of a line in the order: a number or a text. */
struct sort_key {
	double number; /* INFINITY: unknown, last in both directions */
	const char *text;
	size_t index;
};

static bool goes_down(const struct view *view)
{
	return view->columns[view->sort_column].down != view->spec.reverse;
}

static struct sort_key no_key(void)
{
	return (struct sort_key){.number = (double)INFINITY};
}

static struct sort_key number_key(const struct view *view, double number)
{
	return (struct sort_key){.number = goes_down(view) ? -number : number};
}

/* A smaller part of a CPU, in percent, is shown as 0.0. */
#define SHOWN_PERCENT 0.05

/* Whether lines are sorted by %CPU because nobody chose another order. */
static bool in_default_order(const struct view *view)
{
	return view->rows && !view->spec.sort[0] && !view->spec.reverse && !view->baseline &&
	       strcmp(view->columns[view->sort_column].name, "cpu_percent") == 0;
}

/*
 * In the default order, tasks that are held stand before those that are shown with 0.0. The ones
 * that are held for the longest time come first. Zombies, which need nothing, come last.
 */
static bool stands_by_held(const struct view *view, size_t index)
{
	if (!in_default_order(view) || view->rows->items[index].held_ms == 0)
		return false;

	const struct figure figure = view_value(view, index, &view->columns[view->sort_column]);
	return !(figure_known(figure) && figure.value >= SHOWN_PERCENT);
}

static struct sort_key held_key(const struct view *view, const struct row *row)
{
	/* That of a longer interval than 40 ms is above all those of zombies. */
	double most = row->flags & ROW_ZOMBIE ? 0.975 : 1;

	return number_key(view, SHOWN_PERCENT * most * (1 - 1 / (2 + (double)row->held_ms)));
}

static struct sort_key figure_key(const struct view *view, struct figure figure)
{
	return figure_known(figure) ? number_key(view, figure.value) : no_key();
}

/*
 * In the default order of a screen, what is shown as 0.0 is equal: tasks that hardly run keep their
 * lines instead of changing places at every refresh.
 */
static struct sort_key shown_key(const struct view *view, struct figure figure)
{
	if (view->spec.screen && in_default_order(view) && figure.value < SHOWN_PERCENT)
		figure.value = 0;
	return figure_key(view, figure);
}

static struct sort_key text_key(const char *text)
{
	if (!text || !text[0])
		return no_key();
	return (struct sort_key){.text = text};
}

/* The severity times what it costs. */
static struct sort_key verdict_key(const struct view *view, size_t index)
{
	struct judgement judgement = view_verdict(view, index);
	const uint64_t *tally = view->rows ? rows_tally(view->snapshot->columns, view->rows, index)
					   : view->cpus[index].tally;

	if (judgement.verdict == VERDICT_NONE || !tally)
		return no_key();
	const struct verdict_subject subject = view_subject(view, index);
	return number_key(view,
			  judgement.severity * judgement_cost_ns(&view->judge, &judgement, &subject,
								 tally[TALLY_TASK_CLOCK]));
}

/* Rows with the same function stand together. The text is the profile's. */
static struct sort_key hottest_key(const struct view *view, size_t index)
{
	struct code_hottest hottest;

	return view_hottest(view, index, &hottest) ? text_key(hottest.function->name) : no_key();
}

static struct sort_key sort_key(const struct view *view, size_t index)
{
	/*
	 * Lines are either rows or CPUs, and all columns are for that kind. The other kind is never
	 * read.
	 */
	static const struct row no_row;
	static const struct snapshot_cpu no_cpu = {.cpu = -1};
	const struct view_column *column = &view->columns[view->sort_column];
	const struct row *row = view->rows ? &view->rows->items[index] : &no_row;
	const struct snapshot_cpu *cpu = view->cpus ? &view->cpus[index] : &no_cpu;

	switch (column->field) {
	case FIELD_METRIC:
		if (stands_by_held(view, index))
			return held_key(view, row);
		return shown_key(view, view_value(view, index, column));
	case FIELD_PID:
		return number_key(view, row->pid);
	case FIELD_TID:
		return number_key(view, row->tid);
	case FIELD_PROCESSES:
		return number_key(view, row->processes);
	case FIELD_THREADS:
		return number_key(view, row->threads);
	case FIELD_USER:
		return text_key(row->user);
	case FIELD_COMMAND:
		return text_key(row->comm);
	case FIELD_CGROUP:
		return text_key(view->names[index]);
	case FIELD_CPU:
		return cpu->cpu >= 0 ? number_key(view, cpu->cpu) : no_key();
	case FIELD_CPUS:
		return number_key(view, cpu->cpus);
	case FIELD_STALL:
		return figure_key(view, view_stall(view, index));
	case FIELD_GHZ:
		return figure_key(view, view_ghz(view->snapshot->columns, cpu));
	case FIELD_TYPE:
		return text_key(cpu->type);
	case FIELD_VERDICT:
		return verdict_key(view, index);
	case FIELD_HOTTEST:
		return hottest_key(view, index);
	}
	return no_key();
}

static int compare_numbers(double a, double b)
{
	return (a > b) - (a < b);
}

static int compare_identity(const struct view *view, size_t a, size_t b)
{
	if (view->cpus && view->columns[view->sort_column].field == FIELD_STALL)
		return cpu_compare_worst(view->snapshot->columns, &view->cpus[a], &view->cpus[b]);
	if (view->cpus)
		return compare_numbers(view->cpus[a].cpu, view->cpus[b].cpu);
	const struct row *row_a = &view->rows->items[a], *row_b = &view->rows->items[b];
	int order = compare_numbers(row_a->pid, row_b->pid);
	if (order == 0)
		order = compare_numbers(row_a->tid, row_b->tid);
	if (order == 0)
		order = compare_numbers(row_a->uid, row_b->uid);
	if (order == 0 && view->names && view->names[a] && view->names[b])
		order = strcmp(view->names[a], view->names[b]);
	if (order == 0)
		order = strcmp(row_a->comm, row_b->comm);
	return order;
}

static int compare_lines(const void *line_a, const void *line_b, void *arg)
{
	const struct view *view = arg;
	const struct sort_key *a = line_a, *b = line_b;

	int order = compare_numbers(a->number, b->number);

	if (order == 0 && a->text && b->text)
		order = goes_down(view) ? strcmp(b->text, a->text) : strcmp(a->text, b->text);
	if (order != 0)
		return order;
	return compare_identity(view, a->index, b->index);
}

/* Returns whether lines are tasks or processes with numeric keys. */
static bool has_numeric_keys(const struct view *view)
{
	enum view_field field = view->columns[view->sort_column].field;

	return view->rows && !rollup_is_of_groups(view->spec.by) && field != FIELD_USER &&
	       field != FIELD_COMMAND && field != FIELD_CGROUP && field != FIELD_HOTTEST;
}

/* Sorts lines with equal keys by pid and tid. */
static void sort_equals(const struct view *view, struct radix_item *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &view->rows->items[items[i].index];

		items[i].key = (uint64_t)(uint32_t)row->pid << 32 | (uint32_t)row->tid;
	}
	radix_sort(items, n);
}

static void sort_numbers(struct view *view, const struct sort_key *keys)
{
	struct radix_item *items = xcalloc(view->n, sizeof(*items));

	for (size_t i = 0; i < view->n; i++)
		items[i] = (struct radix_item){radix_key(keys[i].number), keys[i].index};
	radix_sort(items, view->n);
	for (size_t i = 0, end; i < view->n; i = end) {
		for (end = i + 1; end < view->n && items[end].key == items[i].key;)
			end++;
		if (end - i > 1)
			sort_equals(view, items + i, end - i);
	}
	for (size_t i = 0; i < view->n; i++)
		view->order[i] = items[i].index;
	free(items);
}

/* Sorts the rows or CPUs. filter is the threads', or NULL. */
static void order_lines(struct view *view, const struct row_filter *filter)
{
	size_t n = view->rows ? view->rows->n : view->n;
	struct sort_key *keys = xcalloc(n, sizeof(*keys));

	view->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (filter && !row_filter_passes(filter, &view->rows->items[i]))
			continue;
		keys[view->n] = sort_key(view, i);
		keys[view->n++].index = i;
	}
	view->order = xcalloc(view->n, sizeof(*view->order));
	if (has_numeric_keys(view)) {
		sort_numbers(view, keys);
	} else {
		qsort_r(keys, view->n, sizeof(*keys), compare_lines, view);
		for (size_t i = 0; i < view->n; i++)
			view->order[i] = keys[i].index;
	}
	free(keys);
}

/* Moves the sorted lines that are held, except the first ones, behind all others. */
static void limit_held(struct view *view)
{
	size_t *moved = xcalloc(view->n, sizeof(*moved));
	size_t n_held = 0, n_moved = 0, kept = 0;

	for (size_t line = 0; line < view->n; line++) {
		size_t index = view->order[line];

		if (stands_by_held(view, index) && ++n_held > view->spec.most_held)
			moved[n_moved++] = index;
		else
			view->order[kept++] = index;
	}
	memcpy(view->order + kept, moved, n_moved * sizeof(*moved));
	free(moved);
}

static size_t parent_of(const struct view *view, size_t index)
{
	return view->rolled.parents[index];
}

/* Whether a parent of one child shows nothing of its own. A state is not a sum. */
static bool has_same_figures(const struct view *view, size_t parent, size_t child)
{
	const struct columns *columns = view->snapshot->columns;

	for (size_t i = 0; i < view->n_columns; i++) {
		int metric = view->columns[i].metric;

		if (metric < 0 || columns->metrics[metric].def->format == METRIC_FORMAT_LETTER)
			continue;
		struct figure a = view_figure(view, parent, metric);
		struct figure b = view_figure(view, child, metric);
		if (a.state != b.state || (figure_known(a) && a.value != b.value))
			return false;
	}
	return true;
}

/*
 * Takes rows with the figures of their only child out of the lines. The child takes the place of
 * the outermost of them.
 */
static void fold_chains(struct view *view)
{
	size_t n = view->rolled.n, none = SIZE_MAX, kept = 0;
	size_t *parents = view->rolled.parents;
	size_t *children = xcalloc(n, sizeof(*children));
	bool *folded = xcalloc(n, sizeof(*folded));

	for (size_t i = 0; i < n; i++)
		if (parents[i] != none)
			children[parents[i]]++;
	for (size_t i = 0; i < n; i++) {
		size_t parent = parents[i];
		bool folds = parent != none && children[parent] == 1 &&
			     has_same_figures(view, parent, i);

		view->above[i] = folds ? parent : none;
		if (folds)
			folded[parent] = true;
	}
	for (size_t i = 0; i < n; i++)
		while (!folded[i] && parents[i] != none && folded[parents[i]])
			parents[i] = parents[parents[i]];
	for (size_t line = 0; line < view->n; line++)
		if (!folded[view->order[line]])
			view->order[kept++] = view->order[line];
	view->n = kept;
	free(children);
	free(folded);
}

/*
 * Puts sorted rows below their parents. Rows are added to the lists of their parents from the last
 * to the first, so each list is in order.
 */
static void order_tree(struct view *view)
{
	size_t n = view->rolled.n, none = SIZE_MAX, line = 0;
	size_t *first = xcalloc(n + 1, sizeof(*first)); /* first child; [n]: first root */
	size_t *next = xcalloc(n, sizeof(*next));       /* next sibling */

	view->last = xcalloc(n, sizeof(*view->last));
	view->below = xcalloc(n, sizeof(*view->below));
	view->above = xmalloc((n + 1) * sizeof(*view->above));
	memset(view->above, 0xff, n * sizeof(*view->above));
	if (view->spec.compact)
		fold_chains(view);
	memset(first, 0xff, (n + 1) * sizeof(*first));
	for (size_t i = view->n; i-- > 0;) {
		size_t index = view->order[i], parent = parent_of(view, index);
		size_t *list = &first[parent == none ? n : parent];

		view->last[index] = *list == none;
		next[index] = *list;
		*list = index;
	}
	for (size_t at = first[n]; at != none;) {
		view->order[line++] = at;
		if (first[at] != none) {
			at = first[at];
			continue;
		}
		while (at != none && next[at] == none)
			at = parent_of(view, at);
		at = at == none ? none : next[at];
	}
	/* Every row is above its descendants: from the last line on, all of a row's are counted. */
	for (size_t i = line; i-- > 0;) {
		size_t parent = parent_of(view, view->order[i]);

		if (parent == none)
			continue;
		view->below[parent] += view->below[view->order[i]];
		for (size_t at = view->order[i]; at != none; at = view->above[at])
			view->below[parent]++;
	}
	free(first);
	free(next);
}

static void name_cgroups(struct view *view)
{
	view->names = xcalloc(view->rolled.n, sizeof(char *));
	for (size_t i = 0; i < view->rolled.n; i++) {
		const char *path = snapshot_cgroup(view->snapshot, &view->rolled.items[i]);
		char name[CGROUP_NAME_BYTES];

		if (!path)
			continue;
		cgroup_name(path, name, sizeof(name));
		view->names[i] = xstrdup(name);
	}
}

void view_make_rows(struct view *view, const struct row_filter *filter)
{
	const struct snapshot *snapshot = view->snapshot;

	switch (view->spec.by) {
	case ROLLUP_CPU:
		view->cpus = snapshot->cpus;
		view->n = snapshot->n_cpus;
		return;
	case ROLLUP_SOCKET:
	case ROLLUP_NODE:
		view_unfold_cpus(view);
		return;
	case ROLLUP_THREAD:
		view->rows = &snapshot->threads;
		return;
	case ROLLUP_PROCESS:
	case ROLLUP_TREE:
	case ROLLUP_USER:
	case ROLLUP_CGROUP:
	case ROLLUP_COMMAND:
		rollup_rows(snapshot, view->spec.by, filter, &view->rolled);
		view->rows = &view->rolled;
		if (view->spec.by == ROLLUP_CGROUP)
			name_cgroups(view);
		return;
	}
}

/* All tasks less the lines. In a tree less the roots, which include their descendants. */
static void sum_left_out(struct view *view)
{
	const struct columns *columns = view->snapshot->columns;
	size_t width = tally_width(&columns->plan->shape);

	view->left_out = xcalloc(width, sizeof(*view->left_out));
	for (size_t i = 0; i < view->snapshot->threads.n; i++)
		tally_add(&columns->plan->shape, view->left_out,
			  rows_tally(columns, &view->snapshot->threads, i));
	for (size_t line = 0; line < view->n; line++) {
		const uint64_t *tally = rows_tally(columns, view->rows, view->order[line]);

		if (view->rolled.parents && parent_of(view, view->order[line]) != SIZE_MAX)
			continue;
		for (size_t i = 0; i < width; i++)
			view->left_out[i] -= tally[i];
	}
}

void view_init(const struct snapshot *snapshot, const struct view_spec *spec, struct view *view)
{
	bool filtered = !rollup_is_of_cpus(spec->by) && row_filter_is_set(&spec->filter);
	struct row_filter filter = {0};

	*view = (struct view){.snapshot = snapshot, .spec = *spec};
	judge_init(&view->judge, snapshot);
	view_make_columns(view);
	if (view_find_column(view, "hottest") >= 0)
		view->code = code_index_new(snapshot);
	view->sort_column = choose_sort(view);
	if (filtered)
		row_filter_init(&view->spec.filter, snapshot, &filter);
	view_make_rows(view, filtered ? &filter : NULL);
	if (spec->baseline)
		view_compare(view, filtered ? &view->spec.filter : NULL);
	order_lines(view, filtered && spec->by == ROLLUP_THREAD ? &filter : NULL);
	if (spec->most_held > 0)
		limit_held(view);
	if (spec->by == ROLLUP_TREE)
		order_tree(view);
	if (view->cpu_lines)
		view_group_cpus(view);
	if (view->rows && spec->top && view->n > spec->top) {
		view->n_left_out = view->n - spec->top;
		view->n = spec->top;
	}
	if (filtered || (view->rows && spec->top))
		sum_left_out(view);
	row_filter_fini(&filter);
}

void view_fini(struct view *view)
{
	view_compare_fini(view);
	code_index_free(view->code);
	for (size_t i = 0; view->names && i < view->rolled.n; i++)
		free(view->names[i]);
	free(view->names);
	free(view->last);
	free(view->below);
	free(view->above);
	free(view->columns);
	free(view->order);
	free(view->left_out);
	rows_fini(&view->rolled);
	free(view->cpu_lines);
	cpu_units_fini(&view->units);
	*view = (struct view){0};
}

const struct row *view_row(const struct view *view, size_t line)
{
	return view->rows ? &view->rows->items[view->order[line]] : NULL;
}

bool view_line_passes(const struct view *view, size_t line, const struct row_filter *filter)
{
	for (size_t at = view->order[line]; at != SIZE_MAX;
	     at = view->above ? view->above[at] : SIZE_MAX)
		if (row_filter_passes(filter, &view->rows->items[at]))
			return true;
	return false;
}

const struct snapshot_cpu *view_cpu(const struct view *view, size_t line)
{
	return view->cpus ? &view->cpus[view->order[line]] : NULL;
}

bool view_is_unit(const struct view *view, size_t line)
{
	return view->order[line] < view->units.n;
}
