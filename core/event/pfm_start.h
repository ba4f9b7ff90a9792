// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PFM_START_H
#define PMCTOP_PFM_START_H

#include <stdbool.h>

/*
 * Starts libpfm4, the first time; whether it can be used. Not where a file that it reads says
 * nothing (an empty /proc/mounts, a read that fails): up to 4.13 it then writes to NULL
 * (pfmlib_getl). Nor where it has no codes of perf_event_open, as versions after 4.13 without /sys:
 * they refuse every name as one that a PMU has and the kernel does not offer.
 */
bool pfm_start(void);

#endif
