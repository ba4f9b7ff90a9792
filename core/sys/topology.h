// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TOPOLOGY_H
#define PMCTOP_TOPOLOGY_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Where CPUs are: in which socket (physical package) and NUMA node, as /sys/devices/system/cpu
 * says. The kernel tells it of online CPUs alone, so each is asked for when it is seen online, and
 * what was known of one that went offline stays.
 */
struct topology_cpu {
	bool online; /* when it was last asked for */
	int socket;  /* -1 where the kernel does not say */
	int node;
};

struct topology {
	const struct sys *sys;
	struct topology_cpu *cpus; /* by number */
	size_t n, capacity;
};

void topology_init(struct topology *topology, const struct sys *sys);
void topology_fini(struct topology *topology);

/* Where one is, -1 where that is not known; of a machine elsewhere. */
void topology_set(struct topology *topology, int cpu, int socket, int node);

/* cpu >= 0. Reads files only for one that has come online. */
struct topology_cpu topology_find(struct topology *topology, int cpu, bool online);

#endif
