// SPDX-License-Identifier: MIT
/*
 * Parsers of the texts of /proc about tasks, and functions that read them through struct sys. A
 * task may have any bytes as its name, so no parser relies on blanks or parentheses in it.
 */
#include "core/sys/proc.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG_FILE_BYTES = 1 << 20 };

#define PF_KTHREAD 0x00200000u /* include/linux/sched.h */

int proc_stat_parse(const char *text, struct proc_stat *stat)
{
	/* comm may have any bytes, so it ends at the last ')' of the line. */
	const char *open = strchr(text, '(');
	const char *close = strrchr(text, ')');
	if (!open || !close || close < open)
		return -EBADMSG;

	*stat = (struct proc_stat){.pid = (pid_t)strtol(text, NULL, 10)};
	size_t length = size_min((size_t)(close - open - 1), sizeof(stat->comm) - 1);
	memcpy(stat->comm, open + 1, length);

	unsigned flags;
	unsigned long long minor, major, user, system, start, rss, code = 1;
	unsigned threads;
	/* Fields 3 to 24, 26, and 39 to 41 of a kernel that has them. */
	int fields = sscanf(close + 1,
			    " %c %d %*d %*d %*d %*d %u %llu %*u %llu %*u %llu %llu"
			    " %*d %*d %*d %d %u %*d %llu %*u %llu"
			    " %*u %llu %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d"
			    " %d %u %d",
			    &stat->state, &stat->ppid, &flags, &minor, &major, &user, &system,
			    &stat->nice, &threads, &start, &rss, &code, &stat->last_cpu,
			    &stat->rt_priority, &stat->policy);
	if (stat->pid <= 0 || fields < 11)
		return -EBADMSG;
	if (fields < 13 || stat->last_cpu < 0)
		stat->last_cpu = -1;
	if (fields < 15)
		stat->policy = -1;
	stat->kernel = flags & PF_KTHREAD;
	stat->minor_faults = minor;
	stat->major_faults = major;
	stat->user_ticks = user;
	stat->system_ticks = system;
	stat->threads = threads;
	stat->start_ticks = start;
	stat->rss_pages = rss;
	stat->start_code = code;
	return 0;
}

static int read_stat(const struct sys *sys, const char *path, struct proc_stat *stat)
{
	char text[1024];
	ssize_t length = sys_file_read(sys, path, text, sizeof(text));

	return length < 0 ? (int)length : proc_stat_parse(text, stat);
}

int proc_stat_read(const struct sys *sys, pid_t tid, struct proc_stat *stat)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	return read_stat(sys, path, stat);
}

int proc_exists(const struct sys *sys, pid_t tid)
{
	int fd = sys_pidfd_open(sys, tid);

	if (fd >= 0)
		sys_close(sys, fd);
	/* The task exists, but is not the main thread of a process. */
	return fd >= 0 || fd == -EINVAL || fd == -ENOENT ? 0 : fd;
}

static const char states_by_activity[] = "IXZPtTSDR";

int proc_state_activity(char state)
{
	const char *at = state ? strchr(states_by_activity, state) : NULL;

	return at ? (int)(at - states_by_activity) : -1;
}

char proc_state_letter(double activity)
{
	return activity >= 0 && activity < (double)strlen(states_by_activity)
		       ? states_by_activity[(size_t)activity]
		       : '?';
}

bool proc_has_ended(const struct proc_stat *stat)
{
	return stat->state == 'X' || (stat->state == 'Z' && stat->threads <= 1);
}

int proc_thread_stat(const struct sys *sys, pid_t pid, pid_t tid, struct proc_stat *stat)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	return read_stat(sys, path, stat);
}

/* From files for which the kernel takes no lock of the process. */
static int read_free_files(const struct sys *sys, pid_t pid, pid_t tid, struct proc_stat *stat)
{
	struct proc_text status;
	uint64_t ppid = 0, threads = 0;
	char path[64], state[32], comm[sizeof(stat->comm) + 1];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	ssize_t length = sys_file_read(sys, path, comm, sizeof(comm));
	if (length < 0)
		return (int)length;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	int result = proc_text_read(sys, path, &status);
	if (result == 0 && !proc_field(status.text, "State", state, sizeof(state)))
		result = -EBADMSG;
	if (result == 0) {
		proc_field_parse(status.text, "PPid", &ppid);
		proc_field_parse(status.text, "Threads", &threads);
		*stat = (struct proc_stat){.pid = tid,
					   .ppid = (pid_t)ppid,
					   .state = state[0],
					   .threads = (unsigned)threads,
					   .last_cpu = -1};
		text_copy(stat->comm, sizeof(stat->comm), comm);
		stat->comm[strcspn(stat->comm, "\n")] = '\0';
	}
	proc_text_fini(&status);
	return result;
}

int proc_thread_brief(const struct sys *sys, pid_t pid, pid_t tid, struct proc_stat *stat)
{
	struct proc_stat all;
	int result = proc_thread_stat(sys, pid, tid, &all);

	if (result == -ETIMEDOUT)
		return read_free_files(sys, pid, tid, stat);
	if (result == 0) {
		*stat = (struct proc_stat){.pid = all.pid,
					   .ppid = all.ppid,
					   .state = all.state,
					   .kernel = all.kernel,
					   .threads = all.threads,
					   .last_cpu = all.last_cpu};
		memcpy(stat->comm, all.comm, sizeof(stat->comm));
	}
	return result;
}

int proc_schedstat_parse(const char *text, struct proc_schedstat *schedstat)
{
	uint64_t numbers[3];

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		size_t length = text_u64(text, &numbers[i]);
		if (length == 0)
			return -EBADMSG;
		text += length;
	}
	/* A line that is cut off may lack digits. */
	if (*text != '\n')
		return -EBADMSG;
	if (numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 0)
		return -ENODATA;
	*schedstat = (struct proc_schedstat){numbers[0], numbers[1], numbers[2]};
	return 0;
}

int proc_thread_schedstat(const struct sys *sys, pid_t pid, pid_t tid,
			  struct proc_schedstat *schedstat)
{
	char path[64], text[128];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid, tid);
	ssize_t length = sys_file_read(sys, path, text, sizeof(text));
	return length < 0 ? (int)length : proc_schedstat_parse(text, schedstat);
}

int proc_thread_migrations(const struct sys *sys, pid_t pid, pid_t tid, uint64_t *migrations)
{
	static const char name[] = "se.nr_migrations";
	char path[64], text[1024];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/sched", pid, tid);
	ssize_t length = sys_file_read(sys, path, text, sizeof(text));
	if (length < 0)
		return (int)length;
	const char *at = strstr(text, name);
	if (!at)
		return -ENOENT;
	at += strlen(name);
	at += strspn(at, " :");
	return text_u64(at, migrations) ? 0 : -EBADMSG;
}

bool proc_schedstat_has_sleeps(const struct sys *sys)
{
	enum { MAJOR = 6, MINOR = 12 };
	char text[64];
	uint64_t major, minor;

	if (sys_file_read(sys, "/proc/sys/kernel/osrelease", text, sizeof(text)) <= 0)
		return false;
	size_t length = text_u64(text, &major);
	if (length == 0 || text[length] != '.' || text_u64(text + length + 1, &minor) == 0)
		return false;
	return major > MAJOR || (major == MAJOR && minor >= MINOR);
}

char *proc_long_text(const struct sys *sys, const char *path, int *code)
{
	char *text = xmalloc(LONG_FILE_BYTES);
	ssize_t length = sys_file_read(sys, path, text, LONG_FILE_BYTES);

	if (length >= 0)
		return text;
	*code = (int)length;
	free(text);
	return NULL;
}

int proc_text_read(const struct sys *sys, const char *path, struct proc_text *text)
{
	ssize_t length = sys_file_read(sys, path, text->brief, sizeof(text->brief));
	int code = length < 0 ? (int)length : 0;
	/* 65536 groups (NGROUPS_MAX) of ten digits each fit in a long file. */
	bool cut = length == (ssize_t)sizeof(text->brief) - 1;
	char *whole = cut ? proc_long_text(sys, path, &code) : NULL;

	if (code)
		text->brief[0] = '\0';
	text->text = whole ? whole : text->brief;
	return code;
}

void proc_text_fini(struct proc_text *text)
{
	if (text->text != text->brief)
		free(text->text);
}

int proc_field_parse(const char *text, const char *name, uint64_t *number)
{
	char value[32];

	if (!proc_field(text, name, value, sizeof(value)))
		return -ENOENT;
	return text_u64(value, number) ? 0 : -EBADMSG;
}

bool proc_count_parse(const char *text, const char *name, uint64_t *number)
{
	size_t length = strlen(name);

	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		if (strncmp(line, name, length) != 0 || line[length] != ' ')
			continue;
		size_t digits = text_u64(line + length, number);
		return digits && line[length + digits] == '\n';
	}
	return false;
}

int proc_field_number(const struct sys *sys, const char *path, const char *name, uint64_t *number)
{
	char text[4096];
	ssize_t length = sys_file_read(sys, path, text, sizeof(text));

	return length < 0 ? (int)length : proc_field_parse(text, name, number);
}

int proc_thread_switches(const struct sys *sys, pid_t pid, pid_t tid,
			 struct proc_switches *switches)
{
	struct proc_text status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	int result = proc_text_read(sys, path, &status);
	if (result == 0)
		result = proc_field_parse(status.text, "voluntary_ctxt_switches",
					  &switches->voluntary);
	if (result == 0)
		result = proc_field_parse(status.text, "nonvoluntary_ctxt_switches",
					  &switches->involuntary);
	proc_text_fini(&status);
	return result;
}

/* 0 or -errno. */
static int parse_io(const char *text, struct proc_io *io)
{
	int result = proc_field_parse(text, "read_bytes", &io->read_bytes);

	return result < 0 ? result : proc_field_parse(text, "write_bytes", &io->write_bytes);
}

static int read_io(const struct sys *sys, const char *path, struct proc_io *io)
{
	char text[512];
	ssize_t length = sys_file_read(sys, path, text, sizeof(text));

	return length < 0 ? (int)length : parse_io(text, io);
}

int proc_io_read(const struct sys *sys, pid_t pid, struct proc_io *io)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/io", pid);
	return read_io(sys, path, io);
}

int proc_thread_io(const struct sys *sys, pid_t pid, pid_t tid, struct proc_io *io)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/io", pid, tid);
	return read_io(sys, path, io);
}

uint64_t proc_tick_ns(void)
{
	return NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
}

struct proc_trial {
	const struct sys *sys;
	bool found;
	int result; /* of reading the first process */
};

static int try_process(void *arg, const char *name)
{
	struct proc_trial *trial = arg;
	pid_t pid = proc_pid(name);
	struct proc_stat stat;

	trial->found = pid > 0;
	if (trial->found)
		trial->result = proc_stat_read(trial->sys, pid, &stat);
	return trial->found;
}

int proc_check(const struct sys *sys)
{
	struct proc_trial trial = {.sys = sys};
	char text[64];
	/* Without a list of all processes, if it can. */
	int result = (int)sys_file_read(sys, "/proc/self/stat", text, sizeof(text));

	if (result > 0 || result == -EMFILE || result == -ENFILE)
		return result > 0 ? 0 : result;
	result = sys_dir_each(sys, "/proc", try_process, &trial);

	if (trial.found) /* it may have ended since */
		return trial.result == -EMFILE || trial.result == -ENFILE ? trial.result : 0;
	return result < 0 ? result : -ENOENT;
}

int proc_number(const struct sys *sys, const char *path, long *number)
{
	char text[64], *end;
	ssize_t length = sys_file_read(sys, path, text, sizeof(text));

	if (length < 0)
		return (int)length;
	*number = strtol(text, &end, 10);
	return end == text ? -EBADMSG : 0;
}

bool proc_field(const char *text, const char *key, char *value, size_t size)
{
	size_t length = strlen(key);

	value[0] = '\0';
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		if (strncmp(line, key, length) != 0)
			continue;
		const char *at = line + length;
		at += strspn(at, " \t");
		if (*at++ != ':')
			continue;
		at += strspn(at, " \t");
		snprintf(value, size, "%.*s", (int)(end - at), at);
		return true;
	}
	return false;
}

pid_t proc_pid(const char *name)
{
	char *end;

	if (!isdigit((unsigned char)name[0]))
		return 0;
	long pid = strtol(name, &end, 10);
	return *end || pid <= 0 || pid > INT32_MAX ? 0 : (pid_t)pid;
}
