// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DECODE_H
#define PMCTOP_DECODE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * From the bytes that a terminal sends to keys of keymap.h and clicks. Pure: whoever reads the
 * bytes knows the time, and says when no more are to be expected. What is no key means nothing,
 * all of it: no letter of a terminal's answer, or of a sequence that is broken or not known here,
 * is ever taken for a key.
 */
enum {
	DECODE_NOTHING = 0,
	DECODE_CLICK = 0x110100, /* the left button went down; beyond keymap.h */
	DECODE_WHEEL_UP,
	DECODE_WHEEL_DOWN,
};

/* What this terminal sends for a key, where it says so itself. */
struct decode_string {
	const char *bytes;
	int key;
};

struct decoder {
	const struct decode_string *strings; /* borrowed */
	size_t n_strings;
	/* In the middle of a sequence of no use, whose end is awaited: CSI's or a string's. */
	enum { DECODE_SKIP_NONE, DECODE_SKIP_CONTROL, DECODE_SKIP_STRING } skip;
};

struct decoded {
	int key;       /* DECODE_NOTHING, a key of keymap.h, or one of the above */
	unsigned x, y; /* of the mouse, from 0 */
};

enum { DECODE_LONGEST = 64 }; /* bytes that must be handed over at once, where there are so many */

/*
 * The first of n bytes that came. Returns how many of them were used up; 0 where it takes more to
 * know, which is never so once `final` is set: nothing follows for now.
 */
size_t decode(struct decoder *decoder, const char *bytes, size_t n, bool final,
	      struct decoded *decoded);

#endif
