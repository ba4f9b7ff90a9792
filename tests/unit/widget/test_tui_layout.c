// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/util.h"
#include "tui/widget/layout.h"

static void assert_inside(struct rect rect, unsigned width, unsigned height)
{
	assert_true(rect.x + rect.width <= width);
	assert_true(rect.y + rect.height <= height);
}

/* Every line belongs to exactly one part, at any size and with any wanted parts. */
static void test_every_size(void **state)
{
	(void)state;
	for (unsigned height = 0; height <= 60; height++)
		for (unsigned width = 0; width <= 40; width++)
			for (unsigned want = 0; want < 64; want++) {
				struct layout_want wanted = {
					.cpu_lines = want & 1 ? 64 : (want & 2),
					.banner = want & 4,
					.prompt = want & 8,
					.machine = want & 16,
					.findings = want & 32,
				};
				struct layout l = layout_screen(width, height, &wanted);
				const struct rect *parts[] = {&l.title,    &l.totals, &l.machine,
							      &l.findings, &l.cpus,   &l.banner,
							      &l.body,     &l.bottom};
				unsigned y = 0;

				for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
					assert_inside(*parts[i], width, height);
					if (parts[i]->height == 0)
						continue;
					assert_int_equal(parts[i]->y, y);
					y += parts[i]->height;
				}
				assert_int_equal(y, height);
				if (wanted.prompt && height > 0)
					assert_int_equal(l.bottom.height, 1);
				else if (height > 0)
					assert_true(l.body.height >= 1);
				if (height >= 24) /* 13 rows and the titles */
					assert_true(l.body.height >= 14);
			}
}

static void test_priority(void **state)
{
	static const struct {
		unsigned height, title, totals, cpus, banner, body, bottom;
	} rows[] = {
		{50, 1, 1, 8, 1, 38, 1}, {24, 1, 1, 3, 1, 17, 1}, {14, 1, 1, 3, 1, 7, 1},
		{13, 1, 1, 0, 1, 9, 1},  {10, 1, 1, 0, 1, 6, 1},  {9, 1, 1, 0, 0, 6, 1},
		{7, 1, 1, 0, 0, 5, 0},   {5, 1, 0, 0, 0, 4, 0},   {3, 0, 0, 0, 0, 3, 0},
		{1, 0, 0, 0, 0, 1, 0},
	};
	struct layout_want want = {.cpu_lines = 64, .banner = true};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct layout l = layout_screen(80, rows[i].height, &want);

		assert_int_equal(l.title.height, rows[i].title);
		assert_int_equal(l.totals.height, rows[i].totals);
		assert_int_equal(l.cpus.height, rows[i].cpus);
		assert_int_equal(l.banner.height, rows[i].banner);
		assert_int_equal(l.body.height, rows[i].body);
		assert_int_equal(l.bottom.height, rows[i].bottom);
	}
}

/* A wide screen has more parts beside the list and below it, which touch and fill the body. */
static void test_wide(void **state)
{
	struct layout_want want = {.cpu_lines = 64, .banner = true, .history = true, .more = true};

	(void)state;
	for (unsigned height = 0; height <= 80; height++)
		for (unsigned width = 100; width <= 260; width += 20)
			for (want.list_lines = 1; want.list_lines < 100; want.list_lines += 7) {
				struct layout l = layout_screen(width, height, &want);
				bool wide = width >= 160 && height >= 40;

				assert_inside(l.body, width, height);
				assert_inside(l.cpus, width, height);
				assert_inside(l.detail, width, height);
				assert_inside(l.side, width, height);
				assert_int_equal(l.history.height, wide ? 3 : 0);
				assert_int_equal(l.body.y + l.body.height + l.detail.height,
						 height - l.bottom.height);
				assert_int_equal(l.side.height > 0, wide);
				if (l.detail.height > 0)
					assert_int_equal(l.body.y + l.body.height, l.detail.y);
				if (!wide)
					continue;
				assert_int_equal(l.cpus.y, l.body.y);
				assert_int_equal(l.cpus.y + l.cpus.height, l.side.y);
				assert_int_equal(l.side.y + l.side.height, l.bottom.y);
				assert_true(l.body.width > l.side.width);
				assert_true(l.body.x + l.body.width < l.side.x);
				assert_int_equal(l.side.x + l.side.width, width);
				assert_true(l.cpus.height < l.side.height);
			}
}

/* List, CPUs and details share the lines by need. */
static void test_need(void **state)
{
	static const struct {
		const char *name;
		unsigned width, height, list_lines, cpu_lines;
		unsigned body, detail, cpus, side;
	} rows[] = {
		{"few rows and CPUs", 200, 50, 3, 2, 5, 39, 3, 41},
		{"some rows", 200, 50, 20, 16, 20, 24, 17, 27},
		{"many rows", 200, 50, 500, 2, 29, 15, 3, 41},
		{"many CPUs", 200, 50, 500, 256, 29, 15, 17, 27},
		{"no CPUs", 200, 50, 500, 0, 29, 15, 0, 44},
		{"the least wide screen", 160, 40, 500, 64, 19, 15, 13, 21},
		{"tall, few rows", 120, 40, 3, 0, 5, 32, 0, 0},
		{"tall, some rows", 120, 40, 29, 0, 29, 8, 0, 0},
		{"tall, more rows", 120, 40, 30, 0, 37, 0, 0, 0},
		{"low", 200, 39, 3, 0, 36, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct layout_want want = {
			.cpu_lines = rows[i].cpu_lines,
			.list_lines = rows[i].list_lines,
			.history = true,
			.more = true,
		};
		struct layout l = layout_screen(rows[i].width, rows[i].height, &want);

		if (l.body.height != rows[i].body || l.detail.height != rows[i].detail ||
		    l.cpus.height != rows[i].cpus || l.side.height != rows[i].side)
			fail_msg("%s: list %u, detail %u, CPUs %u, side %u", rows[i].name,
				 l.body.height, l.detail.height, l.cpus.height, l.side.height);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_priority),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_need),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
