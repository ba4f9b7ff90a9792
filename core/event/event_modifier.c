// SPDX-License-Identifier: MIT
/*
 * The letters behind a name become exclude_* and precise_ip of each code.
 */
#include "core/event/event_modifier.h"

#include "core/base/util.h"
#include "core/event/event_resolver.h"

#include <errno.h>
#include <string.h>

#define LETTERS "ukhGHpPI"

struct modifiers {
	bool given[sizeof(LETTERS) - 1]; /* in the order of LETTERS */
	unsigned precise;
};

static bool has(const struct modifiers *modifiers, char letter)
{
	return modifiers->given[strchr(LETTERS, letter) - LETTERS];
}

/* perf's other modifiers, which are for its groups and samples. */
static bool is_only_for_perf(char letter)
{
	return letter && strchr("DeWSbXR", letter);
}

static int parse_letters(const char *name, const char *text, struct modifiers *modifiers,
			 struct error *err)
{
	struct quoted quoted = event_quote(name, strlen(name));
	size_t part = 0; /* where the letters after the last colon begin */

	for (size_t i = 0; text[i]; i++) {
		const char *letter = text[i] == ':' ? NULL : strchr(LETTERS, text[i]);

		if (text[i] == ':') {
			part = i + 1;
			if (text[part] == ':' || text[part] == '\0')
				return error_set(err, -EINVAL,
						 "A modifier is missing after ':' in '%s'.",
						 quoted.text);
			continue;
		}
		if (is_only_for_perf(text[i]))
			return error_set(err, -ENOTSUP,
					 "Modifier '%c' in '%s' is for perf's groups or samples. "
					 "Leave it out.",
					 text[i], quoted.text);
		if (!letter)
			return error_set(err, -EINVAL,
					 "Unknown modifier '%s' in '%s'. Modifiers: u, k, h, G, H, "
					 "p, P, I.",
					 event_quote(text + i, 1).text, quoted.text);
		if (*letter == 'p')
			modifiers->precise++;
		else if (memchr(text + part, *letter, i - part))
			return error_set(err, -EINVAL, "Modifier '%c' occurs twice in '%s'.",
					 *letter, quoted.text);
		modifiers->given[letter - LETTERS] = true;
	}
	if (modifiers->precise > 3)
		return error_set(err, -EINVAL, "Too many p in '%s': the most precise is ppp.",
				 quoted.text);
	if (modifiers->precise > 0 && has(modifiers, 'P'))
		return error_set(err, -EINVAL, "Modifiers p and P contradict each other in '%s'.",
				 quoted.text);
	return 0;
}

static void apply_letters(const struct modifiers *modifiers, struct perf_event_attr *attr)
{
	if (has(modifiers, 'u') || has(modifiers, 'k') || has(modifiers, 'h')) {
		attr->exclude_user = !has(modifiers, 'u');
		attr->exclude_kernel = !has(modifiers, 'k');
		attr->exclude_hv = !has(modifiers, 'h');
	}
	if (has(modifiers, 'G') || has(modifiers, 'H')) {
		attr->exclude_guest = !has(modifiers, 'G');
		attr->exclude_host = !has(modifiers, 'H');
	}
	if (has(modifiers, 'I'))
		attr->exclude_idle = 1;
	if (modifiers->precise > 0)
		attr->precise_ip = modifiers->precise & 3;
}

int event_modify(const char *name, const char *text, struct event *event, struct error *err)
{
	struct modifiers modifiers = {.precise = 0};

	if (!text[0])
		return 0;
	int result = parse_letters(name, text, &modifiers, err);
	if (result < 0)
		return result;
	/* PERF_PMU_CAP_NO_EXCLUDE: the kernel would return EINVAL. */
	if (event->kind == EVENT_SOCKET)
		return error_set(err, -EINVAL,
				 "'%s' is counted for its whole socket. Leave out the modifiers.",
				 event_quote(name, strlen(name)).text);
	for (size_t i = 0; i < event->n_codes; i++)
		apply_letters(&modifiers, &event->codes[i].attr);
	return 0;
}

/*
 * Whether instructions cause the event, in user mode or in the kernel. Other software events happen
 * only in the kernel, so without its level they count nothing (context-switches:u is always 0).
 */
static bool is_of_both_levels(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_BREAKPOINT)
		return true;
	if (attr->type != PERF_TYPE_SOFTWARE)
		return false;
	switch (attr->config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
	case PERF_COUNT_SW_ALIGNMENT_FAULTS:
	case PERF_COUNT_SW_EMULATION_FAULTS:
		return true;
	}
	return false;
}

const char *event_levels_name(size_t levels)
{
	static const char *const event_levels_names[] = {
		[EVENT_LEVELS_ALL] = "all",
		[EVENT_LEVELS_USER] = "user",
		[EVENT_LEVELS_KERNEL] = "kernel",
	};

	return levels < ARRAY_SIZE(event_levels_names) ? event_levels_names[levels] : NULL;
}

void event_set_levels(const struct event_context *context, struct event *event)
{
	for (size_t i = 0; i < event->n_codes; i++) {
		struct perf_event_attr *attr = &event->codes[i].attr;
		enum event_levels levels = EVENT_LEVELS_ALL;

		if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv)
			continue;
		if (event->kind == EVENT_HARDWARE)
			levels = context->levels;
		else if (is_of_both_levels(attr))
			levels = context->software_levels;
		attr->exclude_user = levels == EVENT_LEVELS_KERNEL;
		attr->exclude_kernel = levels == EVENT_LEVELS_USER;
		attr->exclude_hv = levels != EVENT_LEVELS_ALL;
	}
}

bool event_is_modifier(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!strchr(LETTERS, text[i]) || !text[i])
			return false;
	return length > 0;
}
