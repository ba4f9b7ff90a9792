// SPDX-License-Identifier: MIT
/*
 * A table of 256 steps is computed for each call, in less time than a page takes. Separate from
 * host_setup.c, as its test compares it with the sums of GNU's cksum.
 */
#include "tui/remote/cksum.h"

#define POLYNOMIAL UINT32_C(0x04C11DB7)

static void fill_table(uint32_t table[256])
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t rest = i << 24;

		for (unsigned bit = 0; bit < 8; bit++)
			rest = rest << 1 ^ (rest & 0x80000000 ? POLYNOMIAL : 0);
		table[i] = rest;
	}
}

uint32_t cksum(const void *bytes, size_t n)
{
	const uint8_t *at = bytes;
	uint32_t table[256], crc = 0;

	fill_table(table);
	for (size_t i = 0; i < n; i++)
		crc = crc << 8 ^ table[crc >> 24 ^ at[i]];
	for (size_t length = n; length; length >>= 8)
		crc = crc << 8 ^ table[crc >> 24 ^ (length & 0xFF)];
	return ~crc;
}
