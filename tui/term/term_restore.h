// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TERM_RESTORE_H
#define PMCTOP_TERM_RESTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/*
 * The terminal on standard output, from within signal handlers: all that is done here is
 * async-signal-safe, and waits for no terminal. What gives it back is made ready when it is taken.
 * A handler can only reach file scope, so it is there: one at a time.
 */

/*
 * The terminal has been taken: what its line was like before, and what is to be sent to it; of
 * that, terminfo's padding is left out.
 */
void term_restore_arm(const struct termios *before, const char *const *strings, size_t n);
/* It has been given back. */
void term_restore_disarm(void);
bool term_restore_is_armed(void);

/* Gives it back where it is armed; also out of another thread than draws. */
void term_restore(void);

/*
 * Where the terminal takes no more (^S, a link that is dead): goes on after a ^S, and throws away
 * what waits for a reader, so that a write that is stuck ends.
 */
void term_restore_unfreeze(void);

/* Whether it is ours to write to, and not in the hands of a shell that we were stopped by. */
bool term_restore_is_ours(void);

#endif
