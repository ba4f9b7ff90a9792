// SPDX-License-Identifier: MIT
/* The thread around the engine, on this kernel: it counts, and stops in whatever it waits for. */
#include "tests/unit/shared/feed_thread_run.h"

#include <unistd.h>

static void columns_come_and_go(void **state)
{
	const struct engine_config config = {.preset = preset_find("software")};

	(void)state;
	feed_thread_check_columns(feed_thread_open(NULL, &config, REFRESH_NS));
}

/* However long an interval is, and whatever the rings do. Else this takes ten hours. */
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
		cmocka_unit_test(columns_come_and_go),
		cmocka_unit_test(stops_in_a_long_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
