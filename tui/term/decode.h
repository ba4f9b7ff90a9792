// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DECODE_H
#define PMCTOP_DECODE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Decodes the bytes of a terminal into keys of key_table.h and clicks. Pure: the caller has the
 * clock and sets `final` when no more bytes are expected. A sequence that is broken or unknown is
 * dropped as a whole: no letter of it becomes a key.
 */
enum {
	DECODE_NOTHING = 0,
	DECODE_CLICK = 0x110100, /* left button pressed; numbers beyond key_table.h */
	DECODE_WHEEL_UP,
	DECODE_WHEEL_DOWN,
	DECODE_MODE,   /* the answer to DECRQM: x is the mode, y its state */
	DECODE_STATUS, /* the answer to DSR */
	DECODE_PASTE,  /* pasted text begins, which the terminal brackets */
	DECODE_PASTE_END,
};

/* A key's bytes, from terminfo. */
struct decode_string {
	const char *bytes;
	int key;
};

struct decoder {
	const struct decode_string *strings; /* borrowed */
	size_t n_strings;
	/* The kind of the sequence that is being skipped: control sequence or string. */
	enum { DECODE_SKIP_NONE, DECODE_SKIP_CONTROL, DECODE_SKIP_STRING } skip;
	bool pasting; /* what comes is pasted; the caller may end it */
};

struct decoded {
	int key;       /* DECODE_NOTHING, a key of key_table.h, or one of the above */
	unsigned x, y; /* position of the mouse, from 0, or what DECODE_MODE has */
	bool pasted;   /* the key is a character of pasted text, perhaps a control character */
};

enum { DECODE_LONGEST = 64 }; /* callers pass this many bytes at once, if they have them */

/*
 * Decodes the first event of n bytes. Returns how many bytes were consumed. 0: more bytes are
 * needed, which never happens if `final` is set.
 */
size_t decode(struct decoder *decoder, const char *bytes, size_t n, bool final,
	      struct decoded *decoded);

#endif
