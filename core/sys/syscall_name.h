// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SYSCALL_NAME_H
#define PMCTOP_SYSCALL_NAME_H

/*
 * The system calls in which tasks block, of the architecture that pmctop is built for. Other
 * calls, and calls of programs of another architecture (32-bit ones), have only a number.
 */
enum syscall_kind {
	SYSCALL_OTHER,
	SYSCALL_FILE, /* on a file, a pipe, a socket or a terminal */
	SYSCALL_LOCK, /* waits for the lock of a file */
	SYSCALL_FUTEX,
	/* waits for time, an event, a message, a semaphore, a connection, a child or a signal */
	SYSCALL_WAIT,
};

/* NULL: not in the table. */
const char *syscall_name(long number);
enum syscall_kind syscall_kind(long number);
/* The argument, from 0 on, that is a path. -1: none. */
int syscall_path(long number);

#endif
