// SPDX-License-Identifier: MIT
#ifndef PMCTOP_STOLEN_NOTE_H
#define PMCTOP_STOLEN_NOTE_H

#include "core/base/notes.h"
#include "core/sys/sys.h"

#include <stdint.h>

/*
 * Says how much of the CPUs' time a hypervisor takes away, from a twentieth on: perf's clocks run
 * on through it while no counter does, so that it is in %CPU and in no count.
 */
struct stolen_note {
	uint64_t stolen_ticks, all_ticks; /* of /proc/stat at the last look */
	uint64_t looked_ns;
};

void stolen_note_init(struct stolen_note *self, const struct sys *sys);
/* At the end of each interval: looks once a second, or a minute where nothing was ever stolen. */
void stolen_note_renew(struct stolen_note *self, const struct sys *sys, struct notes *notes);

#endif
