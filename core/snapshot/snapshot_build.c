// SPDX-License-Identifier: MIT
/*
 * Fills a snapshot from an interval after its cut. Rows are tasks that ran, then targets that did
 * not run, then some zombies, or all idle tasks if the user wants them. /proc and command lines are
 * read within a budget, so that a machine with many new tasks does not delay the snapshot.
 */
#include "core/snapshot/snapshot_build.h"

#include "core/base/util.h"
#include "core/event/event_wait.h"
#include "core/snapshot/run_proof.h"
#include "core/snapshot/target_part.h"
#include "core/wait/waits.h"

#include <stdlib.h>
#include <string.h>

/* Budget of tasks_refresh(): one known task per 2 ms of the interval, less than 1 % of a CPU. */
#define REFRESH_EVERY_NS (2 * NS_PER_MS)
/*
 * Users and cgroups are read of one task that ran per 500 us of the interval: 4 us each on a
 * virtual machine, less than 1 % of a CPU. If more tasks ran, those with little CPU time are read
 * in the turns of tasks_refresh() alone.
 */
#define MOVES_EVERY_NS (500 * NS_PER_US)
/* A smaller part of a task's time before a change makes no row of its own. */
#define NEGLIGIBLE 0.001f
/* Budget of run_proof_holds(): one file each, less than 1 % of a CPU. */
#define PROOF_EVERY_NS (2 * NS_PER_MS)
/*
 * Budget of command lines, one file each: 2 % of a CPU, until all are known. If a filter needs
 * them, rows are missing without them, so they may cost 10 %.
 */
#define CMDLINE_EVERY_NS (500 * NS_PER_US)
#define MATCHED_EVERY_NS (100 * NS_PER_US)
/*
 * On the screen they are an addition that costs next to nothing: 0.5 % of a CPU for tasks that ran,
 * at least so many files a refresh, and 0.1 % for other rows.
 */
#define SCREEN_EVERY_NS       (2 * NS_PER_MS)
#define SCREEN_STILL_EVERY_NS (10 * NS_PER_MS)
enum { SCREEN_LEAST = 32 };

/* State of filling rows. */
struct filling {
	const struct snapshot_source *source;
	struct snapshot *snapshot;
	unsigned budget;                                /* of tasks_refresh */
	struct cmdline_budget cmdlines, still_cmdlines; /* the latter for the screen alone */
	struct interval_gaps gaps;
	struct run_proofs proofs;
	struct cgroup_subjects cgroups;
	struct wait_places waits;
	size_t sleeping_capacity, cmdlines_capacity, befores_capacity;
	uint64_t cut;    /* of tasks_begin_cut() */
	bool turns;      /* some groups take turns */
	uint64_t *tally; /* of the task whose row is made, with estimates; owned */
};

/* How many command lines are read at the end of an interval. */
static unsigned cmdlines_in(enum command_lines why, uint64_t interval_ns)
{
	switch (why) {
	case COMMAND_LINES_NONE:
		break;
	case COMMAND_LINES_SHOWN:
		return 1 + (unsigned)(interval_ns / CMDLINE_EVERY_NS);
	case COMMAND_LINES_MATCHED:
		return 1 + (unsigned)(interval_ns / MATCHED_EVERY_NS);
	case COMMAND_LINES_SCREEN:
		return SCREEN_LEAST + (unsigned)(interval_ns / SCREEN_EVERY_NS);
	}
	return 0;
}

static const char *reference_cmdline(struct filling *filling, struct task *task)
{
	const struct snapshot_source *source = filling->source;
	struct snapshot *snapshot = filling->snapshot;
	bool ran = task->interval == source->interval->sequence;

	if (!source->command_lines)
		return NULL;
	bool slowly = source->command_lines == COMMAND_LINES_SCREEN && !ran;
	struct cmdline *cmdline =
		tasks_cmdline(source->tasks, task, ran, source->now_ns,
			      slowly ? &filling->still_cmdlines : &filling->cmdlines);
	/* It was read before an exec, and cannot be read again: another program's. */
	bool is_old =
		task->exit_ns && !task->recorded.known && task->exec_ns > task->cmdline.read_ns;
	if (!cmdline || is_old)
		return NULL;
	snapshot->cmdlines = array_reserve(snapshot->cmdlines, &filling->cmdlines_capacity,
					   snapshot->n_cmdlines + 1, sizeof(struct cmdline *));
	snapshot->cmdlines[snapshot->n_cmdlines++] = cmdline_ref(cmdline);
	return cmdline->text;
}

static struct run_counts counts_of(const struct interval *interval, const struct task *task)
{
	const uint64_t *tally = interval_tally(interval, task);

	return tally ? (struct run_counts){tally[TALLY_TASK_CLOCK], tally[TALLY_SWITCHES]}
		     : (struct run_counts){0};
}

/* A recording has the marks of its rows, as a replay has less to prove where a task was. */
static bool is_lost(struct filling *filling, struct task *task)
{
	const struct snapshot_source *source = filling->source;
	bool ran = task->interval == source->interval->sequence;
	const struct run_counts counted = counts_of(source->interval, task);

	if (task->zombie && counted.ns == 0)
		return false;
	if (source->recorded_marks && task->recorded.known && (ran || !source->chosen))
		return task->recorded.lost;
	if (interval_has_gaps(source->interval, &filling->gaps, task))
		return true;
	return interval_may_be_unseen(source->interval, &filling->gaps, task) &&
	       !run_proof_holds(&filling->proofs, task, &counted, filling->gaps.length_ns);
}

/* How long a task that did not run is in its state, if that is longer than the interval. */
static uint64_t held_ms(const struct filling *filling, const struct task *task)
{
	uint64_t now_ns = filling->source->now_ns;
	uint64_t interval_ns = filling->snapshot->interval_ns;

	if (task->recorded.known)
		return task->recorded.held_ms;
	uint64_t since_ns =
		task->zombie ? task->state.read_ns : waits_held_since(task, now_ns - interval_ns);
	uint64_t ns = since_ns > 0 ? u64_growth(since_ns, now_ns) : 0;
	return ns > interval_ns ? ns / NS_PER_MS : 0;
}

static void fill_row(struct filling *filling, struct task *task, struct row *row)
{
	const struct snapshot_source *source = filling->source;

	*row = (struct row){
		.pid = task->pid > 0 ? task->pid : task->tid,
		.tid = task->tid,
		.ppid = task->ppid,
		.uid = task->uid,
		.cgroup = cgroup_subjects_add(&filling->cgroups, filling->snapshot, task,
					      source->interval->sequence),
		.cmdline = reference_cmdline(filling, task),
		.start_ns = task->start_ns,
		.held_ms = held_ms(filling, task),
		.flags = (task->exit_ns || task->zombie ? ROW_EXITED : 0u) |
			 (task->zombie && !task->exit_ns ? ROW_ZOMBIE : 0u) |
			 (task->kernel ? ROW_KERNEL : 0u) |
			 (is_lost(filling, task) ? ROW_LOST : 0u),
	};
	memcpy(row->comm, task->comm, sizeof(row->comm));
	users_name(source->users, row->uid, row->user, sizeof(row->user));
}

/* Adds the ancestors of a task that are in the target, up to the first that has a row. */
static void add_sleeping(struct filling *filling, struct task *task)
{
	const struct snapshot_source *source = filling->source;
	struct snapshot *snapshot = filling->snapshot;
	uint64_t sequence = source->interval->sequence;
	struct task *above = tasks_above(source->tasks, task, source->now_ns);

	while ((task = above) != NULL) {
		if (task->interval == sequence || task->sleeping == sequence)
			return;
		if (!target_has(source->target, source->tasks, task))
			return;
		task->sleeping = sequence;
		snapshot->sleeping =
			array_reserve(snapshot->sleeping, &filling->sleeping_capacity,
				      snapshot->n_sleeping + 1, sizeof(*snapshot->sleeping));
		tasks_refresh(source->tasks, task, source->now_ns, &filling->budget);
		/* Before the row is filled: the refresh changes ppid if the parent has ended. */
		above = tasks_above(source->tasks, task, source->now_ns);
		fill_row(filling, task, &snapshot->sleeping[snapshot->n_sleeping++]);
	}
}

/* A task of -p or -t that did not run gets a row of its own, so it is not added as an ancestor. */
static void mark_sleeping_roots(const struct snapshot_source *source)
{
	uint64_t sequence = source->interval->sequence;
	size_t n;
	const struct target_root *roots = target_roots(source->target, &n);

	for (size_t i = 0; i < n; i++) {
		if (roots[i].ended_ns)
			continue;
		struct task *task =
			tasks_at(source->tasks, roots[i].pid, roots[i].tid, source->now_ns);
		if (roots[i].zombie)
			tasks_mark_zombie(source->tasks, task, source->now_ns);
		if (task->interval != sequence)
			task->sleeping = sequence;
	}
}

static void fill_ended_root(const struct filling *filling, const struct target_root *root,
			    struct row *row)
{
	*row = (struct row){
		.pid = root->pid,
		.tid = root->tid,
		.uid = root->uid,
		.cgroup = -1,
		.flags = ROW_EXITED,
	};
	memcpy(row->comm, root->comm, sizeof(row->comm));
	users_name(filling->source->users, row->uid, row->user, sizeof(row->user));
}

/* Known tasks that did not run. */
struct still_tasks {
	struct filling *filling;
	struct task **items;
	size_t n, capacity;
};

static int compare_pids(const void *a, const void *b)
{
	pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;

	return (left > right) - (left < right);
}

/* Returns the tids of the rows, and of those to come, ascending; the caller frees it. */
static pid_t *list_tids(const struct rows *rows, const struct still_tasks *still)
{
	pid_t *tids = xcalloc(rows->n + still->n, sizeof(*tids));

	for (size_t i = 0; i < rows->n; i++)
		tids[i] = rows->items[i].tid;
	for (size_t i = 0; i < still->n; i++)
		tids[rows->n + i] = still->items[i]->tid;
	if (rows->n + still->n > 0)
		qsort(tids, rows->n + still->n, sizeof(*tids), compare_pids);
	return tids;
}

/* Returns false if the task is not in the target: another user, another cgroup. */
static bool fill_root(struct filling *filling, const struct target_root *root, struct row *row)
{
	const struct snapshot_source *source = filling->source;

	if (root->ended_ns) {
		fill_ended_root(filling, root, row);
	} else {
		struct task *task = tasks_at(source->tasks, root->pid, root->tid, source->now_ns);
		if (!target_has(source->target, source->tasks, task))
			return false;
		fill_row(filling, task, row);
	}
	row->threads = 1;
	return true;
}

/* The times of waiting of a row without a slot. The totals do not have them. */
static void fill_waits(const struct filling *filling, size_t row, const struct wait_values *values)
{
	const struct columns *columns = filling->snapshot->columns;
	uint64_t *tally = rows_tally(columns, &filling->snapshot->threads, row);

	if (!filling->waits.any)
		return;
	/* Without facts, the rows of still tasks share a tally. */
	memset(tally, 0, tally_width(&columns->plan->shape) * sizeof(*tally));
	wait_values_add(&filling->waits, values, tally);
}

static void fill_remaining_roots(struct filling *filling, const struct still_tasks *still,
				 struct rows *rows)
{
	size_t n, n_rows = rows->n + still->n;
	const uint64_t interval_ns = filling->snapshot->interval_ns;
	const struct target_root *roots = target_roots(filling->source->target, &n);
	pid_t *tids = n > 0 ? list_tids(rows, still) : NULL;

	for (size_t i = 0; i < n; i++) {
		bool twice = i > 0 && roots[i].tid == roots[i - 1].tid; /* by -p, and by -t */
		if (twice || (n_rows > 0 &&
			      bsearch(&roots[i].tid, tids, n_rows, sizeof(*tids), compare_pids)))
			continue;
		if (!fill_root(filling, &roots[i], &rows->items[rows->n]))
			continue;
		if (!roots[i].ended_ns) /* what it waited for is unknown */
			fill_waits(filling, rows->n,
				   &(struct wait_values){.lifetime_ns = interval_ns});
		rows->n++;
	}
	free(tids);
}

/* The bounds of the part of a task's time that is before a change between two times. */
static void bound_before(uint64_t begin_ns, uint64_t end_ns, uint64_t since_ns, uint64_t until_ns,
			 uint64_t clock_ns, float *least, float *most)
{
	uint64_t length_ns = u64_growth(begin_ns, end_ns);
	uint64_t early_ns = u64_min(u64_growth(begin_ns, since_ns), length_ns);
	uint64_t late_ns = u64_min(u64_growth(begin_ns, until_ns), length_ns);

	/* A task that has only waited: its lifetime is divided. */
	if (clock_ns == 0)
		clock_ns = length_ns;
	if (clock_ns == 0)
		return;
	*least = (float)((double)u64_growth(length_ns - early_ns, clock_ns) / (double)clock_ns);
	*most = (float)((double)u64_min(late_ns, clock_ns) / (double)clock_ns);
	/* Its clock may have run longer than the interval, by a little. */
	if (*least > *most)
		*least = *most;
}

/*
 * Whether a change was in this interval. A task that started in it has the name that it got last:
 * most programs fork and exec.
 */
static bool is_of_interval(const struct filling *filling, const struct task *task,
			   enum task_owner owner)
{
	const struct task_before *before = task->before;
	uint64_t now_ns = filling->source->now_ns, until_ns = before->changes[owner].until_ns;
	uint64_t since_ns = before->changes[owner].since_ns;
	uint64_t begin_ns = u64_growth(filling->snapshot->interval_ns, now_ns);

	if (owner == TASK_OWNER_COMM)
		return until_ns > begin_ns && since_ns <= now_ns && task->start_ns <= begin_ns;
	return until_ns > 0 && before->changes[owner].cut == filling->cut;
}

/* Sets the bounds of the parts of a task's time before each change in this interval. */
static void find_changes(const struct filling *filling, const struct task *task, uint64_t clock_ns,
			 struct row_before *found)
{
	const struct snapshot_source *source = filling->source;
	const struct task_before *before = task->before;
	uint64_t begin_ns = u64_growth(filling->snapshot->interval_ns, source->now_ns);
	uint64_t end_ns = task->exit_ns ? u64_min(task->exit_ns, source->now_ns) : source->now_ns;

	*found = (struct row_before){.uid = (uid_t)-1, .cgroup = -1};
	/* Samples of a profile have no times that could be divided. */
	if (!before || columns_of_profile(filling->snapshot->columns))
		return;
	if (task->start_ns > begin_ns)
		begin_ns = task->start_ns;
	for (size_t i = 0; i < TASK_OWNERS; i++) {
		float *least = &found->parts[i].least, *most = &found->parts[i].most;

		if (before->changes[i].cut == filling->cut && before->changes[i].most > 0) {
			*least = before->changes[i].least;
			*most = before->changes[i].most;
		} else if (is_of_interval(filling, task, (enum task_owner)i)) {
			bound_before(begin_ns, end_ns, before->changes[i].since_ns,
				     before->changes[i].until_ns, clock_ns, least, most);
		}
		if (*most < NEGLIGIBLE)
			*least = *most = 0;
	}
	/* A recording has the part in its target. */
	if (before->target_cut == filling->cut) {
		found->target.least = before->target_least;
		found->target.most = before->target_most;
	}
}

/* Fills in what a task was before, if that has changed in this interval. */
static void fill_before(struct filling *filling, const struct task *task,
			const struct row_before *changes, struct row *row)
{
	const struct snapshot_source *source = filling->source;
	struct snapshot *snapshot = filling->snapshot;
	const struct task_before *before = task->before;
	struct row_before filled = *changes;
	bool changed = changes->target.most > 0;

	for (size_t i = 0; i < TASK_OWNERS; i++)
		changed |= filled.parts[i].most > 0;
	if (!changed)
		return;
	memcpy(filled.comm, before->comm, sizeof(filled.comm));
	filled.uid = before->uid;
	users_name(source->users, filled.uid, filled.user, sizeof(filled.user));
	if (filled.parts[TASK_OWNER_CGROUP].most > 0)
		filled.cgroup =
			cgroup_subjects_add_cgroup(&filling->cgroups, snapshot, before->cgroup);
	snapshot->befores = array_reserve(snapshot->befores, &filling->befores_capacity,
					  snapshot->n_befores + 1, sizeof(*snapshot->befores));
	snapshot->befores[snapshot->n_befores++] = filled;
	row->before = snapshot->n_befores;
}

/*
 * Divides the row of a task that was in the target for a part of its time: in the middle of the
 * bounds. The other part is added to `others`. A row that has left the target is as it was there.
 */
static void divide_row(struct filling *filling, const struct task *task,
		       const struct target_part *part, const uint64_t *tally, size_t at)
{
	const struct tally_shape *shape = &filling->source->interval->shape;
	struct snapshot *snapshot = filling->snapshot;
	struct row *row = &snapshot->threads.items[at];
	uint64_t *rest = xcalloc(tally_width(shape), sizeof(*rest));

	tally_divide(shape, tally, ((double)part->least + (double)part->most) / 2,
		     rows_tally(snapshot->columns, &snapshot->threads, at), rest);
	tally_add(shape, snapshot->others, rest);
	free(rest);
	row->doubt_ns = (uint64_t)(((double)part->most - (double)part->least) / 2 *
				   (double)tally[TALLY_TASK_CLOCK]);
	if (part->was_user) {
		row->uid = task->before->uid;
		users_name(filling->source->users, row->uid, row->user, sizeof(row->user));
	}
	if (part->was_cgroup)
		row->cgroup = cgroup_subjects_add_cgroup(&filling->cgroups, snapshot,
							 task->before->cgroup);
}

/*
 * The CPU time from which on a task that ran is read again. The tasks with so much time are not
 * more than the budget.
 */
static uint64_t least_moved_ns(const struct snapshot_source *source, uint64_t interval_ns)
{
	uint64_t budget = 1 + interval_ns / MOVES_EVERY_NS;

	return source->interval->n_ran <= budget ? 0
						 : source->interval->n_cpus * interval_ns / budget;
}

/* Times on CPUs add up to the row's, which may be a part of the task's. */
static void fill_places(const struct interval *interval, size_t slot, size_t row,
			struct snapshot *snapshot)
{
	const struct interval_place *place = &interval->last_places[slot];
	uint64_t of_row = rows_tally(snapshot->columns, &snapshot->threads, row)[TALLY_TASK_CLOCK];
	uint64_t left_ns =
		interval->tallies[slot * tally_width(&interval->shape) + TALLY_TASK_CLOCK] - of_row;

	if (place->cpu == INTERVAL_NOWHERE)
		return;
	for (;; place = &interval->places[place->next - 1]) {
		uint64_t less_ns = u64_min(left_ns, place->ns);
		left_ns -= less_ns;
		snapshot->places[snapshot->n_places++] = (struct snapshot_place){
			row, interval->cpu_numbers[place->cpu], place->ns - less_ns};
		if (!place->next)
			return;
	}
}

static void append_still(struct still_tasks *still, struct task *task)
{
	still->items =
		array_reserve(still->items, &still->capacity, still->n + 1, sizeof(struct task *));
	still->items[still->n++] = task;
}

static void append_still_if_wanted(void *arg, struct task *task)
{
	struct still_tasks *still = arg;
	const struct snapshot_source *source = still->filling->source;

	if (task->interval == source->interval->sequence)
		return;
	if (task->start_ns > source->now_ns) /* it begins in the next interval */
		return;
	if (!task->proc_is_read && still->filling->budget > 0) {
		still->filling->budget--;
		tasks_read_proc(source->tasks, task);
	}
	if (!target_has(source->target, source->tasks, task))
		return;
	append_still(still, task);
}

/*
 * Not the roots of the target, which have rows before, nor what may have run in this interval: a
 * scan of /proc does not have all of that.
 */
static void append_zombie(void *arg, struct task *task)
{
	struct still_tasks *still = arg;
	const struct snapshot_source *source = still->filling->source;
	uint64_t sequence = source->interval->sequence;

	if (still->n < SNAPSHOT_ZOMBIES && task->interval != sequence &&
	    task->sleeping != sequence && held_ms(still->filling, task) > 0 &&
	    target_has(source->target, source->tasks, task))
		append_still(still, task);
}

static void find_still(const struct snapshot_source *source, struct still_tasks *still)
{
	for (size_t i = 0; source->still && i < source->n_still; i++)
		if (target_has(source->target, source->tasks, source->still[i]))
			append_still(still, source->still[i]);
	if (source->still)
		return;
	if (source->idle)
		tasks_each(source->tasks, append_still_if_wanted, still);
	else
		tasks_each_zombie(source->tasks, append_zombie, still);
}

/*
 * What a task that did not run waited for. /proc alone shows a run by ticks, if it is short: such a
 * task is taken to be blocked.
 */
static struct wait_values still_waits(const struct filling *filling, const struct row *row)
{
	const struct interval *interval = filling->source->interval;
	const uint64_t interval_ns = filling->snapshot->interval_ns;
	struct wait_values values = {.lifetime_ns = interval_ns};

	if (row->flags & ROW_ZOMBIE)
		values.lifetime_ns = 0;
	else if (filling->snapshot->columns->plan->per_task)
		wait_values_unseen(interval_ns, &values);
	else if (interval->still.known)
		wait_values_still(interval_ns, interval->still.blocked, interval->still.sleeping,
				  &values);
	return values;
}

static void fill_still(struct filling *filling, const struct still_tasks *still, struct rows *rows)
{
	for (size_t i = 0; i < still->n; i++) {
		fill_row(filling, still->items[i], &rows->items[rows->n]);
		rows->items[rows->n].threads = 1;
		rows->n++;
	}
	rows->n_still = still->n;
	for (size_t i = rows->n - still->n; i < rows->n; i++) {
		const struct wait_values values = still_waits(filling, &rows->items[i]);

		fill_waits(filling, i, &values);
	}
}

/* The part of a task that ran that is in the target, and its changes in this interval. */
static struct target_part find_part(const struct filling *filling, size_t slot,
				    struct row_before *changes)
{
	const struct snapshot_source *source = filling->source;
	const struct interval *interval = source->interval;
	const uint64_t *tally = interval->tallies + slot * tally_width(&interval->shape);

	find_changes(filling, interval->ran[slot], tally[TALLY_TASK_CLOCK], changes);
	return target_part_find(source->target, source->tasks, interval->ran[slot], changes);
}

/* The tally of a task that ran, with estimates for the turns of other groups. Valid until the next.
 */
static const uint64_t *estimated_tally(struct filling *filling, size_t slot)
{
	const struct interval *interval = filling->source->interval;
	const struct plan *plan = filling->snapshot->columns->plan;
	size_t width = tally_width(&interval->shape);
	const uint64_t *tally = interval->tallies + slot * width;

	if (!filling->turns)
		return tally;
	memcpy(filling->tally, tally, width * sizeof(*tally));
	plan_estimate_turns(plan, filling->tally);
	plan_add_turns(plan, filling->tally, filling->snapshot->totals);
	return filling->tally;
}

/* Makes the row of a task that ran, or adds it to `others`. */
static void fill_ran(struct filling *filling, size_t slot)
{
	const struct snapshot_source *source = filling->source;
	const struct interval *interval = source->interval;
	struct snapshot *snapshot = filling->snapshot;
	struct rows *rows = &snapshot->threads;
	struct task *task = interval->ran[slot];
	size_t width = tally_width(&interval->shape);
	const uint64_t *tally = estimated_tally(filling, slot);
	struct row_before changes;

	const struct target_part part = find_part(filling, slot, &changes);
	if (part.most <= 0) {
		tally_add(&interval->shape, snapshot->others, tally);
		if (source->facts)
			fact_reader_miss(source->facts, source->tasks, source->now_ns, task);
		return;
	}
	struct row *row = &rows->items[rows->n];
	fill_row(filling, task, row);
	row->threads = 1;
	if (part.least < 1)
		divide_row(filling, task, &part, tally, rows->n);
	else
		memcpy(rows_tally(snapshot->columns, rows, rows->n), tally, width * sizeof(*tally));
	fill_before(filling, task, &changes, row);
	fill_places(interval, slot, rows->n, snapshot);
	rows->n++;
}

/* Where windows leave time out, or CPUs or groups are not counted, it is not known. */
static uint64_t most_unseen_ns(const struct interval *interval, const struct interval_gaps *gaps)
{
	for (size_t i = 0; i < interval->n_cpus; i++)
		if (interval->coverage[i].throttled)
			return 0;
	if (interval->uncounted || gaps->beside_ns > 0 || gaps->unknown_ns >= gaps->length_ns)
		return 0;
	return gaps->unknown_ns > 0 ? gaps->unknown_ns : 1;
}

/* Whether tallies have estimates for turns. The estimates of a profile are others. */
static bool has_turns(const struct columns *columns)
{
	return plan_most_turns(columns->plan) > 1 && !columns_of_profile(columns);
}

/* Makes the rows of the target. Other tasks are added to `others`. */
static void fill_rows(const struct snapshot_source *source, struct snapshot *snapshot)
{
	const struct interval *interval = source->interval;
	const struct columns *columns = snapshot->columns;
	struct rows *rows = &snapshot->threads;
	size_t width = tally_width(&interval->shape), n_roots;
	struct filling filling = {
		.source = source,
		.snapshot = snapshot,
		.gaps = interval_gaps(interval),
		.proofs = {.sys = source->facts ? source->facts->sys : NULL,
			   .sequence = interval->sequence,
			   .begin_ns = source->now_ns - snapshot->interval_ns,
			   .left = source->facts
					   ? 1 + (unsigned)(snapshot->interval_ns / PROOF_EVERY_NS)
					   : 0},
		.budget = 1 + (unsigned)(snapshot->interval_ns / REFRESH_EVERY_NS),
		.turns = has_turns(columns),
		.tally = xcalloc(width, sizeof(uint64_t)),
		.cmdlines.left = cmdlines_in(source->command_lines, snapshot->interval_ns),
		.still_cmdlines.left = (unsigned)(snapshot->interval_ns / SCREEN_STILL_EVERY_NS),
	};

	wait_places_find(&filling.waits, columns->plan, &columns->events);
	snapshot->places = xcalloc(interval->n_ran + interval->n_places, sizeof(*snapshot->places));
	filling.cut = tasks_begin_cut(source->tasks);
	mark_sleeping_roots(source);
	struct still_tasks still = {.filling = &filling};
	find_still(source, &still);
	target_roots(source->target, &n_roots);
	rows_init_still(columns, interval->n_ran + n_roots, still.n, rows);
	rows->n = rows->n_still = 0;
	uint64_t moved_ns = least_moved_ns(source, snapshot->interval_ns);
	struct row_before changes;
	/* Ancestors first: the refresh changes ppid if the parent has ended. */
	for (size_t i = 0; i < interval->n_ran; i++) {
		tasks_refresh(source->tasks, interval->ran[i], source->now_ns, &filling.budget);
		if (interval->tallies[i * width + TALLY_TASK_CLOCK] >= moved_ns)
			tasks_notice_move(source->tasks, interval->ran[i], source->now_ns);
		if (find_part(&filling, i, &changes).most > 0)
			add_sleeping(&filling, interval->ran[i]);
	}
	/* A finding names the parents that do not wait for them. */
	for (size_t i = 0; i < still.n; i++)
		if (still.items[i]->zombie)
			add_sleeping(&filling, still.items[i]);
	for (size_t i = 0; i < interval->n_ran; i++)
		fill_ran(&filling, i);
	fill_remaining_roots(&filling, &still, rows);
	fill_still(&filling, &still, rows);
	tasks_end_cut(source->tasks);
	snapshot->unread_cmdlines = filling.cmdlines.unread;
	snapshot->most_unseen_ns = most_unseen_ns(interval, &filling.gaps);
	free(still.items);
	free(filling.tally);
	cgroup_subjects_end(&filling.cgroups, source->cgroups, source->now_ns, snapshot);
	if (source->facts)
		fact_reader_read(source->facts, source->tasks, source->now_ns, snapshot);
	else if (source->recorded_facts)
		fact_table_fill(source->recorded_facts, snapshot);
	rows_evaluate(columns, snapshot_scope(snapshot), rows);
}

/* A CPU has its idle task, and the others, which are not known apart. */
static void estimate_cpu(const struct columns *columns, struct snapshot_cpu *cpu)
{
	uint64_t *busy = snapshot_busy_tally(columns, cpu->tally, cpu->idle);

	plan_estimate_turns(columns->plan, busy);
	plan_estimate_turns(columns->plan, cpu->idle);
	plan_clear_turns(columns->plan, cpu->tally);
	plan_add_turns(columns->plan, busy, cpu->tally);
	plan_add_turns(columns->plan, cpu->idle, cpu->tally);
	free(busy);
}

/* Estimates for turns in parts of the totals that are no tasks of the interval. */
static void estimate_part(struct snapshot *snapshot, uint64_t *part)
{
	if (!has_turns(snapshot->columns))
		return;
	plan_estimate_turns(snapshot->columns->plan, part);
	plan_add_turns(snapshot->columns->plan, part, snapshot->totals);
}

static void fill_idle(const struct interval *interval, struct snapshot *snapshot)
{
	size_t width = tally_width(&interval->shape);
	uint64_t *idle = xcalloc(width, sizeof(*idle));

	snapshot->idle = xcalloc(width, sizeof(*snapshot->idle));
	for (size_t i = 0; i < interval->n_cpus; i++) {
		memcpy(idle, interval_idle(interval, i), width * sizeof(*idle));
		estimate_part(snapshot, idle);
		tally_add(&interval->shape, snapshot->idle, idle);
	}
	free(idle);
}

static void fill_cpu(const struct snapshot_source *source, size_t index, struct snapshot *snapshot)
{
	const struct interval *interval = source->interval;
	const struct columns *columns = snapshot->columns;
	size_t bytes = tally_width(&interval->shape) * sizeof(uint64_t);
	struct snapshot_cpu *cpu = &snapshot->cpus[snapshot->n_cpus++];

	cpu->cpu = interval->cpu_numbers[index];
	const struct topology_cpu place =
		topology_find(source->topology, cpu->cpu, interval->coverage[index].online);
	cpu->socket = place.socket;
	cpu->node = place.node;
	pmu_set_cpu_type(source->pmus, cpu->cpu, cpu->type, sizeof(cpu->type));
	if (!interval->coverage[index].counted)
		return;
	cpu->cpus = 1;
	cpu->tally = memcpy(xmalloc(bytes), interval_cpu(interval, index), bytes);
	cpu->idle = memcpy(xmalloc(bytes), interval_idle(interval, index), bytes);
	if (has_turns(columns))
		estimate_cpu(columns, cpu);
	cpu->figures = xcalloc(columns->n_metrics, sizeof(struct figure));
	cpu->doubt_ns = interval->coverage[index].doubt_ns;
	cpu->ticks_ns = interval->coverage[index].ticks_ns;
	cpu->outside = interval->coverage[index].outside;
	const struct busy_part part = {.cpus = 1,
				       .tally = cpu->tally,
				       .idle = cpu->idle,
				       .doubt_ns = cpu->doubt_ns,
				       .outside = cpu->outside};
	snapshot_evaluate_busy(snapshot, &part, cpu->figures);
}

static void fill_cpus(const struct snapshot_source *source, struct snapshot *snapshot)
{
	const struct interval *interval = source->interval;
	size_t width = tally_width(&interval->shape), bytes = width * sizeof(uint64_t);
	struct busy_part all = {.machine = true};

	snapshot->cpus = xcalloc(interval->n_cpus, sizeof(*snapshot->cpus));
	fill_idle(interval, snapshot);
	snapshot->unattributed = memcpy(xmalloc(bytes), interval->unattributed, bytes);
	estimate_part(snapshot, snapshot->unattributed);
	snapshot->figures = xcalloc(snapshot->columns->n_metrics, sizeof(struct figure));
	for (size_t i = 0; i < interval->n_cpus; i++) {
		all.cpus += interval->coverage[i].counted;
		all.doubt_ns += interval->coverage[i].doubt_ns;
		all.outside |= interval->coverage[i].outside;
		if (interval->coverage[i].online || interval->coverage[i].counted)
			fill_cpu(source, i, snapshot);
	}
	all.tally = snapshot->totals;
	all.idle = snapshot->idle;
	snapshot_evaluate_busy(snapshot, &all, snapshot->figures);
}

static void set_notes(struct snapshot *snapshot, const struct snapshot_facts *facts)
{
	struct notes notes = {0};

	notes_add_all(&notes, facts->notes);
	if (facts->recorded_notes)
		notes_add_all(&notes, facts->recorded_notes);
	snapshot->notes = xcalloc(notes.n, sizeof(char *));
	for (size_t i = 0; i < notes.n; i++)
		snapshot->notes[snapshot->n_notes++] = xstrdup(notes.items[i].text);
	notes_fini(&notes);
}

void snapshot_set_facts(struct snapshot *snapshot, const struct snapshot_facts *facts)
{
	snapshot->sequence = facts->sequence;
	snapshot->time_ns = facts->time_ns;
	snapshot->realtime_ns = facts->realtime_ns;
	snapshot->whole = facts->whole;
	text_copy(snapshot->host, sizeof(snapshot->host), facts->host);
	text_copy(snapshot->pmu, sizeof(snapshot->pmu), facts->pmu);
	snapshot->mode = facts->mode;
	snapshot->machine = *facts->machine;
	snapshot->cost = facts->cost;
	snapshot->lost_records = facts->lost_records;
	snapshot->windowed_cpus = facts->windowed_cpus;
	snapshot->tasks = facts->tasks;
	snapshot->threads_ran = facts->threads_ran;
	snapshot->threads_counted = facts->threads_counted;
	snapshot->code = facts->code;
	set_notes(snapshot, facts);
	notes_expire(facts->notes);
}

struct snapshot *snapshot_build(const struct snapshot_source *source, uint64_t interval_ns)
{
	struct snapshot *snapshot = xcalloc(1, sizeof(*snapshot));
	size_t width = tally_width(&source->interval->shape);

	snapshot->columns = columns_ref(source->columns);
	snapshot->command_lines = source->command_lines;
	snapshot->interval_ns = interval_ns;
	snapshot->uneven = source->uneven;
	snapshot->others = memcpy(xmalloc(width * sizeof(uint64_t)), source->interval->others,
				  width * sizeof(uint64_t));
	/* Before the rows: their shares are of the totals. */
	snapshot->totals = memcpy(xmalloc(width * sizeof(uint64_t)), source->interval->totals,
				  width * sizeof(uint64_t));
	if (has_turns(snapshot->columns))
		plan_clear_turns(snapshot->columns->plan, snapshot->totals);
	estimate_part(snapshot, snapshot->others);
	fill_rows(source, snapshot);
	snapshot->targeted = !target_is_all(source->target);
	target_describe(source->target, source->users, &snapshot->target_text);
	snapshot->ended = target_has_ended(source->target);
	snapshot_set_target(snapshot);
	fill_cpus(source, snapshot);
	if (source->watch && (source->watch->pid || source->watch->tid)) {
		snapshot->waits = xmalloc(sizeof(*snapshot->waits));
		*snapshot->waits = *source->watch;
	}
	return snapshot;
}
