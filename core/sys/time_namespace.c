// SPDX-License-Identifier: MIT
/*
 * /proc/self/timens_offsets has a line for each clock, since Linux 5.6: "monotonic 3600 0", in
 * seconds and ns. The offsets are of the namespace of future children. A process that has
 * made a namespace and has not forked is not in it.
 */
#include "core/sys/time_namespace.h"

#include "core/base/util.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* More seconds would overflow. The kernel accepts at most half of that. */
#define SECONDS_MOST (INT64_MAX / (int64_t)NS_PER_S - 1)

/* Returns whether the offsets hold for this process. */
static bool is_in_force(const struct sys *sys)
{
	char own[64], of_children[64];

	if (sys_link_read(sys, "/proc/self/ns/time", own, sizeof(own)) < 0 ||
	    sys_link_read(sys, "/proc/self/ns/time_for_children", of_children,
			  sizeof(of_children)) < 0)
		return true;
	return strcmp(own, of_children) == 0;
}

int64_t time_namespace_ahead_ns(const struct sys *sys)
{
	char text[256], clock[16];
	int64_t seconds, ns;

	if (sys_file_read(sys, "/proc/self/timens_offsets", text, sizeof(text)) < 0)
		return 0;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		/* Linux 5.6 has the number of the clock. */
		if (sscanf(line, "%15s %" SCNd64 " %" SCNd64, clock, &seconds, &ns) != 3 ||
		    (strcmp(clock, "monotonic") != 0 && strcmp(clock, "1") != 0))
			continue;
		if (seconds > SECONDS_MOST || seconds < -SECONDS_MOST || ns < 0 ||
		    ns >= (int64_t)NS_PER_S || !is_in_force(sys))
			return 0;
		return seconds * (int64_t)NS_PER_S + ns;
	}
	return 0;
}
