// SPDX-License-Identifier: MIT
/* The kind of CPU in /proc/cpuinfo, also in a file that is cut off. */
#include "core/sys/cpu_kind.h"

#include "core/base/util.h"
#include "tests/unit/shared/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Lines as the kernels write them, without the lines that pmctop does not read. */
#define X86(vendor, family, model)                                                             \
	"processor\t: 0\nvendor_id\t: " vendor "\ncpu family\t: " family "\nmodel\t\t: " model \
	"\nmodel name\t: Some CPU @ 3.00GHz\nstepping\t: 4\nflags\t\t: fpu vme\n\n"
#define ARM(implementer, variant, part, revision)                                                  \
	"processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: " implementer \
	"\nCPU architecture: 8\nCPU variant\t: " variant "\nCPU part\t: " part                     \
	"\nCPU revision\t: " revision "\n\n"

static void models(void **state)
{
	static const struct {
		const char *name, *cpuinfo;
		unsigned want;
	} rows[] = {
		{"Nehalem", X86("GenuineIntel", "6", "26"), CPU_INTEL_OTHER},
		{"Sandy Bridge", X86("GenuineIntel", "6", "42"), CPU_INTEL_SNB},
		{"Sandy Bridge-EP", X86("GenuineIntel", "6", "45"), CPU_INTEL_SNB},
		{"Ivy Bridge", X86("GenuineIntel", "6", "58"), CPU_INTEL_IVB_BDW},
		{"Haswell", X86("GenuineIntel", "6", "60"), CPU_INTEL_IVB_BDW},
		{"Broadwell-DE", X86("GenuineIntel", "6", "86"), CPU_INTEL_IVB_BDW},
		{"Skylake", X86("GenuineIntel", "6", "94"), CPU_INTEL_SKL},
		{"Skylake, Cascade and Cooper Lake-SP", X86("GenuineIntel", "6", "85"),
		 CPU_INTEL_SKL},
		{"Comet Lake", X86("GenuineIntel", "6", "165"), CPU_INTEL_SKL},
		{"Ice Lake-SP", X86("GenuineIntel", "6", "106"), CPU_INTEL_ICL},
		{"Rocket Lake", X86("GenuineIntel", "6", "167"), CPU_INTEL_ICL},
		{"Alder Lake", X86("GenuineIntel", "6", "151"), CPU_INTEL_ICL},
		{"Sapphire Rapids", X86("GenuineIntel", "6", "143"), CPU_INTEL_ICL},
		{"Granite Rapids", X86("GenuineIntel", "6", "173"), CPU_INTEL_ICL},
		{"Sierra Forest: E-cores alone", X86("GenuineIntel", "6", "175"), CPU_INTEL_OTHER},
		{"Goldmont", X86("GenuineIntel", "6", "92"), CPU_INTEL_OTHER},
		{"Pentium 4 with Skylake's model", X86("GenuineIntel", "15", "94"),
		 CPU_INTEL_OTHER},
		{"Bulldozer", X86("AuthenticAMD", "21", "1"), CPU_AMD_OTHER},
		{"Naples", X86("AuthenticAMD", "23", "1"), CPU_ZEN1},
		{"Dhyana", X86("HygonGenuine", "24", "0"), CPU_ZEN1},
		{"Rome", X86("AuthenticAMD", "23", "49"), CPU_ZEN2},
		{"Matisse", X86("AuthenticAMD", "23", "113"), CPU_ZEN2},
		{"Milan", X86("AuthenticAMD", "25", "1"), CPU_ZEN3},
		{"Vermeer", X86("AuthenticAMD", "25", "33"), CPU_ZEN3},
		{"Genoa", X86("AuthenticAMD", "25", "17"), CPU_ZEN4},
		{"Raphael", X86("AuthenticAMD", "25", "97"), CPU_ZEN4},
		{"Turin", X86("AuthenticAMD", "26", "2"), CPU_ZEN5},
		{"Granite Ridge", X86("AuthenticAMD", "26", "68"), CPU_ZEN5},
		{"an AMD to come", X86("AuthenticAMD", "40", "1"), CPU_AMD_OTHER},
		{"another vendor", X86("CentaurHauls", "6", "15"), 0},
		{"Neoverse N1", ARM("0x41", "0x3", "0xd0c", "1"), CPU_ARM_OTHER},
		{"Neoverse V1", ARM("0x41", "0x1", "0xd40", "1"), CPU_ARM_OTHER},
		{"Neoverse N2 r0p0", ARM("0x41", "0x0", "0xd49", "0"), CPU_NEOVERSE_N2_R0P0},
		{"Neoverse N2 r0p2", ARM("0x41", "0x0", "0xd49", "2"), CPU_NEOVERSE_N2_R0P0},
		{"Neoverse N2 r0p3", ARM("0x41", "0x0", "0xd49", "3"), CPU_ARM_OTHER},
		{"another's part of that number", ARM("0xc0", "0x0", "0xd49", "0"), CPU_ARM_OTHER},
		{"two kinds of CPUs",
		 ARM("0x41", "0x0", "0xd49", "0") ARM("0x41", "0x0", "0xd46", "0"),
		 CPU_NEOVERSE_N2_R0P0 | CPU_ARM_OTHER},
		{"a CPU of another family", "hart\t: 0\nisa\t: rv64imafdc\n\n", 0},
		{"nothing", "", 0},
		{"no colon", "vendor_id GenuineIntel\nmodel 42\n\n", 0},
		{"no numbers", X86("GenuineIntel", "six", ""), CPU_INTEL_OTHER},
		{"a number and more", X86("GenuineIntel", "6", "42x"), CPU_INTEL_OTHER},
		{"a negative number", X86("GenuineIntel", "6", "-214"), CPU_INTEL_OTHER},
		{"a huge number", X86("GenuineIntel", "6", "99999999999999999999999"),
		 CPU_INTEL_OTHER},
		{"a vendor that goes on", X86("GenuineIntelligence", "6", "42"), 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned got = cpu_kind_parse(rows[i].cpuinfo);

		if (got != rows[i].want)
			fail_msg("%s: 0x%x, not 0x%x", rows[i].name, got, rows[i].want);
	}
}

/* A file that is longer than its buffer ends anywhere. Half a number is not a number. */
static void test_cut_off(void **state)
{
	static const char whole[] = ARM("0x41", "0x0", "0xd49", "0");

	(void)state;
	for (size_t length = 0; length < sizeof(whole); length++) {
		char *text = xstrndup(whole, length);
		unsigned got = cpu_kind_parse(text);

		free(text);
		if (got != (length == sizeof(whole) - 1 ? CPU_NEOVERSE_N2_R0P0 : 0))
			fail_msg("after %zu bytes: 0x%x", length, got);
	}
}

static void test_id(void **state)
{
	static const struct {
		const char *cpuinfo, *id;
	} rows[] = {
		{"", ""},
		{X86("GenuineIntel", "6", "85"), "GenuineIntel-6-55-4"},
		{ARM("0x41", "0x0", "0xd49", "1") ARM("0x41", "0x0", "0xd49", "1"),
		 "ARM-41-D49-0-1"},
		{ARM("0x41", "0x0", "0xd49", "1") ARM("0x41", "0x0", "0xd40", "1"), ""},
		/* As host_setup.sh prints them. */
		{"vendor_id : GenuineIntel\ncpu family : 6\nmodel : 143\n"
		 "model name : Intel(R) Xeon(R) CPU Max 9480\nstepping : 8\n\n",
		 "GenuineIntel-6-8F-8-HBM"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char id[64];

		cpu_kind_parse_id(rows[i].cpuinfo, id, sizeof(id));
		assert_string_equal(id, rows[i].id);
	}
}

static void test_through_sys(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_file(fk, "/proc/cpuinfo", X86("AuthenticAMD", "25", "17"));
	assert_int_equal(cpu_kind_read(&sys), CPU_ZEN4);
	fk_file(fk, "/proc/cpuinfo", NULL);
	assert_int_equal(cpu_kind_read(&sys), 0);
	fk_free(fk);
}

#define SLOTS(pmu) "/sys/bus/event_source/devices/" pmu "/caps/slots"

static void slots(void **state)
{
	static const struct fk_pmu pmus[] = {
		{.name = "armv8_big", .type = 8, .last_cpu = 1, .events = FK_GENERIC},
		{.name = "armv8_little",
		 .type = 9,
		 .first_cpu = 2,
		 .last_cpu = 3,
		 .events = FK_GENERIC},
	};
	static const struct fk_config config = {
		.cpus = 4, .pmus = pmus, .n_pmus = ARRAY_SIZE(pmus)};
	static const struct {
		const char *name, *big, *little;
		unsigned want;
	} rows[] = {
		{"as the kernel writes it", "0x00000005\n", "0x00000005\n", 5},
		{"decimal", "8\n", "8\n", 8},
		{"none", NULL, NULL, 0},
		{"unknown to the CPU", "0x00000000\n", "0x00000000\n", 0},
		{"on one of them", "0x00000005\n", NULL, 0},
		{"on the other", NULL, "0x00000005\n", 0},
		{"not the same", "0x00000005\n", "0x00000008\n", 0},
		{"nonsense", "many\n", "many\n", 0},
		{"too many", "0x12345678\n", "0x12345678\n", 0},
		{"less than none", "-5\n", "-5\n", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;

		machine_of(&machine, fk_new(&config));
		fk_file(machine.fk, SLOTS("armv8_big"), rows[i].big);
		fk_file(machine.fk, SLOTS("armv8_little"), rows[i].little);
		assert_int_equal(machine.pmus.n_core, 2);
		unsigned got = cpu_slots_per_cycle(&machine.sys, &machine.pmus);
		if (got != rows[i].want)
			fail_msg("%s: %u", rows[i].name, got);
		machine_fini(&machine);
	}
}

static void names(void **state)
{
	static const struct {
		unsigned kinds;
		const char *name;
	} rows[] = {
		{0, "any"},
		{CPU_INTEL, "Intel"},
		{CPU_INTEL | CPU_AMD, "Intel, AMD"},
		{CPU_ZEN4 | CPU_ZEN5, "Zen 4, 5"},
		{CPU_ZEN5, "Zen 5"},
		{CPU_INTEL_SKL | CPU_ZEN2, "Skylake, others"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[80];

		cpu_kinds_name(rows[i].kinds, text, sizeof(text));
		assert_string_equal(text, rows[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(models),  cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_id), cmocka_unit_test(test_through_sys),
		cmocka_unit_test(slots),   cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
