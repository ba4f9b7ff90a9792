// SPDX-License-Identifier: MIT
/*
 * Any bytes in cells of any style, and a theme of any bytes. The picture is well-formed XML, and
 * the text has no control characters except SGR sequences.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/util.h"
#include "tests/unit/shared/markup.h"
#include "tui/term/canvas_ansi.h"
#include "tui/term/canvas_svg.h"

static void fill_cells(struct canvas *canvas, struct fuzz_bytes *bytes)
{
	size_t n = (size_t)canvas->width * canvas->height;

	for (size_t i = 0; i < n && bytes->left > 0; i++) {
		struct canvas_cell *cell = &canvas->cells[i];
		uint8_t style = fuzz_u8(bytes);
		size_t length = fuzz_u8(bytes) % sizeof(cell->text);

		cell->style = style % STYLE_COUNT;
		cell->selected = style >= 128;
		fuzz_read(bytes, cell->text, length);
		cell->text[length] = '\0';
	}
}

static void check_picture(const struct canvas *canvas, const struct theme *theme, bool color,
			  const char *title)
{
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	canvas_print_svg(canvas, theme, color, title, out);
	fclose(out);
	fuzz_check(strlen(text) == size && !xml_fault(text), "the picture is well-formed");
	free(text);
}

static void check_text(const struct canvas *canvas, const struct theme *theme,
		       enum color_depth depth)
{
	char *text;
	size_t size;
	unsigned lines = 0;
	FILE *out = xopen_memstream(&text, &size);

	canvas_print_ansi(canvas, theme, depth, out);
	fclose(out);
	fuzz_check(strlen(text) == size && !sgr_fault(text), "the text has no other sequences");
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	fuzz_check(lines == canvas->height, "a line for each line");
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	unsigned width = fuzz_u8(&bytes) % 64, height = fuzz_u8(&bytes) % 8;
	uint8_t depth = fuzz_u8(&bytes);
	char *title = fuzz_text(&bytes), *lines = fuzz_text(&bytes);
	struct notes notes = {0};
	struct theme theme = {0};
	struct canvas canvas;

	theme_parse("t", lines, &theme, &notes, NULL);
	canvas_init(&canvas, false);
	canvas_resize(&canvas, width, height);
	fill_cells(&canvas, &bytes);
	check_picture(&canvas, &theme, depth % 2, title);
	check_text(&canvas, &theme, depth % (COLOR_DEPTH_RGB + 1u));
	canvas_fini(&canvas);
	notes_fini(&notes);
	free(lines);
	free(title);
	return 0;
}
