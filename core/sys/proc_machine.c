// SPDX-License-Identifier: MIT
/* The files of /proc about the machine as a whole. */
#include "core/sys/proc_machine.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/sys/proc.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns behind a CPU's name in /proc/stat. User time includes the guests'. */
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

static void parse_counts(const char *text, struct proc_counts *counts)
{
	counts->known = proc_count_parse(text, "processes", &counts->forks) &&
			proc_count_parse(text, "procs_running", &counts->running) &&
			proc_count_parse(text, "procs_blocked", &counts->blocked);
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
			.irq_ticks = ticks.irq,
			.softirq_ticks = ticks.softirq,
			.steal_ticks = ticks.steal,
			.iowait_ticks = ticks.iowait,
		};
	}
	parse_counts(text, &cpus->counts);
}

int proc_cpus_read(const struct sys *sys, struct proc_cpus *cpus)
{
	int code = 0;
	char *text = proc_long_text(sys, "/proc/stat", &code);

	if (!text)
		return code;
	size_t length = strlen(text);
	bool whole = length == 0 || text[length - 1] == '\n';
	if (whole)
		proc_cpus_parse(text, cpus);
	free(text);
	return whole ? 0 : -EBADMSG;
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

int proc_machine_faults(const struct sys *sys, uint64_t *faults, uint64_t *major)
{
	int code = 0;
	char *text = proc_long_text(sys, "/proc/vmstat", &code);

	if (!text)
		return code;
	if (!proc_count_parse(text, "pgfault", faults) ||
	    !proc_count_parse(text, "pgmajfault", major))
		code = -EBADMSG;
	free(text);
	return code;
}

/* Parses a number and the `end` behind it. NULL if the text has another format. */
static const char *parse_before(const char *text, char end, uint64_t *number)
{
	size_t length = text_u64(text, number);

	return length && text[length] == end ? text + length + 1 : NULL;
}

int proc_load_parse(const char *text, struct proc_load *load)
{
	*load = (struct proc_load){0};
	for (size_t i = 0; i < ARRAY_SIZE(load->average); i++) {
		size_t length = text_number(text, &load->average[i]);
		if (length == 0 || text[length] != ' ' || !isfinite(load->average[i]))
			return -EBADMSG;
		text += length + 1;
	}
	const char *slash = parse_before(text, '/', &load->runnable);
	return slash && parse_before(slash, ' ', &load->threads) ? 0 : -EBADMSG;
}

int proc_load_read(const struct sys *sys, struct proc_load *load)
{
	char text[128];
	ssize_t length = sys_file_read(sys, "/proc/loadavg", text, sizeof(text));

	return length < 0 ? (int)length : proc_load_parse(text, load);
}

static int parse_bytes(const char *text, const char *name, uint64_t *bytes)
{
	int result = proc_field_parse(text, name, bytes);

	if (result < 0)
		return result;
	return __builtin_mul_overflow(*bytes, 1024u, bytes) ? -EBADMSG : 0;
}

/* Shmem is a part of Cached. It is no copy of a file, and cannot be dropped. */
static void parse_cache(const char *text, struct proc_memory *memory)
{
	static const char *const names[] = {"Buffers", "Cached", "SReclaimable"};
	uint64_t sum = 0, bytes, shared;

	memory->cache_known = parse_bytes(text, "Shmem", &shared) == 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		memory->cache_known &= parse_bytes(text, names[i], &bytes) == 0 &&
				       !__builtin_add_overflow(sum, bytes, &sum);
	memory->cache_bytes = memory->cache_known ? u64_growth(shared, sum) : 0;
}

static int parse_memory(const char *text, struct proc_memory *memory)
{
	const struct {
		const char *name;
		uint64_t *bytes;
	} fields[] = {
		{"MemTotal", &memory->total_bytes},
		{"MemAvailable", &memory->available_bytes},
		{"SwapTotal", &memory->swap_total_bytes},
		{"SwapFree", &memory->swap_free_bytes},
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		int result = parse_bytes(text, fields[i].name, fields[i].bytes);
		if (result < 0)
			return result;
	}
	parse_cache(text, memory);
	return 0;
}

int proc_memory_read(const struct sys *sys, struct proc_memory *memory)
{
	char text[4096];
	ssize_t length = sys_file_read(sys, "/proc/meminfo", text, sizeof(text));

	return length < 0 ? (int)length : parse_memory(text, memory);
}

static int stop_at_first(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return 1;
}

/* Counts a directory that is no process. A symbolic link to one is no directory. */
static int count_other(void *arg, const char *name)
{
	struct proc_links *links = arg;
	char path[280], target[8];

	if (isdigit((unsigned char)name[0])) /* processes are the last names */
		return 1;
	snprintf(path, sizeof(path), "/proc/%s", name);
	if (sys_link_read(links->sys, path, target, sizeof(target)) < 0 &&
	    sys_dir_each(links->sys, path, stop_at_first, NULL) >= 0)
		links->others++;
	return 0;
}

void proc_links_init(struct proc_links *links, const struct sys *sys)
{
	uint64_t now;

	*links = (struct proc_links){.sys = sys};
	if (sys_dir_links(sys, "/proc", &now) == 0)
		sys_dir_each(sys, "/proc", count_other, links);
}

int proc_links_processes(const struct proc_links *links, uint64_t *processes)
{
	uint64_t now, others = links->others + 2; /* "." and ".." */

	if (links->others == 0 || sys_dir_links(links->sys, "/proc", &now) < 0 || now <= others)
		return -ENOENT;
	*processes = now - others;
	return 0;
}
