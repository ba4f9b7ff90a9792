// SPDX-License-Identifier: MIT
/* Lists of events, metrics and PMUs on fake machines, with the answers of the kernel. */
#include "core/base/figure_mark.h"
#include "core/base/util.h"
#include "core/metric/catalog.h"
#include "core/sys/cpu_kind.h"
#include "tests/unit/shared/libpfm.h"
#include "tests/unit/shared/machine.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DEVICES "/sys/bus/event_source/devices"
#define EVENTS  "/sys/kernel/tracing/events"

static const struct {
	const char *path, *text;
} files[] = {
	{DEVICES "/cpu/format/event", "config:0-7\n"},
	{DEVICES "/cpu/events/mem-loads", "event=0xcd\n"},
	{DEVICES "/cpu/events/no-such-term", "color=1\n"},
	{DEVICES "/cpu/events/escape", "event=0x1\x1b[31m\n"},
	{DEVICES "/msr/type", "9\n"},
	{DEVICES "/uncore_imc_0/type", "20\n"},
	{DEVICES "/uncore_imc_0/cpumask", "0\n"},
	{DEVICES "/uncore_imc_0/format/event", "config:0-7\n"},
	{DEVICES "/uncore_imc_0/events/cas", "event=0x4\n"},
	{DEVICES "/uncore_imc_0/events/cas.scale", "6.1e-5\n"},
	{DEVICES "/uncore_imc_0/events/cas.unit", "MiB\n"},
	{DEVICES "/uncore_imc_1/type", "21\n"},
	{DEVICES "/uncore_imc_1/cpumask", "0\n"},
	{DEVICES "/uncore_imc_1/format/event", "config:0-7\n"},
	{DEVICES "/uncore_imc_1/events/cas", "event=0x4\n"},
	{EVENTS "/enable", "0\n"},
	{EVENTS "/sched/enable", "0\n"},
	{EVENTS "/sched/sched_switch/id", "314\n"},
	{EVENTS "/sched/sched_waking/id", "315\n"},
	{EVENTS "/irq/irq_handler_entry/id", "99\n"},
};

static void machine_with_files(struct machine *machine, const struct fk_config *config)
{
	struct fk *fk = fk_new(config);

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		fk_file(fk, files[i].path, files[i].text);
	machine_of(machine, fk);
}

static const char *state_name(const struct catalog_entry *entry)
{
	if (entry->example)
		return "example";
	return entry->state == FIGURE_VALID    ? "ok"
	       : entry->state == FIGURE_DENIED ? "denied"
					       : "n/a";
}

static int write_entry(void *arg, const struct catalog_entry *entry)
{
	fprintf(arg, "%s|%s|%s|%s\n", entry->name, state_name(entry), entry->pmu, entry->help);
	return 0;
}

/* The caller frees it. */
static char *list_events(const struct machine *machine, const char *pattern)
{
	char *text;
	size_t size;
	FILE *file = xopen_memstream(&text, &size);

	assert_int_equal(catalog_events(&machine->context, pattern, write_entry, file), 0);
	fclose(file);
	assert_int_equal(fk_open_fds(machine->fk), 0);
	return text;
}

static void test_events(void **state)
{
	static const struct fk_config sane = {0};
	static const struct fk_config no_pmu = {.no_pmu = true};
	static const struct fk_config few = {.events = FK_BIT(FK_CYCLES)};
	static const struct fk_config denied = {.denied = EACCES};
	static const struct {
		const char *name;
		const struct fk_config *config;
		const char *pattern, *expected;
	} rows[] = {
		{"a generic event", &sane, "bus-cycles", "bus-cycles|ok|cpu|cycles of the bus\n"},
		{"upper and lower case", &sane, "BUS-cycles",
		 "bus-cycles|ok|cpu|cycles of the bus\n"},
		{"by its description", &sane, "counts nothing",
		 "dummy|ok|software|counts nothing\n"},
		{"an event that this CPU does not have", &few, "bus-cycles",
		 "bus-cycles|n/a|cpu|cycles of the bus\n"},
		{"a machine without a PMU", &no_pmu, "bus-cycles",
		 "bus-cycles|n/a|hardware|cycles of the bus\n"},
		{"an event that is denied", &denied, "bus-cycles",
		 "bus-cycles|denied|cpu|cycles of the bus\n"},
		{"software events without a PMU", &no_pmu, "minor-f*",
		 "minor-faults|ok|software|page faults without reading from a disk\n"},
		{"a glob is for all of the name", &sane, "us-cycle*", ""},
		{"an event of a cache", &sane, "L1-icache-load-m*",
		 "L1-icache-load-misses|ok|cpu|reads that miss the level 1 instruction cache\n"},
		{"an event of sysfs", &sane, "cpu/mem*", "cpu/mem-loads/|ok|cpu|event=0xcd\n"},
		{"an event of sysfs, without a PMU", &no_pmu, "cpu/mem*", ""},
		{"an event of sysfs with unknown terms", &sane, "cpu/no*",
		 "cpu/no-such-term/|n/a|cpu|color=1\n"},
		{"control characters", &sane, "cpu/esc*",
		 "cpu/escape/|n/a|cpu|event=0x1\xEF\xBF\xBD[31m\n"},
		{"two devices, with a unit", &sane, "uncore*",
		 "uncore_imc/cas/|n/a|uncore_imc|event=0x4, in MiB\n"},
		{"tracepoints", &sane, "sched:s*",
		 "sched:sched_switch|n/a|tracepoint|tracepoint of sched\n"
		 "sched:sched_waking|n/a|tracepoint|tracepoint of sched\n"},
		{"an example of a notation", &sane, "kretprobe",
		 "kretprobe:do_exit|example|kprobe|returns from a function of the kernel\n"},
		{"no match", &sane, "no such event", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;

		machine_with_files(&machine, rows[i].config);
		char *text = list_events(&machine, rows[i].pattern);
		if (strcmp(text, rows[i].expected) != 0)
			fail_msg("%s:\n%s", rows[i].name, text);
		free(text);
		machine_fini(&machine);
	}
}

/* The whole list: every name resolves, and tracepoints are listed by subsystem. */
static void test_everything(void **state)
{
	static const char *const named[] = {
		"\ninstructions|ok|cpu|",
		"\nnode-prefetch-misses|",
		"\ncpu/mem-loads/|ok|cpu|",
		"\nskl::LONGEST_LAT_CACHE:MISS|ok|skl|L3 cache: ",
		"\nskl::UOPS_RETIRED:ALL|",
		"\nr01a2|example|raw|",
		"\nirq:*|example|tracepoint|1 tracepoint\n",
		"\nsched:*|example|tracepoint|2 tracepoints\n",
	};

	struct machine machine;

	(void)state;
	need_libpfm();
	machine_with_files(&machine, NULL);
	char *text = list_events(&machine, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		if (!strstr(text, named[i]))
			fail_msg("%s is missing in:\n%.4000s", named[i] + 1, text);
	assert_null(strstr(text, "\nsched:sched_waking|"));
	assert_null(strstr(text, ".scale"));
	assert_null(strstr(text, "uncore_imc_1"));
	free(text);
	machine_fini(&machine);
}

static int stop_at_third(void *arg, const struct catalog_entry *entry)
{
	(void)entry;
	return ++*(int *)arg == 3 ? 42 : 0;
}

static void test_stops(void **state)
{
	static const char *const patterns[] = {NULL, "cycles", "skl::*", "L1-dcache"};
	struct machine machine;

	(void)state;
	need_libpfm();
	machine_with_files(&machine, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		int seen = 0;

		assert_int_equal(
			catalog_events(&machine.context, patterns[i], stop_at_third, &seen), 42);
		assert_int_equal(seen, 3);
	}
	machine_fini(&machine);
}

/* A probe of a tracepoint is slow: one is probed for all. */
static void test_tracepoints_are_probed_once(void **state)
{
	struct machine machine;

	(void)state;
	machine_with_files(&machine, NULL);
	unsigned before = fk_calls(machine.fk, FK_PERF_OPEN);
	free(list_events(&machine, "sched:*"));
	assert_int_equal(fk_calls(machine.fk, FK_PERF_OPEN) - before, 1);
	machine_fini(&machine);
}

static int write_metric(void *arg, const struct catalog_metric *entry)
{
	fprintf(arg, "%s|%s|%s|%s\n", entry->def->name, figure_state_name(entry->state),
		entry->title, entry->expression);
	return 0;
}

static void test_metrics(void **state)
{
	static const struct metric_def native[] = {
		{.name = "mine",
		 .title = "MINE",
		 .help = "of a user",
		 .forms = {{0, NULL, "nosuchevent / cycles"}, {0, "M2", "cycles"}}},
		{.name = "never", .title = "N", .help = "of a user", .forms = {{0, NULL, "nope"}}},
		{.name = "other",
		 .title = "O",
		 .help = "of a user",
		 .forms = {{CPU_ZEN5, NULL, "cycles"}}},
	};
	static const struct {
		const char *cpuinfo;
		struct fk_config config;
		const char *pattern, *expected;
	} rows[] = {
		{"", {0}, "[i]pc", "ipc|valid|IPC|instructions / cycles\n"},
		{"", {.no_pmu = true}, "[i]pc", "ipc|unsupported|IPC|instructions / cycles\n"},
		{"", {.denied = EPERM}, "[i]pc", "ipc|denied|IPC|instructions / cycles\n"},
		{"",
		 {0},
		 "cache_mpk[i]",
		 "cache_mpki|valid|caMPKI|1000 * cache-misses / instructions\n"},
		{"processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n\n",
		 {0},
		 "cache_mpk[i]",
		 "cache_mpki|valid|L2MPKI|1000 * cache-misses / instructions\n"},
		{"",
		 {0},
		 "of a user",
		 "mine|valid|M2|cycles\nnever|unsupported|N|nope\n"
		 "other|unsupported|O|\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		char *text;
		size_t size;
		FILE *file = xopen_memstream(&text, &size);

		machine_of(&machine, fk_new(&rows[i].config));
		fk_file(machine.fk, "/proc/cpuinfo", rows[i].cpuinfo);
		catalog_metrics(&machine.context, native, ARRAY_SIZE(native), rows[i].pattern,
				write_metric, file);
		fclose(file);
		if (!strstr(text, rows[i].expected) || strncmp(text, rows[i].expected, 4) != 0)
			fail_msg("row %zu:\n%s", i, text);
		free(text);
		machine_fini(&machine);
	}
}

static int write_pmu(void *arg, const struct catalog_pmu *entry)
{
	fprintf(arg, "%s|%s|%zu|%u|%d\n", entry->pmu->name, catalog_pmu_kind(entry->pmu->kind),
		entry->n_events, entry->counters, entry->answer);
	return 0;
}

static void test_pmus(void **state)
{
	static const struct fk_pmu hybrid[] = {
		{.name = "cpu_core", .type = 8, .last_cpu = 1, .slots = 8, .events = FK_GENERIC},
		{.name = "cpu_atom",
		 .type = 9,
		 .first_cpu = 2,
		 .last_cpu = 3,
		 .slots = 5,
		 .events = FK_GENERIC},
	};
	static const struct {
		struct fk_config config;
		const char *pattern, *expected;
	} rows[] = {
		{{.slots = 4}, "cpu", "cpu|core|3|4|0\n"},
		{{.cpus = 4, .pmus = hybrid, .n_pmus = 2},
		 "cpu_*",
		 "cpu_atom|core|0|5|0\ncpu_core|core|0|8|0\n"},
		{{.denied = EACCES}, "cpu", "cpu|core|3|0|-13\n"},
		{{.no_pmu = true}, "c[o]re", "|core|0|0|-2\n"},
		{{0}, "socket", "uncore_imc_0|socket|1|0|0\nuncore_imc_1|socket|1|0|0\n"},
		{{0}, "tracepoint", "tracepoint|software|0|0|0\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		char *text;
		size_t size;
		FILE *file = xopen_memstream(&text, &size);

		machine_with_files(&machine, &rows[i].config);
		catalog_pmus(&machine.context, rows[i].pattern, write_pmu, file);
		fclose(file);
		if (strcmp(text, rows[i].expected) != 0)
			fail_msg("row %zu:\n%s", i, text);
		assert_int_equal(fk_open_fds(machine.fk), 0);
		free(text);
		machine_fini(&machine);
	}
}

static void test_matches(void **state)
{
	static const struct {
		const char *pattern, *name, *help;
		bool expected;
	} rows[] = {
		{NULL, "a", "b", true},       {"", "a", "", true},
		{"ycl", "cycles", "", true},  {"YCL", "cycles", "", true},
		{"b", "a", "xbx", true},      {"c", "a", "b", false},
		{"cyc*", "cycles", "", true}, {"cyc*", "bicycles", "", false},
		{"*u?", "a", "cpu1", true},   {"[ab]x", "Bx", "", true},
		{"[", "[", "", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (catalog_matches(rows[i].pattern, rows[i].name, rows[i].help) !=
		    rows[i].expected)
			fail_msg("row %zu", i);

	char stars[CATALOG_PATTERN_MAX + 1];
	memset(stars, '*', sizeof(stars));
	stars[CATALOG_PATTERN_MAX] = '\0';
	assert_false(catalog_matches(stars, "cycles", ""));
	stars[CATALOG_PATTERN_MAX - 1] = '\0';
	assert_true(catalog_matches(stars, "cycles", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),  cmocka_unit_test(test_everything),
		cmocka_unit_test(test_stops),   cmocka_unit_test(test_tracepoints_are_probed_once),
		cmocka_unit_test(test_metrics), cmocka_unit_test(test_pmus),
		cmocka_unit_test(test_matches),
	};

	/* libpfm4 reads the real machine. */
	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
