// SPDX-License-Identifier: MIT
/*
 * The bytes that restore the terminal are prepared by term_restore_arm(), because terminfo cannot
 * be read in a signal handler. What follows is async-signal-safe.
 */
#include "tui/term/term_restore.h"

#include "tui/term/terminfo.h"

#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { RESCUE_BYTES = 512, RESCUE_WAIT_MS = 100 };

static struct termios rescue_line;
static char rescue_bytes[RESCUE_BYTES];
static size_t rescue_length;
static atomic_bool rescue_armed;

void term_restore_arm(const struct termios *before, const char *const *strings, size_t n)
{
	rescue_line = *before;
	rescue_length = 0;
	for (size_t i = 0; i < n; i++)
		if (strings[i])
			rescue_length +=
				terminfo_copy(rescue_bytes + rescue_length,
					      sizeof(rescue_bytes) - rescue_length, strings[i]);
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

	/*
	 * Standard output may not be the controlling terminal: then there is no foreground group.
	 */
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
	/* Without IXON, ^S cannot stop output. Restoring the terminal sets IXON again. */
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
	/* Not while a write of another thread blocks. */
	if (takes_output(RESCUE_WAIT_MS))
		ignored = write(STDOUT_FILENO, rescue_bytes, rescue_length);
	(void)ignored;
	tcsetattr(STDOUT_FILENO, TCSANOW, &rescue_line);
}
