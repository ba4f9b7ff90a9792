// SPDX-License-Identifier: MIT
/*
 * The codes of an event: a type and config for each PMU. Here are the codes that a user writes as
 * numbers (r1a8), and the helpers and parsers that all resolvers share.
 */
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/event/event_resolver.h"

#include <stdlib.h>
#include <string.h>

struct perf_event_attr *event_add_code(struct event *event, size_t pmu, uint32_t type,
				       uint64_t config)
{
	event->codes = xreallocarray(event->codes, event->n_codes + 1, sizeof(*event->codes));
	struct event_code *code = &event->codes[event->n_codes++];
	*code = (struct event_code){
		.pmu = pmu,
		.attr = {.type = type, .size = sizeof(code->attr), .config = config},
	};
	code->attr.exclude_guest = event->kind == EVENT_HARDWARE;
	return &code->attr;
}

size_t event_core_pmus(const struct event_context *context)
{
	size_t n = context->pmus ? context->pmus->n_core : 0;

	return n > 0 && !context->pmus->items[n - 1].name[0] ? n - 1 : n;
}

void event_add_generic(const struct event_context *context, struct event *event, uint32_t type,
		       uint64_t config)
{
	size_t n = event_core_pmus(context);

	if (event->kind != EVENT_HARDWARE || n < 2) {
		event_add_code(event, 0, type, config);
		return;
	}
	/* PERF_PMU_TYPE_SHIFT: the extended type, since Linux 5.13. */
	for (size_t i = 0; i < n; i++)
		event_add_code(event, i, type,
			       config | (uint64_t)context->pmus->items[i].type << 32);
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static bool parse_digits(const char *text, uint64_t base, const char *ends, uint64_t *number,
			 const char **end)
{
	const char *at = text;

	*number = 0;
	for (; (uint64_t)digit_of(*at) < base; at++) {
		uint64_t digit = (uint64_t)digit_of(*at);

		if (*number > (UINT64_MAX - digit) / base)
			return false;
		*number = *number * base + digit;
	}
	*end = at;
	return at > text && (*at == '\0' || strchr(ends, *at));
}

bool event_parse_number(const char *text, const char *ends, uint64_t *number, const char **end)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	return parse_digits(hex ? text + 2 : text, hex ? 16 : 10, ends, number, end);
}

bool event_parse_hex(const char *text, const char *ends, uint64_t *number, const char **end)
{
	return parse_digits(text, 16, ends, number, end);
}

struct quoted event_quote(const char *text, size_t length)
{
	struct quoted quoted = {""};
	char *copy = xstrndup(text, strnlen(text, size_min(length, sizeof(quoted.text))));

	text_printable(quoted.text, sizeof(quoted.text), copy, 48);
	free(copy);
	return quoted;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool event_same_name(const char *a, size_t n_a, const char *b)
{
	for (size_t i = 0; i < n_a; i++)
		if (!b[i] || lower(a[i]) != lower(b[i]))
			return false;
	return b[n_a] == '\0';
}

bool event_is_word(const char *text, size_t length)
{
	if (length == 0 || text[0] == '.' || text[0] == '-')
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = lower(text[i]);

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && !(c && strchr("_-.", c)))
			return false;
	}
	return true;
}

/* r1a8: the config in hexadecimal. */
int event_raw_resolve(const struct event_context *context, const char *name, struct event *event,
		      const char **rest, struct error *err)
{
	size_t n = event_core_pmus(context);
	uint64_t config;

	(void)err;
	if (name[0] != 'r' || !event_parse_hex(name + 1, ":", &config, rest))
		return EVENT_NOT_MINE;
	event->kind = EVENT_HARDWARE;
	/* The kernel finds the PMU of PERF_TYPE_RAW (4) if there is one core PMU. */
	if (n < 2)
		event_add_code(event, 0, PERF_TYPE_RAW, config);
	else
		for (size_t i = 0; i < n; i++)
			event_add_code(event, i, context->pmus->items[i].type, config);
	return 0;
}
