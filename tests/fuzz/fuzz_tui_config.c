// SPDX-License-Identifier: MIT
/*
 * Any text as a configuration, applied to options, keys, columns and presets. All values are valid
 * then, and each invalid line has a printable note.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/metric/preset.h"
#include "tui/options/choice.h"
#include "tui/options/config.h"
#include "tui/options/duration.h"
#include "tui/options/keymap_config.h"
#include "tui/options/options.h"
#include "tui/options/settings.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static void apply_config(struct config *config, struct options *options)
{
	struct keymap keymap;

	settings_apply(config, options);
	keymap_init(&keymap);
	keymap_configure(&keymap, config);
	fuzz_check(keymap.keys[ACTION_QUIT][0], "quit has a key");
}

static void check_engine(const struct config *config, const struct options *options)
{
	struct engine_config engine = {
		.columns = options->columns,
		.n_columns = options->n_columns,
		.user_metrics = config->metrics,
		.n_user_metrics = config->n_metrics,
		.presets = config->presets,
		.n_presets = config->n_presets,
	};
	struct error err = {0};

	for (size_t i = 0; i < config->n_presets; i++) {
		const struct preset *preset = NULL;

		fuzz_check(preset_choose(config->presets[i].name, config->presets,
					 config->n_presets, &preset, &err) == 0 &&
				   preset,
			   "a preset that was read can be chosen");
	}
	if (options->preset && preset_choose(options->preset, config->presets, config->n_presets,
					     &engine.preset, &err))
		fuzz_check(err.text[0], "an unknown preset has an error");
	if (choice_check_columns(&engine, &err))
		fuzz_check(err.text[0], "invalid columns have an error");
	if (choice_sort(options->sort, &engine, &err))
		fuzz_check(err.text[0], "an invalid sort column has an error");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes), shown[4096];
	struct config config = {0};
	struct options options;

	config_parse("f", text, &config);
	options_init(&options);
	apply_config(&config, &options);
	fuzz_check(options.interval_ns >= DURATION_MIN_NS && options.interval_ns <= DURATION_MAX_NS,
		   "the delay is within its limits");
	check_engine(&config, &options);
	for (size_t i = 0; i < config.notes.n; i++) {
		text_printable(shown, sizeof(shown), config.notes.items[i].text, UINT_MAX);
		fuzz_check(strncmp(shown, "f:", 2) == 0 && fuzz_is_printable(shown),
			   "a note names a line");
		fuzz_check(shown[strlen(shown) - 1] != ' ', "a note has a text");
	}
	options_fini(&options);
	config_fini(&config);
	free(text);
	return 0;
}
