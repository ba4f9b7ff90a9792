// SPDX-License-Identifier: MIT
/*
 * Text of /proc and /sys, made from the tasks and the machine (files_machine.c) at each read. Texts
 * of fk_file() have precedence. Other paths are ENOENT.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PF_KTHREAD 0x00200000u

void fk_text_add(struct fk_text *text, const char *format, ...)
{
	size_t room = text->size - text->n;
	va_list args;

	va_start(args, format);
	int wanted = vsnprintf(text->bytes + text->n, room, format, args);
	va_end(args);
	text->n += size_min((size_t)wanted, room - 1);
}

/* A main thread stays until it is waited for, which is not before its last thread has ended. */
static bool task_shown(const struct fk_task *task)
{
	if (!task || !task->exiting)
		return task;
	return task->spec.pid == task->spec.tid && task->how == FK_EXIT_ZOMBIE && !task->reaped;
}

/* The sums in /proc of a thread, or of a process with its exited threads. */
struct event_totals {
	uint64_t ns, user_ns, minor, major;
	unsigned threads; /* of the process */
};

static void event_totals_sum(struct event_totals *sums, const struct fk *fk,
			     const struct fk_task *task, bool process)
{
	*sums = (struct event_totals){.threads = 0};
	/* Scans all buckets only if there are threads: 20,000 processes are listed quickly. */
	for (size_t i = 0; i < (fk->threaded ? FK_BUCKETS : 1); i++) {
		size_t bucket = fk->threaded ? i : (unsigned)task->spec.tid % FK_BUCKETS;

		for (const struct fk_task *other = fk->tasks[bucket]; other; other = other->next) {
			if (other->spec.pid != task->spec.pid ||
			    (other->exiting && other->start_ns < task->start_ns))
				continue;
			sums->threads += !other->exiting || other->spec.tid == other->spec.pid;
			if (!process && other != task)
				continue;
			sums->ns += other->counts[FK_TASK_CLOCK];
			sums->user_ns += other->user_ns;
			sums->minor += other->counts[FK_MINOR_FAULTS];
			sums->major += other->counts[FK_MAJOR_FAULTS];
		}
	}
}

/* The thread that forked it, or another one of that process if it has exited; NULL: not known. */
static const struct fk_task *task_parent(const struct fk *fk, const struct fk_task *task)
{
	const struct fk_task *parent = task->parent;

	if (!parent || !parent->exiting)
		return parent;
	for (size_t i = 0; fk->threaded && i < FK_BUCKETS; i++)
		for (const struct fk_task *other = fk->tasks[i]; other; other = other->next)
			if (!other->exiting && other->spec.pid == parent->spec.pid &&
			    other->start_ns <= task->start_ns)
				return other;
	return NULL;
}

/* An orphan has parent 1. */
static pid_t task_ppid(const struct fk *fk, const struct fk_task *task)
{
	const struct fk_task *parent = task_parent(fk, task);

	return parent ? parent->spec.pid : task->parent ? 1 : task->spec.ppid;
}

static const char *const state_words[FK_STATES] = {
	[FK_SLEEPING] = "S (sleeping)", [FK_UNINTERRUPTIBLE] = "D (disk sleep)",
	[FK_STOPPED] = "T (stopped)",   [FK_TRACED] = "t (tracing stop)",
	[FK_PREEMPTED] = "R (running)", [FK_WOKEN] = "R (running)",
	[FK_RUNNING] = "R (running)",
};

static void task_stat(struct fk_text *text, const struct fk *fk, const struct fk_task *task,
		      bool process)
{
	struct event_totals sums;

	event_totals_sum(&sums, fk, task, process);
	uint64_t user_ticks = sums.user_ns / TICK_NS;
	/* pid (comm) state ppid pgrp session tty tpgid flags, see proc_pid_stat(5) */
	fk_text_add(text, "%d (%s) %c %d %d %d 0 -1 %u", task->spec.tid, task->comm,
		    task->exiting ? 'Z' : state_words[task->state][0], task_ppid(fk, task),
		    task->spec.pid, task->spec.pid, task->spec.kernel ? PF_KTHREAD : 0);
	fk_text_add(text, " %llu 0 %llu 0 %llu %llu 0 0 20 0 %u 0 %llu",
		    (unsigned long long)sums.minor, (unsigned long long)sums.major,
		    (unsigned long long)user_ticks,
		    (unsigned long long)(sums.ns / TICK_NS - user_ticks), sums.threads,
		    (unsigned long long)(task->start_ns / TICK_NS));
	fk_text_add(text, " 4096000 100 18446744073709551615 %d 0 0 0 0 0 0 0 0 0 0 0 17 %d",
		    task->spec.kernel ? 0 : 4194304, task->last_cpu < 0 ? 0 : task->last_cpu);
	fk_text_add(text, " 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
}

/* Linux escapes names in status alone. */
static void text_add_escaped(struct fk_text *text, const char *name)
{
	for (; *name; name++) {
		if (*name == '\n' || *name == '\\')
			fk_text_add(text, "\\%c", *name == '\n' ? 'n' : '\\');
		else
			fk_text_add(text, "%c", *name);
	}
}

static void task_status(struct fk_text *text, const struct fk *fk, const struct fk_task *task)
{
	unsigned uid = task->spec.uid;
	struct event_totals sums;

	event_totals_sum(&sums, fk, task, false);
	fk_text_add(text, "Name:\t");
	text_add_escaped(text, task->comm);
	fk_text_add(text, "\nState:\t%s\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\n",
		    task->exiting ? "Z (zombie)" : state_words[task->state], task->spec.pid,
		    task->spec.tid, task_ppid(fk, task));
	fk_text_add(text, "Uid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\n", uid, uid, uid, uid, uid,
		    uid, uid, uid);
	fk_text_add(text, "Threads:\t%u\n", sums.threads);
	fk_text_add(text, "voluntary_ctxt_switches:\t%llu\nnonvoluntary_ctxt_switches:\t%llu\n",
		    (unsigned long long)(task->counts[FK_SWITCHES] - task->preempted),
		    (unsigned long long)task->preempted);
}

/* The processes that a thread has forked. */
static void task_children(struct fk_text *text, const struct fk *fk, const struct fk_task *task)
{
	for (size_t i = 0; i < FK_BUCKETS; i++) {
		for (const struct fk_task *child = fk->tasks[i]; child; child = child->next) {
			const struct fk_task *parent = task_parent(fk, child);

			if (child->exiting || child->spec.tid != child->spec.pid)
				continue;
			/* If the parent was set by ppid, its first thread is the parent. */
			if (parent ? parent == task
				   : !child->parent && task->spec.tid == child->spec.ppid)
				fk_text_add(text, "%d ", (int)child->spec.tid);
		}
	}
}

/* A NUL behind each word. */
static void task_cmdline(struct fk_text *text, const struct fk_task *task)
{
	fk_text_add(text, "%s%c", task->comm, '\0');
	for (const char *args = task->spec.args; args && *args; args++)
		fk_text_add(text, "%c", *args == ' ' ? '\0' : *args);
	if (task->spec.args)
		fk_text_add(text, "%c", '\0');
}

/* The CPUs of its process: few CPUs of a large machine. */
static void settle_process(struct fk *fk, const struct fk_task *task)
{
	for (unsigned i = 0; i < fk->config.cpus; i++)
		if (fk->cpus[i].current->spec.pid == task->spec.pid)
			fk_settle(fk, &fk->cpus[i]);
}

/* wchan, syscall or stack. */
static int task_wait_file(struct fk_text *text, const struct fk_task *task, const char *name)
{
	const struct fk_wait *wait = task->wait;

	if (!strcmp(name, "wchan"))
		fk_text_add(text, "%s", wait && wait->wchan ? wait->wchan : "0");
	else if (!strcmp(name, "syscall"))
		fk_text_add(text, "%s", wait && wait->syscall ? wait->syscall : "running\n");
	else if (!strcmp(name, "stack"))
		fk_text_add(text, "%s", wait && wait->stack ? wait->stack : "");
	else
		return -ENOENT;
	return 0;
}

static int task_file(struct fk_text *text, struct fk *fk, const struct fk_task *task, bool process,
		     const char *name)
{
	settle_process(fk, task);
	if (!strcmp(name, "comm"))
		fk_text_add(text, "%s\n", task->comm);
	else if (!strcmp(name, "stat"))
		task_stat(text, fk, task, process);
	else if (!strcmp(name, "status"))
		task_status(text, fk, task);
	else if (!strcmp(name, "schedstat"))
		fk_text_add(text, "%llu %llu %llu\n",
			    (unsigned long long)task->counts[FK_TASK_CLOCK],
			    (unsigned long long)task->queued_ns,
			    (unsigned long long)task->counts[FK_SWITCHES] + (task->cpu >= 0));
	else if (!strcmp(name, "sched"))
		fk_text_add(text, "%s (%d, #threads: 1)\n---\nse.nr_migrations : %llu\n",
			    task->comm, (int)task->spec.tid,
			    (unsigned long long)(task->counts[FK_MIGRATIONS] + task->moves));
	else if (!strcmp(name, "children") && !process)
		task_children(text, fk, task);
	else if (!strcmp(name, "cgroup"))
		fk_text_add(text, "0::%s\n", task->spec.cgroup ? task->spec.cgroup : "/");
	else if (!strcmp(name, "cmdline") && !task->spec.kernel && !task->exiting)
		task_cmdline(text, task);
	else if (strcmp(name, "cmdline") != 0)
		return task_wait_file(text, task, name);
	return 0;
}

/*
 * Splits "/proc/PID/NAME" or "/proc/PID/task/TID/NAME". Any thread answers at /proc/TID, though
 * listings show processes alone. NULL: no such task. *name is "" for the directory itself.
 */
static const struct fk_task *task_path(struct fk *fk, const char *path, const char **name,
				       bool *process)
{
	int pid = 0, tid = 0, n = 0, more = 0;

	if (sscanf(path, "/proc/%d%n", &pid, &n) != 1 || pid <= 0)
		return NULL;
	const struct fk_task *task = fk_find(fk, pid);
	if (!task_shown(task))
		return NULL;
	*process = true;
	if (sscanf(path + n, "/task/%d%n", &tid, &more) == 1 && tid > 0) {
		const struct fk_task *thread = fk_find(fk, tid);

		if (!task_shown(thread) || thread->spec.pid != task->spec.pid)
			return NULL;
		task = thread;
		*process = false;
		n += more;
	}
	if (path[n] && path[n] != '/')
		return NULL;
	*name = path[n] ? path + n + 1 : "";
	return task;
}

/* FNV-1a. A large machine has hundreds of such files, and most paths are not among them. */
static uint32_t hash_of(const char *path)
{
	uint32_t hash = 2166136261u;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 16777619u;
	return hash;
}

static struct fk_given *given(const struct fk *fk, const char *path)
{
	uint32_t hash = hash_of(path);

	for (size_t i = 0; i < fk->n_texts; i++)
		if (fk->texts[i].hash == hash && !strcmp(fk->texts[i].path, path))
			return &fk->texts[i];
	return NULL;
}

void fk_file(struct fk *fk, const char *path, const char *text)
{
	struct fk_given *known = given(fk, path);

	if (known) {
		free(known->text);
		known->text = text ? xstrdup(text) : NULL;
		return;
	}
	fk->texts =
		array_reserve(fk->texts, &fk->texts_capacity, fk->n_texts + 1, sizeof(*fk->texts));
	fk->texts[fk->n_texts++] = (struct fk_given){
		.path = xstrdup(path), .hash = hash_of(path), .text = text ? xstrdup(text) : NULL};
}

/* Of Linux 6.18; other versions differ in `print fmt` alone. */
static const char switch_format[] =
	"name: sched_switch\n"
	"ID: 401\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"prev_comm=%s prev_pid=%d prev_state=%s%s ==> next_comm=%s next_pid=%d\"\n";

static const char waking_format[] =
	"name: sched_waking\n"
	"ID: 402\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"comm=%s pid=%d prio=%d target_cpu=%03d\"\n";

void fk_tracefs_init(struct fk *fk)
{
	const struct {
		const char *name, *text;
	} files[] = {
		{"header_page", "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"},
		{"header_event", "# compressed entry header\n\ttype_len    :    5 bits\n"},
		{"sched/sched_switch/id", "401\n"},
		{"sched/sched_switch/format", switch_format},
		{"sched/sched_waking/id", "402\n"},
		{"sched/sched_waking/format", waking_format},
	};
	const char *root = fk->config.tracefs == FK_TRACEFS_DEBUGFS
				   ? "/sys/kernel/debug/tracing/events"
				   : FK_TRACING;

	for (size_t i = 0; fk->config.tracefs != FK_TRACEFS_NONE && i < ARRAY_SIZE(files); i++) {
		char path[80];

		if (fk->config.tracefs == FK_TRACEFS_SWITCHES &&
		    strncmp(files[i].name, "sched/sched_waking", 18) == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", root, files[i].name);
		fk_file(fk, path, files[i].text);
	}
}

static bool is_hidden(const struct fk *fk, const char *path)
{
	return fk->config.tracefs == FK_TRACEFS_UNREADABLE &&
	       !strncmp(path, FK_TRACING "/", sizeof(FK_TRACING));
}

ssize_t fk_file_text(struct fk *fk, const char *path, char *buffer, size_t size)
{
	struct fk_text text = {.bytes = buffer, .size = size};
	const struct fk_given *own = given(fk, path);
	const char *name;
	bool process;

	buffer[0] = '\0';
	if (is_hidden(fk, path))
		return -EACCES;
	if (own) {
		if (!own->text)
			return -ENOENT;
		fk_text_add(&text, "%s", own->text);
		return (ssize_t)text.n;
	}
	const struct fk_task *task = task_path(fk, path, &name, &process);
	int error =
		task ? task_file(&text, fk, task, process, name) : fk_machine_file(&text, fk, path);
	return error ? error : (ssize_t)text.n;
}

ssize_t fk_file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	struct fk *fk = ctx;
	int error = fk_enter(fk, FK_FILE_READ);

	if (error)
		return error;
	ssize_t result = size > 0 ? fk_file_text(fk, path, buffer, size) : -EINVAL;
	if (fk->config.file_ns && !fk->acting)
		fk_advance(fk, fk->config.file_ns);
	return result;
}

/* All links come from fk_file(). */
ssize_t fk_link_read(void *ctx, const char *path, char *buffer, size_t size)
{
	struct fk *fk = ctx;
	const struct fk_given *own = given(fk, path);
	int error = fk_enter(fk, FK_LINK_READ);

	buffer[0] = '\0';
	if (error)
		return error;
	return own && own->text ? (ssize_t)text_copy(buffer, size, own->text) : -ENOENT;
}

int fk_file_owner(void *ctx, const char *path, uid_t *owner)
{
	struct fk *fk = ctx;
	int error = fk_enter(fk, FK_FILE_OWNER);
	const char *name;
	bool process;

	if (error)
		return error;
	const struct fk_task *task = task_path(fk, path, &name, &process);
	const struct fk_given *own = given(fk, path);
	if (own ? !own->text : !task)
		return -ENOENT;
	*owner = task ? task->spec.uid : 0;
	return 0;
}

/* The names of a directory, each once, in no order that Linux promises. */
struct names {
	char (*items)[64];
	size_t n, capacity;
};

static void __attribute__((format(printf, 2, 3)))
names_add(struct names *names, const char *format, ...)
{
	va_list args;

	names->items =
		array_reserve(names->items, &names->capacity, names->n + 1, sizeof(*names->items));
	va_start(args, format);
	vsnprintf(names->items[names->n], sizeof(*names->items), format, args);
	va_end(args);
	names->n++;
}

static void names_add_one(void *names, const char *name)
{
	names_add(names, "%s", name);
}

static int by_tid(const void *a, const void *b)
{
	pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;

	return (left > right) - (left < right);
}

static bool names_have(const struct names *names, const char *name, size_t length)
{
	for (size_t i = 0; i < names->n; i++)
		if (strlen(names->items[i]) == length && !memcmp(names->items[i], name, length))
			return true;
	return false;
}

/* Processes (pid 0) or the threads of one, in ascending order as in /proc. */
static void names_add_tasks(struct names *names, const struct fk *fk, pid_t pid)
{
	pid_t *tids = NULL;
	size_t n = 0, capacity = 0;

	for (size_t i = 0; i < FK_BUCKETS; i++) {
		for (const struct fk_task *task = fk->tasks[i]; task; task = task->next) {
			if (!task_shown(task) || task->spec.pid != (pid ? pid : task->spec.tid))
				continue;
			tids = array_reserve(tids, &capacity, n + 1, sizeof(*tids));
			tids[n++] = task->spec.tid;
		}
	}
	if (n)
		qsort(tids, n, sizeof(*tids), by_tid);
	for (size_t i = 0; i < n; i++)
		names_add(names, "%d", (int)tids[i]);
	free(tids);
}

static void names_collect(struct names *names, struct fk *fk, const char *path)
{
	size_t length = strlen(path);
	const char *name;
	bool process;
	const struct fk_task *task = task_path(fk, path, &name, &process);

	if (!strcmp(path, "/proc")) {
		names_add(names, "loadavg");
		names_add(names, "stat");
		names_add(names, "sys");
		names_add_tasks(names, fk, 0);
	} else if (task && !strcmp(name, "task")) {
		names_add_tasks(names, fk, task->spec.pid);
	} else {
		fk_machine_names(fk, path, names_add_one, names);
	}
	for (size_t i = 0; i < fk->n_texts; i++) {
		const char *given_path = fk->texts[i].path;

		if (!fk->texts[i].text || strncmp(given_path, path, length) != 0 ||
		    given_path[length] != '/')
			continue;
		const char *entry = given_path + length + 1;
		size_t entry_length = strcspn(entry, "/");
		if (!names_have(names, entry, entry_length))
			names_add(names, "%.*s", (int)entry_length, entry);
	}
}

/* Only /proc has links: of its processes and of sys. */
int fk_dir_links(void *ctx, const char *path, uint64_t *links)
{
	struct fk *fk = ctx;
	struct names processes = {.n = 0};

	if (strcmp(path, "/proc") != 0)
		return -ENOENT;
	names_add_tasks(&processes, fk, 0);
	*links = 2 + 1 + processes.n;
	free(processes.items);
	return 0;
}

int fk_dir_each(void *ctx, const char *path, int (*fn)(void *arg, const char *name), void *arg)
{
	struct fk *fk = ctx;
	struct names names = {.n = 0};
	int error = fk_enter(fk, FK_DIR_EACH);

	if (error)
		return error;
	names_collect(&names, fk, path);
	for (size_t i = 0; i < names.n && !fn(arg, names.items[i]); i++)
		;
	free(names.items);
	return names.n ? 0 : -ENOENT;
}
