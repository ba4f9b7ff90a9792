// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CREDENTIALS_H
#define PMCTOP_CREDENTIALS_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The rights of this process in /proc/self/status. Capabilities hold in its user namespace. If that
 * is not the initial one (own_container.h), perf_event_open ignores them.
 */
struct credentials {
	bool known;            /* false: /proc has no status, and the rest has no meaning */
	uid_t uid;             /* effective */
	uint64_t capabilities; /* effective: 1 << CAP_... */
	unsigned seccomp;      /* 0: no, 1: strict, 2: filters */
	unsigned filters;      /* number of filters; 0: unknown */
	bool no_new_privs;     /* sudo and setcap have no effect */
};

void credentials_parse(const char *status, struct credentials *credentials);
void credentials_read(const struct sys *sys, struct credentials *credentials);

/* `capability` is of <linux/capability.h>. False if unknown. */
static inline bool credentials_have(const struct credentials *credentials, unsigned capability)
{
	return credentials->known && credentials->capabilities >> capability & 1;
}

#endif
