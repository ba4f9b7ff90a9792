// SPDX-License-Identifier: MIT
/* Symbols are read in pieces, names one by one: a name costs a page of the file. */
#include "core/code/elf_symbols.h"

#include "core/base/util.h"

#include <elf.h>
#include <string.h>

enum { SYMBOLS_AT_ONCE = 1024 };

static size_t symbol_bytes(const struct elf_file *file)
{
	return file->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

/* Symbols of a relocatable file have addresses in their section. */
static void place_symbol(const struct elf_file *file, unsigned section, struct elf_symbol *symbol)
{
	symbol->defined = false;
	for (unsigned i = 0; i < file->n_segments; i++)
		if (file->segments[i].section == section &&
		    symbol->address < file->segments[i].memory_bytes) {
			symbol->defined = true;
			symbol->address += file->segments[i].address;
			return;
		}
}

static void decode_symbol(const struct elf_file *file, const uint8_t *at, struct elf_symbol *symbol)
{
	unsigned info, section;

	if (file->is_64) {
		info = at[offsetof(Elf64_Sym, st_info)];
		section = elf_u16(file, at + offsetof(Elf64_Sym, st_shndx));
		symbol->address = elf_u64(file, at + offsetof(Elf64_Sym, st_value));
		symbol->size = elf_u64(file, at + offsetof(Elf64_Sym, st_size));
	} else {
		info = at[offsetof(Elf32_Sym, st_info)];
		section = elf_u16(file, at + offsetof(Elf32_Sym, st_shndx));
		symbol->address = elf_u32(file, at + offsetof(Elf32_Sym, st_value));
		symbol->size = elf_u32(file, at + offsetof(Elf32_Sym, st_size));
	}
	symbol->name = elf_u32(file, at); /* st_name is the first member of both */
	symbol->type = ELF64_ST_TYPE(info);
	symbol->binding = ELF64_ST_BIND(info);
	symbol->defined =
		section != SHN_UNDEF && (section < SHN_LORESERVE || section == SHN_XINDEX);
	symbol->section = section < SHN_LORESERVE ? section : SHN_UNDEF;
	if (file->is_relocatable && symbol->defined)
		place_symbol(file, section, symbol);
	/* The lowest bit marks Thumb code. */
	if (file->machine == EM_ARM && symbol->type == STT_FUNC)
		symbol->address &= ~UINT64_C(1);
}

bool elf_symbol_is_function(const struct elf_symbol *symbol)
{
	if (!symbol->defined || symbol->name == 0)
		return false;
	if (symbol->type == STT_NOTYPE)
		return symbol->binding != STB_LOCAL || symbol->size > 0;
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
}

bool elf_symbols_init(struct elf_symbols *table, const struct elf_file *file,
		      const struct elf_section *section)
{
	struct elf_section names;

	if (section->size == 0 || section->type == SHT_NOBITS || section->flags & SHF_COMPRESSED ||
	    !elf_file_section(file, section->link, &names) || names.type != SHT_STRTAB ||
	    section->size / symbol_bytes(file) > ELF_SYMBOLS_MAX)
		return false;
	*table = (struct elf_symbols){
		.file = file,
		.offset = section->offset,
		.names_offset = names.offset,
		.names_bytes = names.size,
		.n = (uint32_t)(section->size / symbol_bytes(file)),
	};
	return true;
}

bool elf_symbols_each(const struct elf_symbols *table,
		      bool (*fn)(void *arg, uint32_t number, const struct elf_symbol *symbol),
		      void *arg)
{
	uint8_t bytes[SYMBOLS_AT_ONCE * sizeof(Elf64_Sym)];
	size_t size = symbol_bytes(table->file);
	struct elf_symbol symbol;

	for (uint32_t first = 0; first < table->n; first += SYMBOLS_AT_ONCE) {
		size_t n = size_min(table->n - first, SYMBOLS_AT_ONCE);

		if (!elf_source_read(&table->file->source, table->offset + first * size, bytes,
				     n * size))
			return false;
		for (uint32_t i = 0; i < n; i++) {
			decode_symbol(table->file, bytes + i * size, &symbol);
			if (!fn(arg, first + i, &symbol))
				return false;
		}
	}
	return true;
}

bool elf_symbols_read(const struct elf_symbols *table, uint32_t number, struct elf_symbol *symbol)
{
	uint8_t bytes[sizeof(Elf64_Sym)];
	size_t size = symbol_bytes(table->file);

	if (number >= table->n ||
	    !elf_source_read(&table->file->source, table->offset + number * size, bytes, size))
		return false;
	decode_symbol(table->file, bytes, symbol);
	return true;
}

bool elf_symbols_name(const struct elf_symbols *table, uint32_t at,
		      char name[ELF_SYMBOL_NAME_BYTES])
{
	if (at >= table->names_bytes ||
	    !elf_source_text(&table->file->source, table->names_offset + at,
			     table->names_bytes - at, name, ELF_SYMBOL_NAME_BYTES))
		return false;
	char *version = strchr(name, '@');
	if (version && version > name)
		*version = '\0';
	return name[0] != '\0';
}
