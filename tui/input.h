// SPDX-License-Identifier: MIT
#ifndef PMCTOP_INPUT_H
#define PMCTOP_INPUT_H

#include <stdbool.h>

/*
 * Keys of keymap.h from an open term. Alt-x comes as ESC x within ESCDELAY; an ESC alone is Esc.
 */
struct input {
	int fd;         /* term_input_fd */
	unsigned empty; /* times in a row that the descriptor was readable without a byte */
};

enum {
	INPUT_NONE = 0,
	INPUT_RESIZED = -1, /* ncurses noticed by itself */
};

/* The next key; INPUT_NONE where there is none. Call until then whenever fd polls readable. */
int input_next(struct input *input);

/* Whether poll's revents for fd say that the terminal is gone, with no key that could be read. */
bool input_hung_up(struct input *input, short revents, unsigned keys_read);

#endif
