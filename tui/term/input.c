// SPDX-License-Identifier: MIT
/*
 * An ESC is the Esc key or the beginning of a sequence. Only time distinguishes them, so a sequence
 * that is incomplete after ESCDELAY ms is final. Reads never block longer than that.
 */
#include "tui/term/input.h"

#include "core/base/util.h"
#include "tui/term/keymap.h"
#include "tui/term/terminfo.h"
#include "tui/term/variables.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PATIENCE_MS = 25, /* enough for a slow line, not noticeable */
	PATIENCE_MAX_MS = 1000,
	DOUBLE_CLICK_MS = 400,
	READS_MAX = 16, /* reads in a row without a key; then the caller continues */
};

static void add_terminfo_key(struct input *input, const char *capability, int key)
{
	const char *bytes = terminfo_string(capability);

	if (!bytes || !bytes[0] || input->decoder.n_strings == ARRAY_SIZE(input->strings))
		return;
	input->strings[input->decoder.n_strings++] = (struct decode_string){bytes, key};
}

static void add_terminfo_keys(struct input *input)
{
	static const struct {
		const char *capability;
		int key;
	} keys[] = {
		{"kcuu1", KEYMAP_UP},     {"kcud1", KEYMAP_DOWN},     {"kcub1", KEYMAP_LEFT},
		{"kcuf1", KEYMAP_RIGHT},  {"kpp", KEYMAP_PAGE_UP},    {"knp", KEYMAP_PAGE_DOWN},
		{"khome", KEYMAP_HOME},   {"kfnd", KEYMAP_HOME},      {"kend", KEYMAP_END},
		{"kslt", KEYMAP_END},     {"kcbt", KEYMAP_SHIFT_TAB}, {"kbs", KEYMAP_BACKSPACE},
		{"kdch1", KEYMAP_DELETE}, {"kent", KEYMAP_ENTER},
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		add_terminfo_key(input, keys[i].capability, keys[i].key);
	for (int i = 1; i <= KEYMAP_F12 - KEYMAP_F0; i++) {
		char capability[8];

		snprintf(capability, sizeof(capability), "kf%d", i);
		add_terminfo_key(input, capability, KEYMAP_F0 + i);
	}
}

void input_init(struct input *input, int fd)
{
	const char *delay = variable_value(VARIABLE_ESCDELAY);
	long ms = delay ? strtol(delay, NULL, 10) : 0;

	*input = (struct input){.fd = fd, .patience_ms = PATIENCE_MS};
	if (ms > 0)
		input->patience_ms = ms < PATIENCE_MAX_MS ? (int)ms : PATIENCE_MAX_MS;
	input->decoder.strings = input->strings;
	add_terminfo_keys(input);
}

/* Returns false if nothing arrived in time. A terminal that hung up reads as end of file. */
static bool read_more(struct input *input, int patience_ms)
{
	struct pollfd in = {.fd = input->fd, .events = POLLIN};

	if (input->gone || poll(&in, 1, patience_ms) <= 0) {
		if (input->silent_ns == 0)
			input->silent_ns = monotonic_ns();
		return false;
	}
	/* Only then, as pmctop may have been slow to read. */
	if (input->silent_ns && monotonic_ns() - input->silent_ns >= INPUT_PASTE_NS)
		input->decoder.pasting = false;
	input->silent_ns = 0;

	ssize_t got = read(input->fd, input->bytes + input->n, sizeof(input->bytes) - input->n);

	if (got > 0)
		input->n += (size_t)got;
	else if (got == 0 || (errno != EINTR && errno != EAGAIN))
		input->gone = true;
	return got > 0;
}

/*
 * Turns a second click at the same place into a double click. A third one is a single click again.
 */
static void detect_double_click(struct input *input, struct decoded *event)
{
	uint64_t now = monotonic_ns();
	bool again = input->last.key == INPUT_CLICK && input->last.x == event->x &&
		     input->last.y == event->y &&
		     now - input->last_ns < DOUBLE_CLICK_MS * NS_PER_MS;

	if (again)
		event->key = INPUT_DOUBLE_CLICK;
	input->last = *event;
	input->last_ns = now;
}

bool input_next(struct input *input, struct decoded *event)
{
	bool final = false;

	for (unsigned reads = 0;;) {
		size_t used = decode(&input->decoder, input->bytes, input->n, final, event);

		input->n -= used;
		memmove(input->bytes, input->bytes + used, input->n);
		if (event->key == INPUT_CLICK)
			detect_double_click(input, event);
		if (event->key != INPUT_NONE)
			return true;
		if (used > 0) {
			final = false;
			continue;
		}
		bool pending = input->n > 0 || input->decoder.skip != DECODE_SKIP_NONE;
		if (reads++ < READS_MAX && read_more(input, pending ? input->patience_ms : 0))
			continue;
		if (!pending)
			return false;
		if (input->n == 0) { /* the end of the skipped sequence will not come */
			input->decoder.skip = DECODE_SKIP_NONE;
			return false;
		}
		final = true;
	}
}
