// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LINK_WATCH_H
#define PMCTOP_LINK_WATCH_H

#include <sys/types.h>

/* How long each side waits for the other's next dot, and how often dots are sent. */
enum { LINK_PATIENCE_MS = 30000, LINK_DOT_MS = 10000 };

/*
 * The host's side of the connection. `alive` is the reading end of the shell's pipe (a FIFO that
 * does not block; owned from then on). The shell has it open as long as it runs, and writes what
 * arrives from the other machine:
 *
 *	.  dot    the link works
 *	i  or t   SIGINT or SIGTERM ended the run there, and this process gets it
 *
 * Sends SIGIO to this process when the shell has ended, and when dots came but none has for
 * patience_ms: then SIGHUP ends the shell, too, because sshd may take long to notice a silent link.
 * Before the first dot nothing is expected: an older pmctop sends none. Returns 0 or -errno.
 */
int link_watch_start(int alive, pid_t shell, int patience_ms);

#endif
