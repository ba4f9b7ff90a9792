// SPDX-License-Identifier: MIT
/* The feed thread on this kernel: it counts, and stops during any wait. */
#include "tests/unit/shared/feed_thread_run.h"

#include <unistd.h>

static void columns_are_added_and_removed(void **state)
{
	const struct engine_config config = {.preset = preset_find("software")};

	(void)state;
	feed_thread_check_columns(feed_thread_open(NULL, &config, REFRESH_NS));
}

/* Stops at once in an interval of an hour. */
static void stops_in_a_long_interval(void **state)
{
	static const struct engine_config config;

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		struct feed_thread *feed_thread = feed_thread_open(NULL, &config, 3600 * NS_PER_S);

		usleep(i * 300);
		feed_thread_free(feed_thread);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_added_and_removed),
		cmocka_unit_test(stops_in_a_long_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
