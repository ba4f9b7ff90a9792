// SPDX-License-Identifier: MIT
/*
 * A header, names, and pairs (address, place of the function's data) in ascending order, with one
 * more address behind the last pair. The data begin with the address and the place of the name.
 *
 *                 1.2                1.16               1.18, 1.20
 * header          n                  n, files, names,   n, files, text, names,
 *                                    3 others, pairs    3 others, pairs
 * a pair's words  of a pointer       of a pointer       of 4 bytes
 * addresses       absolute           absolute           relative to text
 * places of data  from the header    from the pairs     from the pairs
 * names           from the header    from names         from names
 *
 * The linker of Go writes addresses into the file, others only into the relocations that the
 * loader applies. The relocations of text are searched. Before Go 1.18 the pairs would need too
 * many, so position-independent programs of another linker have no names then.
 */
#include "core/code/elf_go.h"

#include "core/base/util.h"

#include <elf.h>
#include <string.h>

enum {
	MAGIC_1_2 = 0xfb, /* the lowest byte; the others are 0xff */
	MAGIC_1_16 = 0xfa,
	MAGIC_1_18 = 0xf0,
	MAGIC_1_20 = 0xf1,
	FIXED_BYTES = 8, /* magic, two zeros, size of an instruction, size of a pointer */
	HEADER_WORDS = 8,
	HEADER_BYTES = FIXED_BYTES + HEADER_WORDS * 8,
	FUNCTIONS_MAX = 4 << 20,
	HEADERS_MAX = 16, /* what looks like one in other data */
	MODULE_TEXT = 22, /* the word "text" of struct moduledata, from Go 1.16 on */
	SEARCH_AT_ONCE = 16 << 10,
	PAIRS_AT_ONCE = 1024,
	RELOCATIONS_AT_ONCE = 1024,
};

void elf_go_note(struct elf_go_sections *sections, const struct elf_section *section)
{
	const char *name = section->name;
	bool has_bytes = section->type != SHT_NOBITS && !(section->flags & SHF_COMPRESSED);

	sections->is_go |= strncmp(name, ".go.", 4) == 0 || strcmp(name, ".note.go.buildid") == 0;
	if (!has_bytes)
		return;
	if (strcmp(name, ".gopclntab") == 0 || strcmp(name, ".data.rel.ro.gopclntab") == 0)
		sections->table = *section;
	else if (strcmp(name, ".data.rel.ro") == 0)
		sections->read_only = *section;
	else if (strcmp(name, ".go.module") == 0)
		sections->module = *section;
	else if (strcmp(name, ".rela.dyn") == 0 && section->type == SHT_RELA)
		sections->relocations = *section;
}

static size_t pointer_bytes(const struct elf_file *file)
{
	return file->is_64 ? 8 : 4;
}

/* Whether a header may begin with these FIXED_BYTES. */
static bool is_header(const struct elf_file *file, const uint8_t *bytes)
{
	uint32_t magic = elf_u32(file, bytes);

	return magic >> 8 == 0xffffff &&
	       ((magic & 0xff) == MAGIC_1_2 || (magic & 0xff) == MAGIC_1_16 ||
		(magic & 0xff) == MAGIC_1_18 || (magic & 0xff) == MAGIC_1_20) &&
	       bytes[4] == 0 && bytes[5] == 0 &&
	       (bytes[6] == 1 || bytes[6] == 2 || bytes[6] == 4) && bytes[7] == pointer_bytes(file);
}

/* The addend of the relocation of the pointer at a link address. */
static bool find_addend(const struct elf_file *file, const struct elf_section *relocations,
			uint64_t address, uint64_t *addend)
{
	uint8_t bytes[RELOCATIONS_AT_ONCE * sizeof(Elf64_Rela)];
	size_t size = file->is_64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
	size_t word = pointer_bytes(file); /* r_offset, r_info, r_addend are words */
	uint64_t left =
		relocations->size < ELF_GO_SEARCH_BYTES ? relocations->size : ELF_GO_SEARCH_BYTES;

	for (uint64_t at = relocations->offset; left >= size;) {
		size_t n = size_min((size_t)(left / size), RELOCATIONS_AT_ONCE) * size;

		if (!elf_source_read(&file->source, at, bytes, n))
			return false;
		for (size_t i = 0; i < n; i += size)
			if (elf_word(file, bytes + i) == address) {
				*addend = elf_word(file, bytes + i + 2 * word);
				return true;
			}
		at += n;
		left -= n;
	}
	return false;
}

/* Reads a pointer of a section, as the loader makes it; 0: it has none. */
static uint64_t read_pointer(const struct elf_file *file, const struct elf_go_sections *sections,
			     const struct elf_section *section, uint64_t offset)
{
	uint8_t bytes[8];
	uint64_t value;

	if (offset > section->size || section->size - offset < pointer_bytes(file) ||
	    !elf_source_read(&file->source, section->offset + offset, bytes, pointer_bytes(file)))
		return 0;
	value = elf_word(file, bytes);
	if (value == 0)
		find_addend(file, &sections->relocations, section->address + offset, &value);
	return value;
}

/* The address of runtime.text of a table at an offset of a section; 0: unknown. */
static uint64_t find_text(const struct elf_file *file, const struct elf_go_sections *sections,
			  const struct elf_section *section, uint64_t offset)
{
	size_t word = pointer_bytes(file);
	uint64_t text = read_pointer(file, sections, section, offset + FIXED_BYTES + 2 * word);

	if (text != 0 ||
	    read_pointer(file, sections, &sections->module, 0) != section->address + offset)
		return text;
	return read_pointer(file, sections, &sections->module, MODULE_TEXT * word);
}

static uint64_t pair_word(const struct elf_go_table *table, const uint8_t *at)
{
	return table->word_bytes == 4 ? elf_u32(table->file, at) : elf_u64(table->file, at);
}

/* Whether the first and the last address are in the code, and all pairs are in the section. */
static bool is_plausible(const struct elf_go_table *table)
{
	size_t pair = 2 * table->word_bytes;
	uint8_t first[8], last[8];

	if (table->functions > table->end || table->names >= table->end ||
	    table->data > table->end || table->n == 0 ||
	    (table->end - table->functions) / pair < table->n ||
	    !elf_source_read(&table->file->source, table->functions, first, table->word_bytes) ||
	    !elf_source_read(&table->file->source, table->functions + (table->n - 1) * pair, last,
			     table->word_bytes))
		return false;
	uint64_t begin = table->text + pair_word(table, first);
	uint64_t end = table->text + pair_word(table, last);
	return begin <= end && elf_file_code(table->file, begin) && elf_file_code(table->file, end);
}

/* A table at an offset of a section. */
static bool init_at(struct elf_go_table *table, const struct elf_file *file,
		    const struct elf_go_sections *sections, const struct elf_section *section,
		    uint64_t offset)
{
	uint8_t bytes[HEADER_BYTES];
	uint64_t words[HEADER_WORDS], header = section->offset + offset;
	size_t word = pointer_bytes(file), size = FIXED_BYTES + HEADER_WORDS * word;

	*table = (struct elf_go_table){.n = 0};
	if (section->size - offset < size || !elf_source_read(&file->source, header, bytes, size) ||
	    !is_header(file, bytes))
		return false;
	for (unsigned i = 0; i < HEADER_WORDS; i++)
		words[i] = elf_word(file, bytes + FIXED_BYTES + i * word);
	unsigned magic = elf_u32(file, bytes) & 0xff;
	bool is_relative = magic == MAGIC_1_18 || magic == MAGIC_1_20;
	uint64_t names = magic == MAGIC_1_2 ? 0 : words[is_relative ? 3 : 2];
	uint64_t pairs = magic == MAGIC_1_2 ? FIXED_BYTES + word : words[is_relative ? 7 : 6];
	if (words[0] > FUNCTIONS_MAX || names > section->size || pairs > section->size)
		return false;
	*table = (struct elf_go_table){
		.file = file,
		.end = section->offset + section->size,
		.functions = header + pairs,
		.data = magic == MAGIC_1_2 ? header : header + pairs,
		.names = header + names,
		.text = is_relative ? find_text(file, sections, section, offset) : 0,
		.word_bytes = is_relative ? 4 : (unsigned)word,
		.n = (uint32_t)words[0],
	};
	if ((!is_relative || table->text != 0) && is_plausible(table))
		return true;
	*table = (struct elf_go_table){.n = 0};
	return false;
}

/* An external linker puts the table of a position-independent program among other data. */
static bool search(struct elf_go_table *table, const struct elf_file *file,
		   const struct elf_go_sections *sections, const struct elf_section *section)
{
	static const size_t step = 8;
	uint8_t bytes[SEARCH_AT_ONCE];
	uint64_t size = section->size < ELF_GO_SEARCH_BYTES ? section->size : ELF_GO_SEARCH_BYTES;
	uint64_t at = (step - section->address % step) % step;
	unsigned headers = 0;

	for (; at < size; at += sizeof(bytes)) {
		size_t n = elf_source_read_some(&file->source, section->offset + at, bytes,
						size_min((size_t)(size - at), sizeof(bytes)));

		for (size_t i = 0; i + FIXED_BYTES <= n; i += step)
			if (is_header(file, bytes + i) && headers++ < HEADERS_MAX &&
			    init_at(table, file, sections, section, at + i))
				return true;
	}
	return false;
}

bool elf_go_init(struct elf_go_table *table, const struct elf_file *file,
		 const struct elf_go_sections *sections)
{
	*table = (struct elf_go_table){.n = 0};
	if (sections->table.size > 0)
		return init_at(table, file, sections, &sections->table, 0);
	return sections->is_go && search(table, file, sections, &sections->read_only);
}

/* A function between the address of its pair and the next one. False: they are in no order. */
static bool decode_pair(const struct elf_go_table *table, const uint8_t *at,
			struct elf_symbol *symbol)
{
	uint64_t address = pair_word(table, at);
	uint64_t next = pair_word(table, at + 2 * table->word_bytes);

	*symbol = (struct elf_symbol){
		.address = table->text + address,
		.size = next - address,
		.name = 1,
		.type = STT_FUNC,
		.binding = STB_GLOBAL,
		.defined = true,
	};
	return address < next;
}

bool elf_go_each(const struct elf_go_table *table,
		 bool (*fn)(void *arg, uint32_t number, const struct elf_symbol *symbol), void *arg)
{
	uint8_t bytes[(2 * PAIRS_AT_ONCE + 1) * 8];
	size_t word = table->word_bytes;
	struct elf_symbol symbol;

	for (uint32_t first = 0; first < table->n; first += PAIRS_AT_ONCE) {
		size_t n = size_min(table->n - first, PAIRS_AT_ONCE);

		if (!elf_source_read(&table->file->source, table->functions + first * 2 * word,
				     bytes, (2 * n + 1) * word))
			return false;
		for (uint32_t i = 0; i < n; i++)
			if (decode_pair(table, bytes + i * 2 * word, &symbol) &&
			    !fn(arg, first + i, &symbol))
				return false;
	}
	return true;
}

bool elf_go_read(const struct elf_go_table *table, uint32_t number, struct elf_symbol *symbol)
{
	uint8_t bytes[3 * 8];
	size_t word = table->word_bytes;

	return number < table->n &&
	       elf_source_read(&table->file->source, table->functions + number * 2 * word, bytes,
			       3 * word) &&
	       decode_pair(table, bytes, symbol);
}

bool elf_go_name(const struct elf_go_table *table, uint32_t number,
		 char name[ELF_SYMBOL_NAME_BYTES])
{
	const struct elf_source *source = &table->file->source;
	size_t word = table->word_bytes;
	uint8_t bytes[8];

	name[0] = '\0';
	if (number >= table->n ||
	    !elf_source_read(source, table->functions + (number * 2 + 1) * word, bytes, word))
		return false;
	uint64_t data = pair_word(table, bytes);
	/* Behind the address, which is as long as the addresses of the pairs. */
	if (data > table->end - table->data ||
	    !elf_source_read(source, table->data + data + word, bytes, 4))
		return false;
	uint64_t at = elf_u32(table->file, bytes);
	bool is_of_header = at == 0 && table->names == table->data;
	if (is_of_header || at >= table->end - table->names)
		return false;
	return elf_source_text(source, table->names + at, table->end - table->names - at, name,
			       ELF_SYMBOL_NAME_BYTES);
}
