// SPDX-License-Identifier: MIT
/* The size that a terminal reports, and the size of the screen on it. */
#include "core/base/util.h"
#include "tests/unit/shared/pty.h"
#include "tui/term/term.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#define TYPE    "xterm-256color"
#define NO_SIZE "linux" /* a type without a size in terminfo */

struct size {
	unsigned short width, height;
};

static void set_or_unset(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static struct size measured(struct pty *pty, struct term *term, struct size window)
{
	const struct winsize size = {.ws_col = window.width, .ws_row = window.height};
	unsigned width = 0, height = 0;

	ioctl(pty->master, TIOCSWINSZ, &size);
	if (term)
		term_measure(term, &width, &height);
	return (struct size){(unsigned short)width, (unsigned short)height};
}

static void sizes_are_limited(void **state)
{
	static const struct {
		const char *name, *columns, *lines;
		struct size first, then;   /* size of the window, at the start and later */
		struct size shown, shown2; /* size of the screen, likewise */
		const char *type;          /* NULL: TYPE */
	} rows[] = {
		{"80x24", NULL, NULL, {80, 24}, {200, 50}, {80, 24}, {200, 50}},
		{"the largest", NULL, NULL, {1000, 1000}, {80, 24}, {1000, 1000}, {80, 24}},
		{"large at the start", NULL, NULL, {2000, 1001}, {80, 24}, {1000, 1000}, {80, 24}},
		{"large later", NULL, NULL, {80, 24}, {2000, 1001}, {80, 24}, {1000, 1000}},
		{"too large for ncurses", NULL, NULL, {65535, 1}, {1, 65535}, {1000, 1}, {1, 1000}},
		{"the window wins", "30", "10", {80, 24}, {90, 25}, {80, 24}, {90, 25}},
		{"the environment", "30", "10", {0, 0}, {90, 25}, {30, 10}, {90, 25}},
		{"one side", "30", "10", {0, 24}, {90, 0}, {30, 24}, {90, 10}},
		{"a large environment",
		 "2000",
		 "99999999999",
		 {0, 0},
		 {0, 0},
		 {1000, 1000},
		 {1000, 1000}},
		{"an invalid environment", "wide", "-1", {0, 0}, {0, 0}, {80, 24}, {80, 24}},
		{"nothing known", NULL, NULL, {0, 0}, {0, 0}, {80, 24}, {80, 24}},
		{"a type without a size",
		 NULL,
		 NULL,
		 {90, 25},
		 {80, 24},
		 {90, 25},
		 {80, 24},
		 NO_SIZE},
		{"no size, then one", NULL, NULL, {0, 0}, {90, 25}, {80, 24}, {90, 25}, NO_SIZE},
		{"no size but the environment's",
		 "30",
		 "10",
		 {0, 0},
		 {90, 0},
		 {30, 10},
		 {90, 10},
		 NO_SIZE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct theme theme = {0};
		struct term *term;
		struct error err = {0};
		struct pty pty;

		set_or_unset("COLUMNS", rows[i].columns);
		set_or_unset("LINES", rows[i].lines);
		pty_open(&pty);
		measured(&pty, NULL, rows[i].first);
		const struct term_config config = {.theme = &theme,
						   .type = rows[i].type ? rows[i].type : TYPE};
		int rc = term_open(&config, &term, &err);
		struct size shown = {0}, shown2 = {0};
		if (rc == 0) {
			shown = measured(&pty, term, rows[i].first);
			shown2 = measured(&pty, term, rows[i].then);
			term_close(term);
		}
		pty_close(&pty);
		if (rc || shown.width != rows[i].shown.width ||
		    shown.height != rows[i].shown.height || shown2.width != rows[i].shown2.width ||
		    shown2.height != rows[i].shown2.height)
			fail_msg("%s: %ux%u, then %ux%u. %s", rows[i].name, shown.width,
				 shown.height, shown2.width, shown2.height, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_limited),
	};

	term_prepare(TYPE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
