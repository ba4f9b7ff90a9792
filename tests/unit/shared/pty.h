// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_PTY_H
#define PMCTOP_TESTS_PTY_H

/* A pseudo terminal as standard input and output, and copies of the former ones. */
struct pty {
	int master, input, output;
};

void pty_open(struct pty *pty);
/* Restores standard input and output. */
void pty_close(struct pty *pty);

#endif
