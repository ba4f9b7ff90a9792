// SPDX-License-Identifier: MIT
/* A configuration file: any text is read, and what is wrong with it is noted by a line that exists.
 */
#include "fuzz.h"

#include "core/config.h"

static unsigned count_lines(const char *text)
{
	unsigned lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void check_section(const struct config_section *section, unsigned lines)
{
	for (size_t i = 0; i < section->n; i++) {
		const struct config_entry *entry = &section->items[i];

		fuzz_check(entry->name[0], "an entry has a name");
		fuzz_check(entry->line >= 1 && entry->line <= lines, "and a line");
		fuzz_check(!strchr(entry->value, '\n'), "its value is one line");
		for (size_t k = 0; k < i; k++)
			fuzz_check(strcmp(section->items[k].name, entry->name) != 0,
				   "a name is there once");
	}
}

static bool is_metric(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->n_metrics; i++)
		if (strcmp(config->metrics[i].name, name) == 0)
			return true;
	return metric_def_find(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);
	unsigned lines = count_lines(text);
	struct config config = {0};

	config_parse("f", text, &config);
	check_section(&config.settings, lines);
	check_section(&config.metrics_as_written, lines);
	check_section(&config.presets_as_written, lines);
	for (size_t i = 0; i < config.n_presets; i++)
		for (const char *const *name = config.presets[i].metrics; *name; name++)
			fuzz_check(is_metric(&config, *name), "a preset's metrics are known");
	for (size_t i = 0; i < config.notes.n; i++) {
		unsigned line;

		fuzz_check(sscanf(config.notes.items[i], "f:%u:", &line) == 1 && line >= 1 &&
				   line <= lines,
			   "a note names a line");
	}
	config_fini(&config);
	free(text);
	return 0;
}
