// SPDX-License-Identifier: MIT
/*
 * Chooses columns. The grouping of the lines and the metrics of the snapshot decide which columns
 * there are. Their weights decide which of them fit on the screen.
 */
#include "core/view/view_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/metric/metric_vendor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	ID_WIDTH = 7, /* PID_MAX_LIMIT is 4194304 */
	USER_WIDTH = 8,
	USER_ALONE_WIDTH = 16, /* if lines are users */
	NUMBER_WIDTH = 5,
	CPU_WIDTH = 4,
	UNIT_WIDTH = 6,
	TYPE_WIDTH = 6,
	VERDICT_WIDTH = 9,  /* a label and a mark */
	STALL_WEIGHT = 199, /* as heavy as the second metric */
	HOTTEST_WIDTH = 24, /* a share and the name of a function */
	COMMAND_WIDTH = 17, /* 15 bytes of comm in brackets */
	COMMAND_LEAST = 11,
	TREE_LEAST = 19, /* branches and all */
	TREE_COMPACT_WIDTH = 64,
	TREE_COMPACT_LEAST = 24,
	CGROUP_WIDTH = 40,
	CGROUP_LEAST = 23,
	METRIC_WEIGHT = 200,
	ASKED_WEIGHT = 300, /* the first column that the user added */
	ASKED_RANKS = 90,   /* each further one is lighter by 1, but heavier than the preset's */
	USER_WEIGHT = 195,  /* USER is dropped when three metrics are left */
};

/* The columns that are not metrics, with their names for -s. */
static const struct view_column column_pid = {
	.field = FIELD_PID, .name = "pid", .title = "PID", .metric = -1, .width = ID_WIDTH};
static const struct view_column column_tid = {
	.field = FIELD_TID, .name = "tid", .title = "TID", .metric = -1, .width = ID_WIDTH};
static const struct view_column column_user = {.field = FIELD_USER,
					       .name = "user",
					       .title = "USER",
					       .metric = -1,
					       .width = USER_WIDTH,
					       .left = true,
					       .weight = USER_WEIGHT};
static const struct view_column column_user_alone = {.field = FIELD_USER,
						     .name = "user",
						     .title = "USER",
						     .metric = -1,
						     .width = USER_ALONE_WIDTH,
						     .left = true};
static const struct view_column column_processes = {.field = FIELD_PROCESSES,
						    .name = "processes",
						    .title = "NPROC",
						    .metric = -1,
						    .width = NUMBER_WIDTH,
						    .down = true,
						    .weight = USER_WEIGHT};
static const struct view_column column_threads = {.field = FIELD_THREADS,
						  .name = "threads",
						  .title = "NTHR",
						  .metric = -1,
						  .width = NUMBER_WIDTH,
						  .down = true,
						  .weight = METRIC_WEIGHT / 2};
static const struct view_column column_command = {.field = FIELD_COMMAND,
						  .name = "command",
						  .title = "COMMAND",
						  .metric = -1,
						  .width = COMMAND_WIDTH,
						  .least = COMMAND_LEAST,
						  .left = true};
static const struct view_column column_tree = {.field = FIELD_COMMAND,
					       .name = "command",
					       .title = "COMMAND",
					       .metric = -1,
					       .width = 2 * COMMAND_WIDTH,
					       .least = TREE_LEAST,
					       .left = true};
static const struct view_column column_tree_compact = {.field = FIELD_COMMAND,
						       .name = "command",
						       .title = "COMMAND",
						       .metric = -1,
						       .width = TREE_COMPACT_WIDTH,
						       .least = TREE_COMPACT_LEAST,
						       .left = true};
static const struct view_column column_cgroup = {.field = FIELD_CGROUP,
						 .name = "cgroup",
						 .title = "CGROUP",
						 .metric = -1,
						 .width = CGROUP_WIDTH,
						 .least = CGROUP_LEAST,
						 .left = true};
static const struct view_column column_cpu = {
	.field = FIELD_CPU, .name = "cpu", .title = "CPU", .metric = -1, .width = CPU_WIDTH};
static const struct view_column column_socket = {
	.field = FIELD_CPU, .name = "socket", .title = "SOCKET", .metric = -1, .width = UNIT_WIDTH};
static const struct view_column column_node = {
	.field = FIELD_CPU, .name = "node", .title = "NODE", .metric = -1, .width = UNIT_WIDTH};
static const struct view_column column_stall = {.field = FIELD_STALL,
						.name = "stall",
						.title = "stall%",
						.metric = -1,
						.width = 6,
						.down = true,
						.weight = STALL_WEIGHT};
static const struct view_column column_ghz = {.field = FIELD_GHZ,
					      .name = "ghz",
					      .title = "GHz",
					      .metric = -1,
					      .width = 5,
					      .down = true,
					      .weight = STALL_WEIGHT};
static const struct view_column column_type = {.field = FIELD_TYPE,
					       .name = "type",
					       .title = "TYPE",
					       .metric = -1,
					       .width = TYPE_WIDTH,
					       .left = true};
static const struct view_column column_verdict = {.field = FIELD_VERDICT,
						  .name = "verdict",
						  .title = "VERDICT",
						  .metric = -1,
						  .width = VERDICT_WIDTH,
						  .left = true,
						  .down = true,
						  .weight = USER_WEIGHT};
static const struct view_column column_hottest = {.field = FIELD_HOTTEST,
						  .name = "hottest",
						  .title = "HOTTEST",
						  .metric = -1,
						  .width = HOTTEST_WIDTH,
						  .left = true,
						  .weight = USER_WEIGHT};
static const struct view_column column_cpus = {.field = FIELD_CPUS,
					       .name = "cpus",
					       .title = "CPUS",
					       .metric = -1,
					       .width = NUMBER_WIDTH,
					       .down = true,
					       .weight = USER_WEIGHT};

/* The columns before and after the metrics, by grouping. */
static const struct {
	const struct view_column *before[5]; /* up to the first NULL */
	const struct view_column *behind;
} fixed_columns[] = {
	[ROLLUP_PROCESS] = {{&column_pid, &column_user}, &column_command},
	[ROLLUP_THREAD] = {{&column_pid, &column_tid, &column_user}, &column_command},
	[ROLLUP_TREE] = {{&column_pid, &column_user}, &column_tree},
	[ROLLUP_USER] = {{&column_user_alone, &column_processes, &column_threads}, NULL},
	[ROLLUP_CGROUP] = {{&column_processes, &column_threads}, &column_cgroup},
	[ROLLUP_COMMAND] = {{&column_processes, &column_threads}, &column_command},
	[ROLLUP_CPU] = {{&column_cpu, &column_stall, &column_ghz}, &column_type},
	[ROLLUP_SOCKET] = {{&column_socket, &column_cpus, &column_stall, &column_ghz},
			   &column_type},
	[ROLLUP_NODE] = {{&column_node, &column_cpus, &column_stall, &column_ghz}, &column_type},
};

static void add_column(struct view *view, const struct view_column *column)
{
	view->columns[view->n_columns++] = *column;
}

/* The first metric is never dropped. The preset's go from the right, before the user's. */
static unsigned metric_weight(const struct columns *columns, size_t index)
{
	if (index == 0)
		return 0;
	if (index >= columns->n_preset)
		return ASKED_WEIGHT - (unsigned)size_min(index - columns->n_preset, ASKED_RANKS);
	return index < METRIC_WEIGHT / 2 ? (unsigned)(METRIC_WEIGHT - 2 * index) : 1;
}

/* A column of the preset with an event that this CPU does not have is dropped first. */
static bool is_empty(const struct columns *columns, size_t index)
{
	return index < columns->n_preset &&
	       metric_state(&columns->metrics[index], &columns->events) == FIGURE_UNSUPPORTED;
}

/* "flt/s": as counts "flt", per 1000 instructions "flt/ki". */
static void make_title(const struct metric *metric, enum view_unit unit, char *title, size_t size)
{
	enum metric_kind kind = metric->def->kind;
	const char *behind = unit == VIEW_UNIT_PER_SECOND ? "/s"
			     : unit == VIEW_UNIT_PER_KI   ? "/ki"
							  : "";
	size_t length = text_copy(title, size, metric->title);

	if (kind == METRIC_FORMULA || unit == VIEW_UNIT_USUAL)
		return;
	if (kind == METRIC_RATE && length > 2 && strcmp(title + length - 2, "/s") == 0)
		length -= 2;
	text_copy(title + length, size - length, behind);
}

static void add_metric(struct view *view, size_t index)
{
	const struct columns *columns = view->snapshot->columns;
	const struct metric *metric = &columns->metrics[index];
	/* A mark, and for a difference a sign. */
	unsigned number = metric->def->width + (view->spec.baseline ? 2 : 1);
	struct view_column column = {
		.field = FIELD_METRIC,
		.name = metric->def->name,
		.metric = (int)index,
		.then = -1,
		.down = true,
		.weight = metric_weight(columns, index),
	};

	make_title(metric, view->spec.unit, column.title, sizeof(column.title));
	column.width = text_width(column.title);
	if (column.width < number)
		column.width = number;
	if (column.weight > 1 && is_empty(columns, index))
		column.weight = 1;
	add_column(view, &column);
}

/* CPUs have no facts of tasks, and neither has figures of the machine. */
static bool is_of_lines(const struct view *view, const struct metric *metric)
{
	return !metric->def->machine && !(rollup_is_of_cpus(view->spec.by) && metric_facts(metric));
}

/* Of a column that is hidden unless it is chosen. */
static bool is_chosen(const struct view *view, const char *name)
{
	for (const char *const *shown = view->spec.shown; shown && *shown; shown++)
		if (strcmp(*shown, name) == 0)
			return true;
	return false;
}

static bool has_content(const struct view *view, const struct view_column *column)
{
	const struct snapshot *snapshot = view->snapshot;

	bool of_profile = columns_of_profile(snapshot->columns);

	/* perf records no users. */
	if (column->field == FIELD_USER)
		return !of_profile;
	if (column->field == FIELD_VERDICT)
		return !of_profile && snapshot->columns->n_shown > 0;
	if (column->field == FIELD_HOTTEST)
		return (of_profile && snapshot->code) || is_chosen(view, column->name);
	if (column->field == FIELD_STALL)
		return columns_metric(snapshot->columns, "ipc") >= 0;
	if (column->field == FIELD_GHZ)
		return view_has_ghz(snapshot->columns);
	if (column->field != FIELD_TYPE)
		return true;
	for (size_t i = 0; i < snapshot->n_cpus; i++)
		if (snapshot->cpus[i].type[0])
			return true;
	return false;
}

static int find_column(const struct view_column *columns, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(columns[i].name, name) == 0)
			return (int)i;
	/* The names of the vendor's metrics may be spelt in several ways. */
	for (size_t i = 0; i < n; i++)
		if (metric_vendor_same_name(columns[i].name, name))
			return (int)i;
	return -ENOENT;
}

int view_find_column(const struct view *view, const char *name)
{
	return find_column(view->columns, view->n_columns, name);
}

/* From column `first` on, keeps those of spec.shown, in that order; all if no metric is there. */
static void choose_columns(struct view *view, size_t first)
{
	struct view_column *columns = view->columns + first;
	size_t n = 0, n_metrics = 0, n_columns = view->n_columns - first;
	struct view_column *chosen = xcalloc(n_columns, sizeof(*chosen));

	for (const char *const *name = view->spec.shown; name && *name; name++) {
		int at = find_column(columns, n_columns, *name);

		if (at < 0 || find_column(chosen, n, *name) >= 0)
			continue;
		chosen[n++] = columns[at];
		n_metrics += columns[at].field == FIELD_METRIC;
	}
	if (n_metrics > 0) {
		memcpy(columns, chosen, n * sizeof(*chosen));
		view->n_columns = first + n;
	}
	free(chosen);
}

bool view_title_is_full(const struct view_column *column, unsigned width)
{
	return !column->left && text_width(column->title) >= width;
}

/*
 * Of two full titles the first gets a column more, for the sort mark. It has it in any order, so
 * columns stay in place.
 */
static void widen_full_titles(struct view *view)
{
	struct view_column *columns = view->columns;

	for (size_t i = 0; i + 1 < view->n_columns; i++)
		if (view_title_is_full(&columns[i], columns[i].width) &&
		    view_title_is_full(&columns[i + 1], columns[i + 1].width))
			columns[i].width++;
}

void view_make_columns(struct view *view)
{
	size_t n_shown = view->snapshot->columns->n_shown;
	static const struct view_column *const compact[] = {&column_pid, &column_tree_compact,
							    &column_user, NULL};
	bool is_compact = view->spec.by == ROLLUP_TREE && view->spec.compact;
	const struct view_column *const *before =
		is_compact ? compact : fixed_columns[view->spec.by].before;
	const struct view_column *behind = is_compact ? NULL : fixed_columns[view->spec.by].behind;

	view->columns =
		xcalloc(n_shown + ARRAY_SIZE(fixed_columns[0].before) + 3, sizeof(*view->columns));
	for (; *before; before++)
		if (has_content(view, *before))
			add_column(view, *before);
	size_t first = view->n_columns;
	for (size_t i = 0; i < n_shown; i++)
		if (is_of_lines(view, &view->snapshot->columns->metrics[i]))
			add_metric(view, i);
	if (has_content(view, &column_verdict))
		add_column(view, &column_verdict);
	if (has_content(view, &column_hottest))
		add_column(view, &column_hottest);
	choose_columns(view, first);
	if (behind && has_content(view, behind))
		add_column(view, behind);
	if (view->spec.sort_marks)
		widen_full_titles(view);
}

/* Drops the lightest columns until `room` is enough for *used, with a blank behind each. */
static void drop_lightest(const struct view_column *columns, size_t n, size_t kept, unsigned room,
			  unsigned *used, unsigned *widths)
{
	while (*used > room) {
		size_t lightest = n;

		for (size_t i = 0; i < n; i++) {
			unsigned weight = columns[i].weight;

			if (widths[i] == 0 || weight == 0 || i == kept)
				continue;
			if (lightest == n || weight < columns[lightest].weight)
				lightest = i;
		}
		if (lightest == n)
			return;
		*used -= widths[lightest] + 1;
		widths[lightest] = 0;
	}
}

/* Columns with a least width grow to their width, and a text in the last one gets the rest. */
static void grow_columns(const struct view_column *columns, size_t n, unsigned left,
			 unsigned *widths)
{
	size_t last = n;

	for (size_t i = 0; i < n; i++) {
		unsigned more = columns[i].least ? columns[i].width - columns[i].least : 0;

		if (widths[i] == 0)
			continue;
		more = (unsigned)size_min(more, left);
		widths[i] += more;
		left -= more;
		last = i;
	}
	if (last < n && columns[last].left)
		widths[last] += left;
}

void view_fit(const struct view_column *columns, size_t n, size_t kept, unsigned width,
	      unsigned *widths)
{
	unsigned used = 0;

	for (size_t i = 0; i < n; i++) {
		widths[i] = columns[i].least ? columns[i].least : columns[i].width;
		used += widths[i] ? widths[i] + 1 : 0;
	}
	drop_lightest(columns, n, kept, width + 1, &used, widths);
	if (used <= width + 1) {
		grow_columns(columns, n, width + 1 - used, widths);
		return;
	}
	unsigned left = width, gap = 0;
	for (size_t i = 0; i < n; i++) {
		if (widths[i] == 0)
			continue;
		widths[i] = left > gap ? (unsigned)size_min(widths[i], left - gap) : 0;
		left -= widths[i] ? widths[i] + gap : 0;
		gap = 1;
	}
}
