// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PFM_START_H
#define PMCTOP_PFM_START_H

#include <stdbool.h>

/*
 * Initialises libpfm4 at the first call. False if it cannot be used:
 * - A file that it reads is empty or unreadable (/proc/mounts). Up to 4.13 it then writes to NULL
 *   (pfmlib_getl).
 * - It has no codes of perf_event_open, as versions after 4.13 without /sys. They refuse every name
 *   as one of a PMU that the kernel does not offer.
 */
bool pfm_start(void);

#endif
