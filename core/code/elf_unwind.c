// SPDX-License-Identifier: MIT
/*
 * The header has a sorted table of pairs (start of a function, place of its FDE). The length is in
 * the FDE, in an encoding that the text of its CIE defines.
 */
#include "core/code/elf_unwind.h"

#include "core/base/util.h"

#include <string.h>

enum {
	/* DW_EH_PE_*: the low four bits are the form. */
	FORM_ADDRESS = 0x00,
	FORM_U2 = 0x02,
	FORM_U4 = 0x03,
	FORM_U8 = 0x04,
	FORM_S2 = 0x0a,
	FORM_S4 = 0x0b,
	FORM_S8 = 0x0c,
	FORM_MASK = 0x0f,
	TABLE_ENCODING = 0x3b, /* relative to the header, FORM_S4: all linkers write this */
	COUNT_ENCODING = FORM_U4,
	HEADER_BYTES = 12, /* with a .eh_frame pointer of 4 bytes, as TABLE_ENCODING implies */
	PAIR_BYTES = 8,
	CIE_BYTES = 64, /* of a CIE that are read; the text and what is behind it is short */
};

/* Returns the bytes of a value of that encoding, 0 if it has another form. */
static size_t form_bytes(const struct elf_file *file, unsigned encoding)
{
	switch (encoding & FORM_MASK) {
	case FORM_ADDRESS:
		return file->is_64 ? 8 : 4;
	case FORM_U2:
	case FORM_S2:
		return 2;
	case FORM_U4:
	case FORM_S4:
		return 4;
	case FORM_U8:
	case FORM_S8:
		return 8;
	default:
		return 0;
	}
}

static uint64_t form_value(const struct elf_file *file, const uint8_t *at, size_t size)
{
	return size == 2 ? elf_u16(file, at) : size == 4 ? elf_u32(file, at) : elf_u64(file, at);
}

/* Moves behind a LEB128 number. False: it is not complete. */
static bool skip_leb128(const uint8_t *bytes, size_t n, size_t *at)
{
	while (*at < n)
		if (!(bytes[(*at)++] & 0x80))
			return true;
	return false;
}

/*
 * Finds the encoding of addresses ('R') in the first n bytes of a CIE, from its version on. False:
 * the CIE cannot be decoded.
 */
static bool find_encoding(const struct elf_file *file, const uint8_t *cie, size_t n,
			  unsigned *encoding)
{
	const uint8_t *text = cie + 1, *end = n > 1 ? memchr(text, '\0', n - 1) : NULL;

	*encoding = FORM_ADDRESS;
	if (!end)
		return false;
	if (text[0] != 'z')
		return text[0] == '\0';
	size_t at = (size_t)(end - cie) + 1;
	/* Alignment of code and of data, return address register, length. */
	if (!skip_leb128(cie, n, &at) || !skip_leb128(cie, n, &at) || !skip_leb128(cie, n, &at) ||
	    !skip_leb128(cie, n, &at))
		return false;
	for (text++; *text && at < n; text++) {
		if (*text == 'R') {
			*encoding = cie[at];
			return true;
		}
		if (*text == 'P')
			at += form_bytes(file, cie[at]);
		if (*text == 'P' || *text == 'L')
			at++;
		else if (*text != 'S' && *text != 'B')
			return false;
	}
	return *text == '\0';
}

/* Reads the length of a function from its FDE at a link address. */
static bool read_length(const struct elf_file *file, uint64_t address, uint64_t *length)
{
	uint8_t head[8], cie[CIE_BYTES], values[16];
	uint64_t fde;
	unsigned encoding;

	if (!elf_file_offset(file, address, &fde) ||
	    !elf_source_read(&file->source, fde, head, sizeof(head)))
		return false;
	uint32_t back = elf_u32(file, head + 4);
	/* 64-bit DWARF has UINT32_MAX here. A FDE begins after its CIE, whose id is 0. */
	if (elf_u32(file, head) == UINT32_MAX || back == 0 || back > fde + 4)
		return false;
	/* From behind its length and id. */
	size_t n = elf_source_read_some(&file->source, fde + 4 - back + 8, cie, sizeof(cie));
	if (!find_encoding(file, cie, n, &encoding))
		return false;
	size_t size = form_bytes(file, encoding);
	if (size == 0 || !elf_source_read(&file->source, fde + 8, values, 2 * size))
		return false;
	*length = form_value(file, values + size, size);
	return true;
}

static bool read_pair(const struct elf_file *file, uint64_t i, uint64_t *start, uint64_t *fde)
{
	uint8_t pair[PAIR_BYTES];

	if (!elf_source_read(&file->source, file->unwind_offset + HEADER_BYTES + i * PAIR_BYTES,
			     pair, sizeof(pair)))
		return false;
	*start = file->unwind_address + (uint64_t)(int32_t)elf_u32(file, pair);
	*fde = file->unwind_address + (uint64_t)(int32_t)elf_u32(file, pair + 4);
	if (!file->is_64) {
		*start &= UINT32_MAX;
		*fde &= UINT32_MAX;
	}
	return true;
}

bool elf_unwind_find(const struct elf_file *file, uint64_t address, struct elf_range *range)
{
	uint8_t header[HEADER_BYTES];
	uint64_t start, fde, length;

	if (file->unwind_bytes < HEADER_BYTES ||
	    !elf_source_read(&file->source, file->unwind_offset, header, sizeof(header)) ||
	    header[0] != 1 || form_bytes(file, header[1]) != 4 || header[2] != COUNT_ENCODING ||
	    header[3] != TABLE_ENCODING)
		return false;
	uint64_t low = 0, high = elf_u32(file, header + 8);
	uint64_t most = (file->unwind_bytes - HEADER_BYTES) / PAIR_BYTES;
	if (high > most)
		high = most;
	/* The first pair whose start is above the address. */
	while (low < high) {
		uint64_t middle = (low + high) / 2;

		if (!read_pair(file, middle, &start, &fde))
			return false;
		if (start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || !read_pair(file, low - 1, &start, &fde) || start > address ||
	    !read_length(file, fde, &length) || length > UINT64_MAX - start)
		return false;
	*range = (struct elf_range){start, start + length};
	return true;
}
