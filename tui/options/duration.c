// SPDX-License-Identifier: MIT
/*
 * Durations are parsed by hand: strtod() also accepts hexadecimal, "inf" and the locale's comma.
 */
#include "tui/options/duration.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/*
 * Parses digits with at most one point into thousandths; further decimals are dropped. Returns the
 * rest of the text; NULL: no digits.
 */
static const char *parse_thousandths(const char *text, uint64_t *thousandths)
{
	uint64_t value = 0;
	unsigned decimals = 0, digits = 0;
	bool point = false;

	for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
		if (*text == '.') {
			point = true;
			continue;
		}
		digits++;
		if (point && ++decimals > 3)
			continue;
		if (value < UINT64_MAX / 100)
			value = value * 10 + (uint64_t)(*text - '0');
	}
	for (; decimals < 3; decimals++)
		value = value < UINT64_MAX / 100 ? value * 10 : value;
	*thousandths = value;
	return digits ? text : NULL;
}

int duration_parse(const char *text, uint64_t *ns, struct error *err)
{
	const char *start = text + strspn(text, " \t");
	uint64_t thousandths, unit_ns;
	const char *rest = parse_thousandths(start, &thousandths);

	if (!rest)
		goto invalid;

	size_t length = strcspn(rest, " \t");

	if (length == 0 || (length == 1 && rest[0] == 's'))
		unit_ns = NS_PER_MS;
	else if (length == 2 && memcmp(rest, "ms", 2) == 0)
		unit_ns = NS_PER_US;
	else
		goto invalid;
	rest += length;
	if (rest[strspn(rest, " \t")])
		goto invalid;
	if (thousandths > DURATION_MAX_NS / unit_ns)
		return error_set(err, -ERANGE, "Invalid delay '%.20s' (maximum 3600 s)", start);
	if (thousandths * unit_ns < DURATION_MIN_NS)
		return error_set(err, -ERANGE, "Invalid delay '%.20s' (minimum 0.1 s)", start);
	*ns = thousandths * unit_ns;
	return 0;
invalid:
	return error_set(err, -EINVAL, "Invalid delay '%.40s' (examples: 1, 0.5, 500ms)", text);
}

void duration_format(uint64_t ns, char *text, size_t size)
{
	uint64_t ms = ns / NS_PER_MS;
	unsigned decimals = ms % 100 == 0 ? 1 : ms % 10 == 0 ? 2 : 3;
	uint64_t fraction = ms % 1000 / (decimals == 1 ? 100 : decimals == 2 ? 10 : 1);

	snprintf(text, size, "%" PRIu64 ".%0*" PRIu64 "s", ms / 1000, (int)decimals, fraction);
}

void duration_format_age(uint64_t ns, char *text, size_t size)
{
	static const struct {
		uint64_t up_to_s, unit_s;
		const char *name;
	} units[] = {
		{120, 1, "s"}, {7200, 60, "min"}, {172800, 3600, "h"}, {UINT64_MAX, 86400, "d"}};
	uint64_t s = ns / NS_PER_S;
	size_t unit = 0;

	while (s >= units[unit].up_to_s)
		unit++;
	snprintf(text, size, "%" PRIu64 " %s", s / units[unit].unit_s, units[unit].name);
}

void duration_format_clock(uint64_t ns, char *text, size_t size)
{
	uint64_t s = ns / NS_PER_S;

	snprintf(text, size, "%02" PRIu64 ":%02u:%02u", s / 3600, (unsigned)(s / 60 % 60),
		 (unsigned)(s % 60));
}

void duration_format_time_of_day(uint64_t realtime_ns, const char *unknown, char *text, size_t size)
{
	time_t seconds = (time_t)(realtime_ns / NS_PER_S);
	struct tm local;

	text_copy(text, size, unknown);
	if (seconds > 0 && localtime_r(&seconds, &local))
		strftime(text, size, "%H:%M:%S", &local);
}
