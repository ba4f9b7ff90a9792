// SPDX-License-Identifier: MIT
/* A bar of parts: its widths are exact, and each part can be read. */
#include "core/base/util.h"
#include "tui/widget/widget_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 4 };

static void test_divide(void **state)
{
	static const struct {
		const char *name;
		double values[N];
		unsigned width, cells[N];
	} rows[] = {
		{"exact", {50, 25, 25, 0}, 40, {20, 10, 10, 0}},
		{"one part", {0, 0.1, 0, 0}, 78, {0, 78, 0, 0}},
		{"nothing", {0, 0, 0, 0}, 78, {0, 0, 0, 0}},
		{"largest remainder", {1, 1, 1, 0}, 80, {27, 27, 26, 0}},
		{"a small part has a column", {1000, 1, 0, 0}, 10, {9, 1, 0, 0}},
		{"three small parts", {1000, 1, 1, 1}, 10, {7, 1, 1, 1}},
		{"a part that is small after another", {100, 11, 1, 0}, 10, {8, 1, 1, 0}},
		{"fewer columns than parts", {5, 5, 5, 5}, 2, {1, 1, 0, 0}},
		{"no column", {5, 5, 5, 5}, 0, {0, 0, 0, 0}},
		{"huge values", {1e18, 3e18, 0, 0}, 8, {2, 6, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct part parts[N];
		unsigned cells[N];

		for (size_t k = 0; k < N; k++)
			parts[k] = (struct part){.value = rows[i].values[k]};
		parts_divide(parts, N, rows[i].width, cells);
		for (size_t k = 0; k < N; k++)
			if (cells[k] != rows[i].cells[k])
				fail_msg("%s: part %zu has %u columns", rows[i].name, k, cells[k]);
	}
}

/* Many divisions: the sum, the least width, and the distance from the exact share. */
static void test_sums(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (unsigned run = 0; run < 2000; run++) {
		unsigned cells[N], width = N + run % 200, sum = 0;
		struct part parts[N];
		double total = 0;

		for (size_t k = 0; k < N; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			parts[k] = (struct part){.value = (double)(random >> (33 + k * 6))};
			total += parts[k].value;
		}
		parts_divide(parts, N, width, cells);
		for (size_t k = 0; k < N; k++) {
			sum += cells[k];
			assert_true(cells[k] > 0 || parts[k].value <= 0);
			double error = cells[k] - parts[k].value / total * width;
			assert_true(error < 1 && error > -(double)N);
		}
		assert_int_equal(sum, width);
	}
}

static void test_draw(void **state)
{
	static const struct part parts[] = {
		{50, "user", 'u', "█", "=", STYLE_PLAIN},
		{25, "kernel", 'k', "▓", "#", STYLE_PLAIN},
		{20, "runq", 'q', "▒", "-", STYLE_PLAIN},
		{0, "lock", 'l', "░", "~", STYLE_PLAIN},
		{5, "D", 'D', "░", "~", STYLE_PLAIN},
	};
	static const struct {
		bool ascii;
		unsigned width;
		const char *text;
	} rows[] = {
		{false, 22, "[user██████k▓▓▓▓q▒▒▒░]"},
		{true, 22, "[user======k####q---~]"},
		{true, 42, "[user================kernel####runq----D~]"},
		{true, 8, "[u==#-~]"},
		{true, 2, "  "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct canvas canvas;
		char text[256] = "";

		canvas_init(&canvas, rows[i].ascii);
		canvas_resize(&canvas, rows[i].width, 1);
		parts_draw(parts, ARRAY_SIZE(parts), &canvas, 0, 0, rows[i].width);
		for (unsigned x = 0; x < canvas.width; x++)
			strcat(text, canvas_at(&canvas, x, 0)->text);
		assert_string_equal(text, rows[i].text);
		canvas_fini(&canvas);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_divide),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_draw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
