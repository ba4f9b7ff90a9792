// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SYMBOL_CHILD_H
#define PMCTOP_SYMBOL_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The child process as a process: its start, its end, its socket. symbol_message.h defines what is
 * sent.
 */
struct symbol_child {
	pid_t pid;  /* 0: none */
	int pidfd;  /* -1: none, or the kernel has no pidfds */
	int socket; /* -1: none */
};

/*
 * Starts the program at `executable` (NULL: this one, which needs /proc) with the name
 * SYMBOL_WORKER_NAME, its descriptor SYMBOL_SOCKET, no other one, no environment, and without
 * rights (symbol_sandbox_drop()). Blocks until the exec. An exec that fails sends
 * SYMBOL_FAILED_START. 0 or -errno.
 */
int symbol_child_start(struct symbol_child *child, const char *executable);

/* Closes the socket and kills the process. */
void symbol_child_kill(struct symbol_child *child);
/*
 * Whether there is no process, or it has ended: then its pid is 0, and the socket has its last
 * messages. *wait_status is that of wait(2), or unchanged if other code of this program has read
 * it.
 */
bool symbol_child_ended(struct symbol_child *child, int *wait_status);
/* Closes what is open. A process that has not ended is left. */
void symbol_child_close(struct symbol_child *child);

#endif
