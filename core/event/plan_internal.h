// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PLAN_INTERNAL_H
#define PMCTOP_PLAN_INTERNAL_H

#include "core/event/plan.h"

#include <stddef.h>

/* Shared by plan.c and plan_pack.c: which hardware events of one PMU share a group. */

/* The hardware events of a future group. */
struct plan_pack {
	unsigned *events;
	size_t n;
	size_t capacity;
	unsigned refusals; /* wants that did not fit */
};

struct plan_packing {
	const struct plan_request *request;
	size_t pmu;
	struct plan_pack *packs;
	size_t n;
	size_t capacity;
};

/* The index of the code by which a PMU can count an event, or -1. */
int plan_code_on(const struct event *event, size_t pmu);

/* Packs all hardware events that packing->pmu can count. request and pmu are set before. */
void plan_packing_fill(struct plan_packing *packing);
void plan_packing_fini(struct plan_packing *packing);

#endif
