// SPDX-License-Identifier: MIT
/* A few boxes of each uncore PMU and a few CPUs are enough. Formats are from Linux 6.12. */
#include "tests/fake_kernel/limited_machines.h"

#include "tests/fake_kernel/limited_pmus.h"
#include "tests/fake_kernel/machine_parts.h"

enum { CPUS = 8, SOCKET_CPUS = 4 };

#define EVENT_FORMAT                          \
	{"format/event", "config:0-7"},       \
	{                                     \
		"format/umask", "config:8-15" \
	}
#define UNCORE_FORMAT                                              \
	{"format/edge", "config:18"}, {"format/inv", "config:23"}, \
	{                                                          \
		"format/thresh", "config:24-31"                    \
	}
static const struct fk_file_entry box_files[] = {EVENT_FORMAT, UNCORE_FORMAT};
static const struct fk_file_entry skylake_cha_files[] = {
	EVENT_FORMAT,
	UNCORE_FORMAT,
	{"format/tid_en", "config:19"},
	{"format/filter_tid", "config1:0-8"},
	{"format/filter_state", "config1:17-26"},
	{"format/filter_rem", "config1:32"},
	{"format/filter_loc", "config1:33"},
	{"format/filter_all_op", "config1:35"},
	{"format/filter_nm", "config1:36"},
	{"format/filter_not_nm", "config1:37"},
	{"format/filter_opc0", "config1:41-50"},
	{"format/filter_opc1", "config1:51-60"},
	{"format/filter_nc", "config1:62"},
	{"format/filter_isoc", "config1:63"},
};
static const struct fk_file_entry cha_files[] = {
	{"format/event", "config:0-7"}, {"format/umask", "config:8-15,32-57"}, UNCORE_FORMAT,
	{"format/tid_en", "config:16"}, {"format/filter_tid", "config1:0-9"},
};
static const struct fk_file_entry upi_files[] = {
	{"format/event", "config:0-7"},
	{"format/umask", "config:8-15,32-55"},
	UNCORE_FORMAT,
};
static const struct fk_file_entry iio_files[] = {
	EVENT_FORMAT,
	{"format/edge", "config:18"},
	{"format/inv", "config:23"},
	{"format/thresh", "config:24-35"},
	{"format/ch_mask", "config:36-43"},
	{"format/fc_mask", "config:44-46"},
};
static const struct fk_file_entry l3_files[] = {
	EVENT_FORMAT,
	{"format/coreid", "config:42-44"},
	{"format/enallslices", "config:46"},
	{"format/enallcores", "config:47"},
	{"format/sliceid", "config:48-50"},
	{"format/threadmask", "config:56-57"},
};
static const struct fk_file_entry df_files[] = {
	{"format/event", "config:0-7,32-37"},
	{"format/umask", "config:8-15,24-27"},
};

/* 2^-32 J each; 20 W. */
static const struct fk_device_event power_events[] = {
	{"energy-pkg", 2, {85899, 1000}, "2.3283064365386962890625e-10", "Joules"},
};

static const struct fk_device power = {.name = "power",
				       .type = 12,
				       .socket_cpus = SOCKET_CPUS,
				       FK_EVENTS(power_events),
				       FK_FILES(fk_byte_files)};

#define BOX(variable, in_sysfs, number, its_files) \
	static const struct fk_device variable = { \
		.name = in_sysfs,                  \
		.type = number,                    \
		.socket_cpus = SOCKET_CPUS,        \
		.seed = number,                    \
		.files = its_files,                \
		.n_files = ARRAY_SIZE(its_files),  \
	}
BOX(skylake_cha_0, "uncore_cha_0", 20, skylake_cha_files);
BOX(skylake_cha_1, "uncore_cha_1", 21, skylake_cha_files);
BOX(cha_0, "uncore_cha_0", 20, cha_files);
BOX(cha_1, "uncore_cha_1", 21, cha_files);
BOX(imc_0, "uncore_imc_0", 22, box_files);
BOX(imc_1, "uncore_imc_1", 23, box_files);
BOX(upi_0, "uncore_upi_0", 24, upi_files);
BOX(iio_0, "uncore_iio_0", 25, iio_files);
BOX(iio_1, "uncore_iio_1", 26, iio_files);
BOX(amd_l3, "amd_l3", 27, l3_files);
BOX(amd_df, "amd_df", 28, df_files);

static const struct fk_device client_imc_0 = {
	.name = "uncore_imc_free_running_0", .type = 29, .seed = 29, FK_FILES(box_files)};

static const struct fk_device client_imc_1 = {
	.name = "uncore_imc_free_running_1", .type = 30, .seed = 30, FK_FILES(box_files)};

static const struct fk_device *const skylake_devices[] = {
	&fk_msr, &power, &skylake_cha_0, &skylake_cha_1, &imc_0, &imc_1, &upi_0, &iio_0, &iio_1};
static const struct fk_device *const server_devices[] = {&fk_msr, &power, &cha_0, &cha_1,
							 &imc_0,  &imc_1, &upi_0};
static const struct fk_device *const alder_lake_devices[] = {&fk_msr, &client_imc_0, &client_imc_1};
static const struct fk_device *const zen_devices[] = {&fk_msr, &power, &amd_l3, &amd_df};

/* 2 GHz; only x86 has it. */
#define TSC .tsc_mult = 1 << 23, .tsc_shift = 24
#define MACHINE(of_pmus, how_many, threads, of_socket)                                  \
	.cpus = CPUS, .pmus = of_pmus, .n_pmus = how_many, .threads_per_core = threads, \
	.socket_cpus = of_socket, .fd_limit = 65536, TSC
const struct fk_config fk_skylake_sp = {MACHINE(&fk_skylake_pmu, 1, 2, SOCKET_CPUS),
					FK_DEVICES(skylake_devices)};
const struct fk_config fk_skylake_sp_single = {MACHINE(&fk_skylake_single_pmu, 1, 1, SOCKET_CPUS),
					       FK_DEVICES(skylake_devices)};
const struct fk_config fk_ice_lake_sp = {MACHINE(&fk_ice_lake_pmu, 1, 2, SOCKET_CPUS),
					 FK_DEVICES(server_devices)};
const struct fk_config fk_sapphire_rapids = {MACHINE(&fk_sapphire_rapids_pmu, 1, 2, SOCKET_CPUS),
					     FK_DEVICES(server_devices)};
const struct fk_config fk_granite_rapids = {MACHINE(&fk_granite_rapids_pmu, 1, 2, SOCKET_CPUS),
					    FK_DEVICES(server_devices)};
const struct fk_config fk_alder_lake = {MACHINE(fk_alder_lake_pmus, 2, 2, CPUS),
					FK_DEVICES(alder_lake_devices)};
const struct fk_config fk_zen4 = {MACHINE(&fk_zen4_pmu, 1, 2, SOCKET_CPUS),
				  FK_DEVICES(zen_devices)};
const struct fk_config fk_zen5 = {MACHINE(&fk_zen5_pmu, 1, 2, SOCKET_CPUS),
				  FK_DEVICES(zen_devices)};
const struct fk_config fk_neoverse_n2 = {MACHINE(&fk_n2_pmu, 1, 1, CPUS)};
const struct fk_config fk_neoverse_v2 = {MACHINE(&fk_v2_pmu, 1, 1, CPUS)};
