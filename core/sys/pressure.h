// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PRESSURE_H
#define PMCTOP_PRESSURE_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Pressure stall information (PSI): how long tasks of the machine or of a cgroup waited for a
 * resource. Format: Documentation/accounting/psi.rst. All users can read these files.
 */
enum pressure_resource {
	PRESSURE_CPU,
	PRESSURE_IO,
	PRESSURE_MEMORY,
	PRESSURE_RESOURCES,
};

struct pressure_line {
	bool known;
	double avg10;      /* share of the last 10 s, 0..1 */
	uint64_t total_us; /* since boot, or since the cgroup was made */
};

struct pressure {
	struct pressure_line some; /* at least one task waited */
	struct pressure_line full; /* all tasks waited. Of the CPU: from 5.13, of the machine 0 */
};

/* 0 if one of the lines is known, else -EBADMSG. */
int pressure_parse(const char *text, struct pressure *pressure);
/*
 * cgroup: NULL for the machine, or the directory of a cgroup of version 2. 0 or -errno: -ENOENT or
 * -EOPNOTSUPP where PSI is off, -ENOENT also for a removed cgroup.
 */
int pressure_read(const struct sys *sys, const char *cgroup, enum pressure_resource resource,
		  struct pressure *pressure);

#endif
