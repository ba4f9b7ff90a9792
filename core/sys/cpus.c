// SPDX-License-Identifier: MIT
/*
 * Lists of CPUs in the format of the kernel ("0-3,8"). Without /sys the online CPUs are those with
 * a line in /proc/stat.
 */
#include "core/sys/cpus.h"

#include "core/base/util.h"
#include "core/sys/proc_machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define POSSIBLE "/sys/devices/system/cpu/possible"

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

char *cpu_list_text(const struct cpu_list *list)
{
	char *text;
	size_t size;
	FILE *stream = xopen_memstream(&text, &size);

	for (size_t i = 0, last; i < list->n; i = last + 1) {
		last = i;
		while (last + 1 < list->n && list->numbers[last + 1] == list->numbers[last] + 1)
			last++;
		fprintf(stream, "%s%d", i > 0 ? "," : "", list->numbers[i]);
		if (last > i)
			fprintf(stream, "-%d", list->numbers[last]);
	}
	fclose(stream);
	return text;
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

/* The CPUs with a line in /proc/stat, which are online. */
static int read_stat(const struct sys *sys, struct cpu_list *list)
{
	struct proc_cpus cpus = {0};
	int result = proc_cpus_read(sys, &cpus);

	*list = (struct cpu_list){0};
	if (result == 0 && cpus.n == 0)
		result = -ENOENT;
	if (result == 0)
		list->numbers = xcalloc(cpus.n, sizeof(*list->numbers));
	for (; result == 0 && list->n < cpus.n; list->n++)
		list->numbers[list->n] = cpus.items[list->n].cpu;
	proc_cpus_fini(&cpus);
	return result;
}

int cpus_online(const struct sys *sys, struct cpu_list *list)
{
	int result = read_list(sys, "/sys/devices/system/cpu/online", list);

	return result < 0 ? read_stat(sys, list) : result;
}

int cpus_possible(const struct sys *sys, struct cpu_list *list)
{
	int result = read_list(sys, POSSIBLE, list);

	return result < 0 ? cpus_online(sys, list) : result;
}

bool cpus_have_sysfs(const struct sys *sys)
{
	char text[16];

	return sys_file_read(sys, POSSIBLE, text, sizeof(text)) >= 0;
}
