// SPDX-License-Identifier: MIT
#include "cpus.h"

#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int cpu_list_parse(const char *text, struct cpu_list *list)
{
	size_t capacity = 0;
	const char *at = text;
	char *end;

	*list = (struct cpu_list){0};
	while (*at && *at != '\n') {
		long first = strtol(at, &end, 10);
		if (end == at || first < 0)
			goto invalid;
		long last = first;
		if (*end == '-') {
			at = end + 1;
			last = strtol(at, &end, 10);
			if (end == at || last < first)
				goto invalid;
		}
		if (last >= CPUS_MAX) {
			cpu_list_fini(list);
			return -ERANGE;
		}
		for (long cpu = first; cpu <= last; cpu++) {
			if (list->n > 0 && list->numbers[list->n - 1] >= cpu)
				goto invalid;
			list->numbers = array_reserve(list->numbers, &capacity, list->n + 1,
						      sizeof(*list->numbers));
			list->numbers[list->n++] = (int)cpu;
		}
		if (*end && *end != ',' && *end != '\n')
			goto invalid;
		at = *end == ',' ? end + 1 : end;
	}
	if (list->n > 0)
		return 0;
invalid:
	cpu_list_fini(list);
	return -EINVAL;
}

void cpu_list_copy(struct cpu_list *copy, const struct cpu_list *list)
{
	copy->numbers = xcalloc(list->n, sizeof(*copy->numbers));
	copy->n = list->n;
	if (list->n > 0)
		memcpy(copy->numbers, list->numbers, list->n * sizeof(*copy->numbers));
}

void cpu_list_fini(struct cpu_list *list)
{
	free(list->numbers);
	*list = (struct cpu_list){0};
}

bool cpu_list_has(const struct cpu_list *list, int cpu)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->numbers[i] == cpu)
			return true;
	return false;
}

static int read_list(const struct sys *sys, const char *path, struct cpu_list *list)
{
	char text[4096];
	ssize_t length = sys_file_read(sys, path, text, sizeof(text));

	return length < 0 ? (int)length : cpu_list_parse(text, list);
}

int cpus_online(const struct sys *sys, struct cpu_list *list)
{
	return read_list(sys, "/sys/devices/system/cpu/online", list);
}

int cpus_possible(const struct sys *sys, struct cpu_list *list)
{
	int result = read_list(sys, "/sys/devices/system/cpu/possible", list);

	return result < 0 ? cpus_online(sys, list) : result;
}
