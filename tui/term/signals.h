// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SIGNALS_H
#define PMCTOP_SIGNALS_H

#include <stdbool.h>

/*
 * Signals as numbers that the program looks at when it likes; and the ones that kill, which give
 * the terminal back first (term_restore.h). What was ignored at the start (nohup) stays ignored. A
 * handler can only reach file scope, so all is there: one at a time.
 */

/*
 * Those that ask for the end (signals_handle_ends), WINCH TSTP CONT and CHLD come from
 * signals_next; the descriptor that is returned, or -errno, is readable then. Whoever asks for the
 * end finds the terminal free: what it has not taken of the screen by then is thrown away. Where it
 * is not given back within 4 s, or all is not over 60 s later, the process exits with 1.
 *
 * QUIT and what a crash sends give the terminal back, then do what they do by default.
 */
int signals_open(void);
void signals_close(int fd);

/* One that came, those that ask for the end first; 0 where none did. Does not block. */
int signals_next(int fd);
bool signals_is_end(int number);

/* Stops this process as ^Z does; returns when it goes on. */
void signals_stop(void);

/*
 * Stops this process, as whoever wants the terminal from the background is stopped, until the
 * terminal on standard output is ours. False where it will not be: the end was asked for meanwhile.
 */
bool signals_await_terminal(void);

/* Installs a handler, with flags of sigaction(2), where the default action is in force. */
void signals_handle(int number, void (*handler)(int), int flags);
/* The default action again, where that handler is the one. */
void signals_unhandle(int number, void (*handler)(int));
/* The same for all that end a process by default and are no crash: INT TERM HUP USR1 XCPU ... */
void signals_handle_ends(void (*handler)(int), int flags);
void signals_unhandle_ends(void (*handler)(int));

#endif
