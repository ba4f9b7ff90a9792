// SPDX-License-Identifier: MIT
#include "core/wait/looks.h"

#include "core/base/util.h"

#include <errno.h>
#include <string.h>

/* A thread that was blocked, or in state D, for less than 1/N of the interval is not chosen. */
enum { BLOCKED_LEAST = 10, UNINTERRUPTIBLE_LEAST = 100 };

/* A look of two intervals ago. */
#define BLOCKED_LOOKS_LEAST 0.25

void looks_init(struct looks *looks, const struct sys *sys, const struct target *target,
		struct tasks *tasks)
{
	*looks = (struct looks){.sys = sys, .target = target, .tasks = tasks, .random = 1};
}

static void mark_chosen(struct looks *looks, bool chosen)
{
	for (size_t i = 0; i < looks->n; i++)
		looks->items[i].task->wait.looked = chosen ? (unsigned char)(i + 1) : 0;
}

void looks_begin(struct looks *looks, bool wanted)
{
	pid_t tid;

	mark_chosen(looks, false);
	looks->n = looks->by_d.n = looks->by_wakeups.n = 0;
	looks->wanted = wanted;
	if (!wanted || looks->begun)
		return;
	looks->begun = true;
	blocked_rights_init(&looks->rights, looks->sys);
	if (sys_self(looks->sys, &looks->pid, &tid) < 0)
		looks->pid = 0;
}

static enum look_count count_of(const struct blocked *blocked)
{
	bool settled = blocked_is_settled(blocked);

	switch (blocked_classify(blocked)) {
	case BLOCKED_LOCK:
		return LOOK_LOCK;
	case BLOCKED_FUTEX:
		return settled ? LOOK_FUTEX : LOOK_OPEN_FUTEX;
	case BLOCKED_DISK:
		return LOOK_DISK;
	case BLOCKED_PAGE:
		return settled ? LOOK_PAGE : LOOK_OPEN_PAGE;
	case BLOCKED_UNKNOWN:
		return settled ? LOOK_OTHER : LOOK_BLIND;
	case BLOCKED_NOT:
	case BLOCKED_SLEEP:
	case BLOCKED_VFORK:
	case BLOCKED_STOPPED:
	case BLOCKED_TRACED:
	case BLOCKED_FREEZER:
	case BLOCKED_IDLE:
	case BLOCKED_REASONS:
		break;
	}
	return LOOK_OTHER;
}

static void count_state(char state, double counts[LOOK_COUNTS])
{
	counts[LOOK_STATES] += state != '\0';
	counts[LOOK_D] += state == 'D';
	counts[LOOK_STOPPED] += state == 'T' || state == 't';
}

/* Whether a thread is known to wait for something else. Such threads take turns. */
static bool is_left_out(const struct looks *looks, size_t index)
{
	const double *counts = looks->items[index].counts;

	return counts[LOOK_BLOCKED] >= LOOKS_OTHER && counts[LOOK_D] == 0 &&
	       counts[LOOK_OTHER] + counts[LOOK_FUTEX] == counts[LOOK_BLOCKED] &&
	       (looks->turns + index) % LOOKS_SELDOM != 0;
}

static void look_at(struct looks *looks, size_t index)
{
	struct looked *looked = &looks->items[index];
	const struct task *task = looked->task;
	struct blocked blocked;

	if (looked->ended || is_left_out(looks, index))
		return;
	looks->looked++;
	int result = blocked_sample(looks->sys, &looks->rights, task->pid, looked->tid, &blocked);
	looked->ended = result == -ENOENT || result == -ESRCH;
	looked->counts[LOOK_TURNS] += !looked->ended;
	if (looked->ended || result == -ENODATA)
		return;
	looked->counts[LOOK_BLOCKED]++;
	count_state(blocked.state, looked->counts);
	looked->counts[result < 0 ? LOOK_BLIND : count_of(&blocked)]++;
}

static void expect_turn(struct looks *looks, uint64_t now_ns)
{
	looks->turned_ns = now_ns;
	looks->due_ns = now_ns + LOOKS_PAUSE_LEAST_NS +
			u64_random(&looks->random) % (LOOKS_PAUSE_MOST_NS - LOOKS_PAUSE_LEAST_NS);
}

void looks_turn(struct looks *looks, uint64_t now_ns)
{
	uint64_t most_ns = (now_ns - looks->turned_ns) / LOOKS_COST;

	looks->turns++;
	for (size_t i = 0; i < looks->n; i++) {
		look_at(looks, looks->next);
		looks->next = (looks->next + 1) % looks->n;
		if (sys_now_ns(looks->sys) - now_ns >= most_ns) {
			looks->stopped |= i + 1 < looks->n;
			break;
		}
	}
	expect_turn(looks, now_ns);
}

/*
 * Adds the looks that may have either of two reasons to those of the first, in the ratio of the
 * settled ones. Without these they are blind.
 */
static double share_open(double open, double first, double second, double *blind)
{
	if (first + second > 0)
		return first + open * first / (first + second);
	*blind += open;
	return 0;
}

bool look_parts_of(const double counts[LOOK_COUNTS], struct look_parts *parts)
{
	double blocked = counts[LOOK_BLOCKED], blind = counts[LOOK_BLIND], same = 0;
	double lock =
		share_open(counts[LOOK_OPEN_FUTEX], counts[LOOK_LOCK], counts[LOOK_FUTEX], &blind);
	double disk =
		share_open(counts[LOOK_OPEN_PAGE], counts[LOOK_DISK], counts[LOOK_PAGE], &blind);
	double page =
		share_open(counts[LOOK_OPEN_PAGE], counts[LOOK_PAGE], counts[LOOK_DISK], &same);

	if (counts[LOOK_TURNS] < LOOKS_LEAST || blocked < BLOCKED_LOOKS_LEAST ||
	    (blind >= blocked && counts[LOOK_STATES] == 0))
		return false;
	*parts = (struct look_parts){.lock = lock / blocked,
				     .disk = disk / blocked,
				     .paging = page / blocked,
				     .known = 1 - blind / blocked,
				     .uninterruptible = counts[LOOK_D] / blocked,
				     .stopped = counts[LOOK_STOPPED] / blocked,
				     .states = counts[LOOK_STATES] / blocked};
	return true;
}

bool looks_parts(const struct looks *looks, const struct task *task, struct look_parts *parts)
{
	size_t looked = task->wait.looked;

	return looked > 0 && look_parts_of(looks->items[looked - 1].counts, parts);
}

static void rank_task(struct look_ranking *ranking, struct task *task, pid_t tid, uint64_t weight)
{
	size_t at = ranking->n;

	if (at == LOOKS_MOST && weight <= ranking->items[--at].weight)
		return;
	for (; at > 0 && ranking->items[at - 1].weight < weight; at--)
		ranking->items[at] = ranking->items[at - 1];
	ranking->items[at].task = task;
	ranking->items[at].tid = tid ? tid : task->tid;
	ranking->items[at].weight = weight;
	ranking->n += ranking->n < LOOKS_MOST;
}

/* A kernel thread that wakes up often has waited for work. */
void looks_consider(struct looks *looks, struct task *task, const struct look_reasons *reasons)
{
	uint64_t whole_ns = reasons->lifetime_ns;
	bool often = !task->kernel && reasons->wakeups > 0 &&
		     reasons->blocked_ns > whole_ns / BLOCKED_LEAST;
	bool uninterruptible = reasons->uninterruptible_ns > whole_ns / UNINTERRUPTIBLE_LEAST;

	if (!looks->wanted || (!often && !uninterruptible) || task->pid <= 0 ||
	    task->pid == looks->pid || !target_has(looks->target, looks->tasks, task))
		return;
	if (uninterruptible)
		rank_task(&looks->by_d, task, reasons->tid, reasons->uninterruptible_ns);
	if (often)
		rank_task(&looks->by_wakeups, task, reasons->tid, reasons->wakeups);
}

static bool is_chosen(const struct looks *looks, const struct task *task)
{
	for (size_t i = 0; i < looks->n; i++)
		if (looks->items[i].task == task)
			return true;
	return false;
}

/* Adds the next tasks of a ranking until there are so many. `before`: those of this interval. */
static void choose_from(struct looks *looks, const struct look_ranking *ranking, size_t most,
			const struct looked *before)
{
	for (size_t i = 0; i < ranking->n && looks->n < most; i++) {
		struct task *task = ranking->items[i].task;
		struct looked looked = {.task = task, .tid = ranking->items[i].tid};
		if (is_chosen(looks, task))
			continue;
		for (size_t k = 0; task->wait.looked && k < LOOK_COUNTS; k++)
			looked.counts[k] = before[task->wait.looked - 1].counts[k] / 2;
		looks->items[looks->n++] = looked;
	}
}

/* How many threads the looks of an interval are enough for. */
static size_t affordable_threads(const struct looks *looks)
{
	size_t n = looks->looked / (2 * LOOKS_LEAST);

	return !looks->stopped || n > LOOKS_MOST ? LOOKS_MOST : n < LOOKS_FEW ? LOOKS_FEW : n;
}

void looks_choose(struct looks *looks, uint64_t now_ns)
{
	struct looked before[LOOKS_MOST];
	size_t n = looks->n, most = affordable_threads(looks);

	if (!looks->wanted)
		return;
	memcpy(before, looks->items, sizeof(before));
	looks->n = looks->next = 0;
	choose_from(looks, &looks->by_d, most / 2, before);
	choose_from(looks, &looks->by_wakeups, most, before);
	choose_from(looks, &looks->by_d, most, before);
	for (size_t i = 0; i < n; i++)
		before[i].task->wait.looked = 0;
	mark_chosen(looks, true);
	looks->by_d.n = looks->by_wakeups.n = 0;
	looks->looked = 0;
	looks->stopped = false;
	if (n == 0)
		expect_turn(looks, now_ns);
}

static void estimate_reasons(const struct look_parts *parts, double blocked, uint64_t known_ns,
			     struct wait_values *values)
{
	values->counts[WAIT_LOCK] = (uint64_t)(blocked * parts->lock);
	values->counts[WAIT_DISK] = (uint64_t)(blocked * parts->disk);
	values->counts[WAIT_PAGING] = (uint64_t)(blocked * parts->paging);
	values->known_ns[WAIT_OF_LOOKS] =
		u64_growth((uint64_t)(blocked * (1 - parts->known)), known_ns);
}

static void estimate_states(const struct look_parts *parts, double blocked, uint64_t known_ns,
			    struct wait_values *values)
{
	values->counts[WAIT_UNINTERRUPTIBLE] = (uint64_t)(blocked * parts->uninterruptible);
	values->counts[WAIT_STOPPED] = (uint64_t)(blocked * parts->stopped);
	values->known_ns[WAIT_OF_BOTH] = 0;
	values->estimated_ns[WAIT_OF_BOTH] =
		u64_growth((uint64_t)(blocked * (1 - parts->states)), known_ns);
}

void looks_estimate(const struct looks *looks, const struct task *task, bool by_state,
		    struct wait_values *values)
{
	uint64_t known_ns = values->known_ns[WAIT_OF_QUEUES] + values->estimated_ns[WAIT_OF_QUEUES];
	double blocked = (double)values->counts[WAIT_BLOCKED];
	struct look_parts parts;

	if (!looks_parts(looks, task, &parts))
		return;
	if (parts.known > 0)
		estimate_reasons(&parts, blocked, known_ns, values);
	if (by_state && parts.states > 0)
		estimate_states(&parts, blocked, known_ns, values);
}
