// SPDX-License-Identifier: MIT
/*
 * libpfm4's names for the events of one kind of CPU: LONGEST_LAT_CACHE:MISS, with a dot as in the
 * lists of vendors, or with the PMU in front, skl::LONGEST_LAT_CACHE:MISS. Without a PMU, each PMU
 * that libpfm4 finds on this machine is tried, so an event of both kinds of cores, or of every
 * memory controller, is counted on each. libpfm4 reads sysfs itself, without struct sys.
 */
#include "core/base/util.h"
#include "core/event/event_modifier.h"
#include "core/event/event_pfm_internal.h"
#include "core/event/pfm_start.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The length of a name without the modifiers of event_modifier.h. The letter I stays part of the
 * name: libpfm4 ignores case, and its own modifier i inverts.
 */
static size_t length_without_modifiers(const char *name)
{
	size_t length = strlen(name);

	for (;;) {
		size_t at = length;

		while (at > 0 && name[at - 1] != ':')
			at--;
		if (at < 2 || name[at - 2] == ':' || memchr(name + at, 'I', length - at) ||
		    !event_is_modifier(name + at, length - at))
			return length;
		length = at - 1;
	}
}

static int encode_name(const char *name, struct perf_event_attr *attr, int *index)
{
	char *full_name = NULL;
	pfm_perf_encode_arg_t argument = {
		.attr = attr,
		.fstr = &full_name,
		.size = sizeof(argument),
	};

	*attr = (struct perf_event_attr){.size = sizeof(*attr)};
	int result = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
					       PFM_OS_PERF_EVENT_EXT, &argument);
	free(full_name);
	*index = argument.idx;
	return result;
}

/* The index of the PMU with that type, or NO_PMU. */
#define NO_PMU SIZE_MAX
static size_t pmu_of_type(const struct event_context *context, uint32_t type)
{
	for (size_t i = 0; context->pmus && i < context->pmus->n; i++)
		if (context->pmus->items[i].name[0] && context->pmus->items[i].type == type)
			return i;
	return NO_PMU;
}

/*
 * Returns the index of the core PMU of an attr, or NO_PMU. Any core PMU has the type RAW. If there
 * are several, only libpfm4's name of the PMU identifies it.
 */
static size_t core_pmu_of(const struct event_context *context, const pfm_pmu_info_t *info,
			  uint32_t type)
{
	static const char *const hybrids[][2] = {
		{"adl_glc", "cpu_core"},
		{"adl_grt", "cpu_atom"},
	};
	size_t n = event_core_pmus(context);

	if (n < 2 && type == PERF_TYPE_RAW)
		return 0;
	if (type != PERF_TYPE_RAW) {
		size_t found = pmu_of_type(context, type);

		return found < n ? found : NO_PMU;
	}
	for (size_t i = 0; i < ARRAY_SIZE(hybrids); i++)
		for (size_t k = 0; k < n && strcmp(hybrids[i][0], info->name) == 0; k++)
			if (strcmp(context->pmus->items[k].name, hybrids[i][1]) == 0)
				return k;
	return NO_PMU;
}

/* Copies what libpfm4 decides: config1, config2 and the levels that are excluded. */
static void copy_attr(const struct perf_event_attr *from, struct perf_event_attr *attr)
{
	attr->config1 = from->config1;
	attr->config2 = from->config2;
	attr->exclude_user = from->exclude_user;
	attr->exclude_kernel = from->exclude_kernel;
	/* Not every table of libpfm4 has the hypervisor, which :u excludes too. */
	attr->exclude_hv = from->exclude_hv || from->exclude_user != from->exclude_kernel;
	attr->exclude_host = from->exclude_host;
	attr->exclude_guest = from->exclude_guest;
	attr->precise_ip = from->precise_ip;
}

static int add_generic(struct pfm_lookup *lookup, const struct perf_event_attr *attr)
{
	struct event *event = lookup->event;
	bool hardware = attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE;

	event->kind = hardware ? EVENT_HARDWARE : EVENT_SOFTWARE;
	event_add_generic(lookup->context, event, attr->type, attr->config);
	for (size_t i = 0; hardware && i < event->n_codes; i++)
		copy_attr(attr, &event->codes[i].attr);
	return 0;
}

static int add_core(struct pfm_lookup *lookup, const pfm_pmu_info_t *info,
		    const struct perf_event_attr *attr)
{
	size_t pmu = core_pmu_of(lookup->context, info, attr->type);
	uint32_t type = attr->type;

	if (pmu == NO_PMU)
		return event_pfm_fail_absent(lookup, info);
	if (event_core_pmus(lookup->context) > 1)
		type = lookup->context->pmus->items[pmu].type;
	for (size_t i = 0; i < lookup->event->n_codes; i++)
		if (lookup->event->codes[i].pmu == pmu)
			return 0;
	lookup->event->kind = EVENT_HARDWARE;
	copy_attr(attr, event_add_code(lookup->event, pmu, type, attr->config));
	return 0;
}

static int add_uncore(struct pfm_lookup *lookup, const pfm_pmu_info_t *info,
		      const struct perf_event_attr *attr)
{
	/* RAW: libpfm4 did not find the PMU in sysfs, and the code is for other counters. */
	size_t pmu =
		attr->type == PERF_TYPE_RAW ? NO_PMU : pmu_of_type(lookup->context, attr->type);

	if (pmu == NO_PMU)
		return event_pfm_fail_absent(lookup, info);
	lookup->event->kind = EVENT_SOCKET;
	struct perf_event_attr *to = event_add_code(lookup->event, pmu, attr->type, attr->config);
	to->config1 = attr->config1;
	to->config2 = attr->config2;
	/* The kernel scales RAPL to units of 2^-32 Joules on all models. */
	if (strcmp(info->name, "rapl") == 0 || strcmp(info->name, "amd64_rapl") == 0) {
		lookup->event->scale = 0x1p-32;
		memcpy(lookup->event->unit, "Joules", sizeof("Joules"));
	}
	return 0;
}

static int add_code(struct pfm_lookup *lookup, const pfm_pmu_info_t *info,
		    const struct perf_event_attr *attr)
{
	if (lookup->event->n_codes > 0 && info->type != lookup->first.type)
		return error_set(
			lookup->err, -EINVAL, "'%s' is ambiguous. Use %s::%.40s or %s::%.40s.",
			event_quote(lookup->name, strlen(lookup->name)).text, lookup->first.name,
			event_quote(lookup->name, strlen(lookup->name)).text, info->name,
			event_quote(lookup->name, strlen(lookup->name)).text);
	if (lookup->event->n_codes == 0)
		lookup->first = *info;
	if (info->type == PFM_PMU_TYPE_OS_GENERIC)
		return add_generic(lookup, attr);
	if (info->type == PFM_PMU_TYPE_UNCORE)
		return add_uncore(lookup, info, attr);
	return add_core(lookup, info, attr);
}

/* 0: added, or the reason is in lookup->code. -errno: no other PMU needs to be tried. */
static int try_pmu(struct pfm_lookup *lookup, const pfm_pmu_info_t *info, const char *name)
{
	struct perf_event_attr attr;
	int index, code = encode_name(name, &attr, &index);

	if (code == PFM_SUCCESS) {
		int result = add_code(lookup, info, &attr);

		if (result != -ENODEV)
			return result;
		code = PFM_ERR_NOTSUPP; /* another PMU may have it */
	}
	if (code != PFM_ERR_NOTFOUND && lookup->code == PFM_ERR_NOTFOUND) {
		lookup->code = code;
		lookup->wrong = *info;
	}
	return 0;
}

static int try_present(struct pfm_lookup *lookup)
{
	size_t size = strlen(lookup->name) + 64;
	char *name = xmalloc(size);
	int result = 0;

	/* The kernel's generic events only if no PMU of the machine has the event. */
	for (int generic = 0; generic < 2 && lookup->event->n_codes == 0; generic++) {
		pfm_pmu_t pmu;

		pfm_for_all_pmus(pmu)
		{
			pfm_pmu_info_t info;

			if (result < 0 || !event_pfm_info(pmu, &info) ||
			    !event_pfm_is_present(&info) ||
			    (info.type == PFM_PMU_TYPE_OS_GENERIC) != generic)
				continue;
			snprintf(name, size, "%s::%s", info.name, lookup->name);
			result = try_pmu(lookup, &info, name);
		}
	}
	free(name);
	return result;
}

/* PMU::EVENT. The PMU may be absent here: libpfm4 can be set to encode PMUs of other machines. */
static int try_named(struct pfm_lookup *lookup, const char *colons)
{
	size_t length = (size_t)(colons - lookup->name);
	pfm_pmu_t pmu;

	pfm_for_all_pmus(pmu)
	{
		pfm_pmu_info_t info;

		if (!event_pfm_info(pmu, &info) ||
		    !event_same_name(lookup->name, length, info.name))
			continue;
		int result = try_pmu(lookup, &info, lookup->name);
		if (result < 0 || lookup->event->n_codes > 0 || lookup->code != PFM_ERR_NOTFOUND)
			return result;
		if (!info.is_present)
			return error_set(lookup->err, -ENODEV,
					 "'%s' cannot be counted: this machine has no PMU %s.",
					 event_quote(lookup->name, strlen(lookup->name)).text,
					 info.name);
		return event_pfm_fail_unknown(lookup, &info, colons + 2);
	}
	return event_pfm_fail_pmu(lookup, length);
}

int event_pfm_resolve(const struct event_context *context, const char *name, struct event *event,
		      const char **rest, struct error *err)
{
	size_t length = length_without_modifiers(name);
	struct pfm_lookup lookup = {
		.context = context, .event = event, .code = PFM_ERR_NOTFOUND, .err = err};
	int result;

	if (!pfm_start())
		return EVENT_NOT_MINE;
	*rest = name + length;
	lookup.name = xstrndup(name, length);
	const char *colons = strstr(lookup.name, "::");
	result = colons ? try_named(&lookup, colons) : try_present(&lookup);
	if (result == 0 && event->n_codes == 0)
		result = lookup.code == PFM_ERR_NOTFOUND ? EVENT_NOT_MINE
							 : event_pfm_fail_known(&lookup);
	free(lookup.name);
	return result;
}
