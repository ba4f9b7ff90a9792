// SPDX-License-Identifier: MIT
/*
 * The forms of the built-in metrics on each kind of machine: its own events, with true titles, and
 * never the events of another machine.
 */
#include "tests/unit/shared/counted.h"
#include "tests/unit/shared/machine.h"
#include "tests/unit/shared/sample.h"

#include "core/base/figure_mark.h"
#include "core/metric/metric.h"
#include "core/metric/preset.h"
#include "core/sys/cpu_kind.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define X86(vendor, family, model) \
	"vendor_id\t: " vendor "\ncpu family\t: " family "\nmodel\t\t: " model "\n\n"
#define INTEL(model) X86("GenuineIntel", "6", model)
#define ARM(variant, part, revision)                                             \
	"CPU implementer\t: 0x41\nCPU variant\t: " variant "\nCPU part\t: " part \
	"\nCPU revision\t: " revision "\n\n"

/* Files below /sys/bus/event_source/devices: PMUs and their events. */
#define CORE(pmu)         pmu "/type 4\n" pmu "/format/event config:0-7\n" pmu "/format/umask config:8-15\n"
#define SOCKET(pmu, type) pmu "/type " type "\n" pmu "/cpumask 0\n" pmu "/format/event config:0-7\n"
#define IMC(event) \
	"uncore_imc_0/events/" event " event=0x4\nuncore_imc_1/events/" event " event=0x4\n"
#define IMCS SOCKET("uncore_imc_0", "20") SOCKET("uncore_imc_1", "21")
#define TOPDOWN(pmu)                                    \
	pmu "/events/topdown-retiring event=0x80\n" pmu \
	    "/events/topdown-bad-spec event=0x81\n" pmu \
	    "/events/topdown-fe-bound event=0x82\n" pmu "/events/topdown-be-bound event=0x83\n"
#define TOPDOWN_2(pmu)                                       \
	pmu "/events/topdown-heavy-ops event=0x84\n" pmu     \
	    "/events/topdown-br-mispredict event=0x85\n" pmu \
	    "/events/topdown-fetch-lat event=0x86\n" pmu "/events/topdown-mem-bound event=0x87\n"
#define SLOTS(pmu) pmu "/events/slots event=0x4\n"
#define RAPL       SOCKET("power", "30") "power/events/energy-pkg event=0x2\n"
#define ARM_PMU \
	"armv8_pmuv3_0/type 8\narmv8_pmuv3_0/cpus 0-3\narmv8_pmuv3_0/format/event config:0-15\n"
#define ARM_EVENT(name) "armv8_pmuv3_0/events/" name " event=0x3\n"
#define STALL_SLOTS                      \
	ARM_EVENT("stall_slot_frontend") \
	ARM_EVENT("stall_slot_backend") ARM_EVENT("op_retired") ARM_EVENT("op_spec")
#define ARM_LLC ARM_EVENT("ll_cache_miss_rd") ARM_EVENT("ll_cache_rd")

static const struct kind {
	const char *name, *cpuinfo, *files;
} kinds[] = {
	{"unknown", "", CORE("cpu")},
	{"Nehalem", INTEL("26"), CORE("cpu")},
	{"Sandy Bridge", INTEL("42"), CORE("cpu") RAPL},
	{"Haswell", INTEL("60"),
	 CORE("cpu") SOCKET("uncore_imc", "20") "uncore_imc/events/data_reads event=0x1\n"
						"uncore_imc/events/data_writes event=0x2\n"},
	{"Skylake-SP", INTEL("85"), CORE("cpu") IMCS IMC("cas_count_read") IMC("cas_count_write")},
	{"Ice Lake", INTEL("106"),
	 CORE("cpu") TOPDOWN("cpu") SLOTS("cpu") IMCS IMC("cas_count_read") IMC("cas_count_write")},
	{"Sapphire Rapids", INTEL("143"), CORE("cpu") TOPDOWN("cpu") TOPDOWN_2("cpu") SLOTS("cpu")},
	{"Granite Rapids", INTEL("173"),
	 CORE("cpu") TOPDOWN("cpu") TOPDOWN_2("cpu") SLOTS("cpu") IMCS IMC("cas_count_read_sch0")
		 IMC("cas_count_read_sch1") IMC("cas_count_write_sch0")
			 IMC("cas_count_write_sch1")},
	{"Alder Lake", INTEL("151"),
	 CORE("cpu_core") "cpu_core/cpus 0-1\n" TOPDOWN("cpu_core") TOPDOWN_2("cpu_core")
		 SLOTS("cpu_core") CORE("cpu_atom") "cpu_atom/cpus 2-3\n" TOPDOWN("cpu_atom")
			 SOCKET("uncore_imc_free_running_0",
				"20") "uncore_imc_free_running_0/events/data_read event=0xff\n"
				      "uncore_imc_free_running_0/events/data_write event=0xff\n"},
	{"Sierra Forest", INTEL("175"), CORE("cpu") TOPDOWN("cpu")},
	{"Bulldozer", X86("AuthenticAMD", "21", "1"), CORE("cpu")},
	{"Zen 2", X86("AuthenticAMD", "23", "49"),
	 CORE("cpu") RAPL SOCKET("amd_df", "20") "amd_df/format/event config:0-7,32-35\n"
						 "amd_df/format/umask config:8-15\n"},
	{"Zen 4", X86("AuthenticAMD", "25", "17"),
	 CORE("cpu") SOCKET("amd_umc_0", "20") SOCKET("amd_umc_1", "21")},
	{"Zen 5", X86("AuthenticAMD", "26", "2"), CORE("cpu")},
	{"Cortex-A53", ARM("0x0", "0xd03", "4"), ARM_PMU},
	{"Neoverse N1", ARM("0x3", "0xd0c", "1"),
	 ARM_PMU ARM_LLC ARM_EVENT("br_retired") ARM_EVENT("br_mis_pred_retired")
		 ARM_EVENT("l2d_cache_refill") "armv8_pmuv3_0/caps/slots 0x00000000\n" SOCKET(
			 "arm_cmn_0", "20") "arm_cmn_0/events/hnf_mc_reqs event=0xd\n"},
	{"Neoverse V1", ARM("0x1", "0xd40", "1"),
	 ARM_PMU ARM_LLC STALL_SLOTS "armv8_pmuv3_0/caps/slots 0x00000008\n"},
	{"Neoverse N2 r0p0", ARM("0x0", "0xd49", "0"),
	 ARM_PMU ARM_LLC STALL_SLOTS "armv8_pmuv3_0/caps/slots 0x00000005\n"},
	{"Neoverse N2 on an old kernel", ARM("0x0", "0xd49", "3"), ARM_PMU STALL_SLOTS},
};

static void add_files(struct fk *fk, const char *files)
{
	for (const char *line = files, *end; (end = strchr(line, '\n')); line = end + 1) {
		char path[256];
		const char *blank = strchr(line, ' ');
		char *text = xstrndup(blank + 1, (size_t)(end - blank));

		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%.*s",
			 (int)(blank - line), line);
		fk_file(fk, path, text);
		free(text);
	}
}

/* Returns the kinds of its CPUs. */
static unsigned kind_init(const struct kind *kind, struct machine *machine)
{
	struct fk *fk = fk_new(
		&(struct fk_config){.cpus = 4, .no_pmu = true, .tracefs = FK_TRACEFS_MOUNTED});

	fk_file(fk, "/proc/cpuinfo", kind->cpuinfo);
	add_files(fk, kind->files);
	machine_of(machine, fk);
	return cpu_kind_read(&machine->sys);
}

/* Returns the number of the form on a kind of machine, or -ENOENT. */
static int form_of_levels(const struct kind *kind, const struct metric_def *def,
			  enum event_levels levels)
{
	struct machine machine;
	struct event_set events;
	struct metric metric;
	struct error err = {0};
	unsigned cpus = kind_init(kind, &machine);

	machine.context.levels = levels;
	event_set_init(&events, &machine.context);
	int form = metric_choose(def, cpus, 0, &events, &metric, &err);
	if (form < 0 && (form != -ENOENT || err.code != form || !err.text[0]))
		fail_msg("%s, %s: %d, %s", kind->name, def->name, form, err.text);
	/* Skipped forms left no events. */
	for (size_t i = TALLY_FIRST_COUNTED; i < events.n; i++)
		if (form < 0 || !strstr(def->forms[form].expression, events.items[i].name))
			fail_msg("%s, %s: event %s of a skipped form is left", kind->name,
				 def->name, events.items[i].name);
	metric_fini(&metric);
	event_set_fini(&events);
	machine_fini(&machine);
	return form;
}

static int form_of(const struct kind *kind, const struct metric_def *def)
{
	return form_of_levels(kind, def, EVENT_LEVELS_ALL);
}

static const struct kind *kind_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	fail_msg("no machine %s", name);
	return NULL;
}

static void forms_of_each_kind(void **state)
{
	static const struct {
		const char *kind, *metric;
		const char *title;      /* NULL: it has none */
		const char *expression; /* a piece of it */
	} rows[] = {
		{"unknown", "cache_mpki", "caMPKI", "cache-misses"},
		{"Skylake-SP", "cache_mpki", "LLCMPKI", "cache-misses"},
		{"Zen 2", "cache_mpki", "L2MPKI", "cache-misses"},
		{"Neoverse N1", "cache_mpki", "LLCMPKI", "ll_cache_miss_rd"},
		{"Cortex-A53", "cache_mpki", "L1DMPKI", "cache-misses"},
		{"Cortex-A53", "cache_miss_percent", "L1Dmis%", "cache-references"},
		{"Neoverse V1", "cache_miss_percent", "LLCmis%", "ll_cache_rd"},
		{"Zen 4", "cache_miss_percent", "L2miss%", "cache-references"},

		{"Haswell", "l2_mpki", "L2MPKI", "r10d1"},
		{"Ice Lake", "l2_mpki", "L2MPKI", "r10d1"},
		{"Alder Lake", "l2_mpki", "L2MPKI",
		 "cpu_core/"}, /* on E-cores d1/10 is another event */
		{"Bulldozer", "l2_mpki", "L2MPKI", "cache-misses"},
		{"Neoverse N1", "l2_mpki", "L2MPKI", "l2d_cache_refill"},
		{"Cortex-A53", "l2_mpki", NULL, NULL},
		{"unknown", "l2_mpki", NULL, NULL},

		{"Zen 2", "branch_miss_percent", "brmiss%", "branches"},
		{"Neoverse N1", "branch_miss_percent", "brmiss%", "br_retired"},
		{"Cortex-A53", "branch_miss_percent", "brmiss%", "branches"},

		{"Ice Lake", "topdown_retiring", "retir%", "topdown-retiring"},
		{"Sierra Forest", "topdown_retiring", "retir%", "topdown-retiring"},
		{"Skylake-SP", "topdown_retiring", "retir%", "r02c2 / (4"},
		{"Sandy Bridge", "topdown_bad_spec", "badsp%", "r100030d"},
		{"Haswell", "topdown_backend", "back%", "r100030d"},
		{"Skylake-SP", "topdown_bad_spec", "badsp%", "r010d"},
		{"Zen 4", "topdown_frontend", "front%", "r1000001a0 / (6"},
		{"Zen 5", "topdown_frontend", "front%", "r1000001a0 / (8"},
		{"Neoverse V1", "topdown_frontend", "front%", "stall_slot_frontend / (slots"},
		{"Neoverse N2 r0p0", "topdown_frontend", "front%", "stall_slot_frontend - cycles"},

		/* CPUs without slots show stalled cycles, with that title. */
		{"Neoverse N1", "topdown_frontend", "fe-stal%", "stalled-cycles-frontend"},
		{"Neoverse N2 on an old kernel", "topdown_frontend", "fe-stal%",
		 "stalled-cycles-frontend"},
		{"Neoverse N2 on an old kernel", "topdown_retiring", NULL, NULL},
		{"Zen 2", "topdown_backend", "be-stal%", "stalled-cycles-backend"},
		{"Zen 2", "topdown_retiring", NULL, NULL},
		{"Nehalem", "topdown_bad_spec", NULL, NULL},
		{"unknown", "topdown_frontend", "fe-stal%", "stalled-cycles-frontend"},

		{"Ice Lake", "topdown_memory", NULL, NULL},
		{"Sapphire Rapids", "topdown_memory", "memory%", "topdown-mem-bound"},
		{"Alder Lake", "topdown_fetch_bandwidth", "fetbw%", "topdown-fetch-lat"},
		{"Zen 4", "topdown_memory", NULL, NULL},

		{"Skylake-SP", "dram_gb_per_s", "DRAMGB/s", "cas_count_read/"},
		{"Granite Rapids", "dram_gb_per_s", "DRAMGB/s", "cas_count_read_sch0/"},
		{"Haswell", "dram_gb_per_s", "DRAMGB/s", "data_reads/"},
		{"Alder Lake", "dram_gb_per_s", "DRAMGB/s", "free_running/data_read/"},
		{"Zen 4", "dram_gb_per_s", "DRAMGB/s", "amd_umc/"},
		{"Zen 2", "dram_gb_per_s", "DRAMGB/s", "amd_df/"},
		{"Neoverse N1", "dram_gb_per_s", "DRAMGB/s", "hnf_mc_reqs"},
		{"Sandy Bridge", "dram_gb_per_s", NULL, NULL},
		{"Zen 2", "package_watts", "watts", "energy-pkg"},
		{"Neoverse N1", "package_watts", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct metric_def *def = metric_def_find(rows[i].metric);
		int form = form_of(kind_find(rows[i].kind), def);

		if (!rows[i].title) {
			if (form >= 0)
				fail_msg("%s has %s: %s", rows[i].kind, rows[i].metric,
					 def->forms[form].expression);
			continue;
		}
		if (form < 0)
			fail_msg("%s has no %s", rows[i].kind, rows[i].metric);
		const char *title = def->forms[form].title ? def->forms[form].title : def->title;
		if (strcmp(title, rows[i].title) != 0 ||
		    !strstr(def->forms[form].expression, rows[i].expression))
			fail_msg("%s, %s: %s is %s", rows[i].kind, rows[i].metric, title,
				 def->forms[form].expression);
	}
}

/* A form that no machine uses is not tested, or cannot be reached. */
static void every_form_is_used(void **state)
{
	(void)state;
	for (size_t i = 0; i < metric_table_n; i++) {
		const struct metric_def *def = &metric_table[i];
		bool used[METRIC_FORMS_MAX] = {false};

		for (size_t k = 0; k < 2 * ARRAY_SIZE(kinds); k++) {
			int form = form_of_levels(&kinds[k / 2], def,
						  k % 2 ? EVENT_LEVELS_USER : EVENT_LEVELS_ALL);

			if (form >= 0)
				used[form] = true;
		}
		for (size_t form = 0; form < METRIC_FORMS_MAX && def->forms[form].expression;
		     form++)
			/* libpfm4 resolves the names of one kind of CPU only on such a CPU. */
			if (!used[form] && !strstr(def->forms[form].expression, "RETIRED:"))
				fail_msg("%s: no machine uses %s", def->name,
					 def->forms[form].expression);
	}
}

/* Every preset shows something on every machine, as --list, -S and -s require. */
static void presets_everywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		for (size_t k = 0; k < preset_table_n; k++) {
			const struct preset *preset = &preset_table[k];

			for (const char *const *name = preset->metrics; *name; name++)
				if (form_of(&kinds[i], metric_def_find(*name)) < 0 &&
				    !preset->leaves_out)
					fail_msg("%s, %s: no %s", kinds[i].name, preset->name,
						 *name);
		}
}

/* The four shares of the slots, from counts of these machines. */
static void shares_add_up(void **state)
{
	static const char *const shares[] = {"topdown_retiring", "topdown_bad_spec",
					     "topdown_frontend", "topdown_backend"};
	static const struct {
		const char *kind;
		struct counted_event counts[5];
		double want[4];
	} rows[] = {
		{"Ice Lake",
		 {{"slots", 1001, 1},
		  {"topdown-retiring", 400, 1},
		  {"topdown-bad-spec", 100, 1},
		  {"topdown-fe-bound", 200, 1},
		  {"topdown-be-bound", 300, 1}},
		 {40, 10, 20, 30}},
		{"Haswell", /* 4000 slots: 1600 retired, 2000 issued, 10 cycles to recover */
		 {{"cycles", 1000, 1},
		  {"r02c2", 1600, 1},
		  {"r010e", 2000, 1},
		  {"r100030d", 10, 1},
		  {"r019c", 800, 1}},
		 {40, 11, 20, 29}},
		{"Skylake-SP",
		 {{"cycles", 1000, 1},
		  {"r02c2", 1600, 1},
		  {"r010e", 2000, 1},
		  {"r010d", 10, 1},
		  {"r019c", 800, 1}},
		 {40, 11, 20, 29}},
		{"Zen 4", /* 6000 slots; the other thread had 600 of them */
		 {{"cycles", 1000, 1},
		  {"rc1", 2400, 1},
		  {"r07aa", 3000, 1},
		  {"r1000001a0", 1200, 1},
		  {"r100001ea0", 1200, 1}},
		 {40, 10, 20, 20}},
		{"Zen 5",
		 {{"cycles", 1000, 1},
		  {"rc1", 3200, 1},
		  {"r07aa", 4000, 1},
		  {"r1000001a0", 1600, 1},
		  {"r100001ea0", 2400, 1}},
		 {40, 10, 20, 30}},
		{"Neoverse V1", /* 8000 slots, half of them filled, 80 % of that retired */
		 {{"cycles", 1000, 1},
		  {"stall_slot_frontend", 1600, 1},
		  {"stall_slot_backend", 2400, 1},
		  {"op_retired", 3200, 1},
		  {"op_spec", 4000, 1}},
		 {40, 10, 20, 30}},
		{"Neoverse N2 r0p0", /* 5000 slots; 1000 of the front end's are one a cycle */
		 {{"cycles", 1000, 1},
		  {"stall_slot_frontend", 2000, 1},
		  {"stall_slot_backend", 1500, 1},
		  {"op_retired", 2000, 1},
		  {"op_spec", 2500, 1}},
		 {40, 10, 20, 30}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		unsigned cpus = kind_init(kind_find(rows[i].kind), &machine);

		struct counted counted;

		counted_init(&counted, 1, 1, rows[i].counts, ARRAY_SIZE(rows[i].counts));
		counted.events.context = &machine.context;
		for (size_t k = 0; k < ARRAY_SIZE(shares); k++) {
			struct metric metric;
			struct error err = {0};

			if (metric_choose(metric_def_find(shares[k]), cpus, 0, &counted.events,
					  &metric, &err) < 0)
				fail_msg("%s: %s", rows[i].kind, err.text);
			struct figure figure = sample_eval(&metric, &counted.input, 1);
			if (figure.state != FIGURE_VALID ||
			    fabs(figure.value - rows[i].want[k]) > 1e-9)
				fail_msg("%s, %s: %g (%s), not %g", rows[i].kind, shares[k],
					 figure.value, figure_state_name(figure.state),
					 rows[i].want[k]);
			metric_fini(&metric);
		}
		counted_fini(&counted);
		machine_fini(&machine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_of_each_kind),
		cmocka_unit_test(every_form_is_used),
		cmocka_unit_test(presets_everywhere),
		cmocka_unit_test(shares_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
