// SPDX-License-Identifier: MIT
/* The sizes of entries differ by architecture, and are not in the file. */
#include "core/code/elf_plt.h"

#include "core/base/util.h"

#include <elf.h>
#include <string.h>

static const struct layout {
	uint16_t machine;
	uint32_t jump; /* the type of the relocations */
	uint8_t header_bytes, entry_bytes;
} layouts[] = {
	{EM_X86_64, R_X86_64_JUMP_SLOT, 16, 16},
	{EM_386, R_386_JMP_SLOT, 16, 16},
	{EM_AARCH64, R_AARCH64_JUMP_SLOT, 32, 16},
	{EM_ARM, R_ARM_JUMP_SLOT, 20, 12},
};

static const struct layout *find_layout(uint16_t machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].machine == machine)
			return &layouts[i];
	return NULL;
}

void elf_plt_init(struct elf_plt *table, const struct elf_file *file, const struct elf_section *plt,
		  const struct elf_section *relocations)
{
	const struct layout *layout = find_layout(file->machine);
	bool rela = relocations->type == SHT_RELA;
	uint64_t header = layout && strcmp(plt->name, ".plt") == 0 ? layout->header_bytes : 0;

	*table = (struct elf_plt){0};
	if (!layout || plt->size <= header || plt->address > UINT64_MAX - plt->size)
		return;
	table->relocation_bytes = file->is_64 ? (rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel))
					      : (rela ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel));
	table->relocations = relocations->offset;
	table->address = plt->address + header;
	table->entry_bytes = layout->entry_bytes;
	table->n = (plt->size - header) / layout->entry_bytes;
	if (table->n > relocations->size / table->relocation_bytes)
		table->n = relocations->size / table->relocation_bytes;
}

bool elf_plt_find(const struct elf_plt *table, const struct elf_file *file, uint64_t address,
		  uint64_t *start, uint32_t *symbol)
{
	const struct layout *layout = find_layout(file->machine);
	uint8_t bytes[sizeof(Elf64_Rela)];

	if (table->n == 0 || !layout || address < table->address)
		return false;
	uint64_t i = (address - table->address) / table->entry_bytes;
	if (i >= table->n ||
	    !elf_source_read(&file->source, table->relocations + i * table->relocation_bytes, bytes,
			     (size_t)table->relocation_bytes))
		return false;
	/* r_info is the second word. */
	uint64_t info = elf_word(file, bytes + (file->is_64 ? 8 : 4));
	uint32_t type = (uint32_t)(file->is_64 ? ELF64_R_TYPE(info) : ELF32_R_TYPE(info));
	*symbol = (uint32_t)(file->is_64 ? ELF64_R_SYM(info) : ELF32_R_SYM(info));
	*start = table->address + i * table->entry_bytes;
	return type == layout->jump && *symbol != STN_UNDEF;
}
