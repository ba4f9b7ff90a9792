// SPDX-License-Identifier: MIT
/* A command line, its words apart by NULs: refused with a sentence, or options within their limits.
 */
#include "fuzz.h"

#include "core/metric.h"
#include "core/preset.h"
#include "core/util.h"
#include "tui/duration.h"
#include "tui/options.h"

#include <errno.h>

enum { WORDS_MAX = 32 };

static bool is_column(const char *name)
{
	static const char *const others[] = {"", "pid", "tid", "user", "command"};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strcmp(others[i], name) == 0)
			return true;
	return metric_def_find(name);
}

static void check_options(const struct options *options)
{
	fuzz_check(options->interval_ns >= DURATION_MIN_NS &&
			   options->interval_ns <= DURATION_MAX_NS,
		   "the delay is within its limits");
	fuzz_check(options->iterations <= UINT32_MAX, "so is the number of refreshes");
	fuzz_check(options->color <= OPTIONS_COLOR_NEVER, "words have their meaning");
	fuzz_check(is_column(options->sort), "there is such a column");
	fuzz_check(!options->preset || preset_find(options->preset), "there is such a preset");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char program[] = "pmctop", *words[WORDS_MAX + 1] = {0}, *argv[WORDS_MAX + 2] = {program};
	struct options options;
	struct error err = {0};
	int n = 0;

	for (; n < WORDS_MAX && bytes.left > 0; n++)
		argv[n + 1] = words[n] = fuzz_text(&bytes);
	int result = options_parse(n + 1, argv, &options, &err);
	if (result == 0)
		check_options(&options);
	else
		fuzz_check(result == -EINVAL && err.code == result && err.text[0],
			   "what is refused is explained");
	for (int i = 0; i < n; i++) /* argv may have been permuted */
		free(words[i]);
	return 0;
}
