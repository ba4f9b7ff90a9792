// SPDX-License-Identifier: MIT
#ifndef PMCTOP_THREAD_H
#define PMCTOP_THREAD_H

#include <pthread.h>

/*
 * Starts a thread that blocks all signals but those of a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL,
 * SIGABRT): the thread that owns the terminal handles signals. 0 or -errno.
 */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
