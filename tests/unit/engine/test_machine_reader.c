// SPDX-License-Identifier: MIT
/* The values of the machine from its files: whole, absent, broken, falling, and how often. */
#include "core/base/util.h"
#include "core/engine/machine_reader.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define STAT(user, iowait, steal, forks)                       \
	"cpu  9 9 9 9 9 9 9 9 9 9\n"                           \
	"cpu0 " user " 0 0 100 " iowait " 0 0 " steal " 0 0\n" \
	"cpu1 0 0 0 1000 0 0 0 0 0 0\n"                        \
	"processes " forks "\nprocs_running 3\nprocs_blocked 1\n"
#define PRESSURE(some, full)                                      \
	"some avg10=1.00 avg60=1.00 avg300=1.00 total=" some "\n" \
	"full avg10=1.00 avg60=1.00 avg300=1.00 total=" full "\n"
#define MEMORY                                                        \
	"MemTotal: 4000 kB\nMemAvailable: 1000 kB\nSwapTotal: 0 kB\n" \
	"SwapFree: 0 kB\n"

/* A file at the first reading and at the second one, 1 s later; NULL: absent. */
struct row {
	const char *name, *path, *first, *second;
	enum machine_value which;
	double value; /* -1: unknown */
};

static const struct row rows[] = {
	{"load", "/proc/loadavg", "9 9 9 9/9 9\n", "1.5 2.5 3.5 4/300 7\n", MACHINE_LOAD_5M, 2.5},
	{"runnable, without pmctop", "/proc/loadavg", "9 9 9 9/9 9\n", "1.5 2.5 3.5 4/300 7\n",
	 MACHINE_RUNNABLE, 3},
	{"runnable of lxcfs", "/proc/loadavg", NULL, "0.1 0.1 0.1 0/300 7\n", MACHINE_RUNNABLE, 0},
	{"no load", "/proc/loadavg", "1 1 1 1/1 1\n", NULL, MACHINE_LOAD_1M, -1},
	{"broken load", "/proc/loadavg", "1 1 1 1/1 1\n", "1.5 much\n", MACHINE_LOAD_1M, -1},
	{"a load without bounds", "/proc/loadavg", "1 1 1 1/1 1\n", "1e99 1 1 1/1 1\n",
	 MACHINE_LOAD_1M, -1},
	{"memory", "/proc/meminfo", NULL, MEMORY, MACHINE_MEMORY_AVAILABLE, 1024000},
	{"no swap is 0", "/proc/meminfo", NULL, MEMORY, MACHINE_SWAP, 0},
	{"no memory", "/proc/meminfo", MEMORY, NULL, MACHINE_MEMORY, -1},
	{"no cache", "/proc/meminfo", NULL, MEMORY, MACHINE_MEMORY_CACHE, -1},
	{"cache", "/proc/meminfo", NULL,
	 MEMORY "Buffers: 1 kB\nCached: 5 kB\nShmem: 2 kB\nSReclaimable: 4 kB\n",
	 MACHINE_MEMORY_CACHE, 8192},
	{"broken memory", "/proc/meminfo", MEMORY, "MemTotal: 4000 kB\n", MACHINE_MEMORY, -1},
	{"pressure", "/proc/pressure/io", PRESSURE("1000", "0"), PRESSURE("251000", "100000"),
	 MACHINE_IO_PRESSURE, 25},
	{"full pressure", "/proc/pressure/io", PRESSURE("1000", "0"), PRESSURE("251000", "100000"),
	 MACHINE_IO_PRESSURE_FULL, 10},
	{"at most all the time", "/proc/pressure/memory", PRESSURE("0", "0"),
	 PRESSURE("9000000", "0"), MACHINE_MEMORY_PRESSURE, 100},
	{"pressure of the CPU", "/proc/pressure/cpu",
	 "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n",
	 "some avg10=0.00 avg60=0.00 avg300=0.00 total=500005\n", MACHINE_CPU_PRESSURE, 50},
	{"no full line", "/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n",
	 "some avg10=0.00 avg60=0.00 avg300=0.00 total=9\n", MACHINE_IO_PRESSURE_FULL, -1},
	{"PSI is off", "/proc/pressure/io", NULL, NULL, MACHINE_IO_PRESSURE, -1},
	{"PSI since now", "/proc/pressure/io", NULL, PRESSURE("1", "1"), MACHINE_IO_PRESSURE, -1},
	{"PSI until now", "/proc/pressure/io", PRESSURE("1", "1"), NULL, MACHINE_IO_PRESSURE, -1},
	{"a pressure that falls", "/proc/pressure/io", PRESSURE("9", "9"), PRESSURE("1", "9"),
	 MACHINE_IO_PRESSURE, -1},
	{"CPUs", "/proc/stat", NULL, STAT("0", "0", "0", "5"), MACHINE_CPUS, 2},
	{"forks", "/proc/stat", STAT("0", "0", "0", "5"), STAT("9", "0", "0", "205"), MACHINE_FORKS,
	 200},
	{"forks that fall", "/proc/stat", STAT("0", "0", "0", "5"), STAT("9", "0", "0", "4"),
	 MACHINE_FORKS, -1},
	{"steal", "/proc/stat", STAT("0", "0", "0", "5"), STAT("60", "0", "40", "5"), MACHINE_STEAL,
	 40},
	{"iowait", "/proc/stat", STAT("0", "0", "0", "5"), STAT("50", "150", "0", "5"),
	 MACHINE_IOWAIT, 75},
	{"an iowait that falls", "/proc/stat", STAT("0", "9", "0", "5"), STAT("50", "7", "0", "5"),
	 MACHINE_IOWAIT, 0},
	{"no time passed", "/proc/stat", STAT("0", "9", "0", "5"), STAT("0", "9", "0", "5"),
	 MACHINE_STEAL, -1},
	{"another CPU alone", "/proc/stat", STAT("0", "0", "0", "5"),
	 "cpu 1\ncpu7 90 0 0 100 0 0 0 10 0 0\nprocesses 7\nprocs_running 3\nprocs_blocked 1\n",
	 MACHINE_STEAL, -1},
	{"no stat", "/proc/stat", STAT("0", "0", "0", "5"), NULL, MACHINE_FORKS, -1},
	{"no stat before", "/proc/stat", NULL, STAT("0", "0", "0", "5"), MACHINE_FORKS, -1},
	{"stat without forks", "/proc/stat", STAT("0", "0", "0", "5"),
	 "cpu 1\ncpu0 90 0 0 100 0 0 0 10 0 0\n", MACHINE_FORKS, -1},
	{"stat cut off", "/proc/stat", STAT("0", "0", "0", "5"), "cpu 1\ncpu0 90 0 0 1",
	 MACHINE_CPUS, -1},
};

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&(struct fk_config){.frozen_clock = true});
		struct sys sys = fk_sys(fk);
		struct machine_reader reader;

		fk_file(fk, rows[i].path, rows[i].first);
		machine_reader_init(&reader, &sys);
		fk_file(fk, rows[i].path, rows[i].second);
		fk_advance(fk, NS_PER_S);
		assert_true(machine_reader_cut(&reader));
		const struct snapshot_machine *machine = &reader.machine;
		bool known = rows[i].value >= 0;
		if (machine->known[rows[i].which] != known ||
		    (known && machine->values[rows[i].which] != rows[i].value))
			fail_msg("%s: %d, %g", rows[i].name, machine->known[rows[i].which],
				 machine->values[rows[i].which]);
		machine_reader_fini(&reader);
		fk_free(fk);
	}
}

/* A rate is of the time since the last reading, and stays until the next one. */
static void test_pace(void **state)
{
	static const struct {
		unsigned ms;
		const char *forks;
		bool read;
		double rate; /* -1: unknown */
	} cuts[] = {
		{100, "105", false, -1},  {800, "999", false, -1},  {100, "300", true, 200},
		{900, "900", false, 200}, {1100, "500", true, 100},
	};
	struct fk *fk = fk_new(&(struct fk_config){.frozen_clock = true});
	struct sys sys = fk_sys(fk);
	struct machine_reader reader;

	(void)state;
	fk_file(fk, "/proc/stat", STAT("0", "0", "0", "100"));
	machine_reader_init(&reader, &sys);
	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
		char text[256];

		snprintf(text, sizeof(text), "%s%s\nprocs_running 3\nprocs_blocked 1\n",
			 "cpu 1\ncpu0 90 0 0 100 0 0 0 10 0 0\nprocesses ", cuts[i].forks);
		fk_file(fk, "/proc/stat", text);
		fk_advance(fk, cuts[i].ms * NS_PER_MS);
		assert_int_equal(machine_reader_cut(&reader), cuts[i].read);
		assert_int_equal(reader.machine.known[MACHINE_FORKS], cuts[i].rate >= 0);
		if (cuts[i].rate >= 0)
			assert_true(reader.machine.values[MACHINE_FORKS] == cuts[i].rate);
	}
	machine_reader_fini(&reader);
	fk_free(fk);
}

/* CPU lines of three CPUs with these ticks of 100: irq and softirq. */
#define CPU(n, idle, irq, softirq) "cpu" n " 0 0 0 " idle " 0 " irq " " softirq " 0 0 0\n"
#define QUIET                      "cpu 1\n" CPU("0", "0", "0", "0") CPU("1", "0", "0", "0")
#define SOFTIRQS(cpu0, cpu1)       "CPU0 CPU1\nTIMER: 0 9\nNET_RX: " cpu0 " " cpu1 "\n"
#define IRQS(cpu1)                 "CPU0 CPU1\n 38: 0 " cpu1 " PCI-MSI 5-edge      eth0\033rx\n"

/* Readings a second apart; what the reading finds. */
static const struct interrupt_reading {
	const char *stat, *softirqs, *irqs; /* NULL: absent */
	size_t n;
	struct machine_interrupt interrupts[2];
} interrupt_readings[] = {
	{"cpu 1\n" CPU("0", "96", "0", "4") CPU("1", "96", "4", "0"), NULL, NULL, 0, {{0}}},
	{"cpu 1\n" CPU("0", "136", "0", "64") CPU("1", "191", "9", "0"),
	 SOFTIRQS("7", "7"),
	 IRQS("5"),
	 2,
	 {{0, true, 60, ""}, {1, false, 5, ""}}},
	{"cpu 1\n" CPU("0", "176", "0", "124") CPU("1", "211", "59", "30"),
	 SOFTIRQS("8", "9"),
	 IRQS("9"),
	 2,
	 {{0, true, 60, "NET_RX"}, {1, false, 50, "eth0\357\277\275rx"}}},
	/* Other CPUs of a kind are new to the file; an absent file has no names. */
	{"cpu 1\n" CPU("0", "276", "0", "124") CPU("1", "291", "59", "50"),
	 SOFTIRQS("9", "99"),
	 IRQS("99"),
	 1,
	 {{1, true, 20, ""}}},
	{"cpu 1\n" CPU("0", "376", "0", "124") CPU("1", "371", "59", "70"),
	 NULL,
	 IRQS("99"),
	 1,
	 {{1, true, 20, ""}}},
	{"cpu 1\n" CPU("0", "476", "0", "124") CPU("1", "471", "59", "70"), NULL, NULL, 0, {{0}}},
};

static void test_interrupts(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.frozen_clock = true});
	struct sys sys = fk_sys(fk);
	struct machine_reader reader;

	(void)state;
	fk_file(fk, "/proc/stat", QUIET);
	machine_reader_init(&reader, &sys);
	for (size_t i = 0; i < ARRAY_SIZE(interrupt_readings); i++) {
		const struct interrupt_reading *reading = &interrupt_readings[i];

		fk_file(fk, "/proc/stat", reading->stat);
		fk_file(fk, "/proc/softirqs", reading->softirqs);
		fk_file(fk, "/proc/interrupts", reading->irqs);
		fk_advance(fk, NS_PER_S);
		machine_reader_cut(&reader);
		assert_int_equal(reader.machine.n_interrupts, reading->n);
		for (size_t k = 0; k < reading->n; k++) {
			const struct machine_interrupt *got = &reader.machine.interrupts[k];
			assert_int_equal(got->cpu, reading->interrupts[k].cpu);
			assert_int_equal(got->soft, reading->interrupts[k].soft);
			assert_true(got->percent == reading->interrupts[k].percent);
			assert_string_equal(got->name, reading->interrupts[k].name);
		}
	}
	machine_reader_fini(&reader);
	fk_free(fk);
}

/* Of many CPUs the worst are kept, descending. */
static void test_many_interrupts(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.frozen_clock = true});
	struct sys sys = fk_sys(fk);
	struct machine_reader reader;

	(void)state;
	fk_file(fk, "/proc/stat",
		QUIET CPU("2", "0", "0", "0") CPU("3", "0", "0", "0") CPU("4", "0", "0", "0")
			CPU("5", "0", "0", "0"));
	machine_reader_init(&reader, &sys);
	fk_file(fk, "/proc/stat",
		"cpu 1\n" CPU("0", "90", "0", "10") CPU("1", "70", "0", "30")
			CPU("2", "80", "20", "0") CPU("3", "40", "0", "60") CPU("4", "94", "6", "0")
				CPU("5", "50", "50", "0"));
	fk_advance(fk, NS_PER_S);
	machine_reader_cut(&reader);
	assert_int_equal(reader.machine.n_interrupts, MACHINE_INTERRUPTS);
	for (size_t i = 0; i < MACHINE_INTERRUPTS; i++)
		assert_int_equal(reader.machine.interrupts[i].cpu, ((const int[]){3, 5, 1, 2})[i]);
	machine_reader_fini(&reader);
	fk_free(fk);
}

static uint64_t cpu_ns;

static uint64_t cpu_ns_of_slow_files(void *ctx, bool process)
{
	(void)ctx;
	assert_false(process);
	return cpu_ns += 10 * NS_PER_MS;
}

/* A machine on which the files take 10 ms is read every 2 s. */
static void test_slow_files(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.frozen_clock = true});
	struct sys sys = fk_sys(fk);
	struct sys_ops ops = *sys.ops;
	struct machine_reader reader;
	unsigned n = 0;

	(void)state;
	ops.cpu_ns = cpu_ns_of_slow_files;
	sys.ops = &ops;
	machine_reader_init(&reader, &sys);
	for (unsigned i = 0; i < 60; i++) {
		fk_advance(fk, NS_PER_S);
		n += machine_reader_cut(&reader);
	}
	assert_int_equal(n, 30);
	machine_reader_fini(&reader);
	fk_free(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),      cmocka_unit_test(test_pace),
		cmocka_unit_test(test_interrupts), cmocka_unit_test(test_many_interrupts),
		cmocka_unit_test(test_slow_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
