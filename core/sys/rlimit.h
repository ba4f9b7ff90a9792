// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RLIMIT_H
#define PMCTOP_RLIMIT_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/* What getrlimit(2) says of this process, as /proc/self/limits tells it. */
struct resource_limit {
	bool known;
	uint64_t soft, hard; /* UINT64_MAX: none */
};

/* By the name that the file has for it: "Max open files". */
struct resource_limit rlimit_read(const struct sys *sys, const char *name);

#endif
