// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HASH_H
#define PMCTOP_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a, of 64 bits: what comes next is hashed on, from HASH_BEGIN on. For tables; not stored. */
#define HASH_BEGIN 0xcbf29ce484222325ull

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	while (n-- > 0)
		hash = (hash ^ *at++) * 0x100000001b3ull;
	return hash;
}

static inline uint64_t hash_text(const char *text)
{
	uint64_t hash = HASH_BEGIN;

	for (; *text; text++)
		hash = hash_bytes(hash, text, 1);
	return hash;
}

#endif
