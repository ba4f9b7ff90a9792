// SPDX-License-Identifier: MIT
/*
 * Any text as a configuration file. Each note has the number of an existing line. A change of one
 * entry leaves the others.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/util.h"
#include "tui/options/config.h"
#include "tui/options/config_edit.h"

#include <errno.h>
#include <string.h>

static unsigned count_lines(const char *text)
{
	unsigned lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void check_section(const struct config_section *section, unsigned lines)
{
	fuzz_check(section->n <= CONFIG_ENTRIES_MAX, "a section is bounded");
	for (size_t i = 0; i < section->n; i++) {
		const struct config_entry *entry = &section->items[i];

		fuzz_check(entry->name[0], "an entry has a name");
		fuzz_check(entry->line >= 1 && entry->line <= lines, "an entry has a line");
		fuzz_check(!strchr(entry->value, '\n'), "its value is one line");
		for (size_t k = 0; k < i; k++)
			fuzz_check(strcmp(section->items[k].name, entry->name) != 0,
				   "a name is unique");
	}
}

static void check_same(const struct config_section *before, const struct config_section *after,
		       const char *changed)
{
	size_t n = 0;

	for (size_t i = 0; i < before->n; i++) {
		const struct config_entry *entry = &before->items[i];

		if (changed && strcmp(entry->name, changed) == 0)
			continue;
		while (n < after->n && changed && strcmp(after->items[n].name, changed) == 0)
			n++;
		fuzz_check(n < after->n && strcmp(after->items[n].name, entry->name) == 0 &&
				   strcmp(after->items[n].value, entry->value) == 0,
			   "other entries are unchanged");
		n++;
	}
	while (n < after->n && changed && strcmp(after->items[n].name, changed) == 0)
		n++;
	fuzz_check(n == after->n, "no entry is added");
}

/* A value is written so that it is read unchanged, or is refused. */
static void check_edit(const char *text, const struct config *before, const char *value, bool plain)
{
	const struct config_change change = {"pmctop", "a", value};
	struct config after = {0};
	struct error err = {0};
	char *edited = config_edit(text, &change, 1, &err), *again;

	fuzz_check(edited || !plain || err.code == -E2BIG,
		   "a plain value can be written unless the file is full");
	fuzz_check(edited || err.text[0], "a refusal has a text");
	if (!edited)
		return;
	config_parse("f", edited, &after);
	/* An entry that leaves a full section lets in one that was ignored. */
	if (!before->settings.full)
		check_same(&before->settings, &after.settings, change.name);
	check_same(&before->metrics_as_written, &after.metrics_as_written, NULL);
	check_same(&before->presets_as_written, &after.presets_as_written, NULL);
	check_same(&before->keys, &after.keys, NULL);
	again = config_edit(edited, &change, 1, &err);
	fuzz_check(again && strcmp(edited, again) == 0, "the same change twice has no effect");
	config_fini(&after);
	free(edited);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes), *value = fuzz_text(&bytes);
	unsigned lines = count_lines(text);
	struct config config = {0};

	config_parse("f", text, &config);
	check_section(&config.settings, lines);
	check_section(&config.metrics_as_written, lines);
	check_section(&config.presets_as_written, lines);
	for (size_t i = 0; i < config.n_presets; i++)
		for (const char *const *name = config.presets[i].metrics; *name; name++)
			fuzz_check((*name)[0], "a preset's metrics and events have names");
	for (size_t i = 0; i < config.notes.n; i++) {
		unsigned line;

		fuzz_check(sscanf(config.notes.items[i].text, "f:%u:", &line) == 1 && line >= 1 &&
				   line <= lines,
			   "a note names a line");
	}
	check_edit(text, &config, "1", true);
	check_edit(text, &config, NULL, true);
	check_edit(text, &config, value, false);
	config_fini(&config);
	free(text);
	free(value);
	return 0;
}
