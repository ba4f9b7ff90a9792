// SPDX-License-Identifier: MIT
#include "event_pfm.h"

#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int encode(const char *name, struct perf_event_attr *attr)
{
	char *full_name = NULL;
	pfm_perf_encode_arg_t argument = {
		.attr = attr,
		.fstr = &full_name,
		.size = sizeof(argument),
	};

	memset(attr, 0, sizeof(*attr));
	int result = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT,
					       &argument);
	free(full_name);
	return result;
}

int event_pfm_resolve(const char *name, struct perf_event_attr *attr, struct error *err)
{
	char generic[256];

	/* Counts its calls itself: only the first one does something. */
	int result = pfm_initialize();
	if (result != PFM_SUCCESS)
		return error_set(err, -ENOTSUP, "libpfm4 does not start: %s.",
				 pfm_strerror(result));
	snprintf(generic, sizeof(generic), "perf::%s", name);
	if (strlen(name) >= sizeof(generic) - sizeof("perf::"))
		return error_set(err, -ENOENT, "The event name '%.40s...' is too long.", name);
	/* Native tables know names like "cycles" too, for counters that may not exist here. */
	if (encode(generic, attr) != PFM_SUCCESS) {
		result = encode(name, attr);
		if (result != PFM_SUCCESS)
			return error_set(err, -ENOENT, "Unknown event '%s': %s.", name,
					 pfm_strerror(result));
	}
	attr->size = sizeof(*attr);
	if (attr->type == PERF_TYPE_SOFTWARE)
		attr->exclude_guest = 0;
	return 0;
}
