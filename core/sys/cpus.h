// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPUS_H
#define PMCTOP_CPUS_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>

/* A list of CPU numbers, ascending. */
struct cpu_list {
	int *numbers;
	size_t n;
};

/* Parses the kernel's list format ("0-3,8"). 0, -EINVAL, or -ERANGE beyond CPUS_MAX. */
int cpu_list_parse(const char *text, struct cpu_list *list);
/* The list in that format. The caller frees it. */
char *cpu_list_text(const struct cpu_list *list);
void cpu_list_copy(struct cpu_list *copy, const struct cpu_list *list);
void cpu_list_fini(struct cpu_list *list);
bool cpu_list_has(const struct cpu_list *list, int cpu);

enum { CPUS_MAX = 8192 }; /* the maximum of CONFIG_NR_CPUS */

/* From /sys/devices/system/cpu/. 0 or -errno. */
int cpus_online(const struct sys *sys, struct cpu_list *list);
/* All CPUs that can come online; those online if that is unknown. 0 or -errno. */
int cpus_possible(const struct sys *sys, struct cpu_list *list);

/* Whether /sys is mounted. */
bool cpus_have_sysfs(const struct sys *sys);

#endif
