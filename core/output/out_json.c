// SPDX-License-Identifier: MIT
/*
 * Written as it goes, without a tree: the shape of the object is the shape of this file.
 */
#include "core/output/out_json.h"

#include "core/base/figure_mark.h"
#include "core/base/json_string.h"
#include "core/output/out_json_code.h"
#include "core/output/out_sums.h"
#include "core/output/out_value.h"
#include "core/view/finding.h"

#include <inttypes.h>
#include <string.h>

static void put_seconds_or_null(FILE *out, uint64_t ns, bool known)
{
	if (known)
		out_seconds(out, ns);
	else
		fputs("null", out);
}

/* The counts, and the same counts scaled. */
static void put_counts(FILE *out, const char *name, const struct out_counts_of *counts,
		       bool (*put)(FILE *, const struct out_counts_of *, size_t))
{
	const struct columns *columns = counts->columns;

	fprintf(out, "\"%s\":{", name);
	for (size_t i = 0; i < event_set_shown(&columns->events); i++) {
		if (i > 0)
			fputc(',', out);
		json_put_string(out, event_label(&columns->events.items[i]));
		fputc(':', out);
		if (!put(out, counts, i))
			fputs("null", out);
	}
	fputc('}', out);
}

static void put_events(FILE *out, const struct out_counts_of *counts)
{
	put_counts(out, "events", counts, out_event);
	fputc(',', out);
	put_counts(out, "scaled", counts, out_scaled);
}

static void put_metrics(FILE *out, const struct columns *columns, const struct figure *figures)
{
	fputs(",\"metrics\":{", out);
	for (size_t i = 0; i < columns->n_shown; i++) {
		struct figure figure = out_metric_figure(figures, i);

		fputs(i > 0 ? "," : "", out);
		json_put_metric(out, columns->metrics[i].def, figure);
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
	fputs(":\"", out);
	out_state(out, figure);
	fputc('"', out);
}

static bool put_event_states(FILE *out, const struct out_counts_of *counts)
{
	const struct columns *columns = counts->columns;
	bool any = false;

	for (size_t i = 0; i < event_set_shown(&columns->events); i++)
		put_state(out, event_label(&columns->events.items[i]), out_event_figure(counts, i),
			  &any);
	return any;
}

static void put_states(FILE *out, const struct out_counts_of *counts, const struct figure *figures)
{
	const struct columns *columns = counts->columns;
	bool any = put_event_states(out, counts);

	for (size_t i = 0; i < columns->n_shown; i++)
		if (!out_is_event(columns, columns->metrics[i].def->name))
			put_state(out, columns->metrics[i].def->name, out_metric_figure(figures, i),
				  &any);
	if (any)
		fputc('}', out);
}

static void put_counted(FILE *out, const struct out_counts_of *counts, const struct figure *figures)
{
	put_events(out, counts);
	put_metrics(out, counts->columns, figures);
	put_states(out, counts, figures);
}

static void put_part(FILE *out, const char *name, const struct out_counts_of *counts)
{
	fprintf(out, ",\"%s\":{", name);
	put_events(out, counts);
	if (put_event_states(out, counts))
		fputc('}', out);
	fputc('}', out);
}

/* The members that only a summary has. */
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
	out_seconds(out, run->elapsed_ns);
	fputs(",\"user_s\":", out);
	put_seconds_or_null(out, run->user_ns, run->status >= 0);
	fputs(",\"system_s\":", out);
	put_seconds_or_null(out, run->system_ns, run->status >= 0);
}

/* One CPU, socket or node; its number may be unknown. Lines of the view have functions. */
static void put_cpu(FILE *out, const struct out_code *code, const char *what, size_t line,
		    const struct snapshot_cpu *cpu)
{
	const struct columns *columns = code->view->snapshot->columns;

	if (cpu->cpu < 0)
		fprintf(out, "{\"%s\":null,", what);
	else
		fprintf(out, "{\"%s\":%d,", what, cpu->cpu);
	if (strcmp(what, "cpu") != 0)
		fprintf(out, "\"cpus\":%u,", cpu->cpus);
	put_counted(out, &(struct out_counts_of){.columns = columns, .tally = cpu->tally},
		    cpu->figures);
	put_part(out, "idle", &(struct out_counts_of){.columns = columns, .tally = cpu->idle});
	if (line != SIZE_MAX)
		json_put_functions_of_line(out, code, line);
	fputc('}', out);
}

/* Returns the view's line of one of its CPUs, or SIZE_MAX. Without functions no line is needed. */
static size_t line_of_cpu(const struct out_code *code, const struct snapshot_cpu *cpu)
{
	const struct view *view = code->view;

	for (size_t line = 0; code->profile && view->cpus && line < view->n; line++)
		if (view_cpu(view, line) == cpu)
			return line;
	return SIZE_MAX;
}

static void put_cpus(FILE *out, const struct out_code *code, const char *what,
		     const struct snapshot_cpu *cpus, size_t n)
{
	fprintf(out, "\"%ss\":[", what);
	for (size_t i = 0; i < n; i++) {
		fputs(i > 0 ? "," : "", out);
		put_cpu(out, code, what, line_of_cpu(code, &cpus[i]), &cpus[i]);
	}
	fputs("],", out);
}

/* Identity of a row: a task, or the attribute by which tasks are grouped. */
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
	if (view->snapshot->command_lines == COMMAND_LINES_SHOWN) {
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
	json_put_string_or_null(out, verdict_word(verdict));
}

static void put_task(FILE *out, const struct out_code *code, size_t line)
{
	const struct view *view = code->view;
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
	put_counted(out,
		    &(struct out_counts_of){
			    .columns = columns,
			    .tally = rows_tally(columns, view->rows, index),
			    .lost = view_row(view, line)->flags & ROW_LOST,
			    .doubt = row_doubt(view_row(view, line),
					       rows_tally(columns, view->rows, index)),
		    },
		    rows_figures(columns, view->rows, index));
	json_put_functions_of_line(out, code, line);
	fputc('}', out);
}

static void put_totals(FILE *out, const struct out_code *code, const struct out_sums *sums,
		       enum verdict verdict)
{
	const struct view *view = code->view;
	const struct snapshot *snapshot = view->snapshot;
	const struct columns *columns = snapshot->columns;

	fputs("\"totals\":{", out);
	put_verdict(out, verdict);
	fputc(',', out);
	put_counted(out,
		    &(struct out_counts_of){
			    .columns = columns,
			    .tally = snapshot->totals,
			    .machine = true,
			    .scaled = sums->totals,
		    },
		    snapshot->figures);
	put_part(out, "idle",
		 &(struct out_counts_of){
			 .columns = columns, .tally = snapshot->idle, .machine = true});
	put_part(out, "unattributed",
		 &(struct out_counts_of){
			 .columns = columns,
			 .tally = snapshot->unattributed,
			 .machine = true,
			 .scaled = sums->unattributed,
		 });
	if (snapshot_has_others(snapshot))
		put_part(out, "others",
			 &(struct out_counts_of){.columns = columns, .tally = snapshot->others});
	if (view->left_out)
		put_part(out, "left_out",
			 &(struct out_counts_of){.columns = columns, .tally = view->left_out});
	if (!snapshot->targeted)
		json_put_functions_of_sum(out, code);
	fputc('}', out);
}

/* The sum of the target. */
static void put_target(FILE *out, const struct out_code *code, const struct out_sums *sums)
{
	const struct snapshot *snapshot = code->view->snapshot;
	const struct out_counts_of counts = {
		.columns = snapshot->columns,
		.tally = snapshot->target,
		.lost = snapshot->target_lost,
		.scaled = sums->target,
	};

	fputs(",\"target\":{", out);
	put_counted(out, &counts, snapshot->target_figures);
	fprintf(out, ",\"ended\":%s", snapshot->ended ? "true" : "false");
	json_put_functions_of_sum(out, code);
	fputc('}', out);
}

static void put_machine(FILE *out, const struct snapshot_machine *machine)
{
	fputs(",\"machine\":{", out);
	for (size_t i = 0; i < MACHINE_VALUES; i++) {
		fprintf(out, "%s\"%s\":", i > 0 ? "," : "", machine_value_defs[i].name);
		if (machine->known[i])
			out_number(out, machine->values[i]);
		else
			fputs("null", out);
	}
	fputs(",\"interrupts\":[", out);
	for (size_t i = 0; i < machine->n_interrupts; i++) {
		const struct machine_interrupt *interrupt = &machine->interrupts[i];

		fprintf(out, "%s{\"cpu\":%d,\"kind\":\"%s\",\"percent\":", i > 0 ? "," : "",
			interrupt->cpu, interrupt->soft ? "softirq" : "irq");
		out_number(out, interrupt->percent);
		fputs(",\"most\":", out);
		json_put_string_or_null(out, interrupt->name);
		fputc('}', out);
	}
	fputs("]}", out);
}

static void put_cost(FILE *out, const struct snapshot_cost *cost)
{
	fputs(",\"pmctop\":{\"cpu_percent\":", out);
	out_number(out, 100 * (double)cost->cpu_ns / (double)cost->wall_ns);
	fprintf(out, ",\"records\":%" PRIu64 ",\"kernel_ns_per_switch\":", cost->records);
	if (cost->switch_ns > 0)
		fprintf(out, "%" PRIu64, cost->switch_ns);
	else
		fputs("null", out);
	fputs(",\"cycles\":", out);
	if (cost->cycles > 0)
		fprintf(out, "%" PRIu64 ",\"cycles_read\":\"%s\"}", cost->cycles,
			cost->reads_itself ? "user" : "call");
	else
		fputs("null}", out);
}

static void put_findings(FILE *out, const struct findings *findings)
{
	fputs(",\"findings\":[", out);
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->items[i];

		fputs(i > 0 ? ",{" : "{", out);
		fputs("\"kind\":", out);
		json_put_string(out, finding_word(finding_number(finding)));
		fputc(',', out);
		put_verdict(out, finding->verdict);
		fputs(",\"cpus\":", out);
		out_number(out, finding->cpus);
		if (finding->state != FIGURE_VALID)
			fprintf(out, ",\"state\":\"%s\"", figure_state_name(finding->state));
		if (finding->pid > 0)
			fprintf(out, ",\"pid\":%d,\"tid\":%d", finding->pid, finding->tid);
		fputs(",\"sentence\":", out);
		json_put_string(out, finding->text);
		fputc('}', out);
	}
	fputc(']', out);
}

void out_json(const struct view *view, FILE *out)
{
	const struct snapshot *snapshot = view->snapshot;
	struct findings findings;
	struct out_code code;
	struct out_sums sums;

	findings_of_snapshot(snapshot, &findings);
	out_code_init(view, true, &code);
	fputs("{\"schema\":\"pmctop/1\"", out);
	if (snapshot->run)
		put_run(out, snapshot->run);
	fputs(",\"time\":", out);
	put_seconds_or_null(out, snapshot->realtime_ns, snapshot->realtime_ns > 0);
	fputs(",\"interval_s\":", out);
	out_seconds(out, snapshot->interval_ns);
	fputs(",\"host\":", out);
	json_put_string(out, snapshot->host);
	if (snapshot->replay[0]) {
		fputs(",\"replay\":", out);
		json_put_string(out, snapshot->replay);
		fputs(",\"offset_s\":", out);
		out_seconds(out, snapshot->offset_ns);
	}
	fputs(",\"mode\":", out);
	json_put_string(out, count_mode_name(snapshot->mode));
	fputs(",\"pmu\":", out);
	json_put_string(out, snapshot->pmu);
	fprintf(out, ",\"count\":\"%s\",\"turns\":%u", event_levels_name(snapshot->columns->levels),
		plan_most_turns(snapshot->columns->plan));
	if (snapshot->mode != COUNT_MODE_SYSTEM && !snapshot->run)
		fprintf(out, ",\"threads\":{\"ran\":%zu,\"counted\":%zu}", snapshot->threads_ran,
			snapshot->threads_counted);
	fprintf(out, ",\"by\":\"%s\",", rollup_name(view->spec.by));
	if (view->rows && row_filter_is_set(&view->spec.filter)) {
		fputs("\"filter\":", out);
		json_put_string(out, view->spec.filter.text);
		fputc(',', out);
	}
	if (view->rows && view->spec.top)
		fprintf(out, "\"top\":%zu,\"rows_left_out\":%zu,", view->spec.top,
			view->n_left_out);
	put_cpus(out, &code, "cpu", snapshot->cpus, snapshot->n_cpus);
	if (view->cpus && view->cpus != snapshot->cpus)
		put_cpus(out, &code, rollup_name(view->spec.by), view->cpus, view->n);
	fputs("\"tasks\":[", out);
	for (size_t line = 0; view->rows && line < view->n; line++) {
		fputs(line > 0 ? "," : "", out);
		put_task(out, &code, line);
	}
	fputs("],", out);
	out_sums_init(view, &sums);
	put_totals(out, &code, &sums, findings.verdict);
	if (snapshot->targeted)
		put_target(out, &code, &sums);
	out_sums_fini(&sums);
	json_put_code(out, &code);
	out_code_fini(&code);
	if (machine_is_known(&snapshot->machine))
		put_machine(out, &snapshot->machine);
	if (snapshot->cost.cpu_ns > 0 && snapshot->cost.wall_ns > 0)
		put_cost(out, &snapshot->cost);
	if (!snapshot->run)
		put_findings(out, &findings);
	fprintf(out, ",\"lost_records\":%" PRIu64 ",\"notes\":[", snapshot->lost_records);
	for (size_t i = 0; i < snapshot->n_notes; i++) {
		fputs(i > 0 ? "," : "", out);
		json_put_string(out, snapshot->notes[i]);
	}
	fputs("]}\n", out);
}
