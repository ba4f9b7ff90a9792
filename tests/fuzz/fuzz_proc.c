// SPDX-License-Identifier: MIT
/*
 * Any text as a file of /proc or /sys about one thread, one number or one CPU. The parsers stay
 * within its bounds, also if the file is cut off.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/util.h"
#include "core/sys/cpu_kind.h"
#include "core/sys/cpu_name.h"
#include "core/sys/credentials.h"
#include "core/sys/proc.h"
#include "core/sys/proc_machine.h"
#include "core/sys/topology.h"

#include <errno.h>
#include <math.h>

static ssize_t file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	(void)path;
	return (ssize_t)text_copy(buffer, size, ctx);
}

/* One entry with any name. */
static int dir_each(void *ctx, const char *path, int (*fn)(void *arg, const char *name), void *arg)
{
	char name[64];

	(void)path;
	text_copy(name, sizeof(name), ctx);
	fn(arg, name);
	return 0;
}

static void check_field(const char *text, const char *key, size_t size)
{
	char *value = malloc(size); /* a block of its size */

	if (!value)
		abort();
	bool found = proc_field(text, key, value, size);
	fuzz_check(strlen(value) < size, "a value fits");
	fuzz_check(found || !value[0], "a missing value is empty");
	fuzz_check(!strchr(value, '\n'), "a value is one line");
	fuzz_check(strstr(text, value), "a value is part of the text");
	free(value);
}

static void check_cpuinfo(const char *text)
{
	char name[48];

	cpu_name_parse(text, name, sizeof(name));
	fuzz_check(memchr(name, '\0', sizeof(name)), "a CPU's name fits");
	cpu_kind_parse(text);
}

static void check_numbers(const struct sys *sys)
{
	uint64_t a, b;
	long number;
	struct proc_stat stat;
	struct proc_switches switches;
	struct proc_io io;
	struct proc_memory memory;
	struct proc_load load;

	proc_number(sys, "/proc/sys/kernel/perf_event_paranoid", &number);
	proc_field_number(sys, "/proc/7/status", "Tgid", &a);
	proc_thread_switches(sys, 7, 7, &switches);
	proc_io_read(sys, 7, &io);
	proc_machine_faults(sys, &a, &b);
	proc_load_read(sys, &load);
	proc_memory_read(sys, &memory);
	proc_stat_read(sys, 7, &stat);
	proc_thread_stat(sys, 7, 8, &stat);
}

static void check_schedstat(const char *text)
{
	struct proc_schedstat schedstat;
	int result = proc_schedstat_parse(text, &schedstat);

	fuzz_check(result == 0 || result == -EBADMSG || result == -ENODATA, "one of three results");
	fuzz_check(result || schedstat.run_ns || schedstat.wait_ns || schedstat.slices,
		   "three zeros are unknown");
	fuzz_check(result || strchr(text, '\n'), "a number that is cut off is unknown");
}

static void check_load(const char *text)
{
	struct proc_load load;

	if (proc_load_parse(text, &load) < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(load.average); i++)
		fuzz_check(isfinite(load.average[i]) && load.average[i] >= 0, "a load is a number");
}

static void check_topology(const struct sys *sys)
{
	struct topology topology;

	topology_init(&topology, sys);
	for (int cpu = 0; cpu < 3; cpu++) {
		struct topology_cpu at = topology_find(&topology, cpu, true);
		struct topology_cpu again = topology_find(&topology, cpu, false);

		fuzz_check(at.socket >= -1 && at.node >= -1, "socket and node are numbers or -1");
		fuzz_check(at.socket == again.socket && at.node == again.node,
			   "socket and node of a CPU stay");
	}
	topology_fini(&topology);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct sys_ops ops = {.file_read = file_read, .dir_each = dir_each};
	struct fuzz_bytes bytes = {data, size};
	size_t room = 1 + fuzz_u8(&bytes);
	char *text = fuzz_text(&bytes), *key = fuzz_text(&bytes);
	const struct sys sys = {.ops = &ops, .ctx = text};
	struct credentials credentials;

	check_field(text, "Uid", room);
	if (key[0] && !strchr(key, '\n'))
		check_field(text, key, room);
	check_cpuinfo(text);
	check_numbers(&sys);
	check_schedstat(text);
	check_load(text);
	check_topology(&sys);
	credentials_parse(text, &credentials);
	fuzz_check(credentials.known || !credentials_have(&credentials, 38),
		   "unknown credentials have no capability");
	fuzz_check(proc_pid(key) >= 0, "a pid is not negative");
	free(text);
	free(key);
	return 0;
}
