// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_GHZ_H
#define PMCTOP_CPU_GHZ_H

#include "core/snapshot/snapshot.h"

/*
 * How fast a CPU (socket, node) ran while it was busy, as the metric ghz has it, also where that is
 * no column: cycles are counted for nearly every preset.
 */

/* Whether it can be told: of both privilege levels, and not as a column of its own. */
bool cpu_ghz_is_known(const struct columns *columns);
/* NOT_COUNTED where the CPU was not heard of. */
struct figure cpu_ghz(const struct columns *columns, const struct snapshot_cpu *cpu);

#endif
