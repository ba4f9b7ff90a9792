// SPDX-License-Identifier: MIT
#include "tui/term/term_restore.h"

#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { RESCUE_BYTES = 512, RESCUE_WAIT_MS = 100 };

static struct termios rescue_line;
static char rescue_bytes[RESCUE_BYTES];
static size_t rescue_length;
static atomic_bool rescue_armed;

/* As tputs(3) would, without the padding: $<5/>. */
static void add(const char *from)
{
	while (*from && rescue_length < sizeof(rescue_bytes)) {
		const char *end = from[0] == '$' && from[1] == '<' ? strchr(from, '>') : NULL;

		if (end)
			from = end + 1;
		else
			rescue_bytes[rescue_length++] = *from++;
	}
}

void term_restore_arm(const struct termios *before, const char *const *strings, size_t n)
{
	rescue_line = *before;
	rescue_length = 0;
	for (size_t i = 0; i < n; i++)
		if (strings[i] && strings[i] != (const char *)-1)
			add(strings[i]);
	rescue_armed = true;
}

void term_restore_disarm(void)
{
	rescue_armed = false;
}

bool term_restore_is_armed(void)
{
	return rescue_armed;
}

bool term_restore_is_ours(void)
{
	pid_t front = tcgetpgrp(STDOUT_FILENO);

	/* It may not be our controlling terminal: then nobody takes turns at it. */
	return front < 0 || front == getpgrp();
}

static bool takes_output(int patience_ms)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&out, 1, patience_ms) > 0;
}

void term_restore_unfreeze(void)
{
	struct termios line;

	if (takes_output(0) || !term_restore_is_ours())
		return;
	tcflow(STDOUT_FILENO, TCOON);
	/* Without IXON there is no ^S; whoever gives the terminal back brings it back. */
	if (tcgetattr(STDOUT_FILENO, &line) == 0) {
		line.c_iflag &= ~(tcflag_t)IXON;
		tcsetattr(STDOUT_FILENO, TCSANOW, &line);
	}
	tcflush(STDOUT_FILENO, TCOFLUSH);
}

void term_restore(void)
{
	ssize_t ignored = 0;

	if (!atomic_exchange(&rescue_armed, false) || !term_restore_is_ours())
		return;
	term_restore_unfreeze();
	/* Not where another thread still is in a write of its own. */
	if (takes_output(RESCUE_WAIT_MS))
		ignored = write(STDOUT_FILENO, rescue_bytes, rescue_length);
	(void)ignored;
	tcsetattr(STDOUT_FILENO, TCSANOW, &rescue_line);
}
