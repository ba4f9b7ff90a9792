// SPDX-License-Identifier: MIT
/*
 * Which threads have events changes with each interval, the rings stay. A thread that is sampled
 * keeps its events unless another one ran twice as long, and while it is idle as long as there is
 * room: opening costs more than an idle event. An event on a CPU that goes offline needs no care,
 * since events of threads outlive that.
 */
#include "core/collect/task_sampler.h"

#include "core/base/error.h"
#include "core/base/util.h"
#include "core/event/tally.h"
#include "core/sys/cpus.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCK, FAULTS }; /* indices of the sampled events */

enum {
	/* Half of it has 0.5 s of samples with long chains. Users may lock 512 KiB a CPU. */
	RING_BYTES_MAX = 128 << 10,
	RING_BYTES_MIN = 16 << 10,
	RINGS_BYTES = 16 << 20, /* of all CPUs together */
	FDS_SHARE = 2,          /* of the free descriptors at most one of so many */
};

void task_sampler_init(struct task_sampler *sampler, const struct sys *sys,
		       const struct proc_scan *proc_scan, const struct target *target,
		       const struct event_set *events, struct notes *notes, bool user_only)
{
	*sampler = (struct task_sampler){
		.proc_scan = proc_scan,
		.target = target,
		.user_only = user_only,
		.set = events,
	};
	code_rings_init(&sampler->rings, sys, notes);
}

static void close_all(struct task_sampler *sampler)
{
	code_rings_close(&sampler->rings, NULL);
	sampler->n_threads = 0;
}

void task_sampler_fini(struct task_sampler *sampler)
{
	close_all(sampler);
	code_rings_fini(&sampler->rings);
}

static unsigned index_of(const struct event_set *events, const char *name)
{
	int index = event_set_find(events, name);

	return index < 0 ? UINT_MAX : (unsigned)index;
}

static void name_events(struct task_sampler *sampler)
{
	const char *const names[TASK_SAMPLER_EVENTS] = {
		[CLOCK] = sampler->user_only ? "cpu-clock:u" : "cpu-clock",
		[FAULTS] = sampler->user_only ? "page-faults:u" : "page-faults",
	};

	for (size_t i = 0; i < TASK_SAMPLER_EVENTS; i++)
		text_copy(sampler->events[i].name, sizeof(sampler->events[i].name), names[i]);
	sampler->events[CLOCK].counted =
		sampler->user_only ? index_of(sampler->set, "user_time") : TALLY_TASK_CLOCK;
	sampler->events[FAULTS].counted = index_of(sampler->set, "page-faults");
}

/* The time that the sampled threads ran in the last interval. */
static uint64_t sampled_ns(const struct task_sampler *sampler)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < sampler->n_threads; i++) {
		const struct proc_scan_entry *entry =
			proc_scan_find(sampler->proc_scan, sampler->threads[i]);
		ns += entry ? entry->grown.ran_ns : 0;
	}
	return ns;
}

static void choose_periods(struct task_sampler *sampler, bool begins)
{
	struct code_rings *rings = &sampler->rings;
	uint64_t faults = code_rings_reset_event(rings, FAULTS);
	const uint64_t periods[TASK_SAMPLER_EVENTS] = {
		[CLOCK] = NS_PER_S / rings->rate.hz,
		[FAULTS] = begins ? CODE_FAULTS_PERIOD
				  : code_rate_faults_period(&rings->rate, sampler->periods[FAULTS],
							    faults, sampled_ns(sampler)),
	};

	for (unsigned k = 0; k < TASK_SAMPLER_EVENTS; k++) {
		if (periods[k] != sampler->periods[k])
			code_rings_set_period(rings, k, periods[k]);
		sampler->periods[k] = periods[k];
	}
}

static bool is_sampled(const struct task_sampler *sampler, pid_t tid)
{
	for (size_t i = 0; i < sampler->n_threads; i++)
		if (sampler->threads[i] == tid)
			return true;
	return false;
}

static void remove_thread(struct task_sampler *sampler, size_t nth)
{
	for (size_t i = 0; i < sampler->rings.n; i++)
		cpu_code_remove_thread(&sampler->rings.items[i], sampler->threads[nth]);
	sampler->threads[nth] = sampler->threads[--sampler->n_threads];
}

/* A thread that may be sampled. */
struct candidate {
	pid_t tid;
	bool sampled;
	uint64_t rank; /* its run time; twice that if it is sampled */
};

static int by_rank(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	if (a->sampled != b->sampled)
		return a->sampled ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* Whether a thread has run since the scan before. At the first scan none is known to have. */
static bool any_has_run(const struct proc_scan *proc_scan)
{
	for (size_t i = 0; i < proc_scan->n; i++)
		if (proc_scan->items[i]->grown.ran_ns > 0)
			return true;
	return false;
}

/* Returns the threads that may be sampled, the first choice first; the caller frees the array. */
static struct candidate *find_candidates(const struct task_sampler *sampler, size_t *n)
{
	const struct proc_scan *proc_scan = sampler->proc_scan;
	struct candidate *candidates = xcalloc(proc_scan->n, sizeof(*candidates));
	bool has_roots = target_has_roots(sampler->target), grown = any_has_run(proc_scan);

	*n = 0;
	for (size_t i = 0; i < proc_scan->n; i++) {
		const struct proc_scan_entry *entry = proc_scan->items[i];
		if (!entry->wanted || !entry->ours || entry->gone)
			continue;
		bool sampled = is_sampled(sampler, entry->tid);
		uint64_t ran_ns = grown ? entry->grown.ran_ns : entry->used.ran_ns;
		/* A process of -p is sampled before it runs. */
		if (!sampled && ran_ns == 0 && !has_roots)
			continue;
		candidates[(*n)++] =
			(struct candidate){entry->tid, sampled, sampled ? 2 * ran_ns : ran_ns};
	}
	if (*n > 0)
		qsort(candidates, *n, sizeof(*candidates), by_rank);
	return candidates;
}

static int add_to_cpu(const struct task_sampler *sampler, struct cpu_code *cpu, pid_t tid)
{
	static const enum code_event_source sources[TASK_SAMPLER_EVENTS] = {
		[CLOCK] = CODE_EVENT_THREAD, [FAULTS] = CODE_EVENT_FAULTS};
	int result = 0;

	for (unsigned k = 0; k < sampler->n_events && result == 0; k++)
		result = cpu_code_add_thread(cpu, k, sources[k], tid, sampler->user_only,
					     sampler->periods[k]);
	return result;
}

/* Opens the events of a thread on CPUs without. Returns 0, or -errno: it may have some. */
static int add_thread(struct task_sampler *sampler, pid_t tid)
{
	int result = 0;

	for (size_t i = 0; i < sampler->rings.n && result == 0; i++)
		if (sampler->rings.items[i].ring_fd >= 0 &&
		    !cpu_code_has_thread(&sampler->rings.items[i], tid))
			result = add_to_cpu(sampler, &sampler->rings.items[i], tid);
	return result;
}

/* The number of threads with so many events that are within the limits, beside the rings. */
static size_t threads_max(const struct task_sampler *sampler, size_t fds, unsigned n_events)
{
	size_t n_cpus = sampler->rings.n;

	if (n_cpus == 0 || fds < n_cpus + n_events * n_cpus)
		return 0;
	size_t most = size_min(TASK_SAMPLER_FDS, (fds - n_cpus) / FDS_SHARE);
	size_t threads = most / (n_events * n_cpus);
	return threads == 0 ? 1 : size_min(TASK_SAMPLER_THREADS, threads);
}

/* Closes the events of threads that are not among the first `n` candidates. */
static void drop_threads(struct task_sampler *sampler, const struct candidate *candidates, size_t n)
{
	for (size_t i = sampler->n_threads; i-- > 0;) {
		bool kept = false;
		for (size_t k = 0; k < n && !kept; k++)
			kept = candidates[k].tid == sampler->threads[i];
		if (!kept)
			remove_thread(sampler, i);
	}
}

static void remove_refused(struct task_sampler *sampler, pid_t tid, int answer)
{
	for (size_t i = sampler->n_threads; i-- > 0;)
		if (sampler->threads[i] == tid)
			remove_thread(sampler, i);
	if (answer != -ESRCH) /* else it has ended */
		sampler->refusal = answer;
	if (answer == -EMFILE || answer == -ENFILE)
		sampler->most = sampler->n_threads;
}

static void choose_threads(struct task_sampler *sampler, size_t fds)
{
	size_t n, most = threads_max(sampler, fds, sampler->n_events);
	struct candidate *candidates = find_candidates(sampler, &n);

	/* After descriptors ran out some may be free again: tries one more thread each time. */
	sampler->most = size_min(most, sampler->most + 1);
	n = size_min(n, sampler->most);
	drop_threads(sampler, candidates, n);
	for (size_t i = 0; i < n && i < sampler->most; i++) {
		if (!candidates[i].sampled)
			sampler->threads[sampler->n_threads++] = candidates[i].tid;
		int result = add_thread(sampler, candidates[i].tid);
		if (result < 0)
			remove_refused(sampler, candidates[i].tid, result);
	}
	free(candidates);
}

static int open_cpu(struct task_sampler *sampler, int number)
{
	struct code_rings *rings = &sampler->rings;

	for (size_t i = 0; i < rings->n; i++)
		if (rings->items[i].number == number)
			return 0;
	struct cpu_code code;
	int result = cpu_code_open_own(&code, rings->sys, number, &rings->ring_bytes);
	if (result < 0)
		return result;
	rings->items[rings->n++] = code;
	return 0;
}

/* Opens rings of CPUs that have none: at the beginning, and of those that come online. */
static void open_rings(struct task_sampler *sampler)
{
	struct code_rings *rings = &sampler->rings;
	struct cpu_list online;
	int result = cpus_online(rings->sys, &online);

	if (result < 0) {
		sampler->refusal = result;
		return;
	}
	rings->items = xreallocarray(rings->items, rings->n + online.n, sizeof(*rings->items));
	if (rings->n == 0)
		code_rings_set_bytes(rings, online.n, RING_BYTES_MIN, RING_BYTES_MAX, RINGS_BYTES);
	for (size_t i = 0; i < online.n; i++) {
		result = open_cpu(sampler, online.numbers[i]);
		if (result < 0)
			sampler->refusal = result;
	}
	cpu_list_fini(&online);
}

static void note_refusal(struct task_sampler *sampler)
{
	int refusal = sampler->refusal;
	struct error why = {0};

	if (refusal == -EMFILE || refusal == -ENFILE)
		error_set(&why, refusal, "no file descriptor is left. Raise the limit: ulimit -n");
	else if (refusal == -ENOBUFS)
		error_set(&why, refusal, "no memory can be locked. Raise the limit: ulimit -l");
	else if (refusal < 0)
		error_set(&why, refusal, "the kernel refuses them (%s).", error_why(refusal));
	code_rings_note_unsampled(&sampler->rings,
				  refusal < 0 ? "Functions of some threads are not sampled:" : NULL,
				  why.text);
}

void task_sampler_renew(struct task_sampler *sampler, const struct code_request *request,
			size_t fds, uint64_t other_ns)
{
	struct code_rings *rings = &sampler->rings;

	if (!rings->request)
		sampler->most = TASK_SAMPLER_THREADS;
	else if (request)
		code_rings_drain(rings); /* events that are closed have samples there */
	bool begins = code_rings_set_request(rings, request, sampler->n_threads > 0, other_ns);
	if (!request) {
		close_all(sampler);
		return;
	}
	choose_periods(sampler, begins);
	sampler->refusal = 0;
	name_events(sampler);
	open_rings(sampler);
	if (sampler->n_threads == 0)
		sampler->n_events =
			threads_max(sampler, fds, TASK_SAMPLER_EVENTS) >= TASK_SAMPLER_BOTH
				? TASK_SAMPLER_EVENTS
				: 1;
	choose_threads(sampler, fds);
	note_refusal(sampler);
}
