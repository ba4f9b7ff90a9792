// SPDX-License-Identifier: MIT
/*
 * Which screen is shown, and which one is left for: the screens that Tab goes through, pages of a
 * row, and those that are shown above any other.
 */
#include "tui/screen/app.h"

#include "core/base/util.h"

#include <stdio.h>
#include <string.h>

/* The screens that Tab goes through. */
static const struct screen *const round_screens[] = {&screen_tasks, &screen_cpus, &screen_events,
						     &screen_findings};
enum { ROUND_SCREENS = ARRAY_SIZE(round_screens) };

/* Index of a screen in round_screens; ROUND_SCREENS if it is not there. */
static size_t round_index(const struct screen *screen)
{
	size_t at = 0;

	while (at < ROUND_SCREENS && round_screens[at] != screen)
		at++;
	return at;
}

const struct screen *app_round_screen(const struct app *app)
{
	return round_index(app->screen) < ROUND_SCREENS ? app->screen : app->round_screen;
}

void app_go_to(struct app *app, const struct screen *screen)
{
	app->round_screen = app_round_screen(app);
	app->screen = screen;
	app->page.top = 0;
}

void app_leave(struct app *app)
{
	app_go_to(app, app->round_screen);
}

void app_go_round(struct app *app, bool forward)
{
	size_t at = round_index(app->screen);

	if (at == ROUND_SCREENS)
		app_leave(app);
	else
		app_go_to(app,
			  round_screens[(at + (forward ? 1 : ROUND_SCREENS - 1)) % ROUND_SCREENS]);
}

void app_round_names(const struct app *app, char *text, size_t size)
{
	size_t shown = round_index(app->screen), length = 0;

	text[0] = '\0';
	for (size_t i = 0; shown < ROUND_SCREENS && i < ROUND_SCREENS && length < size; i++)
		length += (size_t)snprintf(text + length, size - length,
					   i == shown ? "%s[%s]" : "%s%s", i ? " " : "",
					   round_screens[i]->name);
}

void app_go_round_at(struct app *app, int column)
{
	size_t shown = round_index(app->screen);
	int begin = 0;

	for (size_t i = 0; i < ROUND_SCREENS && column >= begin; i++) {
		int end = begin + (int)strlen(round_screens[i]->name) + (i == shown ? 2 : 0);

		if (column < end) {
			app_go_to(app, round_screens[i]);
			return;
		}
		begin = end + 1;
	}
	app_go_round(app, true);
}

const struct screen *app_screen_below(const struct app *app)
{
	bool is_above = app->screen == &screen_help || app->screen == &screen_log ||
			app->screen == &screen_setup;

	return is_above ? app->below : app->screen;
}

void app_go_above(struct app *app, const struct screen *screen)
{
	app->below = app_screen_below(app);
	app_go_to(app, screen);
}

void app_leave_to_below(struct app *app)
{
	app_go_to(app, app->below);
}
