// SPDX-License-Identifier: MIT
/*
 * Files of a foreign byte order come from a recording of another machine, or run under an emulator.
 */
#include "core/code/elf_header.h"

#include <byteswap.h>
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

size_t elf_header_read(const struct elf_header *file, void *to, size_t size, uint64_t offset)
{
	ssize_t n;

	if (offset > INT64_MAX)
		return 0;
	do
		n = pread(file->fd, to, size, (off_t)offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? 0 : (size_t)n;
}

uint32_t elf_header_u32(const struct elf_header *file, const void *at)
{
	uint32_t number;

	memcpy(&number, at, sizeof(number));
	return file->swapped ? bswap_32(number) : number;
}

static uint16_t u16(const struct elf_header *file, uint16_t number)
{
	return file->swapped ? bswap_16(number) : number;
}

static uint32_t u32(const struct elf_header *file, uint32_t number)
{
	return file->swapped ? bswap_32(number) : number;
}

static uint64_t u64(const struct elf_header *file, uint64_t number)
{
	return file->swapped ? bswap_64(number) : number;
}

int elf_header_init(struct elf_header *file, int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} header = {{0}};

	*file = (struct elf_header){.fd = fd};
	size_t n = elf_header_read(file, &header, sizeof(header), 0);
	if (n < sizeof(header.narrow) || memcmp(header.ident, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	file->wide = header.ident[EI_CLASS] == ELFCLASS64;
	file->swapped = (header.ident[EI_DATA] == ELFDATA2MSB) == (__BYTE_ORDER == __LITTLE_ENDIAN);
	if (file->wide && n == sizeof(header.wide)) {
		file->segments = u64(file, header.wide.e_phoff);
		file->sections = u64(file, header.wide.e_shoff);
		file->n_segments = u16(file, header.wide.e_phnum);
		file->n_sections = u16(file, header.wide.e_shnum);
		file->names_section = u16(file, header.wide.e_shstrndx);
	} else if (!file->wide) {
		file->segments = u32(file, header.narrow.e_phoff);
		file->sections = u32(file, header.narrow.e_shoff);
		file->n_segments = u16(file, header.narrow.e_phnum);
		file->n_sections = u16(file, header.narrow.e_shnum);
		file->names_section = u16(file, header.narrow.e_shstrndx);
	}
	return 0;
}

/* Reads the header i of a table of n. False: there is none. */
static bool read_header(const struct elf_header *file, uint64_t table, unsigned n, unsigned i,
			void *header, size_t size)
{
	return i < n && elf_header_read(file, header, size, table + i * size) == size;
}

bool elf_header_segment(const struct elf_header *file, unsigned i,
			struct elf_program_header *segment)
{
	union {
		Elf32_Phdr narrow;
		Elf64_Phdr wide;
	} header;
	size_t size = file->wide ? sizeof(header.wide) : sizeof(header.narrow);

	if (!read_header(file, file->segments, file->n_segments, i, &header, size))
		return false;
	if (file->wide)
		*segment = (struct elf_program_header){
			.type = u32(file, header.wide.p_type),
			.flags = u32(file, header.wide.p_flags),
			.offset = u64(file, header.wide.p_offset),
			.size = u64(file, header.wide.p_filesz),
			.alignment = u64(file, header.wide.p_align),
			.address = u64(file, header.wide.p_vaddr),
			.memory_size = u64(file, header.wide.p_memsz),
		};
	else
		*segment = (struct elf_program_header){
			.type = u32(file, header.narrow.p_type),
			.flags = u32(file, header.narrow.p_flags),
			.offset = u32(file, header.narrow.p_offset),
			.size = u32(file, header.narrow.p_filesz),
			.alignment = u32(file, header.narrow.p_align),
			.address = u32(file, header.narrow.p_vaddr),
			.memory_size = u32(file, header.narrow.p_memsz),
		};
	return true;
}

bool elf_header_section(const struct elf_header *file, unsigned i,
			struct elf_section_header *section)
{
	union {
		Elf32_Shdr narrow;
		Elf64_Shdr wide;
	} header;
	size_t size = file->wide ? sizeof(header.wide) : sizeof(header.narrow);

	if (!read_header(file, file->sections, file->n_sections, i, &header, size))
		return false;
	if (file->wide)
		*section = (struct elf_section_header){
			u32(file, header.wide.sh_name), u32(file, header.wide.sh_type),
			u64(file, header.wide.sh_offset), u64(file, header.wide.sh_size),
			u64(file, header.wide.sh_addralign)};
	else
		*section = (struct elf_section_header){
			u32(file, header.narrow.sh_name), u32(file, header.narrow.sh_type),
			u32(file, header.narrow.sh_offset), u32(file, header.narrow.sh_size),
			u32(file, header.narrow.sh_addralign)};
	return true;
}
