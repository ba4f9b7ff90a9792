// SPDX-License-Identifier: MIT
#ifndef PMCTOP_MACHINE_READER_H
#define PMCTOP_MACHINE_READER_H

#include "core/snapshot/snapshot_machine.h"
#include "core/sys/interrupts.h"
#include "core/sys/pressure.h"
#include "core/sys/proc_machine.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads what struct snapshot_machine has: /proc/loadavg and the number of processes at each cut,
 * and /proc/stat, meminfo and pressure at most once a second. Those count in ticks of 10 ms, and a
 * large machine needs milliseconds to make /proc/stat: they take at most 0.5 % of a CPU. Between
 * two readings the values stay. A file that is absent or broken leaves its values unknown.
 * /proc/interrupts and softirqs are read only while a CPU spends MACHINE_INTERRUPT_PERCENT of its
 * time there.
 */
struct machine_reader {
	const struct sys *sys; /* borrowed */
	unsigned threads;      /* of the machine, as of the last reading; 0: unknown */
	struct proc_links links;
	struct snapshot_machine machine;
	/* The last reading, and the CLOCK_MONOTONIC time from which the next one is due. */
	uint64_t read_ns, due_ns;
	struct proc_cpus cpus; /* n 0: unknown */
	struct pressure pressures[PRESSURE_RESOURCES];
	struct interrupts interrupts[INTERRUPTS_KINDS]; /* of the CPUs in machine.interrupts */
};

/* Begins the first interval. */
void machine_reader_init(struct machine_reader *reader, const struct sys *sys);
void machine_reader_fini(struct machine_reader *reader); /* zeroed is fine */
/* Ends an interval. Returns whether the values of MACHINE_CPU_PRESSURE and below are new. */
bool machine_reader_cut(struct machine_reader *reader);

#endif
