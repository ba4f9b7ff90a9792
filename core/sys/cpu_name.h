// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_NAME_H
#define PMCTOP_CPU_NAME_H

#include "core/sys/sys.h"

#include <stddef.h>

/*
 * The name of the CPUs in /proc/cpuinfo: "Intel(R) Xeon(R) Processor", "Neoverse N1", "Cortex-A55
 * and Cortex-A76"; "" if unknown.
 */
void cpu_name_read(const struct sys *sys, char *text, size_t size);
/* The same from its text. Only complete lines count. */
void cpu_name_parse(const char *cpuinfo, char *text, size_t size);

#endif
