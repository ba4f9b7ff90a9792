// SPDX-License-Identifier: MIT
/* Calls that return, and calls that return late or never: reads of pipes that the test fills. */
#include "core/base/fiber.h"

#include "core/base/thread.h"
#include "core/base/util.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { CALLS = 1000, ANSWER = 42 };

#define BURNT_NS (50 * NS_PER_MS)

/* All of core/base/thread.c, but a test decides how many threads can start. */
int thread_start_any(pthread_t *thread, void *(*run)(void *arg), void *arg);
#define thread_start thread_start_any
#include "core/base/thread.c"
#undef thread_start

static _Atomic int threads_left = INT_MAX;

int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	return atomic_fetch_sub(&threads_left, 1) > 0 ? thread_start_any(thread, run, arg)
						      : -EAGAIN;
}

struct scene {
	int pipes[FIBER_STUCK_MOST + 1][2];
	size_t n;
	int64_t results[FIBER_STUCK_MOST + 1];
	uint64_t stuck[FIBER_STUCK_MOST];
	size_t n_stuck;
	bool same_thread, blocked;
	struct fiber *seen;
};

static void open_pipes(struct scene *scene, size_t n)
{
	for (scene->n = 0; scene->n < n; scene->n++)
		assert_int_equal(pipe(scene->pipes[scene->n]), 0);
}

static void answer(const struct scene *scene, size_t i)
{
	assert_int_equal(write(scene->pipes[i][1], "x", 1), 1);
}

static void close_pipes(struct scene *scene)
{
	for (size_t i = 0; i < scene->n; i++) {
		close(scene->pipes[i][0]);
		close(scene->pipes[i][1]);
	}
}

struct read_call {
	int fd;
	_Atomic unsigned *undone;
	char text[8];
};

static int64_t run_read(void *memory)
{
	struct read_call *call = memory;

	return read(call->fd, call->text, 1) == 1 ? ANSWER : -EIO;
}

static void undo_read(void *memory, int64_t result)
{
	struct read_call *call = memory;

	if (result == ANSWER)
		atomic_fetch_add(call->undone, 1);
}

static int64_t read_pipe(const struct scene *scene, size_t i, uint64_t key,
			 _Atomic unsigned *undone)
{
	struct fiber *fiber = fiber_current();
	struct read_call *call = fiber_memory(fiber, sizeof(*call));

	*call = (struct read_call){.fd = scene->pipes[i][0], .undone = undone};
	return fiber_call(fiber, key, 0, run_read, undone ? undo_read : NULL);
}

static void run_scene(struct scene *scene, void (*run)(void *arg))
{
	struct fiber *fiber;

	assert_int_equal(fiber_start(&fiber, run, scene), 0);
	fiber_join(fiber);
	close_pipes(scene);
}

static void call_often(void *arg)
{
	struct scene *scene = arg;
	pthread_t thread = pthread_self();
	sigset_t mask;

	scene->seen = fiber_current();
	for (size_t i = 0; i < CALLS; i++) {
		answer(scene, 0);
		scene->results[0] += read_pipe(scene, 0, 1, NULL);
	}
	scene->same_thread = pthread_equal(thread, pthread_self());
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	scene->blocked = sigismember(&mask, SIGUSR1);
	scene->n_stuck = fiber_stuck(fiber_current(), scene->stuck, FIBER_STUCK_MOST);
}

static void calls_return_on_the_same_thread(void **state)
{
	struct scene scene = {0};
	sigset_t one;

	(void)state;
	if (SANITIZED)
		skip();
	assert_null(fiber_current());
	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &one, NULL);
	open_pipes(&scene, 1);
	run_scene(&scene, call_often);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	assert_non_null(scene.seen);
	assert_int_equal(scene.results[0], CALLS * ANSWER);
	assert_true(scene.same_thread);
	assert_true(scene.blocked);
	assert_int_equal(scene.n_stuck, 0);
}

static void wait_until_returned(void)
{
	uint64_t key;

	while (fiber_stuck(fiber_current(), &key, 1) > 0)
		usleep(1000);
}

/* Pipe 0 does not answer, pipe 1 does. */
static void call_late(void *arg)
{
	struct scene *scene = arg;
	_Atomic unsigned undone = 0;

	scene->results[0] = read_pipe(scene, 0, 7, &undone);
	scene->results[1] = read_pipe(scene, 1, 7, NULL); /* refused */
	answer(scene, 1);
	scene->results[2] = read_pipe(scene, 1, 8, NULL);
	scene->n_stuck = fiber_stuck(fiber_current(), scene->stuck, FIBER_STUCK_MOST);
	answer(scene, 0);
	wait_until_returned();
	scene->results[3] = atomic_load(&undone);
	answer(scene, 0);
	scene->results[4] = read_pipe(scene, 0, 7, NULL);
	/* Another thread goes on, and the one that has returned watches it. */
	scene->results[5] = read_pipe(scene, 0, 9, &undone);
	answer(scene, 0);
	wait_until_returned();
	scene->results[6] = atomic_load(&undone);
}

static void the_code_goes_on_beside_a_late_call(void **state)
{
	struct scene scene = {0};

	(void)state;
	if (SANITIZED)
		skip();
	open_pipes(&scene, 2);
	run_scene(&scene, call_late);
	assert_int_equal(scene.results[0], -ETIMEDOUT);
	assert_int_equal(scene.results[1], -ETIMEDOUT);
	assert_int_equal(scene.results[2], ANSWER);
	assert_int_equal(scene.n_stuck, 1);
	assert_int_equal(scene.stuck[0], 7);
	assert_int_equal(scene.results[3], 1);
	assert_int_equal(scene.results[4], ANSWER);
	assert_int_equal(scene.results[5], -ETIMEDOUT);
	assert_int_equal(scene.results[6], 2);
}

/* The pipes 0 and 2 do not answer. Nor does another thread begin, until pipe 2 is read. */
static void call_without_threads(void *arg)
{
	struct scene *scene = arg;

	atomic_store(&threads_left, 0);
	scene->results[0] = read_pipe(scene, 0, 7, NULL);
	answer(scene, 1);
	scene->results[1] = read_pipe(scene, 1, 7, NULL); /* refused */
	scene->results[2] = read_pipe(scene, 1, 8, NULL); /* it might hang, too */
	atomic_store(&threads_left, INT_MAX);
	scene->results[3] = read_pipe(scene, 2, 9, NULL);
	scene->n_stuck = fiber_stuck(fiber_current(), scene->stuck, FIBER_STUCK_MOST);
	answer(scene, 0);
	answer(scene, 2);
}

static void without_more_threads_calls_are_refused(void **state)
{
	struct scene scene = {0};

	(void)state;
	if (SANITIZED)
		skip();
	open_pipes(&scene, 3);
	run_scene(&scene, call_without_threads);
	assert_int_equal(scene.results[0], -ETIMEDOUT);
	assert_int_equal(scene.results[1], -ETIMEDOUT);
	assert_int_equal(scene.results[2], -ETIMEDOUT);
	assert_int_equal(scene.results[3], -ETIMEDOUT);
	assert_int_equal(scene.n_stuck, 2);
}

static void call_nothing(void *arg)
{
	bool *ran = arg;

	*ran = true;
}

static void no_fiber_without_a_thread(void **state)
{
	struct fiber *fiber = NULL;
	bool ran = false;

	(void)state;
	atomic_store(&threads_left, 0);
	int rc = fiber_start(&fiber, call_nothing, &ran);
	atomic_store(&threads_left, INT_MAX);
	assert_int_equal(rc, -EAGAIN);
	assert_null(fiber);
	assert_false(ran);
}

static void call_once(void *arg)
{
	struct scene *scene = arg;

	answer(scene, 0);
	scene->results[0] = read_pipe(scene, 0, 1, NULL);
	atomic_store(&threads_left, INT_MAX);
	scene->results[1] = read_pipe(scene, 0, 1, NULL);
	answer(scene, 0);
}

static void calls_are_made_without_a_second_thread(void **state)
{
	struct scene scene = {0};

	(void)state;
	if (SANITIZED)
		skip();
	open_pipes(&scene, 1);
	atomic_store(&threads_left, 1);
	run_scene(&scene, call_once);
	assert_int_equal(scene.results[0], ANSWER);
	assert_int_equal(scene.results[1], -ETIMEDOUT);
}

static uint64_t burn(void)
{
	struct timespec time = {0};

	while (time.tv_sec == 0 && (uint64_t)time.tv_nsec < BURNT_NS)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return fiber_cpu_ns(fiber_current());
}

/* From the first thread to the second one, and back to the first one. */
static void call_and_burn(void *arg)
{
	struct scene *scene = arg;
	uint64_t began_ns = burn();

	for (unsigned i = 0; i < 2; i++) {
		read_pipe(scene, 0, 7, NULL);
		scene->results[i] = (int64_t)(fiber_cpu_ns(fiber_current()) - began_ns);
		answer(scene, 0);
		wait_until_returned();
	}
}

static void cpu_time_goes_on_with_another_thread(void **state)
{
	struct scene scene = {0};

	(void)state;
	if (SANITIZED)
		skip();
	open_pipes(&scene, 1);
	run_scene(&scene, call_and_burn);
	for (unsigned i = 0; i < 2; i++)
		assert_in_range(scene.results[i], 0, BURNT_NS);
}

/* The last pipe answers, but no more threads may be lost. */
static void call_many(void *arg)
{
	struct scene *scene = arg;

	for (size_t i = 0; i < FIBER_STUCK_MOST; i++)
		scene->results[i] = read_pipe(scene, i, i, NULL);
	answer(scene, FIBER_STUCK_MOST);
	scene->results[FIBER_STUCK_MOST] =
		read_pipe(scene, FIBER_STUCK_MOST, FIBER_STUCK_MOST, NULL);
	scene->n_stuck = fiber_stuck(fiber_current(), scene->stuck, FIBER_STUCK_MOST);
}

static void threads_that_are_lost_are_limited(void **state)
{
	struct scene scene = {0};

	(void)state;
	if (SANITIZED)
		skip();
	open_pipes(&scene, FIBER_STUCK_MOST + 1);
	struct fiber *fiber;
	assert_int_equal(fiber_start(&fiber, call_many, &scene), 0);
	/* The fiber ends while its threads are stuck. They end later. */
	fiber_join(fiber);
	for (size_t i = 0; i <= FIBER_STUCK_MOST; i++)
		assert_int_equal(scene.results[i], -ETIMEDOUT);
	assert_int_equal(scene.n_stuck, FIBER_STUCK_MOST);
	for (size_t i = 0; i < FIBER_STUCK_MOST; i++)
		answer(&scene, i);
	close_pipes(&scene);
}

static void *answer_late(void *arg)
{
	const struct scene *scene = arg;

	usleep(500000);
	answer(scene, 0);
	return NULL;
}

/* An answer after 0.5 s: a call with more patience waits for it. */
static void call_patiently(void *arg)
{
	struct scene *scene = arg;
	struct read_call *call = fiber_memory(fiber_current(), sizeof(*call));
	pthread_t late;

	*call = (struct read_call){.fd = scene->pipes[0][0]};
	if (pthread_create(&late, NULL, answer_late, scene))
		return;
	scene->results[0] = fiber_call(fiber_current(), 1, 3600 * NS_PER_S, run_read, NULL);
	pthread_join(late, NULL);
}

static void some_calls_may_last_longer(void **state)
{
	struct scene scene = {0};

	(void)state;
	if (SANITIZED)
		skip();
	open_pipes(&scene, 1);
	run_scene(&scene, call_patiently);
	assert_int_equal(scene.results[0], ANSWER);
}

static void call_briefly(void *arg)
{
	const struct scene *scene = arg;

	if (!fiber_current())
		return;
	answer(scene, 0);
	read_pipe(scene, 0, 1, NULL);
}

/* A fiber that ends while its second thread looks at the call. */
static void ends_are_clean(void **state)
{
	struct scene scene = {0};
	struct fiber *fiber;

	(void)state;
	open_pipes(&scene, 1);
	for (unsigned i = 0; i < CALLS; i++) {
		assert_int_equal(fiber_start(&fiber, call_briefly, &scene), 0);
		fiber_join(fiber);
	}
	close_pipes(&scene);
}

int main(void)
{
	/* Memory that is freed changes, so that nothing can use it unseen. */
	mallopt(M_PERTURB, 0x5a);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_return_on_the_same_thread),
		cmocka_unit_test(the_code_goes_on_beside_a_late_call),
		cmocka_unit_test(without_more_threads_calls_are_refused),
		cmocka_unit_test(no_fiber_without_a_thread),
		cmocka_unit_test(calls_are_made_without_a_second_thread),
		cmocka_unit_test(cpu_time_goes_on_with_another_thread),
		cmocka_unit_test(threads_that_are_lost_are_limited),
		cmocka_unit_test(some_calls_may_last_longer),
		cmocka_unit_test(ends_are_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
