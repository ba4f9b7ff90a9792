// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SIGNALS_H
#define PMCTOP_SIGNALS_H

/*
 * Signals as bytes in a pipe, so that the program looks at them when it likes; and the ones that
 * kill, which give the terminal back first. What was ignored at the start (nohup) stays ignored.
 * The one mutable word of tui/ is in here.
 */

/*
 * INT TERM HUP QUIT WINCH TSTP CONT arrive in the pipe whose reading end is returned, or -errno.
 * SEGV BUS FPE ILL ABRT call `emergency` and then do what they do by default. One at a time.
 */
int signals_open(void);
void signals_close(int fd);

/* The next signal that came, 0 where none did. Does not block. */
int signals_next(int fd);

/* Stops this process as ^Z does; returns when it goes on. */
void signals_stop(void);

#endif
