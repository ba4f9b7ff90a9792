// SPDX-License-Identifier: MIT
/*
 * Parsers of the texts of /proc, and functions that read them through struct sys. A task may have
 * any bytes as its name, so no parser relies on blanks or parentheses in it.
 */
#include "core/sys/proc.h"

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
	unsigned long long minor, major, user, system, start;
	unsigned threads;
	int fields = sscanf(close + 1,
			    " %c %d %*d %*d %*d %*d %u %llu %*u %llu %*u %llu %llu"
			    " %*d %*d %*d %*d %u %*d %llu",
			    &stat->state, &stat->ppid, &flags, &minor, &major, &user, &system,
			    &threads, &start);
	if (stat->pid <= 0 || fields != 9)
		return -EBADMSG;
	stat->kernel = flags & PF_KTHREAD;
	stat->minor_faults = minor;
	stat->major_faults = major;
	stat->user_ticks = user;
	stat->system_ticks = system;
	stat->threads = threads;
	stat->start_ticks = start;
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

int proc_thread_ran(const struct sys *sys, pid_t pid, pid_t tid, uint64_t *ran_ns)
{
	char path[64], text[128], *end;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid, tid);
	ssize_t length = sys_file_read(sys, path, text, sizeof(text));
	if (length < 0)
		return (int)length;
	*ran_ns = strtoull(text, &end, 10);
	/* A line that is cut off may lack digits. */
	return end == text || *end != ' ' ? -EBADMSG : 0;
}

/* A long file, which the caller frees; NULL if it cannot be read. */
static char *read_long(const struct sys *sys, const char *path, int *code)
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
	char *whole = cut ? read_long(sys, path, &code) : NULL;

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

/* Reads the number behind the name of a line. 0 or -errno. */
static int find_field(const char *text, const char *name, uint64_t *number)
{
	char value[32], *end;

	if (!proc_field(text, name, value, sizeof(value)))
		return -ENOENT;
	*number = strtoull(value, &end, 10);
	return end == value ? -EBADMSG : 0;
}

int proc_field_number(const struct sys *sys, const char *path, const char *name, uint64_t *number)
{
	char text[4096];
	ssize_t length = sys_file_read(sys, path, text, sizeof(text));

	return length < 0 ? (int)length : find_field(text, name, number);
}

int proc_thread_switches(const struct sys *sys, pid_t pid, pid_t tid, uint64_t *switches)
{
	struct proc_text status;
	uint64_t native, forced;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	int result = proc_text_read(sys, path, &status);
	if (result == 0)
		result = find_field(status.text, "voluntary_ctxt_switches", &native);
	if (result == 0)
		result = find_field(status.text, "nonvoluntary_ctxt_switches", &forced);
	if (result == 0)
		*switches = native + forced;
	proc_text_fini(&status);
	return result;
}

/* The columns behind a CPU's name in /proc/stat. User time includes that of guests. */
struct cpu_ticks {
	unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
};

static bool parse_ticks(const char *text, struct cpu_ticks *ticks)
{
	return sscanf(text, " %llu %llu %llu %llu %llu %llu %llu %llu", &ticks->user, &ticks->nice,
		      &ticks->system, &ticks->idle, &ticks->iowait, &ticks->irq, &ticks->softirq,
		      &ticks->steal) == 8;
}

static uint64_t busy_ticks(const struct cpu_ticks *ticks)
{
	return ticks->user + ticks->nice + ticks->system + ticks->irq + ticks->softirq +
	       ticks->steal;
}

int proc_stolen(const struct sys *sys, uint64_t *stolen_ticks, uint64_t *all_ticks)
{
	struct cpu_ticks ticks;
	char text[256];
	ssize_t length = sys_file_read(sys, "/proc/stat", text, sizeof(text));

	if (length < 0)
		return (int)length;
	if (strncmp(text, "cpu ", 4) || !parse_ticks(text + 4, &ticks))
		return -EBADMSG;
	*stolen_ticks = ticks.steal;
	*all_ticks = busy_ticks(&ticks) + ticks.idle + ticks.iowait;
	return 0;
}

void proc_cpus_parse(const char *text, struct proc_cpus *cpus)
{
	cpus->n = 0;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, "cpu", 3))
			break;
		if (!isdigit((unsigned char)line[3]))
			continue; /* the sum of all CPUs */
		struct cpu_ticks ticks;
		char *end;
		long cpu = strtol(line + 3, &end, 10);
		if (cpu > INT_MAX || !parse_ticks(end, &ticks))
			continue;
		cpus->items = array_reserve(cpus->items, &cpus->capacity, cpus->n + 1,
					    sizeof(*cpus->items));
		cpus->items[cpus->n++] = (struct proc_cpu){
			.cpu = (int)cpu,
			.busy_ticks = busy_ticks(&ticks),
			.idle_ticks = ticks.idle + ticks.iowait,
			.user_ticks = ticks.user + ticks.nice,
			.system_ticks = ticks.system + ticks.irq + ticks.softirq,
		};
	}
}

int proc_cpus_read(const struct sys *sys, struct proc_cpus *cpus)
{
	int code = 0;
	char *text = read_long(sys, "/proc/stat", &code);

	if (!text)
		return code;
	proc_cpus_parse(text, cpus);
	free(text);
	return 0;
}

void proc_cpus_fini(struct proc_cpus *cpus)
{
	free(cpus->items);
	*cpus = (struct proc_cpus){0};
}

static int by_cpu(const void *key, const void *item)
{
	int cpu = *(const int *)key, other = ((const struct proc_cpu *)item)->cpu;

	return (cpu > other) - (cpu < other);
}

const struct proc_cpu *proc_cpus_find(const struct proc_cpus *cpus, int cpu)
{
	return cpus->n ? bsearch(&cpu, cpus->items, cpus->n, sizeof(*cpus->items), by_cpu) : NULL;
}

uint64_t proc_tick_ns(void)
{
	return NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* The number behind a word at the beginning of a line; 0 if there is none. */
static uint64_t find_count(const char *text, const char *word)
{
	const char *line = strstr(text, word);

	return line ? strtoull(line + strlen(word), NULL, 10) : 0;
}

int proc_machine_faults(const struct sys *sys, uint64_t *faults, uint64_t *major)
{
	int code = 0;
	char *text = read_long(sys, "/proc/vmstat", &code);

	if (!text)
		return code;
	*faults = find_count(text, "\npgfault ");
	*major = find_count(text, "\npgmajfault ");
	free(text);
	return *faults ? 0 : -EBADMSG;
}

unsigned proc_threads(const struct sys *sys)
{
	char text[128];
	unsigned threads;

	if (sys_file_read(sys, "/proc/loadavg", text, sizeof(text)) < 0 ||
	    sscanf(text, "%*s %*s %*s %*u/%u", &threads) != 1)
		return 0;
	return threads;
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
	int result = sys_dir_each(sys, "/proc", try_process, &trial);

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
