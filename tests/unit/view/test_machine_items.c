// SPDX-License-Identifier: MIT
/* The items of the machine: what speaks, what is shown, and its text. */
#include "core/base/util.h"
#include "core/view/machine_items.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define GIB (1024.0 * 1024 * 1024)

/* Values of 4 CPUs, 16 GiB of memory and 2 GiB of swap; unknown: -1. */
struct row {
	const char *name;
	struct snapshot_machine machine;
	const char *speaks; /* the labels of the items that speak: "load steal" */
	bool warns;
};

#define VALUE(which, value) .values[which] = (value), .known[which] = true
#define FOUR_CPUS           VALUE(MACHINE_CPUS, 4)
#define SIZES               VALUE(MACHINE_MEMORY, 16 * GIB), VALUE(MACHINE_SWAP, 2 * GIB)

static const struct row rows[] = {
	{"unknown", {.known = {false}}, "", false},
	{"no cache", {VALUE(MACHINE_MEMORY_CACHE, 0)}, "", false},
	{"an idle machine",
	 {FOUR_CPUS, SIZES, VALUE(MACHINE_LOAD_1M, 0.2), VALUE(MACHINE_RUNNABLE, 0),
	  VALUE(MACHINE_MEMORY_AVAILABLE, 12 * GIB), VALUE(MACHINE_SWAP_FREE, 2 * GIB),
	  VALUE(MACHINE_CPU_PRESSURE, 0.3), VALUE(MACHINE_FORKS, 2), VALUE(MACHINE_STEAL, 0)},
	 "",
	 false},
	{"a server at 40 %",
	 {FOUR_CPUS, SIZES, VALUE(MACHINE_LOAD_1M, 1.7), VALUE(MACHINE_RUNNABLE, 5),
	  VALUE(MACHINE_MEMORY_AVAILABLE, 6 * GIB), VALUE(MACHINE_SWAP_FREE, 0.5 * GIB),
	  VALUE(MACHINE_CPU_PRESSURE, 8), VALUE(MACHINE_IO_PRESSURE, 2),
	  VALUE(MACHINE_MEMORY_PRESSURE, 0), VALUE(MACHINE_IOWAIT, 3)},
	 "",
	 false},
	{"load", {FOUR_CPUS, VALUE(MACHINE_LOAD_1M, 4)}, "load", false},
	{"less load", {FOUR_CPUS, VALUE(MACHINE_LOAD_1M, 3.99)}, "", false},
	{"load of an unknown number of CPUs", {VALUE(MACHINE_LOAD_1M, 400)}, "", false},
	{"runnable", {FOUR_CPUS, VALUE(MACHINE_RUNNABLE, 8)}, "runnable", false},
	{"little memory", {SIZES, VALUE(MACHINE_MEMORY_AVAILABLE, 1.6 * GIB)}, "memory", true},
	{"enough memory", {SIZES, VALUE(MACHINE_MEMORY_AVAILABLE, 1.7 * GIB)}, "", false},
	{"full swap", {SIZES, VALUE(MACHINE_SWAP_FREE, 0)}, "swap", true},
	{"no swap", {VALUE(MACHINE_SWAP, 0), VALUE(MACHINE_SWAP_FREE, 0)}, "", false},
	{"pressures",
	 {VALUE(MACHINE_CPU_PRESSURE, 25), VALUE(MACHINE_IO_PRESSURE, 10),
	  VALUE(MACHINE_MEMORY_PRESSURE, 1)},
	 "cpu pressure io pressure memory pressure",
	 true},
	{"less pressures",
	 {VALUE(MACHINE_CPU_PRESSURE, 24.9), VALUE(MACHINE_IO_PRESSURE, 9.9),
	  VALUE(MACHINE_MEMORY_PRESSURE, 0.9)},
	 "",
	 false},
	{"a hypervisor", {VALUE(MACHINE_STEAL, 5)}, "steal", true},
	{"iowait and forks",
	 {VALUE(MACHINE_IOWAIT, 10), VALUE(MACHINE_FORKS, 100)},
	 "iowait forks",
	 false},
};

static void test_thresholds(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine_item items[MACHINE_ITEMS];
		size_t n = machine_items(&rows[i].machine, items);
		char speaks[200] = "";
		bool warns = false;

		for (size_t k = 0; k < n; k++) {
			assert_true(items[k].weight < 100);
			if (!items[k].speaks)
				continue;
			warns |= items[k].warns;
			strcat(speaks, speaks[0] ? " " : "");
			strcat(speaks, items[k].label);
		}
		if (strcmp(speaks, rows[i].speaks) != 0 || warns != rows[i].warns)
			fail_msg("%s: '%s' speak", rows[i].name, speaks);
	}
}

static void test_texts(void **state)
{
	static const struct {
		struct snapshot_machine machine;
		const char *label, *text; /* NULL: not shown */
	} texts[] = {
		{{VALUE(MACHINE_LOAD_1M, 0.5), VALUE(MACHINE_LOAD_5M, 12.25),
		  VALUE(MACHINE_LOAD_15M, 1000)},
		 "load",
		 "0.50 12.25 1000.00"},
		{{SIZES, VALUE(MACHINE_MEMORY_AVAILABLE, 1.55 * GIB)},
		 "memory",
		 "1.6G free of 16.0G"},
		{{SIZES, VALUE(MACHINE_MEMORY_AVAILABLE, 12 * GIB)}, "memory", "4.0G of 16.0G"},
		{{SIZES, VALUE(MACHINE_SWAP_FREE, 1000 * 1024)}, "swap", "1.0M free of 2.0G"},
		{{SIZES, VALUE(MACHINE_SWAP_FREE, 1.5 * GIB)}, "swap", "512M of 2.0G"},
		{{SIZES, VALUE(MACHINE_SWAP_FREE, 2 * GIB)}, "swap", "0 of 2.0G"},
		{{VALUE(MACHINE_MEMORY_CACHE, 1.5 * GIB)}, "cache", "1.5G"},
		{{VALUE(MACHINE_MEMORY_AVAILABLE, 1.55 * GIB)}, "memory", NULL},
		{{VALUE(MACHINE_SWAP, 0), VALUE(MACHINE_SWAP_FREE, 0)}, "swap", NULL},
		{{VALUE(MACHINE_IO_PRESSURE, 33.333)}, "io pressure", "33.3%"},
		{{VALUE(MACHINE_FORKS, 535.6)}, "forks", "536/s"},
		{{VALUE(MACHINE_FORKS, MACHINE_VALUE_MOST)}, "forks", "1000000000000000000/s"},
		{{VALUE(MACHINE_LOAD_1M, MACHINE_VALUE_MOST),
		  VALUE(MACHINE_LOAD_5M, MACHINE_VALUE_MOST),
		  VALUE(MACHINE_LOAD_15M, MACHINE_VALUE_MOST)},
		 "load",
		 "1000000000000000000 1000000000000000000 1000000000000000000"},
		{{.n_interrupts = 1, .interrupts = {{12, true, 60, "NET_RX"}}},
		 "CPU 12",
		 "spends 60.0% in softirqs (most: NET_RX)"},
		{{.n_interrupts = 1, .interrupts = {{0, false, 5.5, ""}}},
		 "CPU 0",
		 "spends 5.5% in interrupts"},
		{{.n_interrupts = 1,
		  .interrupts = {{INT_MAX, false, 100,
				  "12345678901234567890123456789012345678901234567"}}},
		 "CPU 2147483647",
		 "spends 100.0% in interrupts (most: "
		 "12345678901234567890123456789012345678901234"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct machine_item items[MACHINE_ITEMS];
		size_t n = machine_items(&texts[i].machine, items);

		assert_int_equal(n, texts[i].text != NULL);
		if (n == 0)
			continue;
		assert_string_equal(items[0].label, texts[i].label);
		assert_string_equal(items[0].text, texts[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
