// SPDX-License-Identifier: MIT
#include "core/base/figure_mark.h"

#include "core/base/util.h"

const struct figure_mark figure_marks[] = {
	[FIGURE_VALID] = {"valid", "", "1.2", "counted all the time"},
	[FIGURE_SCALED] = {"scaled", "~", "~1.2", "counted part of the time"},
	[FIGURE_LOST] = {"lost", "?", "?1.2", "too low, a part is unknown"},
	[FIGURE_UNDEFINED] = {"undefined", "", "blank", "no divisor, no sum, or it has ended"},
	[FIGURE_NOT_COUNTED] = {"not_counted", "-", "-", "not counted while it ran"},
	[FIGURE_UNSUPPORTED] = {"unsupported", "n/a", "n/a", "this CPU has no such event"},
	[FIGURE_DENIED] = {"denied", "!", "!", "denied by the kernel"},
};

const size_t figure_marks_n = ARRAY_SIZE(figure_marks);

const char *figure_mark(enum figure_state state)
{
	return figure_marks[state].mark;
}

const char *figure_state_name(enum figure_state state)
{
	return figure_marks[state].name;
}
