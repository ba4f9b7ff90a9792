// SPDX-License-Identifier: MIT
#include "tests/unit/shared/pty.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

void pty_open(struct pty *pty)
{
	pty->master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(pty->master >= 0 && grantpt(pty->master) == 0 && unlockpt(pty->master) == 0);
	int terminal = open(ptsname(pty->master), O_RDWR | O_NOCTTY);
	assert_true(terminal >= 0);
	fflush(stdout);
	pty->input = dup(STDIN_FILENO);
	pty->output = dup(STDOUT_FILENO);
	dup2(terminal, STDIN_FILENO);
	dup2(terminal, STDOUT_FILENO);
	close(terminal);
}

void pty_close(struct pty *pty)
{
	fflush(stdout);
	dup2(pty->input, STDIN_FILENO);
	dup2(pty->output, STDOUT_FILENO);
	close(pty->input);
	close(pty->output);
	close(pty->master);
}
