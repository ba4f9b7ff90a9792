// SPDX-License-Identifier: MIT
#include "core/snapshot/snapshot_machine.h"

#include <string.h>

const struct machine_value_def machine_value_defs[MACHINE_VALUES] = {
	[MACHINE_LOAD_1M] = {"load_1m"},
	[MACHINE_LOAD_5M] = {"load_5m"},
	[MACHINE_LOAD_15M] = {"load_15m"},
	[MACHINE_RUNNABLE] = {"runnable"},
	[MACHINE_CPUS] = {"cpus"},
	[MACHINE_MEMORY] = {"memory_bytes"},
	[MACHINE_MEMORY_AVAILABLE] = {"memory_available_bytes"},
	[MACHINE_SWAP] = {"swap_bytes"},
	[MACHINE_SWAP_FREE] = {"swap_free_bytes"},
	[MACHINE_CPU_PRESSURE] = {"cpu_pressure_percent", true},
	[MACHINE_IO_PRESSURE] = {"io_pressure_percent", true},
	[MACHINE_IO_PRESSURE_FULL] = {"io_pressure_full_percent", true},
	[MACHINE_MEMORY_PRESSURE] = {"memory_pressure_percent", true},
	[MACHINE_MEMORY_PRESSURE_FULL] = {"memory_pressure_full_percent", true},
	[MACHINE_STEAL] = {"steal_percent", true},
	[MACHINE_IOWAIT] = {"iowait_percent", true},
	[MACHINE_FORKS] = {"forks_per_s", true},
	[MACHINE_PROCESSES] = {"processes"},
	[MACHINE_THREADS] = {"threads"},
	[MACHINE_MEMORY_CACHE] = {"memory_cache_bytes"},
	[MACHINE_ZOMBIES] = {"zombies"},
};

void machine_set(struct snapshot_machine *machine, enum machine_value which, double value)
{
	machine->known[which] = value >= 0 && value <= MACHINE_VALUE_MOST;
	machine->values[which] = machine->known[which] ? value : 0;
}

bool machine_is_known(const struct snapshot_machine *machine)
{
	bool known = false;

	for (size_t i = 0; i < MACHINE_VALUES; i++)
		known |= machine->known[i];
	return known;
}

void machine_merge(struct snapshot_machine *sum, uint64_t sum_ns,
		   const struct snapshot_machine *next, uint64_t next_ns)
{
	double all_ns = (double)sum_ns + (double)next_ns;

	for (size_t i = 0; i < MACHINE_VALUES; i++) {
		if (!next->known[i])
			continue;
		if (sum->known[i] && machine_value_defs[i].mean && all_ns > 0)
			sum->values[i] = (sum->values[i] * (double)sum_ns +
					  next->values[i] * (double)next_ns) /
					 all_ns;
		else
			sum->values[i] = next->values[i];
		sum->known[i] = true;
	}
	memcpy(sum->interrupts, next->interrupts, sizeof(sum->interrupts));
	sum->n_interrupts = next->n_interrupts;
}
