// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SNAPSHOT_MACHINE_H
#define PMCTOP_SNAPSHOT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The machine as a whole, whatever is counted: load, memory, pressure. The values are the kernel's,
 * from /proc. In a container the files of /proc may have the values of the host.
 *
 * Recordings have the values in this order: a new one is added at the end.
 */
enum machine_value {
	MACHINE_LOAD_1M, /* load average of 1 minute, of 5 and of 15 */
	MACHINE_LOAD_5M,
	MACHINE_LOAD_15M,
	MACHINE_RUNNABLE,         /* threads that run or wait for a CPU, without pmctop's */
	MACHINE_CPUS,             /* online */
	MACHINE_MEMORY,           /* bytes */
	MACHINE_MEMORY_AVAILABLE, /* bytes, without swapping; an estimate of the kernel */
	MACHINE_SWAP,             /* bytes; 0: no swap */
	MACHINE_SWAP_FREE,
	/* Percent of the time in which some tasks, or all that could run, waited for it. */
	MACHINE_CPU_PRESSURE,
	MACHINE_IO_PRESSURE,
	MACHINE_IO_PRESSURE_FULL,
	MACHINE_MEMORY_PRESSURE,
	MACHINE_MEMORY_PRESSURE_FULL,
	MACHINE_STEAL,  /* percent of CPU time, taken by a hypervisor */
	MACHINE_IOWAIT, /* percent of CPU time, idle while a task waited for I/O */
	MACHINE_FORKS,  /* processes and threads started per second */
	/* Of the machine; unknown in another pid namespace. */
	MACHINE_PROCESSES,
	MACHINE_THREADS,
	MACHINE_MEMORY_CACHE, /* bytes of the page cache and its like */
	MACHINE_ZOMBIES, /* processes that have ended and that their parents have not waited for */
	MACHINE_VALUES,
};

struct machine_value_def {
	const char *name; /* in json */
	bool mean;        /* of a time: a sum of intervals has the mean, else the last value */
};
extern const struct machine_value_def machine_value_defs[MACHINE_VALUES];

/* Of values from outside: from /proc and from recordings. */
#define MACHINE_VALUE_MOST 1e18

/* A CPU that spends much of its time in interrupts. */
struct machine_interrupt {
	int cpu;
	bool soft;      /* softirqs, else interrupts of devices and of the CPU itself */
	double percent; /* of the CPU's time */
	char name[48];  /* the most frequent one, printable: "NET_RX"; "": unknown */
};
enum {
	MACHINE_INTERRUPTS = 4,        /* the CPUs that spend most */
	MACHINE_INTERRUPT_PERCENT = 5, /* less is usual */
};

/* Zeroed: all values are unknown. */
struct snapshot_machine {
	double values[MACHINE_VALUES]; /* 0 to MACHINE_VALUE_MOST; 0 where unknown */
	bool known[MACHINE_VALUES];
	struct machine_interrupt interrupts[MACHINE_INTERRUPTS]; /* descending by percent */
	size_t n_interrupts;
};

/* Sets a value. One outside of 0 to MACHINE_VALUE_MOST is unknown. */
void machine_set(struct snapshot_machine *machine, enum machine_value which, double value);
bool machine_is_known(const struct snapshot_machine *machine);
/*
 * Adds the values of the next interval, of next_ns, to the values of the sum_ns before. If one of
 * the two is unknown the sum has the other. Interrupts are from the next interval.
 */
void machine_merge(struct snapshot_machine *sum, uint64_t sum_ns,
		   const struct snapshot_machine *next, uint64_t next_ns);

#endif
