// SPDX-License-Identifier: MIT
/*
 * The end of an interval. The counts of each task were computed from the switches. Counts that
 * switches do not have are read from the recorded tallies. The computed sums are compared with the
 * recorded ones.
 */
#include "core/replay/replay_native.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_MOST = 64 };

static void cut_cpus(struct replay_native *native)
{
	struct interval *interval = &native->state->interval;

	for (size_t i = 0; i < interval->n_cpus; i++)
		attrib_cut(native->state->attrib, i);
}

/* A copy of the computed tallies, restored if the recorded ones are invalid. */
static void keep_found(struct replay_native *native)
{
	const struct interval *interval = &native->state->interval;
	size_t width = tally_width(&interval->shape), cpus = interval->n_cpus * width;

	native->found = xreallocarray(native->found, 2 * cpus + width, sizeof(*native->found));
	native->found_counted = xreallocarray(native->found_counted, interval->n_cpus,
					      sizeof(*native->found_counted));
	memcpy(native->found, interval->cpus, cpus * sizeof(*native->found));
	memcpy(native->found + cpus, interval->idle, cpus * sizeof(*native->found));
	memcpy(native->found + 2 * cpus, interval->unattributed, width * sizeof(*native->found));
	for (size_t i = 0; i < interval->n_cpus; i++)
		native->found_counted[i] = interval->coverage[i].counted;
}

static void go_back(struct replay_native *native)
{
	struct interval *interval = &native->state->interval;
	size_t width = tally_width(&interval->shape), cpus = interval->n_cpus * width;

	memcpy(interval->cpus, native->found, cpus * sizeof(*native->found));
	memcpy(interval->idle, native->found + cpus, cpus * sizeof(*native->found));
	memcpy(interval->unattributed, native->found + 2 * cpus, width * sizeof(*native->found));
	for (size_t i = 0; i < interval->n_cpus; i++) {
		interval_set_counted(interval, i, native->found_counted[i]);
		interval_set_outside(interval, i, false);
	}
	memset(interval->others, 0, width * sizeof(*interval->others));
	memset(interval->totals, 0, width * sizeof(*interval->totals));
	interval_sum_parts(interval);
}

int native_parse_cut(struct replay_native *native, struct native_words *words)
{
	struct replay_state *state = native->state;

	if (native->cut || native->plan.plan || !state->columns)
		return -EBADMSG;
	state->sequence = native_word(words);
	state->time_ns = native_word(words);
	state->realtime_ns = native_word(words);
	state->length_ns = native_word(words);
	state->threads = (unsigned)native_number(words, UINT32_MAX);
	state->lost_records = native_word(words);
	state->threads_ran = native_word(words);
	state->threads_counted = native_word(words);
	native->flags = native_word(words);
	if (words->broken)
		return -EBADMSG;
	state->stub.now_ns = state->time_ns;
	state->stub.realtime_ns = state->realtime_ns;
	for (size_t i = 0; i < ARRAY_SIZE(native->listed); i++)
		native->listed[i].n = 0;
	native->task_values = 0;
	fact_table_clear(&state->facts);
	state->machine = (struct snapshot_machine){.known = {false}};
	native_clear_code(native);
	interval_set_offline(&state->interval);
	cut_cpus(native);
	keep_found(native);
	native->cut = true;
	return 0;
}

/* Task time: from the switches, or from /proc if the kernel did not report all switches. */
static bool is_clock(const struct replay_native *native, size_t at)
{
	const struct tally_shape *shape = &native->state->interval.shape;

	return at == TALLY_TASK_CLOCK || at >= tally_domain(shape, 0);
}

/* Of n recorded values those behind the first are estimates: used for what is not in slices. */
static void restore_estimates(const struct replay_native *native, const uint64_t *recorded,
			      size_t n, uint64_t *tally)
{
	size_t width = tally_recorded_width(&native->state->interval.shape);

	for (size_t i = width; i + 1 < n; i++)
		if (native->apart[i - width])
			tally[i] = recorded[i];
}

/* Recorded values are used. A difference to the computed ones is noted. */
static void restore_tally(struct replay_native *native, const uint64_t *recorded, size_t n,
			  bool clock, uint64_t *tally)
{
	size_t width = tally_recorded_width(&native->state->interval.shape);

	for (size_t i = 0; i < width; i++) {
		if (!native->apart[i] && (clock || !is_clock(native, i)) && tally[i] != recorded[i])
			native->differs = true;
		tally[i] = recorded[i];
	}
	restore_estimates(native, recorded, n, tally);
}

static int restore_cpu(struct replay_native *native, struct native_words *words, bool idle,
		       const uint64_t **facts)
{
	struct interval *interval = &native->state->interval;

	*facts = native_array(words, 6);
	if (!*facts || (*facts)[0] >= interval->n_cpus ||
	    interval->cpu_numbers[(*facts)[0]] != (int64_t)(*facts)[1])
		return -EBADMSG;
	size_t index = (*facts)[0];
	int64_t socket = (int64_t)(*facts)[2], node = (int64_t)(*facts)[3];
	if (idle)
		return 0;
	topology_set(&native->state->topology, interval->cpu_numbers[index],
		     socket >= -1 && socket <= INT32_MAX ? (int)socket : -1,
		     node >= -1 && node <= INT32_MAX ? (int)node : -1);
	interval_set_online(interval, index, (*facts)[4], false);
	bool counted = (*facts)[5] & NATIVE_CPU_COUNTED;
	native->differs |= interval->coverage[index].counted != counted;
	interval_set_counted(interval, index, counted);
	if ((*facts)[5] & NATIVE_CPU_GAPS)
		interval_mark_gaps(interval, index);
	interval_set_outside(interval, index, (*facts)[5] & NATIVE_CPU_OUTSIDE);
	uint64_t doubt_ns = (*facts)[5] >> NATIVE_CPU_DOUBT;
	/* The rest is doubt about gaps, which the records have. */
	uint64_t ticks_ns =
		u64_min(u64_growth(interval->coverage[index].gap_ns, doubt_ns), proc_tick_ns());
	interval_set_doubt(interval, index, doubt_ns, ticks_ns);
	return 0;
}

/* Values beside duty-cycle windows are not recorded: the values of the CPUs are used. */
static void restore_totals(const struct replay_native *native, const uint64_t *recorded, size_t n)
{
	struct interval *interval = &native->state->interval;
	size_t width = tally_recorded_width(&interval->shape);

	interval_sum_cpus(interval);
	memcpy(interval->totals, recorded, width * sizeof(*recorded));
	restore_estimates(native, recorded, n, interval->totals);
}

/* The task of a recorded tally. */
struct tally_task {
	pid_t pid, tid;
	uint64_t start_ns;
	uint64_t seen_ns; /* a time at which it had its tid */
};

/*
 * A task without a slice, which waited. Of two tasks with one tid the older may have ended in this
 * interval, without a record of its EXIT, and the younger may have a slice.
 */
static struct task *find_waiting(const struct replay_native *native, const struct tally_task *of)
{
	struct tasks *tasks = native->state->tasks;
	struct task *task =
		tasks_find_outside(tasks, of->tid, of->start_ns, native->state->interval.sequence);

	return task ? task : tasks_at(tasks, of->pid, of->tid, of->seen_ns);
}

/*
 * Values that slices do not have, in slot order. The tasks without a slice, which waited, are the
 * last ones.
 */
static void restore_task_values(struct replay_native *native, const struct tally_task *of,
				const uint64_t *recorded, size_t n)
{
	struct interval *interval = &native->state->interval;
	size_t width = tally_width(&interval->shape), slot = native->task_values++;
	size_t recorded_width = tally_recorded_width(&interval->shape);

	if (slot == interval->n_ran && of->tid > 0)
		interval_task(interval, find_waiting(native, of));
	if (slot >= interval->n_ran || interval->ran[slot]->tid != of->tid) {
		native->differs = true;
		return;
	}
	uint64_t *tally = interval->tallies + slot * width;
	for (size_t i = 0; i < recorded_width; i++)
		if (native->apart[i])
			tally[i] = recorded[i];
	restore_estimates(native, recorded, n, tally);
}

int native_parse_tally(struct replay_native *native, struct native_words *words)
{
	struct interval *interval = &native->state->interval;
	size_t width = tally_recorded_width(&interval->shape);
	uint64_t scope = native_word(words);
	const uint64_t *facts = NULL;
	int result = 0;
	struct tally_task task = {.seen_ns = native->state->time_ns};

	if (!native->cut)
		return -EBADMSG;
	if (scope == NATIVE_CPU || scope == NATIVE_IDLE)
		result = restore_cpu(native, words, scope == NATIVE_IDLE, &facts);
	if (scope == NATIVE_TASK_VALUES || scope == NATIVE_WAIT_VALUES) {
		task.pid = native_pid(words);
		task.tid = native_pid(words);
	}
	if (scope == NATIVE_WAIT_VALUES) {
		uint64_t begin_ns = u64_growth(native->state->length_ns, task.seen_ns);
		task.start_ns = native_word(words);
		task.seen_ns = task.start_ns > begin_ns ? task.start_ns : begin_ns;
	}
	if (result < 0)
		return -EBADMSG;
	uint64_t n = native_word(words);
	if (n != width && n != tally_width(&interval->shape))
		return -EBADMSG;
	const uint64_t *recorded = native_array(words, n);
	if (!recorded || words->broken)
		return -EBADMSG;
	if (scope == NATIVE_TOTALS)
		restore_totals(native, recorded, n);
	else if (scope == NATIVE_UNATTRIBUTED)
		restore_tally(native, recorded, n, false, interval->unattributed);
	else if (facts && scope == NATIVE_CPU)
		restore_tally(native, recorded, n, true, interval_cpu(interval, facts[0]));
	else if (facts && interval->coverage[facts[0]].outside)
		memcpy(interval_idle(interval, facts[0]), recorded, n * sizeof(*recorded));
	else if (facts)
		restore_tally(native, recorded, n, false, interval_idle(interval, facts[0]));
	else if (scope == NATIVE_TASK_VALUES || scope == NATIVE_WAIT_VALUES)
		restore_task_values(native, &task, recorded, n);
	return 0;
}

/* Returns whether the value at an index, or what it estimates, does not come from slices. */
static bool is_apart(const struct replay_native *native, size_t at)
{
	const struct tally_shape *shape = &native->state->interval.shape;
	size_t width = tally_recorded_width(shape);

	return at != tally_losses(shape) && native->apart[at < width ? at : at - width];
}

/* If tasks outside of the pid namespace ran, they have what is in no part. */
static void restore_others(const struct replay_native *native)
{
	struct interval *interval = &native->state->interval;
	bool outside = false;

	for (size_t i = 0; i < interval->n_cpus; i++)
		outside |= interval->coverage[i].outside;
	for (size_t i = 0; i < tally_unseen(&interval->shape) && outside; i++) {
		uint64_t parts = interval->unattributed[i] + interval_sum_tasks(interval, i);
		for (size_t cpu = 0; cpu < interval->n_cpus; cpu++)
			parts += interval_idle(interval, cpu)[i];
		if (!is_apart(native, i))
			interval->others[i] = u64_growth(parts, interval->totals[i]);
	}
}

/* Whether the computed sums equal the recorded ones, and the recorded parts their sum. */
static bool adds_up(const struct replay_native *native)
{
	const struct interval *interval = &native->state->interval;
	const struct tally_shape *shape = &interval->shape;
	size_t width = tally_width(shape);
	uint64_t *parts = xcalloc(width, sizeof(*parts)), *cpus = xcalloc(width, sizeof(*cpus));
	bool same = true, counted = false;

	tally_add(shape, parts, interval->unattributed);
	tally_add(shape, parts, interval->others);
	for (size_t i = 0; i < interval->n_ran; i++)
		tally_add(shape, parts, interval->tallies + i * width);
	for (size_t i = 0; i < interval->n_cpus; i++) {
		tally_add(shape, parts, interval_idle(interval, i));
		if (interval->coverage[i].counted)
			tally_add(shape, cpus, interval_cpu(interval, i));
		counted |= interval->coverage[i].counted;
	}
	for (size_t i = 0; i < width && same; i++) {
		bool apart = is_apart(native, i);
		/* The parts of a time from /proc may be less than its sum. */
		same = parts[i] == interval->totals[i] || (apart && i >= shape->n_counters);
		same &= cpus[i] == interval->totals[i] || !counted || apart;
	}
	free(parts);
	free(cpus);
	return same;
}

int native_parse_task(struct replay_native *native, struct native_words *words)
{
	struct task_facts facts = {0};

	facts.pid = native_pid(words);
	facts.tid = native_pid(words);
	facts.ppid = native_pid(words);
	facts.uid = (uid_t)native_number(words, UINT32_MAX);
	facts.start_ns = native_word(words);
	facts.interval = native->state->interval.sequence;
	uint64_t flags = native_word(words);
	char *comm = native_bytes(words), *user = native_bytes(words),
	     *cgroup = native_bytes(words), *cmdline = native_bytes(words);
	bool fine = !words->broken && native->cut && facts.tid > 0 && facts.pid >= 0;

	if (fine) {
		facts.zombie = flags & ROW_ZOMBIE;
		facts.exited = flags & ROW_EXITED && !facts.zombie;
		facts.kernel = flags & ROW_KERNEL;
		facts.lost = flags & ROW_LOST;
		facts.held_ms = u64_min(flags >> NATIVE_HELD_SHIFT, INT64_MAX / NS_PER_MS);
		facts.comm = comm;
		facts.cgroup = cgroup;
		facts.cmdline = cmdline;
		tasks_set_facts(native->state->tasks, &facts, native->state->time_ns);
		if (facts.uid != (uid_t)-1 && user[0])
			users_set_name(native->state->users, facts.uid, user);
	}
	free(comm);
	free(user);
	free(cgroup);
	free(cmdline);
	return fine ? 0 : -EBADMSG;
}

/* A part of a whole. */
static float parse_part(struct native_words *words)
{
	double part = native_double(words);

	words->broken |= !(part >= 0 && part <= 1);
	return words->broken ? 0 : (float)part;
}

/* The bounds of a part. */
static void parse_bounds(struct native_words *words, float *least, float *most)
{
	*least = parse_part(words);
	*most = parse_part(words);
	if (*least > *most)
		*least = *most;
}

int native_parse_before(struct replay_native *native, struct native_words *words)
{
	struct replay_state *state = native->state;
	struct task_was was = {.uid = (uid_t)-1};
	pid_t tid = native_pid(words);
	uint64_t start_ns = native_word(words);

	for (size_t i = 0; i < TASK_OWNERS; i++)
		parse_bounds(words, &was.least[i], &was.most[i]);
	was.uid = (uid_t)native_number(words, UINT32_MAX);
	char *comm = native_bytes(words), *user = native_bytes(words),
	     *cgroup = native_bytes(words);
	if (words->at < words->end)
		parse_bounds(words, &was.target_least, &was.target_most);
	bool fine = !words->broken && native->cut && tid > 0;
	struct task *task =
		fine ? tasks_find_in(state->tasks, tid, start_ns, state->interval.sequence) : NULL;

	was.comm = comm;
	was.cgroup = cgroup;
	if (task)
		tasks_set_before(state->tasks, task, &was);
	if (fine && was.uid != (uid_t)-1 && user[0])
		users_set_name(state->users, was.uid, user);
	free(comm);
	free(user);
	free(cgroup);
	return fine ? 0 : -EBADMSG;
}

static void parse_fact_entry(struct native_words *words, uint64_t wanted, struct fact_table *table)
{
	const enum figure_state worst = FIGURE_DENIED;
	uint64_t ids = native_word(words), states = native_word(words);
	pid_t pid = (pid_t)(uint32_t)ids, tid = (pid_t)(ids >> 32);
	const struct fact_entry *last = table->n > 0 ? &table->items[table->n - 1] : NULL;

	/* Processes are sorted. */
	words->broken |= pid <= 0 || tid < 0 || !native_is_pid(pid) || !native_is_pid(tid) ||
			 (tid == 0 && last && (last->tid != 0 || last->pid >= pid));
	if (words->broken)
		return;
	struct fact_entry *entry = fact_table_add(table, pid, tid);
	for (size_t i = 0; i < NATIVE_FACTS_MAX; i++) {
		if (!(wanted & 1u << i))
			continue;
		struct figure fact = {.state = (enum figure_state)(states & NATIVE_FACT_MASK)};
		words->broken |= fact.state > worst;
		states >>= NATIVE_FACT_BITS;
		if (figure_known(fact)) {
			fact.value = native_double(words);
			/* A state that is older than the interval. */
			fact.share = fact.state == FIGURE_SCALED ? 0 : 1;
		}
		if (i < FACTS)
			entry->facts[i] = fact;
	}
}

/* A later version may have more facts. */
int native_parse_facts(struct replay_native *native, struct native_words *words)
{
	struct fact_table *table = &native->state->facts;
	uint64_t wanted = native_number(words, (1u << NATIVE_FACTS_MAX) - 1);
	uint64_t n = native_number(words, (uint64_t)(words->end - words->at) / 2);

	for (uint64_t i = 0; i < n && !words->broken; i++)
		parse_fact_entry(words, wanted, table);
	if (words->broken || !native->cut)
		fact_table_clear(table);
	return words->broken || !native->cut ? -EBADMSG : 0;
}

static void parse_interrupts(struct native_words *words, struct snapshot_machine *machine)
{
	size_t n = native_number(words, MACHINE_INTERRUPTS);

	for (size_t i = 0; i < n; i++) {
		struct machine_interrupt *interrupt = &machine->interrupts[i];

		interrupt->cpu = (int)native_number(words, INT_MAX);
		interrupt->soft = native_number(words, 1);
		interrupt->percent = native_double(words);
		words->broken |= !(interrupt->percent >= 0 && interrupt->percent <= 100);
	}
	for (size_t i = 0; i < n; i++)
		native_text_to(words, machine->interrupts[i].name,
			       sizeof(machine->interrupts[i].name));
	machine->n_interrupts = words->broken ? 0 : n;
}

/* A later version may have more values, an earlier one has no interrupts. */
int native_parse_machine(struct replay_native *native, struct native_words *words)
{
	struct snapshot_machine *machine = &native->state->machine;
	uint64_t n = native_word(words);

	for (uint64_t i = 0; i < n && !words->broken; i++) {
		bool known = native_number(words, 1);
		double value = native_double(words);
		if (known && i < MACHINE_VALUES)
			machine_set(machine, (enum machine_value)i, value);
	}
	if (words->at < words->end)
		parse_interrupts(words, machine);
	return words->broken || !native->cut ? -EBADMSG : 0;
}

int native_parse_notes(struct replay_native *native, struct native_words *words)
{
	uint64_t n = native_number(words, NOTES_MOST);

	notes_fini(&native->state->notes);
	for (uint64_t i = 0; i < n && !words->broken; i++) {
		char *text = native_text(words);
		notes_add(&native->state->notes, "%s", text);
		free(text);
	}
	return words->broken ? -EBADMSG : 0;
}

int native_parse_target(struct replay_native *native, struct native_words *words)
{
	enum { EACH = 6 }; /* least number of words */
	size_t n = native_number(words, (size_t)(words->end - words->at) / EACH);

	if (words->broken)
		return -EBADMSG;
	native->roots = xreallocarray(native->roots, n + 1, sizeof(*native->roots));
	native->n_roots = n;
	for (size_t i = 0; i < n; i++) {
		struct target_root *root = &native->roots[i];
		*root = (struct target_root){.tid = native_pid(words)};
		root->pid = native_pid(words);
		root->process = native_word(words);
		root->ended_ns = native_word(words);
		root->uid = (uid_t)native_number(words, UINT32_MAX);
		words->broken |= root->tid <= 0 || root->pid < 0;
	}
	for (size_t i = 0; i < n; i++) {
		char *comm = native_bytes(words);
		text_copy(native->roots[i].comm, sizeof(native->roots[i].comm), comm);
		free(comm);
	}
	if (words->broken)
		native->n_roots = 0;
	return words->broken ? -EBADMSG : 0;
}

int native_parse_rows(struct replay_native *native, struct native_words *words)
{
	uint64_t listed = native_number(words, NATIVE_STILL);
	size_t n = native_number(words, 2 * (size_t)(words->end - words->at));
	const uint64_t *pairs = native_array(words, (n + 1) / 2);

	if (!pairs || words->broken || !native->cut)
		return -EBADMSG;
	struct native_tids *tids = &native->listed[listed];
	tids->items =
		array_reserve(tids->items, &tids->capacity, tids->n + n, sizeof(*tids->items));
	for (size_t i = 0; i < n; i++) {
		pid_t tid = (pid_t)(uint32_t)(pairs[i / 2] >> (i % 2 * 32));
		if (tid <= 0 || !native_is_pid(tid))
			return -EBADMSG;
		tids->items[tids->n++] = tid;
	}
	return 0;
}

/* Members of a target: tasks that ran, in slot order, then roots that did not. */
static void apply_target(struct replay_native *native)
{
	struct replay_state *state = native->state;
	const struct native_tids *ran = &native->listed[NATIVE_RAN],
				 *above = &native->listed[NATIVE_ABOVE];
	size_t at = 0;

	if (!(native->flags & NATIVE_TARGETED)) {
		if (!state->chosen)
			target_set_all(state->target);
		return;
	}
	state->chosen = false;
	target_set_roots(state->target, native->roots, native->n_roots);
	for (size_t i = 0; i < state->interval.n_ran && at < ran->n; i++)
		if (state->interval.ran[i]->tid == ran->items[at]) {
			target_add_member(state->target, state->interval.ran[i]);
			at++;
		}
	for (; at < ran->n; at++)
		target_add_member(state->target,
				  tasks_at(state->tasks, 0, ran->items[at], state->time_ns));
	for (size_t i = 0; i < above->n; i++)
		target_add_member(state->target,
				  tasks_at(state->tasks, 0, above->items[i], state->time_ns));
}

static void apply_still(struct replay_native *native)
{
	struct replay_state *state = native->state;
	const struct native_tids *still = &native->listed[NATIVE_STILL];

	native->still = array_reserve(native->still, &native->still_capacity, still->n,
				      sizeof(*native->still));
	for (size_t i = 0; i < still->n; i++)
		native->still[i] = tasks_at(state->tasks, 0, still->items[i], state->time_ns);
	for (size_t i = 0; i < still->n && (native->flags & NATIVE_TARGETED); i++)
		target_add_member(state->target, native->still[i]);
	state->still = native->still;
	state->n_still = still->n;
}

void native_end_cut(struct replay_native *native)
{
	struct replay_state *state = native->state;

	restore_others(native);
	if (!adds_up(native)) {
		native->differs = true;
		go_back(native);
	}
	state->uneven = 0;
	if (state->mode == COUNT_MODE_SYSTEM)
		state->uneven = interval_uneven(&state->interval, state->length_ns);
	apply_target(native);
	interval_set_uncounted(&state->interval, native->flags & NATIVE_UNCOUNTED);
	interval_set_still(&state->interval,
			   (struct interval_still){
				   .known = native->flags & NATIVE_STILL_KNOWN,
				   .blocked = native->flags & NATIVE_STILL_BLOCKED,
				   .sleeping = native->flags & NATIVE_STILL_SLEEPING,
			   });
	state->idle = native->flags & NATIVE_IDLE_ROWS;
	state->command_lines = native->flags & NATIVE_COMMAND_LINES;
	state->recorded_marks = true;
	apply_still(native);
	code_profile_free(state->code);
	state->code = native_end_code(native);
	if (native->differs)
		notes_add_urgent(&state->replay_notes,
				 "This replay differs from the live run: the recording is "
				 "incomplete, or another version of pmctop made it.");
	native->cut = false;
	native->complete = true;
	native->n_complete++;
}
