// SPDX-License-Identifier: MIT
#include "tui/remote/copy_progress.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HOST_COLUMNS = 30 };

#define AFTER_NS (1 * NS_PER_S)
#define EACH_NS  (NS_PER_S / 5)

void copy_progress_begin(struct copy_progress *progress)
{
	*progress = (struct copy_progress){.due_ns = monotonic_ns() + AFTER_NS};
}

void copy_progress_show(struct copy_progress *progress, const char *host, size_t sent, size_t n)
{
	char shown[3 * HOST_COLUMNS + 1], line[160];
	uint64_t now_ns = monotonic_ns();

	if (now_ns < progress->due_ns || !isatty(STDERR_FILENO))
		return;
	text_printable(shown, sizeof(shown), host, HOST_COLUMNS);
	progress->due_ns = now_ns + EACH_NS;
	progress->columns = snprintf(line, sizeof(line), "\r%s: copying pmctop, %.1f of %.1f MB",
				     shown, (double)sent / 1e6, (double)n / 1e6);
	write_all(STDERR_FILENO, line, strlen(line), NULL);
}

void copy_progress_remove(const struct copy_progress *progress)
{
	char line[168];

	if (progress->columns == 0)
		return;
	snprintf(line, sizeof(line), "\r%*s\r", progress->columns, "");
	write_all(STDERR_FILENO, line, strlen(line), NULL);
}
