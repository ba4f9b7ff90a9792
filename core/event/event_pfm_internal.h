// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_PFM_INTERNAL_H
#define PMCTOP_EVENT_PFM_INTERNAL_H

#include "core/event/event_resolver.h"

#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>

/* Shared by event_pfm.c, which finds a name in libpfm4's tables, and event_pfm_error.c. */

struct pfm_lookup {
	const struct event_context *context;
	char *name; /* without modifiers */
	struct event *event;
	pfm_pmu_info_t first; /* the PMU of the first code */
	pfm_pmu_info_t wrong; /* a PMU that has the event, but not with these attributes */
	int code;             /* libpfm4's error for `wrong`, or PFM_ERR_NOTFOUND */
	struct error *err;
};

/* False if libpfm4 has no such PMU. */
bool event_pfm_info(pfm_pmu_t pmu, pfm_pmu_info_t *info);
/* Whether libpfm4 found that PMU here. Its perf_raw is left out: rN is event_raw_resolve(). */
bool event_pfm_is_present(const pfm_pmu_info_t *info);

/* Each fills lookup->err and returns its -errno. */

/* The PMU is not one that this kernel offers. */
int event_pfm_fail_absent(struct pfm_lookup *lookup, const pfm_pmu_info_t *info);
/* libpfm4 has no PMU whose name is these first bytes of the lookup's. */
int event_pfm_fail_pmu(struct pfm_lookup *lookup, size_t length);
/* The PMU has no event of that name. */
int event_pfm_fail_unknown(struct pfm_lookup *lookup, const pfm_pmu_info_t *info,
			   const char *event);
/* lookup->wrong has the event, and refuses it with lookup->code. */
int event_pfm_fail_known(struct pfm_lookup *lookup);

#endif
