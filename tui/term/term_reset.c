// SPDX-License-Identifier: MIT
/*
 * The broken connection may have cut a sequence, so CAN ends it first. An update that was begun
 * (mode 2026) is ended. The title is not restored: it is not known whether the old one was saved.
 *
 * The terminal's answers to status queries of the other program may be on their way. The shell
 * would take them for keys. After a silent link there may be several, so they cannot be counted.
 * Therefore a query that pmctop never sends otherwise (DA1) follows them, and all input until its
 * answer is dropped. A terminal that does not answer loses what is typed within RESET_PATIENCE_NS.
 */
#include "tui/term/term_reset.h"

#include "core/base/util.h"
#include "tui/term/term_restore.h"
#include "tui/term/terminfo.h"

#include <curses.h>
#include <poll.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#define RESET_MODES       "\030\033[?2026l\033[?1006l\033[?1000l\033[?2004l"
#define RESET_QUERY       "\030\033[c" /* the answer: ESC [ ? digits and ; c */
#define RESET_PATIENCE_NS (300 * NS_PER_MS)

static const char *const names[] = {"sgr0", "op", "cnorm", "rmkx", "rmcup"};

static void send_string(const char *string)
{
	struct sequence sequence = {.n = 0};

	sequence_add(&sequence, string);
	write_all(STDOUT_FILENO, sequence.bytes, sequence.n, NULL);
}

/* Standard output is the terminal with the queries. Standard input may be another file. */
static void drop_answers(const struct termios *before)
{
	struct termios raw = *before;
	struct pollfd in = {.fd = STDOUT_FILENO, .events = POLLIN};
	uint64_t now_ns = monotonic_ns(), until_ns = now_ns + RESET_PATIENCE_NS;
	bool in_answer = false;
	char byte = '\0';

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDOUT_FILENO, TCSANOW, &raw);
	send_string(RESET_QUERY);
	while (!(in_answer && byte == 'c') && now_ns < until_ns &&
	       poll(&in, 1, (int)((until_ns - now_ns) / NS_PER_MS) + 1) > 0 &&
	       read(in.fd, &byte, 1) == 1) {
		in_answer = byte == '?' || (in_answer && strchr("0123456789;c", byte));
		now_ns = monotonic_ns();
	}
	tcsetattr(STDOUT_FILENO, TCSANOW, before);
}

void term_reset_arm(const struct termios *before, const char *type)
{
	const char *strings[ARRAY_SIZE(names) + 2];
	size_t n = 0;
	int found;

	if (!isatty(STDOUT_FILENO))
		return;
	bool known = setupterm(type, STDOUT_FILENO, &found) == OK;
	if (known) {
		strings[n++] = terminfo_string("kmous") ? RESET_MODES : NULL;
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			strings[n++] = terminfo_string(names[i]);
		strings[n++] = "\r\n";
	}
	term_restore_arm(before, strings, n);
	if (known) /* the strings were copied */
		del_curterm(cur_term);
}

void term_reset(const struct termios *before, const char *type)
{
	int found;

	if (!isatty(STDOUT_FILENO))
		return;
	tcsetattr(STDOUT_FILENO, TCSANOW, before);
	if (setupterm(type, STDOUT_FILENO, &found) != OK)
		return;
	if (terminfo_string("kmous"))
		send_string(RESET_MODES);
	const char *move = terminfo_string("cup");
	/* The type has control sequences of ECMA-48. */
	if (move && strncmp(move, "\033[", 2) == 0)
		drop_answers(before);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		send_string(terminfo_string(names[i]));
	send_string("\r\n");
	del_curterm(cur_term);
}
