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

/* Whether a metric can be counted, as far as known. Events of the user's presets are not. */
static bool counts(void *data, const char *name)
{
	const struct catalog_answer *answer = pick_metric_answer(data, name);

	return !answer || answer->state == FIGURE_VALID;
}

static void preset_item(void *data, size_t index, struct picker_item *item)
{
	static const char *const marks[][2] = {
		{"1", "1 n/a"}, {"2", "2 n/a"}, {"3", "3 n/a"}, {"4", "4 n/a"}, {"5", "5 n/a"},
		{"6", "6 n/a"}, {"7", "7 n/a"}, {"8", "8 n/a"}, {"9", "9 n/a"}, {"", "n/a"},
	};
	struct app *app = data;
	const struct preset *preset = preset_at(&app->config, index);
	bool nothing = preset_extent(preset, counts, app) == PRESET_NOTHING;

	*item = (struct picker_item){
		.name = preset->name,
		.help = preset->help,
		.mark = marks[size_min(index, ARRAY_SIZE(marks) - 1)][nothing],
		.style = nothing ? STYLE_DIM : STYLE_NAME,
		.place = nothing ? PICKER_LAST : PICKER_FIRST,
	};
}

/* Lists the columns that can be counted, or the others. */
static size_t list_columns(struct app *app, const struct preset *preset, bool counted, char *text,
			   size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (const char *const *name = preset->metrics; *name && length + 1 < size; name++)
		if (counts(app, *name) == counted)
			length += (size_t)snprintf(text + length, size - length, "%s%s",
						   length ? ", " : "", *name);
	return length;
}

/* The reason why a column of a preset cannot be counted; NULL: it has no such column. */
static const char *why_not(const struct app *app, const struct preset *preset)
{
	for (const char *const *name = preset->metrics; *name; name++) {
		const struct catalog_answer *answer = pick_metric_answer(app, *name);
		if (answer && answer->state != FIGURE_VALID)
			return answer->why;
	}
	return NULL;
}

static void preset_about(void *data, size_t index, char *text, size_t size)
{
	struct app *app = data;
	const struct preset *preset = preset_at(&app->config, index);
	const char *why = why_not(app, preset);
	char lacking[512];

	size_t length = list_columns(app, preset, true, text, size);
	if (why && list_columns(app, preset, false, lacking, sizeof(lacking)) > 0 && length < size)
		snprintf(text + length, size - length, "\nn/a: %s\n%s", lacking, why);
}

static void choose_preset(struct app *app, const struct preset *preset)
{
	app_request(app, REQUEST_PRESET, preset->name, 0);
	if (preset_extent(preset, counts, app) == PRESET_NOTHING)
		messages_show(&app->messages, "Preset %s is n/a here. %s", preset->name,
			      why_not(app, preset));
	else
		messages_show(&app->messages, "Preset %s.", preset->name);
}

static bool preset_choose_item(void *owner, void *data, size_t index, const char *typed)
{
	struct app *app = data;

	(void)owner;
	(void)typed;
	if (index == SIZE_MAX)
		return false;
	choose_preset(app, preset_at(&app->config, index));
	return true;
}

static const struct picker_ops ops = {
	.item = preset_item,
	.about = preset_about,
	.about_lines = 3,
	.choose = preset_choose_item,
};

void pick_preset(struct app *app)
{
	const char *now = app->display.snapshot ? app->display.snapshot->columns->preset : "";

	picker_open(&app->picker, &ops, "Preset", app, count_presets(&app->config), app);
	for (size_t i = 0; i < count_presets(&app->config); i++)
		if (strcmp(preset_at(&app->config, i)->name, now) == 0)
			picker_select(&app->picker, i, app);
}

void pick_preset_update(struct app *app)
{
	if (app->picker.ops == &ops)
		picker_update(&app->picker, count_presets(&app->config), app);
}

void pick_preset_number(struct app *app, size_t index)
{
	size_t n = count_presets(&app->config);

	if (index >= n)
		messages_show(&app->messages, "There are only %zu presets.", n);
	else
		choose_preset(app, preset_at(&app->config, index));
}
