// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HYPERVISOR_H
#define PMCTOP_HYPERVISOR_H

#include "core/sys/sys.h"

#include <stdbool.h>

/*
 * Whether this machine is a virtual one, and whose: from the flags of /proc/cpuinfo, DMI, and the
 * device tree. How its counters are switched on is for its owner to do, outside.
 */
struct hypervisor {
	bool present;
	const char *name;   /* "QEMU", or "unknown" */
	const char *remedy; /* what gives it a PMU; NULL: nothing does */
};

void hypervisor_read(const struct sys *sys, struct hypervisor *hypervisor);

#endif
