// SPDX-License-Identifier: MIT
/* When snapshots of an engine are due, on the fake kernel, whose waits return at the deadline. */
#include "core/engine/live_feed.h"
#include "tests/unit/shared/engine_run.h"

enum { TASK = 50, HZ = 199, CUTS = 4 };

#define WHOLE_NS (NS_PER_S)
#define SHORT_NS (150 * NS_PER_MS)
#define LATE_NS  (20 * NS_PER_MS) /* a snapshot takes some time */

/* Waits until a snapshot is due. Returns its length. */
static uint64_t next_length_ns(struct feed *feed)
{
	struct error err;
	int due;

	do
		due = feed_wait(feed, UINT64_MAX, &err);
	while (due == 0);
	assert_int_equal(due, 1);
	struct snapshot *snapshot = feed_snapshot(feed);
	uint64_t ns = snapshot->interval_ns;
	snapshot_free(snapshot);
	return ns;
}

static void assert_near(uint64_t ns, uint64_t expected_ns)
{
	assert_in_range(ns, expected_ns - LATE_NS, expected_ns + LATE_NS);
}

/* Without a command there are only whole intervals. With one, the sequence begins there. */
static void samples_of_code_come_soon(void **state)
{
	static const struct {
		const char *name;
		struct command commands[2]; /* at once */
		size_t n;
		uint64_t interval_ns, expected_ns[CUTS];
	} rows[] = {
		{"code begins",
		 {{.kind = COMMAND_CODE, .number = HZ}},
		 1,
		 WHOLE_NS,
		 {SHORT_NS, WHOLE_NS - SHORT_NS, WHOLE_NS, WHOLE_NS}},
		{"code ends",
		 {{.kind = COMMAND_CODE, .number = 0}},
		 1,
		 WHOLE_NS,
		 {WHOLE_NS, WHOLE_NS, WHOLE_NS, WHOLE_NS}},
		{"another command",
		 {{.kind = COMMAND_COMMAND_LINES, .number = 1}},
		 1,
		 WHOLE_NS,
		 {WHOLE_NS, WHOLE_NS, WHOLE_NS, WHOLE_NS}},
		{"with another command behind it",
		 {{.kind = COMMAND_CODE, .number = HZ},
		  {.kind = COMMAND_COMMAND_LINES, .number = 1}},
		 2,
		 WHOLE_NS,
		 {SHORT_NS, WHOLE_NS - SHORT_NS, WHOLE_NS, WHOLE_NS}},
		{"intervals are shorter anyway",
		 {{.kind = COMMAND_CODE, .number = HZ}},
		 1,
		 SHORT_NS - LATE_NS,
		 {SHORT_NS - LATE_NS, SHORT_NS - LATE_NS, SHORT_NS - LATE_NS, SHORT_NS - LATE_NS}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
		struct sys sys = fk_sys(fk);
		const struct engine_config config = {.preset = preset_find("software")};
		struct engine *engine;
		struct feed feed;
		struct error err;

		print_message("# %s\n", rows[i].name);
		fk_task(fk, &(struct fk_spec){.tid = TASK});
		fk_switch(fk, 0, TASK);
		assert_int_equal(engine_new(&sys, &config, &engine, &err), 0);
		live_init(&sys, engine, rows[i].interval_ns, &feed);
		next_length_ns(&feed);
		for (size_t k = 0; k < rows[i].n; k++)
			feed_do(&feed, &rows[i].commands[k]);
		snapshot_free(feed_snapshot(&feed));
		for (size_t k = 0; k < CUTS; k++)
			assert_near(next_length_ns(&feed), rows[i].expected_ns[k]);
		feed_free(&feed);
		assert_int_equal(fk_open_fds(fk), 0);
		fk_free(fk);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(samples_of_code_come_soon)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
