// SPDX-License-Identifier: MIT
#include "tests/unit/shared/widths.h"

/* Characters that are shown as TEXT_REPLACEMENT for any wcwidth(), and the reasons. */
static const struct {
	const char *why;
	uint32_t first, last;
} replaced_characters[] = {
	{"soft hyphen: shown by some", 0xAD, 0xAD},
	{"changes the direction", 0x61C, 0x61C},
	{"changes the direction", 0x200E, 0x200F},
	{"changes the direction", 0x202A, 0x202E},
	{"invisible, changes the direction", 0x2060, 0x206F},
	{"byte order mark", 0xFEFF, 0xFEFF},
	{"interlinear annotation", 0xFFF9, 0xFFFB},
	{"invisible tags", 0xE0000, 0xE007F},
	{"combining grapheme joiner: shows nothing", 0x34F, 0x34F},
	{"Hangul filler: shows nothing", 0x1160, 0x1160},
	{"Khmer vowels: show nothing", 0x17B4, 0x17B5},
	{"Mongolian selectors: show nothing", 0x180B, 0x180F},
	{"zero-width space and joiners: show nothing", 0x200B, 0x200D},
	{"variation selectors: show nothing", 0xFE00, 0xFE0F},
	{"shorthand controls: show nothing", 0x1BCA0, 0x1BCA3},
	{"musical controls: show nothing", 0x1D173, 0x1D17A},
	{"variation selectors, supplement: show nothing", 0xE0100, 0xE01EF},
	{"Arabic number signs: 0 or 1", 0x600, 0x605},
	{"Arabic end of ayah: 0 or 1", 0x6DD, 0x6DD},
	{"Syriac abbreviation mark: 0 or 1", 0x70F, 0x70F},
	{"Arabic pound and piastre marks: 0 or 1", 0x890, 0x891},
	{"Arabic disputed end of ayah: 0 or 1", 0x8E2, 0x8E2},
	{"Kaithi number sign: 0 or 1", 0x110BD, 0x110BD},
	{"Kaithi number sign above: 0 or 1", 0x110CD, 0x110CD},
	{"Ahom medial ra: 0, and 1 since Unicode 16", 0x1171E, 0x1171E},
	{"Egyptian joiners: 0, and 1 in later glibc", 0x13430, 0x13438},
	{"Hangul filler: 0 or 2", 0x115F, 0x115F},
	{"Hangul filler: 0 or 2", 0x3164, 0x3164},
	{"Hangul filler: 0 or 1", 0xFFA0, 0xFFA0},
	{"trigrams: wide since Unicode 16", 0x2630, 0x2637},
	{"digrams: wide since Unicode 16", 0x268A, 0x268F},
	{"numbers on black squares: wide in glibc alone", 0x3248, 0x324F},
	{"hexagrams: wide in glibc and since Unicode 16", 0x4DC0, 0x4DFF},
	{"Tai Xuan Jing: wide since Unicode 16", 0x1D300, 0x1D356},
	{"counting rods: wide since Unicode 16", 0x1D360, 0x1D376},
	{"regional indicators: two make a flag", 0x1F1E6, 0x1F1FF},
	{"skin tones: drawn into the emoji before", 0x1F3FB, 0x1F3FF},
};

bool is_deliberate(uint32_t code)
{
	for (size_t i = 0; i < ARRAY_SIZE(replaced_characters); i++)
		if (code >= replaced_characters[i].first && code <= replaced_characters[i].last)
			return true;
	return false;
}

struct text_scan shown_character(uint32_t code)
{
	char bytes[6] = "a";
	struct text_scan scan = {.at = bytes};

	text_encode(code, bytes + 1);
	text_scan_next(&scan);
	text_scan_next(&scan);
	scan.replaced = scan.replaced || scan.character != code; /* a surrogate */
	return scan;
}
