// SPDX-License-Identifier: MIT
/*
 * Where the kernel and its modules are, so that perf finds their symbols: the kernel by its first
 * symbol, modules by /proc/modules. Without the right to read addresses all are 0, and nothing is
 * recorded.
 */
#include "core/perfdata/perfdata_code.h"
#include "core/perfdata/recorder_internal.h"

#include "core/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PIECE_BYTES = 1 << 16,
	KALLSYMS_BYTES_MAX = 64 << 20,
	MODULES_BYTES_MAX = 1 << 20,
	MODULE_NAME_MAX = 64,
};

/* A line of a file that is read in pieces; false: enough. */
typedef bool line_function(void *arg, const char *line);

static void read_lines(const struct sys *sys, const char *path, uint64_t most, line_function *line,
		       void *arg)
{
	char *text = xmalloc(PIECE_BYTES + 1);
	uint64_t offset = 0;
	size_t held = 0;
	int fd = sys_file_open(sys, path);
	bool more = fd >= 0;

	while (more && offset < most && held < PIECE_BYTES) {
		ssize_t n = sys_file_pread(sys, fd, text + held, PIECE_BYTES - held, offset);
		if (n <= 0)
			break;
		offset += (uint64_t)n;
		held += (size_t)n;
		size_t used = 0;
		char *newline;
		while (more && (newline = memchr(text + used, '\n', held - used))) {
			*newline = '\0';
			more = line(arg, text + used);
			used = (size_t)(newline - text) + 1;
		}
		memmove(text, text + used, held - used);
		held -= used;
	}
	if (fd >= 0)
		sys_close(sys, fd);
	free(text);
}

struct kernel_text {
	uint64_t start, end;
};

static bool find_text(void *arg, const char *line)
{
	struct kernel_text *text = arg;
	char *rest;
	uint64_t address = strtoull(line, &rest, 16);

	if (rest == line || strlen(rest) < 3)
		return true;
	if (strcmp(rest + 3, "_text") == 0)
		text->start = address;
	if (strcmp(rest + 3, "_etext") == 0)
		text->end = address;
	return !text->start || !text->end;
}

/* "ext4 1105920 1 - Live 0xffffffffc0201000", with marks of the module behind it */
static bool put_module(void *arg, const char *line)
{
	char name[MODULE_NAME_MAX], bracketed[MODULE_NAME_MAX + 3];
	unsigned long long bytes, start;

	if (sscanf(line, "%63s %19llu %*s %*s %*s %18llx", name, &bytes, &start) != 3 || !start)
		return true;
	snprintf(bracketed, sizeof(bracketed), "[%s]", name);
	perfdata_kernel_mapping(arg, start, bytes, 0, bracketed);
	return true;
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
