// SPDX-License-Identifier: MIT
/*
 * Functions of known shares on this kernel: a child process spends 70 % of its time in one function
 * and the rest in another, by steps of equal length. Needs the right to count whole CPUs.
 */
#include "core/base/util.h"
#include "core/engine/engine.h"
#include "core/view/code_view.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { HZ = 199, INTERVALS = 5, STEPS = 1 << 16 };
/* Names are found beside counting, on a busy machine not in each interval. */
enum { UNNAMED_MAX = 30 };

#define BURN                                           \
	do {                                           \
		for (uint32_t i = 0; i < steps; i++) { \
			x ^= x << 13;                  \
			x ^= x >> 7;                   \
			x ^= x << 17;                  \
		}                                      \
	} while (0)

__attribute__((noinline)) uint64_t burn_seventy(uint64_t x, uint32_t steps);
__attribute__((noinline)) uint64_t burn_thirty(uint64_t x, uint32_t steps);

uint64_t burn_seventy(uint64_t x, uint32_t steps)
{
	BURN;
	return x;
}

uint64_t burn_thirty(uint64_t x, uint32_t steps)
{
	BURN;
	return x + 1;
}

static pid_t start_burner(void)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (volatile uint64_t x = 88172645463325252u;;) {
		x = burn_seventy(x, 7 * STEPS);
		x = burn_thirty(x, 3 * STEPS);
	}
}

/* What a function had in the intervals that have names. */
struct sum {
	const char *name;
	double share;
	uint64_t samples, of;
};

static uint64_t samples_of(const struct code_view *view, const char *name)
{
	uint64_t samples = 0;

	for (size_t k = 0; k < view->n; k++)
		if (strcmp(view->lines[k].function->name, name) == 0)
			samples += view->lines[k].events[0].samples;
	return samples;
}

/* Adds an interval if the functions of the child have names there. Returns whether they have. */
static bool add_interval(const struct snapshot *snapshot, pid_t pid, struct sum *sums, size_t n)
{
	struct code_index *index = code_index_new(snapshot);
	const struct code_subject subject = {
		.key = {.kind = HISTORY_PROCESS, .number = (uint32_t)pid}};
	struct code_view view;

	assert_non_null(index);
	code_view_init(index, &subject, 0, &view);
	uint64_t all = view.totals[0].samples, unknown = samples_of(&view, "[unknown]");
	bool named = all > 0 && unknown * 50 < all;
	for (size_t i = 0; named && i < n; i++) {
		sums[i].of += all;
		sums[i].samples += samples_of(&view, sums[i].name);
	}
	print_message("# %llu samples by %s, %llu without a name\n", (unsigned long long)all,
		      view.profile->events[0].name, (unsigned long long)unknown);
	code_view_fini(&view);
	code_index_free(index);
	return named;
}

static void shares_are_those_of_the_steps(void **state)
{
	struct sum sums[] = {{"burn_seventy", 0.7, 0, 0}, {"burn_thirty", 0.3, 0, 0}};
	const struct engine_config config = {.code_hz = HZ};
	struct engine *engine;
	struct error err;
	struct sys sys;

	(void)state;
	assert_int_equal(sys_linux_init(&sys), 0);
	pid_t pid = start_burner();
	int result = engine_new(&sys, &config, &engine, &err);
	if (result < 0)
		fail_msg("%s", err.text);
	enum count_mode mode = COUNT_MODE_SYSTEM;
	for (int named = 0, i = 0; named < INTERVALS && mode == COUNT_MODE_SYSTEM; i++) {
		assert_true(i < INTERVALS + UNNAMED_MAX);
		uint64_t deadline_ns = sys_now_ns(&sys) + NS_PER_S;
		while (engine_wait(engine, deadline_ns) != 0)
			;
		struct snapshot *snapshot = engine_snapshot(engine);
		mode = snapshot->mode;
		if (mode == COUNT_MODE_SYSTEM)
			named += add_interval(snapshot, pid, sums, ARRAY_SIZE(sums));
		snapshot_free(snapshot);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	engine_free(engine);
	sys_linux_fini(&sys);
	if (mode != COUNT_MODE_SYSTEM)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		double n = (double)sums[i].of, p = sums[i].share;
		double share = (double)sums[i].samples / n;
		print_message("# %s: %.3f of %.0f samples\n", sums[i].name, share, n);
		assert_true(n >= 50);
		/* 1 %: other functions, and interrupts that the kernel runs in its time. */
		assert_true(fabs(share - p) <= 3 * sqrt(p * (1 - p) / n) + 0.01);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(shares_are_those_of_the_steps)};

	return cmocka_run_group_tests_name("code functions", tests, NULL, NULL);
}
