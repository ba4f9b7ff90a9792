// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HIDEPID_H
#define PMCTOP_HIDEPID_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>

/* The option hidepid of the mount of /proc; "" if it has none or that is unknown. */
void hidepid_read(const struct sys *sys, char *value, size_t size);

/* Whether that value hides processes, from processes without CAP_SYS_PTRACE. */
bool hidepid_hides(const char *value);

/* Whether processes, even the first, are hidden from the caller. */
bool hidepid_hides_here(const struct sys *sys);

#endif
