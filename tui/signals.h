// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SIGNALS_H
#define PMCTOP_SIGNALS_H

/*
 * Signals as bytes in a pipe, so that the program looks at them when it likes; and the ones that
 * kill, which give the terminal back first. What was ignored at the start (nohup) stays ignored.
 * A handler can only reach file scope, so the pipe is there: one at a time.
 */

/*
 * INT TERM HUP WINCH TSTP CONT CHLD arrive in the pipe whose reading end is returned, or -errno.
 * After INT, TERM or HUP the process exits with 1 if signals_close has not come within 4 s. QUIT
 * SEGV BUS FPE ILL ABRT call term_emergency, then do what they do by default.
 */
int signals_open(void);
void signals_close(int fd);

/* The next signal that came, 0 where none did. Does not block. */
int signals_next(int fd);

/* Stops this process as ^Z does; returns when it goes on. */
void signals_stop(void);

/* Installs a handler, with flags of sigaction(2), where the default action is in force. */
void signals_handle(int number, void (*handler)(int), int flags);
/* The default action again, where that handler is the one. */
void signals_unhandle(int number, void (*handler)(int));

#endif
