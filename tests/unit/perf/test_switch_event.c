// SPDX-License-Identifier: MIT
/* The choice of the event that samples context switches, with the reason. */
#include "core/perf/switch_event.h"

#include "core/base/util.h"
#include "core/perf/group.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ID     FK_TRACING "/sched/sched_switch/id"
#define FORMAT FK_TRACING "/sched/sched_switch/format"
#define PID    "/proc/self/ns/pid"

/* The machines of the rows. Without braces in it, a row keeps to few lines. */
#define ROOT(mount)                           \
	{                                     \
		.tracefs = FK_TRACEFS_##mount \
	}
#define USER(paranoia)                                                                      \
	{                                                                                   \
		.tracefs = FK_TRACEFS_MOUNTED, .unprivileged = true, .paranoid = (paranoia) \
	}

static void test_choices(void **state)
{
	static const struct {
		const char *name;
		struct fk_config config;
		const char *path, *text; /* NULL: no change; text NULL: the file is missing */
		enum switch_event_choice wanted;
		int answer;
	} rows[] = {
		{"root", ROOT(MOUNTED), NULL, NULL, SWITCH_EVENT_TRACEPOINT, 0},
		{"root of the first pid namespace", ROOT(MOUNTED), PID, "pid:[4026531836]",
		 SWITCH_EVENT_TRACEPOINT, 0},
		{"another pid namespace", ROOT(MOUNTED), PID, "pid:[4026532300]",
		 SWITCH_EVENT_NAMESPACE, 0},
		{"paranoid -1", USER(-1), NULL, NULL, SWITCH_EVENT_TRACEPOINT, 0},
		{"paranoid 0", USER(0), NULL, NULL, SWITCH_EVENT_DENIED, -EPERM},
		{"not mounted", ROOT(NONE), NULL, NULL, SWITCH_EVENT_NOT_MOUNTED, 0},
		{"unreadable", ROOT(UNREADABLE), NULL, NULL, SWITCH_EVENT_UNREADABLE, 0},
		{"no tracepoint", ROOT(MOUNTED), ID, NULL, SWITCH_EVENT_ABSENT, 0},
		{"another format", ROOT(MOUNTED), FORMAT, "?\n", SWITCH_EVENT_FORMAT, 0},
		{"an id that is refused", ROOT(MOUNTED), ID, "77\n", SWITCH_EVENT_REFUSED, -EINVAL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&rows[i].config);
		struct sys sys = fk_sys(fk);
		struct switch_event event;

		if (rows[i].path)
			fk_file(fk, rows[i].path, rows[i].text);
		switch_event_open(&event, &sys, 0);
		bool tracepoint = rows[i].wanted == SWITCH_EVENT_TRACEPOINT;
		struct perf_event_attr attr = group_switch_attr(&event, 4096);
		if (event.choice != rows[i].wanted || event.answer != rows[i].answer)
			fail_msg("%s: %d, %d", rows[i].name, (int)event.choice, event.answer);
		assert_int_equal(fk_open_fds(fk), tracepoint);
		assert_true(tracepoint == (switch_event_format(&event) == &event.format));
		assert_int_equal(attr.type, tracepoint ? PERF_TYPE_TRACEPOINT : PERF_TYPE_SOFTWARE);
		assert_int_equal(attr.config,
				 tracepoint ? FK_SCHED_SWITCH : PERF_COUNT_SW_CONTEXT_SWITCHES);
		assert_int_equal(attr.sample_type,
				 RECORD_SAMPLE_TYPE | (tracepoint ? PERF_SAMPLE_RAW : 0));
		switch_event_close(&event, &sys);
		assert_int_equal(fk_open_fds(fk), 0);
		fk_free(fk);
	}
}

static void test_refused_in_a_group(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.tracefs = FK_TRACEFS_MOUNTED});
	struct sys sys = fk_sys(fk);
	struct switch_event event;

	(void)state;
	switch_event_open(&event, &sys, 0);
	switch_event_refuse(&event, &sys, -EINVAL);
	assert_int_equal(event.choice, SWITCH_EVENT_REFUSED);
	assert_int_equal(event.answer, -EINVAL);
	assert_null(switch_event_format(&event));
	assert_int_equal(fk_open_fds(fk), 0);
	switch_event_close(&event, &sys);
	fk_free(fk);
}

static void test_wakings(void **state)
{
	static const struct {
		const char *name;
		struct fk_config config;
		const char *format;
		int result;
	} rows[] = {
		{"root", ROOT(MOUNTED), NULL, 0},
		{"not mounted", ROOT(NONE), NULL, -EOPNOTSUPP},
		{"another format", ROOT(MOUNTED), "?\n", -EOPNOTSUPP},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&rows[i].config);
		struct sys sys = fk_sys(fk);
		struct switch_event event;

		if (rows[i].format)
			fk_file(fk, FK_TRACING "/sched/sched_waking/format", rows[i].format);
		switch_event_open(&event, &sys, 0);
		unsigned before = fk_open_fds(fk);
		assert_null(switch_event_wakings(&event));
		assert_int_equal(switch_event_sample_wakings(&event, &sys, 0, true),
				 rows[i].result);
		assert_true((switch_event_wakings(&event) != NULL) == (rows[i].result == 0));
		assert_int_equal(fk_open_fds(fk) - before, rows[i].result == 0);
		assert_int_equal(switch_event_sample_wakings(&event, &sys, 0, false), 0);
		assert_null(switch_event_wakings(&event));
		if (rows[i].result == 0)
			assert_int_equal(group_waking_attr(&event, 4096).config, FK_SCHED_WAKING);
		fk_fail(fk, FK_PERF_OPEN, 1, EPERM);
		int again = switch_event_sample_wakings(&event, &sys, 0, true);
		assert_int_equal(again, rows[i].result);
		switch_event_close(&event, &sys);
		assert_int_equal(fk_open_fds(fk), 0);
		fk_free(fk);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_refused_in_a_group),
		cmocka_unit_test(test_wakings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
