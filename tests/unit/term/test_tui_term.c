// SPDX-License-Identifier: MIT
/* The size of the screen on a terminal, the queries that it gets, and its title. */
#include "core/base/util.h"
#include "tests/unit/shared/pty.h"
#include "tests/unit/shared/term_stage.h"
#include "tests/unit/shared/widths.h"
#include "tui/term/term.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void updates_are_synchronized_where_the_terminal_can(void **state)
{
	static const struct {
		unsigned mode, state;
		bool synchronized;
	} rows[] = {{2026, 0, false},
		    {2026, 2, true},
		    {2026, 4, false},
		    {2026, 1, true},
		    {25, 4, true}};
	static const char begin[] = "\033[?2026h", end[] = "\033[?2026l";
	static struct term_stage stage;

	(void)state;
	assert_true(term_stage_open(&stage, TYPE, true, false));
	term_stage_show(&stage);
	assert_non_null(strstr(stage.sent, "\033[?2026$p"));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char digit[] = {(char)('0' + i), '\0'};

		term_set_mode(stage.term, rows[i].mode, rows[i].state);
		canvas_text(&stage.canvas, 0, 0, 1, STYLE_PLAIN, digit);
		term_draw(stage.term, &stage.canvas);
		size_t n = term_stage_show(&stage);
		assert_true(n > strlen(end));
		assert_int_equal(rows[i].synchronized,
				 strncmp(stage.sent, begin, strlen(begin)) == 0);
		assert_int_equal(rows[i].synchronized,
				 strcmp(stage.sent + n - strlen(end), end) == 0);
		term_draw(stage.term, &stage.canvas);
		assert_int_equal(term_stage_show(&stage), 0);
	}
	term_stage_close(&stage);
}

static void draw_letter(struct term_stage *stage, char letter)
{
	const char text[] = {letter, '\0'};

	canvas_text(&stage->canvas, 0, 0, 1, STYLE_PLAIN, text);
	term_draw(stage->term, &stage->canvas);
}

static void a_drawing_is_followed_by_a_query_if_the_terminal_answers(void **state)
{
	static struct term_stage stage;
	const unsigned *queries = &stage.terminal.queries;
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	(void)state;
	assert_true(term_stage_open(&stage, TYPE, true, false));
	term_stage_show(&stage);
	assert_int_equal(*queries, 1); /* at the start */
	draw_letter(&stage, 'a');
	draw_letter(&stage, 'b');
	term_stage_show(&stage);
	assert_int_equal(*queries, 1);
	assert_int_equal(term_wait_ms(stage.term), 0);
	term_set_shown(stage.term); /* answers the query of the start */
	term_stage_show(&stage);
	assert_int_equal(*queries, 2);
	term_set_shown(stage.term);
	draw_letter(&stage, 'c');
	size_t n = term_stage_show(&stage);
	assert_string_equal(stage.sent + n - strlen("\033[5n"), "\033[5n");
	assert_int_equal(*queries, 3);
	draw_letter(&stage, 'd'); /* while that answer is due */
	draw_letter(&stage, 'd');
	term_stage_show(&stage);
	assert_int_equal(*queries, 3);
	/* The shell gets no answer. A new one is needed when this process continues. */
	term_stage_answer(&stage);
	term_suspend(stage.term);
	assert_int_equal(0, poll(&in, 1, 0));
	term_resume(stage.term);
	draw_letter(&stage, 'e');
	term_stage_show(&stage);
	assert_int_equal(*queries, 4);
	assert_int_equal(term_wait_ms(stage.term), 0);
	term_stage_answer(&stage);
	term_stage_close(&stage);
}

static void title_is_set_and_restored(void **state)
{
	static struct term_stage stage;

	(void)state;
	assert_true(term_stage_open(&stage, TYPE, true, false));
	strcpy(stage.terminal.title, "shell");
	term_stage_show(&stage);
	term_set_title(stage.term, "pmctop a\033]2;b\007\n\302\233c", false);
	term_stage_show(&stage);
	assert_string_equal(stage.terminal.title, "pmctop a" BAD "]2;b" BAD BAD BAD "c");
	term_set_title(stage.term, "pmctop a\033]2;b\007\n\302\233c", false);
	assert_int_equal(term_stage_show(&stage), 0);
	term_suspend(stage.term);
	term_stage_show(&stage);
	assert_string_equal(stage.terminal.title, "shell");
	for (unsigned i = 0; i < 2; i++) { /* after SIGSTOP it is not suspended before */
		term_resume(stage.term);
		term_stage_show(&stage);
		assert_string_equal(stage.terminal.title, "pmctop a" BAD "]2;b" BAD BAD BAD "c");
	}
	term_set_title(stage.term, "pmctop b", false);
	term_suspend(stage.term);
	term_stage_show(&stage);
	assert_string_equal(stage.terminal.title, "shell");
	term_stage_close(&stage);
}

static void other_terminals_have_no_title(void **state)
{
	static struct term_stage stage;

	(void)state;
	if (term_stage_open(&stage, "linux", true, false)) {
		term_set_title(stage.term, "pmctop a", false);
		term_stage_show(&stage);
		assert_null(strstr(stage.sent, "\033]"));
		assert_null(strstr(stage.sent, "\033[22"));
		assert_null(strstr(stage.sent, "$p"));
	}
	term_stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(updates_are_synchronized_where_the_terminal_can),
		cmocka_unit_test(a_drawing_is_followed_by_a_query_if_the_terminal_answers),
		cmocka_unit_test(title_is_set_and_restored),
		cmocka_unit_test(other_terminals_have_no_title),
		cmocka_unit_test(sizes_are_limited), /* changes COLUMNS and LINES */
	};

	term_prepare(TYPE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
