// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SIGNALS_H
#define PMCTOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * Signals as numbers that the main loop reads, and handlers of fatal signals, which restore the
 * terminal first (term_restore.h). Signals ignored at the start (nohup) stay ignored. All state is
 * at file scope, as signal handlers need it: use it once at a time.
 */

/*
 * Returns a descriptor that is readable when signals_next() has a signal, or -errno. Signals are
 * WINCH, TSTP, CONT, CHLD and the signals of signals_handle_ends(). The latter also discard output
 * that the terminal does not take.
 *
 * QUIT and signals of a crash restore the terminal, then have their default effect.
 */
int signals_open(void);
void signals_close(int fd);

/* Returns the next signal; 0: none. Signals that end the program come first. Does not block. */
int signals_next(int fd);
bool signals_is_end(int number);
/* The signals of signals_handle_ends() as a set. */
void signals_ends(sigset_t *ends);

/* Stops this process as ^Z does; returns when it continues. */
void signals_stop(void);

/*
 * Stops this process, as a background process is stopped, until the terminal on standard output is
 * its own. Returns false if it is not: a signal requested the end meanwhile.
 */
bool signals_await_terminal(void);

/* Installs a handler, with flags of sigaction(2), if the default action is in force. */
void signals_handle(int number, void (*handler)(int), int flags);
/* Restores the default action, if that handler is installed. */
void signals_unhandle(int number, void (*handler)(int));
/*
 * The same for all signals that end a process by default without a crash: INT TERM HUP USR1 XCPU
 * ...
 */
void signals_handle_ends(void (*handler)(int), int flags);
void signals_unhandle_ends(void (*handler)(int));

#endif
