// SPDX-License-Identifier: MIT
/*
 * An array by CPU number, which grows when a CPU with a higher number comes online.
 */
#include "core/sys/topology.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

void topology_init(struct topology *topology, const struct sys *sys)
{
	*topology = (struct topology){.sys = sys};
}

void topology_fini(struct topology *topology)
{
	free(topology->cpus);
	*topology = (struct topology){0};
}

/* The directory of a CPU has a link "nodeN". */
static int find_node(void *arg, const char *name)
{
	int *node = arg, number, length = 0;

	if (sscanf(name, "node%d%n", &number, &length) != 1 || name[length] || number < 0)
		return 0;
	*node = number;
	return 1;
}

static void read_cpu(const struct sys *sys, int cpu, struct topology_cpu *found)
{
	char path[96];
	long socket;
	int node = -1;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
		 cpu);
	if (proc_number(sys, path, &socket) == 0 && socket >= 0 && socket <= INT_MAX)
		found->socket = (int)socket;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
	sys_dir_each(sys, path, find_node, &node);
	if (node >= 0)
		found->node = node;
}

static struct topology_cpu *find_cpu(struct topology *topology, int cpu)
{
	size_t want = (size_t)cpu + 1;

	topology->cpus =
		array_reserve(topology->cpus, &topology->capacity, want, sizeof(*topology->cpus));
	while (topology->n < want)
		topology->cpus[topology->n++] = (struct topology_cpu){.socket = -1, .node = -1};
	return &topology->cpus[cpu];
}

void topology_set(struct topology *topology, int cpu, int socket, int node)
{
	struct topology_cpu *found = find_cpu(topology, cpu);

	found->socket = socket;
	found->node = node;
}

struct topology_cpu topology_find(struct topology *topology, int cpu, bool online)
{
	struct topology_cpu *found = find_cpu(topology, cpu);

	if (online && !found->online)
		read_cpu(topology->sys, cpu, found);
	found->online = online;
	return *found;
}
