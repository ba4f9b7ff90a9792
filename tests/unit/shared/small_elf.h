// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SMALL_ELF_H
#define PMCTOP_TESTS_SMALL_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A small ELF file without code: headers, a build id, a link to a debug file. */
struct small_elf {
	bool narrow;            /* 32 bits */
	bool big;               /* big endian */
	bool no_segments;       /* the build id is in a section alone */
	const char *build_id;   /* its bytes; NULL: none */
	size_t build_id_bytes;  /* 0: strlen() */
	const char *debug_link; /* NULL: none */
	const char *tail;       /* bytes at the end, which make files differ; NULL: none */
};

enum { SMALL_ELF_BYTES = 4096 };

/* Returns the length. */
size_t small_elf_make(const struct small_elf *image, uint8_t bytes[SMALL_ELF_BYTES]);
/* Writes it to a new file. */
void small_elf_write(const struct small_elf *image, const char *path);

#endif
