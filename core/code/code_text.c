// SPDX-License-Identifier: MIT
#include "core/code/code_text.h"

#include "core/base/util.h"
#include "core/code/mapped_file_internal.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The pid that the process itself has: the last one of NSpid. */
static pid_t own_pid(const struct sys *sys, pid_t pid)
{
	char path[32], value[256];
	struct proc_text status;
	pid_t own = pid;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (proc_text_read(sys, path, &status) == 0 &&
	    proc_field(status.text, "NSpid", value, sizeof(value))) {
		const char *last = strrchr(value, '\t');

		own = proc_pid(last ? last + 1 : value);
	}
	proc_text_fini(&status);
	return own > 0 ? own : pid;
}

/* A descriptor, or -errno. */
static int open_perf_map(struct mapped_files *files, pid_t pid, unsigned skipped)
{
	const struct sys *sys = files->sys;
	char path[96], process[32];
	struct stat status;
	uid_t user = 0;

	if (files->config.recording)
		return mapped_files_open_recorded_map(files, pid, skipped);
	files->skipped = skipped;
	files->stage = MAPPED_FILE_SELF;
	if (!files_enter(files, MAPPED_FILE_THERE))
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", pid, own_pid(sys, pid));
	snprintf(process, sizeof(process), "/proc/%d", pid);
	int fd = sys_file_open(sys, path);
	if (fd < 0)
		return fd;
	if (sys_file_status(sys, fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    sys_file_owner(sys, process, &user) == 0 &&
	    (status.st_uid == user || status.st_uid == 0))
		return fd;
	sys_close(sys, fd);
	return -EPERM;
}

ssize_t code_text_read(struct mapped_files *files, const struct code_text *text, unsigned skipped,
		       uint64_t offset, char *buffer, struct code_text_status *status)
{
	const struct sys *sys = files->sys;
	struct stat found;
	int fd = text->kind == CODE_TEXT_PERF_MAP
			 ? open_perf_map(files, text->pid, skipped)
			 : mapped_files_open_kallsyms(files, &text->id, text->number, skipped);

	if (fd < 0)
		return fd;
	ssize_t n = sys_file_status(sys, fd, &found);
	if (n == 0)
		n = sys_file_pread(sys, fd, buffer, CODE_TEXT_BYTES, offset);
	if (n >= 0)
		*status = (struct code_text_status){found.st_dev, found.st_ino,
						    (uint64_t)found.st_size};
	sys_close(sys, fd);
	return n;
}
