// SPDX-License-Identifier: MIT
#include "core/sys/pressure.h"

#include "core/base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *const names[PRESSURE_RESOURCES] = {
	[PRESSURE_CPU] = "cpu",
	[PRESSURE_IO] = "io",
	[PRESSURE_MEMORY] = "memory",
};

/* Returns the text behind a key of a line, which ends at `end`. NULL if the line has no such key.
 */
static const char *find_value(const char *line, const char *end, const char *key)
{
	const char *value = memmem(line, (size_t)(end - line), key, strlen(key));

	return value ? value + strlen(key) : NULL;
}

/* "some avg10=1.78 avg60=1.61 avg300=0.82 total=830210191" */
static void parse_line(const char *line, const char *end, struct pressure_line *parsed)
{
	const char *avg10 = find_value(line, end, " avg10=");
	const char *total = find_value(line, end, " total=");
	double percent;

	if (!avg10 || !total || !text_number(avg10, &percent) || percent > 100)
		return;
	parsed->known = text_u64(total, &parsed->total_us) > 0;
	parsed->avg10 = percent / 100;
}

int pressure_parse(const char *text, struct pressure *pressure)
{
	*pressure = (struct pressure){0};
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		if (strncmp(line, "some ", 5) == 0)
			parse_line(line, end, &pressure->some);
		else if (strncmp(line, "full ", 5) == 0)
			parse_line(line, end, &pressure->full);
	}
	return pressure->some.known || pressure->full.known ? 0 : -EBADMSG;
}

int pressure_read(const struct sys *sys, const char *cgroup, enum pressure_resource resource,
		  struct pressure *pressure)
{
	char path[PATH_MAX], text[512];
	int size = cgroup ? snprintf(path, sizeof(path), "%s/%s.pressure", cgroup, names[resource])
			  : snprintf(path, sizeof(path), "/proc/pressure/%s", names[resource]);

	if (size >= (int)sizeof(path))
		return -ENAMETOOLONG;
	ssize_t length = sys_file_read(sys, path, text, sizeof(text));
	return length < 0 ? (int)length : pressure_parse(text, pressure);
}
