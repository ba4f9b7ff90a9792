// SPDX-License-Identifier: MIT
/* Pasted text from a terminal, and its end if that does not come. */
#include "core/base/util.h"
#include "tui/term/input.h"
#include "tui/term/keymap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The keys that bytes are, as text: pasted ones in capitals, other events as a point. */
static void read_all(struct input *input, char *text)
{
	struct decoded event;
	size_t n = 0;

	while (input_next(input, &event)) {
		bool letter = event.key >= 'a' && event.key <= 'z';
		text[n++] = (char)(!letter        ? '.'
				   : event.pasted ? event.key - 'a' + 'A'
						  : event.key);
	}
	text[n] = '\0';
}

static void ends_without_bytes(void **state)
{
	static const struct {
		const char *name;
		const char *first, *second; /* what comes, and what comes later */
		uint64_t silent_ns;         /* in between, at least */
		const char *keys;
	} rows[] = {
		{"its end comes", "\033[200~ab\033[201~c", "d", 0, ".AB.cd"},
		{"it goes on", "\033[200~ab", "c\033[201~d", 0, ".ABC.d"},
		{"its end does not come", "\033[200~ab", "q", INPUT_PASTE_NS, ".ABq"},
		{"a late end", "\033[200~ab", "\033[201~q", INPUT_PASTE_NS, ".ABq"},
		{"a part of its end", "\033[200~ab\033[20", "q", INPUT_PASTE_NS, ".ABq"},
		{"without a paste", "ab", "q", INPUT_PASTE_NS, "abq"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct input input = {.patience_ms = 1};
		char keys[64];
		int ends[2];

		assert_int_equal(pipe(ends), 0);
		input.fd = ends[0];
		input.decoder.strings = input.strings;
		assert_true(write(ends[1], rows[i].first, strlen(rows[i].first)) > 0);
		read_all(&input, keys);
		assert_true(input.silent_ns > 0);
		/* As if so much time had passed; and without silence as if it had been read now. */
		input.silent_ns = rows[i].silent_ns ? input.silent_ns - rows[i].silent_ns : 0;
		assert_true(write(ends[1], rows[i].second, strlen(rows[i].second)) > 0);
		read_all(&input, keys + strlen(keys));
		if (strcmp(keys, rows[i].keys) != 0)
			fail_msg("%s: %s", rows[i].name, keys);
		close(ends[0]);
		close(ends[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ends_without_bytes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
