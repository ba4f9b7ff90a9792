// SPDX-License-Identifier: MIT
/*
 * Computes what a column of a metric shows: the figure, the same event in another unit, or the
 * difference of either from a baseline. The baseline is a view of its own, without an order, so its
 * rows are rolled up and its figures converted as those of the view.
 */
#include "core/view/view_internal.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"
#include "core/snapshot/history.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE SIZE_MAX

struct view_then {
	struct view view;        /* without an order; snapshot NULL: no baseline yet */
	struct view_spec rows;   /* choose_rows() of what it was made for */
	struct hash_table table; /* of its rows or CPUs: index + 1 */
	struct figure *nothing;  /* figures of a task that does not run: 0 of all counts */
};

struct view_baseline {
	struct view_then *then;
	bool owned;    /* `then` is the view's own */
	size_t *match; /* of each row or CPU: its index in the baseline, or NOWHERE */
};

const char *view_unit_name(enum view_unit unit)
{
	switch (unit) {
	case VIEW_UNIT_USUAL:
		return "as usual";
	case VIEW_UNIT_COUNT:
		return "counts";
	case VIEW_UNIT_PER_SECOND:
		return "per second";
	case VIEW_UNIT_PER_KI:
		return "per 1000 instructions";
	case VIEW_UNIT_KINDS:
		break;
	}
	return "";
}

static const struct figure not_counted = {.state = FIGURE_NOT_COUNTED};
static const struct figure undefined = {.state = FIGURE_UNDEFINED};

struct figure view_figure(const struct view *view, size_t index, int metric)
{
	if (view->rows)
		return rows_figures(view->snapshot->columns, view->rows, index)[metric];
	return view->cpus[index].figures ? view->cpus[index].figures[metric] : not_counted;
}

/* Returns the seconds that the rates of a row or CPU divide by. */
static double seconds_of(const struct view *view, size_t index)
{
	const struct snapshot *snapshot = view->snapshot;

	if (!view->cpus || !view->cpus[index].tally)
		return snapshot_interval_s(snapshot).value;
	return (double)snapshot_counted_ns(snapshot->interval_ns, view->cpus[index].tally,
					   view->cpus[index].cpus) /
	       (double)NS_PER_S;
}

static struct figure read_event(const struct columns *columns, size_t event, const uint64_t *tally,
				bool lost)
{
	const struct metric_input input = {
		.events = &columns->events, .plan = columns->plan, .tally = tally, .lost = lost};

	return metric_read_one(&columns->event_readings.items[event], &input);
}

/* Instructions of a CPU are those of its busy time, as in all its figures. */
static struct figure instructions_of(const struct view *view, size_t index)
{
	const struct columns *columns = view->snapshot->columns;
	size_t event = 0;

	while (event < columns->events.n &&
	       strcmp(columns->events.items[event].name, "instructions") != 0)
		event++;
	if (event == columns->events.n)
		return not_counted;
	if (view->rows)
		return read_event(columns, event, rows_tally(columns, view->rows, index),
				  view->rows->items[index].flags & ROW_LOST);
	if (!view->cpus[index].tally)
		return not_counted;
	uint64_t *busy =
		snapshot_busy_tally(columns, view->cpus[index].tally, view->cpus[index].idle);
	struct figure figure = read_event(columns, event, busy, false);
	free(busy);
	return figure;
}

static struct figure per_thousand(double count, struct figure figure, struct figure instructions)
{
	struct figure per = figure_of_two(figure, instructions);

	if (!figure_known(per))
		return per;
	if (instructions.value <= 0)
		return undefined;
	per.value = 1000 * count / instructions.value;
	return per;
}

static struct figure in_unit(const struct view *view, size_t index, int metric)
{
	enum metric_kind kind = view->snapshot->columns->metrics[metric].def->kind;
	struct figure figure = view_figure(view, index, metric);
	double seconds = seconds_of(view, index);

	if (kind == METRIC_FORMULA || !figure_known(figure) || seconds <= 0)
		return figure;
	double count = kind == METRIC_RATE ? figure.value * seconds : figure.value;
	switch (view->spec.unit) {
	case VIEW_UNIT_COUNT:
		figure.value = count;
		break;
	case VIEW_UNIT_PER_SECOND:
		figure.value = count / seconds;
		break;
	case VIEW_UNIT_PER_KI:
		return per_thousand(count, figure, instructions_of(view, index));
	case VIEW_UNIT_USUAL:
	case VIEW_UNIT_KINDS:
		break;
	}
	return figure;
}

static const struct figure *figures_of(const struct view *view, size_t index)
{
	if (view->rows)
		return rows_figures(view->snapshot->columns, view->rows, index);
	return view->cpus[index].figures;
}

struct verdict_subject view_subject(const struct view *view, size_t index)
{
	return (struct verdict_subject){
		.figures = figures_of(view, index),
		.row = view->rows ? &view->rows->items[index] : NULL,
		.cpus = view->rows ? 0 : view->cpus[index].cpus,
	};
}

struct shown_figures view_shown_figures(const struct view *view, size_t index)
{
	const struct snapshot *snapshot = view->snapshot;

	return (struct shown_figures){
		.snapshot = snapshot,
		.figures = figures_of(view, index),
		.tally = view->rows ? rows_tally(snapshot->columns, view->rows, index)
				    : view->cpus[index].tally,
		.row = view->rows ? &view->rows->items[index] : NULL,
	};
}

struct judgement view_verdict(const struct view *view, size_t index)
{
	const struct verdict_subject subject = view_subject(view, index);

	if (!subject.figures)
		return (struct judgement){.rule = -1};
	return judge_subject(&view->judge, &subject);
}

bool view_hottest(const struct view *view, size_t index, struct code_hottest *hottest)
{
	const struct snapshot *snapshot = view->snapshot;
	struct code_subject subject = {.tree = view->spec.by == ROLLUP_TREE};

	if (!view->code)
		return false;
	if (view->rows) {
		const struct row *row = &view->rows->items[index];

		subject.key = history_key_of_row(snapshot, view->spec.by, row);
		subject.pid = row->pid;
	} else {
		bool is_unit = index < view->units.n;

		subject.key = history_key_of_cpu(is_unit ? view->spec.by : ROLLUP_CPU,
						 &view->cpus[index]);
	}
	return code_hottest_find(view->code, &subject, code_time_event(snapshot->code), hottest);
}

static size_t n_rows(const struct view *view)
{
	return view->rows ? view->rows->n : view->n;
}

/* Returns a row, or an empty one if lines are CPUs. */
static const struct row *row_at(const struct view *view, size_t index)
{
	static const struct row no_row;

	return view->rows ? &view->rows->items[index] : &no_row;
}

static const char *text_of(const struct view *view, size_t index)
{
	return rollup_text(view->snapshot, view->spec.by, row_at(view, index));
}

static uint64_t key_of(const struct view *view, size_t index)
{
	const struct row *row = row_at(view, index);

	switch (view->spec.by) {
	case ROLLUP_PROCESS:
	case ROLLUP_TREE:
	case ROLLUP_THREAD:
		return (uint64_t)row->tid;
	case ROLLUP_USER:
		return row->uid;
	case ROLLUP_CGROUP:
	case ROLLUP_COMMAND:
		return hash_text(text_of(view, index));
	case ROLLUP_CPU:
	case ROLLUP_SOCKET:
	case ROLLUP_NODE:
		return (uint64_t)view->cpus[index].cpu;
	}
	return 0;
}

static bool is_same(const struct view *now, size_t i, const struct view *then, size_t k)
{
	const struct row *a = row_at(now, i);
	const struct row *b = row_at(then, k);

	switch (now->spec.by) {
	case ROLLUP_PROCESS:
	case ROLLUP_TREE:
	case ROLLUP_THREAD: /* a tid may be reused, but with another start */
		return a->tid == b->tid &&
		       (a->start_ns == b->start_ns || !a->start_ns || !b->start_ns);
	case ROLLUP_USER:
		return a->uid == b->uid;
	case ROLLUP_CGROUP:
	case ROLLUP_COMMAND:
		return strcmp(text_of(now, i), text_of(then, k)) == 0;
	case ROLLUP_CPU:
	case ROLLUP_SOCKET:
	case ROLLUP_NODE:
		return (i < now->units.n) == (k < then->units.n) &&
		       now->cpus[i].cpu == then->cpus[k].cpu;
	}
	return false;
}

static void enter_rows(struct view_then *then)
{
	size_t n = n_rows(&then->view);

	hash_table_init(&then->table, n);
	for (size_t k = 0; k < n; k++)
		hash_table_add(&then->table, key_of(&then->view, k))->number = k + 1;
}

static size_t *match_rows(const struct view *now, const struct view_then *then)
{
	size_t n = n_rows(now), *match = xcalloc(n, sizeof(*match));

	for (size_t i = 0; i < n; i++) {
		struct hash_slot *slot = hash_table_slot(&then->table, key_of(now, i));

		while (slot->number && !is_same(now, i, &then->view, slot->number - 1))
			slot = hash_table_next(&then->table, slot);
		match[i] = slot->number ? slot->number - 1 : NOWHERE;
	}
	return match;
}

static struct figure *evaluate_nothing(const struct snapshot *snapshot)
{
	struct rows rows;

	rows_init(snapshot->columns, 1, &rows);
	rows_evaluate(snapshot->columns, snapshot_scope(snapshot), &rows);
	struct figure *figures = rows.figures;
	rows.figures = NULL;
	rows_fini(&rows);
	return figures;
}

/*
 * Sets the members that decide which rows there are, and clears all others. The baseline is made of
 * nothing else, and made anew if a byte differs. So no member can be forgotten in a comparison.
 */
static void choose_rows(const struct view_spec *spec, struct view_spec *rows)
{
	memset(rows, 0, sizeof(*rows));
	rows->by = spec->by;
	memcpy(&rows->filter, &spec->filter, sizeof(rows->filter));
	memcpy(rows->unfolded, spec->unfolded, sizeof(rows->unfolded));
}

static void make_then(struct view_then *then, const struct snapshot *snapshot,
		      const struct view_spec *rows, const struct row_filter_spec *filter_spec)
{
	struct row_filter filter;

	memcpy(&then->rows, rows, sizeof(*rows));
	then->view = (struct view){.snapshot = snapshot, .spec = *rows};
	if (filter_spec)
		row_filter_init(filter_spec, snapshot, &filter);
	view_make_rows(&then->view, filter_spec ? &filter : NULL);
	if (filter_spec)
		row_filter_fini(&filter);
	enter_rows(then);
	then->nothing = evaluate_nothing(snapshot);
}

struct view_then *view_then_new(void)
{
	return xcalloc(1, sizeof(struct view_then));
}

void view_then_clear(struct view_then *then)
{
	if (!then)
		return;
	view_fini(&then->view);
	hash_table_fini(&then->table);
	free(then->nothing);
	*then = (struct view_then){0};
}

void view_then_free(struct view_then *then)
{
	view_then_clear(then);
	free(then);
}

void view_compare(struct view *view, const struct row_filter_spec *filter_spec)
{
	const struct snapshot *snapshot = view->spec.baseline;
	/* Counts of other privilege levels cannot be compared. */
	bool alike = snapshot->columns->levels == view->snapshot->columns->levels;
	struct view_baseline *baseline = xcalloc(1, sizeof(*baseline));
	struct view_spec rows;

	choose_rows(&view->spec, &rows);
	baseline->owned = !view->spec.then;
	baseline->then = baseline->owned ? view_then_new() : view->spec.then;
	if (baseline->then->view.snapshot != snapshot ||
	    memcmp(&baseline->then->rows, &rows, sizeof(rows)) != 0) {
		view_then_clear(baseline->then);
		make_then(baseline->then, snapshot, &rows, filter_spec);
	}
	baseline->then->view.spec.unit = view->spec.unit;
	baseline->match = match_rows(view, baseline->then);
	for (size_t i = 0; i < view->n_columns; i++)
		if (view->columns[i].field == FIELD_METRIC)
			view->columns[i].then =
				alike ? columns_metric(snapshot->columns, view->columns[i].name)
				      : -1;
	view->baseline = baseline;
}

void view_compare_fini(struct view *view)
{
	if (!view->baseline)
		return;
	if (view->baseline->owned)
		view_then_free(view->baseline->then);
	free(view->baseline->match);
	free(view->baseline);
}

bool view_is_new(const struct view *view, size_t index)
{
	return view->baseline && view->baseline->match[index] == NOWHERE;
}

/* A task that did not run in the baseline has 0 of all counts, and no ratio. */
static struct figure figure_then(const struct view *view, size_t index,
				 const struct view_column *column)
{
	const struct view_baseline *baseline = view->baseline;
	bool is_new = baseline->match[index] == NOWHERE;

	if (column->then < 0 || (is_new && view->cpus))
		return not_counted;
	if (!is_new)
		return in_unit(&baseline->then->view, baseline->match[index], column->then);
	if (view->spec.unit == VIEW_UNIT_PER_KI &&
	    view->snapshot->columns->metrics[column->metric].def->kind != METRIC_FORMULA)
		return undefined;
	return baseline->then->nothing[column->then];
}

struct figure view_now(const struct view *view, size_t index, const struct view_column *column)
{
	return in_unit(view, index, column->metric);
}

struct figure view_value(const struct view *view, size_t index, const struct view_column *column)
{
	struct figure now = view_now(view, index, column);

	if (!view->baseline || !figure_known(now))
		return now;
	struct figure then = figure_then(view, index, column);
	struct figure difference = figure_of_two(now, then);
	if (figure_known(difference))
		difference.value = now.value - then.value;
	return difference;
}
