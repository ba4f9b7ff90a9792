// SPDX-License-Identifier: MIT
#include "core/engine/cpu_notes.h"

#include "core/base/util.h"
#include "core/sys/cpus.h"

#include <stdlib.h>

#define NOTE_WENT "Offline, or without counters: CPU "
#define NOTE_CAME "Online, and counted from now on: CPU "

void cpu_notes_fini(struct cpu_notes *self)
{
	free(self->items);
	*self = (struct cpu_notes){0};
}

static bool went(const struct cpu_note *note)
{
	return note->seen && !note->online;
}

static bool came(const struct cpu_note *note)
{
	return note->online && note->recent > 0;
}

static void tell(const struct cpu_notes *self, const struct interval *interval,
		 bool (*which)(const struct cpu_note *note), const char *words, struct notes *notes)
{
	struct cpu_list list = {.numbers = xcalloc(interval->n_cpus, sizeof(int))};

	for (size_t i = 0; i < interval->n_cpus; i++)
		if (which(&self->items[i]))
			list.numbers[list.n++] = interval->cpu_numbers[i];
	notes_remove(notes, words);
	if (list.n > 0) {
		char *text = cpu_list_text(&list);
		notes_add_urgent(notes, "%s%.160s.", words, text);
		free(text);
	}
	cpu_list_fini(&list);
}

void cpu_notes_renew(struct cpu_notes *self, const struct interval *interval, struct notes *notes)
{
	bool first = !self->items, any = false, changed = false;

	for (size_t i = 0; i < interval->n_cpus; i++)
		any |= interval->cpu_online[i];
	if (!any) /* nobody tells */
		return;
	if (first)
		self->items = xcalloc(interval->n_cpus, sizeof(*self->items));
	for (size_t i = 0; i < interval->n_cpus; i++) {
		struct cpu_note *note = &self->items[i];
		bool online = interval->cpu_online[i];
		changed |= !first && online != note->online;
		changed |= note->recent == 1;
		if (!first && online && !note->online)
			note->recent = CPU_NOTES_REFRESHES;
		else if (note->recent > 0)
			note->recent--;
		note->online = online;
		note->seen |= online;
	}
	if (!changed)
		return;
	tell(self, interval, came, NOTE_CAME, notes);
	tell(self, interval, went, NOTE_WENT, notes);
}
