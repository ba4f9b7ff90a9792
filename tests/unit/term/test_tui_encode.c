// SPDX-License-Identifier: MIT
/*
 * What is sent makes a terminal show the canvas, after any sequence of canvases, on terminals of
 * several types; and how many bytes that takes.
 */
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/term_stage.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { STEPS = 4000, WIDTH_MAX = 30, HEIGHT_MAX = 30 };

struct terminal_row {
	const char *name, *type;
	bool direct, mono;
	enum color_depth depth;
	unsigned attributes;       /* that the type has */
	unsigned attributes_mixed; /* the attributes that it has together with colours */
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

/* A walk over random canvases. */
struct walk {
	struct term_stage stage;
	const struct terminal_row *row;
	uint64_t random;
	char step[64]; /* what was done last */
};

static bool open_walk(struct walk *walk, const struct terminal_row *row)
{
	walk->row = row;
	walk->random = 88172645463325252u;
	walk->step[0] = '\0';
	if (!term_stage_open(&walk->stage, row->type, !row->mono, row->direct))
		return false;
	walk->stage.terminal.returns = row->returns;
	return true;
}

static unsigned below(struct walk *walk, unsigned end)
{
	return (unsigned)(u64_random(&walk->random) % end);
}

static int shown_color(const struct walk *walk, int number)
{
	if (number >= 16 && number < 256 && walk->row->depth == COLOR_DEPTH_RGB) {
		struct color color = color_of_index(number);

		return SMALL_TERMINAL_DIRECT + (color.red << 16) + (color.green << 8) + color.blue;
	}
	return number;
}

static int wanted_color(const struct walk *walk, int number)
{
	return number >= 0 && walk->row->depth == COLOR_DEPTH_RGB ? SMALL_TERMINAL_DIRECT + number
								  : number;
}

static bool is_shown(const struct walk *walk, unsigned x, unsigned y)
{
	const struct canvas_cell *cell = canvas_at(&walk->stage.canvas, x, y);
	const struct small_terminal_cell *shown = small_terminal_at(&walk->stage.terminal, x, y);
	struct paint paint =
		theme_paint(&walk->stage.theme, cell->style, cell->selected, walk->row->depth);
	const unsigned visible = ATTRIBUTE_UNDERLINE | ATTRIBUTE_REVERSE;

	paint.attributes &= walk->row->attributes;
	if (paint.foreground >= 0 || paint.background >= 0)
		paint.attributes &= walk->row->attributes_mixed;
	if (strcmp(cell->text, shown->text) != 0)
		return false;
	if (!cell->text[0]) /* a wide character has the paint of its left half */
		return true;
	if (wanted_color(walk, paint.background) != shown_color(walk, shown->background))
		return false;
	if (strcmp(cell->text, " ") == 0 && !((paint.attributes | shown->attributes) & visible))
		return true;
	return wanted_color(walk, paint.foreground) == shown_color(walk, shown->foreground) &&
	       paint.attributes == shown->attributes;
}

static void assert_shown(struct walk *walk, unsigned step)
{
	const struct canvas *canvas = &walk->stage.canvas;

	for (unsigned y = 0; y < canvas->height; y++) {
		for (unsigned x = 0; x < canvas->width; x++) {
			bool corner = walk->stage.terminal.wraps_at_once &&
				      y + 1 == canvas->height && x + 2 >= canvas->width;

			if (!corner && !is_shown(walk, x, y))
				fail_msg("%s, step %u (%s): (%u, %u) of %ux%u is '%s', not '%s' of "
					 "style %u",
					 walk->row->name, step, walk->step, x, y, canvas->width,
					 canvas->height,
					 small_terminal_at(&walk->stage.terminal, x, y)->text,
					 canvas_at(canvas, x, y)->text,
					 canvas_at(canvas, x, y)->style);
		}
	}
	assert_int_equal(walk->stage.terminal.scrolled, 0);
	if (!canvas->cursor)
		return;
	assert_int_equal(walk->stage.terminal.x, canvas->cursor_x);
	assert_int_equal(walk->stage.terminal.y, canvas->cursor_y);
	assert_false(walk->stage.terminal.cursor_hidden);
}

static void change_text(struct walk *walk)
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
	struct canvas *canvas = &walk->stage.canvas;

	snprintf(walk->step, sizeof(walk->step), "text");
	canvas_text(canvas, below(walk, canvas->width), below(walk, canvas->height), canvas->width,
		    (enum style)below(walk, STYLE_COUNT), texts[below(walk, ARRAY_SIZE(texts))]);
}

static struct rect any_rect(struct walk *walk)
{
	return (struct rect){below(walk, walk->stage.canvas.width),
			     below(walk, walk->stage.canvas.height), 1 + below(walk, WIDTH_MAX),
			     1 + below(walk, 2)};
}

static void copy_lines(struct walk *walk)
{
	struct canvas copy;

	snprintf(walk->step, sizeof(walk->step), "scroll");
	canvas_init(&copy, false);
	canvas_resize(&copy, walk->stage.canvas.width, walk->stage.canvas.height);
	canvas_copy(&copy, (struct rect){0, 0, copy.width, copy.height}, &walk->stage.canvas, 0);
	canvas_copy(&walk->stage.canvas, any_rect(walk), &copy, below(walk, copy.height));
	canvas_fini(&copy);
}

/* Another program leaves the cursor and the colours somewhere. */
static void disturb(struct walk *walk)
{
	static const char moves[] = "\033[2;3H\033[0;1;31;44m";

	snprintf(walk->step, sizeof(walk->step), "another program");
	small_terminal_write(&walk->stage.terminal, moves, sizeof(moves) - 1);
}

static void write_over(struct walk *walk)
{
	static const char text[] = "\033[1;1H\033[0;1;31;44mA message from another program";

	if (walk->stage.terminal.width * walk->stage.terminal.height > sizeof(text))
		small_terminal_write(&walk->stage.terminal, text, sizeof(text) - 1);
	walk->stage.terminal.scrolled = 0;
}

static void begin_anew(struct walk *walk)
{
	static const char *const themes[] = {"default", "dracula", "light", "mono"};

	unsigned width, height;

	switch (below(walk, 4)) {
	case 0:
		snprintf(walk->step, sizeof(walk->step), "size");
		term_stage_resize(&walk->stage, 1 + below(walk, WIDTH_MAX),
				  1 + below(walk, HEIGHT_MAX));
		term_measure(walk->stage.term, &width, &height);
		assert_int_equal(width, walk->stage.canvas.width);
		assert_int_equal(height, walk->stage.canvas.height);
		break;
	case 1:
		snprintf(walk->step, sizeof(walk->step), "redraw");
		write_over(walk);
		term_forget(walk->stage.term);
		break;
	case 2:
		snprintf(walk->step, sizeof(walk->step), "stop");
		term_stage_answer(&walk->stage);
		term_suspend(walk->stage.term);
		tcflush(STDIN_FILENO, TCIFLUSH); /* one that came too late was not read */
		term_stage_show(&walk->stage);
		assert_int_equal(walk->stage.terminal.now.attributes, 0);
		assert_int_equal(walk->stage.terminal.now.foreground, -1);
		assert_int_equal(walk->stage.terminal.now.background, -1);
		assert_false(walk->stage.terminal.cursor_hidden);
		write_over(walk);
		term_resume(walk->stage.term);
		break;
	default:
		snprintf(walk->step, sizeof(walk->step), "theme");
		term_stage_load_theme(&walk->stage, themes[below(walk, ARRAY_SIZE(themes))]);
		term_set_theme(walk->stage.term, &walk->stage.theme);
	}
}

static void change_canvas(struct walk *walk)
{
	unsigned kind = below(walk, 40);

	if (kind < 24) {
		for (unsigned n = 1 + below(walk, 6); n > 0; n--)
			change_text(walk);
	} else if (kind < 30) {
		snprintf(walk->step, sizeof(walk->step), "select");
		canvas_select(&walk->stage.canvas, any_rect(walk));
	} else if (kind < 34) {
		snprintf(walk->step, sizeof(walk->step), "fill");
		canvas_fill(&walk->stage.canvas, any_rect(walk),
			    (enum style)below(walk, STYLE_COUNT));
	} else if (kind < 37) {
		copy_lines(walk);
	} else if (kind == 37) {
		disturb(walk);
	} else if (kind == 38) {
		snprintf(walk->step, sizeof(walk->step), "clear");
		canvas_clear(&walk->stage.canvas);
	} else {
		begin_anew(walk);
	}
	walk->stage.canvas.cursor = false;
	if (below(walk, 8) == 0)
		canvas_cursor(&walk->stage.canvas, below(walk, walk->stage.canvas.width),
			      below(walk, walk->stage.canvas.height));
}

static void terminal_shows_the_canvas(void **state)
{
	const struct terminal_row *row = *state;
	static struct walk walk;

	if (!open_walk(&walk, row)) {
		term_stage_close(&walk.stage);
		print_message("%s: terminfo has no %s.\n", row->name, row->type);
		skip();
	}
	for (unsigned step = 0; step < STEPS; step++) {
		change_canvas(&walk);
		term_draw(walk.stage.term, &walk.stage.canvas);
		term_stage_show(&walk.stage);
		assert_shown(&walk, step);
	}
	term_stage_close(&walk.stage);
}

static void nothing_is_sent_without_a_change(void **state)
{
	static struct walk walk;
	struct term_stage *stage = &walk.stage;

	(void)state;
	assert_true(open_walk(&walk, &terminals[0]));
	change_text(&walk);
	term_draw(stage->term, &stage->canvas);
	assert_true(term_stage_show(stage) > 0);
	term_draw(stage->term, &stage->canvas);
	assert_int_equal(term_stage_show(stage), 0);
	/* A blank looks the same in another colour of text. */
	canvas_fill(&stage->canvas, (struct rect){15, 4, 5, 1}, STYLE_BAD);
	term_draw(stage->term, &stage->canvas);
	assert_int_equal(term_stage_show(stage), 0);
	term_stage_close(stage);
}

/* Reads after a while, until the end mark. */
static void *read_late(void *arg)
{
	struct term_stage *stage = arg;

	usleep(20000);
	term_stage_show_until_end(stage);
	return NULL;
}

static void a_nonblocking_terminal_gets_all(void **state)
{
	static struct walk walk;
	struct term_stage *stage = &walk.stage;
	pthread_t reader;

	(void)state;
	assert_true(open_walk(&walk, &terminals[0]));
	term_stage_resize(stage, 300, 300);
	for (unsigned i = 0; i < stage->canvas.height; i++)
		for (unsigned x = 0; x < stage->canvas.width; x++)
			canvas_text(&stage->canvas, x, i, 1, (enum style)below(&walk, 4), "x");
	assert_int_equal(0, fcntl(STDOUT_FILENO, F_SETFL, O_RDWR | O_NONBLOCK));
	assert_int_equal(0, pthread_create(&reader, NULL, read_late, stage));
	term_draw(stage->term, &stage->canvas);
	assert_int_equal(0, fcntl(STDOUT_FILENO, F_SETFL, O_RDWR));
	term_stage_mark_end();
	pthread_join(reader, NULL);
	assert_shown(&walk, 0);
	term_stage_close(stage);
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
	static struct term_stage stage;

	assert_true(term_stage_open(&stage, "xterm-256color", true, false));
	term_stage_resize(&stage, 80, 3);
	canvas_text(&stage.canvas, 0, 0, 80, row->style, row->before);
	term_draw(stage.term, &stage.canvas);
	term_stage_show(&stage);
	canvas_clear(&stage.canvas);
	canvas_text(&stage.canvas, 0, 0, 80, row->style, row->after);
	term_draw(stage.term, &stage.canvas);
	term_stage_show(&stage);
	term_stage_close(&stage);
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
		cmocka_unit_test(a_nonblocking_terminal_gets_all),
	};

	term_prepare("xterm-256color");
	return cases_run("encode", tables, ARRAY_SIZE(tables), tests, ARRAY_SIZE(tests));
}
