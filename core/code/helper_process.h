// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HELPER_PROCESS_H
#define PMCTOP_HELPER_PROCESS_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A process that does for pmctop what may hang or may be attacked: this program, executed under
 * another name. symbol_worker.h parses files, opener_worker.h opens them, user_worker.h runs
 * getent(1). This file has what they need: the start, the end, the socket, and for how long the
 * process has stood still.
 *
 * A process that hangs in a file cannot always be killed, so no function here waits for one. The
 * child of vfork(2) closes no descriptor before the exec, because closing a copy of a descriptor
 * may hang too. After the exec it closes all but its socket, in its own time.
 */
struct helper_process {
	pid_t pid;  /* 0: none */
	int pidfd;  /* -1: none, or the kernel has no pidfds */
	int socket; /* SOCK_SEQPACKET; -1: none */
};

#define HELPER_NONE_INIT                  \
	{                                 \
		.pidfd = -1, .socket = -1 \
	}
#define HELPER_NONE ((struct helper_process)HELPER_NONE_INIT)

/* The descriptor of the socket in the process. All others are closed. */
enum { HELPER_SOCKET = 0 };
enum { HELPER_SENT_MAX = 2 }; /* descriptors with a request */

/* The first message of each process. */
enum helper_hello_kind { HELPER_READY = 1, HELPER_FAILED };
struct helper_hello {
	uint32_t kind;
	/* READY: 1 if the process has a filter of system calls. FAILED: the errno of the start. */
	uint32_t n;
};

/*
 * Starts the program at `executable` (NULL: this one, which needs /proc) with the argv[0] `name`,
 * no environment and no_new_privs, in a session of its own. Of the caller's capabilities it has
 * those in `rights` (bits by number), if its file lends none; 0: none, nor the user or group that a
 * file has lent. Blocks until the exec. An exec that fails sends HELPER_FAILED. 0 or -errno.
 */
int helper_process_start(struct helper_process *process, const char *executable, const char *name,
			 uint64_t rights);

/*
 * The new process calls this first, and the functions up to helper_process_receive(). Returns
 * whether it was started with that name. Then the socket is HELPER_SOCKET, no other descriptor is
 * open, and no signal is blocked.
 */
bool helper_process_enter(int argc, char **argv, const char *name);
/* Its exit status. */
enum helper_status {
	HELPER_ENDED = 0,  /* at the end of the socket */
	HELPER_BROKEN = 2, /* a message was no request, or the start failed */
};
/* Sends a message. Ends the process if pmctop has ended. */
void helper_process_send(const void *bytes, size_t n);
void helper_process_hello(enum helper_hello_kind kind, uint32_t n);
/*
 * Waits for a request of at most `size` bytes. Returns its bytes, and the descriptors that came
 * with it in fds (-1: none). Ends the process at the end of the socket.
 */
size_t helper_process_receive(void *request, size_t size, int fds[HELPER_SENT_MAX]);

/* Closes the socket and kills the process. */
void helper_process_kill(struct helper_process *process);
/*
 * Whether there is no process, or it has ended: then its pid is 0, and the socket has its last
 * messages. *wait_status is set as by wait(2), or unchanged if other code of this program has read
 * it.
 */
bool helper_process_ended(struct helper_process *process, int *wait_status);
/* Closes what is open. A process that has not ended is left. */
void helper_process_close(struct helper_process *process);

#define HELPER_PAUSE_NS (100 * NS_PER_MS) /* before the second process */
/*
 * The time from which on the next process may start, after one that started at start_ns has ended:
 * each pause is twice as long, until a process lasts for a minute. *ends counts the others.
 */
uint64_t helper_process_resume_ns(unsigned *ends, uint64_t start_ns, uint64_t pause_ns);

/* What a process has done so far: it stands still as long as it does not change. */
struct helper_progress {
	uint64_t slices;   /* how often it got a CPU */
	uint64_t since_ns; /* CLOCK_MONOTONIC; 0: not looked at yet */
};
/*
 * Looks at the process, and returns for how long it has stood still, in ns. One that runs or waits
 * for a CPU does not stand still. One that /proc does not show stands still from the first look on.
 */
uint64_t helper_process_stands_ns(const struct helper_process *process, const struct sys *sys,
				  struct helper_progress *progress);

#endif
