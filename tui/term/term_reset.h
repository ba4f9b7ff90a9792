// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TERM_RESET_H
#define PMCTOP_TERM_RESET_H

#include <termios.h>

/*
 * Lets term_restore() do the same, but for the answers. To be called before the other program is
 * started.
 */
void term_reset_arm(const struct termios *before, const char *type);

/*
 * Restores the terminal on standard output after another program has left a screen on it: pmctop on
 * a host to which the connection broke. `before`: the line settings before it; `type`: $TERM. Sends
 * what term_close() would send. Drops the terminal's answers to that program's queries, which takes
 * 0.3 s if the terminal does not answer. Nothing if standard output is no terminal.
 */
void term_reset(const struct termios *before, const char *type);

#endif
