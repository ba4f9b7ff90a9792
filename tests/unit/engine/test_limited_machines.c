// SPDX-License-Identifier: MIT
/*
 * Presets and the vendors' events on the machines of limited_machines.h, whose PMUs have the limits
 * of their CPUs: each figure of the machine, of its CPUs and of its tasks is the truth of the fake
 * kernel, which other code computes (true_counts.h), or has a mark. With the NMI watchdog and
 * without.
 */
#include "tests/fake_kernel/limited_machines.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/limited_scene.h"
#include "tests/unit/shared/true_metric.h"

#include <stdio.h>
#include <string.h>

static const char *const preset_names[] = {"overview", "branch",  "cache",
					   "tlb",      "topdown", "kernel"};

/* Whether a formula has only events of CPUs, which have a truth. */
static bool is_compared(const char *formula)
{
	static const char *const others[] = {"context-switches", "faults", "system_time"};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strstr(formula, others[i]))
			return false;
	return true;
}

struct preset_case {
	const char *name;
	const struct limited_machine *machine;
	const char *preset;
	bool watched;
};

/* All shown metrics that have only events of CPUs. */
static void check_shown(struct limited_scene *scene)
{
	const struct columns *columns = scene->snapshot->columns;
	struct limited_subject subject;

	for (size_t i = 0; i < columns->n_shown; i++) {
		const char *formula = columns->metrics[i].expression;

		if (!formula || !is_compared(formula))
			continue;
		limited_read_metric(scene, i, &subject);
		for (size_t k = 0; k < LIMITED_ROWS; k++) {
			const struct true_row row = limited_row(scene, k);

			subject.truths[k] = true_figure(&row, formula);
		}
		limited_check(scene, &subject);
	}
}

static void test_preset(void **state)
{
	const struct preset_case *this = *state;
	const struct engine_config config = {.preset = preset_find(this->preset)};
	struct limited_scene scene;

	limited_scene_begin(&scene, this->machine->name, this->machine->config, this->watched);
	limited_scene_count(&scene, &config);
	check_shown(&scene);
	limited_print_sums(&scene);
	/* preset.c: all but topdown fit at once, even if the watchdog holds a counter. */
	if (strcmp(this->preset, "topdown") != 0 && this->machine->config->n_pmus == 1)
		assert_int_equal(scene.scaled + scene.unknown, 0);
	limited_scene_end(&scene);
}

/* All metrics of pmctop about these subjects. Each machine has a part of them. */
static void check_own_metrics(const struct limited_machine *this, bool watched)
{
	static const char *const groups[] = {"branch", "cache", "tlb", "topdown", "work", "time"};
	struct engine_column columns[64];
	struct engine_config config = {.preset = &preset_none, .columns = columns};
	struct limited_scene scene;

	for (size_t i = 0; i < metric_table_n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(groups); k++)
			if (strcmp(metric_table[i].group, groups[k]) == 0)
				columns[config.n_columns++] = (struct engine_column){
					ENGINE_METRIC, metric_table[i].name, true};
	limited_scene_begin(&scene, this->name, this->config, watched);
	limited_scene_count(&scene, &config);
	check_shown(&scene);
	limited_print_sums(&scene);
	assert_true(scene.compared >= 200);
	limited_scene_end(&scene);
}

static void test_own_metrics(void **state)
{
	check_own_metrics(*state, false);
	check_own_metrics(*state, true);
}

static void check_vendor_metric(struct limited_scene *scene, size_t column)
{
	const char *name = scene->snapshot->columns->metrics[column].def->name;
	struct limited_subject subject;
	size_t n;
	const struct event_table_metric *metric =
		event_table_find_metric(scene->counts.table, name, strlen(name), &n);

	assert_int_equal(n, 1);
	limited_read_metric(scene, column, &subject);
	for (size_t k = 0; k < LIMITED_ROWS; k++) {
		const struct true_row row = limited_row(scene, k);

		subject.truths[k] = true_metric(&row, metric);
	}
	limited_check(scene, &subject);
}

/*
 * The vendor's formulas of the four shares have a branch for cores with two threads. The events of
 * one branch fit in one group, those of both do not.
 */
static void test_constant_branches(void **state)
{
	struct engine_column columns[] = {
		{ENGINE_METRIC, "Bad_Speculation", true},
		{ENGINE_METRIC, "Backend_Bound", true},
		{ENGINE_METRIC, "Frontend_Bound", true},
		{ENGINE_METRIC, "Retiring", true},
	};
	const struct engine_config config = {
		.preset = &preset_none, .columns = columns, .n_columns = ARRAY_SIZE(columns)};
	static const struct {
		unsigned threads;
		const char *with, *without;
	} rows[] = {
		{1, "INT_MISC.RECOVERY_CYCLES", "INT_MISC.RECOVERY_CYCLES_ANY"},
		{1, "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.THREAD_ANY"},
		{2, "INT_MISC.RECOVERY_CYCLES_ANY", "INT_MISC.RECOVERY_CYCLES"},
		{2, "CPU_CLK_UNHALTED.THREAD_ANY", "CPU_CLK_UNHALTED.THREAD"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk_config machine = fk_skylake_sp;
		struct limited_scene scene;

		machine.threads_per_core = rows[i].threads;
		limited_scene_begin(&scene, "Skylake-SP", &machine, false);
		limited_scene_count(&scene, &config);
		const struct columns *shown = scene.snapshot->columns;
		assert_true(event_set_find(&shown->events, rows[i].with) >= 0);
		assert_int_equal(event_set_find(&shown->events, rows[i].without), -ENOENT);
		assert_int_equal(plan_most_turns(scene.snapshot->columns->plan), 1);
		for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
			check_vendor_metric(&scene, k);
		assert_int_equal(scene.scaled + scene.unknown, 0);
		limited_scene_end(&scene);
	}
}

/*
 * Twenty events of the vendor for each: bound to some counters, with a register of their own, of
 * the uncore.
 */
static const struct event_case {
	const char *name;
	const struct fk_config *config;
	const char *events;
} event_cases[] = {
	{"Skylake-SP", &fk_skylake_sp,
	 "INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD,CPU_CLK_UNHALTED.THREAD_ANY,"
	 "CPU_CLK_UNHALTED.REF_TSC,INST_RETIRED.PREC_DIST,IDQ_UOPS_NOT_DELIVERED.CORE,"
	 "UOPS_RETIRED.RETIRE_SLOTS,INT_MISC.RECOVERY_CYCLES_ANY,MEM_LOAD_RETIRED.L3_MISS,"
	 "CYCLE_ACTIVITY.STALLS_L2_MISS,FRONTEND_RETIRED.LATENCY_GE_8,FRONTEND_RETIRED.L1I_MISS,"
	 "OFFCORE_RESPONSE.DEMAND_DATA_RD.L3_MISS.ANY_SNOOP,OFFCORE_RESPONSE.DEMAND_RFO.L3_MISS."
	 "ANY_SNOOP,"
	 "OFFCORE_RESPONSE.DEMAND_CODE_RD.L3_MISS.ANY_SNOOP,MEM_TRANS_RETIRED.LOAD_LATENCY_GT_64,"
	 "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_128,UNC_M_CAS_COUNT.RD,UNC_M_CAS_COUNT.WR,"
	 "UNC_CHA_CLOCKTICKS,UNC_CHA_TOR_INSERTS.IA_MISS,UNC_UPI_CLOCKTICKS"},
	{"Ice Lake-SP", &fk_ice_lake_sp,
	 "INST_RETIRED.ANY,TOPDOWN.SLOTS,INST_RETIRED.PREC_DIST,CPU_CLK_UNHALTED.REF_TSC,"
	 "CYCLE_ACTIVITY.STALLS_MEM_ANY,CYCLE_ACTIVITY.STALLS_L1D_MISS,"
	 "CYCLE_ACTIVITY.STALLS_L2_MISS,CYCLE_ACTIVITY.STALLS_L3_MISS,L1D_PEND_MISS.FB_FULL,"
	 "DTLB_LOAD_MISSES.WALK_ACTIVE,ICACHE_TAG.STALLS,IDQ.MITE_CYCLES_ANY,"
	 "MEM_LOAD_RETIRED.L1_MISS,OCR.STREAMING_WR.ANY_RESPONSE,OCR.DEMAND_DATA_RD.L3_MISS,"
	 "OCR.DEMAND_RFO.L3_MISS,FRONTEND_RETIRED.L2_MISS,FRONTEND_RETIRED.DSB_MISS,"
	 "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_32,UNC_M_CAS_COUNT.RD,UNC_CHA_REQUESTS.READS_LOCAL,"
	 "UNC_UPI_TxL_FLITS.ALL_DATA"},
	{"Sapphire Rapids", &fk_sapphire_rapids,
	 "INST_RETIRED.ANY,TOPDOWN.SLOTS,TOPDOWN.BAD_SPEC_SLOTS,TOPDOWN.BR_MISPREDICT_SLOTS,"
	 "MEM_TRANS_RETIRED.STORE_SAMPLE,MEMORY_ACTIVITY.STALLS_L1D_MISS,"
	 "MEMORY_ACTIVITY.STALLS_L2_MISS,MEMORY_ACTIVITY.STALLS_L3_MISS,XQ.FULL_CYCLES,"
	 "LONGEST_LAT_CACHE.MISS,EXE_ACTIVITY.BOUND_ON_LOADS,INT_MISC.UNKNOWN_BRANCH_CYCLES,"
	 "UOPS_RETIRED.MS,FRONTEND_RETIRED.STLB_MISS,OCR.DEMAND_DATA_RD.L3_MISS,"
	 "OCR.STREAMING_WR.ANY_RESPONSE,OCR.DEMAND_RFO.L3_HIT,MEM_LOAD_RETIRED.L2_MISS,"
	 "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_1024,UNC_M_CAS_COUNT.RD,UNC_CHA_CLOCKTICKS,"
	 "UNC_UPI_CLOCKTICKS"},
	{"Granite Rapids", &fk_granite_rapids,
	 "INST_RETIRED.ANY,TOPDOWN.SLOTS,TOPDOWN.BAD_SPEC_SLOTS,TOPDOWN.BR_MISPREDICT_SLOTS,"
	 "MEM_TRANS_RETIRED.STORE_SAMPLE,MEMORY_ACTIVITY.STALLS_L1D_MISS,"
	 "MEMORY_ACTIVITY.STALLS_L2_MISS,MEMORY_ACTIVITY.STALLS_L3_MISS,XQ.FULL_CYCLES,"
	 "CPU_CLK_UNHALTED.REF_TSC_P,EXE_ACTIVITY.BOUND_ON_LOADS,INT_MISC.UNKNOWN_BRANCH_CYCLES,"
	 "UOPS_RETIRED.MS,FRONTEND_RETIRED.MISP_ANT,FRONTEND_RETIRED.ANY_ANT,"
	 "OCR.DEMAND_DATA_RD.L3_MISS,OCR.STREAMING_WR.ANY_RESPONSE,OCR.DEMAND_RFO.L3_HIT,"
	 "MEM_LOAD_RETIRED.L2_MISS,UNC_CHA_CLOCKTICKS,UNC_UPI_CLOCKTICKS,UNC_CHA_REQUESTS.READS"},
	{"Alder Lake", &fk_alder_lake,
	 "INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD,TOPDOWN.SLOTS,TOPDOWN.BAD_SPEC_SLOTS,"
	 "MEMORY_ACTIVITY.STALLS_L1D_MISS,MEMORY_ACTIVITY.STALLS_L2_MISS,XQ.FULL_CYCLES,"
	 "UOPS_RETIRED.MS,FRONTEND_RETIRED.STLB_MISS,OCR.DEMAND_DATA_RD.ANY_RESPONSE,"
	 "OCR.DEMAND_RFO.ANY_RESPONSE,OCR.SWPF_RD.ANY_RESPONSE,TOPDOWN_FE_BOUND.ALL,"
	 "TOPDOWN_BE_BOUND.ALL,TOPDOWN_RETIRING.ALL,TOPDOWN_BAD_SPECULATION.ALL,"
	 "MEM_BOUND_STALLS.LOAD,LD_HEAD.L1_MISS_AT_RET,MEM_UOPS_RETIRED.LOAD_LATENCY_GT_64,"
	 "LONGEST_LAT_CACHE.MISS"},
	{"Zen 5", &fk_zen5,
	 "RETIRED_INSTRUCTIONS,RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED,DISPATCH_STALLS_1.BE_"
	 "STALLS,"
	 "DISPATCH_STALLS_2.FE_NO_OPS,OPS_QUEUE_EMPTY,OP_CACHE_HIT_MISS.OC_MISS,"
	 "IC_TAG_HIT_MISS.IC_MISS,INSTRUCTION_CACHE_REFILLS_FROM_SYSTEM,"
	 "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM.LCL_L2,DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM.LOCAL_CCX,"
	 "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM.DRAM_IO_NEAR,"
	 "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM.DRAM_IO_FAR,L1_DTLB_MISS.TLB_RELOAD_4K_L2_MISS,"
	 "L1_ITLB_MISS_L2_ITLB_MISS.IF4K,L2_PREFETCH_HIT_L3.L2_HW_PF,"
	 "L2_PREFETCH_MISS_L3.DRAM_IO_NEAR,RETIRED_SSE_AVX_FLOPS.ADD_SUB_FLOPS,"
	 "CYCLES_NO_RETIRE.NOT_COMPLETE_LOAD_AND_ALU,UNC_L3_REQUESTS.ALL,UNC_L3_REQUESTS.L3_MISS"},
	{"Neoverse N2", &fk_neoverse_n2,
	 "CPU_CYCLES,INST_RETIRED,STALL_SLOT_BACKEND,STALL_SLOT_FRONTEND,STALL_SLOT,OP_RETIRED,"
	 "OP_SPEC,BR_MIS_PRED,L1D_CACHE_REFILL,L2D_CACHE_REFILL,LL_CACHE_MISS_RD,LL_CACHE_RD,"
	 "L1I_CACHE_REFILL,L1D_TLB_REFILL,DTLB_WALK,ITLB_WALK,LD_SPEC,ST_SPEC,DP_SPEC,INST_SPEC,"
	 "REMOTE_ACCESS"},
	{"Neoverse V2", &fk_neoverse_v2,
	 "CPU_CYCLES,INST_RETIRED,STALL_SLOT_BACKEND,STALL_SLOT_FRONTEND,STALL_SLOT,OP_RETIRED,"
	 "OP_SPEC,BR_MIS_PRED,L1D_CACHE_REFILL,L2D_CACHE_REFILL,LL_CACHE_MISS_RD,LL_CACHE_RD,"
	 "L1I_CACHE_REFILL,L1D_TLB_REFILL,DTLB_WALK,ITLB_WALK,LD_SPEC,ST_SPEC,DP_SPEC,INST_SPEC,"
	 "REMOTE_ACCESS"},
};

static void check_events(const struct event_case *this, bool watched)
{
	const struct engine_column column = {ENGINE_EVENTS, this->events, true};
	const struct engine_config config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};
	struct limited_scene scene;
	struct limited_subject subject;
	char name[128];

	limited_scene_begin(&scene, this->name, this->config, watched);
	limited_scene_count(&scene, &config);
	for (const char *at = this->events; *at;) {
		size_t length = strcspn(at, ",");

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		limited_read_event(&scene, name, &subject);
		limited_check(&scene, &subject);
		at += length + (at[length] == ',');
	}
	limited_print_sums(&scene);
	limited_scene_end(&scene);
}

/*
 * What preset overview counts for verdicts beside its columns, by free counters: no groups take
 * turns for it.
 */
static const struct evidence_case {
	const char *name;
	const struct fk_config *config;
	const char *counted, *watched;
	size_t row; /* 0: the task on CPU 1 */
} evidence_cases[] = {
	{"Skylake-SP", &fk_skylake_sp, "frontend retiring", "frontend"},
	{"Skylake-SP, one thread", &fk_skylake_sp_single, "frontend backend bad_spec retiring",
	 "frontend backend bad_spec retiring"},
	{"Ice Lake-SP", &fk_ice_lake_sp, "frontend backend bad_spec retiring",
	 "frontend backend bad_spec retiring"},
	{"Sapphire Rapids", &fk_sapphire_rapids,
	 "frontend backend bad_spec memory retiring mispredict",
	 "frontend backend bad_spec memory retiring mispredict"},
	{"Granite Rapids", &fk_granite_rapids,
	 "frontend backend bad_spec memory retiring mispredict",
	 "frontend backend bad_spec memory retiring mispredict"},
	{"Alder Lake", &fk_alder_lake, "frontend backend bad_spec memory retiring mispredict",
	 "frontend backend bad_spec memory retiring mispredict"},
	{"Alder Lake, E-cores", &fk_alder_lake, "frontend backend bad_spec retiring", "", .row = 9},
	{"Zen 4", &fk_zen4, "frontend backend", "frontend"},
	{"Zen 5", &fk_zen5, "frontend backend", "frontend"},
	{"Neoverse N2", &fk_neoverse_n2, "frontend backend", "frontend backend"},
	{"Neoverse V2", &fk_neoverse_v2, "frontend backend", "frontend backend"},
};

static void check_evidence(const struct evidence_case *this, bool watched)
{
	const struct engine_config config = {.preset = preset_find("overview")};
	const char *want = watched ? this->watched : this->counted;
	struct limited_scene scene;
	struct limited_subject subject;
	char text[256] = "";

	limited_scene_begin(&scene, this->name, this->config, watched);
	limited_scene_count(&scene, &config);
	const struct columns *columns = scene.snapshot->columns;
	for (size_t i = 0; verdict_counters[i]; i++) {
		int at = columns_metric(columns, verdict_counters[i]);
		const char *name = verdict_counters[i] + strlen("topdown_");
		size_t used = strlen(text);

		if (at < 0)
			continue;
		limited_read_metric(&scene, (size_t)at, &subject);
		enum figure_state state = subject.figures[this->row ? this->row : 7].state;
		if (state == FIGURE_VALID)
			snprintf(text + used, sizeof(text) - used, "%s%s", used ? " " : "", name);
		else
			assert_int_equal(state, FIGURE_NOT_COUNTED);
	}
	if (strcmp(text, want) != 0)
		fail_msg("%s: '%s' instead of '%s'", this->name, text, want);
	assert_int_equal(plan_most_turns(columns->plan), 1);
	limited_scene_end(&scene);
}

static void test_evidence(void **state)
{
	check_evidence(*state, false);
	check_evidence(*state, true);
}

static void test_events(void **state)
{
	check_events(*state, false);
	check_events(*state, true);
}

int main(void)
{
	enum { PRESETS = ARRAY_SIZE(preset_names) * 2 };
	static const struct CMUnitTest others[] = {cmocka_unit_test(test_constant_branches)};
	static struct preset_case preset_cases[LIMITED_MACHINES * PRESETS];
	static char names[ARRAY_SIZE(preset_cases)][64];
	static const struct cases tables[] = {
		CASES(test_preset, preset_cases), CASES(test_own_metrics, limited_machines),
		CASES(test_evidence, evidence_cases), CASES(test_events, event_cases)};

	for (size_t i = 0; i < ARRAY_SIZE(preset_cases); i++) {
		const struct limited_machine *machine = &limited_machines[i / PRESETS];
		const char *preset = preset_names[i % PRESETS / 2];

		snprintf(names[i], sizeof(names[i]), "%s, %s%s", machine->name, preset,
			 i % 2 ? ", watched" : "");
		preset_cases[i] = (struct preset_case){names[i], machine, preset, i % 2};
	}
	return cases_run("limited machines", tables, ARRAY_SIZE(tables), others,
			 ARRAY_SIZE(others));
}
