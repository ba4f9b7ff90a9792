// SPDX-License-Identifier: MIT
/*
 * What is sent makes a terminal show the canvas, after any sequence of canvases, on terminals of
 * several types; and how many bytes that takes.
 */
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/pty.h"
#include "tests/unit/shared/small_terminal.h"
#include "tests/unit/shared/widths.h"
#include "tui/term/term.h"

#include <curses.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define END_MARK '\005' /* ENQ: pmctop never sends it */
#define ANSWER   "\033[0n"

enum { STEPS = 4000, WIDTH_MAX = 30, HEIGHT_MAX = 30 };

struct terminal_row {
	const char *name, *type;
	bool direct, mono;
	enum color_depth depth;
	unsigned attributes;       /* that the type has */
	unsigned attributes_mixed; /* those that it has together with colours */
	bool returns;              /* "\n" is also "\r" */
};

#define EACH_ATTRIBUTE (ATTRIBUTE_BOLD | ATTRIBUTE_UNDERLINE | ATTRIBUTE_DIM | ATTRIBUTE_REVERSE)

static const struct terminal_row terminals[] = {
	{"256 colours", "xterm-256color", false, false, COLOR_DEPTH_256, EACH_ATTRIBUTE,
	 EACH_ATTRIBUTE},
	{"24-bit colours", "xterm-256color", true, false, COLOR_DEPTH_RGB, EACH_ATTRIBUTE,
	 EACH_ATTRIBUTE},
	{"no colours", "xterm-256color", false, true, COLOR_DEPTH_MONO, EACH_ATTRIBUTE,
	 EACH_ATTRIBUTE},
	{"no erasing in colour", "screen-256color", false, false, COLOR_DEPTH_256, EACH_ATTRIBUTE,
	 EACH_ATTRIBUTE},
	{"8 colours", "linux", false, false, COLOR_DEPTH_8, EACH_ATTRIBUTE,
	 ATTRIBUTE_BOLD | ATTRIBUTE_REVERSE},
	{"vt100", "vt100", false, false, COLOR_DEPTH_MONO,
	 ATTRIBUTE_BOLD | ATTRIBUTE_UNDERLINE | ATTRIBUTE_REVERSE, 0},
	{"wraps at once", "ansi", false, false, COLOR_DEPTH_8,
	 ATTRIBUTE_BOLD | ATTRIBUTE_UNDERLINE | ATTRIBUTE_REVERSE,
	 ATTRIBUTE_BOLD | ATTRIBUTE_REVERSE},
	{"a return with each line feed", "xterm-256color", false, false, COLOR_DEPTH_256,
	 EACH_ATTRIBUTE, EACH_ATTRIBUTE, true},
};

/* A term on a pseudo terminal, and what shows the bytes that it sends. */
struct stage {
	const struct terminal_row *row;
	struct pty pty;
	char sent[1 << 20]; /* at the last show_sent(); NUL-terminated */
	struct term *term;
	struct theme theme;
	struct canvas canvas;
	struct small_terminal terminal;
	uint64_t random;
	char step[64]; /* what was done last */
};

static unsigned below(struct stage *stage, unsigned end)
{
	return (unsigned)(u64_random(&stage->random) % end);
}

static void load_theme(struct stage *stage, const char *name)
{
	struct notes notes = {0};
	struct error err;

	assert_int_equal(0,
			 theme_parse(name, theme_builtin_find(name), &stage->theme, &notes, &err));
	notes_fini(&notes);
}

static void resize(struct stage *stage, unsigned width, unsigned height)
{
	const struct winsize size = {.ws_col = (unsigned short)width,
				     .ws_row = (unsigned short)height};

	ioctl(stage->pty.master, TIOCSWINSZ, &size);
	canvas_resize(&stage->canvas, width, height);
	small_terminal_resize(&stage->terminal, width, height);
}

/* Returns false if terminfo lacks the type. */
static bool open_stage(struct stage *stage, const struct terminal_row *row)
{
	struct error err = {0};

	*stage = (struct stage){.row = row, .random = 88172645463325252u};
	pty_open(&stage->pty);
	load_theme(stage, "default");
	const struct term_config config = {.theme = &stage->theme,
					   .type = row->type,
					   .color = !row->mono,
					   .direct_color = row->direct,
					   .mouse = false};
	int rc = term_open(&config, &stage->term, &err);

	stage->terminal.fills_background = rc == 0 && tigetflag("bce") == 1;
	stage->terminal.wraps_at_once = rc == 0 && tigetflag("xenl") != 1;
	stage->terminal.returns = row->returns;
	canvas_init(&stage->canvas, false);
	resize(stage, 20, 26); /* more lines than in terminfo, which ncurses reads */
	const char *known = rc == 0 ? termname() : "";

	return strncmp(known, row->type, strlen(known)) == 0 && known[0];
}

static void close_stage(struct stage *stage)
{
	term_close(stage->term);
	pty_close(&stage->pty);
	canvas_fini(&stage->canvas);
	small_terminal_fini(&stage->terminal);
}

/* Shows what is sent until the end mark. Returns its bytes. */
static size_t show_until_end(struct stage *stage)
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

/* Shows what was sent since the last call. Returns its bytes. */
static size_t show_sent(struct stage *stage)
{
	assert_int_equal(1, write(STDOUT_FILENO, (const char[]){END_MARK}, 1));
	return show_until_end(stage);
}

static int shown_color(const struct stage *stage, int number)
{
	if (number >= 16 && number < 256 && stage->row->depth == COLOR_DEPTH_RGB) {
		struct color color = color_of_index(number);

		return SMALL_TERMINAL_DIRECT + (color.red << 16) + (color.green << 8) + color.blue;
	}
	return number;
}

static int wanted_color(const struct stage *stage, int number)
{
	return number >= 0 && stage->row->depth == COLOR_DEPTH_RGB ? SMALL_TERMINAL_DIRECT + number
								   : number;
}

static bool is_shown(const struct stage *stage, unsigned x, unsigned y)
{
	const struct canvas_cell *cell = canvas_at(&stage->canvas, x, y);
	const struct small_terminal_cell *shown = small_terminal_at(&stage->terminal, x, y);
	struct look look =
		theme_look(&stage->theme, cell->style, cell->selected, stage->row->depth);
	const unsigned visible = ATTRIBUTE_UNDERLINE | ATTRIBUTE_REVERSE;

	look.attributes &= stage->row->attributes;
	if (look.foreground >= 0 || look.background >= 0)
		look.attributes &= stage->row->attributes_mixed;
	if (strcmp(cell->text, shown->text) != 0)
		return false;
	if (!cell->text[0]) /* the looks of a wide character are those of its left half */
		return true;
	if (wanted_color(stage, look.background) != shown_color(stage, shown->background))
		return false;
	if (strcmp(cell->text, " ") == 0 && !((look.attributes | shown->attributes) & visible))
		return true;
	return wanted_color(stage, look.foreground) == shown_color(stage, shown->foreground) &&
	       look.attributes == shown->attributes;
}

static void assert_shown(struct stage *stage, unsigned step)
{
	const struct canvas *canvas = &stage->canvas;

	for (unsigned y = 0; y < canvas->height; y++) {
		for (unsigned x = 0; x < canvas->width; x++) {
			bool corner = stage->terminal.wraps_at_once && y + 1 == canvas->height &&
				      x + 2 >= canvas->width;

			if (!corner && !is_shown(stage, x, y))
				fail_msg("%s, step %u (%s): (%u, %u) of %ux%u is '%s', not '%s' of "
					 "style %u",
					 stage->row->name, step, stage->step, x, y, canvas->width,
					 canvas->height,
					 small_terminal_at(&stage->terminal, x, y)->text,
					 canvas_at(canvas, x, y)->text,
					 canvas_at(canvas, x, y)->style);
		}
	}
	assert_int_equal(stage->terminal.scrolled, 0);
	if (!canvas->cursor)
		return;
	assert_int_equal(stage->terminal.x, canvas->cursor_x);
	assert_int_equal(stage->terminal.y, canvas->cursor_y);
	assert_false(stage->terminal.cursor_hidden);
}

static void change_text(struct stage *stage)
{
	static const char *const texts[] = {"1",
					    "12.5",
					    "  ",
					    "          ",
					    "漢字",
					    "█▌",
					    "e\u0301te",
					    "漢",
					    "pmctop",
					    "~",
					    "…",
					    "a",
					    "                            "};
	struct canvas *canvas = &stage->canvas;

	snprintf(stage->step, sizeof(stage->step), "text");
	canvas_text(canvas, below(stage, canvas->width), below(stage, canvas->height),
		    canvas->width, (enum style)below(stage, STYLE_COUNT),
		    texts[below(stage, ARRAY_SIZE(texts))]);
}

static struct rect any_rect(struct stage *stage)
{
	return (struct rect){below(stage, stage->canvas.width), below(stage, stage->canvas.height),
			     1 + below(stage, WIDTH_MAX), 1 + below(stage, 2)};
}

static void copy_lines(struct stage *stage)
{
	struct canvas copy;

	snprintf(stage->step, sizeof(stage->step), "scroll");
	canvas_init(&copy, false);
	canvas_resize(&copy, stage->canvas.width, stage->canvas.height);
	canvas_copy(&copy, (struct rect){0, 0, copy.width, copy.height}, &stage->canvas, 0);
	canvas_copy(&stage->canvas, any_rect(stage), &copy, below(stage, copy.height));
	canvas_fini(&copy);
}

/* Another program leaves the cursor and the colours somewhere. */
static void disturb(struct stage *stage)
{
	static const char moves[] = "\033[2;3H\033[0;1;31;44m";

	snprintf(stage->step, sizeof(stage->step), "another program");
	small_terminal_write(&stage->terminal, moves, sizeof(moves) - 1);
}

static void write_over(struct stage *stage)
{
	static const char text[] = "\033[1;1H\033[0;1;31;44mA message from another program";

	if (stage->terminal.width * stage->terminal.height > sizeof(text))
		small_terminal_write(&stage->terminal, text, sizeof(text) - 1);
	stage->terminal.scrolled = 0;
}

/* The terminal's answer to a query of its status. It has arrived when this returns. */
static void send_answer(const struct stage *stage)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	assert_int_equal(strlen(ANSWER), write(stage->pty.master, ANSWER, strlen(ANSWER)));
	poll(&in, 1, -1);
}

static void begin_anew(struct stage *stage)
{
	static const char *const themes[] = {"default", "dracula", "light", "mono"};

	unsigned width, height;

	switch (below(stage, 4)) {
	case 0:
		snprintf(stage->step, sizeof(stage->step), "size");
		resize(stage, 1 + below(stage, WIDTH_MAX), 1 + below(stage, HEIGHT_MAX));
		term_measure(stage->term, &width, &height);
		assert_int_equal(width, stage->canvas.width);
		assert_int_equal(height, stage->canvas.height);
		break;
	case 1:
		snprintf(stage->step, sizeof(stage->step), "redraw");
		write_over(stage);
		term_forget(stage->term);
		break;
	case 2:
		snprintf(stage->step, sizeof(stage->step), "stop");
		send_answer(stage);
		term_suspend(stage->term);
		tcflush(STDIN_FILENO, TCIFLUSH); /* one that came too late was not read */
		show_sent(stage);
		assert_int_equal(stage->terminal.now.attributes, 0);
		assert_int_equal(stage->terminal.now.foreground, -1);
		assert_int_equal(stage->terminal.now.background, -1);
		assert_false(stage->terminal.cursor_hidden);
		write_over(stage);
		term_resume(stage->term);
		break;
	default:
		snprintf(stage->step, sizeof(stage->step), "theme");
		load_theme(stage, themes[below(stage, ARRAY_SIZE(themes))]);
		term_set_theme(stage->term, &stage->theme);
	}
}

static void change_canvas(struct stage *stage)
{
	unsigned kind = below(stage, 40);

	if (kind < 24) {
		for (unsigned n = 1 + below(stage, 6); n > 0; n--)
			change_text(stage);
	} else if (kind < 30) {
		snprintf(stage->step, sizeof(stage->step), "select");
		canvas_select(&stage->canvas, any_rect(stage));
	} else if (kind < 34) {
		snprintf(stage->step, sizeof(stage->step), "fill");
		canvas_fill(&stage->canvas, any_rect(stage), (enum style)below(stage, STYLE_COUNT));
	} else if (kind < 37) {
		copy_lines(stage);
	} else if (kind == 37) {
		disturb(stage);
	} else if (kind == 38) {
		snprintf(stage->step, sizeof(stage->step), "clear");
		canvas_clear(&stage->canvas);
	} else {
		begin_anew(stage);
	}
	stage->canvas.cursor = false;
	if (below(stage, 8) == 0)
		canvas_cursor(&stage->canvas, below(stage, stage->canvas.width),
			      below(stage, stage->canvas.height));
}

static void terminal_shows_the_canvas(void **state)
{
	const struct terminal_row *row = *state;
	static struct stage stage;

	if (!open_stage(&stage, row)) {
		close_stage(&stage);
		print_message("%s: terminfo has no %s.\n", row->name, row->type);
		skip();
	}
	for (unsigned step = 0; step < STEPS; step++) {
		change_canvas(&stage);
		term_draw(stage.term, &stage.canvas);
		show_sent(&stage);
		assert_shown(&stage, step);
	}
	close_stage(&stage);
}

static void nothing_is_sent_without_a_change(void **state)
{
	static struct stage stage;

	(void)state;
	assert_true(open_stage(&stage, &terminals[0]));
	change_text(&stage);
	term_draw(stage.term, &stage.canvas);
	assert_true(show_sent(&stage) > 0);
	term_draw(stage.term, &stage.canvas);
	assert_int_equal(show_sent(&stage), 0);
	/* A blank looks the same in another colour of text. */
	canvas_fill(&stage.canvas, (struct rect){15, 4, 5, 1}, STYLE_BAD);
	term_draw(stage.term, &stage.canvas);
	assert_int_equal(show_sent(&stage), 0);
	close_stage(&stage);
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
	static struct stage stage;

	(void)state;
	assert_true(open_stage(&stage, &terminals[0]));
	show_sent(&stage);
	assert_non_null(strstr(stage.sent, "\033[?2026$p"));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char digit[] = {(char)('0' + i), '\0'};

		term_set_mode(stage.term, rows[i].mode, rows[i].state);
		canvas_text(&stage.canvas, 0, 0, 1, STYLE_PLAIN, digit);
		term_draw(stage.term, &stage.canvas);
		size_t n = show_sent(&stage);
		assert_true(n > strlen(end));
		assert_int_equal(rows[i].synchronized,
				 strncmp(stage.sent, begin, strlen(begin)) == 0);
		assert_int_equal(rows[i].synchronized,
				 strcmp(stage.sent + n - strlen(end), end) == 0);
		term_draw(stage.term, &stage.canvas);
		assert_int_equal(show_sent(&stage), 0);
	}
	close_stage(&stage);
}

static void draw_letter(struct stage *stage, char letter)
{
	const char text[] = {letter, '\0'};

	canvas_text(&stage->canvas, 0, 0, 1, STYLE_PLAIN, text);
	term_draw(stage->term, &stage->canvas);
}

static void a_drawing_is_followed_by_a_query_if_the_terminal_answers(void **state)
{
	static struct stage stage;
	const unsigned *queries = &stage.terminal.queries;
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	(void)state;
	assert_true(open_stage(&stage, &terminals[0]));
	show_sent(&stage);
	assert_int_equal(*queries, 1); /* at the start */
	draw_letter(&stage, 'a');
	draw_letter(&stage, 'b');
	show_sent(&stage);
	assert_int_equal(*queries, 1);
	assert_int_equal(term_wait_ms(stage.term), 0);
	term_set_shown(stage.term); /* not that of the two drawings */
	show_sent(&stage);
	assert_int_equal(*queries, 2);
	term_set_shown(stage.term);
	draw_letter(&stage, 'c');
	size_t n = show_sent(&stage);
	assert_string_equal(stage.sent + n - strlen("\033[5n"), "\033[5n");
	assert_int_equal(*queries, 3);
	draw_letter(&stage, 'd'); /* while that answer is due */
	draw_letter(&stage, 'd');
	show_sent(&stage);
	assert_int_equal(*queries, 3);
	/* The shell gets no answer. A new one is needed when this process continues. */
	send_answer(&stage);
	term_suspend(stage.term);
	assert_int_equal(0, poll(&in, 1, 0));
	term_resume(stage.term);
	draw_letter(&stage, 'e');
	show_sent(&stage);
	assert_int_equal(*queries, 4);
	assert_int_equal(term_wait_ms(stage.term), 0);
	send_answer(&stage);
	close_stage(&stage);
}

/* Reads after a while, until the end mark. */
static void *read_late(void *arg)
{
	struct stage *stage = arg;

	usleep(20000);
	show_until_end(stage);
	return NULL;
}

static void a_nonblocking_terminal_gets_all(void **state)
{
	static struct stage stage;
	pthread_t reader;

	(void)state;
	assert_true(open_stage(&stage, &terminals[0]));
	resize(&stage, 300, 300);
	for (unsigned i = 0; i < stage.canvas.height; i++)
		for (unsigned x = 0; x < stage.canvas.width; x++)
			canvas_text(&stage.canvas, x, i, 1, (enum style)below(&stage, 4), "x");
	assert_int_equal(0, fcntl(STDOUT_FILENO, F_SETFL, O_RDWR | O_NONBLOCK));
	assert_int_equal(0, pthread_create(&reader, NULL, read_late, &stage));
	term_draw(stage.term, &stage.canvas);
	assert_int_equal(0, fcntl(STDOUT_FILENO, F_SETFL, O_RDWR));
	assert_int_equal(1, write(STDOUT_FILENO, (const char[]){END_MARK}, 1));
	pthread_join(reader, NULL);
	assert_shown(&stage, 0);
	close_stage(&stage);
}

static void title_is_set_and_restored(void **state)
{
	static struct stage stage;

	(void)state;
	assert_true(open_stage(&stage, &terminals[0]));
	strcpy(stage.terminal.title, "shell");
	show_sent(&stage);
	term_set_title(stage.term, "pmctop a\033]2;b\007\n\302\233c", false);
	show_sent(&stage);
	assert_string_equal(stage.terminal.title, "pmctop a" BAD "]2;b" BAD BAD BAD "c");
	term_set_title(stage.term, "pmctop a\033]2;b\007\n\302\233c", false);
	assert_int_equal(show_sent(&stage), 0);
	term_suspend(stage.term);
	show_sent(&stage);
	assert_string_equal(stage.terminal.title, "shell");
	for (unsigned i = 0; i < 2; i++) { /* after SIGSTOP it is not suspended before */
		term_resume(stage.term);
		show_sent(&stage);
		assert_string_equal(stage.terminal.title, "pmctop a" BAD "]2;b" BAD BAD BAD "c");
	}
	term_set_title(stage.term, "pmctop b", false);
	term_suspend(stage.term);
	show_sent(&stage);
	assert_string_equal(stage.terminal.title, "shell");
	close_stage(&stage);
}

static void other_terminals_have_no_title(void **state)
{
	static struct stage stage;

	(void)state;
	if (open_stage(&stage, &terminals[4])) {
		term_set_title(stage.term, "pmctop a", false);
		show_sent(&stage);
		assert_null(strstr(stage.sent, "\033]"));
		assert_null(strstr(stage.sent, "\033[22"));
		assert_null(strstr(stage.sent, "$p"));
	}
	close_stage(&stage);
}

/* A change of a line of 80 columns, and the bytes for it. */
struct change_row {
	const char *name, *before, *after;
	enum style style;
	const char *sent;
};

static const struct change_row changes[] = {
	{"a digit", "%CPU 12.5  12", "%CPU 12.6  12", STYLE_PLAIN, "\033[1;9H\033[m6"},
	{"near digits", "12.5  12", "12.6  13", STYLE_PLAIN, "\033[1;4H\033[m6  13"},
	{"far digits", "1              1", "2              2", STYLE_PLAIN,
	 "\033[1;1H\033[m2\033[16G2"},
	{"far right", "             1         1", "             2         2", STYLE_PLAIN,
	 "\033[1;14H\033[m2\033[9C2"},
	{"a shorter text", "a long command", "a", STYLE_PLAIN, "\033[1;3H\033[m\033[K"},
	{"a colour", "1", "2", STYLE_WARN, "\033[1;1H\033[0;38;5;136m2"},
	{"a wide character", "漢   1", "字   2", STYLE_PLAIN, "\033[1;1H\033[m字   2"},
	{"far from a wide character", "漢          1", "字          2", STYLE_PLAIN,
	 "\033[1;1H\033[m字\033[13G2"},
};

static void changes_are_short(void **state)
{
	const struct change_row *row = *state;
	static struct stage stage;

	assert_true(open_stage(&stage, &terminals[0]));
	resize(&stage, 80, 3);
	canvas_text(&stage.canvas, 0, 0, 80, row->style, row->before);
	term_draw(stage.term, &stage.canvas);
	show_sent(&stage);
	canvas_clear(&stage.canvas);
	canvas_text(&stage.canvas, 0, 0, 80, row->style, row->after);
	term_draw(stage.term, &stage.canvas);
	show_sent(&stage);
	close_stage(&stage);
	assert_string_equal(stage.sent, row->sent);
}

int main(void)
{
	static const struct cases tables[] = {
		CASES(terminal_shows_the_canvas, terminals),
		CASES(changes_are_short, changes),
	};
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_sent_without_a_change),
		cmocka_unit_test(updates_are_synchronized_where_the_terminal_can),
		cmocka_unit_test(a_drawing_is_followed_by_a_query_if_the_terminal_answers),
		cmocka_unit_test(a_nonblocking_terminal_gets_all),
		cmocka_unit_test(title_is_set_and_restored),
		cmocka_unit_test(other_terminals_have_no_title),
	};

	term_prepare("xterm-256color");
	return cases_run("encode", tables, ARRAY_SIZE(tables), tests, ARRAY_SIZE(tests));
}
