// SPDX-License-Identifier: MIT
/* Bytes from a terminal, and the keys and clicks that they decode to. */
#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/term/decode.h"
#include "tui/term/keymap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { KEYS = 32 };

/* Sequences of one terminal: an unusual Home, and an F1 that is the start of a longer sequence. */
static const struct decode_string native[] = {
	{"\033[@", KEYMAP_HOME},
	{"\033OP", KEYMAP_F0 + 1},
	{"\010", KEYMAP_BACKSPACE},
	{"\033[11^", KEYMAP_F0 + 11},
};

static void describe(const struct decoded *decoded, char *text, size_t size)
{
	static const char *const mouse[] = {"click",  "wheel-up", "wheel-down", "mode",
					    "status", "paste",    "end"};
	size_t length = strlen(text);

	if (length > 0 && length + 1 < size)
		text[length++] = ' ';
	if (decoded->pasted)
		text[length++] = '+';
	if (decoded->key == DECODE_PASTE || decoded->key == DECODE_PASTE_END)
		text_copy(text + length, size - length, mouse[decoded->key - DECODE_CLICK]);
	else if (decoded->key >= DECODE_CLICK && decoded->key <= DECODE_STATUS)
		snprintf(text + length, size - length, "%s(%u,%u)",
			 mouse[decoded->key - DECODE_CLICK], decoded->x, decoded->y);
	else
		keymap_key_name(decoded->key, text + length, size - length);
}

/* Decodes pieces of `piece` bytes, which arrive without a pause, into names of keys. */
static void decode_all(const char *bytes, size_t n, size_t piece, char *text, size_t size)
{
	struct decoder decoder = {.strings = native, .n_strings = ARRAY_SIZE(native)};
	size_t from = 0, to = 0;

	text[0] = '\0';
	while (from < n) {
		struct decoded decoded;
		bool final = to == n;
		size_t used = decode(&decoder, bytes + from, to - from, final, &decoded);

		assert_true(used <= to - from);
		from += used;
		if (decoded.key != DECODE_NOTHING)
			describe(&decoded, text, size);
		if (used > 0)
			continue;
		assert_false(final);
		to = size_min(to + piece, n);
	}
}

static void test_bytes(void **state)
{
	static const struct {
		const char *bytes, *keys;
	} rows[] = {
		{"q", "q"},
		{"a b", "a Space b"},
		{"\r", "Enter"},
		{"\n\t", "Enter Tab"},
		{"\177\010", "Backspace Backspace"},
		{"\003\014", "^C ^L"},
		{"é漢😀", "é 漢 😀"},
		{"\033", "Esc"},
		{"\033\033", "Esc Esc"},
		{"\033h", "Alt-h"},
		{"\033é", "Alt-é"},
		{"\033\r", "Alt-Enter"},
		{"\033[", ""},
		{"\033O", "Alt-O"},
		{"\033]", "Alt-]"},
		/* keys, by standard codes and by the codes of `native` */
		{"\033[A\033OB\033[C\033OD", "Up Down Right Left"},
		{"\033[H\033OF\033[1~\033[4~\033[7~\033[8~", "Home End Home End Home End"},
		{"\033[5~\033[6~\033[3~\033[Z", "PgUp PgDn Delete S-Tab"},
		{"\033OP\033OS\033[15~\033[17~\033[24~", "F1 F4 F5 F6 F12"},
		{"\033[@x\033[11^", "Home x F11"},
		{"\033[1;5A\033[1;3D\033[5;2~", "Up Left PgUp"},
		{"\033OM", "Enter"},
		{"\033\033[A", "Esc Up"},
		/* other sequences, and the key that follows */
		{"\033[2~q", "q"},
		{"\033[99999999999999999999~q", "q"},
		{"\033[24;80Rq", "q"},
		{"\033[?62;22cq", "q"},
		{"\033[>0;276;0cq", "q"},
		{"\033[Iq\033[O", "q"},
		{"\033[[Aq", "q"},
		{"\033[12;q", ""}, /* q ends a sequence */
		{"\033[1\033[Aq", "Up q"},
		{"\033[1\rq", "Enter q"},
		{"\033]11;rgb:0000/0000/0000\007q", "q"},
		{"\033]11;rgb:0000/0000/0000\033\\q", "q"},
		{"\033P1$r0m\033\\q", "q"},
		{"\033]half q", ""},
		{"\033]half\033[Aq", "Up q"},
		{"\033]half\033q", "Alt-q"},
		{"\033[0000000000000000000000000000000000000000000000000000000000000000000000000Aq",
		 "q"},
		{"\377\376q\300\200\355\240\200\302", "q"},
		{"\302q", "q"},
		{"\302\233Aq", "A q"}, /* 8-bit CSI is not decoded: terminals do not send it */
		/* the mouse */
		{"\033[<0;1;1M", "click(0,0)"},
		{"\033[<0;80;24M\033[<0;80;24m", "click(79,23)"},
		{"\033[<64;5;6M\033[<65;300;6M", "wheel-up(4,5) wheel-down(299,5)"},
		{"\033[<16;5;6M\033[<4;5;6M", "click(4,5) click(4,5)"},
		{"\033[<1;5;6M\033[<2;5;6M\033[<32;5;6M\033[<66;5;6Mq", "q"},
		{"\033[<0;99999999999;0M", "click(65535,0)"},
		{"\033[<0;5M", "click(4,0)"},
		{"\033[<x;5Mq", "; 5 M q"}, /* x ends the sequence */
		{"\033[M !!", "click(0,0)"},
		{"\033[M`%&q", "wheel-up(4,5) q"},
		{"\033[M#%&q", "q"},
		{"\033[M !", ""},
		/* answers about modes, and what is no such answer */
		{"\033[?2026;2$yq", "mode(2026,2) q"},
		{"q\033[?2026;0$y\033[?2026;1$y", "q mode(2026,0) mode(2026,1)"},
		{"\033[?2026$yq", "mode(2026,0) q"},
		{"\033[2026;2$yq\033[?2026;2yq\033[$yq\033[?$yq", "q q q q"},
		{"\033[?x", ""},
		/* answers about the status, and what is no such answer */
		{"\033[0nq", "status(0,0) q"},
		{"q\033[3n\033[n\033OPq", "q status(0,0) status(0,0) F1 q"},
		{"\033[5nq\033[6nq\033[?0nq\033[?10nq\033[>0nq\033[<0nq", "q q q q q q"},
		{"\033[0;1Rq\033[0$nq\033[0\rn", "q q Enter n"},
		{"n\033n\033[", "n Alt-n"},
		/* pasted text is no keys, with or without an end */
		{"\033[200~ok\r\033[201~q", "paste +o +k +Enter end q"},
		{"\033[200~\033[201~\033[200~é\033[201~", "paste end paste +é end"},
		{"\033[200~q\003\t\177", "paste +q +^C +Tab +Backspace"},
		{"\033[200~\033[A\033OP\033q\033", "paste +[ +A +O +P +q"},
		{"\033[200~\033[200~\033[201\033[20\033[201~q",
		 "paste +[ +2 +0 +0 +~ +[ +2 +0 +1 +[ +2 +0 end q"},
		{"\033[200~a\033[0nb\033[201~\033[0n", "paste +a status(0,0) +b end status(0,0)"},
		{"\033[200~\377\302\233\033[20", "paste"},
		{"\033[201~q\033[1200~q\033[200;1~q", "q q paste +q"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t piece = 1; piece < 200; piece += piece < 4 ? 1 : 60) {
			char keys[256];

			decode_all(rows[i].bytes, strlen(rows[i].bytes), piece, keys, sizeof(keys));
			if (strcmp(keys, rows[i].keys) != 0)
				fail_msg("row %zu (%s), %zu bytes a time: '%s' instead of '%s'", i,
					 rows[i].bytes + 1, piece, keys, rows[i].keys);
		}
}

/* NUL is a byte like any other. */
static void test_nul(void **state)
{
	char keys[64];

	(void)state;
	decode_all("\0q\0\033\0q", 6, 6, keys, sizeof(keys));
	assert_string_equal(keys, "q q");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
