// SPDX-License-Identifier: MIT
#include "tests/fake_kernel/machines.h"

#include "tests/fake_kernel/machine_parts.h"

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
const struct fk_file_entry fk_byte_files[1] = {{"format/event", "config:0-7"}};

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

const struct fk_device fk_msr = {
	.name = "msr", .type = 9, .of_cpus = true, FK_EVENTS(msr_events), FK_FILES(msr_files)};

#define DEVICE(in_sysfs, number, its_events) \
	.name = in_sysfs, .type = number, FK_EVENTS(its_events), FK_FILES(fk_byte_files)
static const struct fk_device power = {DEVICE("power", 12, power_events)};
static const struct fk_device imc = {DEVICE("uncore_imc", 13, imc_events)};
static const struct fk_device imc_0 = {DEVICE("uncore_imc_free_running_0", 13, imc_events)};
static const struct fk_device imc_1 = {DEVICE("uncore_imc_free_running_1", 14, imc_events)};
/* The same on each of two sockets of 32 CPUs. */
static const struct fk_device server_power = {DEVICE("power", 12, power_events), .socket_cpus = 32};
static const struct fk_device server_imc = {DEVICE("uncore_imc_0", 13, cas_events),
					    .socket_cpus = 32};

static const struct fk_device *const intel_devices[] = {&fk_msr, &power, &imc};
static const struct fk_device *const amd_devices[] = {&fk_msr, &power};
static const struct fk_device *const server_devices[] = {&fk_msr, &server_power, &server_imc};
static const struct fk_device *const hybrid_devices[] = {&fk_msr, &power, &imc_0, &imc_1};

static const struct fk_model skylake = FK_INTEL(94, 3, "Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz");
static const struct fk_model ice_lake =
	FK_INTEL(106, 6, "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz");
static const struct fk_model alder_lake = FK_INTEL(151, 2, "12th Gen Intel(R) Core(TM) i7-12700K");
static const struct fk_model raphael = FK_AMD(0x19, 0x61, 2, "AMD Ryzen 9 7950X 16-Core Processor");
static const struct fk_model neoverse_n1 = {
	.implementer = 0x41, .variant = 3, .part = 0xd0c, .revision = 1};

#define INTEL_PMU(in_sysfs, number, counters, its_events, its_files, its_model)         \
	.name = in_sysfs, .type = number, .slots = counters, .events = its_events,      \
	.fixed = INTEL_FIXED, .only_fixed = FK_BIT(FK_REF_CYCLES), FK_FILES(its_files), \
	.model = &(its_model)
static const struct fk_pmu intel_pmu = {
	INTEL_PMU("cpu", PERF_TYPE_RAW, 4, INTEL_EVENTS, intel_files, skylake),
	.last_cpu = FK_LAST_CPU};
static const struct fk_pmu server_pmu = {
	INTEL_PMU("cpu", PERF_TYPE_RAW, 8, INTEL_EVENTS, server_files, ice_lake),
	.last_cpu = FK_LAST_CPU};
static const struct fk_pmu hybrid_pmus[] = {
	{INTEL_PMU("cpu_core", PERF_TYPE_RAW, 6, INTEL_EVENTS, intel_files, alder_lake),
	 .last_cpu = 1},
	{INTEL_PMU("cpu_atom", 10, 6, INTEL_EVENTS & ~L1_MISS, intel_files, alder_lake),
	 .first_cpu = 2, .last_cpu = 3},
};

const struct fk_config fk_machine_intel = {
	.cpus = 4, .pmus = &intel_pmu, .n_pmus = 1, FK_DEVICES(intel_devices)};

const struct fk_config fk_machine_server = {.cpus = 64,
					    .pmus = &server_pmu,
					    .n_pmus = 1,
					    FK_DEVICES(server_devices),
					    .fd_limit = 65536};

static const struct fk_code amd_codes[] = {{0x76, FK_CYCLES}, {0xc0, FK_INSTRUCTIONS}};

static const struct fk_pmu zen_pmu = {.name = "cpu",
				      .type = PERF_TYPE_RAW,
				      .last_cpu = FK_LAST_CPU,
				      .slots = 6,
				      .events = AMD_EVENTS,
				      FK_CODES(amd_codes),
				      FK_FILES(amd_files),
				      .model = &raphael};

const struct fk_config fk_machine_zen = {
	.cpus = 4, .pmus = &zen_pmu, .n_pmus = 1, FK_DEVICES(amd_devices)};

static const struct fk_code arm_codes[] = {{0x11, FK_CYCLES}, {0x08, FK_INSTRUCTIONS}};

static const struct fk_pmu neoverse_pmu = {.name = "armv8_pmuv3_0",
					   .type = 8,
					   .last_cpu = FK_LAST_CPU,
					   .slots = 6,
					   .events = ARM_EVENTS,
					   .fixed = FK_BIT(FK_CYCLES),
					   FK_CODES(arm_codes),
					   FK_FILES(arm_files),
					   .model = &neoverse_n1};

const struct fk_config fk_machine_neoverse = {.cpus = 4, .pmus = &neoverse_pmu, .n_pmus = 1};

const struct fk_config fk_machine_hybrid = {.cpus = 4,
					    .pmus = hybrid_pmus,
					    .n_pmus = ARRAY_SIZE(hybrid_pmus),
					    FK_DEVICES(hybrid_devices)};

static const struct fk_device *const guest_devices[] = {&fk_msr};

const struct fk_config fk_machine_guest = {.cpus = 2, .no_pmu = true, FK_DEVICES(guest_devices)};
