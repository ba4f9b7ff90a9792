// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_LIMITED_MACHINES_H
#define PMCTOP_FAKE_KERNEL_LIMITED_MACHINES_H

#include "tests/fake_kernel/fake_kernel.h"

/*
 * Machines whose PMUs have the counters, registers and formats of their CPUs in Linux, small: eight
 * CPUs. The servers have four on each of two sockets. Their raw events have rates of their own if
 * the task has a seed, events of the uncore always.
 *
 *	                   general  fixed  cores                    uncore, for each socket
 *	skylake_sp         4        3      2 threads                cha imc upi iio
 *	skylake_sp_single  8        3      1 thread                 the same
 *	ice_lake_sp        8        4      2 threads, 4 metrics     cha imc upi
 *	sapphire_rapids    8        4      2 threads, 8 metrics     cha imc upi
 *	granite_rapids     8        4      2 threads, 8 metrics     cha imc upi
 *	alder_lake 0-3     8        4      2 threads, 8 metrics     imc_free_running
 *	           4-7     6        3
 *	zen4, zen5         6        -      2 threads                amd_l3 amd_df
 *	neoverse_n2, v2    6        1
 */
extern const struct fk_config fk_skylake_sp;
extern const struct fk_config fk_skylake_sp_single;
extern const struct fk_config fk_ice_lake_sp;
extern const struct fk_config fk_sapphire_rapids;
extern const struct fk_config fk_granite_rapids;
extern const struct fk_config fk_alder_lake;
extern const struct fk_config fk_zen4;
extern const struct fk_config fk_zen5;
extern const struct fk_config fk_neoverse_n2;
extern const struct fk_config fk_neoverse_v2;

#endif
