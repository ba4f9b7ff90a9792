// SPDX-License-Identifier: MIT
/* Any text as a time or number of the user: a value within its limits, or an error text. */
#include "tests/fuzz/fuzz.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/options/duration.h"
#include "tui/options/options.h"
#include "tui/screen/replay_control.h"

#include <errno.h>
#include <math.h>

static void check_duration(const char *text)
{
	char shown[32], again[32];
	struct error err = {0};
	uint64_t ns, same;
	int rc = duration_parse(text, &ns, &err);

	if (rc) {
		fuzz_check(rc == err.code && err.text[0], "an invalid duration has an error");
		return;
	}
	fuzz_check(ns >= DURATION_MIN_NS && ns <= DURATION_MAX_NS,
		   "a duration is within its limits");
	duration_format(ns, shown, sizeof(shown));
	fuzz_check(duration_parse(shown, &same, &err) == 0, "a shown duration is valid");
	duration_format(same, again, sizeof(again));
	fuzz_check(strcmp(shown, again) == 0, "a shown duration is equal");
}

static void check_time(const char *text, struct fuzz_bytes *bytes)
{
	struct playback playback = {
		.position_ns = fuzz_u64(bytes) >> 8,
		.length_ns = fuzz_u64(bytes) >> 8,
		.begin_real_ns = fuzz_u64(bytes) >> 2,
		.final = fuzz_u8(bytes) & 1,
	};
	enum replay_goal goal = REPLAY_GOAL_TO;
	struct error err = {0};
	int64_t ns;
	int rc = replay_control_parse_goal(text, &playback, &goal, &ns, &err);

	if (rc)
		fuzz_check(rc == -EINVAL && err.text[0], "an invalid time has an error");
	else
		fuzz_check(goal == REPLAY_GOAL_BY || ns >= 0, "a position is not negative");
}

static void check_number(const char *text)
{
	double number = 0;
	size_t n = text_number(text, &number);

	fuzz_check(n <= strlen(text), "only the text is read");
	fuzz_check(n == 0 || (number >= 0 && !isnan(number)), "a number is valid");
}

static void check_speed(char *text)
{
	struct options options;
	struct error err = {0};
	char program[] = "pmctop", replay[] = "--replay=x", speed[] = "--speed";
	char *argv[] = {program, replay, speed, text, NULL};

	options_init(&options);
	if (options_parse(4, argv, &options, &err) == 0)
		fuzz_check(options.speed > 0 || strcmp(text, "max") == 0,
			   "a speed is positive, or max");
	else
		fuzz_check(err.text[0], "an invalid speed has an error");
	options_fini(&options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);

	setenv("TZ", "UTC", 1); /* times of day depend on the zone */
	check_duration(text);
	check_time(text, &bytes);
	check_number(text);
	check_speed(text);
	free(text);
	return 0;
}
