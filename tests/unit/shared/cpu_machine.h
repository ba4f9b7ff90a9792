// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_CPU_MACHINE_H
#define PMCTOP_TESTS_CPU_MACHINE_H

#include "tests/unit/shared/machine.h"

/*
 * A machine with CPUs of one kind (cpu_kind_id(): "GenuineIntel-6-55-4", "ARM-41-D49-0-0") and
 * these PMUs, which have the terms that Linux has for such. cpu_core has CPUs 0-1, cpu_atom 2-3.
 */
struct machine *cpu_machine_new(const char *id, const char *const *pmus, size_t n);
void cpu_machine_free(struct machine *machine);

#endif
