// SPDX-License-Identifier: MIT
/*
 * A function has the counts of its line times its shares: the counts are as in out_value.h, the
 * shares as in a code view.
 */
#include "core/output/out_code.h"

#include "core/base/util.h"
#include "core/view/code_hottest.h"

#include <math.h>
#include <stdlib.h>

void out_code_init(const struct view *view, bool exact, struct out_code *code)
{
	const struct columns *columns = view->snapshot->columns;

	*code = (struct out_code){.view = view, .profile = view->snapshot->code};
	if (!code->profile)
		return;
	code->index = exact ? code_index_new_exact(view->snapshot) : code_index_new(view->snapshot);
	code->time = code_time_event(code->profile);
	code->metrics = xcalloc(columns->n_metrics, sizeof(*code->metrics));
	for (size_t i = 0; i < columns->n_metrics; i++)
		code->metrics[i] = code_has_metric(code->profile, columns, i);
}

void out_code_fini(struct out_code *code)
{
	code_index_free(code->index);
	free(code->metrics);
	*code = (struct out_code){0};
}

/* By the tally of functions->counts. */
static void fill_functions(const struct out_code *code, struct code_subject *subject,
			   struct out_functions *functions)
{
	size_t top = code->view->spec.top;

	subject->tally = functions->counts.tally;
	subject->lost = functions->counts.lost;
	/* A profile without events has no samples. */
	if (code->profile->n_events > 0)
		code_view_init(code->index, subject, code->time, &functions->code);
	functions->n = functions->code.n;
	if (top > 0 && functions->n > top)
		functions->n = top;
}

static void fill_of_cpu(const struct out_code *code, size_t line, struct out_functions *functions)
{
	const struct snapshot_cpu *cpu = view_cpu(code->view, line);
	enum rollup by = view_is_unit(code->view, line) ? code->view->spec.by : ROLLUP_CPU;
	struct code_subject subject = {.key = history_key_of_cpu(by, cpu)};

	if (cpu->tally)
		functions->busy =
			snapshot_busy_tally(functions->counts.columns, cpu->tally, cpu->idle);
	functions->counts.tally = functions->busy;
	fill_functions(code, &subject, functions);
}

void out_functions_of_line(const struct out_code *code, size_t line,
			   struct out_functions *functions)
{
	const struct view *view = code->view;
	const struct snapshot *snapshot = view->snapshot;
	const struct row *row = view_row(view, line);

	*functions = (struct out_functions){.counts.columns = snapshot->columns};
	if (!row) {
		fill_of_cpu(code, line, functions);
		return;
	}
	struct code_subject subject = {
		.key = history_key_of_row(snapshot, view->spec.by, row),
		.tree = view->spec.by == ROLLUP_TREE,
		.pid = row->pid,
	};
	functions->counts.tally = rows_tally(snapshot->columns, view->rows, view->order[line]);
	functions->counts.lost = row->flags & ROW_LOST;
	fill_functions(code, &subject, functions);
}

void out_functions_of_sum(const struct out_code *code, struct out_functions *functions)
{
	const struct snapshot *snapshot = code->view->snapshot;
	struct code_subject subject = {.key = history_key_of_all(HISTORY_TARGET)};

	*functions = (struct out_functions){.counts.columns = snapshot->columns};
	if (snapshot->targeted) {
		functions->counts.tally = snapshot->target;
		functions->counts.lost = snapshot->target_lost;
	} else {
		subject.key = history_key_of_all(HISTORY_MACHINE);
		functions->busy =
			snapshot_busy_tally(snapshot->columns, snapshot->totals, snapshot->idle);
		functions->counts.tally = functions->busy;
		functions->counts.machine = true;
	}
	fill_functions(code, &subject, functions);
}

void out_functions_fini(struct out_functions *functions)
{
	code_view_fini(&functions->code);
	free(functions->busy);
	*functions = (struct out_functions){0};
}

/* Returns the samples of an event of the set in a function, or NULL. */
static const struct code_share *share_of_event(const struct out_functions *functions,
					       size_t function, size_t event)
{
	const struct code_profile *profile = functions->code.profile;

	for (size_t i = 0; i < profile->n_events; i++)
		if (profile->events[i].counted == event)
			return &functions->code.lines[function].events[i];
	return NULL;
}

struct out_scaled out_function_count(const struct out_functions *functions, size_t function,
				     size_t event)
{
	const struct code_share *share = share_of_event(functions, function, event);
	struct out_scaled count = {.figure = {.state = FIGURE_NOT_COUNTED}};

	if (!share || !out_share_known(share) || !functions->counts.tally)
		return count;
	count = out_scaled_of(&functions->counts, event);
	if (!count.known)
		return count;
	uint64_t whole = count.count;
	double error = share->share > 0 ? share->error / share->share : 1;
	double part = round((double)whole * share->share);
	/* Counts beyond 2^53 are rounded, maybe beyond 64 bits. */
	count.count = part < (double)whole ? (uint64_t)part : whole;
	count.figure.share *= (float)(error < 1 ? 1 - error : 0);
	if (count.figure.state == FIGURE_VALID)
		count.figure.state = FIGURE_SCALED;
	return count;
}

struct figure out_function_figure(const struct out_functions *functions, size_t function,
				  size_t metric)
{
	const struct figure *figures = functions->code.lines[function].figures;
	struct figure figure = out_metric_figure(figures, metric);

	if (figure.state == FIGURE_SCALED && figure.share <= 0)
		figure.state = FIGURE_NOT_COUNTED;
	return figure;
}

double out_function_error(const struct out_functions *functions, size_t function, size_t metric)
{
	const double *errors = functions->code.lines[function].errors;

	return errors ? errors[metric] : 0;
}

const char *out_code_kind(enum code_kind kind)
{
	switch (kind) {
	case CODE_USER:
		return "user";
	case CODE_KERNEL:
		return "kernel";
	case CODE_UNNAMED:
		return "unnamed";
	case CODE_REST:
		break;
	}
	return "rest";
}
