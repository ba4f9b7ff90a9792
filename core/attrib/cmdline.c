// SPDX-License-Identifier: MIT
/* /proc/PID/cmdline has a NUL behind each word. The words are joined with blanks. */
#include "core/attrib/cmdline.h"

#include "core/base/util.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmdline_read(const struct sys *sys, pid_t tid, struct cmdline **cmdline)
{
	char path[32], text[CMDLINE_BYTES + 1];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", tid);
	ssize_t length = sys_file_read(sys, path, text, sizeof(text));
	if (length == -ETIMEDOUT)
		return -ETIMEDOUT;
	*cmdline = NULL;
	/* A process that overwrites its command line leaves NULs at the end. */
	while (length > 0 && (text[length - 1] == '\0' || text[length - 1] == ' '))
		length--;
	if (length <= 0)
		return 0;
	for (ssize_t i = 0; i < length; i++)
		text[i] = text[i] ? text[i] : ' ';
	text[length] = '\0';
	*cmdline = cmdline_new(text);
	return 0;
}

struct cmdline *cmdline_new(const char *text)
{
	size_t size = strnlen(text, CMDLINE_BYTES) + 1;
	struct cmdline *cmdline = xmalloc(sizeof(*cmdline) + size);

	cmdline->references = 1;
	text_copy(cmdline->text, size, text);
	return cmdline;
}

struct cmdline *cmdline_of(const char *text)
{
	/* All of these are allocated, and none is const. */
	return (struct cmdline *)((uintptr_t)text - offsetof(struct cmdline, text));
}

struct cmdline *cmdline_ref(struct cmdline *cmdline)
{
	__atomic_add_fetch(&cmdline->references, 1, __ATOMIC_RELAXED);
	return cmdline;
}

void cmdline_unref(struct cmdline *cmdline)
{
	/* The last owner must see the accesses of all others before it frees. */
	if (cmdline && __atomic_sub_fetch(&cmdline->references, 1, __ATOMIC_ACQ_REL) == 0)
		free(cmdline);
}
