// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LIMIT_H
#define PMCTOP_LIMIT_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/* What getrlimit(2) says of this process, as /proc/self/limits tells it. */
struct limit {
	bool known;
	uint64_t soft, hard; /* UINT64_MAX: none */
};

/* By the name that the file has for it: "Max open files". */
struct limit limit_read(const struct sys *sys, const char *name);

#endif
