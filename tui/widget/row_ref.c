// SPDX-License-Identifier: MIT
/*
 * A line's identity is its kind (process, thread, user, cgroup, CPU ...) and its number or text. A
 * pid or tid can be reused, so a row that started after the reference was made does not match it.
 * References are sorted by identity and found by binary search.
 */
#include "tui/widget/row_ref.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct identity {
	enum rollup kind;
	int64_t number;
	const char *text; /* of a cgroup or command, else "" */
};

/* A view by socket or node has lines of CPUs below an unfolded one. */
static enum rollup line_kind(const struct view *view, size_t line)
{
	if (view->cpus && !view_is_unit(view, line))
		return ROLLUP_CPU;
	return view->spec.by == ROLLUP_TREE ? ROLLUP_PROCESS : view->spec.by;
}

static struct identity identity_of(const struct view *view, size_t line)
{
	struct identity identity = {.kind = line_kind(view, line), .text = ""};
	const struct row *row = view_row(view, line);

	switch (identity.kind) {
	case ROLLUP_PROCESS:
	case ROLLUP_TREE:
		identity.number = row->pid;
		break;
	case ROLLUP_THREAD:
		identity.number = row->tid;
		break;
	case ROLLUP_USER:
		identity.number = row->uid;
		break;
	case ROLLUP_CGROUP:
	case ROLLUP_COMMAND:
		identity.text = rollup_text(view->snapshot, identity.kind, row);
		break;
	case ROLLUP_CPU:
	case ROLLUP_SOCKET:
	case ROLLUP_NODE:
		identity.number = view_cpu(view, line)->cpu;
		break;
	}
	return identity;
}

static int compare_ref(const struct identity *identity, const struct row_ref *ref)
{
	if (identity->kind != ref->kind)
		return identity->kind < ref->kind ? -1 : 1;
	if (identity->number != ref->number)
		return identity->number < ref->number ? -1 : 1;
	return strcmp(identity->text, ref->text);
}

/* True if the row is older than the reference, so that the number was not reused. */
static bool is_same_task(const struct row_ref *ref, const struct view *view, size_t line)
{
	const struct row *row = view_row(view, line);

	return !row || row->start_ns <= ref->made_ns;
}

static void set_ref_name(struct row_ref *ref, const struct view *view, size_t line)
{
	const struct row *row = view_row(view, line);
	struct cell cell = {.text = ""};

	switch (ref->kind) {
	case ROLLUP_PROCESS:
	case ROLLUP_TREE:
	case ROLLUP_THREAD:
		text_printable(cell.text, sizeof(cell.text), row->comm, sizeof(row->comm));
		snprintf(ref->name, sizeof(ref->name), "%d %.50s", (int)ref->number, cell.text);
		break;
	case ROLLUP_USER:
		text_printable(ref->name, sizeof(ref->name), row->user[0] ? row->user : "-",
			       UINT_MAX);
		break;
	case ROLLUP_CGROUP:
	case ROLLUP_COMMAND:
		view_cell(view, line, view->n_columns - 1, &cell);
		text_printable(ref->name, sizeof(ref->name), cell.text, UINT_MAX);
		break;
	case ROLLUP_CPU:
	case ROLLUP_SOCKET:
	case ROLLUP_NODE:
		snprintf(ref->name, sizeof(ref->name), "%s %d", rollup_name(ref->kind),
			 (int)ref->number);
		break;
	}
}

void row_ref_init(const struct view *view, size_t line, struct row_ref *ref)
{
	struct identity identity = identity_of(view, line);
	const struct row *row = view_row(view, line);

	*ref = (struct row_ref){
		.kind = identity.kind,
		.pid = row ? row->pid : 0,
		.number = identity.number,
		.text = xstrdup(identity.text),
		.made_ns = view->snapshot->time_ns,
	};
	set_ref_name(ref, view, line);
}

void row_ref_fini(struct row_ref *ref)
{
	free(ref->text);
	*ref = (struct row_ref){0};
}

bool row_ref_fits(const struct row_ref *ref, const struct view *view)
{
	enum rollup by = view->spec.by == ROLLUP_TREE ? ROLLUP_PROCESS : view->spec.by;

	return ref->kind == by || (ref->kind == ROLLUP_CPU && view->cpus);
}

size_t row_ref_find(const struct row_ref *ref, const struct view *view)
{
	for (size_t line = 0; row_ref_fits(ref, view) && line < view->n; line++) {
		struct identity identity = identity_of(view, line);

		if (compare_ref(&identity, ref) == 0 && is_same_task(ref, view, line))
			return line;
	}
	return SIZE_MAX;
}

static void remove_ref(struct row_refs *refs, size_t i)
{
	row_ref_fini(&refs->items[i]);
	memmove(&refs->items[i], &refs->items[i + 1], (--refs->n - i) * sizeof(*refs->items));
}

void row_refs_fini(struct row_refs *refs)
{
	while (refs->n > 0)
		remove_ref(refs, refs->n - 1);
	free(refs->items);
	*refs = (struct row_refs){0};
}

/* Index of the identity, or where it would be inserted. */
static size_t find_ref_place(const struct row_refs *refs, const struct identity *identity)
{
	size_t low = 0, high = refs->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_ref(identity, &refs->items[middle]) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The reference with the line's identity, reused or not. */
static struct row_ref *find_ref(const struct row_refs *refs, const struct view *view, size_t line,
				size_t *place)
{
	struct identity identity = identity_of(view, line);

	*place = find_ref_place(refs, &identity);
	return *place < refs->n && compare_ref(&identity, &refs->items[*place]) == 0
		       ? &refs->items[*place]
		       : NULL;
}

struct row_ref *row_refs_at(const struct row_refs *refs, const struct view *view, size_t line)
{
	size_t place;
	struct row_ref *ref = refs->n > 0 ? find_ref(refs, view, line, &place) : NULL;

	return ref && is_same_task(ref, view, line) ? ref : NULL;
}

void row_refs_toggle(struct row_refs *refs, const struct view *view, size_t line)
{
	size_t place;
	struct row_ref *ref = find_ref(refs, view, line, &place);
	bool was_set = ref && is_same_task(ref, view, line);

	if (ref)
		remove_ref(refs, place);
	if (was_set)
		return;
	refs->items =
		array_reserve(refs->items, &refs->capacity, refs->n + 1, sizeof(*refs->items));
	memmove(&refs->items[place + 1], &refs->items[place],
		(refs->n++ - place) * sizeof(*refs->items));
	row_ref_init(view, line, &refs->items[place]);
}

/* True if the socket or node of the line's CPU is in refs too. */
static bool is_unit_referenced(const struct row_refs *refs, const struct view *view, size_t line)
{
	const struct snapshot_cpu *cpu = view_cpu(view, line);
	struct identity unit = {.kind = view->spec.by, .text = ""};

	if (view_is_unit(view, line) || unit.kind == ROLLUP_CPU)
		return false;
	unit.number = unit.kind == ROLLUP_NODE ? cpu->node : cpu->socket;
	size_t place = find_ref_place(refs, &unit);
	return place < refs->n && compare_ref(&unit, &refs->items[place]) == 0;
}

/* True if an ancestor of the line is in refs; in a tree its figures include the line's. */
static bool is_ancestor_referenced(const struct row_refs *refs, const struct view *view,
				   size_t line, const size_t *lines)
{
	const size_t *parents = view->rolled.parents;

	for (size_t at = parents ? parents[view->order[line]] : SIZE_MAX; at != SIZE_MAX;
	     at = parents[at])
		if (lines[at] != SIZE_MAX && row_refs_at(refs, view, lines[at]))
			return true;
	return false;
}

struct line_sum {
	uint64_t *tally, *idle;
	size_t cpus;
	uint64_t doubt_ns; /* of the CPUs' idle time */
	unsigned lost;     /* ROW_LOST, or 0 */
};

static void sum_line(struct line_sum *total, const struct view *view, size_t line)
{
	const struct columns *columns = view->snapshot->columns;
	size_t index = view->order[line];

	if (view->rows) {
		tally_add(&columns->plan->shape, total->tally,
			  rows_tally(columns, view->rows, index));
		total->lost |= view->rows->items[index].flags & ROW_LOST;
	} else if (view->cpus[index].tally) {
		tally_add(&columns->plan->shape, total->tally, view->cpus[index].tally);
		tally_add(&columns->plan->shape, total->idle, view->cpus[index].idle);
		total->cpus += view->cpus[index].cpus ? view->cpus[index].cpus : 1;
		total->doubt_ns += view->cpus[index].doubt_ns;
	}
}

static struct figure *evaluate_sum(const struct line_sum *total, const struct view *view)
{
	const struct columns *columns = view->snapshot->columns;
	struct figure *figures;

	if (view->cpus) {
		figures = xcalloc(columns->n_metrics, sizeof(*figures));
		const struct busy_part part = {.cpus = total->cpus,
					       .tally = total->tally,
					       .idle = total->idle,
					       .doubt_ns = total->doubt_ns};
		snapshot_evaluate_busy(view->snapshot, &part, figures);
		return figures;
	}
	struct rows sum;
	rows_init(columns, 1, &sum);
	sum.items[0].flags = total->lost;
	tally_add(&columns->plan->shape, sum.tallies, total->tally);
	rows_evaluate(columns, snapshot_scope(view->snapshot), &sum);
	figures = sum.figures;
	sum.figures = NULL;
	rows_fini(&sum);
	return figures;
}

static void remove_ended_refs(struct row_refs *refs, const struct view *view)
{
	for (size_t i = refs->n; i-- > 0;)
		if (refs->items[i].ending && refs->items[i].seen < view->snapshot->sequence)
			remove_ref(refs, i);
}

/* The line of each row, SIZE_MAX for rows without one, to go up a tree. NULL if not a tree. */
static size_t *lines_by_row(const struct view *view)
{
	size_t *lines = NULL;

	if (view->rolled.parents) {
		lines = xcalloc(view->rolled.n, sizeof(*lines));
		memset(lines, 0xff, view->rolled.n * sizeof(*lines));
		for (size_t line = 0; line < view->n; line++)
			lines[view->order[line]] = line;
	}
	return lines;
}

void row_refs_sum_up(struct row_refs *refs, const struct view *view, struct row_refs_sum *sum)
{
	size_t width = tally_width(&view->snapshot->columns->plan->shape);

	remove_ended_refs(refs, view);
	*sum = (struct row_refs_sum){0};
	for (size_t i = 0; i < refs->n; i++)
		sum->n += row_ref_fits(&refs->items[i], view);
	if (sum->n == 0)
		return;

	struct line_sum total = {.tally = xcalloc(width, sizeof(uint64_t)),
				 .idle = xcalloc(width, sizeof(uint64_t))};
	size_t *lines = lines_by_row(view);
	for (size_t line = 0; line < view->n; line++) {
		struct row_ref *ref = row_refs_at(refs, view, line);
		const struct row *row = view_row(view, line);

		if (!ref)
			continue;
		ref->seen = view->snapshot->sequence;
		ref->ending = row && row_has_just_ended(row);
		sum->here++;
		if (view->cpus ? !is_unit_referenced(refs, view, line)
			       : !is_ancestor_referenced(refs, view, line, lines))
			sum_line(&total, view, line);
	}
	if (sum->here > 0)
		sum->figures = evaluate_sum(&total, view);
	free(lines);
	free(total.tally);
	free(total.idle);
}

void row_refs_sum_fini(struct row_refs_sum *sum)
{
	free(sum->figures);
	*sum = (struct row_refs_sum){0};
}
