// SPDX-License-Identifier: MIT
/*
 * Written as it goes, without a tree: the shape of the object is the shape of this file.
 */
#include "out_json.h"

#include "json_string.h"
#include "text.h"
#include "util.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Six digits at least, whatever the size; exponents only below a thousandth. */
static void put_number(FILE *out, double value)
{
	char text[400];
	double magnitude = fabs(value);

	if (magnitude >= 0.001 || magnitude < 1e-300) {
		text_trimmed(text, sizeof(text), value, magnitude < 1 ? 9 : 6);
		fputs(text, out);
		return;
	}
	int exponent = (int)ceil(-log10(magnitude));
	text_trimmed(text, sizeof(text), value * pow(10, exponent), 6);
	fprintf(out, "%se-%d", text, exponent);
}

static void put_seconds(FILE *out, uint64_t ns)
{
	uint64_t us = ns / NS_PER_US;

	fprintf(out, "%" PRIu64 ".%06" PRIu64, us / 1000000, us % 1000000);
}

static void put_seconds_or_null(FILE *out, uint64_t ns, bool known)
{
	if (known)
		put_seconds(out, ns);
	else
		fputs("null", out);
}

/* ---- what stands in every row */

/* Whose counts these are. tally NULL: nothing was heard of it. */
struct counts {
	const struct columns *columns;
	const uint64_t *tally;
	bool machine; /* the machine as a whole, with what sockets count */
};

static struct figure event_figure(const struct counts *counts, size_t i)
{
	const struct metric_input input = {
		.events = &counts->columns->events,
		.plan = counts->columns->plan,
		.tally = counts->tally,
		.machine = counts->machine,
	};

	return counts->tally ? metric_read_one(&counts->columns->event_readings.items[i], &input)
			     : (struct figure){.state = FIGURE_NOT_COUNTED};
}

static struct figure metric_figure(const struct figure *figures, size_t i)
{
	return figures ? figures[i] : (struct figure){.state = FIGURE_NOT_COUNTED};
}

static void put_events(FILE *out, const struct counts *counts)
{
	const struct columns *columns = counts->columns;

	fputs("\"events\":{", out);
	for (size_t i = 0; i < columns->events.n; i++) {
		if (i > 0)
			fputc(',', out);
		json_put_string(out, event_label(&columns->events.items[i]));
		fputc(':', out);
		struct figure figure = event_figure(counts, i);
		if (!figure_known(figure))
			fputs("null", out);
		else if (columns->events.items[i].scale != 1)
			put_number(out, figure.value);
		else
			fprintf(out, "%" PRIu64, plan_count(columns->plan, counts->tally, i));
	}
	fputc('}', out);
}

static void put_metrics(FILE *out, const struct columns *columns, const struct figure *figures)
{
	fputs(",\"metrics\":{", out);
	for (size_t i = 0; i < columns->n_metrics; i++) {
		struct figure figure = metric_figure(figures, i);

		if (i > 0)
			fputc(',', out);
		json_put_string(out, columns->metrics[i].def->name);
		fputc(':', out);
		if (figure_known(figure))
			put_number(out, figure.value);
		else
			fputs("null", out);
	}
	fputc('}', out);
}

static void put_state(FILE *out, const char *name, struct figure figure, bool *any)
{
	if (figure.state == FIGURE_VALID)
		return;
	fputs(*any ? "," : ",\"states\":{", out);
	*any = true;
	json_put_string(out, name);
	fprintf(out, ":\"%s", figure_state_name(figure.state));
	if (figure.state == FIGURE_SCALED) {
		char share[32];

		text_trimmed(share, sizeof(share), (double)figure.share, 4);
		fprintf(out, ":%s", share);
	}
	fputc('"', out);
}

/* A column that shows an event has its name, and its state. */
static bool is_event(const struct columns *columns, const char *name)
{
	for (size_t i = 0; i < columns->events.n; i++)
		if (strcmp(event_label(&columns->events.items[i]), name) == 0)
			return true;
	return false;
}

static void put_states(FILE *out, const struct counts *counts, const struct figure *figures)
{
	const struct columns *columns = counts->columns;
	bool any = false;

	for (size_t i = 0; i < columns->events.n; i++)
		put_state(out, event_label(&columns->events.items[i]), event_figure(counts, i),
			  &any);
	for (size_t i = 0; i < columns->n_metrics; i++)
		if (!is_event(columns, columns->metrics[i].def->name))
			put_state(out, columns->metrics[i].def->name, metric_figure(figures, i),
				  &any);
	if (any)
		fputc('}', out);
}

static void put_counted(FILE *out, const struct counts *counts, const struct figure *figures)
{
	put_events(out, counts);
	put_metrics(out, counts->columns, figures);
	put_states(out, counts, figures);
}

static void put_part(FILE *out, const char *name, const struct counts *counts)
{
	fprintf(out, ",\"%s\":{", name);
	put_events(out, counts);
	fputc('}', out);
}

/* ---- the object */

/* What makes it a summary. */
static void put_run(FILE *out, const struct snapshot_run *run)
{
	fprintf(out, ",\"summary\":true,\"part\":%u,\"parts\":%u,\"command\":[", run->part,
		run->parts);
	for (size_t i = 0; run->command[i]; i++) {
		fputs(i > 0 ? "," : "", out);
		json_put_string(out, run->command[i]);
	}
	if (run->status < 0)
		fputs("],\"status\":null", out);
	else
		fprintf(out, "],\"status\":%d", run->status);
	fputs(",\"elapsed_s\":", out);
	put_seconds(out, run->elapsed_ns);
	fputs(",\"user_s\":", out);
	put_seconds_or_null(out, run->user_ns, run->status >= 0);
	fputs(",\"system_s\":", out);
	put_seconds_or_null(out, run->system_ns, run->status >= 0);
}

/* One CPU, socket or node, whose number may be unknown. */
static void put_cpu(FILE *out, const struct columns *columns, const char *what,
		    const struct snapshot_cpu *cpu)
{
	if (cpu->cpu < 0)
		fprintf(out, "{\"%s\":null,", what);
	else
		fprintf(out, "{\"%s\":%d,", what, cpu->cpu);
	if (strcmp(what, "cpu") != 0)
		fprintf(out, "\"cpus\":%u,", cpu->cpus);
	put_counted(out, &(struct counts){columns, cpu->tally, false}, cpu->figures);
	put_part(out, "idle", &(struct counts){columns, cpu->idle, false});
	fputc('}', out);
}

static void put_cpus(FILE *out, const struct columns *columns, const char *what,
		     const struct snapshot_cpu *cpus, size_t n)
{
	fprintf(out, "\"%ss\":[", what);
	for (size_t i = 0; i < n; i++) {
		fputs(i > 0 ? "," : "", out);
		put_cpu(out, columns, what, &cpus[i]);
	}
	fputs("],", out);
}

/* Who a row is: a task, or what tasks have in common. */
static void put_identity(FILE *out, const struct view *view, size_t line)
{
	const struct row *row = view_row(view, line);
	const char *cgroup = snapshot_cgroup(view->snapshot, row);

	if (row->pid > 0)
		fprintf(out, "\"pid\":%d,\"tid\":%d", row->pid, row->tid);
	else
		fputs("\"pid\":null,\"tid\":null", out);
	fputs(",\"comm\":", out);
	json_put_string_or_null(out, row->comm);
	if (view->snapshot->command_lines) {
		fputs(",\"cmdline\":", out);
		json_put_string_or_null(out, row->cmdline ? row->cmdline : "");
	}
	fputs(",\"user\":", out);
	json_put_string_or_null(out, row->user);
	fputs(",\"cgroup\":", out);
	json_put_string_or_null(out, cgroup ? cgroup : "");
	if (row->pid <= 0)
		fprintf(out, ",\"processes\":%u,\"threads\":%u", row->processes, row->threads);
}

static void put_parent(FILE *out, const struct view *view, size_t line)
{
	size_t parent = view->rolled.parents[view->order[line]];

	if (parent == SIZE_MAX)
		fputs(",\"parent\":null", out);
	else
		fprintf(out, ",\"parent\":%d", view->rolled.items[parent].pid);
}

static void put_verdict(FILE *out, enum verdict verdict)
{
	fputs("\"verdict\":", out);
	json_put_string_or_null(out, verdict == VERDICT_NONE ? "" : verdict_name(verdict));
}

static void put_task(FILE *out, const struct view *view, size_t line)
{
	const struct columns *columns = view->snapshot->columns;
	size_t index = view->order[line];

	fputc('{', out);
	put_identity(out, view, line);
	if (view->spec.by == ROLLUP_TREE)
		put_parent(out, view, line);
	fputc(',', out);
	if (view_row(view, line)->flags & ROW_EXITED)
		fputs("\"exited\":true,", out);
	put_verdict(out, view_verdict(view, index).verdict);
	fputc(',', out);
	put_counted(out, &(struct counts){columns, rows_tally(columns, view->rows, index), false},
		    rows_figures(columns, view->rows, index));
	fputc('}', out);
}

static void put_totals(FILE *out, const struct view *view)
{
	const struct snapshot *snapshot = view->snapshot;
	const struct columns *columns = snapshot->columns;

	fputs("\"totals\":{", out);
	put_verdict(out, verdict_of_snapshot(snapshot, NULL, 0));
	fputc(',', out);
	put_counted(out, &(struct counts){columns, snapshot->totals, true}, snapshot->figures);
	put_part(out, "idle", &(struct counts){columns, snapshot->idle, true});
	put_part(out, "unattributed", &(struct counts){columns, snapshot->unattributed, true});
	if (snapshot->targeted)
		put_part(out, "others", &(struct counts){columns, snapshot->others, false});
	if (view->left_out)
		put_part(out, "left_out", &(struct counts){columns, view->left_out, false});
	fputc('}', out);
}

/* Who was asked for, added up. */
static void put_target(FILE *out, const struct snapshot *snapshot)
{
	const struct counts counts = {snapshot->columns, snapshot->target, false};

	fputs(",\"target\":{", out);
	put_counted(out, &counts, snapshot->target_figures);
	fprintf(out, ",\"ended\":%s}", snapshot->ended ? "true" : "false");
}

void out_json(const struct view *view, FILE *out)
{
	const struct snapshot *snapshot = view->snapshot;

	fputs("{\"schema\":\"pmctop/1\"", out);
	if (snapshot->run)
		put_run(out, snapshot->run);
	fputs(",\"time\":", out);
	put_seconds(out, snapshot->realtime_ns);
	fputs(",\"interval_s\":", out);
	put_seconds(out, snapshot->interval_ns);
	fputs(",\"host\":", out);
	json_put_string(out, snapshot->host);
	fputs(",\"mode\":", out);
	json_put_string(out, snapshot->mode);
	fputs(",\"pmu\":", out);
	json_put_string(out, snapshot->pmu);
	fprintf(out, ",\"count\":\"%s\",\"turns\":%u", event_levels_name(snapshot->columns->levels),
		plan_most_turns(snapshot->columns->plan));
	if (strcmp(snapshot->mode, "system") != 0 && !snapshot->run)
		fprintf(out, ",\"threads\":{\"ran\":%zu,\"counted\":%zu}", snapshot->threads_ran,
			snapshot->threads_counted);
	fprintf(out, ",\"by\":\"%s\",", rollup_name(view->spec.by));
	if (view->left_out) {
		fputs("\"filter\":", out);
		json_put_string(out, view->spec.filter.text);
		fputc(',', out);
	}
	put_cpus(out, snapshot->columns, "cpu", snapshot->cpus, snapshot->n_cpus);
	if (view->cpus && view->cpus != snapshot->cpus)
		put_cpus(out, snapshot->columns, rollup_name(view->spec.by), view->cpus, view->n);
	fputs("\"tasks\":[", out);
	for (size_t line = 0; view->rows && line < view->n; line++) {
		fputs(line > 0 ? "," : "", out);
		put_task(out, view, line);
	}
	fputs("],", out);
	put_totals(out, view);
	if (snapshot->targeted)
		put_target(out, snapshot);
	fprintf(out, ",\"lost_records\":%" PRIu64 ",\"notes\":[", snapshot->lost_records);
	for (size_t i = 0; i < snapshot->n_notes; i++) {
		fputs(i > 0 ? "," : "", out);
		json_put_string(out, snapshot->notes[i]);
	}
	fputs("]}\n", out);
}
