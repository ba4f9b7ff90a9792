// SPDX-License-Identifier: MIT
/*
 * ncurses sends what changed on the screen. Only cells that differ from the last canvas are handed
 * to it, in runs. term_measure() reads the window's size and limits it before ncurses learns it,
 * because a remote client chooses that size.
 */
#include "tui/term/term.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/term/term_restore.h"
#include "tui/term/terminal_type.h"
#include "tui/term/variables.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termcap.h>
#include <termios.h>
#include <unistd.h>

enum {
	RUN_MAX = 128,         /* characters per call of ncurses */
	TERM_FIRST_DIRECT = 8, /* numbers below are ANSI colours on direct-colour terminals */
};

#define TERM_NO_MOUSE "\033[?1006l\033[?1000l"

/* A style on this terminal. */
struct look {
	attr_t attributes;
	short pair;
};

/* The colours of pair i + 1. */
struct pairs {
	int front[2 * STYLE_COUNT], back[2 * STYLE_COUNT];
	size_t n;
};

struct term {
	SCREEN *screen;
	FILE *input; /* stdin, or /dev/tty opened here */
	bool own_input;
	struct canvas last;
	enum color_depth depth;
	struct look looks[STYLE_COUNT][2]; /* plain, selected */
	int cursor;                        /* last argument of curs_set(); -1: unknown */
	bool mouse;
	struct termios before; /* line settings when the terminal was taken */
};

/* Whether the type is known and can move the cursor. newterm() would leak on failure. */
static bool can_draw(const char *type)
{
	return type && type[0] && tgetent(NULL, type) == 1 && tgetstr("cm", NULL);
}

static SCREEN *open_type(const char *type, FILE *input)
{
	return can_draw(type) ? newterm(type, stdout, input) : NULL;
}

/* Opens the type's "-direct" variant with 24-bit colours; NULL if terminfo has none. */
static SCREEN *open_direct(const char *type, FILE *input)
{
	char name[64];

	if (!type || strstr(type, "-direct"))
		return NULL;
	snprintf(name, sizeof(name), "%.*s-direct", (int)strcspn(type, "-"), type);
	return open_type(name, input);
}

/* The type or its replacement; NULL if none is known. */
static const char *known_type(const char *type)
{
	const char *const types[] = {type, "xterm-256color", "vt100"};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (can_draw(types[i]))
			return types[i];
	return NULL;
}

static SCREEN *open_any(const struct term_config *config, FILE *input)
{
	SCREEN *screen = NULL;

	if (config->color && config->direct_color)
		screen = open_direct(config->type, input);
	return screen ? screen : open_type(known_type(config->type), input);
}

void term_prepare(const char *type)
{
	const struct terminal_type *built_in = terminal_types;

	if (known_type(type) || !built_in->name)
		return;
	while (built_in->name && strcmp(built_in->name, type) != 0)
		built_in++;
	if (!built_in->name)
		built_in = terminal_types;
	setenv("TERMINFO", built_in->terminfo, 1);
}

static enum color_depth probe_depth(const struct term_config *config)
{
	if (!config->color || !has_colors() || start_color() == ERR)
		return COLOR_DEPTH_MONO;
	if (COLOR_PAIRS <= 2 * STYLE_COUNT || COLORS < 8)
		return COLOR_DEPTH_MONO;
	if (COLORS > 256)
		return COLOR_DEPTH_RGB;
	if (COLORS == 256)
		return COLOR_DEPTH_256;
	return COLORS >= 16 ? COLOR_DEPTH_16 : COLOR_DEPTH_8;
}

static int pair_number(const struct term *term, int index)
{
	if (term->depth == COLOR_DEPTH_RGB && index > 0 && index < TERM_FIRST_DIRECT)
		return TERM_FIRST_DIRECT;
	return index;
}

static attr_t terminal_attributes(unsigned attributes)
{
	return (attributes & ATTRIBUTE_BOLD ? A_BOLD : A_NORMAL) |
	       (attributes & ATTRIBUTE_UNDERLINE ? A_UNDERLINE : A_NORMAL) |
	       (attributes & ATTRIBUTE_DIM ? A_DIM : A_NORMAL) |
	       (attributes & ATTRIBUTE_REVERSE ? A_REVERSE : A_NORMAL);
}

/*
 * The pair of two colours. Equal colours share a pair, so that ncurses sends nothing between them.
 * alloc_pair() gives the terminal's default colours pair 0, which costs more bytes to return to.
 */
static short pair_of(const struct term *term, struct pairs *pairs, int front, int back)
{
	size_t i = 0;

	while (i < pairs->n && (pairs->front[i] != front || pairs->back[i] != back))
		i++;
	if (i == pairs->n) {
		pairs->front[i] = front;
		pairs->back[i] = back;
		pairs->n++;
		init_extended_pair((int)i + 1, pair_number(term, front), pair_number(term, back));
	}
	return (short)(i + 1);
}

static void make_looks(struct term *term, const struct theme *theme)
{
	struct pairs pairs = {0};

	for (enum style i = 0; i < STYLE_COUNT; i++) {
		for (size_t selected = 0; selected < 2; selected++) {
			struct theme_look shown = theme_look(theme, i, selected, term->depth);
			struct look *look = &term->looks[i][selected];

			look->attributes = terminal_attributes(shown.attributes);
			look->pair = 0;
			if (term->depth == COLOR_DEPTH_MONO)
				continue;
			look->pair = pair_of(term, &pairs, shown.foreground, shown.background);
		}
	}
}

/* The stream of keys; NULL: no terminal. *opened: it was opened here and must be closed. */
static FILE *open_input(bool *opened)
{
	int fd;

	*opened = false;
	if (isatty(STDIN_FILENO))
		return stdin;
	fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;

	FILE *file = fdopen(fd, "r+");

	if (!file)
		close(fd);
	*opened = true;
	return file;
}

static void close_input(FILE *input, bool opened)
{
	if (opened)
		fclose(input);
}

static void set_input_modes(void)
{
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
}

/*
 * Whether terminfo has xterm's mouse. Clicks and the wheel are requested in the form for more than
 * 223 columns; terminals without it report in the older form.
 */
static bool has_xterm_mouse(void)
{
	const char *mouse = tigetstr("kmous");

	return mouse && mouse != (const char *)-1 && mouse[0] == '\033' && mouse[1] == '[';
}

static void set_mouse(const struct term *term, bool on)
{
	if (!term->mouse)
		return;
	fputs(on ? "\033[?1000h\033[?1006h" : TERM_NO_MOUSE, stdout);
	fflush(stdout);
}

/* Prepares term_restore.c: the sequences that restore this terminal. */
static void arm_restore(const struct term *term)
{
	const char *const strings[] = {
		term->mouse ? TERM_NO_MOUSE : NULL,
		tigetstr("sgr0"),
		tigetstr("op"),
		tigetstr("cnorm"),
		tigetstr("rmkx"),
		tigetstr("rmcup"),
		"\r\n",
	};

	term_restore_arm(&term->before, strings, ARRAY_SIZE(strings));
}

/* Whether ncurses would take at most TERM_SIDE_MAX for a side, from environment or window. */
static bool is_side_limited(unsigned window, enum variable variable)
{
	const char *text = variable_value(variable);
	double side = 0;

	return window <= TERM_SIDE_MAX &&
	       (!text || text_number(text, &side) == 0 || side <= TERM_SIDE_MAX);
}

static bool is_window_limited(void)
{
	struct winsize size = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		size = (struct winsize){0};
	return is_side_limited(size.ws_row, VARIABLE_LINES) &&
	       is_side_limited(size.ws_col, VARIABLE_COLUMNS);
}

int term_open(const struct term_config *config, struct term **out, struct error *err)
{
	if (!isatty(STDOUT_FILENO))
		return error_set(err, -ENOTTY, "Standard output is not a terminal.");

	bool own_input;
	FILE *input = open_input(&own_input);

	if (!input)
		return error_set(
			err, -ENOTTY,
			"No terminal to read keys from: neither standard input nor /dev/tty.");

	struct termios before;
	bool known = tcgetattr(STDOUT_FILENO, &before) == 0;
	use_env(FALSE); /* term_measure() reads and limits the size */
	SCREEN *screen = open_any(config, input);
	if (!screen && is_window_limited()) {
		/* terminfo has no size for some types (linux): ncurses reads the window's. */
		use_env(TRUE);
		screen = open_any(config, input);
	}

	if (!screen || !known) {
		close_input(input, own_input);
		return error_set(err, -ENOENT,
				 "Unknown terminal type '%.40s', and xterm-256color and vt100 are "
				 "unknown too.",
				 config->type ? config->type : "");
	}

	struct term *term = xcalloc(1, sizeof(*term));

	term->screen = screen;
	term->input = input;
	term->own_input = own_input;
	term->cursor = -1;
	term->before = before;
	term->mouse = config->mouse && has_xterm_mouse();
	arm_restore(term);
	canvas_init(&term->last, false);
	set_input_modes();
	term->depth = probe_depth(config);
	if (term->depth != COLOR_DEPTH_MONO && use_default_colors() == ERR)
		assume_default_colors(COLOR_WHITE, COLOR_BLACK);
	make_looks(term, config->theme);
	set_mouse(term, true);
	*out = term;
	return 0;
}

/*
 * Returns the terminal to the shell. Without an alternate screen the last picture stays, as in top,
 * and the shell's prompt appears in the last line, which is therefore cleared.
 */
static void restore_terminal(const struct term *term)
{
	const char *leave = tigetstr("rmcup");

	term_restore_unfreeze();
	set_mouse(term, false);
	if (!leave || leave == (const char *)-1) {
		move(LINES - 1, 0);
		attrset(A_NORMAL);
		clrtoeol();
		refresh();
	}
	curs_set(1);
	endwin();
	term_restore_disarm();
}

void term_close(struct term *term)
{
	if (!term)
		return;
	if (term_restore_is_ours())
		restore_terminal(term);
	term_restore_disarm();
	delscreen(term->screen);
	close_input(term->input, term->own_input);
	canvas_fini(&term->last);
	free(term);
}

int term_input_fd(const struct term *term)
{
	return fileno(term->input);
}

bool term_writable(const struct term *term)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	(void)term;
	return poll(&out, 1, 0) != 0;
}

/*
 * The window's side in cells, else that of the environment, else `otherwise`; at most
 * TERM_SIDE_MAX.
 */
static int limited_side(unsigned window, enum variable variable, int otherwise)
{
	const char *text = variable_value(variable);
	double side = window;

	if (window == 0 && (!text || text_number(text, &side) != strlen(text) || side < 1))
		side = otherwise;
	return (int)fmin(side, TERM_SIDE_MAX);
}

void term_measure(struct term *term, unsigned *width, unsigned *height)
{
	struct winsize size = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		size = (struct winsize){0};
	int rows = limited_side(size.ws_row, VARIABLE_LINES, LINES);
	int columns = limited_side(size.ws_col, VARIABLE_COLUMNS, COLS);
	if (rows > 0 && columns > 0 && (rows != LINES || columns != COLS)) {
		/* After a failure ncurses has two sizes and writes beyond its buffers. */
		if (resizeterm(rows, columns) == ERR)
			xalloc_failed();
		term_forget(term);
	}
	*width = COLS > 0 ? (unsigned)COLS : 1;
	*height = LINES > 0 ? (unsigned)LINES : 1;
}

void term_forget(struct term *term)
{
	clearok(curscr, TRUE);
	canvas_resize(&term->last, 0, 0);
}

void term_set_theme(struct term *term, const struct theme *theme)
{
	make_looks(term, theme);
	canvas_resize(&term->last, 0, 0);
}

void term_suspend(struct term *term)
{
	term->cursor = -1;
	restore_terminal(term);
}

void term_resume(struct term *term)
{
	reset_prog_mode();
	arm_restore(term);
	set_mouse(term, true);
	term->cursor = -1;
	term_forget(term);
}

static bool same_cell(const struct canvas_cell *a, const struct canvas_cell *b)
{
	return a->style == b->style && a->selected == b->selected && strcmp(a->text, b->text) == 0;
}

static cchar_t to_cchar(const struct term *term, const struct canvas_cell *cell)
{
	const struct look *look = &term->looks[cell->style][cell->selected];
	wchar_t text[2 + TEXT_MARKS_MAX] = {0};
	const char *from = cell->text;
	uint32_t character;
	cchar_t complex;

	for (size_t i = 0; i <= TEXT_MARKS_MAX;
	     i++) { /* text_decode() returns 0 at the end, repeatedly */
		from += text_decode(from, &character);
		text[i] = (wchar_t)character;
	}
	if (setcchar(&complex, text, look->attributes, look->pair, NULL) == ERR)
		setcchar(&complex, L" ", look->attributes, look->pair, NULL);
	return complex;
}

/*
 * Draws the changed cells from x on, at most RUN_MAX characters. Returns their number. A run never
 * ends before the right half of a wide character.
 */
static unsigned draw_run(const struct term *term, const struct canvas *canvas, unsigned x,
			 unsigned y, bool all)
{
	cchar_t run[RUN_MAX];
	unsigned columns = 0;
	int n = 0;

	while (x + columns < canvas->width) {
		const struct canvas_cell *cell = canvas_at(canvas, x + columns, y);

		if (n == RUN_MAX && cell->text[0])
			break;
		if (!all && same_cell(cell, canvas_at(&term->last, x + columns, y)))
			break;
		if (cell->text[0]) /* else the right half of a wide character */
			run[n++] = to_cchar(term, cell);
		columns++;
	}
	if (n > 0)
		mvadd_wchnstr((int)y, (int)x, run, n);
	return columns;
}

static void show_cursor(struct term *term, const struct canvas *canvas)
{
	int cursor = canvas->cursor ? 1 : 0;

	if (cursor != term->cursor) /* an invisible cursor may stay anywhere */
		leaveok(stdscr, curs_set(cursor) != ERR && !cursor);
	term->cursor = cursor;
	if (canvas->cursor)
		move((int)canvas->cursor_y, (int)canvas->cursor_x);
	else
		move((int)canvas->height - 1, 0);
}

static void save_drawn(struct term *term, const struct canvas *canvas)
{
	struct canvas *last = &term->last;

	if (last->width != canvas->width || last->height != canvas->height)
		canvas_resize(last, canvas->width, canvas->height);
	if (last->width && last->height)
		memcpy(last->cells, canvas->cells,
		       sizeof(*last->cells) * canvas->width * canvas->height);
}

void term_draw(struct term *term, const struct canvas *canvas)
{
	bool all = term->last.width != canvas->width || term->last.height != canvas->height;

	for (unsigned y = 0; y < canvas->height; y++)
		for (unsigned x = 0, n; x < canvas->width; x += n ? n : 1)
			n = draw_run(term, canvas, x, y, all);
	show_cursor(term, canvas);
	refresh();
	save_drawn(term, canvas);
}
