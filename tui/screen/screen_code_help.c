// SPDX-License-Identifier: MIT
/*
 * The help about the screen of code. Many keys differ from a list's here. Actions that only lists
 * have are left out, and actions of the list of functions while callers are open.
 */
#include "tui/screen/screen_code.h"

#include "tui/screen/app.h"

static const char *const action_helps[ACTIONS] = {
	[ACTION_LEFT] = "previous event",
	[ACTION_RIGHT] = "next event",
	[ACTION_NEXT_SCREEN] = "next event",
	[ACTION_PREVIOUS_SCREEN] = "previous event",
	[ACTION_DETAIL] = "callers and callees of the function",
	[ACTION_CODE] = "the row, or the whole machine",
	[ACTION_LEAVE] = "back to the callers before, to the list, from the page",
	[ACTION_QUIT] = "back, in the same steps",
	[ACTION_SEARCH] = "search a function or a module",
	[ACTION_BASELINE] = "set a baseline and begin anew: shares show the change since now",
	[ACTION_ZERO] = "begin the samples anew",
	[ACTION_UNIT] = "",
	[ACTION_FILTER] = "",
	[ACTION_USER] = "",
	[ACTION_THREADS] = "",
	[ACTION_TREE] = "",
	[ACTION_ROLL_UP] = "",
	[ACTION_IDLE] = "",
	[ACTION_COMMAND_LINE] = "",
	[ACTION_FOLLOW] = "",
	[ACTION_TAG] = "",
	[ACTION_UNTAG] = "",
	[ACTION_RAISE_PRIORITY] = "",
	[ACTION_LOWER_PRIORITY] = "",
	[ACTION_KILL] = "",
	[ACTION_SORT_CHOOSE] = "",
	[ACTION_SORT_CPU] = "",
	[ACTION_SORT_MEMORY] = "",
	[ACTION_SORT_TIME] = "",
};

static const char *help_of_action(const struct app *app, enum action action)
{
	bool of_list = action == ACTION_SEARCH || action == ACTION_SEARCH_NEXT ||
		       action == ACTION_SORT_PREVIOUS || action == ACTION_SORT_NEXT ||
		       action == ACTION_REVERSE;

	if (app->code.callers.function && of_list)
		return "";
	if (action == ACTION_CODE && !app->code.has_row)
		return "";
	return action_helps[action];
}

static bool has_metric(const struct app *app, size_t metric)
{
	const struct code_page *page = &app->code.page;

	return page->sum.columns && page->sum.columns == app->display.snapshot->columns &&
	       code_page_has_metric(page, metric);
}

static const struct screen_help_column columns[] = {
	{"SHARE%", NULL,
	 "the function's part of the samples of the row and the event, by weight, in "
	 "percent"},
	{"±", "+-",
	 "standard error of the share or the metric before it: the true one is within twice of it "
	 "in about 95 of 100 cases"},
	{"SAMPLES", NULL, "number of samples of the function"},
	{"MODULE", NULL, "file that has the function; [kernel], or a module of the kernel"},
	{"FUNCTION", NULL,
	 "its name; lib+0x1234 is code without a name, [unknown] code of an unknown file or a "
	 "name that is not read yet"},
	{0},
};

const struct screen_help code_screen_help = {
	.of_action = help_of_action,
	.columns = columns,
	.has_metric = has_metric,
};
