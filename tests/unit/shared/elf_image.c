// SPDX-License-Identifier: MIT
#include "tests/unit/shared/elf_image.h"

#include "core/base/util.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Writes the low n bytes of a value in the file's order. */
static void put(const struct elf_image *image, uint8_t *at, uint64_t value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		at[image->is_big ? n - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

#define PUT(image, at, type, member, value)                                      \
	do {                                                                     \
		if ((image)->is_32)                                              \
			put(image, (at) + offsetof(Elf32_##type, member), value, \
			    sizeof(((Elf32_##type *)0)->member));                \
		else                                                             \
			put(image, (at) + offsetof(Elf64_##type, member), value, \
			    sizeof(((Elf64_##type *)0)->member));                \
	} while (0)

#define SIZE(image, type) ((image)->is_32 ? sizeof(Elf32_##type) : sizeof(Elf64_##type))

static void grow(struct elf_image *image, size_t size)
{
	if (size <= image->size)
		return;
	image->bytes = array_reserve(image->bytes, &image->capacity, size, 1);
	memset(image->bytes + image->size, 0, size - image->size);
	image->size = size;
}

void elf_image_init(struct elf_image *image)
{
	*image = (struct elf_image){.machine = EM_X86_64, .n_sections = 2};
	grow(image, ELF_IMAGE_CODE_OFFSET + ELF_IMAGE_CODE_BYTES);
	image->sections[0].name = "";
	image->sections[1].name = ".text";
	image->sections[1].type = SHT_PROGBITS;
	image->sections[1].flags = SHF_ALLOC | SHF_EXECINSTR;
	image->sections[1].address = ELF_IMAGE_CODE;
	image->sections[1].offset = ELF_IMAGE_CODE_OFFSET;
	image->sections[1].size = ELF_IMAGE_CODE_BYTES;
}

void elf_image_fini(struct elf_image *image)
{
	free(image->bytes);
	image->bytes = NULL;
}

unsigned elf_image_section(struct elf_image *image, const char *name, uint32_t type,
			   uint64_t address, const void *bytes, size_t n)
{
	unsigned number = image->n_sections++;
	size_t offset = (image->size + 7) & ~(size_t)7;

	assert_true(number < ELF_IMAGE_SECTIONS);
	image->sections[number].name = name;
	image->sections[number].type = type;
	image->sections[number].address = address;
	image->sections[number].offset = offset;
	image->sections[number].size = n;
	grow(image, offset + n);
	if (n > 0)
		memcpy(image->bytes + offset, bytes, n);
	return number;
}

unsigned elf_image_symbols(struct elf_image *image, uint32_t type,
			   const struct elf_image_symbol *symbols, size_t n)
{
	bool is_dynamic = type == SHT_DYNSYM;
	size_t size = SIZE(image, Sym), used = 1, room = 1;

	for (size_t i = 0; i < n; i++)
		room += strlen(symbols[i].name) + 1;
	char *names = xcalloc(room, 1);
	uint8_t *table = xcalloc(n + 1, size);
	for (size_t i = 0; i < n; i++) {
		uint8_t *at = table + (i + 1) * size;

		PUT(image, at, Sym, st_name, used);
		PUT(image, at, Sym, st_value, symbols[i].address);
		PUT(image, at, Sym, st_size, symbols[i].size);
		PUT(image, at, Sym, st_info,
		    (uint64_t)ELF64_ST_INFO(symbols[i].binding, symbols[i].type));
		PUT(image, at, Sym, st_shndx, symbols[i].section ? symbols[i].section : 1u);
		strcpy(names + used, symbols[i].name);
		used += strlen(symbols[i].name) + 1;
	}
	unsigned strings = elf_image_section(image, is_dynamic ? ".dynstr" : ".strtab", SHT_STRTAB,
					     0, names, used);
	unsigned number = elf_image_section(image, is_dynamic ? ".dynsym" : ".symtab", type, 0,
					    table, (n + 1) * size);
	image->sections[number].link = strings;
	image->sections[number].entry_bytes = size;
	free(names);
	free(table);
	return number;
}

void elf_image_build_id(struct elf_image *image, const char *id)
{
	uint8_t note[16 + 64] = {0};
	size_t n = strlen(id);

	assert_true(n <= 64);
	put(image, note, 4, 4);
	put(image, note + 4, n, 4);
	put(image, note + 8, NT_GNU_BUILD_ID, 4);
	memcpy(note + 12, "GNU", 4);
	memcpy(note + 16, id, n);
	elf_image_section(image, ".note.gnu.build-id", SHT_NOTE, 0, note, 16 + (n + 3) / 4 * 4);
}

void elf_image_plt(struct elf_image *image, uint64_t address, unsigned n)
{
	size_t size = SIZE(image, Rela);
	uint8_t *table = xcalloc(n, size);

	for (unsigned i = 0; i < n; i++) {
		uint64_t symbol = i + 1;

		PUT(image, table + i * size, Rela, r_info,
		    image->is_32 ? symbol << 8 | R_X86_64_JUMP_SLOT
				 : symbol << 32 | R_X86_64_JUMP_SLOT);
	}
	elf_image_section(image, ".rela.plt", SHT_RELA, 0, table, n * size);
	unsigned plt = image->n_sections++;
	image->sections[plt].name = ".plt";
	image->sections[plt].type = SHT_PROGBITS;
	image->sections[plt].address = address;
	image->sections[plt].offset = elf_image_offset(address);
	image->sections[plt].size = 16 + 16 * n;
	free(table);
}

/* A CIE, then a FDE of 20 bytes for each function. Addresses are relative to their own place. */
void elf_image_unwind(struct elf_image *image, const struct elf_image_range *ranges, size_t n)
{
	static const uint8_t cie[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0, 0, 0};
	uint64_t header = ELF_IMAGE_BASE + ELF_IMAGE_UNWIND_OFFSET;
	uint8_t *to = image->bytes + ELF_IMAGE_UNWIND_OFFSET;
	size_t frames = 12 + 8 * n, fde_at = frames + 8 + sizeof(cie);

	assert_true(ELF_IMAGE_UNWIND_OFFSET + fde_at + 20 * n < ELF_IMAGE_CODE_OFFSET);
	image->has_unwind = true;
	memcpy(to, "\1\x1b\3\x3b", 4);
	put(image, to + 4, frames - 4, 4);
	put(image, to + 8, n, 4);
	put(image, to + frames, 4 + sizeof(cie), 4);
	memcpy(to + frames + 8, cie, sizeof(cie));
	for (size_t i = 0; i < n; i++) {
		size_t at = fde_at + 20 * i;

		put(image, to + 12 + 8 * i, ranges[i].start - header, 4);
		put(image, to + 12 + 8 * i + 4, at, 4);
		put(image, to + at, 16, 4);
		put(image, to + at + 4, at + 4 - frames, 4);
		put(image, to + at + 8, ranges[i].start - (header + at + 8), 4);
		put(image, to + at + 12, ranges[i].end - ranges[i].start, 4);
	}
}

/* .rela.dyn, whose entries are the addends of two pointers. */
static void add_relocations(struct elf_image *image, const uint64_t (*pairs)[2], size_t n)
{
	size_t size = SIZE(image, Rela);
	uint8_t *table = xcalloc(n + 1, size);

	for (size_t i = 0; i < n; i++) {
		PUT(image, table + (i + 1) * size, Rela, r_offset, pairs[i][0]);
		PUT(image, table + (i + 1) * size, Rela, r_info, (uint64_t)R_X86_64_RELATIVE);
		PUT(image, table + (i + 1) * size, Rela, r_addend, pairs[i][1]);
	}
	elf_image_section(image, ".rela.dyn", SHT_RELA, 0, table, (n + 1) * size);
	free(table);
}

void elf_image_go(struct elf_image *image, const struct elf_image_go *go,
		  const struct elf_image_function *functions, size_t n)
{
	enum { ROOM = 2 << 10, ADDRESS = 0x600000, MODULE = 0x700000, MODULE_WORDS = 30 };
	const uint64_t text = ELF_IMAGE_CODE + 0x10;
	const bool has_text = go->version >= 18;
	const size_t pointer = image->is_32 ? 4 : 8, word = has_text ? 4 : pointer;
	const size_t header = go->version == 2 ? 8 + pointer : 8 + 8 * pointer;
	const size_t pairs = header + (go->version == 2 ? 0 : 256); /* 256: names */
	size_t names = go->version == 2 ? pairs + (2 * n - 1) * word : header;
	size_t data = pairs + (2 * n - 1) * word + (go->version == 2 ? 256 : 0), used = 0;
	uint8_t *bytes = xcalloc(go->before + ROOM, 1), *to = bytes + go->before;
	const uint64_t begin = has_text ? text : 0, at = ADDRESS + go->before;
	const uint64_t none = 0;

	assert_true(data + n * (word + 4) < ROOM);
	put(image, to,
	    go->version == 2    ? 0xfffffffb
	    : go->version == 16 ? 0xfffffffa
	    : go->version == 18 ? 0xfffffff0
				: 0xfffffff1,
	    4);
	to[6] = 1;
	to[7] = (uint8_t)pointer;
	put(image, to + 8, n - 1, pointer);
	if (go->version != 2) {
		const bool is_bare = go->is_relocated || go->version == 26;

		if (has_text)
			put(image, to + 8 + 2 * pointer, is_bare ? none : text, pointer);
		put(image, to + 8 + (has_text ? 3 : 2) * pointer, names, pointer);
		put(image, to + 8 + (has_text ? 7 : 6) * pointer, pairs, pointer);
	}
	for (size_t i = 0; i < n; i++) {
		uint8_t *pair = to + pairs + 2 * i * word, *its = to + data + i * (word + 4);
		uint64_t place = data + i * (word + 4) - (go->version == 2 ? 0 : pairs);
		size_t name = names + used - (go->version == 2 ? 0 : names);

		put(image, pair, functions[i].address - begin, word);
		if (i == n - 1)
			break;
		put(image, pair + word, place, word);
		put(image, its, functions[i].address - begin, word);
		put(image, its + word, name, 4);
		strcpy((char *)to + names + used, functions[i].name);
		used += strlen(functions[i].name) + 1;
		assert_true(used < 256);
	}
	elf_image_section(image, go->section ? go->section : ".gopclntab", SHT_PROGBITS, ADDRESS,
			  bytes, go->before + ROOM);
	free(bytes);
	elf_image_section(image, ".go.buildinfo", SHT_PROGBITS, 0, &none, sizeof(none));
	if (go->version == 26) {
		uint8_t module[MODULE_WORDS * 8] = {0};

		if (!go->is_relocated) {
			put(image, module, at, pointer);
			put(image, module + 22 * pointer, text, pointer);
		}
		elf_image_section(image, ".go.module", SHT_PROGBITS, MODULE, module,
				  MODULE_WORDS * pointer);
	}
	const uint64_t relocations[][2] = {
		{at + 8 + 2 * pointer, go->version == 26 ? 0 : text},
		{MODULE, at},
		{MODULE + 22 * pointer, text},
	};
	if (go->is_relocated)
		add_relocations(image, relocations, go->version == 26 ? 3 : 1);
}

static void put_segment(struct elf_image *image, unsigned i, uint32_t type, uint32_t flags,
			uint64_t offset, uint64_t address, uint64_t n)
{
	uint8_t *at = image->bytes + SIZE(image, Ehdr) + i * SIZE(image, Phdr);

	PUT(image, at, Phdr, p_type, type);
	PUT(image, at, Phdr, p_flags, flags);
	PUT(image, at, Phdr, p_offset, offset);
	PUT(image, at, Phdr, p_vaddr, address);
	PUT(image, at, Phdr, p_filesz, n);
	PUT(image, at, Phdr, p_memsz, n ? n : ELF_IMAGE_CODE_BYTES);
	PUT(image, at, Phdr, p_align, 0x1000u);
}

static void put_section(struct elf_image *image, uint8_t *at, unsigned i, size_t name)
{
	PUT(image, at, Shdr, sh_name, name);
	PUT(image, at, Shdr, sh_type, image->sections[i].type);
	PUT(image, at, Shdr, sh_flags, image->sections[i].flags);
	PUT(image, at, Shdr, sh_addr, image->sections[i].address);
	PUT(image, at, Shdr, sh_offset, image->sections[i].offset);
	PUT(image, at, Shdr, sh_size, image->sections[i].size);
	PUT(image, at, Shdr, sh_link, image->sections[i].link);
	PUT(image, at, Shdr, sh_entsize, image->sections[i].entry_bytes);
}

static void put_header(struct elf_image *image, uint64_t sections_offset)
{
	uint8_t *at = image->bytes;

	memcpy(at, ELFMAG, SELFMAG);
	at[EI_CLASS] = image->is_32 ? ELFCLASS32 : ELFCLASS64;
	at[EI_DATA] = image->is_big ? ELFDATA2MSB : ELFDATA2LSB;
	at[EI_VERSION] = EV_CURRENT;
	PUT(image, at, Ehdr, e_type, (uint64_t)(image->is_module ? ET_REL : ET_DYN));
	PUT(image, at, Ehdr, e_machine, image->machine);
	PUT(image, at, Ehdr, e_version, (uint64_t)EV_CURRENT);
	PUT(image, at, Ehdr, e_phoff, SIZE(image, Ehdr));
	PUT(image, at, Ehdr, e_phentsize, SIZE(image, Phdr));
	PUT(image, at, Ehdr, e_phnum, image->is_module ? 0u : image->has_unwind ? 3u : 2u);
	PUT(image, at, Ehdr, e_shoff, sections_offset);
	PUT(image, at, Ehdr, e_shentsize, SIZE(image, Shdr));
	PUT(image, at, Ehdr, e_shnum, image->n_sections);
	PUT(image, at, Ehdr, e_shstrndx, image->n_sections - 1u);
}

void elf_image_end(struct elf_image *image)
{
	char names[ELF_IMAGE_SECTIONS * 32] = "";
	size_t at[ELF_IMAGE_SECTIONS] = {0}, used = 1;
	unsigned last = image->n_sections;

	for (unsigned i = 0; i < last; i++) {
		at[i] = used;
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s",
					 image->sections[i].name) +
			1;
	}
	at[last] = 0;
	elf_image_section(image, ".shstrtab", SHT_STRTAB, 0, names, used);
	size_t offset = (image->size + 7) & ~(size_t)7;
	grow(image, offset + image->n_sections * SIZE(image, Shdr));
	for (unsigned i = 1; i < image->n_sections; i++)
		put_section(image, image->bytes + offset + i * SIZE(image, Shdr), i, at[i]);
	put_header(image, offset);
	put_segment(image, 0, PT_LOAD, PF_R, 0, ELF_IMAGE_BASE, ELF_IMAGE_CODE_OFFSET);
	put_segment(image, 1, PT_LOAD, PF_R | PF_X, image->is_bare ? 0 : ELF_IMAGE_CODE_OFFSET,
		    ELF_IMAGE_CODE, image->is_bare ? 0 : ELF_IMAGE_CODE_BYTES);
	if (image->has_unwind)
		put_segment(image, 2, PT_GNU_EH_FRAME, PF_R, ELF_IMAGE_UNWIND_OFFSET,
			    ELF_IMAGE_BASE + ELF_IMAGE_UNWIND_OFFSET,
			    ELF_IMAGE_CODE_OFFSET - ELF_IMAGE_UNWIND_OFFSET);
}

int elf_image_open(const void *bytes, size_t n)
{
	char path[] = "/tmp/pmctop-elf-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, bytes, n, NULL), 0);
	close(fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

void elf_image_write(const struct elf_image *image, const char *path, char tail)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, image->bytes, image->size, NULL), 0);
	assert_int_equal(write_all(fd, &tail, 1, NULL), 0);
	close(fd);
}
