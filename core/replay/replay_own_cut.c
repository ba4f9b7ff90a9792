// SPDX-License-Identifier: MIT
/*
 * An interval's end: who did what has been found again out of the switches by then. What these do
 * not tell is taken from what was written down, and held against it.
 */
#include "core/replay/replay_own.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_MOST = 64 };

static void cut_cpus(struct replay_own *own)
{
	struct interval *interval = &own->part->interval;

	for (size_t i = 0; i < interval->n_cpus; i++)
		attrib_cut(own->part->attrib, i);
}

/* What was found again, to go back to where what was written down makes no sense. */
static void keep_found(struct replay_own *own)
{
	const struct interval *interval = &own->part->interval;
	size_t width = tally_width(&interval->shape), cpus = interval->n_cpus * width;

	own->found = xreallocarray(own->found, 2 * cpus + width, sizeof(*own->found));
	own->found_counted =
		xreallocarray(own->found_counted, interval->n_cpus, sizeof(*own->found_counted));
	memcpy(own->found, interval->cpus, cpus * sizeof(*own->found));
	memcpy(own->found + cpus, interval->idle, cpus * sizeof(*own->found));
	memcpy(own->found + 2 * cpus, interval->unattributed, width * sizeof(*own->found));
	memcpy(own->found_counted, interval->cpu_counted,
	       interval->n_cpus * sizeof(*own->found_counted));
}

static void go_back(struct replay_own *own)
{
	struct interval *interval = &own->part->interval;
	size_t width = tally_width(&interval->shape), cpus = interval->n_cpus * width;

	memcpy(interval->cpus, own->found, cpus * sizeof(*own->found));
	memcpy(interval->idle, own->found + cpus, cpus * sizeof(*own->found));
	memcpy(interval->unattributed, own->found + 2 * cpus, width * sizeof(*own->found));
	memcpy(interval->cpu_counted, own->found_counted,
	       interval->n_cpus * sizeof(*own->found_counted));
	memset(interval->totals, 0, width * sizeof(*interval->totals));
	interval_sum_parts(interval);
}

int own_take_cut(struct replay_own *own, struct own_words *words)
{
	struct replay_part *part = own->part;

	if (own->cut || own->plan.plan || !part->columns)
		return -EBADMSG;
	part->sequence = own_word(words);
	part->time_ns = own_word(words);
	part->realtime_ns = own_word(words);
	part->length_ns = own_word(words);
	part->threads = (unsigned)own_number(words, UINT32_MAX);
	part->lost_records = own_word(words);
	part->threads_ran = own_word(words);
	part->threads_counted = own_word(words);
	own->flags = own_word(words);
	if (words->broken)
		return -EBADMSG;
	own->realtime_off_ns = part->realtime_ns - part->time_ns;
	part->nowhere.now_ns = part->time_ns;
	part->nowhere.realtime_ns = part->realtime_ns;
	for (size_t i = 0; i < ARRAY_SIZE(own->listed); i++)
		own->listed[i].n = 0;
	own->task_times = 0;
	memset(part->interval.cpu_online, 0,
	       part->interval.n_cpus * sizeof(*part->interval.cpu_online));
	cut_cpus(own);
	keep_found(own);
	own->cut = true;
	return 0;
}

/* ---- tallies */

/* By the switches or, where the kernel was silent about some, by /proc. */
static bool is_clock(const struct replay_own *own, size_t at)
{
	const struct tally_shape *shape = &own->part->interval.shape;

	return at == TALLY_TASK_CLOCK || at >= tally_domain(shape, 0);
}

/* What was written down is what counts; that it is the same is what a recording is good for. */
static void take_tally(struct replay_own *own, const uint64_t *told, bool clock, uint64_t *tally)
{
	size_t width = tally_recorded_width(&own->part->interval.shape);

	for (size_t i = 0; i < width; i++) {
		if (!own->apart[i] && (clock || !is_clock(own, i)) && tally[i] != told[i])
			own->differs = true;
		tally[i] = told[i];
	}
}

static int take_cpu(struct replay_own *own, struct own_words *words, bool idle,
		    const uint64_t **facts)
{
	struct interval *interval = &own->part->interval;

	*facts = own_array(words, 6);
	if (!*facts || (*facts)[0] >= interval->n_cpus ||
	    interval->cpu_numbers[(*facts)[0]] != (int64_t)(*facts)[1])
		return -EBADMSG;
	size_t index = (*facts)[0];
	int64_t socket = (int64_t)(*facts)[2], node = (int64_t)(*facts)[3];
	if (idle)
		return 0;
	topology_tell(&own->part->topology, interval->cpu_numbers[index],
		      socket >= -1 && socket <= INT32_MAX ? (int)socket : -1,
		      node >= -1 && node <= INT32_MAX ? (int)node : -1);
	interval->cpu_online[index] = (*facts)[4];
	bool counted = (*facts)[5] & OWN_CPU_COUNTED;
	own->differs |= interval->cpu_counted[index] != counted;
	interval->cpu_counted[index] = counted;
	interval->cpu_gaps[index] |= ((*facts)[5] & OWN_CPU_GAPS) != 0;
	return 0;
}

/* What stands beside windows is not written down: it is what the CPUs were found to have. */
static void take_totals(struct interval *interval, const uint64_t *told)
{
	size_t width = tally_recorded_width(&interval->shape);

	interval_sum_cpus(interval);
	memcpy(interval->totals, told, width * sizeof(*told));
}

/* In the order of the slots, as they were; of events that only /proc tells of. */
static void take_task_time(struct replay_own *own, pid_t tid, const uint64_t *told)
{
	struct interval *interval = &own->part->interval;
	size_t width = tally_width(&interval->shape), slot = own->task_times++;
	size_t told_width = tally_recorded_width(&interval->shape);

	if (slot >= interval->n_ran || interval->ran[slot]->tid != tid) {
		own->differs = true;
		return;
	}
	for (size_t i = 0; i < told_width; i++)
		if (own->apart[i])
			interval->tallies[slot * width + i] = told[i];
}

int own_take_tally(struct replay_own *own, struct own_words *words)
{
	struct interval *interval = &own->part->interval;
	size_t width = tally_recorded_width(&interval->shape);
	uint64_t scope = own_word(words);
	const uint64_t *facts = NULL;
	int result = 0;
	pid_t tid = 0;

	if (!own->cut)
		return -EBADMSG;
	if (scope == OWN_CPU || scope == OWN_IDLE)
		result = take_cpu(own, words, scope == OWN_IDLE, &facts);
	if (scope == OWN_TASK_TIME) {
		own_pid(words);
		tid = own_pid(words);
	}
	if (result < 0 || own_word(words) != width)
		return -EBADMSG;
	const uint64_t *told = own_array(words, width);
	if (!told || words->broken)
		return -EBADMSG;
	if (scope == OWN_TOTALS)
		take_totals(interval, told);
	else if (scope == OWN_UNATTRIBUTED)
		take_tally(own, told, false, interval->unattributed);
	else if (facts && scope == OWN_CPU)
		take_tally(own, told, true, interval_cpu(interval, facts[0]));
	else if (facts)
		take_tally(own, told, false, interval_idle(interval, facts[0]));
	else if (scope == OWN_TASK_TIME)
		take_task_time(own, tid, told);
	return 0;
}

/* Whether all that was found again adds up to what was written down, and that to itself. */
static bool adds_up(const struct replay_own *own)
{
	const struct interval *interval = &own->part->interval;
	const struct tally_shape *shape = &interval->shape;
	size_t width = tally_width(shape);
	uint64_t *parts = xcalloc(width, sizeof(*parts)), *cpus = xcalloc(width, sizeof(*cpus));
	bool same = true, counted = false;

	tally_add(shape, parts, interval->unattributed);
	for (size_t i = 0; i < interval->n_ran; i++)
		tally_add(shape, parts, interval->tallies + i * width);
	for (size_t i = 0; i < interval->n_cpus; i++) {
		tally_add(shape, parts, interval_idle(interval, i));
		if (interval->cpu_counted[i])
			tally_add(shape, cpus, interval_cpu(interval, i));
		counted |= interval->cpu_counted[i];
	}
	for (size_t i = 0; i < width && same; i++) {
		/* Of the time that /proc tells of the parts need not be all. */
		same = parts[i] == interval->totals[i] || (own->apart[i] && i >= shape->n_counters);
		same &= cpus[i] == interval->totals[i] || !counted || own->apart[i];
	}
	free(parts);
	free(cpus);
	return same;
}

/* ---- who they are */

int own_take_task(struct replay_own *own, struct own_words *words)
{
	struct task_facts facts = {0};

	facts.pid = own_pid(words);
	facts.tid = own_pid(words);
	facts.ppid = own_pid(words);
	facts.uid = (uid_t)own_number(words, UINT32_MAX);
	facts.start_ns = own_word(words);
	uint64_t flags = own_word(words);
	char *comm = own_bytes(words), *user = own_bytes(words), *cgroup = own_bytes(words),
	     *cmdline = own_bytes(words);
	bool fine = !words->broken && own->cut && facts.tid > 0 && facts.pid >= 0;

	if (fine) {
		facts.exited = flags & ROW_EXITED;
		facts.kernel = flags & ROW_KERNEL;
		facts.comm = comm;
		facts.cgroup = cgroup;
		facts.cmdline = cmdline;
		tasks_tell(own->part->tasks, &facts, own->part->time_ns);
		if (facts.uid != (uid_t)-1 && user[0])
			users_tell(own->part->users, facts.uid, user);
	}
	free(comm);
	free(user);
	free(cgroup);
	free(cmdline);
	return fine ? 0 : -EBADMSG;
}

int own_take_notes(struct replay_own *own, struct own_words *words)
{
	uint64_t n = own_number(words, NOTES_MOST);

	notes_fini(&own->part->notes);
	for (uint64_t i = 0; i < n && !words->broken; i++) {
		char *text = own_text(words);
		notes_add(&own->part->notes, "%s", text);
		free(text);
	}
	return words->broken ? -EBADMSG : 0;
}

int own_take_target(struct replay_own *own, struct own_words *words)
{
	enum { EACH = 6 }; /* words at least */
	size_t n = own_number(words, (size_t)(words->end - words->at) / EACH);

	if (words->broken)
		return -EBADMSG;
	own->roots = xreallocarray(own->roots, n + 1, sizeof(*own->roots));
	own->n_roots = n;
	for (size_t i = 0; i < n; i++) {
		struct target_root *root = &own->roots[i];
		*root = (struct target_root){.tid = own_pid(words)};
		root->pid = own_pid(words);
		root->whole = own_word(words);
		root->ended_ns = own_word(words);
		root->uid = (uid_t)own_number(words, UINT32_MAX);
		words->broken |= root->tid <= 0 || root->pid < 0;
	}
	for (size_t i = 0; i < n; i++) {
		char *comm = own_bytes(words);
		text_copy(own->roots[i].comm, sizeof(own->roots[i].comm), comm);
		free(comm);
	}
	if (words->broken)
		own->n_roots = 0;
	return words->broken ? -EBADMSG : 0;
}

int own_take_rows(struct replay_own *own, struct own_words *words)
{
	uint64_t listed = own_number(words, OWN_STILL);
	size_t n = own_number(words, 2 * (size_t)(words->end - words->at));
	const uint64_t *pairs = own_array(words, (n + 1) / 2);

	if (!pairs || words->broken || !own->cut)
		return -EBADMSG;
	struct own_tids *tids = &own->listed[listed];
	tids->items =
		array_reserve(tids->items, &tids->capacity, tids->n + n, sizeof(*tids->items));
	for (size_t i = 0; i < n; i++) {
		pid_t tid = (pid_t)(uint32_t)(pairs[i / 2] >> (i % 2 * 32));
		if (tid <= 0 || !own_is_pid(tid))
			return -EBADMSG;
		tids->items[tids->n++] = tid;
	}
	return 0;
}

/* Of a target: those that ran in the order of their slots, then roots that did not. */
static void tell_target(struct replay_own *own)
{
	struct replay_part *part = own->part;
	const struct own_tids *ran = &own->listed[OWN_RAN], *above = &own->listed[OWN_ABOVE];
	size_t at = 0;

	if (!(own->flags & OWN_TARGETED)) {
		if (!part->chosen)
			target_tell_all(part->target);
		return;
	}
	part->chosen = false;
	target_tell(part->target, own->roots, own->n_roots);
	for (size_t i = 0; i < part->interval.n_ran && at < ran->n; i++)
		if (part->interval.ran[i]->tid == ran->items[at]) {
			target_tell_has(part->target, part->interval.ran[i]);
			at++;
		}
	for (; at < ran->n; at++)
		target_tell_has(part->target,
				tasks_at(part->tasks, 0, ran->items[at], part->time_ns));
	for (size_t i = 0; i < above->n; i++)
		target_tell_has(part->target,
				tasks_at(part->tasks, 0, above->items[i], part->time_ns));
}

static void tell_still(struct replay_own *own)
{
	struct replay_part *part = own->part;
	const struct own_tids *still = &own->listed[OWN_STILL];

	own->still = array_reserve(own->still, &own->still_capacity, still->n, sizeof(*own->still));
	for (size_t i = 0; i < still->n; i++)
		own->still[i] = tasks_at(part->tasks, 0, still->items[i], part->time_ns);
	for (size_t i = 0; i < still->n && (own->flags & OWN_TARGETED); i++)
		target_tell_has(part->target, own->still[i]);
	part->still = own->still;
	part->n_still = still->n;
}

void own_end_cut(struct replay_own *own)
{
	struct replay_part *part = own->part;

	if (!adds_up(own)) {
		own->differs = true;
		go_back(own);
	}
	part->uneven = 0;
	if (strcmp(part->mode, "system") == 0)
		part->uneven = interval_uneven(&part->interval, part->length_ns);
	tell_target(own);
	part->idle = own->flags & OWN_IDLE_ROWS;
	part->command_lines = own->flags & OWN_COMMAND_LINES;
	tell_still(own);
	if (own->differs)
		notes_add_urgent(&part->said,
				 "This replay is not what was shown live: the recording lacks "
				 "something, or another version of pmctop made it.");
	own->cut = false;
	own->whole = true;
	own->n_whole++;
}
