// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ELF_HEADER_H
#define PMCTOP_ELF_HEADER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Headers of an ELF file of 32 or 64 bits and either byte order, one at a time, by pread(2). It
 * reads what the process with all its rights needs to identify a file. Symbols are read by the
 * child, with elf_file.h.
 */
struct elf_header {
	int fd; /* borrowed */
	bool wide, swapped;
	uint64_t segments, sections; /* offsets of the headers */
	unsigned n_segments, n_sections;
	unsigned names_section; /* index of the section with the names of sections */
};

struct elf_program_header {
	uint32_t type, flags;
	uint64_t offset, size, alignment;
	uint64_t address, memory_size;
};

struct elf_section_header {
	uint32_t name; /* offset in the section of names */
	uint32_t type;
	uint64_t offset, size, alignment;
};

/* 0, -ENOEXEC for what is no ELF file, or another -errno. */
int elf_header_init(struct elf_header *file, int fd);
/* A header by its index. False: there is none. */
bool elf_header_segment(const struct elf_header *file, unsigned i,
			struct elf_program_header *segment);
bool elf_header_section(const struct elf_header *file, unsigned i,
			struct elf_section_header *section);
/* Returns the bytes read: fewer at the end of the file, 0 for an error. */
size_t elf_header_read(const struct elf_header *file, void *to, size_t size, uint64_t offset);
/* A number of the file, which need not be aligned. */
uint32_t elf_header_u32(const struct elf_header *file, const void *at);

#endif
