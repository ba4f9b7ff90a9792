// SPDX-License-Identifier: MIT
/*
 * A row is a struct with a member for each of the first columns. Each kind of row sets only the
 * members that it has.
 */
#include "core/output/out_csv.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/output/out_sums.h"
#include "core/output/out_value.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct csv {
	char *header; /* the last one printed; NULL: none */
};

struct csv *csv_new(void)
{
	return xcalloc(1, sizeof(struct csv));
}

void csv_free(struct csv *csv)
{
	if (!csv)
		return;
	free(csv->header);
	free(csv);
}

/* Prints a field, in quotes if it needs them. The first field of a line has no comma before it. */
static void put_field(FILE *out, const char *text, bool first)
{
	size_t length = strlen(text);
	bool blank = length > 0 && (text[0] == ' ' || text[length - 1] == ' ');

	if (!first)
		fputc(',', out);
	if (!blank && !strpbrk(text, ",\"")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* Prints a text from outside; NULL: unknown. */
static void put_text(FILE *out, const char *text)
{
	size_t size = 3 * strlen(text ? text : "") + 1;
	char *printable = xmalloc(size);

	text_printable(printable, size, text ? text : "", UINT_MAX);
	put_field(out, printable, false);
	free(printable);
}

static void put_integer(FILE *out, bool known, uint64_t number)
{
	if (known)
		fprintf(out, ",%" PRIu64, number);
	else
		fputc(',', out);
}

/* The names of columns that are in use, as they are printed. */
struct names {
	char **items;
	size_t n, capacity;
};

static bool names_have(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->items[i], name) == 0)
			return true;
	return false;
}

/* Adds a column with this name, or as "kind.name", "kind.name.2" ... if the name is in use. */
static void add_name(struct names *names, const char *kind, const char *text)
{
	size_t size = 3 * strlen(text) + 64;
	char *name = xmalloc(size), *native = xmalloc(size);

	text_printable(native, size, text, UINT_MAX);
	text_copy(name, size, native);
	for (unsigned i = 1; names_have(names, name); i++)
		if (i == 1)
			snprintf(name, size, "%s.%s", kind, native);
		else
			snprintf(name, size, "%s.%s.%u", kind, native, i);
	names->items =
		array_reserve(names->items, &names->capacity, names->n + 1, sizeof(*names->items));
	names->items[names->n++] = name;
	free(native);
}

static void add_scaled_name(struct names *names, const char *event)
{
	size_t size = strlen(event) + sizeof("_scaled");
	char *name = xmalloc(size);

	snprintf(name, size, "%s_scaled", event);
	add_name(names, "scaled", name);
	free(name);
}

static char *make_header(const struct columns *columns)
{
	static const char *const fixed[] = {
		"time",   "interval_s", "scope",        "cpu",     "cpus",   "pid",       "tid",
		"parent", "comm",       "cmdline",      "user",    "cgroup", "processes", "threads",
		"exited", "verdict",    "lost_records", "summary", "states", "offset_s",
	};
	struct names names = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *out = xopen_memstream(&text, &size);

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		add_name(&names, "", fixed[i]);
	for (size_t i = 0; i < event_set_shown(&columns->events); i++)
		add_name(&names, "event", event_label(&columns->events.items[i]));
	for (size_t i = 0; i < columns->n_shown; i++)
		add_name(&names, "metric", columns->metrics[i].def->name);
	for (size_t i = 0; i < event_set_shown(&columns->events); i++)
		add_scaled_name(&names, event_label(&columns->events.items[i]));
	for (size_t i = 0; i < names.n; i++) {
		put_field(out, names.items[i], i == 0);
		free(names.items[i]);
	}
	free(names.items);
	fputc('\n', out);
	fclose(out);
	return text;
}

static void put_header(struct csv *csv, const struct columns *columns, FILE *out)
{
	char *header = make_header(columns);

	if (csv->header && strcmp(csv->header, header) == 0) {
		free(header);
		return;
	}
	fputs(header, out);
	free(csv->header);
	csv->header = header;
}

struct csv_row {
	const char *scope;
	int cpu;       /* < 0: none, or unknown */
	unsigned cpus; /* 0: no unit */
	const struct row *row;
	const char *cgroup;
	int parent;
	enum verdict verdict;
	const uint64_t *lost_records; /* NULL: not attributed to the row */
	struct out_counts_of counts;
	const struct figure *figures;
	bool has_metrics; /* the row has metrics, even if all are unknown */
};

static void put_state(FILE *out, const char *name, struct figure figure, bool *any)
{
	if (figure.state == FIGURE_VALID)
		return;
	fprintf(out, "%s%s=", *any ? ";" : "", name);
	*any = true;
	out_state(out, figure);
}

static void put_states(const struct csv_row *row, FILE *out)
{
	const struct columns *columns = row->counts.columns;
	char *text = NULL;
	size_t size = 0;
	bool any = false;
	FILE *states = xopen_memstream(&text, &size);

	for (size_t i = 0; i < event_set_shown(&columns->events); i++)
		put_state(states, event_label(&columns->events.items[i]),
			  out_event_figure(&row->counts, i), &any);
	for (size_t i = 0; row->has_metrics && i < columns->n_shown; i++)
		if (!out_is_event(columns, columns->metrics[i].def->name))
			put_state(states, columns->metrics[i].def->name,
				  out_metric_figure(row->figures, i), &any);
	fclose(states);
	put_text(out, text);
	free(text);
}

static void put_counted(const struct csv_row *row, FILE *out)
{
	const struct columns *columns = row->counts.columns;

	for (size_t i = 0; i < event_set_shown(&columns->events); i++) {
		fputc(',', out);
		out_event(out, &row->counts, i);
	}
	for (size_t i = 0; i < columns->n_shown; i++) {
		struct figure figure = out_metric_figure(row->figures, i);

		fputc(',', out);
		if (row->has_metrics && figure_known(figure))
			out_metric(out, columns->metrics[i].def, figure, "");
	}
	for (size_t i = 0; i < event_set_shown(&columns->events); i++) {
		fputc(',', out);
		out_scaled(out, &row->counts, i);
	}
}

static void put_identity(const struct csv_row *csv, FILE *out)
{
	const struct row *row = csv->row;
	bool task = row && row->pid > 0;

	put_integer(out, task, task ? (uint64_t)row->pid : 0);
	put_integer(out, task, task ? (uint64_t)row->tid : 0);
	put_integer(out, csv->parent > 0, (uint64_t)csv->parent);
	put_text(out, row ? row->comm : NULL);
	put_text(out, row ? row->cmdline : NULL);
	put_text(out, row ? row->user : NULL);
	put_text(out, csv->cgroup);
	put_integer(out, row && !task, row ? row->processes : 0);
	put_integer(out, row && !task, row ? row->threads : 0);
	fputs(row && row->flags & ROW_EXITED ? ",1" : ",", out);
}

static void put_row(const struct view *view, const struct csv_row *row, FILE *out)
{
	const struct snapshot *snapshot = view->snapshot;

	if (snapshot->realtime_ns > 0)
		out_seconds(out, snapshot->realtime_ns);
	fputc(',', out);
	out_seconds(out, snapshot->interval_ns);
	fprintf(out, ",%s", row->scope);
	put_integer(out, row->cpu >= 0, row->cpu >= 0 ? (uint64_t)row->cpu : 0);
	put_integer(out, row->cpus > 0, row->cpus);
	put_identity(row, out);
	fprintf(out, ",%s", verdict_word(row->verdict));
	put_integer(out, row->lost_records, row->lost_records ? *row->lost_records : 0);
	put_integer(out, snapshot->run, snapshot->run ? snapshot->run->part : 0);
	put_states(row, out);
	fputc(',', out);
	if (snapshot->replay[0])
		out_seconds(out, snapshot->offset_ns);
	put_counted(row, out);
	fputc('\n', out);
}

/* Rows with counts of events only. */
static void put_part(const struct view *view, const char *scope, const struct out_counts_of *counts,
		     FILE *out)
{
	const struct csv_row row = {.scope = scope, .cpu = -1, .counts = *counts};

	if (counts->tally)
		put_row(view, &row, out);
}

static void put_system(const struct view *view, FILE *out)
{
	const struct snapshot *snapshot = view->snapshot;
	const struct columns *columns = snapshot->columns;
	struct out_sums sums;

	out_sums_init(view, &sums);
	const struct csv_row system = {
		.scope = "system",
		.cpu = -1,
		.verdict = verdict_of_snapshot(snapshot, NULL, 0),
		.lost_records = &snapshot->lost_records,
		.counts = {.columns = columns,
			   .tally = snapshot->totals,
			   .machine = true,
			   .scaled = sums.totals},
		.figures = snapshot->figures,
		.has_metrics = true,
	};
	const struct csv_row target = {
		.scope = "target",
		.cpu = -1,
		.counts = {.columns = columns,
			   .tally = snapshot->target,
			   .lost = snapshot->target_lost,
			   .scaled = sums.target},
		.figures = snapshot->target_figures,
		.has_metrics = true,
	};
	const struct {
		const char *scope;
		struct out_counts_of counts;
	} parts[] = {
		{"idle", {.columns = columns, .tally = snapshot->idle, .machine = true}},
		{"unattributed",
		 {.columns = columns,
		  .tally = snapshot->unattributed,
		  .machine = true,
		  .scaled = sums.unattributed}},
		{"others",
		 {.columns = columns, .tally = snapshot->targeted ? snapshot->others : NULL}},
		{"left_out", {.columns = columns, .tally = view->left_out}},
	};

	put_row(view, &system, out);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		put_part(view, parts[i].scope, &parts[i].counts, out);
	if (snapshot->targeted)
		put_row(view, &target, out);
	out_sums_fini(&sums);
}

static void put_cpus(const struct view *view, const char *scope, const struct snapshot_cpu *cpus,
		     size_t n, FILE *out)
{
	const struct columns *columns = view->snapshot->columns;
	char idle_scope[32];

	snprintf(idle_scope, sizeof(idle_scope), "%s_idle", scope);
	for (size_t i = 0; i < n; i++) {
		const struct snapshot_cpu *cpu = &cpus[i];
		const struct csv_row all = {
			.scope = scope,
			.cpu = cpu->cpu,
			.cpus = strcmp(scope, "cpu") != 0 ? cpu->cpus : 0,
			.counts = {.columns = columns, .tally = cpu->tally},
			.figures = cpu->figures,
			.has_metrics = true,
		};
		const struct csv_row idle = {
			.scope = idle_scope,
			.cpu = cpu->cpu,
			.cpus = all.cpus,
			.counts = {.columns = columns, .tally = cpu->idle},
		};

		put_row(view, &all, out);
		if (cpu->idle)
			put_row(view, &idle, out);
	}
}

static int parent_of(const struct view *view, size_t index)
{
	size_t parent = view->rolled.parents ? view->rolled.parents[index] : SIZE_MAX;

	return parent == SIZE_MAX ? 0 : view->rolled.items[parent].pid;
}

static void put_task(const struct view *view, size_t line, FILE *out)
{
	const struct snapshot *snapshot = view->snapshot;
	size_t index = view->order[line];
	const struct row *task = view_row(view, line);
	const struct csv_row row = {
		.scope = "task",
		.cpu = -1,
		.row = task,
		.cgroup = snapshot_cgroup(snapshot, task),
		.parent = parent_of(view, index),
		.verdict = view_verdict(view, index).verdict,
		.counts = {.columns = snapshot->columns,
			   .tally = rows_tally(snapshot->columns, view->rows, index),
			   .lost = task->flags & ROW_LOST},
		.figures = rows_figures(snapshot->columns, view->rows, index),
		.has_metrics = true,
	};

	put_row(view, &row, out);
}

void out_csv(struct csv *csv, const struct view *view, FILE *out)
{
	const struct snapshot *snapshot = view->snapshot;

	put_header(csv, snapshot->columns, out);
	put_system(view, out);
	put_cpus(view, "cpu", snapshot->cpus, snapshot->n_cpus, out);
	if (view->cpus && view->cpus != snapshot->cpus)
		put_cpus(view, rollup_name(view->spec.by), view->cpus, view->n, out);
	for (size_t line = 0; view->rows && line < view->n; line++)
		put_task(view, line, out);
}
