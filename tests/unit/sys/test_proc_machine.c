// SPDX-License-Identifier: MIT
/* /proc/stat, loadavg, meminfo and vmstat: as kernels write them, and broken ones. */
#include "core/base/util.h"
#include "core/sys/proc_machine.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_cpus_of_stat(void **state)
{
	struct proc_cpus cpus = {0};

	(void)state;
	proc_cpus_parse("cpu  9 9 9 9 9 9 9 9 9 9\n"
			"cpu0 1 2 3 40 5 6 7 8 0 0\n"
			"cpu12 10 0 0 100 0 0 0 0 0 0\n"
			"cpu13 broken\n"
			"intr 5 4 3\ncpu3 1 1 1 1 1 1 1 1\n",
			&cpus);
	assert_int_equal(cpus.n, 2);
	assert_int_equal(proc_cpus_find(&cpus, 0)->busy_ticks, 1 + 2 + 3 + 6 + 7 + 8);
	assert_int_equal(proc_cpus_find(&cpus, 0)->idle_ticks, 45);
	assert_int_equal(proc_cpus_find(&cpus, 0)->iowait_ticks, 5);
	assert_int_equal(proc_cpus_find(&cpus, 0)->irq_ticks, 6);
	assert_int_equal(proc_cpus_find(&cpus, 0)->softirq_ticks, 7);
	assert_int_equal(proc_cpus_find(&cpus, 0)->steal_ticks, 8);
	assert_int_equal(proc_cpus_find(&cpus, 12)->busy_ticks, 10);
	assert_null(proc_cpus_find(&cpus, 3));
	proc_cpus_parse("", &cpus);
	assert_int_equal(cpus.n, 0);
	assert_null(proc_cpus_find(&cpus, 0));
	proc_cpus_fini(&cpus);
}

static void test_counts_of_stat(void **state)
{
#define CPU_LINE "cpu0 1 2 3 40 5 6 7 8 0 0\n"
	static const struct {
		const char *text;
		struct proc_counts expected;
	} rows[] = {
		{CPU_LINE "intr 5 4\nprocesses 4711\nprocs_running 3\nprocs_blocked 1\nsoftirq 1\n",
		 {true, 4711, 3, 1}},
		{CPU_LINE "processes 4711\nprocs_running 3\nprocs_blocked x\n"},
		{CPU_LINE "processes 4711\nprocs_running 3\n"},
		{CPU_LINE "processes -1\nprocs_running 3\nprocs_blocked 1\n"},
		{CPU_LINE "intr processes 1 procs_running 1 procs_blocked 1\n"},
		{""},
	};
	struct proc_cpus cpus = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		proc_cpus_parse(rows[i].text, &cpus);
		assert_int_equal(cpus.counts.known, rows[i].expected.known);
		if (!cpus.counts.known)
			continue;
		assert_int_equal(cpus.counts.forks, rows[i].expected.forks);
		assert_int_equal(cpus.counts.running, rows[i].expected.running);
		assert_int_equal(cpus.counts.blocked, rows[i].expected.blocked);
	}
	proc_cpus_fini(&cpus);
}

/* Of a text without its end the CPUs that are missing would seem to be offline. */
static void test_stat_without_its_end(void **state)
{
	static const struct {
		const char *text;
		int result;
		size_t n;
	} rows[] = {
		{"cpu0 1 1 1 1 1 1 1 1\ncpu1 1 1 1 1 1 1 1 1\n", 0, 2},
		{"cpu0 1 1 1 1 1 1 1 1\ncpu1 1 1 1", -EBADMSG, 0},
		{"", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
		struct sys sys = fk_sys(fk);
		struct proc_cpus cpus = {0};

		fk_file(fk, "/proc/stat", rows[i].text);
		assert_int_equal(proc_cpus_read(&sys, &cpus), rows[i].result);
		assert_int_equal(cpus.n, rows[i].n);
		proc_cpus_fini(&cpus);
		fk_free(fk);
	}
}

static void test_load(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t threads;
		double first, last;
		uint64_t runnable;
	} rows[] = {
		{"0.20 0.18 10.12 1/80 11206\n", 0, 80, 0.20, 10.12, 1},
		{"3000.00 0.00 0.00 4000/4294967295 1\n", 0, 4294967295, 3000, 0, 4000},
		{"0.20 0.18 0.12 1/4294967296 1\n", 0, 4294967296, 0.20, 0.12, 1},
		{"0.20 0.18 0.12 1/80", -EBADMSG},
		{"0.20 0.18 0.12 1 80 1\n", -EBADMSG},
		{"0.20 0.18 1/80 1\n", -EBADMSG},
		{"-0.20 0.18 0.12 1/80 1\n", -EBADMSG},
		{"1e999 0.18 0.12 1/80 1\n", -EBADMSG},
		{"nan 0.18 0.12 1/80 1\n", -EBADMSG},
		{"", -EBADMSG},
		{NULL, -ENOENT},
	};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct proc_load load;

		fk_file(fk, "/proc/loadavg", rows[i].text);
		assert_int_equal(proc_load_read(&sys, &load), rows[i].result);
		if (rows[i].result < 0)
			continue;
		assert_true(load.average[0] == rows[i].first);
		assert_true(load.average[2] == rows[i].last);
		assert_int_equal(load.runnable, rows[i].runnable);
		assert_int_equal(load.threads, rows[i].threads);
	}
	fk_free(fk);
}

static void test_memory(void **state)
{
#define MEMORY "MemTotal:        8145404 kB\nMemFree:          303812 kB\n"
#define SWAP   "SwapCached:            0 kB\nSwapTotal:       1048576 kB\nSwapFree:          4 kB\n"
	static const struct {
		const char *name, *text;
		int result;
		uint64_t cache_bytes; /* 0: unknown */
	} rows[] = {
		{"6.18",
		 MEMORY "MemAvailable:    7059492 kB\nBuffers: 7 kB\nCached: 100 kB\n" SWAP
			"Shmem: 50 kB\nSReclaimable: 3 kB\n",
		 0, 60 << 10},
		{"no line of slabs",
		 MEMORY "MemAvailable:    7059492 kB\nBuffers: 7 kB\nCached: 100 kB\n" SWAP
			"Shmem: 50 kB\n",
		 0, 0},
		{"a cache of more than 64 bits",
		 MEMORY "MemAvailable:    7059492 kB\nBuffers: 18014398509481983 kB\n"
			"Cached: 18014398509481983 kB\n" SWAP "Shmem: 50 kB\nSReclaimable: 3 kB\n",
		 0, 0},
		{"before 3.14", MEMORY SWAP, -ENOENT},
		{"no swap lines", MEMORY "MemAvailable:    7059492 kB\n", -ENOENT},
		{"words", MEMORY "MemAvailable: much\n" SWAP, -EBADMSG},
		{"more than 64 bits of bytes", MEMORY "MemAvailable: 18014398509481984 kB\n" SWAP,
		 -EBADMSG},
		{"empty", "", -ENOENT},
		{"none", NULL, -ENOENT},
	};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct proc_memory memory;

		print_message("%s\n", rows[i].name);
		fk_file(fk, "/proc/meminfo", rows[i].text);
		assert_int_equal(proc_memory_read(&sys, &memory), rows[i].result);
		if (rows[i].result < 0)
			continue;
		assert_int_equal(memory.total_bytes, 8145404ull << 10);
		assert_int_equal(memory.available_bytes, 7059492ull << 10);
		assert_int_equal(memory.swap_total_bytes, 1ull << 30);
		assert_int_equal(memory.swap_free_bytes, 4096);
		assert_int_equal(memory.cache_known, rows[i].cache_bytes > 0);
		assert_int_equal(memory.cache_bytes, rows[i].cache_bytes);
	}
	fk_free(fk);
}

static void test_faults(void **state)
{
	static const struct {
		const char *text;
		int result;
	} rows[] = {
		{"nr_free_pages 3\npgfault 100\npgmajfault 7\n", 0},
		{"nr_free_pages 3\npgfault 100\n", -EBADMSG},
		{"nr_free_pages 3\npgmajfault 7\n", -EBADMSG},
		{NULL, -ENOENT},
	};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t faults, major;

		fk_file(fk, "/proc/vmstat", rows[i].text);
		assert_int_equal(proc_machine_faults(&sys, &faults, &major), rows[i].result);
		if (rows[i].result == 0)
			assert_int_equal(faults * 10 + major, 1007);
	}
	fk_free(fk);
}

/* Threads are no directories of /proc. Without another directory their number is unknown. */
static void test_processes(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct proc_links links;
	uint64_t processes;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 7});
	fk_task(fk, &(struct fk_spec){.tid = 70, .pid = 7});
	fk_file(fk, "/proc/sys/kernel/osrelease", "6.1\n");
	proc_links_init(&links, &sys);
	assert_int_equal(links.others, 1);
	assert_int_equal(proc_links_processes(&links, &processes), 0);
	assert_int_equal(processes, 1);
	fk_task(fk, &(struct fk_spec){.tid = 8});
	assert_int_equal(proc_links_processes(&links, &processes), 0);
	assert_int_equal(processes, 2);

	fk_file(fk, "/proc/sys/kernel/osrelease", NULL);
	proc_links_init(&links, &sys);
	assert_int_equal(proc_links_processes(&links, &processes), -ENOENT);
	struct sys_ops ops = *sys.ops;
	ops.dir_links = NULL;
	sys.ops = &ops;
	assert_int_equal(proc_links_processes(&(struct proc_links){&sys, 1}, &processes), -ENOENT);
	fk_free(fk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus_of_stat),
		cmocka_unit_test(test_counts_of_stat),
		cmocka_unit_test(test_stat_without_its_end),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_processes),
	};

	return cmocka_run_group_tests_name("proc_machine", tests, NULL, NULL);
}
