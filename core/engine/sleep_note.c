// SPDX-License-Identifier: MIT
#include "core/engine/sleep_note.h"

#include "core/base/util.h"

#include <stdio.h>

#define SLEEP_TOLD_NS (100 * NS_PER_MS)

void sleep_note_init(struct sleep_note *self, const struct sys *sys)
{
	uint64_t now_ns = sys_now_ns(sys);

	self->asleep_ns = sys_boottime_ns(sys) - now_ns;
}

/* Both clocks are not read at once: told is only what is sure. */
void sleep_note_renew(struct sleep_note *self, const struct sys *sys, struct passing_notes *passing,
		      struct notes *notes)
{
	char text[80];
	uint64_t boottime_ns = sys_boottime_ns(sys);
	uint64_t asleep_ns = boottime_ns - sys_now_ns(sys);
	int64_t slept_ns = (int64_t)(asleep_ns - self->asleep_ns);

	if (slept_ns < (int64_t)SLEEP_TOLD_NS)
		return;
	sleep_note_init(self, sys);
	snprintf(text, sizeof(text), "The machine slept for %.1f s: that time is in no interval.",
		 (double)slept_ns / (double)NS_PER_S);
	passing_notes_say(passing, notes, text);
}
