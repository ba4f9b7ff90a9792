// SPDX-License-Identifier: MIT
#ifndef PMCTOP_THREAD_H
#define PMCTOP_THREAD_H

#include "core/base/util.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Bytes of stack that are enough for each thread, the main one included. pmctop's own functions
 * need less than 220 KiB in the deepest calls (gcc -fcallgraph-info=su, function pointers
 * included). A formula with METRIC_NESTED_MAX parentheses needs 140 KiB. The rest is for the
 * libraries: ncurses reads the description of a terminal with 110 KiB. -Wframe-larger-than
 * (Makefile) bounds each function.
 */
enum { THREAD_STACK_BYTES = (SANITIZED ? 4096 : 512) * 1024 };

/*
 * Starts a thread with THREAD_STACK_BYTES of stack, whatever the limit of the main thread's (ulimit
 * -s). It blocks all signals except signals of a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT):
 * the thread that owns the terminal handles signals. 0 or -errno.
 */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

/*
 * Reads a file of a thread of this process, /proc/self/task/TID/NAME, and ends it with a 0. Such a
 * file answers at once. Returns its bytes, or -errno: -EACCES if root owns the files of this
 * process, because its program has file capabilities. `text` is "" then.
 */
ssize_t thread_read_file(pid_t tid, const char *name, char *text, size_t size);

#endif
