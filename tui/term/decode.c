// SPDX-License-Identifier: MIT
/*
 * ECMA-48 in short. ESC [ parameters letter is a control sequence, ESC O letter a function key. ESC
 * ] P X ^ _ begin a string that ESC \ or BEL ends. ESC character is the character with Alt. A mouse
 * event is a control sequence too: ESC [ < button ; x ; y M in xterm's newer form, ESC [ M and
 * three bytes in the older one.
 *
 * With bracketed paste (xterm's mode 2004) pasted text stands between ESC [ 200 ~ and ESC [ 201 ~.
 * Characters there are no keys, and no other sequence is one.
 */
#include "tui/term/decode.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/term/keymap.h"

#include <string.h>

enum {
	ESC = 0x1b,
	BEL = 0x07,
	PARAMETERS = 4,
	BUTTON_MODIFIERS = 4 | 8 | 16,
	BUTTON_LEFT = 0,
	BUTTON_WHEEL_UP = 64,
	BUTTON_WHEEL_DOWN = 65,
	COORDINATE_MAX = 0xffff,
	PASTE_BEGIN = 200,
	STATUS_READY = 0, /* in a device status report */
	STATUS_FAULT = 3,
};

static int letter_key(char letter)
{
	switch (letter) {
	case 'A':
		return KEYMAP_UP;
	case 'B':
		return KEYMAP_DOWN;
	case 'C':
		return KEYMAP_RIGHT;
	case 'D':
		return KEYMAP_LEFT;
	case 'F':
		return KEYMAP_END;
	case 'H':
		return KEYMAP_HOME;
	default:
		return DECODE_NOTHING;
	}
}

static int number_key(unsigned number)
{
	static const int keys[] = {
		[1] = KEYMAP_HOME,     [3] = KEYMAP_DELETE,    [4] = KEYMAP_END,
		[5] = KEYMAP_PAGE_UP,  [6] = KEYMAP_PAGE_DOWN, [7] = KEYMAP_HOME,
		[8] = KEYMAP_END,      [11] = KEYMAP_F0 + 1,   [12] = KEYMAP_F0 + 2,
		[13] = KEYMAP_F0 + 3,  [14] = KEYMAP_F0 + 4,   [15] = KEYMAP_F0 + 5,
		[17] = KEYMAP_F0 + 6,  [18] = KEYMAP_F0 + 7,   [19] = KEYMAP_F0 + 8,
		[20] = KEYMAP_F0 + 9,  [21] = KEYMAP_F0 + 10,  [23] = KEYMAP_F0 + 11,
		[24] = KEYMAP_F0 + 12,
	};

	return number < ARRAY_SIZE(keys) ? keys[number] : DECODE_NOTHING;
}

static unsigned clamp_coordinate(unsigned from_one)
{
	unsigned from_zero = from_one > 0 ? from_one - 1 : 0;

	return from_zero < COORDINATE_MAX ? from_zero : COORDINATE_MAX;
}

static void decode_mouse(struct decoded *decoded, unsigned button, unsigned x, unsigned y)
{
	switch (button & ~(unsigned)BUTTON_MODIFIERS) {
	case BUTTON_LEFT:
		decoded->key = DECODE_CLICK;
		break;
	case BUTTON_WHEEL_UP:
		decoded->key = DECODE_WHEEL_UP;
		break;
	case BUTTON_WHEEL_DOWN:
		decoded->key = DECODE_WHEEL_DOWN;
		break;
	default:
		return;
	}
	decoded->x = clamp_coordinate(x);
	decoded->y = clamp_coordinate(y);
}

/* Parses numbers between semicolons; missing ones are 0. Returns false for other characters. */
static bool read_parameters(const char *bytes, size_t n, unsigned parameters[PARAMETERS])
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == ';' && ++at < PARAMETERS)
			continue;
		if (bytes[i] < '0' || bytes[i] > '9')
			return false;
		if (parameters[at] <= COORDINATE_MAX)
			parameters[at] = parameters[at] * 10 + (unsigned)(bytes[i] - '0');
	}
	return true;
}

/* ESC [ ? mode ; state $ y */
static bool is_mode(const char *bytes, size_t length)
{
	return length > 5 && bytes[2] == '?' && bytes[length - 2] == '$' &&
	       bytes[length - 1] == 'y';
}

static void sequence_key(const char *bytes, size_t length, struct decoded *decoded)
{
	unsigned numbers[PARAMETERS] = {0};

	if (is_mode(bytes, length)) {
		if (read_parameters(bytes + 3, length - 5, numbers)) {
			decoded->key = DECODE_MODE;
			decoded->x = numbers[0];
			decoded->y = numbers[1];
		}
		return;
	}
	const char *from = bytes + 2;
	char letter = bytes[length - 1];
	bool mouse = from[0] == '<';

	if (!read_parameters(from + mouse, length - 3 - mouse, numbers))
		return;
	if (mouse && letter == 'M')
		decode_mouse(decoded, numbers[0], numbers[1], numbers[2]);
	else if (mouse)
		return;
	else if (letter == '~')
		decoded->key = numbers[0] == PASTE_BEGIN ? DECODE_PASTE : number_key(numbers[0]);
	else if (letter == 'n' && (numbers[0] == STATUS_READY || numbers[0] == STATUS_FAULT))
		decoded->key = DECODE_STATUS;
	else if (letter == 'Z')
		decoded->key = KEYMAP_SHIFT_TAB;
	else if (numbers[0] <= 1) /* the second number has the modifiers: Shift, Alt, Control */
		decoded->key = letter_key(letter);
}

static bool ends_sequence(char byte)
{
	return byte >= 0x40 && byte <= 0x7e;
}

static bool in_sequence(char byte)
{
	return byte >= 0x20 && byte < 0x40;
}

static size_t decode_sequence(struct decoder *decoder, const char *bytes, size_t n, bool final,
			      struct decoded *decoded)
{
	size_t at = 2;

	if (n > at && (bytes[at] == 'M' || bytes[at] == '[')) {
		/* The older mouse form, or a function key of the Linux console. */
		size_t length = bytes[at] == 'M' ? 6 : 4;

		if (n < length)
			return final ? n : 0;
		if (length == 6)
			decode_mouse(decoded, (unsigned char)bytes[3] - 32u,
				     (unsigned char)bytes[4] - 32u, (unsigned char)bytes[5] - 32u);
		return length;
	}
	while (at < n && in_sequence(bytes[at]))
		at++;
	if (at < n) {
		if (!ends_sequence(bytes[at]))
			return at;
		if (at < DECODE_LONGEST)
			sequence_key(bytes, at + 1, decoded);
		return at + 1;
	}
	if (final)
		return n;
	if (n < DECODE_LONGEST)
		return 0;
	decoder->skip = DECODE_SKIP_CONTROL;
	return n;
}

/*
 * Returns how many bytes belong to the sequence that is skipped. 0: none, or more bytes are needed;
 * then decoder->skip is still set.
 */
static size_t skip_sequence(struct decoder *decoder, const char *bytes, size_t n, bool final)
{
	bool string = decoder->skip == DECODE_SKIP_STRING;
	size_t at = 0;

	while (at < n && (string ? bytes[at] != ESC && bytes[at] != BEL : in_sequence(bytes[at])))
		at++;
	if (at == n && !final)
		return n;
	decoder->skip = DECODE_SKIP_NONE;
	if (at == n)
		return n;
	if (!string)
		return at + ends_sequence(bytes[at]);
	if (bytes[at] == BEL)
		return at + 1;
	if (at + 1 < n) /* ESC \ ends the string; another ESC begins a new sequence */
		return bytes[at + 1] == '\\' ? at + 2 : at;
	if (final)
		return n;
	decoder->skip = DECODE_SKIP_STRING;
	return at;
}

static bool begins_string(char byte)
{
	return byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_';
}

static size_t decode_character(const char *bytes, size_t n, bool final, struct decoded *decoded)
{
	char text[5] = "";
	uint32_t character;
	unsigned char first = (unsigned char)bytes[0];
	size_t wanted = first < 0xc2   ? 1
			: first < 0xe0 ? 2
			: first < 0xf0 ? 3
			: first < 0xf5 ? 4
				       : 1;

	if (n < wanted && !final)
		return 0;
	memcpy(text, bytes, n < wanted ? n : wanted);
	size_t length = text_decode(text, &character);
	if (length == 0) /* NUL */
		return 1;
	if (character == TEXT_REPLACEMENT || (character >= 0x80 && character < 0xa0))
		return length;
	decoded->key = keymap_key_of((int)character);
	return length;
}

/*
 * The length of the longest terminfo string at the beginning of the bytes; 0: none. *more: the
 * bytes may be the beginning of a longer one.
 */
static size_t match_string(const struct decoder *decoder, const char *bytes, size_t n, int *key,
			   bool *more)
{
	size_t longest = 0;

	*more = false;
	for (size_t i = 0; i < decoder->n_strings; i++) {
		const struct decode_string *string = &decoder->strings[i];
		size_t length = strlen(string->bytes);

		if (length > n)
			*more |= memcmp(string->bytes, bytes, n) == 0;
		else if (length > longest && memcmp(string->bytes, bytes, length) == 0) {
			longest = length;
			*key = string->key;
		}
	}
	return longest;
}

/* ESC and at least one more byte. */
static size_t decode_escape(struct decoder *decoder, const char *bytes, size_t n, bool final,
			    struct decoded *decoded)
{
	if (bytes[1] == ESC) {
		decoded->key = KEYMAP_ESCAPE;
		return 1;
	}
	if (n > 2 && bytes[1] == 'O') {
		decoded->key = letter_key(bytes[2]);
		if (bytes[2] >= 'P' && bytes[2] <= 'S')
			decoded->key = KEYMAP_F0 + 1 + (bytes[2] - 'P');
		if (bytes[2] == 'M')
			decoded->key = KEYMAP_ENTER;
		return 3;
	}
	if (n == 2 && !final && bytes[1] == 'O')
		return 0;
	if (bytes[1] == '[')
		return decode_sequence(decoder, bytes, n, final, decoded);
	if (begins_string(bytes[1]) && (n > 2 || !final)) {
		if (n == 2)
			return 0;
		decoder->skip = DECODE_SKIP_STRING;
		return 2;
	}
	size_t used = decode_character(bytes + 1, n - 1, final, decoded);

	if (used > 0 && decoded->key != DECODE_NOTHING)
		decoded->key |= KEYMAP_ALT;
	return used > 0 ? 1 + used : 0;
}

/* Between the parts of a paste there may be an answer of the terminal. */
static size_t decode_pasted(struct decoder *decoder, const char *bytes, size_t n, bool final,
			    struct decoded *decoded)
{
	static const struct {
		const char *bytes;
		int key;
	} sequences[] = {{"\033[201~", DECODE_PASTE_END}, {"\033[0n", DECODE_STATUS}};

	for (size_t i = 0; i < ARRAY_SIZE(sequences); i++) {
		size_t length = strlen(sequences[i].bytes);

		if (memcmp(bytes, sequences[i].bytes, size_min(n, length)) != 0)
			continue;
		if (n < length)
			return final ? n : 0;
		decoder->pasting = sequences[i].key != DECODE_PASTE_END;
		decoded->key = sequences[i].key;
		return length;
	}
	if (bytes[0] == ESC)
		return 1;
	size_t used = decode_character(bytes, n, final, decoded);
	decoded->pasted = decoded->key != DECODE_NOTHING;
	return used;
}

size_t decode(struct decoder *decoder, const char *bytes, size_t n, bool final,
	      struct decoded *decoded)
{
	bool more;
	int key;

	*decoded = (struct decoded){.key = DECODE_NOTHING};
	if (n == 0)
		return 0;
	if (decoder->pasting)
		return decode_pasted(decoder, bytes, n, final, decoded);
	if (decoder->skip != DECODE_SKIP_NONE) {
		size_t skipped = skip_sequence(decoder, bytes, n, final);

		if (skipped > 0 || decoder->skip != DECODE_SKIP_NONE)
			return skipped;
	}
	size_t length = match_string(decoder, bytes, n, &key, &more);
	if (more && !final)
		return 0;
	if (length > 0) {
		decoded->key = key;
		return length;
	}
	if (bytes[0] != ESC)
		return decode_character(bytes, n, final, decoded);
	if (n > 1) {
		size_t used = decode_escape(decoder, bytes, n, final, decoded);

		decoder->pasting = decoded->key == DECODE_PASTE;
		return used;
	}
	if (final)
		decoded->key = KEYMAP_ESCAPE;
	return final ? 1 : 0;
}
