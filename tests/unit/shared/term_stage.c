// SPDX-License-Identifier: MIT
#include "tests/unit/shared/term_stage.h"

#include <curses.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#define END_MARK '\005' /* ENQ: pmctop never sends it */
#define ANSWER   "\033[0n"

void term_stage_load_theme(struct term_stage *stage, const char *name)
{
	struct notes notes = {0};
	struct error err;

	assert_int_equal(0,
			 theme_parse(name, theme_builtin_find(name), &stage->theme, &notes, &err));
	notes_fini(&notes);
}

void term_stage_resize(struct term_stage *stage, unsigned width, unsigned height)
{
	const struct winsize size = {.ws_col = (unsigned short)width,
				     .ws_row = (unsigned short)height};

	ioctl(stage->pty.master, TIOCSWINSZ, &size);
	canvas_resize(&stage->canvas, width, height);
	small_terminal_resize(&stage->terminal, width, height);
}

bool term_stage_open(struct term_stage *stage, const char *type, bool color, bool direct_color)
{
	struct error err = {0};

	memset(stage, 0, sizeof(*stage));
	pty_open(&stage->pty);
	term_stage_load_theme(stage, "default");
	const struct term_config config = {.theme = &stage->theme,
					   .type = type,
					   .color = color,
					   .direct_color = direct_color,
					   .mouse = false};
	int rc = term_open(&config, &stage->term, &err);

	stage->terminal.fills_background = rc == 0 && tigetflag("bce") == 1;
	stage->terminal.wraps_at_once = rc == 0 && tigetflag("xenl") != 1;
	canvas_init(&stage->canvas, false);
	term_stage_resize(stage, 20, 26); /* more lines than in terminfo, which ncurses reads */
	const char *known = rc == 0 ? termname() : "";

	return strncmp(known, type, strlen(known)) == 0 && known[0];
}

void term_stage_close(struct term_stage *stage)
{
	term_close(stage->term);
	pty_close(&stage->pty);
	canvas_fini(&stage->canvas);
	small_terminal_fini(&stage->terminal);
}

void term_stage_mark_end(void)
{
	assert_int_equal(1, write(STDOUT_FILENO, (const char[]){END_MARK}, 1));
}

size_t term_stage_show_until_end(struct term_stage *stage)
{
	size_t n = 0;

	while (n == 0 || stage->sent[n - 1] != END_MARK) {
		assert_true(n < sizeof(stage->sent));
		ssize_t got = read(stage->pty.master, stage->sent + n, sizeof(stage->sent) - n);

		assert_true(got > 0);
		n += (size_t)got;
	}
	stage->sent[--n] = '\0';
	small_terminal_write(&stage->terminal, stage->sent, n);
	return n;
}

size_t term_stage_show(struct term_stage *stage)
{
	term_stage_mark_end();
	return term_stage_show_until_end(stage);
}

void term_stage_answer(const struct term_stage *stage)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	assert_int_equal(strlen(ANSWER), write(stage->pty.master, ANSWER, strlen(ANSWER)));
	poll(&in, 1, -1);
}
