// SPDX-License-Identifier: MIT
/*
 * The broken connection may have cut a sequence, so CAN ends it first. An update that was begun
 * (mode 2026) is ended. The title is not restored: it is not known whether the old one was saved.
 */
#include "tui/term/term_reset.h"

#include "core/base/util.h"
#include "tui/term/encode.h"

#include <curses.h>
#include <term.h>
#include <unistd.h>

static void send_string(const char *string)
{
	char bytes[128];

	write_all(STDOUT_FILENO, bytes, encode_without_padding(bytes, sizeof(bytes), string), NULL);
}

void term_reset(const struct termios *before, const char *type)
{
	static const char *const names[] = {"sgr0", "op", "cnorm", "rmkx", "rmcup"};
	int found;

	if (!isatty(STDOUT_FILENO))
		return;
	tcsetattr(STDOUT_FILENO, TCSANOW, before);
	if (setupterm(type, STDOUT_FILENO, &found) != OK)
		return;
	const char *mouse = tigetstr("kmous");
	if (mouse && mouse != (const char *)-1)
		send_string("\030\033[?2026l\033[?1006l\033[?1000l");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *string = tigetstr(names[i]);

		if (string && string != (const char *)-1)
			send_string(string);
	}
	send_string("\r\n");
}
