// SPDX-License-Identifier: MIT
#include "tests/fake_kernel/machines.h"

#include "core/base/util.h"

#define STALLED (FK_BIT(FK_STALLED_FRONTEND) | FK_BIT(FK_STALLED_BACKEND))
#define LLC     (FK_BIT(FK_LLC_LOADS) | FK_BIT(FK_LLC_LOAD_MISSES))
#define L1_MISS (FK_BIT(FK_L1D_LOAD_MISSES) | FK_BIT(FK_L1I_LOAD_MISSES))

#define INTEL_EVENTS (FK_ALL_HARDWARE & ~STALLED)
#define INTEL_FIXED  (FK_BIT(FK_CYCLES) | FK_BIT(FK_INSTRUCTIONS) | FK_BIT(FK_REF_CYCLES))
#define AMD_EVENTS   (FK_ALL_HARDWARE & ~(LLC | FK_BIT(FK_BUS_CYCLES) | FK_BIT(FK_STALLED_BACKEND)))
#define ARM_EVENTS   (FK_ALL_HARDWARE & ~(FK_BIT(FK_BRANCHES) | FK_BIT(FK_REF_CYCLES)))

static const struct fk_file_entry intel_files[] = {
	{"format/event", "config:0-7"},        {"format/umask", "config:8-15"},
	{"format/edge", "config:18"},          {"format/inv", "config:23"},
	{"format/cmask", "config:24-31"},      {"events/cpu-cycles", "event=0x3c"},
	{"events/instructions", "event=0xc0"},
};

/* Ice Lake counts these without a general counter if slots (a fixed counter) leads the group. */
static const struct fk_file_entry server_files[] = {
	{"format/event", "config:0-7"},
	{"format/umask", "config:8-15"},
	{"format/edge", "config:18"},
	{"format/inv", "config:23"},
	{"format/cmask", "config:24-31"},
	{"events/cpu-cycles", "event=0x3c"},
	{"events/instructions", "event=0xc0"},
	{"events/slots", "event=0x00,umask=0x4"},
	{"events/topdown-retiring", "event=0x00,umask=0x80"},
	{"events/topdown-bad-spec", "event=0x00,umask=0x81"},
	{"events/topdown-fe-bound", "event=0x00,umask=0x82"},
	{"events/topdown-be-bound", "event=0x00,umask=0x83"},
};

static const struct fk_file_entry amd_files[] = {
	{"format/event", "config:0-7,32-35"},  {"format/umask", "config:8-15"},
	{"format/edge", "config:18"},          {"format/inv", "config:23"},
	{"format/cmask", "config:24-31"},      {"events/cpu-cycles", "event=0x76"},
	{"events/instructions", "event=0xc0"},
};

static const struct fk_file_entry arm_files[] = {
	{"format/event", "config:0-15"},
	{"format/long", "config1:0"},
	{"events/cpu_cycles", "event=0x0011"},
	{"events/inst_retired", "event=0x0008"},
};

static const struct fk_file_entry msr_files[] = {{"format/event", "config:0-63"}};
static const struct fk_file_entry byte_files[] = {{"format/event", "config:0-7"}};

static const struct fk_device_event msr_events[] = {
	{.name = "tsc", .config = 0, .rate = {2, 1}},
	{.name = "smi", .config = 4, .rate = {1, 1000000000}},
};

/* 2^-32 J each; 20 W and 5 W. */
#define RAPL_SCALE "2.3283064365386962890625e-10"
static const struct fk_device_event power_events[] = {
	{"energy-cores", 1, {21475, 1000}, RAPL_SCALE, "Joules"},
	{"energy-pkg", 2, {85899, 1000}, RAPL_SCALE, "Joules"},
};

/* Lines of 64 bytes; 1.28 GB/s and half of it. */
#define LINE_SCALE "6.103515625e-5"
static const struct fk_device_event imc_events[] = {
	{"data_reads", 1, {2, 100}, LINE_SCALE, "MiB"},
	{"data_writes", 2, {1, 100}, LINE_SCALE, "MiB"},
};

/* Lines of 64 bytes as well; 11.5 GB/s and 5.1 GB/s. */
static const struct fk_device_event cas_events[] = {
	{"cas_count_read", 1, {180, 1000}, LINE_SCALE, "MiB"},
	{"cas_count_write", 2, {80, 1000}, LINE_SCALE, "MiB"},
};

static const struct fk_device msr = {
	.name = "msr",
	.type = 9,
	.of_cpus = true,
	.events = msr_events,
	.n_events = ARRAY_SIZE(msr_events),
	.files = msr_files,
	.n_files = ARRAY_SIZE(msr_files),
};

static const struct fk_device power = {
	.name = "power",
	.type = 12,
	.events = power_events,
	.n_events = ARRAY_SIZE(power_events),
	.files = byte_files,
	.n_files = ARRAY_SIZE(byte_files),
};

static const struct fk_device imc = {
	.name = "uncore_imc",
	.type = 13,
	.events = imc_events,
	.n_events = ARRAY_SIZE(imc_events),
	.files = byte_files,
	.n_files = ARRAY_SIZE(byte_files),
};

static const struct fk_device imc_0 = {
	.name = "uncore_imc_free_running_0",
	.type = 13,
	.events = imc_events,
	.n_events = ARRAY_SIZE(imc_events),
	.files = byte_files,
	.n_files = ARRAY_SIZE(byte_files),
};

static const struct fk_device imc_1 = {
	.name = "uncore_imc_free_running_1",
	.type = 14,
	.events = imc_events,
	.n_events = ARRAY_SIZE(imc_events),
	.files = byte_files,
	.n_files = ARRAY_SIZE(byte_files),
};

/* The same on each of two sockets of 32 CPUs. */
static const struct fk_device server_power = {
	.name = "power",
	.type = 12,
	.socket_cpus = 32,
	.events = power_events,
	.n_events = ARRAY_SIZE(power_events),
	.files = byte_files,
	.n_files = ARRAY_SIZE(byte_files),
};

static const struct fk_device server_imc = {
	.name = "uncore_imc_0",
	.type = 13,
	.socket_cpus = 32,
	.events = cas_events,
	.n_events = ARRAY_SIZE(cas_events),
	.files = byte_files,
	.n_files = ARRAY_SIZE(byte_files),
};

static const struct fk_device *const intel_devices[] = {&msr, &power, &imc};
static const struct fk_device *const amd_devices[] = {&msr, &power};
static const struct fk_device *const server_devices[] = {&msr, &server_power, &server_imc};
static const struct fk_device *const hybrid_devices[] = {&msr, &power, &imc_0, &imc_1};

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
	.files = intel_files,
	.n_files = ARRAY_SIZE(intel_files),
	.model = &skylake,
};

const struct fk_config fk_machine_intel = {.cpus = 4,
					   .pmus = &intel_pmu,
					   .n_pmus = 1,
					   .devices = intel_devices,
					   .n_devices = ARRAY_SIZE(intel_devices)};

static const struct fk_model ice_lake = {
	.vendor = "GenuineIntel",
	.name = "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz",
	.family = 6,
	.model = 106,
	.stepping = 6,
};

static const struct fk_pmu server_pmu = {
	.name = "cpu",
	.type = PERF_TYPE_RAW,
	.last_cpu = FK_LAST_CPU,
	.slots = 8,
	.events = INTEL_EVENTS,
	.fixed = INTEL_FIXED,
	.only_fixed = FK_BIT(FK_REF_CYCLES),
	.files = server_files,
	.n_files = ARRAY_SIZE(server_files),
	.model = &ice_lake,
};

const struct fk_config fk_machine_server = {.cpus = 64,
					    .pmus = &server_pmu,
					    .n_pmus = 1,
					    .devices = server_devices,
					    .n_devices = ARRAY_SIZE(server_devices),
					    .fd_limit = 65536};

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
	.files = amd_files,
	.n_files = ARRAY_SIZE(amd_files),
	.model = &raphael,
};

const struct fk_config fk_machine_zen = {.cpus = 4,
					 .pmus = &zen_pmu,
					 .n_pmus = 1,
					 .devices = amd_devices,
					 .n_devices = ARRAY_SIZE(amd_devices)};

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
	.files = arm_files,
	.n_files = ARRAY_SIZE(arm_files),
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
		.files = intel_files,
		.n_files = ARRAY_SIZE(intel_files),
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
		.files = intel_files,
		.n_files = ARRAY_SIZE(intel_files),
		.model = &alder_lake,
	},
};

const struct fk_config fk_machine_hybrid = {.cpus = 4,
					    .pmus = hybrid_pmus,
					    .n_pmus = ARRAY_SIZE(hybrid_pmus),
					    .devices = hybrid_devices,
					    .n_devices = ARRAY_SIZE(hybrid_devices)};

static const struct fk_device *const guest_devices[] = {&msr};

const struct fk_config fk_machine_guest = {
	.cpus = 2,
	.no_pmu = true,
	.devices = guest_devices,
	.n_devices = ARRAY_SIZE(guest_devices),
};
