// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_LIMITED_PMUS_H
#define PMCTOP_FAKE_KERNEL_LIMITED_PMUS_H

#include "tests/fake_kernel/fake_kernel.h"

/* The core PMUs of limited_machines.h, on all CPUs; the two of Alder Lake on CPUs 0-3 and 4-7. */
extern const struct fk_pmu fk_skylake_pmu;
extern const struct fk_pmu fk_skylake_single_pmu;
extern const struct fk_pmu fk_ice_lake_pmu;
extern const struct fk_pmu fk_sapphire_rapids_pmu;
extern const struct fk_pmu fk_granite_rapids_pmu;
extern const struct fk_pmu fk_zen4_pmu;
extern const struct fk_pmu fk_zen5_pmu;
extern const struct fk_pmu fk_n2_pmu;
extern const struct fk_pmu fk_v2_pmu;
extern const struct fk_pmu fk_alder_lake_pmus[2];

#endif
