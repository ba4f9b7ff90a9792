// SPDX-License-Identifier: MIT
/* Graphs of one line and of several, in UTF-8 and ASCII. */
#include "core/base/util.h"
#include "tui/widget/widget_graph.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_top(void **state)
{
	static const struct {
		float values[3];
		double least, want;
	} rows[] = {
		{{NAN, NAN, NAN}, 1, 1},
		{{0, 0, 0}, 0.1, 0.1},
		{{0.3f, NAN, 0.1f}, 0.01, 0.5},
		{{99.6f, 3, 4}, 1, 100},
		{{100, 3, 4}, 1, 100},
		{{100.3f, 3, 4}, 1, 100}, /* 100, cut */
		{{101, 3, 4}, 1, 200},
		{{0, 201, 0}, 1, 500},
		{{-5, -3, -4}, 1, 1},
		{{1e30f, 0, 0}, 1, 1e30},
		{{0, 2, 1}, 10, 10},
		{{0.99f, 0, 0}, 0.1, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double top = graph_top(rows[i].values, 3, rows[i].least);

		if (fabs(top - rows[i].want) > rows[i].want * 1e-6)
			fail_msg("row %zu: %g, not %g", i, top, rows[i].want);
	}
}

static void test_repeat(void **state)
{
	static const struct {
		size_t n, known;
		unsigned want;
	} rows[] = {
		{96, 0, 0},  {96, 1, 16}, {96, 6, 16}, {96, 7, 8},  {96, 12, 8}, {96, 13, 4},
		{96, 24, 4}, {96, 48, 2}, {96, 49, 1}, {96, 96, 1}, {8, 1, 8},   {1, 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		float some[96];

		for (size_t k = 0; k < rows[i].n; k++)
			some[k] = k + rows[i].known < rows[i].n ? NAN : 1;
		/* A gap later on is part of what is known. */
		if (rows[i].known > 2)
			some[rows[i].n - 1] = NAN;
		if (graph_repeat(some, rows[i].n) != rows[i].want)
			fail_msg("%zu of %zu: %u", rows[i].known, rows[i].n,
				 graph_repeat(some, rows[i].n));
	}
}

static void check_line(const struct canvas *canvas, unsigned y, const char *want)
{
	char text[256] = "";

	for (unsigned x = 0; x < canvas->width; x++)
		strcat(text, canvas_at(canvas, x, y)->text);
	assert_string_equal(text, want);
}

static const float values[] = {0, 12.5f, NAN, 25, 50, 75, 100, 200, -3, NAN, 100};

static void test_line(void **state)
{
	const struct graph graph = {values, ARRAY_SIZE(values), 100, STYLE_PLAIN};
	struct canvas canvas;

	(void)state;
	canvas_init(&canvas, false);
	canvas_resize(&canvas, 14, 1);
	graph_draw_line(&graph, &canvas, 1, 0, 12); /* more room than values */
	check_line(&canvas, 0, "  ▁▁ ▂▄▆██▁ █ ");
	canvas_clear(&canvas);
	graph_draw_line(&graph, &canvas, 0, 0, 3);
	check_line(&canvas, 0, "▁ █           ");
	canvas_clear(&canvas);
	graph_draw_line(&(struct graph){values, 3, 100, STYLE_PLAIN, .repeat = 2}, &canvas, 1, 0,
			7);
	check_line(&canvas, 0, "  ▁▁▁▁        ");
	canvas_fini(&canvas);

	canvas_init(&canvas, true);
	canvas_resize(&canvas, 14, 1);
	graph_draw_line(&graph, &canvas, 1, 0, 12);
	check_line(&canvas, 0, "  __ _-=##_ # ");
	canvas_fini(&canvas);
}

static void test_any_height(void **state)
{
	const struct graph graph = {values, ARRAY_SIZE(values), 100, STYLE_PLAIN};
	const struct graph none = {NULL, 0, 1, STYLE_PLAIN};
	struct canvas canvas;

	(void)state;
	canvas_init(&canvas, false);
	canvas_resize(&canvas, 7, 2);
	assert_int_equal(graph_values(&canvas, 7), 14);
	graph_draw(&graph, &canvas, (struct rect){0, 0, 7, 2});
	check_line(&canvas, 0, "    ⣼⡇⢸");
	check_line(&canvas, 1, " ⢀⡀⣼⣿⣇⢸");
	canvas_clear(&canvas);
	graph_draw(&none, &canvas, (struct rect){0, 0, 7, 2});
	graph_draw(&graph, &canvas, (struct rect){0, 0, 7, 0});
	graph_draw(&graph, &canvas, (struct rect){0, 0, 0, 2});
	check_line(&canvas, 0, "       ");
	canvas_fini(&canvas);

	canvas_init(&canvas, true);
	canvas_resize(&canvas, 12, 2);
	assert_int_equal(graph_values(&canvas, 12), 12);
	graph_draw(&graph, &canvas, (struct rect){0, 0, 12, 2});
	check_line(&canvas, 0, "      -##  #");
	check_line(&canvas, 1, " __ -####_ #");
	canvas_fini(&canvas);
}

/* Drawn values move to the left and do not change. */
static void test_steady(void **state)
{
	struct graph graph = {values, ARRAY_SIZE(values) - 2, 100, STYLE_PLAIN};
	struct canvas before, after;

	(void)state;
	canvas_init(&before, false);
	canvas_init(&after, false);
	canvas_resize(&before, 4, 3);
	canvas_resize(&after, 4, 3);
	graph_draw(&graph, &before, (struct rect){0, 0, 4, 3});
	graph.n += 2;
	graph_draw(&graph, &after, (struct rect){0, 0, 4, 3});
	for (unsigned y = 0; y < 3; y++)
		for (unsigned x = 0; x < 3; x++)
			assert_string_equal(canvas_at(&before, x + 1, y)->text,
					    canvas_at(&after, x, y)->text);
	canvas_fini(&before);
	canvas_fini(&after);
}

/* The mark selects its column and draws a line in its empty cells. */
static void test_mark(void **state)
{
	static const float some[] = {100, 0, NAN, 50};
	struct graph graph = {some, 4, 100, STYLE_PLAIN, true, 2};
	struct canvas canvas;

	(void)state;
	for (int ascii = 0; ascii < 2; ascii++) {
		canvas_init(&canvas, ascii);
		canvas_resize(&canvas, 5, 2);
		graph.mark = 2;
		graph_draw_line(&graph, &canvas, 0, 0, 5);
		check_line(&canvas, 0, ascii ? " #_|-" : " █▁│▄");
		for (unsigned x = 0; x < 5; x++)
			assert_int_equal(canvas_at(&canvas, x, 0)->selected, x == 3);
		canvas_clear(&canvas);
		graph.mark = 1;
		graph_draw(&graph, &canvas, (struct rect){0, 0, 5, 2});
		check_line(&canvas, 0, ascii ? " #|  " : "   ⡇ ");
		check_line(&canvas, 1, ascii ? " #_ #" : "   ⣇⢸");
		assert_true(canvas_at(&canvas, ascii ? 2 : 3, 1)->selected);
		/* A mark outside of the graph is not drawn. */
		graph.mark = 0;
		graph_draw(&graph, &canvas, (struct rect){0, 0, 1, 2});
		graph_draw(&graph, &canvas, (struct rect){4, 0, 5, 9});
		canvas_fini(&canvas);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top),    cmocka_unit_test(test_repeat),
		cmocka_unit_test(test_line),   cmocka_unit_test(test_any_height),
		cmocka_unit_test(test_steady), cmocka_unit_test(test_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
