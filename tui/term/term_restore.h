// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TERM_RESTORE_H
#define PMCTOP_TERM_RESTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/*
 * Restores the terminal on standard output from signal handlers. All functions except
 * term_restore_arm() are async-signal-safe and do not wait for the terminal. The state is at file
 * scope, as signal handlers need it, so there is one: for one terminal at a time.
 */

/*
 * To be called when the terminal is taken. `before`: its line settings until then; `strings`: what
 * restores it, from terminfo (NULL is skipped).
 */
void term_restore_arm(const struct termios *before, const char *const *strings, size_t n);
/* To be called when the terminal has been restored. */
void term_restore_disarm(void);
bool term_restore_is_armed(void);

/* Restores the terminal if armed. May be called from another thread than the drawing one. */
void term_restore(void);

/*
 * If the terminal takes no output (^S, a dead link): resumes output and discards what was not sent,
 * so that a blocked write returns.
 */
void term_restore_unfreeze(void);

/* Whether this process is in the foreground of the terminal. */
bool term_restore_is_ours(void);

#endif
