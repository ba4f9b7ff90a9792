// SPDX-License-Identifier: MIT
/*
 * The interface of the fake kernel: its creation, clock and queue of actions, sys_wait(), injected
 * errors, and the table of calls. Time advances in fk_instant() alone. It steps to the next moment
 * at which anything can happen, so rates between two moments are constant and counts are exact
 * (task.c, fk_settle).
 */
#include "tests/fake_kernel/fake_kernel.h"

#include "core/base/util.h"
#include "tests/fake_kernel/internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REALTIME_OFFSET_NS (1700000000ull * NS_PER_S)
#define SPINS_MAX          10000000u

void fk_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("fake kernel: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	abort();
}

static bool due_before(const struct fk_due *a, const struct fk_due *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void due_push(struct fk *fk, struct fk_due due)
{
	due.order = fk->due_order++;
	fk->due = array_reserve(fk->due, &fk->due_capacity, fk->n_due + 1, sizeof(*fk->due));
	size_t i = fk->n_due++;
	while (i > 0 && due_before(&due, &fk->due[(i - 1) / 2])) {
		fk->due[i] = fk->due[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	fk->due[i] = due;
}

static struct fk_due due_pop(struct fk *fk)
{
	struct fk_due first = fk->due[0];
	struct fk_due last = fk->due[--fk->n_due];
	size_t i = 0;

	for (size_t child = 1; child < fk->n_due; child = 2 * i + 1) {
		if (child + 1 < fk->n_due && due_before(&fk->due[child + 1], &fk->due[child]))
			child++;
		if (!due_before(&fk->due[child], &last))
			break;
		fk->due[i] = fk->due[child];
		i = child;
	}
	if (fk->n_due)
		fk->due[i] = last;
	return first;
}

static void step_do(struct fk *fk, const struct fk_step *step)
{
	switch (step->action) {
	case FK_SWITCH:
		return fk_switch(fk, step->cpu, step->tid);
	case FK_FORK:
		return fk_fork(fk, step->tid, step->child);
	case FK_THREAD:
		return fk_thread(fk, step->tid, step->child);
	case FK_COMM:
		return fk_comm(fk, step->tid, step->comm);
	case FK_EXEC:
		return fk_exec(fk, step->tid, step->comm);
	case FK_EXIT:
		return fk_exit(fk, step->tid, (enum fk_exit)step->n);
	case FK_FAULT:
		return fk_fault(fk, step->cpu, false);
	case FK_HOLD:
		return fk_hold(fk, step->cpu, step->n);
	case FK_LOSE:
		return fk_lose(fk, step->cpu, step->n);
	case FK_THROTTLE:
		return fk_throttle(fk, step->cpu, step->n);
	case FK_OFFLINE:
		return fk_cpu_offline(fk, step->cpu);
	case FK_ONLINE:
		return fk_cpu_online(fk, step->cpu);
	case FK_WAKE:
		return atomic_store(&fk->woken, true);
	case FK_BLOCK:
		return fk_block(fk, step->tid, (enum fk_state)step->n);
	case FK_READY:
		return fk_ready(fk, step->tid);
	}
	fk_die("no such action: %d", (int)step->action);
}

/* Goes to the next moment at which something is due, at most to `until`, and does it. */
static void fk_instant(struct fk *fk, uint64_t until)
{
	uint64_t next = until;
	uint64_t tick_ns = fk_next_tick(fk);

	if (fk->acting)
		fk_die("an action cannot let time pass");
	if (tick_ns < next)
		next = tick_ns;
	if (fk->n_due && fk->due[0].at_ns < next)
		next = fk->due[0].at_ns;
	if (next > fk->now_ns) {
		fk->now_ns = next;
		fk->spins = 0;
	}
	fk->acting = true;
	fk_do_ticks(fk);
	while (fk->n_due && fk->due[0].at_ns <= fk->now_ns) {
		struct fk_due due = due_pop(fk);

		if (due.fn)
			due.fn(fk, due.arg);
		else
			step_do(fk, &due.step);
		free(due.owned);
	}
	fk->acting = false;
}

uint64_t fk_now(const struct fk *fk)
{
	return fk->now_ns;
}

void fk_advance(struct fk *fk, uint64_t ns)
{
	uint64_t until = fk->now_ns + ns;

	do
		fk_instant(fk, until);
	while (fk->now_ns < until);
}

void fk_script(struct fk *fk, const struct fk_step *steps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		due_push(fk,
			 (struct fk_due){.at_ns = fk->now_ns + steps[i].at_ns, .step = steps[i]});
}

void fk_after(struct fk *fk, uint64_t in_ns, void (*fn)(struct fk *fk, void *arg), void *arg)
{
	due_push(fk, (struct fk_due){.at_ns = fk->now_ns + in_ns, .fn = fn, .arg = arg});
}

struct ping_pong {
	int cpu;
	pid_t next, other;
	uint64_t turn_ns;
	unsigned turns;
};

static void ping_pong_turn(struct fk *fk, void *arg)
{
	struct ping_pong *game = arg;
	struct ping_pong *rest = xmalloc(sizeof(*rest));

	fk_switch(fk, game->cpu, game->next);
	*rest = *game;
	rest->next = game->other;
	rest->other = game->next;
	if (!--rest->turns)
		return free(rest);
	due_push(fk, (struct fk_due){.at_ns = fk->now_ns + game->turn_ns,
				     .fn = ping_pong_turn,
				     .arg = rest,
				     .owned = rest});
}

void fk_ping_pong(struct fk *fk, int cpu, pid_t a, pid_t b, uint64_t turn_ns, unsigned turns)
{
	struct ping_pong *game = xmalloc(sizeof(*game));

	*game = (struct ping_pong){cpu, a, b, turn_ns, turns};
	due_push(fk,
		 (struct fk_due){
			 .at_ns = fk->now_ns, .fn = ping_pong_turn, .arg = game, .owned = game});
}

void fk_fail(struct fk *fk, enum fk_op op, unsigned k, int error)
{
	if (op >= FK_NOW)
		fk_die("the clock cannot fail");
	if (!k && !error) {
		size_t kept = 0;

		for (size_t i = 0; i < fk->n_failures; i++)
			if (fk->failures[i].op != op)
				fk->failures[kept++] = fk->failures[i];
		fk->n_failures = kept;
		return;
	}
	fk->failures = array_reserve(fk->failures, &fk->failures_capacity, fk->n_failures + 1,
				     sizeof(*fk->failures));
	fk->failures[fk->n_failures++] = (struct fk_failure){op, k ? fk->calls[op] + k : 0, error};
}

int fk_enter(struct fk *fk, enum fk_op op)
{
	unsigned call = ++fk->calls[op];

	for (size_t i = 0; i < fk->n_failures; i++) {
		const struct fk_failure *failure = &fk->failures[i];

		if (failure->op == op && (!failure->call || failure->call == call))
			return -failure->error;
	}
	return 0;
}

unsigned fk_calls(const struct fk *fk, enum fk_op op)
{
	return fk->calls[op];
}

unsigned fk_open_fds(const struct fk *fk)
{
	return fk->fds;
}

unsigned fk_mapped(const struct fk *fk)
{
	unsigned maps = 0;

	for (size_t i = 0; i < fk->n_rings; i++)
		maps += fk->rings[i]->maps;
	return maps;
}

uint64_t fk_lost(const struct fk *fk)
{
	return fk->lost;
}

/*
 * poll(2): a descriptor without a ring hangs up at once, or when its task and all copies have
 * exited. A ring reports a wakeup once.
 */
static int poll_fds(struct fk *fk, struct pollfd *fds, size_t count)
{
	int ready = 0;

	for (size_t i = 0; i < count; i++) {
		struct fk_perf *perf = fds[i].fd >= 0 ? fk_perf_of(fk, fds[i].fd) : NULL;

		fds[i].revents = 0;
		if (fds[i].fd < 0)
			continue;
		if (!perf)
			fds[i].revents = POLLNVAL;
		else if (!perf->ring || (perf->task && perf->gone && !perf->n_copies))
			fds[i].revents = POLLHUP;
		else if (fk_ring_poll(perf->ring))
			fds[i].revents = (short)(fds[i].events & (POLLIN | POLLRDNORM));
		if (fds[i].revents)
			ready++;
	}
	return ready;
}

static int op_wait(void *ctx, struct pollfd *fds, size_t count, uint64_t deadline_ns)
{
	struct fk *fk = ctx;
	int error = fk_enter(fk, FK_WAIT);

	if (error)
		return error;
	if (fk->config.wait_pause_us)
		usleep(fk->config.wait_pause_us);
	for (bool first = true;; first = false) {
		int ready = poll_fds(fk, fds, count);
		bool woken = atomic_exchange(&fk->woken, false);

		if (ready || woken || (!first && fk->now_ns >= deadline_ns))
			return woken ? -EINTR : ready;
		fk_instant(fk, deadline_ns > fk->now_ns ? deadline_ns : fk->now_ns);
	}
}

static void op_wake(void *ctx)
{
	struct fk *fk = ctx;

	atomic_store(&fk->woken, true);
}

static uint64_t op_now_ns(void *ctx)
{
	struct fk *fk = ctx;

	fk->calls[FK_NOW]++;
	if (fk->acting)
		return fk->now_ns;
	if (!fk->config.frozen_clock)
		fk_advance(fk, fk->config.step_ns);
	else if (++fk->spins > SPINS_MAX)
		fk_die("someone spins on a clock that stands still");
	return fk->now_ns;
}

/* Without fk_self_task() the caller is none of the tasks. */
static int op_current_cpu(void *ctx)
{
	struct fk *fk = ctx;
	const struct fk_task *task = fk->self_tid ? fk_find(fk, fk->self_tid) : NULL;

	return task ? task->cpu : -1;
}

static uint64_t op_realtime_ns(void *ctx)
{
	const struct fk *fk = ctx;

	return fk->now_ns + fk->slept_ns + REALTIME_OFFSET_NS;
}

static uint64_t op_boottime_ns(void *ctx)
{
	const struct fk *fk = ctx;

	return fk->now_ns + fk->slept_ns;
}

void fk_sleep(struct fk *fk, uint64_t ns)
{
	fk->slept_ns += ns;
}

void fk_steal(struct fk *fk, uint64_t ns)
{
	fk->stolen_ns += ns;
}

static const struct sys_ops fake_ops = {
	.perf_open = fk_perf_open,
	.perf_read = fk_perf_read,
	.perf_ioctl = fk_perf_ioctl,
	.perf_map = fk_perf_map,
	.perf_unmap = fk_perf_unmap,
	.close = fk_close,
	.wait = op_wait,
	.wake = op_wake,
	.now_ns = op_now_ns,
	.current_cpu = op_current_cpu,
	.self = fk_self,
	.realtime_ns = op_realtime_ns,
	.boottime_ns = op_boottime_ns,
	.file_read = fk_file_read,
	.link_read = fk_link_read,
	.file_owner = fk_file_owner,
	.file_open = fk_file_open,
	.file_pread = fk_file_pread,
	.file_status = fk_file_status,
	.file_ioctl = fk_file_ioctl,
	.dir_links = fk_dir_links,
	.dir_each = fk_dir_each,
	.pidfd_open = fk_pidfd_open,
};

struct sys fk_sys(struct fk *fk)
{
	return (struct sys){.ops = &fake_ops, .ctx = fk};
}

struct fk *fk_new(const struct fk_config *config)
{
	struct fk *fk = xcalloc(1, sizeof(*fk));

	/* libpfm4 must not find the CPU that the test runs on. A test may have named another. */
	setenv("LIBPFM_FORCE_PMU", "perf", 0);
	if (config)
		fk->config = *config;
	if (!fk->config.cpus)
		fk->config.cpus = 1;
	if (!fk->config.mlock_kb)
		fk->config.mlock_kb = 516;
	if (!fk->config.fd_limit)
		fk->config.fd_limit = 4096;
	if (!fk->config.step_ns)
		fk->config.step_ns = NS_PER_US;
	fk->now_ns = fk->config.start_ns ? fk->config.start_ns : 1000 * NS_PER_S;
	fk->start_ns = fk->now_ns;
	fk->random = 88172645463325252u;
	fk->next_id = 1;
	atomic_init(&fk->woken, false);
	fk_machine_init(fk);
	fk_tracefs_init(fk);
	return fk;
}

void fk_free(struct fk *fk)
{
	if (!fk)
		return;
	while (fk->n_perfs) {
		struct fk_perf *perf = fk->perfs[fk->n_perfs - 1];

		perf->fd = -1;
		perf->mapped = NULL;
		fk_perf_free(fk, perf);
	}
	while (fk->n_rings)
		fk_ring_free(fk, fk->rings[fk->n_rings - 1]);
	for (size_t i = 0; i < fk->n_due; i++)
		free(fk->due[i].owned);
	for (size_t i = 0; i < fk->n_texts; i++) {
		free(fk->texts[i].path);
		free(fk->texts[i].text);
	}
	fk_machine_fini(fk);
	free(fk->perfs);
	free(fk->by_fd);
	free(fk->clocks);
	free(fk->rings);
	free(fk->due);
	free(fk->failures);
	free(fk->texts);
	for (size_t i = 0; i < fk->n_opened; i++) {
		free(fk->opened[i].path);
		free(fk->opened[i].text);
	}
	free(fk->opened);
	free(fk->tracepoints);
	free(fk);
}
