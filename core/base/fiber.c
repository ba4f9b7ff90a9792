// SPDX-License-Identifier: MIT
/*
 * A fiber is carried by one thread at a time. `steps` is odd during a call: if the watch finds the
 * same odd number twice, the call is late, and CALLS becomes STUCK. That is the one step for which
 * the watch and the thread of the call compete. The fiber's own context is complete by then, since
 * CALLS is set on the stack of the thread.
 *
 * The watch sleeps while there are no calls. A call wakes it once, not each call.
 */
#include "core/base/fiber.h"

#include "core/base/thread.h"
#include "core/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* A call is late after one to two of these. While others are stuck, the machine is known to be ill.
 */
#define PATIENCE_NS       (100 * NS_PER_MS)
#define PATIENCE_STUCK_NS (20 * NS_PER_MS)

/* Address space around a stack. From 2 MB on, valgrind recognizes the change of the stack. */
enum { STACK_GAP = 4 << 20, STACK_AND_GAPS = THREAD_STACK_BYTES + 2 * STACK_GAP };

enum role {
	WATCHES, /* or waits until it is needed as the watch */
	CARRIES,
	CALLS,
	STUCK,
	FORGOTTEN, /* stuck, and its fiber is gone */
};

struct fiber_thread {
	struct fiber *fiber;
	struct fiber_thread *next; /* of the fiber */
	pthread_t thread;
	bool joined;
	_Atomic pid_t tid;
	_Atomic enum role role;
	ucontext_t context; /* of what was left on its stack */

	/* Of the call. */
	uint64_t key, patience_ns;
	int64_t (*run)(void *memory);
	void (*undo)(void *memory, int64_t result);
	int64_t result;
	char *memory; /* owned */
	size_t capacity;
};

struct fiber {
	char *stack; /* its first byte */
	ucontext_t context;
	void (*run)(void *arg);
	void *arg;
	bool finished; /* run() has returned */
	struct fiber_thread *carrier;
	uint64_t cpu_ns; /* CPU time of the fiber, less the CPU time of the carrier's thread */
	_Atomic uint64_t steps;
	_Atomic bool watched; /* a thread watches, or has been started for that */
	_Atomic bool asleep;  /* the watch waits for the next call */

	pthread_mutex_t lock;   /* guards what follows */
	pthread_cond_t called;  /* for the watch, while it is asleep or waits for a late call */
	pthread_cond_t changed; /* for all others */
	struct fiber_thread *threads;
	bool has_watch;
	unsigned idle; /* threads that wait until they are needed as the watch */
	bool ended;    /* no thread carries it any more */
};

static _Thread_local struct fiber_thread *this_thread;

/* Not inlined: the compiler must not keep the address of the variable across fiber_call(). */
static __attribute__((noinline)) struct fiber_thread *current_thread(void)
{
	return this_thread;
}

struct fiber *fiber_current(void)
{
	const struct fiber_thread *thread = current_thread();

	return !SANITIZED && thread && atomic_load(&thread->role) == CARRIES ? thread->fiber : NULL;
}

static void run_fiber(void)
{
	struct fiber *fiber = current_thread()->fiber;

	fiber->run(fiber->arg);
	fiber->finished = true;
	setcontext(&fiber->carrier->context);
}

/* Memory on both sides cannot be touched. */
static int make_stack(struct fiber *fiber)
{
	char *memory = mmap(NULL, STACK_AND_GAPS, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return -errno;
	fiber->stack = memory + STACK_GAP;
	if (mprotect(fiber->stack, THREAD_STACK_BYTES, PROT_READ | PROT_WRITE) == 0)
		return 0;
	int code = -errno;
	munmap(memory, STACK_AND_GAPS);
	return code;
}

static void make_context(struct fiber *fiber)
{
	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = fiber->stack;
	fiber->context.uc_stack.ss_size = THREAD_STACK_BYTES;
	makecontext(&fiber->context, run_fiber, 0);
}

static void free_stack(const struct fiber *fiber)
{
	munmap(fiber->stack - STACK_GAP, STACK_AND_GAPS);
}

static void free_thread(struct fiber_thread *thread)
{
	free(thread->memory);
	free(thread);
}

static void *run_thread(void *arg);

static int add_thread(struct fiber *fiber, enum role role)
{
	struct fiber_thread *thread = xcalloc(1, sizeof(*thread));

	thread->fiber = fiber;
	atomic_store(&thread->role, role);
	if (role == CARRIES)
		fiber->carrier = thread;
	int rc = thread_start(&thread->thread, run_thread, thread);
	if (rc) {
		free(thread);
		return rc;
	}
	thread->next = fiber->threads;
	fiber->threads = thread;
	return 0;
}

/* Sanitizers know one stack of a thread. */
static void run_on_own_stack(struct fiber *fiber)
{
	pthread_sigmask(SIG_SETMASK, &fiber->context.uc_sigmask, NULL);
	fiber->run(fiber->arg);
	fiber->finished = true;
}

/* Carries the fiber to its end, or until a call was taken from this thread and has returned. */
static void carry(struct fiber_thread *self)
{
	struct fiber *fiber = self->fiber;

	if (SANITIZED)
		run_on_own_stack(fiber);
	while (!fiber->finished) {
		swapcontext(&self->context, &fiber->context);
		if (fiber->finished)
			break;
		atomic_store(&self->role, CALLS);
		self->result = self->run(self->memory);
		enum role role = CALLS;
		if (!atomic_compare_exchange_strong(&self->role, &role, CARRIES)) {
			if (self->undo)
				self->undo(self->memory, self->result);
			role = STUCK;
			atomic_compare_exchange_strong(&self->role, &role, WATCHES);
			return;
		}
		atomic_fetch_add(&fiber->steps, 1);
	}
	atomic_store(&self->role, WATCHES);
	pthread_mutex_lock(&fiber->lock);
	fiber->ended = true;
	pthread_cond_signal(&fiber->called);
	pthread_cond_broadcast(&fiber->changed);
	pthread_mutex_unlock(&fiber->lock);
}

/*
 * Whether a thread of this process waits. One that runs, waits for a CPU, or was stopped, is only
 * slow.
 */
static bool is_waiting(pid_t tid)
{
	char text[256];

	if (thread_read_file(tid, "stat", text, sizeof(text)) < 0)
		return true;
	const char *end = strrchr(text, ')');
	return !end || end[1] != ' ' || !end[2] || !strchr("RTt", end[2]);
}

/* Of a fiber whose lock is held. */
static bool has_stuck(const struct fiber *fiber)
{
	for (const struct fiber_thread *thread = fiber->threads; thread; thread = thread->next)
		if (atomic_load(&thread->role) == STUCK)
			return true;
	return false;
}

static uint64_t thread_cpu_ns(pthread_t thread)
{
	struct timespec time = {0};
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock) == 0)
		clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

uint64_t fiber_cpu_ns(const struct fiber *fiber)
{
	return fiber->cpu_ns + thread_cpu_ns(pthread_self());
}

/* The call is late. Returns whether `self` carries the fiber now. With the lock. */
static bool take_over(struct fiber_thread *self)
{
	struct fiber *fiber = self->fiber;
	struct fiber_thread *late = fiber->carrier;
	enum role role = CALLS;

	if (!is_waiting(atomic_load(&late->tid)) ||
	    !atomic_compare_exchange_strong(&late->role, &role, STUCK))
		return false;
	fiber->cpu_ns += thread_cpu_ns(late->thread) - thread_cpu_ns(pthread_self());
	atomic_store(&self->role, CARRIES);
	fiber->carrier = self;
	atomic_fetch_add(&fiber->steps, 1);
	fiber->has_watch = false;
	pthread_cond_broadcast(&fiber->changed);
	atomic_store(&fiber->watched, fiber->idle > 0 || add_thread(fiber, WATCHES) == 0);
	return true;
}

/* A call signals the same condition, and must not make the time shorter. */
static void sleep_or_end(struct fiber *fiber, uint64_t ns)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	ns += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(ns / NS_PER_S);
	until.tv_nsec = (long)(ns % NS_PER_S);
	while (!fiber->ended &&
	       pthread_cond_timedwait(&fiber->called, &fiber->lock, &until) != ETIMEDOUT)
		;
}

/* The first call afterwards wakes it, and no other one. */
static void sleep_until_call(struct fiber *fiber, uint64_t seen)
{
	for (;;) {
		atomic_store(&fiber->asleep, true);
		if (fiber->ended || atomic_load(&fiber->steps) != seen)
			break;
		pthread_cond_wait(&fiber->called, &fiber->lock);
	}
	atomic_store(&fiber->asleep, false);
}

/* With the lock. Returns whether `self` carries the fiber now; false: the fiber has ended. */
static bool watch_calls(struct fiber_thread *self)
{
	struct fiber *fiber = self->fiber;
	uint64_t seen = atomic_load(&fiber->steps), late_ns = 0;

	while (!fiber->ended) {
		if (seen % 2 == 0) {
			sleep_until_call(fiber, seen);
			seen = atomic_load(&fiber->steps);
		}
		uint64_t ns = has_stuck(fiber) ? PATIENCE_STUCK_NS : PATIENCE_NS;
		sleep_or_end(fiber, ns);
		uint64_t now = atomic_load(&fiber->steps);
		late_ns = now == seen && now % 2 == 1 ? late_ns + ns : 0;
		if (late_ns > fiber->carrier->patience_ns && take_over(self))
			return true;
		seen = now;
	}
	return false;
}

static bool watch(struct fiber_thread *self)
{
	struct fiber *fiber = self->fiber;
	bool carries = false;

	pthread_mutex_lock(&fiber->lock);
	fiber->idle++;
	while (!fiber->ended && fiber->has_watch)
		pthread_cond_wait(&fiber->changed, &fiber->lock);
	fiber->idle--;
	if (!fiber->ended) {
		fiber->has_watch = true;
		atomic_store(&fiber->watched, true);
		carries = watch_calls(self);
	}
	pthread_mutex_unlock(&fiber->lock);
	return carries;
}

static void *run_thread(void *arg)
{
	struct fiber_thread *self = arg;

	this_thread = self;
	atomic_store(&self->tid, gettid());
	/* The code begins when it is known whether it is watched. */
	pthread_mutex_lock(&self->fiber->lock);
	pthread_mutex_unlock(&self->fiber->lock);
	do {
		if (atomic_load(&self->role) == CARRIES)
			carry(self);
		if (atomic_load(&self->role) == FORGOTTEN) {
			free_thread(self);
			return NULL;
		}
	} while (watch(self));
	return NULL;
}

int fiber_start(struct fiber **out, void (*run)(void *arg), void *arg)
{
	struct fiber *fiber = xcalloc(1, sizeof(*fiber));
	pthread_condattr_t clock;

	fiber->run = run;
	fiber->arg = arg;
	int rc = make_stack(fiber);
	if (rc) {
		free(fiber);
		return rc;
	}
	make_context(fiber);
	pthread_mutex_init(&fiber->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&fiber->called, &clock);
	pthread_cond_init(&fiber->changed, NULL);
	pthread_condattr_destroy(&clock);
	pthread_mutex_lock(&fiber->lock);
	rc = add_thread(fiber, CARRIES);
	if (rc == 0) /* without it, calls are made as if there were no fiber */
		atomic_store(&fiber->watched, add_thread(fiber, WATCHES) == 0);
	fiber->ended = rc != 0;
	pthread_mutex_unlock(&fiber->lock);
	if (rc == 0)
		*out = fiber;
	else
		fiber_join(fiber);
	return rc;
}

/* Waits for the end of a thread that was stuck. False: it still is, and will free itself. */
static bool end_stuck(struct fiber_thread *thread)
{
	pthread_t number = thread->thread;
	enum role role = STUCK;

	if (atomic_compare_exchange_strong(&thread->role, &role, FORGOTTEN)) {
		pthread_detach(number);
		return false;
	}
	pthread_join(number, NULL);
	return true;
}

void fiber_join(struct fiber *fiber)
{
	if (!fiber)
		return;
	pthread_mutex_lock(&fiber->lock);
	while (!fiber->ended)
		pthread_cond_wait(&fiber->changed, &fiber->lock);
	pthread_mutex_unlock(&fiber->lock);
	/* The watch may still read the list, so nothing is freed before these have ended. */
	for (struct fiber_thread *thread = fiber->threads; thread; thread = thread->next)
		if (atomic_load(&thread->role) != STUCK) {
			pthread_join(thread->thread, NULL);
			thread->joined = true;
		}
	for (struct fiber_thread *thread = fiber->threads, *next; thread; thread = next) {
		next = thread->next;
		if (!thread->joined && !end_stuck(thread))
			continue;
		free_thread(thread);
	}
	free_stack(fiber);
	pthread_cond_destroy(&fiber->called);
	pthread_cond_destroy(&fiber->changed);
	pthread_mutex_destroy(&fiber->lock);
	free(fiber);
}

void *fiber_memory(struct fiber *fiber, size_t size)
{
	struct fiber_thread *thread = fiber->carrier;

	thread->memory = array_reserve(thread->memory, &thread->capacity, size, 1);
	return thread->memory;
}

size_t fiber_stuck(struct fiber *fiber, uint64_t *keys, size_t most)
{
	size_t n = 0;

	pthread_mutex_lock(&fiber->lock);
	for (const struct fiber_thread *thread = fiber->threads; thread; thread = thread->next)
		if (atomic_load(&thread->role) == STUCK && n < most)
			keys[n++] = thread->key;
	pthread_mutex_unlock(&fiber->lock);
	return n;
}

/* The thread that could not be started before may be possible by now. */
static bool is_watched(struct fiber *fiber)
{
	if (atomic_load(&fiber->watched))
		return true;
	pthread_mutex_lock(&fiber->lock);
	bool watched = fiber->has_watch || fiber->idle > 0 || add_thread(fiber, WATCHES) == 0;
	atomic_store(&fiber->watched, watched);
	pthread_mutex_unlock(&fiber->lock);
	return watched;
}

/* Whether a call must not be made. */
static bool is_refused(struct fiber *fiber, uint64_t key)
{
	uint64_t stuck[FIBER_STUCK_MOST];
	size_t n = fiber_stuck(fiber, stuck, ARRAY_SIZE(stuck));

	for (size_t i = 0; i < n; i++)
		if (stuck[i] == key)
			return true;
	return n == FIBER_STUCK_MOST || (n > 0 && !is_watched(fiber));
}

int64_t fiber_call(struct fiber *fiber, uint64_t key, uint64_t patience_ns,
		   int64_t (*run)(void *memory), void (*undo)(void *memory, int64_t result))
{
	struct fiber_thread *thread = fiber->carrier;

	if (is_refused(fiber, key))
		return -ETIMEDOUT;
	if (!is_watched(fiber))
		return run(thread->memory);
	thread->key = key;
	thread->patience_ns = patience_ns;
	thread->run = run;
	thread->undo = undo;
	atomic_fetch_add(&fiber->steps, 1);
	if (atomic_exchange(&fiber->asleep, false)) {
		pthread_mutex_lock(&fiber->lock);
		pthread_cond_signal(&fiber->called);
		pthread_mutex_unlock(&fiber->lock);
	}
	swapcontext(&fiber->context, &thread->context);
	return fiber->carrier == thread ? thread->result : -ETIMEDOUT;
}
