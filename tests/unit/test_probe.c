// SPDX-License-Identifier: MIT
/* What the kernel answers about an event, and what that makes of its state. */
#include "core/probe.h"
#include "core/util.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { BIG = 8, LITTLE = 9 };

/* Two kinds of CPUs; only the first counts branches. */
static const struct fk_pmu hybrid[] = {
	{.name = "cpu_core",
	 .type = BIG,
	 .first_cpu = 0,
	 .last_cpu = 1,
	 .events = FK_BIT(FK_CYCLES) | FK_BIT(FK_BRANCHES)},
	{.name = "cpu_atom",
	 .type = LITTLE,
	 .first_cpu = 2,
	 .last_cpu = 3,
	 .events = FK_BIT(FK_CYCLES)},
};

/* A generic event with a code for each core PMU. */
static struct event generic(uint64_t config)
{
	struct event event = {
		.name = xstrdup("generic"),
		.kind = EVENT_HARDWARE,
		.codes = xcalloc(2, sizeof(*event.codes)),
		.n_codes = 2,
	};

	/* In the order of pmu_set: by name. */
	event.codes[0].pmu = 0;
	event.codes[0].attr = (struct perf_event_attr){.type = PERF_TYPE_HARDWARE,
						       .config = (uint64_t)LITTLE << 32 | config};
	event.codes[1].pmu = 1;
	event.codes[1].attr = (struct perf_event_attr){.type = PERF_TYPE_HARDWARE,
						       .config = (uint64_t)BIG << 32 | config};
	return event;
}

static void test_each_pmu(void **state)
{
	static const struct {
		const char *name;
		uint64_t config;
		int answer;
		enum figure_state atom, core, event;
	} rows[] = {
		{"both", PERF_COUNT_HW_CPU_CYCLES, 0, FIGURE_VALID, FIGURE_VALID, FIGURE_VALID},
		{"one", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, FIGURE_UNSUPPORTED, FIGURE_VALID,
		 FIGURE_VALID},
		{"none", PERF_COUNT_HW_CACHE_MISSES, -ENOENT, FIGURE_UNSUPPORTED,
		 FIGURE_UNSUPPORTED, FIGURE_UNSUPPORTED},
	};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 4, .pmus = hybrid, .n_pmus = 2});
	struct sys sys = fk_sys(fk);
	struct pmu_set pmus;

	(void)state;
	pmu_set_read(&sys, &pmus);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event event = generic(rows[i].config);

		if (event_probe(&sys, &pmus, &event) != rows[i].answer ||
		    event.codes[0].state != rows[i].atom || event.codes[1].state != rows[i].core ||
		    event.state != rows[i].event)
			fail_msg("%s: %d %d %d", rows[i].name, event.codes[0].state,
				 event.codes[1].state, event.state);
		event_fini(&event);
	}
	assert_int_equal(fk_open_fds(fk), 0);
	pmu_set_fini(&pmus);
	fk_free(fk);
}

static void test_offline(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 4, .pmus = hybrid, .n_pmus = 2});
	struct sys sys = fk_sys(fk);
	struct event event = generic(PERF_COUNT_HW_CPU_CYCLES);
	struct pmu_set pmus;

	(void)state;
	pmu_set_read(&sys, &pmus);
	fk_cpu_offline(fk, 0);
	assert_int_equal(event_probe(&sys, &pmus, &event), 0);
	assert_int_equal(event.codes[1].state, FIGURE_VALID);
	fk_cpu_offline(fk, 1);
	assert_int_equal(event_probe(&sys, &pmus, &event), 0);
	assert_int_equal(event.codes[0].state, FIGURE_VALID);
	assert_int_equal(event.codes[1].state, FIGURE_UNSUPPORTED);
	event_fini(&event);
	pmu_set_fini(&pmus);
	fk_free(fk);
}

static void test_answers(void **state)
{
	static const struct {
		int denied; /* errno of every open */
		bool unprivileged;
		int paranoid;
		int answer;
		enum figure_state state;
	} rows[] = {
		{0, false, 4, 0, FIGURE_VALID},
		{EPERM, false, 0, -EPERM, FIGURE_DENIED},
		{ENOSYS, false, 0, -ENOSYS, FIGURE_DENIED},
		{0, true, 0, 0, FIGURE_VALID},
		{0, true, 1, 0, FIGURE_VALID}, /* its own, user and kernel */
		{0, true, 2, -EACCES, FIGURE_DENIED},
		{0, true, 3, -EACCES, FIGURE_DENIED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&(struct fk_config){.denied = rows[i].denied,
							   .unprivileged = rows[i].unprivileged,
							   .uid = 1000,
							   .paranoid = rows[i].paranoid});
		struct sys sys = fk_sys(fk);
		struct pmu_set pmus;
		struct event_code code = {.attr = {.type = PERF_TYPE_HARDWARE}};

		pmu_set_read(&sys, &pmus);
		int answer = event_probe_code(&sys, &pmus, EVENT_HARDWARE, &code);
		if (answer != rows[i].answer || code.state != rows[i].state)
			fail_msg("row %zu: %d, state %d", i, answer, code.state);
		pmu_set_fini(&pmus);
		fk_free(fk);
	}
}

/* What is refused for want of something may be had the next time. */
static void test_states(void **state)
{
	static const struct {
		int error;
		enum figure_state state;
	} rows[] = {
		{0, FIGURE_VALID},
		{EMFILE, FIGURE_VALID},
		{EBUSY, FIGURE_VALID},
		{ENOENT, FIGURE_UNSUPPORTED},
		{EINVAL, FIGURE_UNSUPPORTED},
		{EOPNOTSUPP, FIGURE_UNSUPPORTED},
		{ENODEV, FIGURE_UNSUPPORTED},
		{ENXIO, FIGURE_UNSUPPORTED},
		{EACCES, FIGURE_DENIED},
		{EPERM, FIGURE_DENIED},
		{ENOSYS, FIGURE_DENIED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(probe_state(-rows[i].error), rows[i].state);
}

static void test_derived(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct pmu_set pmus = {0};
	struct event event = {.kind = EVENT_DERIVED, .state = FIGURE_DENIED};

	(void)state;
	assert_int_equal(event_probe(&sys, &pmus, &event), 0);
	assert_int_equal(event.state, FIGURE_VALID);
	assert_int_equal(fk_calls(fk, FK_PERF_OPEN), 0);
	fk_free(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_pmu), cmocka_unit_test(test_offline),
		cmocka_unit_test(test_answers),  cmocka_unit_test(test_states),
		cmocka_unit_test(test_derived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
