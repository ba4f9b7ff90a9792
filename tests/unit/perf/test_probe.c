// SPDX-License-Identifier: MIT
/* The answers of the kernel to an event, and the state that follows. */
#include "core/base/util.h"
#include "core/perf/perf_access.h"
#include "core/perf/probe.h"
#include "tests/unit/shared/machine.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { BIG = 8, LITTLE = 9 };

/* Two core PMUs; only the first one counts branches. */
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

static const struct fk_config hybrid_machine = {
	.cpus = 4, .pmus = hybrid, .n_pmus = ARRAY_SIZE(hybrid)};

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

static int probe_code(const struct machine *machine, struct event_code *code)
{
	return event_probe_code(&machine->sys, &machine->pmus, EVENT_HARDWARE, code);
}

/* The levels below the first granted one are not tried. */
static void test_access(void **state)
{
	static const struct {
		const char *name;
		struct fk_config config;
		enum perf_access_level level;
		unsigned opens; /* cycles included */
	} rows[] = {
		{"root", {.cpus = 2}, PERF_ACCESS_SYSTEM, 2},
		{"paranoid 1",
		 {.unprivileged = true, .uid = 1000, .paranoid = 1},
		 PERF_ACCESS_TASK,
		 3},
		{"paranoid 2",
		 {.unprivileged = true, .uid = 1000, .paranoid = 2},
		 PERF_ACCESS_USER,
		 4},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&rows[i].config);
		struct sys sys = fk_sys(fk);
		struct perf_access access;

		perf_access_probe(&sys, &access);
		if (access.level != rows[i].level || fk_calls(fk, FK_PERF_OPEN) != rows[i].opens)
			fail_msg("%s: level %d after %u opens", rows[i].name, access.level,
				 fk_calls(fk, FK_PERF_OPEN));
		for (enum perf_access_level level = 0; level <= PERF_ACCESS_SYSTEM; level++)
			assert_int_equal(access.answers[level] == 0, level <= access.level);
		fk_free(fk);
	}
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
	struct machine machine;

	(void)state;
	machine_of(&machine, fk_new(&hybrid_machine));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event event = generic(rows[i].config);

		if (event_probe(&machine.sys, &machine.pmus, &event) != rows[i].answer ||
		    event.codes[0].state != rows[i].atom || event.codes[1].state != rows[i].core ||
		    event.state != rows[i].event)
			fail_msg("%s: %d %d %d", rows[i].name, event.codes[0].state,
				 event.codes[1].state, event.state);
		event_fini(&event);
	}
	assert_int_equal(fk_open_fds(machine.fk), 0);
	machine_fini(&machine);
}

static void test_offline(void **state)
{
	struct event event = generic(PERF_COUNT_HW_CPU_CYCLES);
	struct machine machine;

	(void)state;
	machine_of(&machine, fk_new(&hybrid_machine));
	fk_cpu_offline(machine.fk, 0);
	assert_int_equal(event_probe(&machine.sys, &machine.pmus, &event), 0);
	assert_int_equal(event.codes[1].state, FIGURE_VALID);
	fk_cpu_offline(machine.fk, 1);
	assert_int_equal(event_probe(&machine.sys, &machine.pmus, &event), 0);
	assert_int_equal(event.codes[0].state, FIGURE_VALID);
	assert_int_equal(event.codes[1].state, FIGURE_UNSUPPORTED);
	event_fini(&event);
	machine_fini(&machine);
}

/* If resources are lacking the state is VALID, as the next opening may succeed. */
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
		{EMFILE, false, 0, -EMFILE, FIGURE_VALID},
		{EBUSY, false, 0, -EBUSY, FIGURE_VALID},
		{ENOENT, false, 0, -ENOENT, FIGURE_UNSUPPORTED},
		{EINVAL, false, 0, -EINVAL, FIGURE_UNSUPPORTED},
		{EOPNOTSUPP, false, 0, -EOPNOTSUPP, FIGURE_UNSUPPORTED},
		{ENODEV, false, 0, -ENODEV, FIGURE_UNSUPPORTED},
		{ENXIO, false, 0, -ENXIO, FIGURE_UNSUPPORTED},
		{EACCES, false, 0, -EACCES, FIGURE_DENIED},
		{EPERM, false, 0, -EPERM, FIGURE_DENIED},
		{ENOSYS, false, 0, -ENOSYS, FIGURE_DENIED},
		{0, true, 0, 0, FIGURE_VALID},
		{0, true, 1, 0, FIGURE_VALID}, /* the caller's task, user and kernel mode */
		{0, true, 2, -EACCES, FIGURE_DENIED},
		{0, true, 3, -EACCES, FIGURE_DENIED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct fk_config config = {.denied = rows[i].denied,
						 .unprivileged = rows[i].unprivileged,
						 .uid = 1000,
						 .paranoid = rows[i].paranoid};
		struct event_code code = {.attr = {.type = PERF_TYPE_HARDWARE}};
		struct machine machine;

		machine_of(&machine, fk_new(&config));
		int answer = probe_code(&machine, &code);
		if (answer != rows[i].answer || code.state != rows[i].state)
			fail_msg("row %zu: %d, state %d", i, answer, code.state);
		machine_fini(&machine);
	}
}

/* Top-down events are refused alone. After slots, if the PMU has them, they count. */
static void test_after_slots(void **state)
{
	static const struct {
		const char *name;
		bool slots;    /* in sysfs */
		unsigned fail; /* opens that are refused: each other one of so many */
		bool ordinary; /* a user without rights to whole CPUs */
		int answer;
	} rows[] = {
		{"alone", false, 1, false, -EINVAL},
		{"after slots", true, 1, false, 0},
		{"refused after slots", true, 3, false, -EINVAL},
		{"after slots, for the caller itself", true, 3, true, 0},
		{"refused for the caller, too", true, 5, true, -EINVAL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct fk_config config = {
			.unprivileged = rows[i].ordinary, .uid = 1000, .paranoid = 2};
		struct event_code code = {
			.attr = {.type = 4, .config = 0x3c, .exclude_kernel = rows[i].ordinary}};
		struct machine machine;

		machine_of(&machine, fk_new(rows[i].ordinary ? &config : NULL));
		if (rows[i].slots)
			fk_file(machine.fk, PMU_DEVICES "/cpu/events/slots",
				"event=0x00,umask=0x4\n");
		for (unsigned k = 1; k <= rows[i].fail; k += 2)
			fk_fail(machine.fk, FK_PERF_OPEN, k, EINVAL);
		int answer = probe_code(&machine, &code);
		if (answer != rows[i].answer)
			fail_msg("%s: %d", rows[i].name, answer);
		assert_int_equal(fk_open_fds(machine.fk), 0);
		machine_fini(&machine);
	}
}

/* Arm's PMU opens any number. sysfs has the architecture's events that this CPU has. */
static void test_counts_nothing(void **state)
{
	static const struct fk_pmu arm[] = {{.name = "armv8_pmuv3_0",
					     .type = 8,
					     .first_cpu = 0,
					     .last_cpu = 0,
					     .events = FK_ALL_HARDWARE}};
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
		int answer;
	} rows[] = {
		{"listed", 8, 0x11, 0},
		{"listed, raw", PERF_TYPE_RAW, 0x08, 0},
		{"not listed", 8, 0x1b, -ENOENT},
		{"not listed, raw", PERF_TYPE_RAW, 0x21, -ENOENT},
		{"not the architecture's", 8, 0x100, 0},
		{"generic", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0},
	};
	const bool *ordinary = *state;
	const struct fk_config config = {
		.pmus = arm, .n_pmus = 1, .unprivileged = *ordinary, .uid = 1000, .paranoid = 2};
	struct machine machine;

	machine_of(&machine, fk_new(&config));
	/* Without a list in sysfs, the event is accepted. */
	struct event_code code = {.attr = {.type = 8, .config = 0x1b, .exclude_kernel = *ordinary}};
	assert_int_equal(probe_code(&machine, &code), 0);
	fk_file(machine.fk, PMU_DEVICES "/armv8_pmuv3_0/events/cpu_cycles", "event=0x011\n");
	fk_file(machine.fk, PMU_DEVICES "/armv8_pmuv3_0/events/inst_retired", "event=0x008\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		code = (struct event_code){.attr = {.type = rows[i].type,
						    .config = rows[i].config,
						    .exclude_kernel = *ordinary}};
		int answer = probe_code(&machine, &code);
		if (answer != rows[i].answer)
			fail_msg("%s: %d", rows[i].name, answer);
	}
	machine_fini(&machine);
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
	static bool no = false, yes = true;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_each_pmu),
		cmocka_unit_test(test_offline),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_after_slots),
		cmocka_unit_test_prestate(test_counts_nothing, &no),
		cmocka_unit_test_prestate(test_counts_nothing, &yes),
		cmocka_unit_test(test_derived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
