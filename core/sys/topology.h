// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TOPOLOGY_H
#define PMCTOP_TOPOLOGY_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The socket (physical package) and NUMA node of each CPU, from /sys/devices/system/cpu. The kernel
 * has them only for online CPUs. So a CPU is read when it comes online, and its values stay when it
 * goes offline.
 */
struct topology_cpu {
	bool online; /* at the last topology_find() */
	int socket;  /* -1: unknown */
	int node;    /* -1: unknown */
};

struct topology {
	const struct sys *sys;
	struct topology_cpu *cpus; /* by number */
	size_t n, capacity;
};

void topology_init(struct topology *topology, const struct sys *sys);
void topology_fini(struct topology *topology);

/* Sets a CPU of the machine of a recording; -1: unknown. */
void topology_set(struct topology *topology, int cpu, int socket, int node);

/* cpu >= 0. Reads files only if the CPU has come online. */
struct topology_cpu topology_find(struct topology *topology, int cpu, bool online);

#endif
