// SPDX-License-Identifier: MIT
/*
 * libpfm4's tables of the native events of this machine's PMUs, an entry for each unit mask. A PMU
 * is "present" by CPUID. Only a probe shows whether the kernel can count its events. This is the
 * only file of the room that uses libpfm4.
 */
#include "core/event/pfm_start.h"
#include "core/metric/catalog_source.h"

#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <string.h>

/* Returns the length without the full stop: more text follows. */
static int length_of_sentence(const char *text)
{
	size_t length = text ? strlen(text) : 0;

	return (int)(length > 0 && text[length - 1] == '.' ? length - 1 : length);
}

/*
 * Offers PMU::EVENT or PMU::EVENT:UMASK. An event that the vendor has too is offered by the
 * vendor's name, once for all PMUs, because that name counts on all of them.
 */
static int offer_name(const struct catalog_walk *walk, const char *pmu, const char *name,
		      const char *help)
{
	const char *event = strstr(name, "::") + 2;
	size_t n = 0;
	const struct event_table_item *item =
		walk->table ? event_table_find(walk->table, event, strlen(event), &n) : NULL;

	if (n == 0)
		return catalog_offer(walk, name, pmu, help);
	if (walk->listed[item - walk->table->items])
		return 0;
	item = catalog_vendor_list(walk, event);
	return item ? catalog_offer(walk, item->name, item->pmu, item->help ? item->help : help)
		    : catalog_offer(walk, name, pmu, help);
}

/* Offers PMU::EVENT:UMASK for each mask of the event; *n: how many. */
static int offer_masks(const struct catalog_walk *walk, const pfm_pmu_info_t *pmu,
		       const pfm_event_info_t *event, size_t *n)
{
	char name[256], help[800];
	int result = 0;

	*n = 0;
	for (int i = 0; i < event->nattrs && !result; i++) {
		pfm_event_attr_info_t mask = {.size = sizeof(mask)};

		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT_EXT, &mask) !=
			    PFM_SUCCESS ||
		    mask.type != PFM_ATTR_UMASK)
			continue;
		++*n;
		snprintf(name, sizeof(name), "%s::%s:%s", pmu->name, event->name, mask.name);
		snprintf(help, sizeof(help), "%.*s: %s", length_of_sentence(event->desc),
			 event->desc ? event->desc : "", mask.desc ? mask.desc : "");
		result = offer_name(walk, pmu->name, name, help);
	}
	return result;
}

static int offer_event(const struct catalog_walk *walk, const pfm_pmu_info_t *pmu, int index)
{
	pfm_event_info_t event = {.size = sizeof(event)};
	char name[256];
	size_t masks;

	if (pfm_get_event_info(index, PFM_OS_PERF_EVENT_EXT, &event) != PFM_SUCCESS)
		return 0;
	int result = offer_masks(walk, pmu, &event, &masks);
	if (result || masks > 0)
		return result;
	snprintf(name, sizeof(name), "%s::%s", pmu->name, event.name);
	return offer_name(walk, pmu->name, name, event.desc ? event.desc : "");
}

int catalog_pfm(const struct catalog_walk *walk)
{
	int result = 0;

	if (!pfm_start())
		return 0;
	for (int i = 0; i < PFM_PMU_MAX && !result; i++) {
		pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

		if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS || !pmu.is_present ||
		    pmu.type == PFM_PMU_TYPE_OS_GENERIC || pmu.pmu == PFM_PMU_PERF_EVENT_RAW)
			continue;
		for (int event = pmu.first_event; event != -1 && !result;
		     event = pfm_get_event_next(event))
			result = offer_event(walk, &pmu, event);
	}
	return result;
}
