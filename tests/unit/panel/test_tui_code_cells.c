// SPDX-License-Identifier: MIT
/* Cells of functions: shares and their errors, counts in few columns, names. */
#include "tui/panel/code_cells.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/stage.h"

#include <string.h>

struct share_case {
	const char *name;
	struct code_share share;
	const char *text, *ascii, *difference;
};

static const struct share_case shares[] = {
	{"usual", {248, 0.621, 0.0143}, "62.1 ±1.4 ", "62.1+-1.4 ", "+62.1 ±1.4 "},
	{"all", {248, 1, 0}, "100.0      ", "100.0      ", "+100.0      "},
	{"a large error", {1, 1, 0.5}, "100.0 ±50.0", "100.0+-50.0", "+100.0 ±50.0"},
	{"a tenth", {1, 0.0005, 0.0005}, "0.1 ±0.1 ", "0.1+-0.1 ", "+0.1 ±0.1 "},
	{"less than a tenth", {1, 0.0004, 0.0005}, "<0.1 ±0.1 ", "<0.1+-0.1 ", "0.0 ±0.1 "},
	{"with less error", {1, 0.0004, 0.0004}, "<0.1      ", "<0.1      ", "0.0      "},
	{"many samples", {500000, 0.25, 0.0003}, "25.0      ", "25.0      ", "+25.0      "},
	{"none", {0, 0, 0}, "0.0      ", "0.0      ", "0.0      "},
	{"less than before", {1, -0.05, 0.01}, "-5.0 ±1.0 ", "-5.0+-1.0 ", "-5.0 ±1.0 "},
};

static void writes_shares(void **state)
{
	const struct share_case *row = *state;
	char text[60];

	code_share_text(&row->share, false, text, sizeof(text));
	assert_string_equal(text, row->text);
	assert_in_range(text_width(text), 0, CODE_SHARE_WIDTH);
	code_share_text(&row->share, true, text, sizeof(text));
	assert_string_equal(text, row->ascii);
	code_difference_text(&row->share, false, text, sizeof(text));
	assert_string_equal(text, row->difference);
	assert_in_range(text_width(text), 0, CODE_DIFFERENCE_WIDTH);
}

/* The error of a metric with two decimals, and with none. */
struct error_case {
	const char *name;
	double error;
	const char *fine, *ascii, *coarse;
};

static const struct error_case errors[] = {
	{"small", 0.07, " ±0.07", "+-0.07", "      "},
	{"tens", 12.345, " ±12.3", "+-12.3", " ±12  "},
	{"hundreds", 320, " ±320 ", "+-320 ", " ±320 "},
	{"thousands", 12345, " ±12k ", "+-12k ", " ±12k "},
	{"rounds to zero", 0.004, "      ", "      ", "      "},
	{"none, or unknown", 0, "      ", "      ", "      "},
};

static void writes_errors(void **state)
{
	const struct error_case *row = *state;
	const struct metric_def fine = {.width = 6, .decimals = 2}, coarse = {.width = 6};
	char text[16];

	code_error_text(&fine, row->error, false, text, sizeof(text));
	assert_string_equal(text, row->fine);
	assert_int_equal(text_width(text), CODE_ERROR_WIDTH);
	code_error_text(&fine, row->error, true, text, sizeof(text));
	assert_string_equal(text, row->ascii);
	code_error_text(&coarse, row->error, false, text, sizeof(text));
	assert_string_equal(text, row->coarse);
}

/* Draws one cell of a width on a line of 40 columns, and compares the line. */
struct cell_case {
	const char *name;
	unsigned width;
	uint64_t samples; /* 0: the module and the function below it */
	struct code_function function;
	const char *drawn;
};

static const struct cell_case cells[] = {
	{"one sample", 7, 1, {0}, "      1\n"},
	{"thousands", 7, 12345, {0}, " 12,345\n"},
	{"the most that fits", 7, 999999, {0}, "999,999\n"},
	{"millions", 7, 1234567, {0}, " 1,234k\n"},
	{"a library", 14, 0, {"f", "libpython3.11.so.1.0", CODE_USER}, "libpython3.11\nf\n"},
	{"a program", 14, 0, {"f", "qemu-system-aarch64", CODE_USER}, "qemu-system-a…\nf\n"},
	{"no module", 14, 0, {"[unknown]", "", CODE_UNNAMED}, "-\n[unknown]\n"},
	{"an address",
	 20,
	 0,
	 {"qemu-system-aarch64+0x75ef90", "qemu-system-aarch64", CODE_UNNAMED},
	 "qemu-system-aarch64\nqemu-syst..+0x75ef90\n"},
};

static void draws_cells(void **state)
{
	const struct cell_case *row = *state;
	struct canvas canvas;
	struct rect place = {0, 0, row->width, 1};

	canvas_init(&canvas, false);
	canvas_resize(&canvas, 40, row->samples ? 1 : 2);
	canvas_clear(&canvas);
	if (row->samples) {
		code_cell_samples(&canvas, place, row->samples);
	} else {
		code_cell_module(&canvas, place, &row->function);
		place.y++;
		code_cell_function(&canvas, place, &row->function);
	}
	char *drawn = canvas_print(&canvas);
	assert_string_equal(drawn, row->drawn);
	free(drawn);
	canvas_fini(&canvas);
}

int main(void)
{
	static const struct cases tables[] = {
		CASES(writes_shares, shares),
		CASES(writes_errors, errors),
		CASES(draws_cells, cells),
	};

	return cases_run("tui_code_cells", tables, ARRAY_SIZE(tables), NULL, 0);
}
