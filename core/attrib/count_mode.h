// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COUNT_MODE_H
#define PMCTOP_COUNT_MODE_H

/* How tasks are counted. */
enum count_mode {
	COUNT_MODE_SYSTEM, /* counters of whole CPUs, a record at every switch */
	COUNT_MODE_TASK,   /* counters of the user's own threads; /proc for the others */
	COUNT_MODE_PROC,   /* /proc alone */
};

/* Its name on the screen, in recordings, json and OpenMetrics: "system", "task", "proc". */
const char *count_mode_name(enum count_mode mode);
/* The mode of that name; COUNT_MODE_SYSTEM for an unknown one. */
enum count_mode count_mode_parse(const char *name);

#endif
