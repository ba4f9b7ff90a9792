// SPDX-License-Identifier: MIT
#include "machines.h"

#include "core/util.h"

#define STALLED (FK_BIT(FK_STALLED_FRONTEND) | FK_BIT(FK_STALLED_BACKEND))
#define LLC     (FK_BIT(FK_LLC_LOADS) | FK_BIT(FK_LLC_LOAD_MISSES))
#define L1_MISS (FK_BIT(FK_L1D_LOAD_MISSES) | FK_BIT(FK_L1I_LOAD_MISSES))

#define INTEL_EVENTS (FK_ALL_HARDWARE & ~STALLED)
#define INTEL_FIXED  (FK_BIT(FK_CYCLES) | FK_BIT(FK_INSTRUCTIONS) | FK_BIT(FK_REF_CYCLES))
#define AMD_EVENTS   (FK_ALL_HARDWARE & ~(LLC | FK_BIT(FK_BUS_CYCLES) | FK_BIT(FK_STALLED_BACKEND)))
#define ARM_EVENTS   (FK_ALL_HARDWARE & ~(FK_BIT(FK_BRANCHES) | FK_BIT(FK_REF_CYCLES)))

static const struct fk_model skylake = {
	.vendor = "GenuineIntel",
	.name = "Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
	.family = 6,
	.model = 94,
	.stepping = 3,
};

static const struct fk_pmu intel_pmu = {
	.name = "cpu",
	.type = PERF_TYPE_RAW,
	.last_cpu = FK_LAST_CPU,
	.slots = 4,
	.events = INTEL_EVENTS,
	.fixed = INTEL_FIXED,
	.only_fixed = FK_BIT(FK_REF_CYCLES),
	.model = &skylake,
};

const struct fk_config fk_machine_intel = {.cpus = 4, .pmus = &intel_pmu, .n_pmus = 1};

static const struct fk_model raphael = {
	.vendor = "AuthenticAMD",
	.name = "AMD Ryzen 9 7950X 16-Core Processor",
	.family = 0x19,
	.model = 0x61,
	.stepping = 2,
};

static const struct fk_code amd_codes[] = {{0x76, FK_CYCLES}, {0xc0, FK_INSTRUCTIONS}};

static const struct fk_pmu zen_pmu = {
	.name = "cpu",
	.type = PERF_TYPE_RAW,
	.last_cpu = FK_LAST_CPU,
	.slots = 6,
	.events = AMD_EVENTS,
	.codes = amd_codes,
	.n_codes = ARRAY_SIZE(amd_codes),
	.model = &raphael,
};

const struct fk_config fk_machine_zen = {.cpus = 4, .pmus = &zen_pmu, .n_pmus = 1};

static const struct fk_model neoverse_n1 = {
	.implementer = 0x41, .variant = 3, .part = 0xd0c, .revision = 1};

static const struct fk_code arm_codes[] = {{0x11, FK_CYCLES}, {0x08, FK_INSTRUCTIONS}};

static const struct fk_pmu neoverse_pmu = {
	.name = "armv8_pmuv3_0",
	.type = 8,
	.last_cpu = FK_LAST_CPU,
	.slots = 6,
	.events = ARM_EVENTS,
	.fixed = FK_BIT(FK_CYCLES),
	.codes = arm_codes,
	.n_codes = ARRAY_SIZE(arm_codes),
	.model = &neoverse_n1,
};

const struct fk_config fk_machine_neoverse = {.cpus = 4, .pmus = &neoverse_pmu, .n_pmus = 1};

static const struct fk_model alder_lake = {
	.vendor = "GenuineIntel",
	.name = "12th Gen Intel(R) Core(TM) i7-12700K",
	.family = 6,
	.model = 151,
	.stepping = 2,
};

static const struct fk_pmu hybrid_pmus[] = {
	{
		.name = "cpu_core",
		.type = PERF_TYPE_RAW,
		.first_cpu = 0,
		.last_cpu = 1,
		.slots = 6,
		.events = INTEL_EVENTS,
		.fixed = INTEL_FIXED,
		.only_fixed = FK_BIT(FK_REF_CYCLES),
		.model = &alder_lake,
	},
	{
		.name = "cpu_atom",
		.type = 10,
		.first_cpu = 2,
		.last_cpu = 3,
		.slots = 6,
		.events = INTEL_EVENTS & ~L1_MISS,
		.fixed = INTEL_FIXED,
		.only_fixed = FK_BIT(FK_REF_CYCLES),
		.model = &alder_lake,
	},
};

const struct fk_config fk_machine_hybrid = {
	.cpus = 4, .pmus = hybrid_pmus, .n_pmus = ARRAY_SIZE(hybrid_pmus)};
