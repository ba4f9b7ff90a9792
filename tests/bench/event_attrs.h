// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_ATTRS_H
#define PMCTOP_EVENT_ATTRS_H

#include "core/event/event.h"
#include "core/perf/group.h"
#include "core/sys/sys.h"

#include <stdio.h>
#include <string.h>

/*
 * Fills the attributes of the events of a list "EVENT[,EVENT...]", at most `most`, and changes the
 * list. Returns their number, or -1 with a line on stderr if an event cannot be counted.
 */
static inline int event_attrs(const struct sys *sys, char *names, struct perf_event_attr *attrs,
			      int most)
{
	struct pmu_set pmus;
	int n = 0;

	pmu_set_read(sys, &pmus);
	const struct event_context context = {.sys = sys, .pmus = &pmus};
	for (char *name = strtok(names, ","); name && n >= 0 && n < most;
	     name = strtok(NULL, ",")) {
		struct event event;
		struct error err;

		if (event_resolve(&context, name, &event, &err) < 0 || event.n_codes == 0) {
			fprintf(stderr, "%s cannot be counted\n", name);
			n = -1;
			continue;
		}
		attrs[n++] = group_counting_attr(&event.codes[0]);
		event_fini(&event);
	}
	pmu_set_fini(&pmus);
	return n;
}

#endif
