// SPDX-License-Identifier: MIT
#ifndef PMCTOP_INTERRUPTS_H
#define PMCTOP_INTERRUPTS_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * /proc/interrupts and /proc/softirqs, readable for all users: how often each interrupt came on
 * some CPUs. On large machines the files are long (1,000 CPUs and 2,000 lines: 22 MB) and slow to
 * read. A reading keeps at most INTERRUPT_LINES_MAX lines of at most INTERRUPT_CPUS_MAX CPUs, less
 * than 1 MiB.
 */
enum {
	INTERRUPT_CPUS_MAX = 16,
	INTERRUPT_LINES_MAX = 4096,
	INTERRUPT_BYTES_MAX = 64 << 20, /* of the file */
};

enum interrupts_kind {
	INTERRUPTS_HARD,
	INTERRUPTS_SOFT,
	INTERRUPTS_KINDS,
};

struct interrupt {
	char id[16]; /* "38", "LOC", "NET_RX" */
	/*
	 * The device of a number ("virtio3-input.0"; "irq 38": no device), else the kernel's
	 * description ("Local timer interrupts") or the id. Any bytes but a newline.
	 */
	char name[48];
	uint64_t counts[INTERRUPT_CPUS_MAX]; /* since boot, as kept in 32 bits */
};

struct interrupts {
	int cpus[INTERRUPT_CPUS_MAX]; /* requested ones that are online */
	size_t n_cpus;
	struct interrupt *lines; /* owned */
	size_t n, capacity;
};

/* Parses the counts of these CPUs; those behind the first INTERRUPT_CPUS_MAX are left out. */
void interrupts_parse(const char *text, const int *cpus, size_t n_cpus,
		      struct interrupts *interrupts);
/*
 * 0 or -errno; -EFBIG above INTERRUPT_BYTES_MAX. The caller calls interrupts_fini() in both cases.
 */
int interrupts_read(const struct sys *sys, enum interrupts_kind kind, const int *cpus,
		    size_t n_cpus, struct interrupts *interrupts);
void interrupts_fini(struct interrupts *interrupts);

/*
 * Finds the interrupt that came most often on a CPU between two readings: a line of `now`. NULL if
 * none came, or one of the readings does not have the CPU. *times: how often.
 */
const struct interrupt *interrupts_most(const struct interrupts *before,
					const struct interrupts *now, int cpu, uint64_t *times);

#endif
