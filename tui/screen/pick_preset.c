// SPDX-License-Identifier: MIT
/*
 * Chooses a preset. Built-in presets come first, so their number keys are the same with every
 * configuration.
 */
#include "core/base/util.h"
#include "tui/screen/app.h"
#include "tui/screen/pick.h"

#include <stdio.h>
#include <string.h>

static size_t count_presets(const struct app_config *config)
{
	return preset_table_n + config->n_presets;
}

static const struct preset *preset_at(const struct app_config *config, size_t index)
{
	return index < preset_table_n ? &preset_table[index]
				      : &config->presets[index - preset_table_n];
}

static void preset_item(void *data, size_t index, struct picker_item *item)
{
	static const char *const marks[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};
	const struct preset *preset = preset_at(data, index);

	*item = (struct picker_item){.name = preset->name,
				     .help = preset->help,
				     .mark = index < ARRAY_SIZE(marks) ? marks[index] : "",
				     .style = STYLE_NAME};
}

static void preset_about(void *data, size_t index, char *text, size_t size)
{
	const struct preset *preset = preset_at(data, index);
	size_t length = 0;

	for (const char *const *name = preset->metrics; *name && length + 1 < size; name++)
		length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "",
					   *name);
}

static bool preset_choose_item(void *owner, void *data, size_t index, const char *typed)
{
	(void)typed;
	if (index == SIZE_MAX)
		return false;
	app_command(owner, COMMAND_PRESET, preset_at(data, index)->name, 0);
	return true;
}

void pick_preset(struct app *app)
{
	static const struct picker_ops ops = {
		.item = preset_item,
		.about = preset_about,
		.about_lines = 1,
		.choose = preset_choose_item,
	};
	const char *now = app->display.snapshot ? app->display.snapshot->columns->preset : "";

	picker_open(&app->picker, &ops, "Preset", &app->config, count_presets(&app->config), app);
	for (size_t i = 0; i < count_presets(&app->config); i++)
		if (strcmp(preset_at(&app->config, i)->name, now) == 0)
			picker_select(&app->picker, i, app);
}

void pick_preset_number(struct app *app, size_t index)
{
	size_t n = count_presets(&app->config);

	if (index >= n) {
		messages_show(&app->messages, "There are only %zu presets.", n);
		return;
	}

	const char *name = preset_at(&app->config, index)->name;
	app_command(app, COMMAND_PRESET, name, 0);
	messages_show(&app->messages, "Preset %s.", name);
}
