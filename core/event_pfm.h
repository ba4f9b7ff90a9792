// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_PFM_H
#define PMCTOP_EVENT_PFM_H

#include "error.h"

#include <linux/perf_event.h>

/*
 * libpfm4's names: the kernel's generic ones ("cycles", "branch-misses") before the native ones of
 * this CPU, with :u and :k. Fills attr (type, config*, exclude_*, size). -ENOENT and a sentence
 * for a name that it does not know. Not thread-safe, as libpfm4 is not.
 */
int event_pfm_resolve(const char *name, struct perf_event_attr *attr, struct error *err);

#endif
