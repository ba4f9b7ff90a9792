// SPDX-License-Identifier: MIT
/* Which function a row runs most, for a column and for verdicts, which have room for one. */
#include "core/view/code_hottest.h"

#include "core/base/util.h"

#include <stdint.h>
#include <string.h>

size_t code_find_event(const struct code_profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->n_events; i++)
		if (strcmp(profile->events[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

size_t code_find_counted(const struct code_profile *profile, unsigned counted)
{
	for (size_t i = 0; i < profile->n_events; i++)
		if (profile->events[i].counted == counted)
			return i;
	return SIZE_MAX;
}

bool code_is_event(const char *name, const char *event)
{
	size_t length = strlen(event);

	return strncmp(name, event, length) == 0 && (!name[length] || name[length] == ':');
}

static const char *const time_events[] = {"cycles", "cpu-cycles", "cpu-clock", "task-clock"};

bool code_is_time(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(time_events); i++)
		if (code_is_event(name, time_events[i]))
			return true;
	return false;
}

unsigned code_time_event(const struct code_profile *profile)
{
	for (size_t i = 0; i < ARRAY_SIZE(time_events); i++)
		for (size_t k = 0; k < profile->n_events; k++)
			if (code_is_event(profile->events[k].name, time_events[i]))
				return (unsigned)k;
	return 0;
}

bool code_hottest_find(const struct code_index *index, const struct code_subject *subject,
		       unsigned event, struct code_hottest *hottest)
{
	struct code_view view;

	code_view_init(index, subject, event, &view);
	bool found = view.n > 0 && view.lines[0].events[event].samples > 0;
	if (found)
		*hottest = (struct code_hottest){
			view.lines[0].function, &view.profile->events[event],
			view.lines[0].events[event], view.totals[event].samples};
	code_view_fini(&view);
	return found;
}
