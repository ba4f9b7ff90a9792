// SPDX-License-Identifier: MIT
/*
 * Columns have the widths that the view gives, whatever the rows contain, so they stay in place
 * from refresh to refresh. COMMAND is the last column and is not padded. On a terminal the columns
 * are fitted to its width, as on a screen.
 */
#include "core/output/out_text.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/output/out_counts.h"
#include "core/output/out_text_code.h"
#include "core/output/out_value.h"
#include "core/view/finding.h"
#include "core/view/machine_items.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COMMAND_COLUMNS = 60 }; /* of the command in the title of a summary */

static void put_printable(FILE *out, const char *text)
{
	char line[1024];

	text_printable(line, sizeof(line), text, sizeof(line));
	fputs(line, out);
}

static void put_padded(FILE *out, const char *text, const struct view_column *column, bool last)
{
	unsigned width = text_width(text);
	int blanks = width < column->width ? (int)(column->width - width) : 0;

	if (column->left)
		fprintf(out, "%s%*s", text, last ? 0 : blanks, "");
	else
		fprintf(out, "%*s%s", blanks, "", text);
	fputc(last ? '\n' : ' ', out);
}

/* UTC, because the time zone is the environment's. */
static void put_time(FILE *out, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / NS_PER_S);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm))
		return;
	fprintf(out, "%04d-%02d-%02d %02d:%02d:%02d UTC", tm.tm_year + 1900, tm.tm_mon + 1,
		tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

/* "00:01:30.500", since a recording began. */
static void put_offset(FILE *out, uint64_t ns)
{
	uint64_t ms = ns / NS_PER_MS, seconds = ms / 1000;

	fprintf(out, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%03" PRIu64, seconds / 3600,
		seconds / 60 % 60, seconds % 60, ms % 1000);
}

/* "summary of 'make -j4'", "summary 2 of 3 of 'make -j4'" */
static void put_run(FILE *out, const struct snapshot_run *run)
{
	char command[16 * COMMAND_COLUMNS] = "", shown[4 * COMMAND_COLUMNS];
	size_t length = 0;

	for (size_t i = 0; run->command[i] && length < sizeof(command) - 1; i++) {
		if (i > 0)
			command[length++] = ' ';
		length += text_copy(command + length, sizeof(command) - length, run->command[i]);
	}
	text_printable(shown, sizeof(shown), command, COMMAND_COLUMNS);
	fputs("summary ", out);
	if (run->parts > 1)
		fprintf(out, "%u of %u ", run->part, run->parts);
	fprintf(out, "of '%s%s'", shown, text_width(command) > COMMAND_COLUMNS ? "..." : "");
}

/*
 * "pmctop - host  2025-11-21 01:38:00 UTC  1.000 s  system  armv8_pmuv3"
 * "pmctop - host  REPLAY of run.data at 00:01:30.500  2025-11-21 ..."
 */
static void put_title(FILE *out, const struct snapshot *snapshot)
{
	char seconds[32];

	fputs("pmctop - ", out);
	if (snapshot->run)
		put_run(out, snapshot->run);
	else
		put_printable(out, snapshot->host);
	if (snapshot->replay[0]) {
		fputs("  REPLAY of ", out);
		put_printable(out,
			      strcmp(snapshot->replay, "-") == 0 ? "a pipe" : snapshot->replay);
		fputs(" at ", out);
		put_offset(out, snapshot->offset_ns);
	}
	if (snapshot->realtime_ns > 0) {
		fputs("  ", out);
		put_time(out, snapshot->realtime_ns);
	}
	text_fixed(seconds, sizeof(seconds), (double)snapshot->interval_ns / (double)NS_PER_S, 3);
	fprintf(out, "  %s s  %s", seconds, count_mode_name(snapshot->mode));
	if (snapshot->pmu[0]) {
		fputs("  ", out);
		put_printable(out, snapshot->pmu);
	}
	fputc('\n', out);
}

/* Of the machine: "processes: 80  threads: 231, 14 ran" */
static void put_tasks(FILE *out, const struct snapshot *snapshot)
{
	if (snapshot->machine.known[MACHINE_PROCESSES])
		fprintf(out, "processes: %.0f  ", snapshot->machine.values[MACHINE_PROCESSES]);
	fprintf(out, "threads: %u, %zu ran", snapshot->tasks, snapshot_ran(snapshot));
}

/*
 * "CPUs: 4  processes: 80  threads: 231, 14 ran  lost records: 3  unattributed: 0.12% of cycles
 * counters: 14 events in 2 turns"
 */
static void put_counts(FILE *out, const struct view *view)
{
	const struct snapshot *snapshot = view->snapshot;
	size_t event = 0;
	double unattributed = 100 * snapshot_unattributed(snapshot, &event);
	char sharing[64];

	fprintf(out, "CPUs: %zu  ", snapshot->n_cpus);
	if (snapshot->run)
		fprintf(out, "processes: %zu", snapshot->threads.n);
	else if (snapshot->tasks)
		put_tasks(out, snapshot);
	else
		fprintf(out, "threads: %zu ran", snapshot_ran(snapshot));
	if (snapshot->lost_records)
		fprintf(out, "  lost records: %" PRIu64, snapshot->lost_records);
	if (unattributed >= 0.005) {
		char percent[32];

		text_fixed(percent, sizeof(percent), unattributed, 2);
		fprintf(out, "  unattributed: %s%% of %s", percent,
			snapshot->columns->events.items[event].name);
	}
	if (snapshot_sharing(snapshot, sharing, sizeof(sharing)))
		fprintf(out, "  counters: %s", sharing);
	if (snapshot->columns->levels != EVENT_LEVELS_ALL)
		fprintf(out, "  counting: %s only", event_levels_name(snapshot->columns->levels));
	if (snapshot->threads_counted < snapshot->threads_ran)
		fprintf(out, "  counted: %zu of %zu threads", snapshot->threads_counted,
			snapshot->threads_ran);
	if (view->rows && row_filter_is_set(&view->spec.filter)) {
		fputs("  filter: ", out);
		put_printable(out, view->spec.filter.text);
	}
	if (view->n_left_out)
		fprintf(out, "  top: %zu of %zu", view->n, view->n + view->n_left_out);
	fputc('\n', out);
}

/* "all: %CPU 123.4  GHz 3.20  IPC 1.05 ...", without facts, which only tasks have. */
static void put_figures(FILE *out, const struct snapshot *snapshot, const char *part,
			const struct figure *figures)
{
	const struct columns *columns = snapshot->columns;
	size_t n = 0;

	fprintf(out, "%s:", part);
	for (size_t i = 0; i < columns->n_shown; i++) {
		const struct metric_def *def = columns->metrics[i].def;
		struct cell cell;

		if (metric_facts(&columns->metrics[i]))
			continue;
		figure_format(def, figures[i], &cell);
		fprintf(out, "%s %s %s", n++ > 0 ? " " : "", columns->metrics[i].title,
			out_cell(cell.text));
	}
	fputc('\n', out);
}

/* "machine: load 2.10 1.80 1.20  runnable 3  memory 4.0G free of 8.0G ..." */
static void put_machine(FILE *out, const struct snapshot_machine *machine)
{
	struct machine_item items[MACHINE_ITEMS];
	size_t n = machine_items(machine, items);

	if (n == 0)
		return;
	fputs("machine:", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s %s %s", i > 0 ? " " : "", items[i].label, items[i].text);
	fputc('\n', out);
}

static void put_findings(FILE *out, const struct snapshot *snapshot)
{
	struct findings findings;

	findings_of_snapshot(snapshot, &findings);
	for (size_t i = 0; i < findings.n; i++) {
		fputs("finding: ", out);
		put_printable(out, findings.items[i].text);
		fputc('\n', out);
	}
}

/* Prints a line of the table; line SIZE_MAX: the titles. widths NULL: all columns, not cut. */
static void put_line(FILE *out, const struct view *view, size_t line, const unsigned *widths)
{
	size_t n = view->n_columns;

	while (widths && n > 1 && widths[n - 1] == 0)
		n--;
	for (size_t i = 0; i < n; i++) {
		struct view_column column = view->columns[i];
		char text[sizeof(((struct cell *)0)->text)];
		struct cell cell;

		if (widths && widths[i] == 0)
			continue;
		if (line == SIZE_MAX)
			text_copy(cell.text, sizeof(cell.text), column.title);
		else
			view_cell(view, line, i, &cell);
		column.width = widths ? widths[i] : column.width;
		text_printable(text, sizeof(text), out_cell(cell.text),
			       widths ? widths[i] : UINT_MAX);
		put_padded(out, text, &column, i + 1 == n);
	}
}

static void put_table(FILE *out, const struct view *view)
{
	unsigned *widths = view->spec.width ? xcalloc(view->n_columns, sizeof(*widths)) : NULL;

	if (widths)
		view_fit(view->columns, view->n_columns, view->sort_column, view->spec.width,
			 widths);
	put_line(out, view, SIZE_MAX, widths);
	for (size_t line = 0; line < view->n; line++)
		put_line(out, view, line, widths);
	free(widths);
}

void out_text(const struct view *view, FILE *out)
{
	const struct snapshot *snapshot = view->snapshot;

	put_title(out, snapshot);
	put_counts(out, view);
	/* The whole machine without its idle time, and the part of the target or of the user. */
	if (!snapshot->run)
		put_figures(out, snapshot, "all", snapshot->figures);
	if (snapshot->target && !snapshot->run)
		put_figures(out, snapshot, snapshot->targeted ? "target" : "your tasks",
			    snapshot->target_figures);
	if (!snapshot->run) {
		put_machine(out, &snapshot->machine);
		put_findings(out, snapshot);
	}
	for (size_t i = 0; i < snapshot->n_notes; i++) {
		fputs("note: ", out);
		put_printable(out, snapshot->notes[i]);
		fputc('\n', out);
	}
	fputc('\n', out);
	put_table(out, view);
	fputc('\n', out);
	out_text_code(view, out);
	if (snapshot->run)
		out_counts(snapshot, out);
}
