// SPDX-License-Identifier: MIT
/*
 * The layouts of both classes differ, so each structure is read as bytes, and its members by their
 * offsets in <elf.h>. A difference of byte order costs one test for each member.
 */
#include "core/code/elf_file.h"

#include "core/base/util.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	HEADERS_AT_ONCE = 32,
	SECTIONS_AT_ONCE = 64,
	SHORT_TEXT = 64,
};

#define MEMBER(file, type, member) \
	((file)->is_64 ? offsetof(Elf64_##type, member) : offsetof(Elf32_##type, member))

int elf_source_open(struct elf_source *source, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);

	if (size < 0)
		return -errno;
	*source = (struct elf_source){.fd = fd, .size = (uint64_t)size};
	return 0;
}

size_t elf_source_read_some(const struct elf_source *source, uint64_t offset, void *to, size_t n)
{
	size_t done = 0;

	if (offset >= source->size)
		return 0;
	n = (size_t)(n < source->size - offset ? n : source->size - offset);
	if (source->bytes) {
		memcpy(to, source->bytes + offset, n);
		return n;
	}
	while (done < n) {
		ssize_t got =
			pread(source->fd, (char *)to + done, n - done, (off_t)(offset + done));

		if (got > 0)
			done += (size_t)got;
		else if (got == 0 || errno != EINTR)
			break;
	}
	return done;
}

bool elf_source_read(const struct elf_source *source, uint64_t offset, void *to, size_t n)
{
	return offset <= source->size && n <= source->size - offset &&
	       elf_source_read_some(source, offset, to, n) == n;
}

bool elf_source_text(const struct elf_source *source, uint64_t offset, uint64_t most, char *text,
		     size_t size)
{
	size_t want = most < size - 1 ? (size_t)most : size - 1;
	/* Most texts are short. */
	size_t n = elf_source_read_some(source, offset, text, size_min(want, SHORT_TEXT));

	if (n == SHORT_TEXT && !memchr(text, '\0', n))
		n = elf_source_read_some(source, offset, text, want);
	text[n] = '\0';
	return text[0] != '\0';
}

uint16_t elf_u16(const struct elf_file *file, const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return file->is_swapped ? __builtin_bswap16(value) : value;
}

uint32_t elf_u32(const struct elf_file *file, const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return file->is_swapped ? __builtin_bswap32(value) : value;
}

uint64_t elf_u64(const struct elf_file *file, const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return file->is_swapped ? __builtin_bswap64(value) : value;
}

uint64_t elf_word(const struct elf_file *file, const uint8_t *at)
{
	return file->is_64 ? elf_u64(file, at) : elf_u32(file, at);
}

static bool is_inside(const struct elf_file *file, uint64_t offset, uint64_t n)
{
	return offset <= file->source.size && n <= file->source.size - offset;
}

static size_t section_bytes(const struct elf_file *file)
{
	return file->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

/* `info` may be NULL. */
static void decode_section(const struct elf_file *file, const uint8_t *at,
			   struct elf_section *section, uint32_t *name, uint32_t *info)
{
	*section = (struct elf_section){
		.type = elf_u32(file, at + MEMBER(file, Shdr, sh_type)),
		.link = elf_u32(file, at + MEMBER(file, Shdr, sh_link)),
		.flags = elf_word(file, at + MEMBER(file, Shdr, sh_flags)),
		.address = elf_word(file, at + MEMBER(file, Shdr, sh_addr)),
		.offset = elf_word(file, at + MEMBER(file, Shdr, sh_offset)),
		.size = elf_word(file, at + MEMBER(file, Shdr, sh_size)),
	};
	*name = elf_u32(file, at + MEMBER(file, Shdr, sh_name));
	if (info)
		*info = elf_u32(file, at + MEMBER(file, Shdr, sh_info));
}

/* Sections without bytes in the file, as most of a debug file, are inside too. */
static bool has_bytes(const struct elf_file *file, const struct elf_section *section)
{
	return section->type == SHT_NOBITS || is_inside(file, section->offset, section->size);
}

bool elf_file_section(const struct elf_file *file, uint32_t number, struct elf_section *section)
{
	uint8_t bytes[sizeof(Elf64_Shdr)];
	size_t size = section_bytes(file);
	uint32_t name;

	if (number == SHN_UNDEF || number >= file->n_sections ||
	    !elf_source_read(&file->source, file->sections_offset + number * size, bytes, size))
		return false;
	decode_section(file, bytes, section, &name, NULL);
	return has_bytes(file, section);
}

/* A large number of sections or program headers is in section 0. */
static void read_counts(struct elf_file *file, uint32_t *names, uint32_t *n_headers)
{
	uint8_t bytes[sizeof(Elf64_Shdr)];
	struct elf_section first;
	uint32_t name, info;

	if (file->sections_offset == 0 ||
	    !elf_source_read(&file->source, file->sections_offset, bytes, section_bytes(file))) {
		file->n_sections = 0;
		return;
	}
	decode_section(file, bytes, &first, &name, &info);
	if (file->n_sections == 0)
		file->n_sections =
			first.size < ELF_SECTIONS_MAX ? (uint32_t)first.size : ELF_SECTIONS_MAX;
	if (*names == SHN_XINDEX)
		*names = first.link;
	if (*n_headers == PN_XNUM)
		*n_headers = info;
}

static void read_names(struct elf_file *file, uint32_t number)
{
	struct elf_section names;

	if (!elf_file_section(file, number, &names) || names.type != SHT_STRTAB)
		return;
	file->names_offset = names.offset;
	file->names_bytes = names.size;
}

static void add_header(struct elf_file *file, const uint8_t *at)
{
	uint32_t type = elf_u32(file, at + MEMBER(file, Phdr, p_type));
	uint32_t flags = elf_u32(file, at + MEMBER(file, Phdr, p_flags));
	const struct elf_segment segment = {
		.offset = elf_word(file, at + MEMBER(file, Phdr, p_offset)),
		.file_bytes = elf_word(file, at + MEMBER(file, Phdr, p_filesz)),
		.address = elf_word(file, at + MEMBER(file, Phdr, p_vaddr)),
		.memory_bytes = elf_word(file, at + MEMBER(file, Phdr, p_memsz)),
		.align = elf_word(file, at + MEMBER(file, Phdr, p_align)),
		.executable = flags & PF_X,
	};

	/* So that sums do not overflow. */
	if (segment.offset > INT64_MAX || segment.file_bytes > INT64_MAX ||
	    segment.memory_bytes > UINT64_MAX - segment.address)
		return;
	if (type == PT_GNU_EH_FRAME && is_inside(file, segment.offset, segment.file_bytes)) {
		file->unwind_offset = segment.offset;
		file->unwind_address = segment.address;
		file->unwind_bytes = segment.file_bytes;
	}
	if (type == PT_LOAD && file->n_segments < ELF_SEGMENTS_MAX)
		file->segments[file->n_segments++] = segment;
}

static void read_headers(struct elf_file *file, uint64_t offset, uint32_t n)
{
	uint8_t bytes[HEADERS_AT_ONCE * sizeof(Elf64_Phdr)];
	size_t size = file->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

	n = (uint32_t)size_min(n, ELF_HEADERS_MAX);
	for (uint32_t i = 0; i < n; i += HEADERS_AT_ONCE) {
		size_t got = size_min(n - i, HEADERS_AT_ONCE) * size;

		if (offset > UINT64_MAX - i * size)
			return;
		got = elf_source_read_some(&file->source, offset + i * size, bytes, got);
		for (size_t at = 0; at + size <= got; at += size)
			add_header(file, bytes + at);
	}
}

static void read_name(const struct elf_file *file, uint32_t name, struct elf_section *section)
{
	size_t most = sizeof(section->name) - 1;

	if (name >= file->names_bytes)
		return;
	if (most > file->names_bytes - name)
		most = (size_t)(file->names_bytes - name);
	elf_source_read_some(&file->source, file->names_offset + name, section->name, most);
}

/* The layout of a module: layout_sections() in kernel/module/main.c. */
static void lay_out_sections(struct elf_file *file)
{
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
	uint8_t bytes[sizeof(Elf64_Shdr)];
	size_t size = section_bytes(file);
	uint64_t at = 0;

	file->n_segments = 0;
	for (uint32_t i = 1; i < file->n_sections && file->n_segments < ELF_SEGMENTS_MAX; i++) {
		struct elf_section section;
		uint32_t name;

		if (!elf_source_read(&file->source, file->sections_offset + i * size, bytes, size))
			return;
		decode_section(file, bytes, &section, &name, NULL);
		uint64_t align = elf_word(file, bytes + MEMBER(file, Shdr, sh_addralign));
		if ((section.flags & code) != code || section.size == 0 ||
		    section.size > UINT32_MAX || align > 1 << 16)
			continue;
		read_name(file, name, &section);
		if (strncmp(section.name, ".init", strlen(".init")) == 0)
			continue;
		at = align > 1 ? (at + align - 1) / align * align : at;
		file->segments[file->n_segments++] = (struct elf_segment){
			.offset = at,
			.file_bytes = section.size,
			.address = at,
			.memory_bytes = section.size,
			.executable = true,
			.section = i,
		};
		at += section.size;
	}
}

/* The code of a debug file that objcopy(1) has made has no bytes, and no offsets. */
static void set_missing_offsets(struct elf_file *file)
{
	for (unsigned i = 0; i < file->n_segments; i++)
		if (file->segments[i].executable && file->segments[i].file_bytes > 0)
			return;
	for (unsigned i = 0; i < file->n_segments; i++) {
		struct elf_segment *segment = &file->segments[i];

		if (!segment->executable || segment->memory_bytes > INT64_MAX)
			continue;
		segment->offset = segment->address;
		segment->file_bytes = segment->memory_bytes;
	}
}

int elf_file_init(struct elf_file *file, const struct elf_source *source)
{
	uint8_t bytes[sizeof(Elf64_Ehdr)] = {0};
	const bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	*file = (struct elf_file){.source = *source};
	size_t got = elf_source_read_some(source, 0, bytes, sizeof(bytes));
	file->is_64 = bytes[EI_CLASS] == ELFCLASS64;
	file->is_swapped = (bytes[EI_DATA] == ELFDATA2MSB) != is_big;
	if (got < (file->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)) ||
	    memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
	    (!file->is_64 && bytes[EI_CLASS] != ELFCLASS32) ||
	    (bytes[EI_DATA] != ELFDATA2LSB && bytes[EI_DATA] != ELFDATA2MSB))
		return -ENOEXEC;
	uint16_t type = elf_u16(file, bytes + MEMBER(file, Ehdr, e_type));
	/* These two sizes do not vary. */
	uint16_t header_bytes = elf_u16(file, bytes + MEMBER(file, Ehdr, e_phentsize));
	uint16_t entry_bytes = elf_u16(file, bytes + MEMBER(file, Ehdr, e_shentsize));
	if (type != ET_EXEC && type != ET_DYN && type != ET_REL)
		return -ENOEXEC;
	file->is_relocatable = type == ET_REL;
	file->machine = elf_u16(file, bytes + MEMBER(file, Ehdr, e_machine));
	file->sections_offset = elf_word(file, bytes + MEMBER(file, Ehdr, e_shoff));
	if (entry_bytes != section_bytes(file) || file->sections_offset > source->size)
		file->sections_offset = 0;
	file->n_sections = elf_u16(file, bytes + MEMBER(file, Ehdr, e_shnum));
	uint32_t names = elf_u16(file, bytes + MEMBER(file, Ehdr, e_shstrndx));
	uint32_t n_headers = elf_u16(file, bytes + MEMBER(file, Ehdr, e_phnum));
	read_counts(file, &names, &n_headers);
	read_names(file, names);
	if (header_bytes == (file->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		read_headers(file, elf_word(file, bytes + MEMBER(file, Ehdr, e_phoff)), n_headers);
	set_missing_offsets(file);
	if (file->is_relocatable)
		lay_out_sections(file);
	return 0;
}

void elf_file_each_section(const struct elf_file *file,
			   bool (*fn)(void *arg, const struct elf_section *section), void *arg)
{
	uint8_t bytes[SECTIONS_AT_ONCE * sizeof(Elf64_Shdr)];
	size_t size = section_bytes(file);
	struct elf_section section;
	uint32_t name;

	for (uint32_t i = 0; i < file->n_sections; i += SECTIONS_AT_ONCE) {
		size_t want = size_min(file->n_sections - i, SECTIONS_AT_ONCE) * size;
		size_t got = elf_source_read_some(&file->source, file->sections_offset + i * size,
						  bytes, want);

		for (size_t at = 0; at + size <= got; at += size) {
			decode_section(file, bytes + at, &section, &name, NULL);
			if (section.type == SHT_NULL || !has_bytes(file, &section))
				continue;
			read_name(file, name, &section);
			if (!fn(arg, &section))
				return;
		}
		if (got < want)
			return;
	}
}

/*
 * Mappings begin and end with pages, so the first and the last page of a segment have bytes of its
 * neighbours too. A place in a segment itself comes first, and code before data.
 */
static bool covers_offset(const struct elf_segment *segment, uint64_t offset, bool pages)
{
	uint64_t page =
		pages && segment->align > 0 && segment->align <= 1 << 16 ? segment->align : 1;
	uint64_t before = segment->offset % page;
	uint64_t after = (page - (segment->offset + segment->file_bytes) % page) % page;
	uint64_t first = segment->offset - before;

	return segment->file_bytes > 0 && offset >= first &&
	       offset - first < before + segment->file_bytes + after;
}

bool elf_file_address(const struct elf_file *file, uint64_t offset, uint64_t *address)
{
	for (unsigned pass = 0; pass < 4; pass++)
		for (unsigned i = 0; i < file->n_segments; i++) {
			const struct elf_segment *segment = &file->segments[i];

			if (segment->executable == (pass % 2 == 0) &&
			    covers_offset(segment, offset, pass >= 2)) {
				*address = segment->address + (offset - segment->offset);
				return true;
			}
		}
	return false;
}

bool elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *offset)
{
	for (unsigned i = 0; i < file->n_segments; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (address >= segment->address &&
		    address - segment->address < segment->file_bytes) {
			*offset = segment->offset + (address - segment->address);
			return true;
		}
	}
	return false;
}

const struct elf_segment *elf_file_code(const struct elf_file *file, uint64_t address)
{
	for (unsigned i = 0; i < file->n_segments; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (segment->executable && address >= segment->address &&
		    address - segment->address < segment->memory_bytes)
			return segment;
	}
	return NULL;
}
