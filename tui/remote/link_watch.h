// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LINK_WATCH_H
#define PMCTOP_LINK_WATCH_H

#include <sys/types.h>

/* Time that each side waits for a byte of the other, and between two dots. */
enum { LINK_PATIENCE_MS = 30000, LINK_DOT_MS = 10000 };

/*
 * The host's side of the connection. `alive` is the reading end of the shell's pipe, a FIFO that
 * does not block. The shell has it open as long as it runs, and writes what arrives from the other
 * machine:
 *
 *	.  dot    the link works
 *	i or t    pmctop on that machine got SIGINT or SIGTERM: it is sent to this process too
 */
struct host_link {
	int alive;   /* -1: an older version's shell has no such pipe */
	pid_t shell; /* 0: unknown */
	uid_t owner; /* user of the folder */
};

/*
 * Starts a thread that watches it until the process ends; rights_drop() must have been called. When
 * the shell has ended, this process gets SIGIO. After the first dot it also gets SIGIO if no byte
 * arrives for patience_ms. In that case the shell gets SIGHUP, because sshd may take long to notice
 * a silent link, but only if it is a process of `owner`. Before the first dot nothing is expected:
 * an older pmctop sends none. Returns 0 or -errno.
 */
int link_watch_start(const struct host_link *link, int patience_ms);

#endif
