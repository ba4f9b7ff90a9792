// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_ELF_IMAGE_H
#define PMCTOP_TESTS_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Makes ELF files for tests, without a compiler. A file has a read-only segment (its first page)
 * and one with code. Sections may be anything, also wrong.
 */
enum {
	ELF_IMAGE_SECTIONS = 24,
	ELF_IMAGE_BASE = 0x400000,      /* link address of the first page */
	ELF_IMAGE_CODE_OFFSET = 0x1000, /* of the code, in the file */
	ELF_IMAGE_CODE = 0x402000, /* its link address: not as far from the base as the offset */
	ELF_IMAGE_CODE_BYTES = 0x2000,
	ELF_IMAGE_UNWIND_OFFSET = 0x400, /* of .eh_frame_hdr, in the first page */
};

struct elf_image {
	bool is_32, is_big; /* set after elf_image_init(), before anything is added */
	bool is_bare;       /* a debug file: its code has no bytes and no offset */
	bool is_module;     /* relocatable, without segments */
	uint16_t machine;
	uint8_t *bytes;
	size_t size, capacity;
	struct {
		const char *name;
		uint32_t type, link;
		uint64_t flags, address, offset, size, entry_bytes;
	} sections[ELF_IMAGE_SECTIONS];
	unsigned n_sections;
	bool has_unwind;
};

/* The place in the file of a link address in the code. */
static inline uint64_t elf_image_offset(uint64_t address)
{
	return address - ELF_IMAGE_CODE + ELF_IMAGE_CODE_OFFSET;
}

void elf_image_init(struct elf_image *image);
void elf_image_fini(struct elf_image *image);

/* Adds a section, behind the others; returns its number. */
unsigned elf_image_section(struct elf_image *image, const char *name, uint32_t type,
			   uint64_t address, const void *bytes, size_t n);

struct elf_image_symbol {
	const char *name;
	uint64_t address, size;
	unsigned char type, binding;
	uint16_t section; /* 0: of the code (1); SHN_UNDEF has no use here */
};

/* Adds a table of symbols and its names, .symtab (SHT_SYMTAB) or .dynsym. */
unsigned elf_image_symbols(struct elf_image *image, uint32_t type,
			   const struct elf_image_symbol *symbols, size_t n);

/* Adds .plt and .rela.plt, whose entries call symbols 1 to n of .dynsym. */
void elf_image_plt(struct elf_image *image, uint64_t address, unsigned n);

/* Adds .eh_frame_hdr and .eh_frame with functions in ascending order. */
struct elf_image_range {
	uint64_t start, end;
};
void elf_image_unwind(struct elf_image *image, const struct elf_image_range *ranges, size_t n);

/*
 * Adds the table of a Go program (core/code/elf_go.h) with functions in ascending order. The last
 * one, without a name, is the end of the others. It is in a section of its own, or after
 * `before` bytes of another one.
 */
struct elf_image_go {
	unsigned version;    /* 2, 16, 18, 20, 26: of Go 1 */
	const char *section; /* NULL: .gopclntab */
	size_t before;       /* a multiple of 8 */
	bool is_relocated;   /* addresses of text and of struct moduledata are in .rela.dyn alone */
};
struct elf_image_function {
	const char *name;
	uint64_t address;
};
void elf_image_go(struct elf_image *image, const struct elf_image_go *go,
		  const struct elf_image_function *functions, size_t n);

/* Adds a note with a build id, the bytes of a text. */
void elf_image_build_id(struct elf_image *image, const char *id);

/* Writes the headers. Nothing is added afterwards. */
void elf_image_end(struct elf_image *image);

/* A descriptor (read only) of a file without a name that has these bytes. Fails the test if not. */
int elf_image_open(const void *bytes, size_t n);

/* Writes it to a new file, with one more byte at its end. */
void elf_image_write(const struct elf_image *image, const char *path, char tail);

#endif
