// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_ELF_STUB_H
#define PMCTOP_TESTS_ELF_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A small ELF file without code: headers, a build id, a link to a debug file. */
struct elf_stub {
	bool narrow;            /* 32 bits */
	bool big;               /* big endian */
	bool no_segments;       /* the build id is in a section alone */
	const char *build_id;   /* its bytes; NULL: none */
	size_t build_id_bytes;  /* 0: strlen() */
	const char *debug_link; /* NULL: none */
	const char *tail;       /* bytes at the end, which make files differ; NULL: none */
};

enum { ELF_STUB_BYTES = 4096 };

/* Returns the length. */
size_t elf_stub_make(const struct elf_stub *image, uint8_t bytes[ELF_STUB_BYTES]);
/* Writes it to a new file. */
void elf_stub_write(const struct elf_stub *image, const char *path);

#endif
