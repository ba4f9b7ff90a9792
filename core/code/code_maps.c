// SPDX-License-Identifier: MIT
/*
 * A process has an array of mappings in the order of addresses. PROCMAP_QUERY fills it with the
 * mappings that have samples, a read of the whole file with all executable mappings.
 *
 * The kernel reports new mappings, but not their end, so the mappings of a live process are
 * dropped after some time and read again as they are needed. A process that has ended meanwhile
 * cannot be read again and keeps them.
 */
#include "core/code/code_maps_internal.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	COST_SHARE = 1000,     /* reading takes at most 1/1000 of the time */
	IDS_MAX = 1 << 16,     /* addresses of a process */
	ENDED_MAX = 1 << 12,   /* processes that wait for code_maps_drop_past() */
	MISSING_AGE_S = 1,     /* of a whole file before an unknown address reads it again */
	VSYSCALL_BYTES = 4096, /* arch/x86/include/uapi/asm/vsyscall.h */
};
#define VSYSCALL_ADDRESS 0xffffffffff600000ull

struct code_maps *code_maps_new(const struct code_maps_config *config)
{
	struct code_maps *maps = xcalloc(1, sizeof(*maps));

	maps->config = *config;
	if (!maps->config.processes_max)
		maps->config.processes_max = CODE_MAPS_PROCESSES;
	if (!maps->config.mappings_max)
		maps->config.mappings_max = CODE_MAPS_MAPPINGS;
	hash_table_init(&maps->processes, 0);
	hash_table_init(&maps->objects, 0);
	maps->random = hash_random_odd();
	return maps;
}

/* Processes, the last used one first */

static void unlink_process(struct code_maps *maps, struct code_process *process)
{
	*(process->newer ? &process->newer->older : &maps->newest) = process->older;
	*(process->older ? &process->older->newer : &maps->oldest) = process->newer;
}

static void link_process(struct code_maps *maps, struct code_process *process)
{
	process->newer = NULL;
	process->older = maps->newest;
	*(maps->newest ? &maps->newest->newer : &maps->oldest) = process;
	maps->newest = process;
}

static void mark_used(struct code_maps *maps, struct code_process *process)
{
	if (maps->newest == process)
		return;
	unlink_process(maps, process);
	link_process(maps, process);
}

/* Also what the owner has about it. */
static void empty_process(struct code_maps *maps, struct code_process *process)
{
	maps->config.end_process(maps->config.user, process);
	maps_set_mappings_aside(maps, process);
	maps_drop_old_mappings(maps, process);
	process->start_ticks = 0;
	process->read_ns = process->cost_ns = 0;
	process->ended = false;
}

static void drop_process(struct code_maps *maps, struct code_process *process)
{
	empty_process(maps, process);
	past_clear(maps, process);
	unlink_process(maps, process);
	hash_table_remove_item(&maps->processes, (uint64_t)process->pid, process);
	hash_table_fini(&process->ids);
	free(process);
}

/* Drops the processes of the longest ago. Of this one only past mappings. */
static void keep_limits(struct code_maps *maps, struct code_process *keep)
{
	while (maps->processes.n > maps->config.processes_max ||
	       maps->n_mappings > maps->config.mappings_max) {
		struct code_process *victim = maps->oldest == keep ? keep->newer : maps->oldest;

		if (!victim) {
			past_drop(maps, keep, maps->n_mappings - maps->config.mappings_max);
			return;
		}
		drop_process(maps, victim);
	}
}

static struct code_process *add_process(struct code_maps *maps, pid_t pid)
{
	struct code_process *process = xcalloc(1, sizeof(*process));

	process->pid = process->reader = pid;
	process->change = ++maps->changes;
	hash_table_init(&process->ids, 0);
	hash_table_add(&maps->processes, (uint64_t)pid)->item = process;
	link_process(maps, process);
	keep_limits(maps, process);
	return process;
}

void code_maps_free(struct code_maps *maps)
{
	if (!maps)
		return;
	while (maps->oldest)
		drop_process(maps, maps->oldest);
	hash_table_fini(&maps->processes);
	hash_table_fini(&maps->objects);
	free(maps->ended);
	free(maps->changed);
	free(maps);
}

struct code_process *code_maps_find(const struct code_maps *maps, pid_t pid)
{
	return hash_table_find(&maps->processes, (uint64_t)pid);
}

static uint64_t age_of(uint64_t least_ns, const struct code_process *process)
{
	uint64_t cost_ns = COST_SHARE * process->cost_ns;

	return cost_ns > least_ns ? cost_ns : least_ns;
}

struct thread_search {
	const struct sys *sys;
	pid_t pid, found;
};

static int find_live_thread(void *arg, const char *name)
{
	struct thread_search *search = arg;
	pid_t tid = proc_pid(name);
	struct proc_stat stat;

	if (tid <= 0 || proc_thread_stat(search->sys, search->pid, tid, &stat) != 0 ||
	    stat.state == 'Z' || stat.state == 'X')
		return 0;
	search->found = tid;
	return 1;
}

/* After the end of the first thread, its files in /proc are empty while the others run. */
static void choose_reader(const struct sys *sys, struct code_process *process,
			  const struct proc_stat *stat)
{
	struct thread_search search = {sys, process->pid, process->pid};
	char path[32];

	if (stat->state == 'Z') {
		snprintf(path, sizeof(path), "/proc/%d/task", process->pid);
		sys_dir_each(sys, path, find_live_thread, &search);
	}
	process->reader = search.found;
}

/* Sets old mappings aside, if the process can still be read. */
static void check_process(struct code_maps *maps, struct code_process *process)
{
	const struct sys *sys = maps->config.sys;
	uint64_t now_ns = sys_now_ns(sys);
	struct proc_stat stat;

	if (process->ids.n > IDS_MAX)
		maps_clear_ids(process);
	if (process->ended ||
	    (process->start_ticks &&
	     now_ns - process->read_ns < age_of(CODE_MAPS_AGE_NS, process)) ||
	    proc_stat_read(sys, process->pid, &stat) != 0 || proc_has_ended(&stat))
		return;
	if (process->start_ticks && process->start_ticks != stat.start_ticks)
		empty_process(maps, process);
	else if (process->start_ticks)
		maps_set_mappings_aside(maps, process);
	process->start_ticks = stat.start_ticks;
	process->read_ns = now_ns;
	choose_reader(sys, process, &stat);
}

struct code_process *code_maps_process(struct code_maps *maps, pid_t pid)
{
	struct code_process *process = code_maps_find(maps, pid);
	struct proc_stat stat;

	if (process) {
		mark_used(maps, process);
		if (maps->config.sys)
			check_process(maps, process);
		return process;
	}
	if (pid <= 0 || !maps->config.sys || proc_stat_read(maps->config.sys, pid, &stat) != 0)
		return NULL;
	process = add_process(maps, pid);
	process->start_ticks = stat.start_ticks;
	process->read_ns = sys_now_ns(maps->config.sys);
	choose_reader(maps->config.sys, process, &stat);
	return process;
}

/* Reading a live process */

struct reading {
	struct code_maps *maps;
	struct code_process *process;
};

static int add_executable(void *arg, const struct proc_mapping *mapping)
{
	const struct reading *reading = arg;

	if (mapping->executable)
		maps_add_mapping(reading->maps, reading->process, mapping, NULL, 0);
	return reading->process->n >= CODE_MAPS_OF_PROCESS;
}

static int read_whole(struct code_maps *maps, struct code_process *process, int fd)
{
	const struct sys *sys = maps->config.sys;
	struct reading reading = {maps, process};
	uint64_t begin_ns = sys_now_ns(sys);

	maps_set_mappings_aside(maps, process);
	int rc = proc_maps_each(sys, fd, CODE_MAPS_FILE_BYTES, add_executable, &reading);
	process->read_ns = sys_now_ns(sys);
	process->cost_ns = process->read_ns - begin_ns;
	process->complete = rc == 0;
	return rc;
}

/* 0, also if no mapping has the address, or -errno: the kernel has no such query. */
static int query_address(struct code_maps *maps, struct code_process *process, int fd,
			 uint64_t address, char *name)
{
	struct proc_mapping mapping;
	int rc = proc_maps_query(maps->config.sys, fd, address, name, &mapping);

	if (rc == 0 && mapping.executable)
		maps_add_mapping(maps, process, &mapping, NULL, 0);
	return rc == -ENOTTY || rc == -ENOSYS || rc == -EINVAL || rc == -EPERM ? rc : 0;
}

static int read_mappings(struct code_maps *maps, struct code_process *process, int fd,
			 const uint64_t *addresses, size_t n)
{
	char name[PROC_MAPS_NAME];

	for (size_t i = 0; i < n && !maps->no_query; i++) {
		if (code_process_find(process, addresses[i]))
			continue;
		int rc = query_address(maps, process, fd, addresses[i], name);
		if (rc)
			maps->no_query = true;
	}
	return maps->no_query ? read_whole(maps, process, fd) : 0;
}

/* The page of old system calls is in no process's list of mappings, but at the end of the file. */
static void add_vsyscall(struct code_maps *maps, struct code_process *process,
			 const uint64_t *addresses, size_t n)
{
	const struct proc_mapping page = {
		.start = VSYSCALL_ADDRESS,
		.end = VSYSCALL_ADDRESS + VSYSCALL_BYTES,
		.executable = true,
		.name = "[vsyscall]",
	};

	for (size_t i = 0; i < n; i++)
		if (addresses[i] >= page.start && addresses[i] < page.end)
			maps_add_mapping(maps, process, &page, NULL, 0);
}

static bool is_any_missing(const struct code_process *process, const uint64_t *addresses, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!code_process_find(process, addresses[i]))
			return true;
	return false;
}

int code_maps_read(struct code_maps *maps, struct code_process *process, const uint64_t *addresses,
		   size_t n)
{
	const struct sys *sys = maps->config.sys;

	if (!sys || process->ended || !is_any_missing(process, addresses, n))
		return 0;
	if (process->complete &&
	    sys_now_ns(sys) - process->read_ns < age_of(MISSING_AGE_S * NS_PER_S, process))
		return 0;
	int fd = proc_maps_open(sys, process->reader);
	if (fd < 0)
		return fd;
	int rc = read_mappings(maps, process, fd, addresses, n);
	sys_close(sys, fd);
	add_vsyscall(maps, process, addresses, n);
	maps_drop_old_mappings(maps, process);
	keep_limits(maps, process);
	return rc;
}

/* Records */

void code_maps_mmap(struct code_maps *maps, pid_t pid, const struct proc_mapping *mapping,
		    const struct code_build_id *build_id, uint64_t time_ns)
{
	struct code_process *process = code_maps_find(maps, pid);

	if (!process && maps->config.sys && !mapping->executable)
		return;
	if (!process)
		process = add_process(maps, pid);
	maps_add_mapping(maps, process, mapping, build_id, time_ns);
	process->change = ++maps->changes;
	keep_limits(maps, process);
}

void code_maps_exec(struct code_maps *maps, pid_t pid, uint64_t time_ns)
{
	struct code_process *process = code_maps_find(maps, pid);
	uint64_t start_ticks = process ? process->start_ticks : 0;

	if (process) {
		past_add_all(maps, process, time_ns);
		empty_process(maps, process);
	} else {
		process = add_process(maps, pid);
	}
	process->start_ticks = start_ticks;
	process->change = ++maps->changes;
	process->recorded = true;
	if (maps->config.sys)
		process->read_ns = sys_now_ns(maps->config.sys);
	keep_limits(maps, process);
}

void code_maps_fork(struct code_maps *maps, pid_t parent, pid_t child)
{
	struct code_process *process = code_maps_find(maps, child);

	if (parent == child)
		return; /* a thread */
	if (process)
		drop_process(maps, process);
	const struct code_process *from = code_maps_find(maps, parent);
	if (maps->config.sys || !from)
		return;
	process = add_process(maps, child);
	from = code_maps_find(maps, parent); /* the limit may have dropped it */
	if (!from || from->n == 0)
		return;
	process->mappings =
		array_reserve(NULL, &process->capacity, from->n, sizeof(*process->mappings));
	memcpy(process->mappings, from->mappings, from->n * sizeof(*from->mappings));
	process->n = from->n;
	maps->n_mappings += from->n;
	for (size_t i = 0; i < process->n; i++)
		process->mappings[i].object->refs++;
	keep_limits(maps, process);
}

void code_maps_exit(struct code_maps *maps, pid_t pid)
{
	struct code_process *process = code_maps_find(maps, pid);

	if (!process || process->ended)
		return;
	if (maps->n_ended >= ENDED_MAX) {
		drop_process(maps, process);
		return;
	}
	process->ended = true;
	maps->ended = array_reserve(maps->ended, &maps->ended_capacity, maps->n_ended + 1,
				    sizeof(*maps->ended));
	maps->ended[maps->n_ended++] = pid;
}

void code_maps_drop_past(struct code_maps *maps)
{
	for (size_t i = 0; i < maps->n_changed; i++) {
		struct code_process *process = code_maps_find(maps, maps->changed[i]);

		if (process)
			past_clear(maps, process);
	}
	maps->n_changed = 0;
	for (size_t i = 0; i < maps->n_ended; i++) {
		struct code_process *process = code_maps_find(maps, maps->ended[i]);

		if (process && process->ended)
			drop_process(maps, process);
	}
	maps->n_ended = 0;
}

size_t code_maps_processes(const struct code_maps *maps)
{
	return maps->processes.n;
}

size_t code_maps_mappings(const struct code_maps *maps)
{
	return maps->n_mappings;
}
