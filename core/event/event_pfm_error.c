// SPDX-License-Identifier: MIT
/*
 * The errors of names that libpfm4 does not encode, and the names that it has instead. An event
 * that needs a unit mask lists its masks; a misspelt event or attribute gets the nearest name.
 */
#include "core/base/util.h"
#include "core/event/event_pfm_internal.h"
#include "core/event/pfm_start.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool event_pfm_info(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	*info = (pfm_pmu_info_t){.size = sizeof(*info)};
	return pfm_get_pmu_info(pmu, info) == PFM_SUCCESS;
}

bool event_pfm_is_present(const pfm_pmu_info_t *info)
{
	return info->is_present && info->pmu != PFM_PMU_PERF_EVENT_RAW;
}

int event_pfm_fail_absent(struct pfm_lookup *lookup, const pfm_pmu_info_t *info)
{
	return error_set(lookup->err, -ENODEV,
			 "'%s' is an event of %s, a PMU that this kernel does not offer.",
			 event_quote(lookup->name, strlen(lookup->name)).text, info->name);
}

int event_pfm_fail_pmu(struct pfm_lookup *lookup, size_t length)
{
	struct quoted quoted = event_quote(lookup->name, length);
	struct suggest near = {.word = quoted.text};
	char hint[96];
	pfm_pmu_t pmu;

	pfm_for_all_pmus(pmu)
	{
		pfm_pmu_info_t info;

		if (event_pfm_info(pmu, &info))
			suggest_offer(&near, info.name);
	}
	suggest_text(&near, hint, sizeof(hint));
	return error_set(lookup->err, -ENOENT, "libpfm4 has no PMU '%s'%s.", quoted.text, hint);
}

int event_pfm_fail_unknown(struct pfm_lookup *lookup, const pfm_pmu_info_t *info, const char *event)
{
	char *word = xstrndup(event, strcspn(event, ":."));
	struct suggest near = {.word = word};
	char hint[96];

	for (int i = info->first_event; i >= 0; i = pfm_get_event_next(i)) {
		pfm_event_info_t known = {.size = sizeof(known)};

		if (pfm_get_event_info(i, PFM_OS_NONE, &known) == PFM_SUCCESS)
			suggest_offer(&near, known.name);
	}
	suggest_text(&near, hint, sizeof(hint));
	free(word);
	return error_set(lookup->err, -ENOENT, "%s has no event '%s'%s.", info->name,
			 event_quote(event, strlen(event)).text, hint);
}

/* PMU::EVENT, the name for pfm_find_event(). */
static void event_part(const struct pfm_lookup *lookup, char *text, size_t size)
{
	const char *colons = strstr(lookup->name, "::");
	const char *event = colons ? colons + 2 : lookup->name;

	snprintf(text, size, "%s::%.*s", lookup->wrong.name, (int)strcspn(event, ":."), event);
}

/* Calls fn for every unit mask; with `all` for other attributes too. */
static void each_attribute(int index, bool all, void (*fn)(void *arg, const char *name), void *arg)
{
	pfm_event_info_t event = {.size = sizeof(event)};

	if (pfm_get_event_info(index, PFM_OS_PERF_EVENT_EXT, &event) != PFM_SUCCESS)
		return;
	for (int i = 0; i < event.nattrs; i++) {
		pfm_event_attr_info_t attribute = {.size = sizeof(attribute)};

		if (pfm_get_event_attr_info(index, i, PFM_OS_PERF_EVENT_EXT, &attribute) ==
			    PFM_SUCCESS &&
		    (all || attribute.type == PFM_ATTR_UMASK))
			fn(arg, attribute.name);
	}
}

struct name_list {
	char text[128];
	size_t n, left_out;
};

static void list_name(void *arg, const char *name)
{
	struct name_list *list = arg;
	size_t length = strlen(name);

	if (list->n + length + 3 > sizeof(list->text)) {
		list->left_out++;
		return;
	}
	list->n += (size_t)snprintf(list->text + list->n, sizeof(list->text) - list->n, "%s%s",
				    list->n ? ", " : "", name);
}

static void offer_name(void *arg, const char *name)
{
	suggest_offer(arg, name);
}

/* The first part behind the event that is not one of its attributes, or NULL. The caller frees it.
 */
static char *wrong_part(const struct pfm_lookup *lookup, int index, struct suggest *near)
{
	const char *colons = strstr(lookup->name, "::");
	const char *at = colons ? colons + 2 : lookup->name;

	for (at += strcspn(at, ":."); *at; at += strcspn(at, ":.")) {
		at++;
		size_t length = strcspn(at, ":.=");
		char *part = xstrndup(at, length);

		*near = (struct suggest){.word = part};
		each_attribute(index, true, offer_name, near);
		if (length > 0 && (!near->nearest || !event_same_name(part, length, near->nearest)))
			return part;
		free(part);
	}
	return NULL;
}

int event_pfm_fail_known(struct pfm_lookup *lookup)
{
	char name[160];
	struct name_list masks = {.n = 0};
	struct suggest near = {0};
	int code = lookup->code, result;

	event_part(lookup, name, sizeof(name));
	int index = pfm_find_event(name);
	struct quoted quoted = event_quote(name, strlen(name));
	if (index >= 0)
		each_attribute(index, false, list_name, &masks);
	const char *more = masks.left_out ? " and more" : "";
	char *part = index >= 0 && code == PFM_ERR_ATTR ? wrong_part(lookup, index, &near) : NULL;

	if (code == PFM_ERR_NOTSUPP)
		result = event_pfm_fail_absent(lookup, &lookup->wrong);
	else if (code == PFM_ERR_UMASK && masks.n > 0)
		result = error_set(lookup->err, -EINVAL, "%s needs one of: %s%s.", quoted.text,
				   masks.text, more);
	else if (part && near.nearest)
		result = error_set(lookup->err, -EINVAL, "%s has no '%s': did you mean '%s'?",
				   quoted.text, event_quote(part, strlen(part)).text, near.nearest);
	else if (part && masks.n > 0)
		result =
			error_set(lookup->err, -EINVAL, "%s has no '%s'; it has %s%s.", quoted.text,
				  event_quote(part, strlen(part)).text, masks.text, more);
	else
		result = error_set(lookup->err, -EINVAL, "'%s': %s.",
				   event_quote(lookup->name, strlen(lookup->name)).text,
				   pfm_strerror(code));
	free(part);
	return result;
}

void event_pfm_suggest(struct suggest *suggest)
{
	pfm_pmu_t pmu;

	if (!pfm_start())
		return;
	pfm_for_all_pmus(pmu)
	{
		pfm_pmu_info_t info;

		if (!event_pfm_info(pmu, &info) || !event_pfm_is_present(&info) ||
		    info.type != PFM_PMU_TYPE_CORE)
			continue;
		for (int i = info.first_event; i >= 0; i = pfm_get_event_next(i)) {
			pfm_event_info_t event = {.size = sizeof(event)};

			if (pfm_get_event_info(i, PFM_OS_NONE, &event) == PFM_SUCCESS)
				suggest_offer(suggest, event.name);
		}
	}
}
