// SPDX-License-Identifier: MIT
/*
 * mem:ADDRESS[/LENGTH][:ACCESS]: counts accesses with the debug registers of the CPU. As in perf,
 * the default is read and write, and 4 bytes, or the size of a long for executed code.
 */
#include "core/event/event_resolver.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

/* The HW_BREAKPOINT_* of the letters; 0: invalid. */
static uint32_t parse_access(const char *text, size_t length)
{
	uint32_t access = 0;

	for (size_t i = 0; i < length; i++) {
		uint32_t bit = text[i] == 'r'   ? HW_BREAKPOINT_R
			       : text[i] == 'w' ? HW_BREAKPOINT_W
			       : text[i] == 'x' ? HW_BREAKPOINT_X
						: 0;
		if (!bit || (access & bit))
			return 0;
		access |= bit;
	}
	return access;
}

int event_breakpoint_resolve(const struct event_context *context, const char *name,
			     struct event *event, const char **rest, struct error *err)
{
	struct quoted quoted = event_quote(name, strlen(name));
	const char *at = name + strlen("mem:");
	uint32_t access = HW_BREAKPOINT_RW;
	uint64_t address, length = 0;

	(void)context;
	if (strncmp(name, "mem:", strlen("mem:")) != 0)
		return EVENT_NOT_MINE;
	if (!event_parse_number(at, "/:", &address, &at))
		return error_set(err, -EINVAL,
				 "'%s' has no address (example: mem:0x7f001000/4:rw).",
				 quoted.text);
	if (*at == '/' && (!event_parse_number(at + 1, ":", &length, &at) || length < 1 ||
			   length > HW_BREAKPOINT_LEN_8))
		return error_set(err, -EINVAL,
				 "Invalid breakpoint '%s': its length is 1 to 8 bytes.",
				 quoted.text);
	size_t letters = *at == ':' ? strcspn(at + 1, ":") : 0;
	uint32_t given = parse_access(at + 1, letters);
	if (given) {
		access = given;
		at += 1 + letters;
	}
	if (length == 0)
		length = access == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	*rest = at;
	event->kind = EVENT_SOFTWARE;
	struct perf_event_attr *attr = event_add_code(event, 0, PERF_TYPE_BREAKPOINT, 0);
	attr->bp_type = access;
	attr->bp_addr = address;
	attr->bp_len = length;
	return 0;
}
