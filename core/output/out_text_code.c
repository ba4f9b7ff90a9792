// SPDX-License-Identifier: MIT
/*
 * All tables of a refresh have the same columns: the share of the time event with its standard
 * error and samples, the shares of the other events, the metrics whose counts are sampled, each
 * with its standard error, the function and its module.
 */
#include "core/output/out_text_code.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/output/out_code.h"
#include "core/output/out_value.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAME_COLUMNS = 60, /* of a function; longer names are cut */
	MODULE_COLUMNS = 30,
	PERCENT_COLUMNS = 6, /* "100.0%" */
	TITLE_COLUMNS = 60,  /* of a row */
};

static void put_left(FILE *out, const char *text, unsigned width)
{
	unsigned used = text_width(text);

	fprintf(out, "%s%*s", text, used < width ? (int)(width - used) : 0, "");
}

static void put_right(FILE *out, const char *text, unsigned width)
{
	unsigned used = text_width(text);

	fprintf(out, "%*s%s", used < width ? (int)(width - used) : 0, "", text);
}

/* Returns the columns of the share of an event, other than the time event. */
static unsigned event_width(const struct code_event *event)
{
	unsigned width = text_width(event->name);

	return width > PERCENT_COLUMNS ? width : PERCENT_COLUMNS;
}

static void put_event_titles(FILE *out, const struct out_code *code)
{
	for (size_t i = 0; i < code->profile->n_events; i++) {
		char title[256];

		if (i == code->time)
			continue;
		text_printable(title, sizeof(title), code->profile->events[i].name, UINT_MAX);
		fputs("  ", out);
		put_right(out, title, event_width(&code->profile->events[i]));
	}
}

static const char error_title[] = "ERROR";

/* Columns of a metric, and of its error. */
static unsigned metric_width(const struct metric_def *def)
{
	return def->width + 1u;
}

static unsigned error_width(const struct metric_def *def)
{
	return def->width > strlen(error_title) ? def->width : (unsigned)strlen(error_title);
}

static void put_metric_titles(FILE *out, const struct out_code *code)
{
	const struct columns *columns = code->view->snapshot->columns;

	for (size_t i = 0; i < columns->n_shown; i++) {
		if (!code->metrics[i])
			continue;
		fputs("  ", out);
		put_right(out, columns->metrics[i].title, metric_width(columns->metrics[i].def));
		fputs("  ", out);
		put_right(out, error_title, error_width(columns->metrics[i].def));
	}
}

static void put_header(FILE *out, const struct out_code *code, unsigned names)
{
	fputs(" SHARE  ERROR  SAMPLES", out);
	put_event_titles(out, code);
	put_metric_titles(out, code);
	fputs("  ", out);
	put_left(out, "FUNCTION", names);
	fputs("  MODULE\n", out);
}

static void put_percent(FILE *out, bool known, double share, unsigned width)
{
	char text[32] = "-";

	if (known)
		text_percent(text, sizeof(text), share);
	put_right(out, text, width);
}

static void put_figures(FILE *out, const struct out_code *code,
			const struct out_functions *functions, size_t i)
{
	const struct columns *columns = functions->counts.columns;
	const struct code_line *line = &functions->code.lines[i];

	for (size_t e = 0; e < code->profile->n_events; e++) {
		if (e == code->time)
			continue;
		fputs("  ", out);
		put_percent(out, out_share_known(&line->events[e]), line->events[e].share,
			    event_width(&code->profile->events[e]));
	}
	for (size_t m = 0; m < columns->n_shown; m++) {
		const struct metric_def *def = columns->metrics[m].def;
		struct cell cell;

		if (!code->metrics[m])
			continue;
		struct figure figure = out_function_figure(functions, i, m);
		figure_format(def, figure, &cell);
		fputs("  ", out);
		put_right(out, out_cell(cell.text), metric_width(def));
		if (figure_known(figure))
			figure = figure_exact(out_function_error(functions, i, m));
		figure_format(def, figure, &cell);
		fputs("  ", out);
		put_right(out, out_cell(cell.text), error_width(def));
	}
}

static void put_function(FILE *out, const struct out_code *code,
			 const struct out_functions *functions, size_t i, unsigned names)
{
	const struct code_line *line = &functions->code.lines[i];
	const struct code_share *time = &line->events[code->time];
	char name[4 * NAME_COLUMNS], module[4 * MODULE_COLUMNS], samples[32];

	text_printable(name, sizeof(name), line->function->name, NAME_COLUMNS);
	text_printable(module, sizeof(module), line->function->module, MODULE_COLUMNS);
	snprintf(samples, sizeof(samples), "%" PRIu64, time->samples);
	put_percent(out, out_share_known(time), time->share, PERCENT_COLUMNS);
	fputc(' ', out);
	put_percent(out, out_share_known(time), time->error, PERCENT_COLUMNS);
	fputs("  ", out);
	put_right(out, samples, strlen("SAMPLES"));
	put_figures(out, code, functions, i);
	fputs("  ", out);
	put_left(out, name, module[0] ? names : 0);
	fprintf(out, "%s%s\n", module[0] ? "  " : "", module);
}

/* Functions beyond the limit, as a sum. */
static void put_rest(FILE *out, const struct out_code *code, const struct out_functions *functions,
		     size_t n)
{
	double share = 0;
	uint64_t samples = 0;

	for (size_t i = n; i < functions->code.n; i++) {
		share += functions->code.lines[i].events[code->time].share;
		samples += functions->code.lines[i].events[code->time].samples;
	}
	put_percent(out, samples > 0, share, PERCENT_COLUMNS);
	n = functions->code.n - n;
	fprintf(out, "  in %zu more function%s\n", n, n == 1 ? "" : "s");
}

/* Returns the columns of the widest name of a function, at least the title's. */
static unsigned names_width(const struct out_functions *functions, size_t n)
{
	unsigned width = strlen("FUNCTION");

	for (size_t i = 0; i < n; i++) {
		unsigned name = text_width(functions->code.lines[i].function->name);

		width = name > width ? name : width;
	}
	return width < NAME_COLUMNS ? width : NAME_COLUMNS;
}

/* "4121 postgres: 430 samples of cycles, 12 without callers" */
static void put_table(FILE *out, const struct out_code *code, const char *title,
		      const struct out_functions *functions)
{
	const struct code_total *total = &functions->code.totals[code->time];
	size_t top = code->view->spec.top, n = functions->n;
	char event[256];

	if (top == 0 && n > OUT_TEXT_FUNCTIONS)
		n = OUT_TEXT_FUNCTIONS;
	unsigned names = names_width(functions, n);
	text_printable(event, sizeof(event), code->profile->events[code->time].name, UINT_MAX);
	fprintf(out, "%s: %" PRIu64 " sample%s of %s", title, total->samples,
		total->samples == 1 ? "" : "s", event);
	if (total->alone > 0)
		fprintf(out, ", %" PRIu64 " without callers", total->alone);
	fputc('\n', out);
	put_header(out, code, names);
	for (size_t i = 0; i < n; i++)
		put_function(out, code, functions, i, names);
	if (n < functions->code.n)
		put_rest(out, code, functions, n);
	fputc('\n', out);
}

/* "4121 postgres", "user postgres", "CPU 3" */
static void write_title(const struct view *view, size_t line, char *text, size_t size)
{
	const struct row *row = view_row(view, line);
	const struct snapshot_cpu *cpu = view_cpu(view, line);
	char name[4 * TITLE_COLUMNS] = "";

	if (cpu) {
		enum rollup by = view_is_unit(view, line) ? view->spec.by : ROLLUP_CPU;

		snprintf(text, size, "%s %d", by == ROLLUP_CPU ? "CPU" : rollup_name(by), cpu->cpu);
		return;
	}
	const char *group = rollup_text(view->snapshot, view->spec.by, row);
	if (view->spec.by == ROLLUP_USER)
		group = row->user;
	else if (row->pid > 0)
		group = row->comm;
	text_printable(name, sizeof(name), group[0] ? group : "-", TITLE_COLUMNS);
	if (row->pid > 0)
		snprintf(text, size, "%d %s", row->tid, name);
	else
		snprintf(text, size, "%s %s", rollup_name(view->spec.by), name);
}

static bool has_samples(const struct out_functions *functions)
{
	return functions->code.n > 0;
}

static size_t lines_with_samples(const struct out_code *code)
{
	size_t n = 0;

	for (size_t line = 0; n < 2 && line < code->view->n; line++) {
		struct out_functions functions;

		out_functions_of_line(code, line, &functions);
		n += has_samples(&functions);
		out_functions_fini(&functions);
	}
	return n;
}

static void put_sum(FILE *out, const struct out_code *code)
{
	struct out_functions functions;

	out_functions_of_sum(code, &functions);
	if (has_samples(&functions))
		put_table(out, code,
			  code->view->snapshot->targeted ? "all of the target" : "all tasks",
			  &functions);
	out_functions_fini(&functions);
}

static void put_tables(FILE *out, const struct out_code *code)
{
	const struct code_profile *profile = code->profile;

	if (profile->lost > 0)
		fprintf(out, "lost samples of code: %" PRIu64 "\n\n", profile->lost);
	if (lines_with_samples(code) != 1)
		put_sum(out, code);
	for (size_t line = 0; line < code->view->n; line++) {
		struct out_functions functions;
		char title[8 * TITLE_COLUMNS];

		out_functions_of_line(code, line, &functions);
		write_title(code->view, line, title, sizeof(title));
		if (has_samples(&functions))
			put_table(out, code, title, &functions);
		out_functions_fini(&functions);
	}
}

void out_text_code(const struct view *view, FILE *out)
{
	struct out_code code;

	out_code_init(view, false, &code);
	if (code.profile)
		put_tables(out, &code);
	out_code_fini(&code);
}
