// SPDX-License-Identifier: MIT
#include "tests/unit/shared/sweep.h"

#include "core/doctor/doctor.h"
#include "core/event/plan.h"
#include "core/metric/metric.h"
#include "tests/unit/shared/send_request.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum fk_event kinds[] = {FK_CYCLES,        FK_INSTRUCTIONS, FK_BRANCHES,
				      FK_BRANCH_MISSES, FK_CACHE_MISSES, FK_CACHE_REFERENCES};
static const char *const kind_names[] = {"cycles",        "instructions", "branches",
					 "branch-misses", "cache-misses", "cache-references"};
enum { SWEEP_KINDS = 6, SWEEP_TIDS = 7 };
static const pid_t tids[SWEEP_TIDS] = {PMCTOP, MAIN, THREAD, OTHER, PING, PONG, CHILD};

static bool is_of_main(pid_t tid)
{
	return tid == MAIN || tid == THREAD || tid == CHILD;
}

/* The rates of a tid. Tasks that MAIN starts have MAIN's. */
static struct fk_rate rate_of(pid_t tid, size_t kind)
{
	bool half = is_of_main(tid);

	switch (kinds[kind]) {
	case FK_CYCLES:
		return (struct fk_rate){half ? 2 : 3, 1};
	case FK_INSTRUCTIONS:
		return (struct fk_rate){half ? 1 : 6, 1};
	case FK_BRANCHES:
	case FK_CACHE_REFERENCES:
		return (struct fk_rate){1, 4};
	default:
		return (struct fk_rate){1, 16};
	}
}

static void report_wrong(struct sweep_outcome *outcome, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void report_wrong(struct sweep_outcome *outcome, const char *format, ...)
{
	va_list args;

	if (outcome->wrong[0])
		return;
	va_start(args, format);
	vsnprintf(outcome->wrong, sizeof(outcome->wrong), format, args);
	va_end(args);
}

static void keep_note(struct sweep_outcome *outcome, const char *note)
{
	for (size_t i = 0; i < outcome->n_notes; i++)
		if (strcmp(outcome->notes[i], note) == 0)
			return;
	if (strlen(note) < 8 || strchr(note, 10))
		report_wrong(outcome, "not a sentence: '%s'", note);
	outcome->notes = array_reserve(outcome->notes, &outcome->notes_capacity,
				       outcome->n_notes + 1, sizeof(*outcome->notes));
	outcome->notes[outcome->n_notes++] = xstrdup(note);
}

void sweep_outcome_fini(struct sweep_outcome *outcome)
{
	for (size_t i = 0; i < outcome->n_notes; i++)
		free(outcome->notes[i]);
	free(outcome->notes);
}

/*
 * The counts credited so far, and the true counts at the start. Counts of new tasks may be credited
 * to their parent for a while (attr.inherit), so MAIN, THREAD and CHILD are one account.
 */
struct sweep_books {
	bool forked;
	uint64_t counted[SWEEP_TIDS][SWEEP_KINDS], begin[SWEEP_TIDS][SWEEP_KINDS];
	uint64_t counted_ns[SWEEP_TIDS], begin_ns[SWEEP_TIDS];
};

static uint64_t truth_of(struct fk *fk, const struct sweep_books *books, pid_t tid,
			 enum fk_event event)
{
	uint64_t sum = 0;

	for (size_t t = 0; t < SWEEP_TIDS; t++) {
		bool born = books->forked || (tids[t] != THREAD && tids[t] != CHILD);
		if (born && (tids[t] == tid || (tid == MAIN && is_of_main(tids[t]))))
			sum += fk_truth_task(fk, tids[t], event);
	}
	return sum;
}

/* The kind of an event. Tasks run in user mode alone: an event of the kernel has none. */
static int kind_of(const char *name)
{
	if (strchr(name, ':') && strcmp(strchr(name, ':'), ":k") == 0)
		return -1;
	for (int i = 0; i < SWEEP_KINDS; i++) {
		size_t n = strlen(kind_names[i]);
		if (strncmp(name, kind_names[i], n) == 0 && (!name[n] || name[n] == ':'))
			return i;
	}
	return -1;
}

/* Tasks have constant rates, so each count of a row must fit its group's time. */
static void check_row(const struct snapshot *snapshot, size_t index, size_t t,
		      struct sweep_books *books, struct sweep_outcome *outcome)
{
	const struct columns *columns = snapshot->columns;
	const struct row *row = &snapshot->threads.items[index];
	const uint64_t *tally = rows_tally(columns, &snapshot->threads, index);
	size_t account = is_of_main(row->tid) ? 1 : t;
	uint64_t clock_ns = tally[TALLY_TASK_CLOCK];
	/* Several groups may count the same event at the same time. */
	uint64_t most[SWEEP_KINDS] = {0};

	books->counted_ns[account] += clock_ns;
	for (unsigned i = TALLY_FIRST_COUNTED; i < columns->plan->shape.n_counters; i++) {
		const struct plan_counter *counter = &columns->plan->counters[i];
		const char *name = columns->events.items[counter->event].name;
		int kind = kind_of(name);
		if (kind < 0)
			continue;
		uint64_t group_ns = tally[tally_group(&columns->plan->shape, counter->group)];
		struct fk_rate rate = rate_of(row->tid, (size_t)kind);
		double truth = (double)group_ns * rate.num / rate.den, count = (double)tally[i];
		most[kind] = most[kind] > tally[i] ? most[kind] : tally[i];
		if (fabs(count - truth) > 0.02 * truth + 100 * (double)NS_PER_US)
			report_wrong(outcome, "%s of %d is %.0f in %.3f ms, not %.0f (#%u)", name,
				     (int)row->tid, count, (double)group_ns / 1e6, truth,
				     (unsigned)snapshot->sequence);
	}
	for (size_t k = 0; k < SWEEP_KINDS; k++)
		books->counted[account][k] += most[k];
}

void sweep_check_metrics(const struct snapshot *snapshot, struct sweep_outcome *outcome)
{
	const struct columns *columns = snapshot->columns;
	const struct rows *rows = &snapshot->threads;
	int ipc = columns_metric(columns, "ipc");

	for (size_t i = 0; i < rows->n - rows->n_still; i++) {
		const struct figure *figures = rows_figures(columns, rows, i);
		pid_t tid = rows->items[i].tid;
		for (size_t m = 0; m < columns->n_metrics; m++)
			if (!isfinite(figures[m].value))
				report_wrong(outcome, "a figure is not finite");
		struct fk_rate cycles = rate_of(tid, 0), instructions = rate_of(tid, 1);
		double truth = (double)instructions.num / cycles.num;
		if (ipc >= 0 && figure_known(figures[ipc]) &&
		    fabs(figures[ipc].value - truth) > 0.1 * truth)
			report_wrong(outcome, "IPC of %d is %.3f, not %.1f (#%u)", (int)tid,
				     figures[ipc].value, truth, (unsigned)snapshot->sequence);
	}
}

static void check_snapshot(const struct snapshot *snapshot, struct sweep_books *books,
			   struct sweep_outcome *outcome)
{
	size_t event = 0;

	if (!snapshot_conserves(snapshot, &event))
		report_wrong(outcome, "%s is not conserved",
			     snapshot->columns->events.items[event].name);
	for (size_t i = 0; i < snapshot->threads.n; i++)
		for (size_t t = 0; t < SWEEP_TIDS; t++)
			if (snapshot->threads.items[i].tid == tids[t])
				check_row(snapshot, i, t, books, outcome);
	sweep_check_metrics(snapshot, outcome);
	for (size_t i = 0; i < snapshot->n_notes; i++)
		keep_note(outcome, snapshot->notes[i]);
	/*
	 * sweep_compare() uses the better of the two extents before the last: data may be missing
	 * once without a note, and a note may be one interval late.
	 */
	struct sweep_extent *extents = outcome->extents, now = {0};
	for (size_t i = 0; i < 2; i++)
		extents[i] = extents[i + 1];
	outcome->mode = snapshot->mode;
	now.n_threads = snapshot->threads_counted;
	/* What verdicts count beside them is counted where it can be, without a note. */
	for (size_t i = 0; i < snapshot->columns->n_shown; i++)
		now.n_valid += metric_state(&snapshot->columns->metrics[i],
					    &snapshot->columns->events) == FIGURE_VALID;
	for (size_t i = 0; i < event_set_shown(&snapshot->columns->events); i++)
		now.n_valid += snapshot->columns->events.items[i].state == FIGURE_VALID;
	for (size_t i = 0; i < snapshot->n_cpus; i++)
		now.n_cpus += snapshot->cpus[i].tally != NULL;
	extents[2] = now;
}

/* No task is credited with more than its true counts. Times of /proc are in ticks. */
static void check_books(struct fk *fk, const struct sweep_books *books,
			struct sweep_outcome *outcome)
{
	for (size_t t = 0; t < SWEEP_TIDS; t++) {
		pid_t tid = tids[t];
		uint64_t ran_ns = truth_of(fk, books, tid, FK_TASK_CLOCK) - books->begin_ns[t];
		if (books->counted_ns[t] > ran_ns + 30 * NS_PER_MS)
			report_wrong(outcome, "%d ran for %.3f ms, but %.3f are credited", (int)tid,
				     (double)ran_ns / 1e6, (double)books->counted_ns[t] / 1e6);
		for (size_t k = 0; k < SWEEP_KINDS; k++) {
			uint64_t truth = truth_of(fk, books, tid, kinds[k]);
			if (books->counted[t][k] > truth - books->begin[t][k] + 6 * NS_PER_MS)
				report_wrong(outcome, "%s of %d: %llu are credited of %llu",
					     kind_names[k], (int)tid,
					     (unsigned long long)books->counted[t][k],
					     (unsigned long long)(truth - books->begin[t][k]));
		}
	}
}

struct fk *sweep_machine(const struct sweep_scene *scene)
{
	struct fk_config config = scene->model ? *scene->model : scene->machine;

	config.step_ns = 20 * NS_PER_US; /* so that loops on the clock end */
	struct fk *fk = fk_new(&config);
	for (size_t t = 0; t < SWEEP_TIDS; t++) {
		pid_t tid = tids[t];
		if (tid == THREAD || tid == CHILD)
			continue;
		struct fk_spec spec = {.tid = tid,
				       .ppid = tid == MAIN ? PMCTOP : 1,
				       .uid = tid <= MAIN ? SWEEP_USER : 0,
				       .comm = tid == PMCTOP ? "pmctop" : "worker",
				       .args = "--number 7",
				       .cgroup = tid <= MAIN ? "/a/b" : NULL};
		for (size_t k = 0; k < SWEEP_KINDS; k++)
			spec.rates[kinds[k]] = rate_of(tid, k);
		fk_task(fk, &spec);
	}
	fk_file(fk, "/etc/passwd", "root:x:0:0::/:\nana:x:1000:1000::/:\n");
	fk_self_task(fk, PMCTOP);
	fk_switch(fk, 0, MAIN);
	fk_switch(fk, 2, OTHER);
	fk_ping_pong(fk, 1, PING, PONG, 1700 * NS_PER_US, 10000000);
	if (scene->runs)
		fk_ping_pong(fk, 3, PMCTOP, 0, 300 * NS_PER_US, 10000000);
	return fk;
}

static void run_interval(struct engine *engine, struct fk *fk, struct sweep_books *books,
			 struct sweep_outcome *outcome)
{
	uint64_t deadline_ns = fk_now(fk) + SWEEP_INTERVAL_NS;
	struct reply *answer;

	while (engine_wait(engine, deadline_ns) != 0)
		if ((answer = reply_pop(engine_replies(engine))))
			reply_free(answer);
	struct snapshot *snapshot = engine_snapshot(engine);
	check_snapshot(snapshot, books, outcome);
	snapshot_free(snapshot);
}

static void open_books(struct fk *fk, struct sweep_books *books)
{
	*books = (struct sweep_books){0};
	for (size_t t = 0; t < SWEEP_TIDS; t++) {
		books->begin_ns[t] = truth_of(fk, books, tids[t], FK_TASK_CLOCK);
		for (size_t k = 0; k < SWEEP_KINDS; k++)
			books->begin[t][k] = truth_of(fk, books, tids[t], kinds[k]);
	}
}

static void run_steps(const struct sweep_scene *scene, struct engine *engine, struct fk *fk,
		      struct faulty *faulty, struct sweep_books *books,
		      struct sweep_outcome *outcome)
{
	for (size_t i = 0; i < scene->n_steps; i++) {
		const struct sweep_step *step = &scene->steps[i];
		if (step->happen)
			step->happen(fk);
		if (step->disturb)
			step->disturb(fk, faulty);
		books->forked |= step->forked;
		for (size_t c = 0; c < ARRAY_SIZE(step->commands); c++)
			if (step->commands[c].kind || step->commands[c].text)
				send_request(engine, &step->commands[c]);
		if (step->query.kind || step->query.text)
			send_request(engine, &step->query);
		run_interval(engine, fk, books, outcome);
		check_books(fk, books, outcome);
	}
}

static void run_doctor(const struct sys *sys, struct sweep_outcome *outcome)
{
	struct doctor doctor;

	doctor_examine(sys, NULL, &doctor);
	if (!doctor.verdict[0])
		report_wrong(outcome, "no verdict");
	for (size_t i = 0; i < doctor.n; i++)
		if (!doctor.items[i].text || !doctor.items[i].text[0])
			report_wrong(outcome, "%s has no text", doctor.items[i].name);
	doctor_fini(&doctor);
}

void sweep_run(const struct sweep_scene *scene, struct faulty *faulty,
	       struct sweep_outcome *outcome)
{
	struct fk *fk = sweep_machine(scene);
	struct sys sys = faulty_sys(faulty);
	struct engine *engine = NULL;
	struct sweep_books books;
	struct error err = {0};

	*outcome = (struct sweep_outcome){0};
	faulty->to = fk_sys(fk);
	if (faulty->behind) {
		faulty->behind->to = faulty->to;
		faulty->to = faulty_sys(faulty->behind);
	}
	open_books(fk, &books);
	if (scene->prepare)
		scene->prepare(fk, faulty);
	if (scene->examine) {
		run_doctor(&sys, outcome);
	} else if (engine_new(&sys, &scene->config, &engine, &err) == 0) {
		run_steps(scene, engine, fk, faulty, &books, outcome);
		engine_free(engine);
	} else {
		outcome->refused = true;
		keep_note(outcome, err.text);
		if (engine || err.code >= 0)
			report_wrong(outcome, "refused with code %d", err.code);
	}
	if (fk_open_fds(fk) > 0)
		report_wrong(outcome, "%u descriptors stay open", fk_open_fds(fk));
	if (fk_mapped(fk) > 0)
		report_wrong(outcome, "%u rings stay mapped", fk_mapped(fk));
	fk_free(fk);
}

void sweep_compare(struct sweep_outcome *outcome, const struct sweep_outcome *sane,
		   enum faulty_op op, bool ever, int answer)
{
	/* A task that may not be counted is taken for another user's. Its row shows that. */
	bool another = op == FAULTY_PERF_OPEN && outcome->mode == COUNT_MODE_TASK &&
		       (answer == -EACCES || answer == -EPERM || (answer == -ESRCH && ever));
	/* So is a task that is missing in /proc. */
	another |= outcome->mode == COUNT_MODE_TASK &&
		   ((op == FAULTY_FILE_READ && (answer == -ESRCH || answer == -ENOENT)) ||
		    (op == FAULTY_DIR_EACH && (answer == FAULTY_EMPTY || answer == FAULTY_SHORT)));
	/* The kernel never cuts all its files short. */
	bool halves = op == FAULTY_FILE_READ && answer == FAULTY_SHORT && ever;

	/* Without ticks a task that never switches has no records; its CPU is shown so. */
	bool tickless = op == FAULTY_PERF_IOCTL && ever;
	const struct sweep_extent *was = &sane->extents[1];
	bool less = true;
	bool noted = false;

	for (size_t i = 0; i < outcome->n_notes; i++) {
		bool known = false;
		for (size_t k = 0; k < sane->n_notes; k++)
			known |= strcmp(outcome->notes[i], sane->notes[k]) == 0;
		noted |= !known;
	}
	for (size_t i = 0; i < 2; i++) {
		const struct sweep_extent *is = &outcome->extents[i];
		less &= is->n_valid < was->n_valid || (is->n_cpus < was->n_cpus && !tickless) ||
			is->n_threads < was->n_threads;
	}
	less |= outcome->mode != sane->mode;
	if (less && !noted && !outcome->refused && !another && !halves)
		report_wrong(outcome,
			     "less data without a note: %s, %zu of %zu columns, %zu of %zu CPUs, "
			     "%zu of %zu threads",
			     count_mode_name(outcome->mode), outcome->extents[1].n_valid,
			     was->n_valid, outcome->extents[1].n_cpus, was->n_cpus,
			     outcome->extents[1].n_threads, was->n_threads);
}

const char *sweep_answer_name(int answer)
{
	const char *name = answer < 0 ? strerrorname_np(-answer) : NULL;

	return name ? name : answer == FAULTY_EMPTY ? "nothing" : "half";
}
