// SPDX-License-Identifier: MIT
/* A command line, words separated by NULs: options within their limits, or an error text. */
#include "tests/fuzz/fuzz.h"

#include "tui/options/choice.h"
#include "tui/options/duration.h"
#include "tui/options/options.h"

#include <errno.h>

enum { WORDS_MAX = 32 };

/* Names are valid or have an error text. */
static void check_choices(const struct options *options)
{
	const struct engine_config config = {
		.columns = options->columns,
		.n_columns = options->n_columns,
	};
	const struct preset *preset = NULL;
	struct error err = {0};

	if (choice_check_columns(&config, &err))
		fuzz_check((err.code == -EINVAL || err.code == -E2BIG) && err.text[0],
			   "invalid columns have an error");
	if (choice_sort(options->sort, &config, &err))
		fuzz_check(err.code == -EINVAL && err.text[0], "an unknown column has an error");
	if (options->preset && preset_choose(options->preset, NULL, 0, &preset, &err))
		fuzz_check(err.code == -EINVAL && err.text[0], "an unknown preset has an error");
	else
		fuzz_check(!options->preset || preset, "the preset exists");
}

static void check_options(const struct options *options)
{
	fuzz_check(options->interval_ns >= DURATION_MIN_NS &&
			   options->interval_ns <= DURATION_MAX_NS,
		   "the delay is within its limits");
	fuzz_check(options->iterations <= UINT32_MAX,
		   "the number of refreshes is within its limit");
	fuzz_check(options->color <= OPTIONS_COLOR_NEVER, "the colour is one of its words");
	fuzz_check(options->task != OPTIONS_RUN || !options->pattern, "only lists have a pattern");
	fuzz_check(options->n_columns <= WORDS_MAX, "each column has a word");
	fuzz_check(!options->command || options->command[0], "there is a command behind --");
	for (size_t i = 0; i < options->n_columns; i++)
		fuzz_check(options->columns[i].text[0], "a column has a name");
	check_choices(options);
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
	options_init(&options);
	int result = options_parse(n + 1, argv, &options, &err);
	if (result == 0)
		check_options(&options);
	else
		fuzz_check(result == -EINVAL && err.code == result && err.text[0],
			   "a refusal has a text");
	options_fini(&options);
	for (int i = 0; i < n; i++) /* argv may have been permuted */
		free(words[i]);
	return 0;
}
