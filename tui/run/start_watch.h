// SPDX-License-Identifier: MIT
#ifndef PMCTOP_START_WATCH_H
#define PMCTOP_START_WATCH_H

/*
 * A thread that prints a sentence if a file that is read at the start does not answer: the
 * configuration, a theme. Later tui/run/ending.h watches. While the kernel waits for the answer,
 * the process stays, also after a signal.
 *
 * rights_drop() needs a process with one thread: call start_watch_free() before.
 */
struct start_watch;

/* `print` is called on the thread, at most once. NULL without a thread: then nothing is printed. */
struct start_watch *start_watch_new(void (*print)(const char *sentence));
/* Ends the thread. NULL is fine. */
void start_watch_free(struct start_watch *watch);

#endif
