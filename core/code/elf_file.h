// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ELF_FILE_H
#define PMCTOP_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An ELF file of either class and byte order, read in pieces. All bytes of it are hostile: every
 * read is within the file, and counts are bounded. libelf would read whole sections into memory.
 *
 * Link addresses are those in the file, before it is loaded, as objdump and addr2line print them.
 */
struct elf_source {
	int fd;               /* borrowed; if there are no bytes */
	const uint8_t *bytes; /* borrowed; NULL: a descriptor */
	uint64_t size;
};

/* The source of a descriptor of a regular file. 0 or -errno. */
int elf_source_open(struct elf_source *source, int fd);
/* Reads n bytes, or nothing: false. */
bool elf_source_read(const struct elf_source *source, uint64_t offset, void *to, size_t n);
/* Reads at most n bytes, as many as there are before the end. */
size_t elf_source_read_some(const struct elf_source *source, uint64_t offset, void *to, size_t n);

/* Reads a text up to its NUL, of at most `most` bytes. A longer one is cut. False: it is empty. */
bool elf_source_text(const struct elf_source *source, uint64_t offset, uint64_t most, char *text,
		     size_t size);

enum {
	ELF_SEGMENTS_MAX = 32,       /* PT_LOAD; further ones are ignored */
	ELF_HEADERS_MAX = 256,       /* program headers that are read */
	ELF_SECTIONS_MAX = 1 << 16,  /* further ones are ignored */
	ELF_SECTION_NAME_BYTES = 24, /* with its NUL; longer names are cut */
};

struct elf_segment {
	/* Of code without bytes, as in a debug file that objcopy(1) has made: the link address. */
	uint64_t offset, file_bytes;
	uint64_t address, memory_bytes;
	uint64_t align;
	bool executable;
	uint32_t section; /* of a relocatable file: its number */
};

/*
 * A relocatable file is a module of the kernel. Its sections of code are segments, at the addresses
 * that the kernel gives them: one behind the other, from 0 on, without sections of the
 * initialisation. Offsets are these addresses too, because only the address of the module is
 * recorded.
 */
struct elf_file {
	struct elf_source source;
	bool is_64, is_swapped, is_relocatable;
	uint16_t machine;
	struct elf_segment segments[ELF_SEGMENTS_MAX];
	unsigned n_segments;
	/* PT_GNU_EH_FRAME; bytes 0: none. */
	uint64_t unwind_offset, unwind_address, unwind_bytes;
	uint64_t sections_offset;
	uint32_t n_sections;
	uint64_t names_offset, names_bytes; /* of sections; 0: they have no names */
};

/* 0, or -ENOEXEC: not an ELF program, library, module or debug file. The source is copied. */
int elf_file_init(struct elf_file *file, const struct elf_source *source);

/* Values in the file's byte order, at any alignment. A word has the size of an address. */
uint16_t elf_u16(const struct elf_file *file, const uint8_t *at);
uint32_t elf_u32(const struct elf_file *file, const uint8_t *at);
uint64_t elf_u64(const struct elf_file *file, const uint8_t *at);
uint64_t elf_word(const struct elf_file *file, const uint8_t *at);

struct elf_section {
	uint32_t type, link;
	uint64_t flags, address, offset, size;
	char name[ELF_SECTION_NAME_BYTES]; /* "": none */
};

/*
 * Calls fn for each section until it returns false. One with bytes outside of the file is left out.
 */
void elf_file_each_section(const struct elf_file *file,
			   bool (*fn)(void *arg, const struct elf_section *section), void *arg);
/* False: no such section, or its bytes are outside of the file. It has no name. */
bool elf_file_section(const struct elf_file *file, uint32_t number, struct elf_section *section);

/* The link address of a place in the file. False: it is in no segment. */
bool elf_file_address(const struct elf_file *file, uint64_t offset, uint64_t *address);
/* The place in the file of a link address. False: it has none. */
bool elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *offset);
/* The executable segment with a link address, or NULL. */
const struct elf_segment *elf_file_code(const struct elf_file *file, uint64_t address);

#endif
