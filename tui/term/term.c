// SPDX-License-Identifier: MIT
/*
 * ncurses has terminfo and the modes of the line and of the terminal. What changes on the screen is
 * sent by encode.c, in one write. term_measure() reads the window's size and limits it before
 * ncurses learns it, because a remote client chooses that size.
 */
#include "tui/term/term.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/term/encode.h"
#include "tui/term/flow.h"
#include "tui/term/term_restore.h"
#include "tui/term/terminal_type.h"
#include "tui/term/terminfo.h"
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

#define TERM_NO_MOUSE   "\033[?1006l\033[?1000l"
#define TERM_PASTE      "\033[?2004h" /* bracketed paste: pasted text is no keys */
#define TERM_NO_PASTE   "\033[?2004l"
#define TERM_PUSH_TITLE "\033[22;2t" /* XTWINOPS: to the terminal's stack of titles */
#define TERM_POP_TITLE  "\033[23;2t"

/*
 * Synchronized updates (DEC's private mode 2026): the terminal shows what is between begin and end
 * at once. The answer to a query (DECRQM) is whether it has the mode.
 */
#define TERM_SYNC_QUERY "\033[?2026$p"
#define TERM_SYNC_BEGIN "\033[?2026h"
#define TERM_SYNC_END   "\033[?2026l"

/* The status report of ECMA-48 (DSR): a terminal answers ESC [ 0 n. */
#define TERM_STATUS_QUERY "\033[5n"

/* Longest wait for an answer after a signal. It is below the limit of 4 s in signals.h. */
#define TERM_LEAVE_NS (3 * NS_PER_S)

enum {
	TERM_SYNC_MODE = 2026,
	TERM_MODE_SET = 1, /* states of a mode in DECRPM */
	TERM_MODE_RESET = 2,
};

struct term {
	SCREEN *screen;
	FILE *input; /* stdin, or /dev/tty opened here */
	bool own_input;
	struct canvas last; /* what the terminal shows; no width: unknown */
	struct encoder encoder;
	bool mouse;
	bool pastes;                  /* the terminal brackets pasted text */
	bool titles;                  /* the terminal can set and restore its title */
	bool title_saved;             /* the old title is on the terminal's stack */
	char title[TERM_TITLE_BYTES]; /* fit for a terminal */
	bool synchronizes;            /* mode 2026 is there */
	struct flow flow;
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
	return open_type(known_type(config->type), input);
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

/* What this terminal can show of a paint. */
static struct paint make_look(const struct terminfo *terminfo, struct paint paint)
{
	paint.attributes &= terminfo->attributes;
	if (terminfo->depth == COLOR_DEPTH_MONO)
		return paint;
	if (!terminfo->own_colors) { /* the terminal's own colours cannot be had back */
		paint.foreground = paint.foreground < 0 ? COLOR_WHITE : paint.foreground;
		paint.background = paint.background < 0 ? COLOR_BLACK : paint.background;
	}
	if (paint.foreground >= 0 || paint.background >= 0)
		paint.attributes &= terminfo->attributes_in_color;
	return paint;
}

static void make_looks(struct term *term, const struct theme *theme)
{
	struct paints paints = theme_paints(theme, term_depth(term));

	for (enum style i = 0; i < STYLE_COUNT; i++)
		for (size_t selected = 0; selected < 2; selected++)
			term->encoder.paints.of[i][selected] =
				make_look(&term->encoder.terminfo, paints.of[i][selected]);
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
	const char *mouse = terminfo_string("kmous");

	return mouse && mouse[0] == '\033' && mouse[1] == '[';
}

/* Whether the type has xterm's titles, with a stack of them, and its queries. */
static bool is_like_xterm(void)
{
	const char *type = termname();

	return tigetflag("XT") == 1 || strncmp(type, "screen", 6) == 0 ||
	       strncmp(type, "tmux", 4) == 0;
}

/* Few types have it in terminfo. Terminals with xterm's mouse ignore modes that they lack. */
static bool has_paste(void)
{
	return terminfo_string("BE") || is_like_xterm() || has_xterm_mouse();
}

/* Waits for a terminal that another program made non-blocking. Errors: it has hung up. */
static void send_all(const char *bytes, size_t n)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	while (n > 0) {
		ssize_t sent = write(STDOUT_FILENO, bytes, n);

		if (sent > 0) {
			bytes += sent;
			n -= (size_t)sent;
		} else if (sent == 0 || errno == EAGAIN) {
			poll(&out, 1, -1);
		} else if (errno != EINTR) {
			return;
		}
	}
}

static void send_string(const char *string)
{
	send_all(string, strlen(string));
}

static void send_title(const struct term *term)
{
	char bytes[TERM_TITLE_BYTES + 8];

	if (!term->titles || !term->title[0])
		return;
	snprintf(bytes, sizeof(bytes), "\033]2;%s\007", term->title);
	send_string(bytes);
}

static void set_mouse(const struct term *term, bool on)
{
	if (!term->mouse)
		return;
	send_string(on ? "\033[?1000h\033[?1006h" : TERM_NO_MOUSE);
}

/* Sends what terminfo has to begin with a screen. Without clearing: the first drawing does that. */
static void enter_screen(struct term *term)
{
	clearok(curscr, FALSE);
	clearok(newscr, FALSE);
	doupdate();
	if (term->titles && !term->title_saved)
		send_string(TERM_PUSH_TITLE);
	term->title_saved = term->titles;
	send_title(term);
	set_mouse(term, true);
	if (term->pastes)
		send_string(TERM_PASTE);
}

static void query_status(struct term *term)
{
	send_string(TERM_STATUS_QUERY);
	flow_sent(&term->flow, 0, true, monotonic_ns());
}

/*
 * A terminal without these queries may show their bytes, which the first drawing clears. After an
 * answer to the second query, none will come to the first.
 */
static void send_first_queries(struct term *term)
{
	const char *move = terminfo_string("cup");

	if (is_like_xterm())
		send_string(TERM_SYNC_QUERY);
	if (strncmp(move, "\033[", 2) == 0) /* it has control sequences of ECMA-48 */
		query_status(term);
}

/* Reads an answer that is still on its way: the shell would take it for keys. */
static void drop_answer(struct term *term)
{
	struct pollfd in = {.fd = term_input_fd(term), .events = POLLIN};
	uint64_t now_ns = monotonic_ns();
	uint64_t until_ns = now_ns + flow_patience_ns(&term->flow, now_ns);
	bool interrupted = false;
	char byte, last = '\0';

	while (term->flow.queried) {
		now_ns = monotonic_ns();
		int ready = now_ns < until_ns
				    ? poll(&in, 1, (int)((until_ns - now_ns) / NS_PER_MS) + 1)
				    : 0;

		if (ready < 0 && errno == EINTR) {
			if (!interrupted)
				until_ns = u64_min(until_ns, now_ns + TERM_LEAVE_NS);
			interrupted = true;
			continue;
		}
		if (ready <= 0 || read(in.fd, &byte, 1) <= 0 || (last == '0' && byte == 'n'))
			term->flow.queried = false;
		last = byte;
	}
}

/* Prepares term_restore.c: the sequences that restore this terminal. */
static void arm_restore(const struct term *term)
{
	const char *const strings[] = {
		term->mouse ? TERM_NO_MOUSE : NULL,
		term->pastes ? TERM_NO_PASTE : NULL,
		term->titles ? TERM_POP_TITLE : NULL,
		terminfo_string("sgr0"),
		terminfo_string("op"),
		terminfo_string("cnorm"),
		terminfo_string("rmkx"),
		terminfo_string("rmcup"),
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
	term->before = before;
	term->mouse = config->mouse && has_xterm_mouse();
	term->titles = is_like_xterm();
	term->pastes = has_paste();
	arm_restore(term);
	canvas_init(&term->last, false);
	set_input_modes();
	encode_init(&term->encoder, terminfo_read(config->color, config->direct_color));
	make_looks(term, config->theme);
	enter_screen(term);
	send_first_queries(term);
	*out = term;
	return 0;
}

/*
 * Returns the terminal to the shell. Without an alternate screen the last picture stays, as in top,
 * and the shell's prompt appears in the last line, which is therefore cleared.
 */
static void restore_terminal(struct term *term)
{
	struct encoder *encoder = &term->encoder;

	term_restore_unfreeze();
	drop_answer(term);
	set_mouse(term, false);
	if (term->pastes)
		send_string(TERM_NO_PASTE);
	encode_begin(encoder);
	if (term->title_saved)
		encode_string(encoder, TERM_POP_TITLE);
	term->title_saved = false;
	encode_plain(encoder);
	if (!terminfo_string("rmcup")) {
		encode_move(encoder, 0, (unsigned)LINES - 1);
		encode_string(encoder, terminfo_string("el"));
	}
	encode_string(encoder, terminfo_string("cnorm"));
	encoder->cursor.visibility = TERM_CURSOR_UNKNOWN;
	send_all(encoder->output.bytes, encoder->output.length);
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
	encode_fini(&term->encoder);
	canvas_fini(&term->last);
	free(term);
}

int term_input_fd(const struct term *term)
{
	return fileno(term->input);
}

enum color_depth term_depth(const struct term *term)
{
	return term->encoder.terminfo.depth;
}

bool term_writable(const struct term *term)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	(void)term;
	return poll(&out, 1, 0) != 0;
}

int term_wait_ms(const struct term *term)
{
	return (int)((flow_wait_ns(&term->flow, monotonic_ns()) + NS_PER_MS - 1) / NS_PER_MS);
}

/*
 * Returns the window's side in cells, else the environment's, else `otherwise`; at most
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
	canvas_resize(&term->last, 0, 0);
}

void term_set_theme(struct term *term, const struct theme *theme)
{
	make_looks(term, theme);
	term_forget(term);
}

void term_suspend(struct term *term)
{
	restore_terminal(term);
}

void term_resume(struct term *term)
{
	reset_prog_mode();
	arm_restore(term);
	enter_screen(term);
	term->flow = (struct flow){0}; /* it may be another terminal now */
	send_first_queries(term);
	term->encoder.cursor.visibility = TERM_CURSOR_UNKNOWN;
	term_forget(term);
}

void term_set_title(struct term *term, const char *text, bool ascii)
{
	char title[TERM_TITLE_BYTES];

	text_printable(title, sizeof(title), text, TERM_TITLE_COLUMNS);
	for (char *at = title; ascii && *at; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	if (strcmp(title, term->title) == 0)
		return;
	text_copy(term->title, sizeof(term->title), title);
	send_title(term);
}

void term_set_mode(struct term *term, unsigned mode, unsigned state)
{
	if (mode != TERM_SYNC_MODE)
		return;
	term->synchronizes = state == TERM_MODE_SET || state == TERM_MODE_RESET;
}

void term_set_shown(struct term *term)
{
	if (flow_answered(&term->flow, monotonic_ns()) && term_writable(term))
		query_status(term);
}

static void save_drawn(struct term *term, const struct canvas *canvas)
{
	struct canvas *last = &term->last;

	if (last->width != canvas->width || last->height != canvas->height)
		canvas_resize(last, canvas->width, canvas->height);
	canvas_copy(last, (struct rect){0, 0, canvas->width, canvas->height}, canvas, 0);
	last->cursor = canvas->cursor;
	last->cursor_x = canvas->cursor_x;
	last->cursor_y = canvas->cursor_y;
}

void term_draw(struct term *term, const struct canvas *canvas)
{
	bool known = term->last.width == canvas->width && term->last.height == canvas->height;
	struct encoder *encoder = &term->encoder;

	encode_begin(encoder);
	encode_string(encoder, term->synchronizes ? TERM_SYNC_BEGIN : NULL);
	size_t begin = encoder->output.length;
	encode_canvas(encoder, known ? &term->last : NULL, canvas);
	if (encoder->output.length > begin) {
		uint64_t now_ns = monotonic_ns();
		bool queries = flow_queries(&term->flow, now_ns);

		encode_string(encoder, term->synchronizes ? TERM_SYNC_END : NULL);
		encode_string(encoder, queries ? TERM_STATUS_QUERY : NULL);
		flow_sent(&term->flow, encoder->output.length, queries, now_ns);
		send_all(encoder->output.bytes, encoder->output.length);
	}
	save_drawn(term, canvas);
}
