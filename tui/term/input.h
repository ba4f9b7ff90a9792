// SPDX-License-Identifier: MIT
#ifndef PMCTOP_INPUT_H
#define PMCTOP_INPUT_H

#include "tui/term/decode.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Keys and clicks from an open term. Alt-x comes as ESC x within ESCDELAY ms (of the environment,
 * as ncurses has it); an ESC alone is Esc.
 */
struct input {
	int fd;
	int patience_ms; /* how long the rest of a sequence is waited for */
	bool gone;       /* the terminal has hung up */
	struct decoder decoder;
	struct decode_string strings[40]; /* the terminal's own, as terminfo tells */
	char bytes[512];                  /* read, not decoded yet */
	size_t n;
	struct decoded last; /* click, and when it was */
	uint64_t last_ns;
};

enum {
	INPUT_NONE = DECODE_NOTHING,
	INPUT_CLICK = DECODE_CLICK,
	INPUT_WHEEL_UP = DECODE_WHEEL_UP,
	INPUT_WHEEL_DOWN = DECODE_WHEEL_DOWN,
	INPUT_DOUBLE_CLICK, /* the second at the same place within a moment, after INPUT_CLICK */
};

/* Of term_input_fd, while the term is open. */
void input_init(struct input *input, int fd);

/*
 * The next key of keymap.h, or what the mouse did; false where there is none. Call until then
 * whenever fd polls readable. It never waits longer than for the rest of a sequence.
 */
bool input_next(struct input *input, struct decoded *event);

#endif
