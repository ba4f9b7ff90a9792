// SPDX-License-Identifier: MIT
#include "tests/unit/shared/elf_stub.h"

#include <elf.h>
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Places in the file. */
enum {
	SEGMENTS = 64,
	SECTIONS = 256,
	NOTES = 768,
	LINK = 1024,
	NAMES = 1536,
	TAIL = 1792,
	LINK_NAME = 1, /* in the names */
};

struct writer {
	const struct elf_stub *image;
	uint8_t *bytes;
	size_t at;
};

static void put(struct writer *writer, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		size_t shift = writer->image->big ? size - 1 - i : i;

		writer->bytes[writer->at++] = (uint8_t)(number >> 8 * shift);
	}
}

/* A number of the size of an address. */
static void put_word(struct writer *writer, uint64_t number)
{
	put(writer, number, writer->image->narrow ? 4 : 8);
}

static void put_header(struct writer *writer)
{
	const struct elf_stub *image = writer->image;

	memcpy(writer->bytes, ELFMAG, SELFMAG);
	writer->bytes[EI_CLASS] = image->narrow ? ELFCLASS32 : ELFCLASS64;
	writer->bytes[EI_DATA] = image->big ? ELFDATA2MSB : ELFDATA2LSB;
	writer->bytes[EI_VERSION] = EV_CURRENT;
	writer->at = EI_NIDENT;
	put(writer, ET_DYN, 2);
	put(writer, image->narrow ? EM_386 : EM_X86_64, 2);
	put(writer, EV_CURRENT, 4);
	put_word(writer, 0);
	put_word(writer, SEGMENTS);
	put_word(writer, SECTIONS);
	put(writer, 0, 4);
	put(writer, image->narrow ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr), 2);
	put(writer, image->narrow ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr), 2);
	put(writer, image->no_segments ? 0 : 1, 2);
	put(writer, image->narrow ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr), 2);
	put(writer, 4, 2);
	put(writer, 3, 2); /* the section of names */
}

static void put_section(struct writer *writer, uint32_t name, uint32_t type, uint64_t offset,
			uint64_t size)
{
	put(writer, name, 4);
	put(writer, type, 4);
	put_word(writer, 0);
	put_word(writer, 0);
	put_word(writer, offset);
	put_word(writer, size);
	put(writer, 0, 8);
	put_word(writer, 4);
	put_word(writer, 0);
}

/* A note of another kind before the note of the build id. Returns the bytes. */
static size_t put_notes(struct writer *writer)
{
	const struct elf_stub *image = writer->image;

	writer->at = NOTES;
	put(writer, 4, 4);
	put(writer, 5, 4); /* padded to 8 */
	put(writer, NT_GNU_ABI_TAG, 4);
	memcpy(writer->bytes + writer->at, "GNU", 4);
	writer->at += 4 + 8;
	if (!image->build_id)
		return writer->at - NOTES;
	size_t n = image->build_id_bytes ? image->build_id_bytes : strlen(image->build_id);
	put(writer, 4, 4);
	put(writer, n, 4);
	put(writer, NT_GNU_BUILD_ID, 4);
	memcpy(writer->bytes + writer->at, "GNU", 4);
	memcpy(writer->bytes + writer->at + 4, image->build_id, n);
	writer->at += 4 + n;
	return writer->at - NOTES;
}

static void put_segment(struct writer *writer, size_t notes)
{
	writer->at = SEGMENTS;
	put(writer, PT_NOTE, 4);
	if (!writer->image->narrow)
		put(writer, PF_R, 4);
	put_word(writer, NOTES);
	put_word(writer, NOTES);
	put_word(writer, NOTES);
	put_word(writer, notes);
	put_word(writer, notes);
	if (writer->image->narrow)
		put(writer, PF_R, 4);
	put_word(writer, 4);
}

size_t elf_stub_make(const struct elf_stub *image, uint8_t bytes[ELF_STUB_BYTES])
{
	static const char title[] = ".gnu_debuglink";
	struct writer writer = {image, bytes, 0};
	size_t tail = image->tail ? strlen(image->tail) : 0;

	memset(bytes, 0, ELF_STUB_BYTES);
	put_header(&writer);
	size_t notes = put_notes(&writer);
	put_segment(&writer, notes);
	memcpy(bytes + NAMES + LINK_NAME, title, sizeof(title));
	size_t link = image->debug_link ? strlen(image->debug_link) + 1 : 0;
	if (link > 0)
		memcpy(bytes + LINK, image->debug_link, link);
	writer.at = SECTIONS;
	put_section(&writer, 0, SHT_NULL, 0, 0);
	put_section(&writer, 0, SHT_NOTE, NOTES, notes);
	put_section(&writer, LINK_NAME, image->debug_link ? SHT_PROGBITS : SHT_NULL, LINK,
		    link + 8);
	put_section(&writer, 0, SHT_STRTAB, NAMES, sizeof(title) + LINK_NAME);
	if (tail > 0)
		memcpy(bytes + TAIL, image->tail, tail);
	return TAIL + tail;
}

void elf_stub_write(const struct elf_stub *image, const char *path)
{
	uint8_t bytes[ELF_STUB_BYTES];
	size_t n = elf_stub_make(image, bytes);
	FILE *file = fopen(path, "we");

	if (!file)
		fail_msg("%s cannot be written", path);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	fclose(file);
}
