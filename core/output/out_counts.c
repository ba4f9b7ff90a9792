// SPDX-License-Identifier: MIT
/*
 * All cells are formatted before the first is printed, because the widest cell sets the width of
 * its column. The widths may differ from run to run: a summary is printed once.
 */
#include "core/output/out_counts.h"

#include "core/base/figure_mark.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/output/out_value.h"
#include "core/view/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 40 };

struct count_line {
	char count[64];
	char unit[16];
	char event[3 * NAME_COLUMNS + 16]; /* and the share */
	char metric[48];
	const char *title; /* of the metric; NULL: none */
};

/* "-1234567.89" to "-1,234,567.89" */
static void group_digits(const char *number, char *text, size_t size)
{
	size_t sign = number[0] == '-', digits = strspn(number + sign, "0123456789"), length = 0;

	for (size_t i = 0; number[i] && length + 2 < size; i++) {
		size_t left = sign + digits - i;

		if (i > sign && i < sign + digits && left % 3 == 0)
			text[length++] = ',';
		text[length++] = number[i];
	}
	text[length] = '\0';
}

/* Formats whole counts exactly, as u64; times and counts with a unit get decimals. */
static void format_count(const struct event *event, size_t index, const struct metric_input *input,
			 struct figure figure, struct count_line *line)
{
	char number[48];

	text_printable(line->unit, sizeof(line->unit), event->unit, 8);
	if (index == TALLY_TASK_CLOCK) {
		text_copy(line->unit, sizeof(line->unit), "ms");
		text_fixed(number, sizeof(number), figure.value / (double)NS_PER_MS, 2);
	} else if (event->scale != 1) {
		text_fixed(number, sizeof(number), figure.value, 2);
	} else if (figure.state != FIGURE_VALID) {
		text_fixed(number, sizeof(number), figure.value, 0);
	} else {
		snprintf(number, sizeof(number), "%" PRIu64,
			 plan_count(input->plan, input->tally, index));
	}
	size_t length = text_copy(line->count, sizeof(line->count), figure_mark(figure.state));
	group_digits(number, line->count + length, sizeof(line->count) - length);
}

static void fill_event(const struct columns *columns, size_t i, const struct metric_input *input,
		       struct count_line *line)
{
	const struct event *event = &columns->events.items[i];
	struct figure figure = metric_read_one(&columns->event_readings.items[i], input);
	size_t length = text_printable(line->event, sizeof(line->event) - 16, event_label(event),
				       NAME_COLUMNS);

	if (!figure_known(figure)) {
		text_copy(line->count, sizeof(line->count), out_cell(figure_mark(figure.state)));
		return;
	}
	format_count(event, i, input, figure, line);
	if (figure.state == FIGURE_SCALED)
		snprintf(line->event + length, sizeof(line->event) - length, " (%.0f%%)",
			 100 * (double)figure.share);
}

/*
 * Puts each metric beside the first event of its formula, and a rate beside its count. A metric
 * gets a line of its own if that place is taken. Returns the number of lines.
 */
static size_t fill_metrics(const struct columns *columns, const struct figure *figures,
			   struct count_line *lines)
{
	size_t n_events = event_set_shown(&columns->events), n = n_events;

	for (size_t i = 0; i < columns->n_shown; i++) {
		const struct metric *metric = &columns->metrics[i];
		size_t event = metric_first_event(metric);
		struct cell cell;

		if (metric->def->machine)
			continue;
		struct count_line *line =
			event < n_events && !lines[event].title ? &lines[event] : &lines[n++];
		figure_format(metric->def, figures[i], &cell);
		text_copy(line->metric, sizeof(line->metric), out_cell(cell.text));
		line->title = metric->title;
	}
	return n;
}

/* Sums all rows into one; the caller calls rows_fini. */
static void add_up(const struct snapshot *snapshot, struct rows *all)
{
	const struct columns *columns = snapshot->columns;

	rows_init(columns, 1, all);
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		tally_add(&columns->plan->shape, all->tallies,
			  rows_tally(columns, &snapshot->threads, i));
		all->items[0].flags |= snapshot->threads.items[i].flags & ROW_LOST;
	}
	rows_evaluate(columns, snapshot_scope(snapshot), all);
}

static unsigned widest(unsigned width, const char *text)
{
	unsigned other = text_width(text);

	return width > other ? width : other;
}

static void put_lines(FILE *out, const struct count_line *lines, size_t n)
{
	unsigned count = 0, unit = 0, event = 0, metric = 0;

	for (size_t i = 0; i < n; i++) {
		count = widest(count, lines[i].count);
		unit = widest(unit, lines[i].unit);
		event = widest(event, lines[i].event);
		metric = widest(metric, lines[i].metric);
	}
	for (size_t i = 0; i < n; i++) {
		const struct count_line *line = &lines[i];

		fprintf(out, "  %*s%s %s%*s  %s", (int)(count - text_width(line->count)), "",
			line->count, line->unit, (int)(unit - text_width(line->unit)), "",
			line->event);
		if (line->title)
			fprintf(out, "%*s  %*s%s %s", (int)(event - text_width(line->event)), "",
				(int)(metric - text_width(line->metric)), "", line->metric,
				line->title);
		fputc('\n', out);
	}
}

static void put_seconds(FILE *out, uint64_t ns, const char *what)
{
	uint64_t us = ns / NS_PER_US;

	fprintf(out, "%" PRIu64 ".%06" PRIu64 " s %s, ", us / 1000000, us % 1000000, what);
}

static void put_times(FILE *out, const struct snapshot_run *run)
{
	fputs("  ", out);
	put_seconds(out, run->elapsed_ns, "elapsed");
	if (run->status < 0) {
		fputs("it still runs\n", out);
		return;
	}
	put_seconds(out, run->user_ns, "user");
	put_seconds(out, run->system_ns, "system");
	fprintf(out, "status %d\n", run->status);
}

void out_counts(const struct snapshot *snapshot, FILE *out)
{
	const struct columns *columns = snapshot->columns;
	size_t n_events = event_set_shown(&columns->events);
	struct rows all;

	add_up(snapshot, &all);
	struct count_line *lines = xcalloc(n_events + columns->n_shown, sizeof(*lines));
	const struct metric_input input = {
		.events = &columns->events,
		.plan = columns->plan,
		.tally = all.tallies,
		.lost = all.items[0].flags & ROW_LOST,
	};
	for (size_t i = 0; i < n_events; i++)
		fill_event(columns, i, &input, &lines[i]);
	put_lines(out, lines, fill_metrics(columns, all.figures, lines));
	fputc('\n', out);
	put_times(out, snapshot->run);
	fputc('\n', out);
	free(lines);
	rows_fini(&all);
}
