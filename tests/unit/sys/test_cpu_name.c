// SPDX-License-Identifier: MIT
/* The name of the CPUs in /proc/cpuinfo, also in a file that is cut off. */
#include "core/sys/cpu_name.h"

#include "core/base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void cpu_names(void **state)
{
	static const struct {
		const char *cpuinfo, *name;
	} rows[] = {
		{"", ""},
		{"processor\t: 0\n", ""},
		{"processor\t: 0\nmodel name\t: A B\n\nprocessor\t: 1\nmodel name\t: A B\n\n",
		 "A B"},
		{"CPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
		 "CPU implementer\t: 0x41\nCPU part\t: 0xd0b\n\n",
		 "Cortex-A55 and Cortex-A76"},
		{"CPU implementer\t: 0x99\nCPU part\t: 0x123\n\n", "Arm 0x99:0x123"},
		{"cpu\t\t: POWER9\n", "POWER9"},
		{"model name\t: cut", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char name[64];

		cpu_name_parse(rows[i].cpuinfo, name, sizeof(name));
		assert_string_equal(name, rows[i].name);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
