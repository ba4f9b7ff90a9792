// SPDX-License-Identifier: MIT
/*
 * A row is a struct with a member for each of the first columns. Each kind of row sets only the
 * members that it has.
 */
#include "core/output/out_csv.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/output/out_code.h"
#include "core/output/out_sums.h"
#include "core/output/out_value.h"
#include "core/view/finding.h"

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
	char *name = xmalloc(size), *shown = xmalloc(size);

	text_printable(shown, size, text, UINT_MAX);
	text_copy(name, size, shown);
	for (unsigned i = 1; names_have(names, name); i++)
		if (i == 1)
			snprintf(name, size, "%s.%s", kind, shown);
		else
			snprintf(name, size, "%s.%s.%u", kind, shown, i);
	names->items =
		array_reserve(names->items, &names->capacity, names->n + 1, sizeof(*names->items));
	names->items[names->n++] = name;
	free(shown);
}

static void add_scaled_name(struct names *names, const char *event)
{
	size_t size = strlen(event) + sizeof("_scaled");
	char *name = xmalloc(size);

	snprintf(name, size, "%s_scaled", event);
	add_name(names, "scaled", name);
	free(name);
}

static void add_share_names(struct names *names, const char *event)
{
	static const char *const shares[] = {"samples", "share", "error"};
	size_t size = strlen(event) + 16;
	char *name = xmalloc(size);

	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		snprintf(name, size, "%s_%s", event, shares[i]);
		add_name(names, "sampled", name);
	}
	free(name);
}

static void add_error_name(struct names *names, const char *metric)
{
	const size_t size = strlen(metric) + sizeof("_error");
	char *name = xmalloc(size);

	snprintf(name, size, "%s_error", metric);
	add_name(names, "metric", name);
	free(name);
}

static char *make_header(const struct out_code *code)
{
	static const char *const of_functions[] = {
		"function", "module", "kind", "samples", "share", "error",
	};
	static const char *const fixed[] = {
		"time",   "interval_s", "scope",        "cpu",     "cpus",   "pid",       "tid",
		"parent", "comm",       "cmdline",      "user",    "cgroup", "processes", "threads",
		"exited", "verdict",    "lost_records", "summary", "states", "offset_s",
	};
	const struct columns *columns = code->view->snapshot->columns;
	struct names names = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *out = xopen_memstream(&text, &size);

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		add_name(&names, "", fixed[i]);
	for (size_t i = 0; code->profile && i < ARRAY_SIZE(of_functions); i++)
		add_name(&names, "", of_functions[i]);
	for (size_t i = 0; i < event_set_shown(&columns->events); i++)
		add_name(&names, "event", event_label(&columns->events.items[i]));
	for (size_t i = 0; i < columns->n_shown; i++)
		add_name(&names, "metric", columns->metrics[i].def->name);
	for (size_t i = 0; i < event_set_shown(&columns->events); i++)
		add_scaled_name(&names, event_label(&columns->events.items[i]));
	for (size_t i = 0; code->profile && i < code->profile->n_events; i++)
		if (i != code->time)
			add_share_names(&names, code->profile->events[i].name);
	for (size_t i = 0; code->profile && i < columns->n_shown; i++)
		if (code->metrics[i])
			add_error_name(&names, columns->metrics[i].def->name);
	for (size_t i = 0; i < names.n; i++) {
		put_field(out, names.items[i], i == 0);
		free(names.items[i]);
	}
	free(names.items);
	fputc('\n', out);
	fclose(out);
	return text;
}

static void put_header(struct csv *csv, const struct out_code *code, FILE *out)
{
	char *header = make_header(code);

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
	const char *cmdline, *cgroup;
	int parent;
	enum verdict verdict;
	const uint64_t *lost_records; /* NULL: not attributed to the row */
	struct out_counts_of counts;
	const struct figure *figures;
	bool has_metrics;                 /* the row has metrics, even if all are unknown */
	const struct code_line *function; /* of scope "function"; NULL: another row */
};

static void put_state(FILE *out, const char *name, struct figure figure, bool *any)
{
	fprintf(out, "%s%s=", *any ? ";" : "", name);
	*any = true;
	out_state(out, figure);
}

/* Most events are not sampled, so a function has the states of known values only. */
static bool has_state(const struct csv_row *row, struct figure figure)
{
	return figure.state != FIGURE_VALID && (!row->function || figure_known(figure));
}

static void put_states(const struct csv_row *row, FILE *out)
{
	const struct columns *columns = row->counts.columns;
	char *text = NULL;
	size_t size = 0;
	bool any = false;
	FILE *states = xopen_memstream(&text, &size);

	for (size_t i = 0; i < event_set_shown(&columns->events); i++) {
		struct figure figure = out_event_figure(&row->counts, i);

		if (has_state(row, figure))
			put_state(states, event_label(&columns->events.items[i]), figure, &any);
	}
	for (size_t i = 0; row->has_metrics && i < columns->n_shown; i++) {
		struct figure figure = out_metric_figure(row->figures, i);

		if (!out_is_event(columns, columns->metrics[i].def->name) && has_state(row, figure))
			put_state(states, columns->metrics[i].def->name, figure, &any);
	}
	fclose(states);
	put_text(out, text);
	free(text);
}

static void put_counted(const struct csv_row *row, FILE *out)
{
	const struct columns *columns = row->counts.columns;

	for (size_t i = 0; i < event_set_shown(&columns->events); i++) {
		fputc(',', out);
		if (!row->function)
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
	put_text(out, csv->cmdline);
	put_text(out, row ? row->user : NULL);
	put_text(out, csv->cgroup);
	put_integer(out, row && !task, row ? row->processes : 0);
	put_integer(out, row && !task, row ? row->threads : 0);
	fputs(row && row->flags & ROW_EXITED ? ",1" : ",", out);
}

static void put_share(FILE *out, const struct code_share *share)
{
	if (!share) {
		fputs(",,,", out);
		return;
	}
	fprintf(out, ",%" PRIu64 ",", share->samples);
	if (out_share_known(share))
		out_number(out, share->share);
	fputc(',', out);
	if (out_share_known(share))
		out_number(out, share->error);
}

static void put_function(const struct out_code *code, const struct code_line *line, FILE *out)
{
	if (!code->profile)
		return;
	put_text(out, line ? line->function->name : NULL);
	put_text(out, line ? line->function->module : NULL);
	fprintf(out, ",%s", line ? out_code_kind(line->function->kind) : "");
	put_share(out, line ? &line->events[code->time] : NULL);
}

static void put_other_shares(const struct out_code *code, const struct code_line *line, FILE *out)
{
	for (size_t i = 0; code->profile && i < code->profile->n_events; i++)
		if (i != code->time)
			put_share(out, line ? &line->events[i] : NULL);
}

/* The standard errors of a function's metrics. */
static void put_errors(const struct out_code *code, const struct csv_row *row, FILE *out)
{
	const struct columns *columns = row->counts.columns;

	for (size_t i = 0; code->profile && i < columns->n_shown; i++) {
		if (!code->metrics[i])
			continue;
		fputc(',', out);
		if (row->function && row->function->errors &&
		    figure_known(out_metric_figure(row->figures, i)))
			out_number(out, row->function->errors[i]);
	}
}

static void put_row(const struct out_code *code, const struct csv_row *row, FILE *out)
{
	const struct snapshot *snapshot = code->view->snapshot;

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
	put_function(code, row->function, out);
	put_counted(row, out);
	put_other_shares(code, row->function, out);
	put_errors(code, row, out);
	fputc('\n', out);
}

/* Rows with counts of events only. */
static void put_part(const struct out_code *code, const char *scope,
		     const struct out_counts_of *counts, FILE *out)
{
	const struct csv_row row = {.scope = scope, .cpu = -1, .counts = *counts};

	if (counts->tally)
		put_row(code, &row, out);
}

static void put_system(const struct out_code *code, FILE *out)
{
	const struct view *view = code->view;
	const struct snapshot *snapshot = view->snapshot;
	const struct columns *columns = snapshot->columns;
	struct out_sums sums;

	out_sums_init(view, &sums);
	const struct csv_row system = {
		.scope = "system",
		.cpu = -1,
		.verdict = findings_verdict(snapshot),
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
		 {.columns = columns,
		  .tally = snapshot_has_others(snapshot) ? snapshot->others : NULL}},
		{"left_out", {.columns = columns, .tally = view->left_out}},
	};

	put_row(code, &system, out);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		put_part(code, parts[i].scope, &parts[i].counts, out);
	if (snapshot->targeted)
		put_row(code, &target, out);
	out_sums_fini(&sums);
}

static void put_cpus(const struct out_code *code, const char *scope,
		     const struct snapshot_cpu *cpus, size_t n, FILE *out)
{
	const struct columns *columns = code->view->snapshot->columns;
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

		put_row(code, &all, out);
		if (cpu->idle)
			put_row(code, &idle, out);
	}
}

/* Fills scaled[events]: the function's share of the row's counts. */
static void count_function(const struct out_functions *functions, size_t function,
			   struct out_scaled *scaled)
{
	for (size_t i = 0; i < event_set_shown(&functions->counts.columns->events); i++)
		scaled[i] = out_function_count(functions, function, i);
}

static void figures_of_function(const struct out_functions *functions, size_t function,
				struct figure *figures)
{
	for (size_t i = 0; i < functions->counts.columns->n_shown; i++)
		figures[i] = out_function_figure(functions, function, i);
}

/* The functions of a line. Of its row they have what identifies it. */
static void put_functions(const struct out_code *code, size_t line, const struct csv_row *of,
			  FILE *out)
{
	const struct columns *columns = code->view->snapshot->columns;
	struct out_functions functions;

	if (!code->profile)
		return;
	out_functions_of_line(code, line, &functions);
	struct out_scaled *scaled = xcalloc(columns->events.n, sizeof(*scaled));
	struct figure *figures = xcalloc(columns->n_metrics, sizeof(*figures));
	for (size_t i = 0; i < functions.n; i++) {
		const struct csv_row row = {
			.scope = "function",
			.cpu = of->cpu,
			.row = of->row,
			.cmdline = of->cmdline,
			.cgroup = of->cgroup,
			.parent = of->parent,
			.counts = {.columns = columns, .scaled = scaled},
			.figures = figures,
			.has_metrics = true,
			.function = &functions.code.lines[i],
		};

		count_function(&functions, i, scaled);
		figures_of_function(&functions, i, figures);
		put_row(code, &row, out);
	}
	free(scaled);
	free(figures);
	out_functions_fini(&functions);
}

static int parent_of(const struct view *view, size_t index)
{
	size_t parent = view->rolled.parents ? view->rolled.parents[index] : SIZE_MAX;

	return parent == SIZE_MAX ? 0 : view->rolled.items[parent].pid;
}

static void put_task(const struct out_code *code, size_t line, FILE *out)
{
	const struct view *view = code->view;
	const struct snapshot *snapshot = view->snapshot;
	size_t index = view->order[line];
	const struct row *task = view_row(view, line);
	const struct csv_row row = {
		.scope = "task",
		.cpu = -1,
		.row = task,
		.cmdline = snapshot_shown_cmdline(snapshot, task),
		.cgroup = snapshot_cgroup(snapshot, task),
		.parent = parent_of(view, index),
		.verdict = view_verdict(view, index).verdict,
		.counts = {.columns = snapshot->columns,
			   .tally = rows_tally(snapshot->columns, view->rows, index),
			   .lost = task->flags & ROW_LOST,
			   .doubt = row_doubt(task,
					      rows_tally(snapshot->columns, view->rows, index))},
		.figures = rows_figures(snapshot->columns, view->rows, index),
		.has_metrics = true,
	};

	put_row(code, &row, out);
	put_functions(code, line, &row, out);
}

void out_csv(struct csv *csv, const struct view *view, FILE *out)
{
	const struct snapshot *snapshot = view->snapshot;
	struct out_code code;

	out_code_init(view, true, &code);
	put_header(csv, &code, out);
	put_system(&code, out);
	put_cpus(&code, "cpu", snapshot->cpus, snapshot->n_cpus, out);
	if (view->cpus && view->cpus != snapshot->cpus)
		put_cpus(&code, rollup_name(view->spec.by), view->cpus, view->n, out);
	for (size_t line = 0; view->cpus && line < view->n; line++)
		put_functions(&code, line, &(struct csv_row){.cpu = view_cpu(view, line)->cpu},
			      out);
	for (size_t line = 0; view->rows && line < view->n; line++)
		put_task(&code, line, out);
	out_code_fini(&code);
}
