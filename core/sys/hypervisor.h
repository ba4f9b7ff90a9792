// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HYPERVISOR_H
#define PMCTOP_HYPERVISOR_H

#include "core/sys/sys.h"

#include <stdbool.h>

/*
 * The hypervisor of a virtual machine, from the flags of /proc/cpuinfo, DMI and the device tree.
 * The remedy is for the administrator of the host.
 */
struct hypervisor {
	bool present;
	const char *name;   /* "QEMU", or "unknown" */
	const char *remedy; /* how the machine gets a PMU; NULL: not possible */
};

void hypervisor_read(const struct sys *sys, struct hypervisor *hypervisor);

#endif
