// SPDX-License-Identifier: MIT
/*
 * Presets and events on the machines of limited_machines.h, whose PMUs have the limits of their
 * CPUs: each figure of the machine, of its CPUs and of its tasks is the truth of the fake
 * kernel, computed by other code (true_counts.h), or has a mark. With the NMI watchdog and without.
 */
#include "tests/fake_kernel/limited_machines.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/true_counts.h"

#include "core/snapshot/event_totals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Rates are constant, so a figure that is scaled up is as right as an exact one, except for the
 * moments at which groups and intervals begin. Not so where it is of several tasks: a group is not
 * on for the same share of each one's time, because turns are random.
 */
#define NEAR       0.002
#define NEAR_MIXED 0.1

static const struct machine {
	const char *name;
	const struct fk_config *config;
} machines[] = {
	{"Skylake-SP", &fk_skylake_sp},
	{"Ice Lake-SP", &fk_ice_lake_sp},
	{"Sapphire Rapids", &fk_sapphire_rapids},
	{"Granite Rapids", &fk_granite_rapids},
	{"Alder Lake", &fk_alder_lake},
	{"Zen 4", &fk_zen4},
	{"Zen 5", &fk_zen5},
	{"Neoverse N2", &fk_neoverse_n2},
	{"Neoverse V2", &fk_neoverse_v2},
};

static const char *const preset_names[] = {"overview", "branch",  "cache",
					   "tlb",      "topdown", "kernel"};

/* Tasks 50 and 51 take turns on CPU 0; the others have theirs alone. CPUs 2, 3, 6 and 7 are idle.
 */
static const struct {
	pid_t tid;
	int cpu;
} places[] = {{50, 0}, {51, 0}, {52, 1}, {53, 4}, {54, 5}};

struct scene {
	struct true_counts counts;
	struct sys sys;
	struct event_table_cache *cache;
	struct engine *engine;
	struct snapshot *snapshot;
	const char *name;
	bool watched;
	size_t compared, marked, unknown;
};

static void add_task(struct scene *scene, size_t i)
{
	unsigned n = (unsigned)i;
	struct fk_spec spec = {
		.tid = places[i].tid,
		.comm = "busy",
		.user = {3, 4 + n},
		.seed = 11 + n,
		.rates =
			{
				[FK_CYCLES] = {3, 1},
				[FK_INSTRUCTIONS] = {2 + n, 1},
				[FK_REF_CYCLES] = {2, 1},
				[FK_BUS_CYCLES] = {1, 10},
				[FK_BRANCHES] = {40 + n, 100},
				[FK_BRANCH_MISSES] = {2 + n, 100},
				[FK_CACHE_REFERENCES] = {30 + n, 1000},
				[FK_CACHE_MISSES] = {7 + n, 1000},
				[FK_STALLED_FRONTEND] = {20 + n, 100},
				[FK_STALLED_BACKEND] = {60 + n, 100},
				[FK_L1D_LOADS] = {50 + n, 100},
				[FK_L1D_LOAD_MISSES] = {5 + n, 1000},
				[FK_L1I_LOAD_MISSES] = {3 + n, 1000},
				[FK_LLC_LOADS] = {11 + n, 1000},
				[FK_LLC_LOAD_MISSES] = {4 + n, 1000},
				[FK_DTLB_LOAD_MISSES] = {8 + n, 10000},
				[FK_ITLB_LOAD_MISSES] = {5 + n, 10000},
			},
	};

	fk_task(scene->counts.fk, &spec);
	scene->counts.tasks[scene->counts.n_tasks++] =
		(struct true_task){.tid = spec.tid, .cpu = places[i].cpu, .user = spec.user};
}

static void scene_begin(struct scene *scene, const struct machine *machine, bool watched)
{
	struct fk *fk = fk_new(machine->config);

	*scene = (struct scene){
		.counts = {.fk = fk, .config = machine->config},
		.sys = fk_sys(fk),
		.name = machine->name,
		.watched = watched,
	};
	scene->cache = event_table_cache_new(&scene->sys);
	scene->counts.table = event_table_cache_get(scene->cache);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		add_task(scene, i);
	fk_watchdog(fk, watched);
	fk_ping_pong(fk, 0, 50, 51, NS_PER_MS, UINT32_MAX);
	for (size_t i = 2; i < ARRAY_SIZE(places); i++)
		fk_switch(fk, places[i].cpu, places[i].tid);
	fk_advance(fk, NS_PER_MS);
}

/* Lets it count, and takes a snapshot of a second. */
static void scene_count(struct scene *scene, const struct engine_config *config)
{
	struct fk *fk = scene->counts.fk;

	scene->engine = open_engine_with(&scene->sys, config);
	snapshot_free(next_snapshot(scene->engine, fk, NS_PER_S));
	snapshot_free(next_snapshot(scene->engine, fk, NS_PER_S));
	true_counts_begin(&scene->counts);
	scene->snapshot = next_snapshot(scene->engine, fk, NS_PER_S);
	true_counts_end(&scene->counts);
}

static void scene_end(struct scene *scene)
{
	snapshot_free(scene->snapshot);
	event_table_cache_free(scene->cache);
	close_all(scene->engine, scene->counts.fk);
}

static void row_name(const struct true_row *row, char *text, size_t size)
{
	if (row->tid)
		snprintf(text, size, "task %d", (int)row->tid);
	else if (row->cpu >= 0)
		snprintf(text, size, "CPU %d", row->cpu);
	else
		snprintf(text, size, "machine");
}

static void check_figure(struct scene *scene, const struct true_row *row, const char *name,
			 struct figure figure, double truth)
{
	char where[32];
	bool mixed = !row->tid && row->cpu <= 0 && figure.state == FIGURE_SCALED;

	row_name(row, where, sizeof(where));
	if (!figure_known(figure) && isnan(truth)) {
		scene->unknown++;
		return;
	}
	scene->compared++;
	scene->marked += figure.state == FIGURE_SCALED;
	if (isnan(truth) || !figure_known(figure) || figure.state == FIGURE_LOST ||
	    fabs(figure.value - truth) > (mixed ? NEAR_MIXED : NEAR) * fabs(truth) + 1e-9)
		fail_msg("%s%s, %s of %s: %s %g, not %g", scene->name,
			 scene->watched ? ", watched" : "", name, where,
			 figure_state_name(figure.state), figure.value, truth);
}

/* Whether a formula is one of events of the CPUs alone, which have a truth. */
static bool is_compared(const char *formula)
{
	static const char *const others[] = {"context-switches", "faults", "interval",
					     "system_time",      "wait",   "state"};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strstr(formula, others[i]))
			return false;
	return true;
}

/* All rows of a snapshot: which[i] is the row of figures[i]. */
static void check_metric(struct scene *scene, size_t metric)
{
	const struct snapshot *snapshot = scene->snapshot;
	const struct columns *columns = snapshot->columns;
	const char *name = columns->metrics[metric].def->name;
	const char *formula = columns->metrics[metric].expression;
	struct true_row row = {.counts = &scene->counts, .cpu = -1};

	if (!formula || !is_compared(formula))
		return;
	check_figure(scene, &row, name, snapshot->figures[metric], true_figure(&row, formula));
	for (size_t i = 0; i < snapshot->n_cpus; i++) {
		row.cpu = snapshot->cpus[i].cpu;
		if (row.cpu % 4 < 2) /* not idle */
			check_figure(scene, &row, name, snapshot->cpus[i].figures[metric],
				     true_figure(&row, formula));
	}
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		row = (struct true_row){.counts = &scene->counts, .tid = places[i].tid, .cpu = -1};
		check_figure(scene, &row, name, task_figure(snapshot, row.tid, name),
			     true_figure(&row, formula));
	}
}

struct preset_case {
	const char *name;
	const struct machine *machine;
	const char *preset;
	bool watched;
};

static void test_preset(void **state)
{
	const struct preset_case *this = *state;
	const struct engine_config config = {.preset = preset_find(this->preset)};
	struct scene scene;

	scene_begin(&scene, this->machine, this->watched);
	scene_count(&scene, &config);
	for (size_t i = 0; i < scene.snapshot->columns->n_shown; i++)
		check_metric(&scene, i);
	print_message("%s: %zu right, %zu of them scaled, %zu unknown\n", this->name,
		      scene.compared, scene.marked, scene.unknown);
	/* preset.c: all but topdown fit at once, even if the watchdog holds a counter. */
	if (strcmp(this->preset, "topdown") != 0 && this->machine->config->n_pmus == 1)
		assert_int_equal(scene.marked + scene.unknown, 0);
	scene_end(&scene);
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

/* The count of an event in a tally, in all groups. */
static struct figure event_of_tally(const struct snapshot *snapshot, size_t event,
				    const uint64_t *tally, bool machine)
{
	const struct columns *columns = snapshot->columns;
	const struct metric_input input = {
		.events = &columns->events,
		.plan = columns->plan,
		.tally = tally,
		.machine = machine,
	};

	return metric_read_one(&columns->event_readings.items[event], &input);
}

static void check_event(struct scene *scene, const char *name)
{
	const struct snapshot *snapshot = scene->snapshot;
	size_t event = event_index(snapshot, name);
	struct true_row row = {.counts = &scene->counts, .cpu = -1};
	uint64_t *busy = snapshot_busy_tally(snapshot->columns, snapshot->totals, snapshot->idle);

	check_figure(scene, &row, name, event_of_tally(snapshot, event, busy, true),
		     true_count(&row, name));
	free(busy);
	for (size_t i = 0; i < snapshot->n_cpus; i++) {
		const struct snapshot_cpu *cpu = &snapshot->cpus[i];

		row.cpu = cpu->cpu;
		if (row.cpu % 4 >= 2) /* idle */
			continue;
		busy = snapshot_busy_tally(snapshot->columns, cpu->tally, cpu->idle);
		check_figure(scene, &row, name, event_of_tally(snapshot, event, busy, false),
			     true_count(&row, name));
		free(busy);
	}
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		row = (struct true_row){.counts = &scene->counts, .tid = places[i].tid, .cpu = -1};
		check_figure(scene, &row, name, event_figure(snapshot, row.tid, name),
			     true_count(&row, name));
	}
}

static void check_events(const struct event_case *this, bool watched)
{
	const struct engine_column column = {ENGINE_EVENTS, this->events, true};
	const struct engine_config config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};
	const struct machine machine = {this->name, this->config};
	struct scene scene;
	char name[128];

	scene_begin(&scene, &machine, watched);
	scene_count(&scene, &config);
	for (const char *at = this->events; *at;) {
		size_t length = strcspn(at, ",");

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		check_event(&scene, name);
		at += length + (at[length] == ',');
	}
	print_message("%s%s: %zu right, %zu of them scaled, %zu unknown\n", this->name,
		      watched ? ", watched" : "", scene.compared, scene.marked, scene.unknown);
	scene_end(&scene);
}

static void test_events(void **state)
{
	check_events(*state, false);
	check_events(*state, true);
}

int main(void)
{
	enum { PRESETS = ARRAY_SIZE(preset_names) * 2 };
	static struct preset_case preset_cases[ARRAY_SIZE(machines) * PRESETS];
	static char names[ARRAY_SIZE(preset_cases)][64];
	static const struct cases tables[] = {CASES(test_preset, preset_cases),
					      CASES(test_events, event_cases)};

	for (size_t i = 0; i < ARRAY_SIZE(preset_cases); i++) {
		const struct machine *machine = &machines[i / PRESETS];
		const char *preset = preset_names[i % PRESETS / 2];

		snprintf(names[i], sizeof(names[i]), "%s, %s%s", machine->name, preset,
			 i % 2 ? ", watched" : "");
		preset_cases[i] = (struct preset_case){names[i], machine, preset, i % 2};
	}
	return cases_run("limited machines", tables, ARRAY_SIZE(tables), NULL, 0);
}
