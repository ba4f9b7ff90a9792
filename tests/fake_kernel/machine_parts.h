// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_MACHINE_PARTS_H
#define PMCTOP_FAKE_KERNEL_MACHINE_PARTS_H

#include "core/base/util.h"
#include "tests/fake_kernel/fake_kernel.h"

/* What machines.c, limited_machines.c and limited_pmus.c share, and for these alone. */

/* Members that are an array and its length, of a device, a PMU or a machine. */
#define FK_FILES(list)   .files = list, .n_files = ARRAY_SIZE(list)
#define FK_EVENTS(list)  .events = list, .n_events = ARRAY_SIZE(list)
#define FK_CODES(list)   .codes = list, .n_codes = ARRAY_SIZE(list)
#define FK_DEVICES(list) .devices = list, .n_devices = ARRAY_SIZE(list)

#define FK_INTEL(number, step, text)                                                  \
	{                                                                             \
		.vendor = "GenuineIntel", .name = text, .family = 6, .model = number, \
		.stepping = step                                                      \
	}
#define FK_AMD(generation, number, step, text)                                                 \
	{                                                                                      \
		.vendor = "AuthenticAMD", .name = text, .family = generation, .model = number, \
		.stepping = step                                                               \
	}

/* Time stamps and SMIs, of each CPU. */
extern const struct fk_device fk_msr;
/* "format/event" in the lowest byte. */
extern const struct fk_file_entry fk_byte_files[1];

#endif
