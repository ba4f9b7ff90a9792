// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HIDEPID_H
#define PMCTOP_HIDEPID_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>

/* The option hidepid of the mount that /proc is, "" without one, or where nothing tells. */
void hidepid_read(const struct sys *sys, char *value, size_t size);

/*
 * Whether one that hides anything is set. Whoever has CAP_SYS_PTRACE sees everybody all the same.
 */
bool hidepid_hides(const char *value);

/* Whether it hides processes from the caller: even the first one. */
bool hidepid_hides_here(const struct sys *sys);

#endif
