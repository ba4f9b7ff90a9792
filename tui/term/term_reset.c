// SPDX-License-Identifier: MIT
/*
 * The broken connection may have cut a sequence, so CAN ends it first. An update that was begun
 * (mode 2026) is ended. The title is not restored: it is not known whether the old one was saved.
 */
#include "tui/term/term_reset.h"

#include "core/base/util.h"
#include "tui/term/terminfo.h"

#include <curses.h>
#include <term.h>
#include <unistd.h>

static void send_string(const char *string)
{
	struct sequence sequence = {.n = 0};

	sequence_add(&sequence, string);
	write_all(STDOUT_FILENO, sequence.bytes, sequence.n, NULL);
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
	if (terminfo_string("kmous"))
		send_string("\030\033[?2026l\033[?1006l\033[?1000l");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		send_string(terminfo_string(names[i]));
	send_string("\r\n");
}
