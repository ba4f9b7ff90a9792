// SPDX-License-Identifier: MIT
/*
 * A day of refreshes, made in seconds on the fake kernel, in each format. As a test of some of them
 * it checks that they conserve and that memory is bounded. With a format and a number it writes
 * them to standard output, for readers of such a file (tests/live).
 *
 *	test_output_day csv 10000 >day.csv
 */
#include "core/output/batch_format.h"
#include "tests/unit/shared/allocated.h"
#include "tests/unit/shared/day.h"

enum { REFRESHES = 2000, SETTLED = 1000 };

static const struct engine_column columns[] = {{ENGINE_EVENTS, "page-faults", false},
					       {ENGINE_METRIC, "x,y=instructions/cycles", true}};
static const struct engine_config config = {
	.columns = columns, .n_columns = ARRAY_SIZE(columns), .command_lines = true};

static void write_refresh(const struct batch_format *format, void *kept,
			  const struct snapshot *snapshot, FILE *out)
{
	struct view view;

	if (format->replace) {
		format->replace(kept, snapshot, out);
		return;
	}
	view_init(snapshot, &(struct view_spec){.by = ROLLUP_PROCESS, .top = 12}, &view);
	format->write(kept, &view, out);
	view_fini(&view);
}

/* next_snapshot() checks that each snapshot conserves. */
static void write_day(const char *name, unsigned n, FILE *out, size_t used[2])
{
	const struct batch_format *format = batch_format_find(name);
	void *kept = format->begin ? format->begin(12) : NULL;
	struct day day;

	/* Children live for more than one refresh, and for less. */
	day_open(&day, 7 * NS_PER_MS, &config);
	for (unsigned i = 0; i < n; i++) {
		struct snapshot *snapshot = next_snapshot(day.engine, day.fk, 10 * NS_PER_MS);

		write_refresh(format, kept, snapshot, out);
		snapshot_free(snapshot);
		if (used && i == SETTLED)
			used[0] = allocated_bytes();
	}
	if (used)
		used[1] = allocated_bytes();
	if (format->end)
		format->end(kept);
	day_close(&day);
}

static void a_day_in_each_format(void **state)
{
	size_t first = 0;

	(void)state;
	for (size_t i = 0; i < batch_formats_n; i++) {
		FILE *out = fopen("/dev/null", "we");
		size_t used[2] = {0};

		assert_non_null(out);
		write_day(batch_formats[i].name, REFRESHES, out, used);
		fclose(out);
		/* The fake kernel keeps its dead; beyond that nothing grows with the run. */
		size_t grown = used[1] > used[0] ? used[1] - used[0] : 0;
		if (i == 0)
			first = grown;
		else if (grown > first + ALLOCATED_SLACK_BYTES)
			fail_msg("%s: %zu bytes more, not %zu", batch_formats[i].name, grown,
				 first);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_day_in_each_format),
	};

	if (argc == 3 && batch_format_find(argv[1])) {
		write_day(argv[1], (unsigned)atoi(argv[2]), stdout, NULL);
		return fflush(stdout) != 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
