// SPDX-License-Identifier: MIT
/* Chooses a theme. The selected theme is applied at once; Esc restores the one before. */
#include "core/base/util.h"
#include "tui/screen/app.h"
#include "tui/screen/pick.h"
#include "tui/term/theme_load.h"

#include <stdlib.h>
#include <string.h>

struct theme_choice {
	struct theme_list list;
	char before[sizeof(((struct preferences *)0)->theme)]; /* restored by Esc */
};

static void theme_item(void *data, size_t index, struct picker_item *item)
{
	const struct theme_choice *choice = data;

	*item = (struct picker_item){.name = choice->list.items[index].name,
				     .help = choice->list.items[index].about,
				     .style = STYLE_NAME};
}

static void theme_select(void *owner, void *data, size_t index)
{
	const struct theme_choice *choice = data;
	struct app *app = owner;

	text_copy(app->preferences.theme, sizeof(app->preferences.theme),
		  choice->list.items[index].name);
}

static bool theme_choose(void *owner, void *data, size_t index, const char *typed)
{
	(void)owner, (void)data, (void)typed;
	return index != SIZE_MAX;
}

static void theme_close(void *owner, void *data, bool chosen)
{
	struct theme_choice *choice = data;
	struct app *app = owner;

	if (!chosen)
		text_copy(app->preferences.theme, sizeof(app->preferences.theme), choice->before);
	theme_list_fini(&choice->list);
	free(choice);
}

void pick_theme(struct app *app)
{
	static const struct picker_ops ops = {
		.item = theme_item,
		.select = theme_select,
		.choose = theme_choose,
		.close = theme_close,
	};
	struct theme_choice *choice = xcalloc(1, sizeof(*choice));

	text_copy(choice->before, sizeof(choice->before), app->preferences.theme);
	theme_list_read(&app->config.themes, &choice->list);
	picker_open(&app->picker, &ops, "Theme", choice, choice->list.n, app);
	for (size_t i = 0; i < choice->list.n; i++)
		if (strcmp(choice->list.items[i].name,
			   choice->before[0] ? choice->before : "default") == 0)
			picker_select(&app->picker, i, app);
}
