// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CREDENTIALS_H
#define PMCTOP_CREDENTIALS_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What the kernel holds this process to be allowed, as /proc/self/status tells. Capabilities are
 * those of its user namespace: where that is not the first one (container.h), perf_event_open
 * does not ask for them.
 */
struct credentials {
	bool known;            /* false: /proc does not tell, and nothing below means anything */
	uid_t uid;             /* effective */
	uint64_t capabilities; /* effective: 1 << CAP_... */
	unsigned seccomp;      /* 0: no, 1: strict, 2: filters */
	unsigned filters;      /* how many; 0: that is not known */
	bool no_new_privs;     /* sudo and setcap give nothing */
};

void credentials_parse(const char *status, struct credentials *credentials);
void credentials_read(const struct sys *sys, struct credentials *credentials);

/* Of <linux/capability.h>; false where it is not known. */
static inline bool credentials_have(const struct credentials *credentials, unsigned capability)
{
	return credentials->known && credentials->capabilities >> capability & 1;
}

#endif
