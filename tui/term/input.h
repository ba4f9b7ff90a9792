// SPDX-License-Identifier: MIT
#ifndef PMCTOP_INPUT_H
#define PMCTOP_INPUT_H

#include "core/base/util.h"
#include "tui/term/decode.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Keys and clicks from an open term. ESC x within ESCDELAY ms (environment, as in ncurses) is
 * Alt-x; a single ESC is Esc. A paste whose end does not come ends after INPUT_PASTE_NS without
 * bytes.
 */
#define INPUT_PASTE_NS (500 * NS_PER_MS)

struct input {
	int fd;
	int patience_ms; /* time to wait for the rest of a sequence, in ms */
	bool gone;       /* the terminal has hung up */
	struct decoder decoder;
	struct decode_string strings[40]; /* the keys of this terminal's terminfo entry */
	char bytes[512];                  /* bytes not decoded yet */
	size_t n;
	struct decoded last; /* the last click, and its time */
	uint64_t last_ns;
	uint64_t silent_ns; /* of a paste: since when no byte has come; 0: there may be some */
};

enum {
	INPUT_NONE = DECODE_NOTHING,
	INPUT_CLICK = DECODE_CLICK,
	INPUT_WHEEL_UP = DECODE_WHEEL_UP,
	INPUT_WHEEL_DOWN = DECODE_WHEEL_DOWN,
	INPUT_MODE = DECODE_MODE,     /* for term_set_mode() */
	INPUT_STATUS = DECODE_STATUS, /* for term_set_shown() */
	INPUT_PASTE = DECODE_PASTE,
	INPUT_PASTE_END = DECODE_PASTE_END,
	INPUT_DOUBLE_CLICK, /* a second click at the same place within 400 ms, after INPUT_CLICK */
};

/* fd: of term_input_fd(). The term must be open: terminfo is read. */
void input_init(struct input *input, int fd);

/*
 * Sets *event to the next key or mouse event. Returns false if there is none. Call it until then
 * whenever fd is readable. It waits at most for the rest of a sequence.
 */
bool input_next(struct input *input, struct decoded *event);

#endif
