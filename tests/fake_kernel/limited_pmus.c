// SPDX-License-Identifier: MIT
/*
 * Constraints, registers and codes are from arch/x86/events and drivers/perf/arm_pmuv3.c in Linux
 * 6.12, formats and aliases from its sysfs.
 */
#include "tests/fake_kernel/limited_pmus.h"

#include "tests/fake_kernel/machine_parts.h"

/* Linux does not put an event on a fixed counter if it has one of these bits: */
#define NOT_FIXED (1ull << 18 | 1ull << 23 | 0xffull << 24 | 3ull << 32)
#define FIXED(code, counters)                            \
	{                                                \
		0xffff | NOT_FIXED, code, code, counters \
	}
#define EVENTS(first, last, n)                       \
	{                                            \
		0xff, first, last, (1ull << (n)) - 1 \
	}
#define CODE(code, n)                                 \
	{                                             \
		0xffff, code, code, (1ull << (n)) - 1 \
	}

static const struct fk_constraint skylake_constraints[] = {
	FIXED(0x00c0, 0xf | FK_FIXED(0)),
	FIXED(0x003c, 0xf | FK_FIXED(1)),
	FIXED(0x0300, FK_FIXED(2)),
	{0xffff, 0x01c0, 0x01c0, 1 << 1},
};

/* One thread has the counters of both. Not all events can use the upper four. */
static const struct fk_constraint skylake_single_constraints[] = {
	FIXED(0x00c0, 0xff | FK_FIXED(0)),
	FIXED(0x003c, 0xff | FK_FIXED(1)),
	FIXED(0x0300, FK_FIXED(2)),
	{0xffff, 0x01c0, 0x01c0, 1 << 1},
	EVENTS(0xd0, 0xd2, 4),
	EVENTS(0xcd, 0xcd, 4),
	EVENTS(0xc6, 0xc6, 4),
};

static const struct fk_constraint ice_lake_constraints[] = {
	FIXED(0x00c0, 0xff | FK_FIXED(0)),
	FIXED(0x01c0, 0xff | FK_FIXED(0)),
	FIXED(0x0100, FK_FIXED(0)),
	FIXED(0x003c, 0xff | FK_FIXED(1)),
	FIXED(0x0300, FK_FIXED(2)),
	FIXED(0x0400, FK_FIXED(3)),
	EVENTS(0x03, 0x0a, 4),
	EVENTS(0x1f, 0x28, 4),
	EVENTS(0x32, 0x32, 4),
	EVENTS(0x48, 0x56, 4),
	EVENTS(0x60, 0x8b, 4),
	CODE(0x04a3, 8),
	CODE(0x10a3, 8),
	CODE(0x14a3, 8),
	EVENTS(0xa3, 0xa3, 4),
	EVENTS(0xa8, 0xb0, 4),
	EVENTS(0xb7, 0xbd, 4),
	EVENTS(0xd0, 0xe6, 4),
	EVENTS(0xef, 0xef, 4),
	EVENTS(0xf0, 0xf4, 4),
};

/* Golden Cove and Redwood Cove. */
static const struct fk_constraint golden_cove_constraints[] = {
	FIXED(0x00c0, 0xff | FK_FIXED(0)),
	FIXED(0x0100, FK_FIXED(0)),
	FIXED(0x003c, 0xff | FK_FIXED(1)),
	FIXED(0x0300, FK_FIXED(2)),
	FIXED(0x013c, 0xff | FK_FIXED(2)),
	FIXED(0x0400, FK_FIXED(3)),
	EVENTS(0x2e, 0x2e, 8),
	EVENTS(0x3c, 0x3c, 8),
	EVENTS(0x01, 0x8f, 4),
	CODE(0x01a3, 4),
	CODE(0x02a3, 4),
	CODE(0x08a3, 4),
	CODE(0x04a4, 1),
	CODE(0x08a4, 1),
	CODE(0x02cd, 1),
	EVENTS(0xce, 0xce, 1),
	EVENTS(0xd0, 0xdf, 4),
};

static const struct fk_constraint gracemont_constraints[] = {
	FIXED(0x00c0, 0x3f | FK_FIXED(0)),
	FIXED(0x003c, 0x3f | FK_FIXED(1)),
	FIXED(0x0300, FK_FIXED(2)),
	FIXED(0x013c, 0x3f | FK_FIXED(2)),
};

static const struct fk_constraint arm_constraints[] = {
	{0xffff, 0x11, 0x11, 0x3f | FK_FIXED(0)},
};

static const struct fk_register_use skylake_registers[] = {
	{0x01b7, FK_OFFCORE, 0x3fffff8fff},
	{0x01bb, FK_OFFCORE, 0x3fffff8fff},
	{0x01cd, FK_LDLAT, 0xffff},
	{0x01c6, FK_FRONTEND, 0x7fff17},
};

static const struct fk_register_use ice_lake_registers[] = {
	{0x01b7, FK_OFFCORE, 0x3fffffbfff},
	{0x01bb, FK_OFFCORE, 0x3fffffbfff},
	{0x01cd, FK_LDLAT, 0xffff},
	{0x01c6, FK_FRONTEND, 0x7fff17},
};

static const struct fk_register_use golden_cove_registers[] = {
	{0x012a, FK_OFFCORE, 0x3fffffffff}, {0x012b, FK_OFFCORE, 0x3fffffffff},
	{0x01cd, FK_LDLAT, 0xffff},         {0x01c6, FK_FRONTEND, 0x7fff1f},
	{0x40ad, FK_FRONTEND, 0x7},         {0x04c2, FK_FRONTEND, 0x8},
};

static const struct fk_register_use redwood_cove_registers[] = {
	{0x012a, FK_OFFCORE, 0x3fffffffff}, {0x012b, FK_OFFCORE, 0x3fffffffff},
	{0x01cd, FK_LDLAT, 0xffff},         {0x02c6, FK_FRONTEND, 0x9},
	{0x03c6, FK_FRONTEND, 0x7fff1f},    {0x40ad, FK_FRONTEND, 0x7},
	{0x04c2, FK_FRONTEND, 0x8},
};

static const struct fk_register_use gracemont_registers[] = {
	{0x01b7, FK_OFFCORE, 0x3fffffffff},
	{0x02b7, FK_OFFCORE, 0x3fffffffff},
	{0x05d0, FK_LDLAT, 0xffff},
};

#define LIMITS(name, of_constraints, of_registers, n_metrics, slots_a_cycle) \
	static const struct fk_limits name = {                               \
		.constraints = of_constraints,                               \
		.n_constraints = ARRAY_SIZE(of_constraints),                 \
		.registers = of_registers,                                   \
		.n_registers = ARRAY_SIZE(of_registers),                     \
		.metrics = n_metrics,                                        \
		.width = slots_a_cycle,                                      \
	}
LIMITS(skylake_limits, skylake_constraints, skylake_registers, 0, 0);
LIMITS(skylake_single_limits, skylake_single_constraints, skylake_registers, 0, 0);
LIMITS(ice_lake_limits, ice_lake_constraints, ice_lake_registers, 4, 5);
LIMITS(golden_cove_limits, golden_cove_constraints, golden_cove_registers, 8, 6);
LIMITS(redwood_cove_limits, golden_cove_constraints, redwood_cove_registers, 8, 6);
LIMITS(gracemont_limits, gracemont_constraints, gracemont_registers, 0, 0);

static const struct fk_limits zen_limits = {.constraints = NULL};
static const struct fk_limits arm_limits = {
	.constraints = arm_constraints,
	.n_constraints = ARRAY_SIZE(arm_constraints),
};

/* The codes of generic events; the last one of Skylake is of both threads, and one thread sleeps.
 */
#define INTEL_CODES                                                                \
	{0x3c, FK_CYCLES}, {0xc0, FK_INSTRUCTIONS}, {0x4f2e, FK_CACHE_REFERENCES}, \
		{0x412e, FK_CACHE_MISSES}, {0xc4, FK_BRANCHES},                    \
	{                                                                          \
		0xc5, FK_BRANCH_MISSES                                             \
	}
#define SKYLAKE_CODES                                                                          \
	INTEL_CODES, {0x013c, FK_BUS_CYCLES}, {0x0300, FK_REF_CYCLES}, {0x81d0, FK_L1D_LOADS}, \
		{0x0151, FK_L1D_LOAD_MISSES}, {0x0283, FK_L1I_LOAD_MISSES},                    \
		{0x0e08, FK_DTLB_LOAD_MISSES},                                                 \
	{                                                                                      \
		0x0e85, FK_ITLB_LOAD_MISSES                                                    \
	}
static const struct fk_code skylake_codes[] = {
	SKYLAKE_CODES,
	{0x01b7, FK_LLC_LOADS, 0x3fffc00001},
	{0x01b7, FK_LLC_LOAD_MISSES, 0x3fbc000001},
	{0x20003c, FK_CYCLES},
};

static const struct fk_code ice_lake_codes[] = {
	SKYLAKE_CODES,
	{0x01b7, FK_LLC_LOADS, 0x10001},
	{0x01b7, FK_LLC_LOAD_MISSES, 0x3fffc00001},
};

static const struct fk_code golden_cove_codes[] = {
	INTEL_CODES,
	{0x013c, FK_REF_CYCLES},
	{0x0300, FK_REF_CYCLES},
	{0x81d0, FK_L1D_LOADS},
	{0xe124, FK_L1D_LOAD_MISSES},
	{0xe424, FK_L1I_LOAD_MISSES},
	{0x0e12, FK_DTLB_LOAD_MISSES},
	{0x0e11, FK_ITLB_LOAD_MISSES},
	{0x012a, FK_LLC_LOADS, 0x10001},
	{0x012a, FK_LLC_LOAD_MISSES, 0x3fbfc00001},
};

static const struct fk_code gracemont_codes[] = {
	INTEL_CODES,
	{0x013c, FK_REF_CYCLES},
	{0x0300, FK_REF_CYCLES},
	{0x81d0, FK_L1D_LOADS},
	{0x0280, FK_L1I_LOAD_MISSES},
	{0x0e08, FK_DTLB_LOAD_MISSES},
	{0x0481, FK_ITLB_LOAD_MISSES},
};

static const struct fk_code zen_codes[] = {
	{0x76, FK_CYCLES},
	{0xc0, FK_INSTRUCTIONS},
	{0xff60, FK_CACHE_REFERENCES},
	{0x0964, FK_CACHE_MISSES},
	{0xc2, FK_BRANCHES},
	{0xc3, FK_BRANCH_MISSES},
	{0xa9, FK_STALLED_FRONTEND},
	{0x100000120, FK_REF_CYCLES},
	{0x40, FK_L1D_LOADS},
	{0xc860, FK_L1D_LOAD_MISSES},
	{0x81, FK_L1I_LOAD_MISSES},
	{0xf045, FK_DTLB_LOAD_MISSES},
	{0xff85, FK_ITLB_LOAD_MISSES},
};

static const struct fk_code arm_codes[] = {
	{0x11, FK_CYCLES},           {0x08, FK_INSTRUCTIONS},     {0x04, FK_CACHE_REFERENCES},
	{0x03, FK_CACHE_MISSES},     {0x10, FK_BRANCH_MISSES},    {0x1d, FK_BUS_CYCLES},
	{0x23, FK_STALLED_FRONTEND}, {0x24, FK_STALLED_BACKEND},  {0x04, FK_L1D_LOADS},
	{0x03, FK_L1D_LOAD_MISSES},  {0x01, FK_L1I_LOAD_MISSES},  {0x36, FK_LLC_LOADS},
	{0x37, FK_LLC_LOAD_MISSES},  {0x05, FK_DTLB_LOAD_MISSES}, {0x02, FK_ITLB_LOAD_MISSES},
};

#define EVENT_FORMAT                          \
	{"format/event", "config:0-7"},       \
	{                                     \
		"format/umask", "config:8-15" \
	}
#define EDGE_FORMAT                                                \
	{"format/edge", "config:18"}, {"format/inv", "config:23"}, \
	{                                                          \
		"format/cmask", "config:24-31"                     \
	}
#define REGISTER_FORMAT                         \
	{"format/offcore_rsp", "config1:0-63"}, \
	{                                       \
		"format/ldlat", "config1:0-15"  \
	}
#define FRONTEND_FORMAT                           \
	{                                         \
		"format/frontend", "config1:0-23" \
	}
#define INTEL_ALIASES                                                               \
	{"events/cpu-cycles", "event=0x3c"}, {"events/instructions", "event=0xc0"}, \
		{"events/cache-references", "event=0x2e,umask=0x4f"},               \
		{"events/cache-misses", "event=0x2e,umask=0x41"},                   \
		{"events/branch-instructions", "event=0xc4"},                       \
		{"events/branch-misses", "event=0xc5"},                             \
	{                                                                           \
		"events/ref-cycles", "event=0x00,umask=0x03"                        \
	}
#define SLOTS_ALIASES                                                 \
	{"events/slots", "event=0x00,umask=0x4"},                     \
		{"events/topdown-retiring", "event=0x00,umask=0x80"}, \
		{"events/topdown-bad-spec", "event=0x00,umask=0x81"}, \
		{"events/topdown-fe-bound", "event=0x00,umask=0x82"}, \
	{                                                             \
		"events/topdown-be-bound", "event=0x00,umask=0x83"    \
	}
#define SECOND_LEVEL_ALIASES                                               \
	{"events/topdown-heavy-ops", "event=0x00,umask=0x84"},             \
		{"events/topdown-br-mispredict", "event=0x00,umask=0x85"}, \
		{"events/topdown-fetch-lat", "event=0x00,umask=0x86"},     \
	{                                                                  \
		"events/topdown-mem-bound", "event=0x00,umask=0x87"        \
	}

static const struct fk_file_entry skylake_files[] = {
	EVENT_FORMAT,
	EDGE_FORMAT,
	{"format/any", "config:21"},
	REGISTER_FORMAT,
	FRONTEND_FORMAT,
	INTEL_ALIASES,
	{"events/topdown-total-slots", "event=0x3c,umask=0x0,any=1"},
	{"events/topdown-total-slots.scale", "2"},
	{"events/topdown-slots-issued", "event=0xe,umask=0x1"},
	{"events/topdown-slots-retired", "event=0xc2,umask=0x2"},
	{"events/topdown-fetch-bubbles", "event=0x9c,umask=0x1"},
	{"events/topdown-recovery-bubbles", "event=0xd,umask=0x1,any=1"},
	{"events/topdown-recovery-bubbles.scale", "2"},
	{"caps/pmu_name", "skylake"},
};

static const struct fk_file_entry ice_lake_files[] = {
	EVENT_FORMAT,
	EDGE_FORMAT,
	REGISTER_FORMAT,
	FRONTEND_FORMAT,
	INTEL_ALIASES,
	SLOTS_ALIASES,
	{"caps/pmu_name", "icelake"},
};

static const struct fk_file_entry golden_cove_files[] = {
	EVENT_FORMAT,  EDGE_FORMAT,   REGISTER_FORMAT,      FRONTEND_FORMAT,
	INTEL_ALIASES, SLOTS_ALIASES, SECOND_LEVEL_ALIASES, {"caps/pmu_name", "sapphire_rapids"},
};

static const struct fk_file_entry gracemont_files[] = {
	EVENT_FORMAT,
	EDGE_FORMAT,
	REGISTER_FORMAT,
	INTEL_ALIASES,
	{"events/topdown-retiring", "event=0xc2,umask=0x0"},
	{"events/topdown-bad-spec", "event=0x73,umask=0x0"},
	{"events/topdown-fe-bound", "event=0x71,umask=0x0"},
	{"events/topdown-be-bound", "event=0x74,umask=0x0"},
};

static const struct fk_file_entry zen_files[] = {
	{"format/event", "config:0-7,32-35"},
	{"format/umask", "config:8-15"},
	EDGE_FORMAT,
	{"events/cpu-cycles", "event=0x76"},
	{"events/instructions", "event=0xc0"},
	{"events/cache-references", "event=0x60,umask=0xff"},
	{"events/cache-misses", "event=0x64,umask=0x09"},
	{"events/branch-instructions", "event=0xc2"},
	{"events/branch-misses", "event=0xc3"},
	{"events/stalled-cycles-frontend", "event=0xa9"},
};

/* The architecture's events that the CPU has; Linux counts 0 of the others. */
#define ARM_FILES                                                                                  \
	{"format/event", "config:0-15"}, {"format/long", "config1:0"},                             \
		{"events/sw_incr", "event=0x0000"}, {"events/l1i_cache_refill", "event=0x0001"},   \
		{"events/l1i_tlb_refill", "event=0x0002"},                                         \
		{"events/l1d_cache_refill", "event=0x0003"}, {"events/l1d_cache", "event=0x0004"}, \
		{"events/l1d_tlb_refill", "event=0x0005"},                                         \
		{"events/inst_retired", "event=0x0008"}, {"events/exc_taken", "event=0x0009"},     \
		{"events/exc_return", "event=0x000a"},                                             \
		{"events/cid_write_retired", "event=0x000b"},                                      \
		{"events/br_mis_pred", "event=0x0010"}, {"events/cpu_cycles", "event=0x0011"},     \
		{"events/br_pred", "event=0x0012"}, {"events/mem_access", "event=0x0013"},         \
		{"events/l1i_cache", "event=0x0014"}, {"events/l1d_cache_wb", "event=0x0015"},     \
		{"events/l2d_cache", "event=0x0016"}, {"events/l2d_cache_refill", "event=0x0017"}, \
		{"events/l2d_cache_wb", "event=0x0018"}, {"events/bus_access", "event=0x0019"},    \
		{"events/memory_error", "event=0x001a"}, {"events/inst_spec", "event=0x001b"},     \
		{"events/ttbr_write_retired", "event=0x001c"},                                     \
		{"events/bus_cycles", "event=0x001d"},                                             \
		{"events/l2d_cache_allocate", "event=0x0020"},                                     \
		{"events/br_retired", "event=0x0021"},                                             \
		{"events/br_mis_pred_retired", "event=0x0022"},                                    \
		{"events/stall_frontend", "event=0x0023"},                                         \
		{"events/stall_backend", "event=0x0024"}, {"events/l1d_tlb", "event=0x0025"},      \
		{"events/l1i_tlb", "event=0x0026"}, {"events/l3d_cache_allocate", "event=0x0029"}, \
		{"events/l3d_cache_refill", "event=0x002a"}, {"events/l3d_cache", "event=0x002b"}, \
		{"events/l2d_tlb_refill", "event=0x002d"}, {"events/l2d_tlb", "event=0x002f"},     \
		{"events/remote_access", "event=0x0031"}, {"events/dtlb_walk", "event=0x0034"},    \
		{"events/itlb_walk", "event=0x0035"}, {"events/ll_cache_rd", "event=0x0036"},      \
		{"events/ll_cache_miss_rd", "event=0x0037"},                                       \
		{"events/l1d_cache_lmiss_rd", "event=0x0039"},                                     \
		{"events/op_retired", "event=0x003a"}, {"events/op_spec", "event=0x003b"},         \
		{"events/stall", "event=0x003c"}, {"events/stall_slot_backend", "event=0x003d"},   \
		{"events/stall_slot_frontend", "event=0x003e"},                                    \
	{                                                                                          \
		"events/stall_slot", "event=0x003f"                                                \
	}
static const struct fk_file_entry n2_files[] = {ARM_FILES, {"caps/slots", "0x00000005"}};
static const struct fk_file_entry v2_files[] = {ARM_FILES, {"caps/slots", "0x00000008"}};

static const struct fk_model skylake_model =
	FK_INTEL(0x55, 4, "Intel(R) Xeon(R) Platinum 8153 CPU @ 2.00GHz");
static const struct fk_model ice_lake_model =
	FK_INTEL(0x6a, 6, "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz");
static const struct fk_model sapphire_rapids_model =
	FK_INTEL(0x8f, 8, "Intel(R) Xeon(R) Platinum 8480+");
static const struct fk_model granite_rapids_model = FK_INTEL(0xad, 1, "Intel(R) Xeon(R) 6980P");
static const struct fk_model alder_lake_model =
	FK_INTEL(0x97, 2, "12th Gen Intel(R) Core(TM) i9-12900K");
static const struct fk_model zen4_model = FK_AMD(0x19, 0x11, 1, "AMD EPYC 9654 96-Core Processor");
static const struct fk_model zen5_model = FK_AMD(0x1a, 0x02, 1, "AMD EPYC 9755 128-Core Processor");
static const struct fk_model n2_model = {.implementer = 0x41, .part = 0xd49, .revision = 3};
static const struct fk_model v2_model = {.implementer = 0x41, .part = 0xd4f, .revision = 1};

/* The events that exist are the ones with codes. */
#define PMU(of_limits, of_codes, of_files, of_model, counters)                                     \
	.type = PERF_TYPE_RAW, .last_cpu = FK_LAST_CPU, .slots = counters,                         \
	.events = FK_ALL_HARDWARE, .limits = &(of_limits), FK_CODES(of_codes), FK_FILES(of_files), \
	.model = &(of_model)

const struct fk_pmu fk_skylake_pmu = {
	.name = "cpu", PMU(skylake_limits, skylake_codes, skylake_files, skylake_model, 4)};
const struct fk_pmu fk_skylake_single_pmu = {
	.name = "cpu", PMU(skylake_single_limits, skylake_codes, skylake_files, skylake_model, 8)};
const struct fk_pmu fk_ice_lake_pmu = {
	.name = "cpu", PMU(ice_lake_limits, ice_lake_codes, ice_lake_files, ice_lake_model, 8)};
const struct fk_pmu fk_sapphire_rapids_pmu = {
	.name = "cpu",
	PMU(golden_cove_limits, golden_cove_codes, golden_cove_files, sapphire_rapids_model, 8)};
const struct fk_pmu fk_granite_rapids_pmu = {
	.name = "cpu",
	PMU(redwood_cove_limits, golden_cove_codes, golden_cove_files, granite_rapids_model, 8)};
const struct fk_pmu fk_zen4_pmu = {.name = "cpu",
				   PMU(zen_limits, zen_codes, zen_files, zen4_model, 6)};
const struct fk_pmu fk_zen5_pmu = {.name = "cpu",
				   PMU(zen_limits, zen_codes, zen_files, zen5_model, 6)};

/* They have no PMU of PERF_TYPE_RAW. */
#define ARM_PMU(of_files, of_model)                                                      \
	{                                                                                \
		.name = "armv8_pmuv3_0", .type = 8, .last_cpu = FK_LAST_CPU, .slots = 6, \
		.events = FK_ALL_HARDWARE, .limits = &arm_limits, FK_CODES(arm_codes),   \
		FK_FILES(of_files), .model = &(of_model)                                 \
	}
const struct fk_pmu fk_n2_pmu = ARM_PMU(n2_files, n2_model);
const struct fk_pmu fk_v2_pmu = ARM_PMU(v2_files, v2_model);

const struct fk_pmu fk_alder_lake_pmus[2] = {
	{
		.name = "cpu_core",
		.type = PERF_TYPE_RAW,
		.last_cpu = 3,
		.slots = 8,
		.events = FK_ALL_HARDWARE,
		.limits = &golden_cove_limits,
		FK_CODES(golden_cove_codes),
		FK_FILES(golden_cove_files),
		.model = &alder_lake_model,
		.threads_per_core = 2,
	},
	{
		.name = "cpu_atom",
		.type = 10,
		.first_cpu = 4,
		.last_cpu = 7,
		.slots = 6,
		.events = FK_ALL_HARDWARE,
		.limits = &gracemont_limits,
		FK_CODES(gracemont_codes),
		FK_FILES(gracemont_files),
		.model = &alder_lake_model,
		.threads_per_core = 1,
	},
};
