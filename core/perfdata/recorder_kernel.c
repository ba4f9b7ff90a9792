// SPDX-License-Identifier: MIT
/*
 * Where the kernel and its modules are, so that perf finds their symbols: the kernel by its first
 * symbol, modules by /proc/modules. Without the right to read addresses all are 0, and nothing is
 * recorded.
 */
#include "core/perfdata/perfdata_code.h"
#include "core/perfdata/recorder_internal.h"

#include "core/base/util.h"
#include "core/sys/file_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	KALLSYMS_BYTES_MAX = 64 << 20,
	MODULES_BYTES_MAX = 1 << 20,
	MODULE_NAME_MAX = 64,
};

static void read_lines(const struct sys *sys, const char *path, size_t most,
		       int (*fn)(void *arg, char *line), void *arg)
{
	int fd = sys_file_open(sys, path);

	if (fd < 0)
		return;
	file_lines_each(sys, fd, most, fn, arg);
	sys_close(sys, fd);
}

struct kernel_text {
	uint64_t start, end;
};

/* Ends when both symbols were found. */
static int find_text(void *arg, char *line)
{
	struct kernel_text *text = arg;
	char *rest;
	uint64_t address = strtoull(line, &rest, 16);

	if (rest == line || strlen(rest) < 3)
		return 0;
	if (strcmp(rest + 3, "_text") == 0)
		text->start = address;
	if (strcmp(rest + 3, "_etext") == 0)
		text->end = address;
	return text->start && text->end;
}

/* "ext4 1105920 1 - Live 0xffffffffc0201000", with marks of the module behind it */
static int put_module(void *arg, char *line)
{
	char name[MODULE_NAME_MAX], bracketed[MODULE_NAME_MAX + 3];
	unsigned long long bytes, start;

	if (sscanf(line, "%63s %19llu %*s %*s %*s %18llx", name, &bytes, &start) != 3 || !start)
		return 0;
	snprintf(bracketed, sizeof(bracketed), "[%s]", name);
	perfdata_kernel_mapping(arg, start, bytes, 0, bracketed);
	return 0;
}

void recorder_put_kernel(struct recorder *recorder)
{
	struct kernel_text text = {0};

	read_lines(recorder->sys, "/proc/kallsyms", KALLSYMS_BYTES_MAX, find_text, &text);
	if (text.start && text.end > text.start)
		perfdata_kernel_mapping(recorder->data, text.start, text.end - text.start,
					text.start, "[kernel.kallsyms]_text");
	read_lines(recorder->sys, "/proc/modules", MODULES_BYTES_MAX, put_module, recorder->data);
}
