// SPDX-License-Identifier: MIT
#include "core/engine/stolen_note.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#define NOTE_WORDS "The hypervisor takes "
#define LOOK_NS    (950 * NS_PER_MS)
/*
 * Making /proc/stat takes a large machine milliseconds: where nothing was ever stolen, it may be
 * one without a hypervisor.
 */
#define IDLE_LOOK_NS (60 * NS_PER_S)

/* In percent: each is a sentence of its own among the messages, so there are few. */
static const unsigned steps[] = {50, 20, 10, 5};

void stolen_note_init(struct stolen_note *self, const struct sys *sys)
{
	*self = (struct stolen_note){.looked_ns = sys_now_ns(sys)};
	proc_stolen(sys, &self->stolen_ticks, &self->all_ticks);
}

void stolen_note_renew(struct stolen_note *self, const struct sys *sys, struct notes *notes)
{
	struct stolen_note now = {.looked_ns = sys_now_ns(sys)};

	if (now.looked_ns - self->looked_ns < (self->stolen_ticks ? LOOK_NS : IDLE_LOOK_NS) ||
	    proc_stolen(sys, &now.stolen_ticks, &now.all_ticks) < 0)
		return;
	uint64_t stolen = u64_growth(self->stolen_ticks, now.stolen_ticks);
	uint64_t all = u64_growth(self->all_ticks, now.all_ticks);

	*self = now;
	notes_remove(notes, NOTE_WORDS);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		if (all && stolen * 100 >= all * steps[i]) {
			notes_add_urgent(notes,
					 NOTE_WORDS "%u%% or more of CPU time: it is in %%CPU, in "
						    "no counter.",
					 steps[i]);
			return;
		}
	}
}
