// SPDX-License-Identifier: MIT
/*
 * Any text as a theme: colours that exist at each depth and a note for each skipped line, or an
 * error text.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/util.h"
#include "tui/term/theme.h"

#include <errno.h>
#include <string.h>

static void check_color(struct color color, struct color ground)
{
	static const struct {
		enum color_depth depth;
		int end;
	} depths[] = {
		{COLOR_DEPTH_MONO, 0},  {COLOR_DEPTH_8, 8},         {COLOR_DEPTH_16, 16},
		{COLOR_DEPTH_256, 256}, {COLOR_DEPTH_RGB, 1 << 24},
	};

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		int index = color_index(color, depths[i].depth);
		int on = color_index_on(color, ground, depths[i].depth);

		fuzz_check(index >= -1 && index < depths[i].end, "a colour exists at the depth");
		fuzz_check(on >= -1 && on < depths[i].end, "a colour on another exists, too");
		fuzz_check(color.set || index == -1, "an unset colour has no number");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);
	struct theme theme;
	struct notes notes = {0};
	struct error err = {0};
	int result = theme_parse("t", text, &theme, &notes, &err);
	char about[40];

	if (result == 0) {
		for (size_t i = 0; i < STYLE_COUNT; i++)
			check_color(theme.styles[i].foreground, theme.styles[i].background);
	} else {
		fuzz_check(result == -EINVAL && err.code == result && err.text[0],
			   "a refusal has a text");
		fuzz_check(notes.n == 0, "a refusal has no notes");
	}
	for (size_t i = 0; i < notes.n; i++)
		fuzz_check(strncmp(notes.items[i].text, "t:", 2) == 0, "a note names a line");
	theme_about(text, about, sizeof(about));
	fuzz_check(!strpbrk(about, "\r\n"), "the description is one line");
	notes_fini(&notes);
	free(text);
	return 0;
}
