// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_MACHINES_H
#define PMCTOP_FAKE_KERNEL_MACHINES_H

#include "tests/fake_kernel/fake_kernel.h"

/*
 * Common machines, for fk_new(&fk_machine_zen). Copy one to change it; `cpus` of machines with one
 * PMU can be any number. Events without a code in Linux for that machine do not exist. All cache
 *events are reads. Each has one socket, the server two. x86 machines have the devices "msr" (tsc,
 *smi) and "power" (energy-cores, energy-pkg). Intel's have memory controllers too: "uncore_imc", or
 * "uncore_imc_free_running_0" and "_1" (data_reads, data_writes), and on the server "uncore_imc_0"
 * (cas_count_read, cas_count_write). The server has the top-down events.
 *
 *	            CPUs  general  fixed                         does not exist
 *	intel       4     4        cycles instructions ref       stalled-*
 *	server      64    8        cycles instructions ref       stalled-*
 *	zen         4     6        -                             LLC-*, bus-cycles, stalled-backend
 *	neoverse    4     6        cycles                        branches, ref-cycles
 *	hybrid 0-1  2     6        cycles instructions ref       stalled-*
 *	       2-3  2     6        cycles instructions ref       stalled-*, L1*-misses
 */
extern const struct fk_config fk_machine_intel;    /* Skylake, with hyperthreading */
extern const struct fk_config fk_machine_server;   /* Ice Lake */
extern const struct fk_config fk_machine_zen;      /* Zen 4 */
extern const struct fk_config fk_machine_neoverse; /* N1 */
extern const struct fk_config fk_machine_hybrid;   /* Alder Lake: cpu_core, cpu_atom */
/* A virtual machine on Intel without counters; it has "msr" only. */
extern const struct fk_config fk_machine_guest;

#endif
