// SPDX-License-Identifier: MIT
#ifndef PMCTOP_THREAD_H
#define PMCTOP_THREAD_H

#include <pthread.h>

/*
 * Starts a thread that no signal is handled on, SIGPIPE neither, but those of a crash right there:
 * signals belong to the thread that owns the terminal. 0 or -errno.
 */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
