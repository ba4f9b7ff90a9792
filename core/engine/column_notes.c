// SPDX-License-Identifier: MIT
#include "core/engine/column_notes.h"

#include "core/perf/perf_open_error.h"

#define NOTE_EVENT  "Event "
#define NOTE_METRIC "This CPU has no events for metric "
#define NOTE_APART  "The events of "

/* Without a PMU there is one thing to say, not one for each event. */
static void note_events(struct notes *notes, const struct sys *sys,
			const struct selection *selection)
{
	bool any = false;

	for (size_t i = 0; i < selection->events.n; i++) {
		const struct event *event = &selection->events.items[i];
		struct error why;

		if (event->state == FIGURE_VALID || event->answer == 0)
			continue;
		if (selection->no_pmu && event->kind == EVENT_HARDWARE) {
			any = true;
			continue;
		}
		perf_open_error_event(sys, event, &why);
		notes_add(notes, "%s", why.text);
	}
	if (any)
		notes_add(notes, "%s", PERF_OPEN_NO_PMU);
}

static void note_metrics(struct notes *notes, const struct selection *selection,
			 const struct columns *columns)
{
	for (size_t i = 0; i < columns->n_metrics; i++)
		if (selection->columns[i].form == METRIC_FORMS_MAX)
			notes_add(notes, NOTE_METRIC "%s.", columns->defs[i].name);
		else if (metric_is_apart(&columns->metrics[i], &columns->events, columns->plan))
			notes_add(notes,
				  NOTE_APART "%s do not fit together: they are counted in turns, "
					     "and ~ marks what follows from them.",
				  columns->defs[i].name);
}

/* Whether {a,b}, of which this is the first column, is counted in one group everywhere. */
static bool is_together(const struct selection *selection, const struct columns *columns,
			size_t first)
{
	const struct plan *plan = columns->plan;
	unsigned number = selection->columns[first].together;
	unsigned events[METRIC_EVENTS_MAX];
	size_t n = 0;

	for (size_t i = first; i < columns->n_metrics; i++)
		if (selection->columns[i].together == number)
			n += metric_events(&columns->metrics[i], events + n, METRIC_EVENTS_MAX - n);
	for (unsigned d = 0; d < plan->shape.n_domains; d++) {
		const struct plan_domain *domain = &plan->domains[d];
		size_t most = 0, any = 0;

		for (unsigned k = 0; k < domain->n_groups; k++) {
			size_t in_group = 0;
			for (size_t i = 0; i < n; i++)
				in_group +=
					columns->events.items[events[i]].kind == EVENT_HARDWARE &&
					plan_counter_in(plan, domain->first_group + k, events[i]) >=
						0;
			most = in_group > most ? in_group : most;
			any += in_group;
		}
		if (any > most)
			return false;
	}
	return true;
}

static void note_braces(struct notes *notes, const struct selection *selection,
			const struct columns *columns)
{
	unsigned told = 0;

	for (size_t i = 0; i < columns->n_metrics; i++) {
		unsigned number = selection->columns[i].together;
		if (number <= told)
			continue;
		told = number;
		if (!is_together(selection, columns, i))
			notes_add(notes,
				  NOTE_APART "{%s,...} do not fit into one group: they are "
					     "counted in turns.",
				  columns->defs[i].name);
	}
}

void column_notes_renew(struct notes *notes, const struct sys *sys,
			const struct selection *selection, const struct columns *columns)
{
	notes_remove(notes, NOTE_EVENT);
	notes_remove(notes, NOTE_METRIC);
	notes_remove(notes, NOTE_APART);
	note_events(notes, sys, selection);
	note_metrics(notes, selection, columns);
	note_braces(notes, selection, columns);
}
