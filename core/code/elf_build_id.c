// SPDX-License-Identifier: MIT
/*
 * Build ids stand in a PT_NOTE segment. Where there are no program headers for it (a separate debug
 * file keeps the headers, but not always the bytes), the note sections are read. All offsets come
 * from the file: each read is bounded and at its place, so a wrong one is a short read.
 */
#include "core/code/elf_build_id.h"

#include "core/code/elf_header.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum {
	NOTES_BYTES = 4096, /* of a segment or section that are read */
	HEADERS_MAX = 96,   /* of segments, and of sections, that are examined */
};

static size_t align_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* Returns the length of the build id in these notes, or -ENOENT. */
static int find_note(const struct elf_header *file, const uint8_t *bytes, size_t n,
		     size_t alignment, uint8_t id[ELF_BUILD_ID_BYTES])
{
	for (size_t at = 0; n - at >= sizeof(Elf64_Nhdr);) {
		uint32_t name_size = elf_header_u32(file, bytes + at);
		uint32_t size = elf_header_u32(file, bytes + at + 4);
		uint32_t type = elf_header_u32(file, bytes + at + 8);
		size_t name = at + sizeof(Elf64_Nhdr);

		if (name_size > n - name)
			break;
		size_t content = align_up(name + name_size, alignment);
		if (content > n || size > n - content)
			break;
		if (type == NT_GNU_BUILD_ID && name_size == 4 &&
		    memcmp(bytes + name, "GNU", 4) == 0 && size > 0 && size <= ELF_BUILD_ID_BYTES) {
			memcpy(id, bytes + content, size);
			return (int)size;
		}
		at = align_up(content + size, alignment);
		if (at > n)
			break;
	}
	return -ENOENT;
}

static int read_notes(const struct elf_header *file, uint64_t offset, uint64_t size,
		      uint64_t alignment, uint8_t id[ELF_BUILD_ID_BYTES])
{
	uint8_t bytes[NOTES_BYTES];
	size_t n =
		elf_header_read(file, bytes, size < sizeof(bytes) ? size : sizeof(bytes), offset);

	return find_note(file, bytes, n, alignment == 8 ? 8 : 4, id);
}

int elf_build_id(int fd, uint8_t id[ELF_BUILD_ID_BYTES])
{
	struct elf_header file;
	struct elf_program_header segment;
	struct elf_section_header section;
	int rc = elf_header_init(&file, fd);

	if (rc)
		return rc;
	rc = -ENOENT;
	for (unsigned i = 0; rc < 0 && i < HEADERS_MAX && elf_header_segment(&file, i, &segment);
	     i++)
		if (segment.type == PT_NOTE)
			rc = read_notes(&file, segment.offset, segment.size, segment.alignment, id);
	for (unsigned i = 0; rc < 0 && i < HEADERS_MAX && elf_header_section(&file, i, &section);
	     i++)
		if (section.type == SHT_NOTE)
			rc = read_notes(&file, section.offset, section.size, section.alignment, id);
	return rc;
}

int elf_notes_build_id(const void *notes, size_t n, uint8_t id[ELF_BUILD_ID_BYTES])
{
	const struct elf_header own = {.fd = -1};

	return find_note(&own, notes, n, 4, id);
}

/* "NAME\0", padding, and a checksum. */
int elf_debug_link(int fd, char name[ELF_DEBUG_LINK_BYTES])
{
	static const char wanted[] = ".gnu_debuglink";
	struct elf_header file;
	struct elf_section_header names, section;
	int rc = elf_header_init(&file, fd);

	if (rc)
		return rc;
	if (!elf_header_section(&file, file.names_section, &names))
		return -ENOENT;
	for (unsigned i = 0; i < HEADERS_MAX && elf_header_section(&file, i, &section); i++) {
		char title[sizeof(wanted)];

		if (section.type != SHT_PROGBITS || section.name >= names.size ||
		    elf_header_read(&file, title, sizeof(title), names.offset + section.name) !=
			    sizeof(title) ||
		    memcmp(title, wanted, sizeof(wanted)) != 0)
			continue;
		size_t n = elf_header_read(
			&file, name,
			section.size < ELF_DEBUG_LINK_BYTES ? section.size : ELF_DEBUG_LINK_BYTES,
			section.offset);
		bool whole = n > 0 && name[0] && memchr(name, '\0', n) && !strchr(name, '/') &&
			     strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
		return whole ? 0 : -EBADMSG;
	}
	return -ENOENT;
}
