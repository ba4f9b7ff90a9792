// SPDX-License-Identifier: MIT
/*
 * The key that starts and ends a recording. The engine records; the app prompts for the name and
 * sends COMMAND_RECORD.
 */
#include "tui/screen/recording.h"

#include "core/base/util.h"
#include "tui/screen/app.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static int accept_file(void *owner, const char *text, struct error *err)
{
	struct app *app = owner;

	(void)err;
	app->recording_ends = false;
	app_command(app, COMMAND_RECORD, text, 0);
	return 0;
}

/* "pmctop-HOST-20261121-204500.data": sorts by time and needs no quotes in a shell. */
static void suggest_file(const struct snapshot *snapshot, char *text, size_t size)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789.-_";
	time_t seconds = (time_t)(snapshot->realtime_ns / NS_PER_S);
	char host[sizeof(snapshot->host)], date[32] = "";
	struct tm local;

	text_copy(host, sizeof(host), snapshot->host);
	for (char *at = host; *(at += strspn(at, safe));)
		*at = '_';
	if (localtime_r(&seconds, &local))
		strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local);
	snprintf(text, size, "pmctop-%s-%s.data", host, date);
}

void recording_toggle(struct app *app)
{
	const struct snapshot *newest = display_newest(&app->display);

	if (!newest)
		return;
	if (newest->recorded_bytes > 0 && !app->recording_ends) {
		app->recording_ends = true;
		app_command(app, COMMAND_RECORD, NULL, 0);
		app_show_message(app, "The recording has ended.");
		return;
	}
	prompt_open(&app->prompt, "Record to file:", accept_file);
	suggest_file(newest, app->prompt.text, sizeof(app->prompt.text));
}
