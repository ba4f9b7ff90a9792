// SPDX-License-Identifier: MIT
/*
 * An entry is an integer: the distance of the address from the lowest executable segment, and the
 * number of the symbol. The integers are sorted where they are: a copy, as radix.h and qsort()
 * make it, would double the memory.
 *
 * Names are not read while the index is made. A name costs a page of the file, so a million would
 * cost the whole string table.
 */
#include "core/code/symbol_index.h"

#include "core/base/util.h"
#include "core/code/elf_debug_data.h"
#include "core/code/elf_go.h"
#include "core/code/elf_plt.h"
#include "core/code/elf_symbols.h"
#include "core/code/elf_unwind.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	TABLES_MAX = 2,
	FEW = 48,         /* up to here insertion sort is faster */
	AROUND_MAX = 32,  /* functions before a place that may reach it */
	NUMBER_BITS = 32, /* of an entry */
	SHORT_BYTES = 32, /* between two symbols: no other function, as in libGL's 3,337 stubs */
};

struct symbol_index {
	struct elf_file binary, debug; /* debug: the file, or the inflated one */
	uint8_t *image;                /* of the inflated one */
	struct elf_symbols tables[TABLES_MAX];
	unsigned n_tables;
	struct elf_go_table go;
	uint64_t base;
	uint64_t *entries; /* ascending */
	size_t n, capacity;
	bool is_complete; /* the functions that other files do not call have entries too */
	struct elf_plt plt;
	struct elf_symbols plt_symbols;
};

/* The sections that matter. size 0: there is none. */
struct sections {
	struct elf_section symtab, dynsym, debug_data, plt, plt_second, plt_relocations;
	struct elf_go_sections go;
};

static bool keep_section(void *arg, const struct elf_section *section)
{
	struct sections *sections = arg;

	elf_go_note(&sections->go, section);
	if (section->type == SHT_SYMTAB)
		sections->symtab = *section;
	else if (section->type == SHT_DYNSYM)
		sections->dynsym = *section;
	else if (section->type == SHT_PROGBITS && strcmp(section->name, ".gnu_debugdata") == 0)
		sections->debug_data = *section;
	else if (section->type == SHT_PROGBITS && strcmp(section->name, ".plt") == 0)
		sections->plt = *section;
	else if (section->type == SHT_PROGBITS && strcmp(section->name, ".plt.sec") == 0)
		sections->plt_second = *section;
	else if (strcmp(section->name, ".rela.plt") == 0 || strcmp(section->name, ".rel.plt") == 0)
		sections->plt_relocations = *section;
	return true;
}

/* Whether an entry can hold it. */
static bool is_in_code(const struct symbol_index *index, uint64_t address)
{
	return address >= index->base && address - index->base <= UINT32_MAX &&
	       elf_file_code(&index->binary, address);
}

static uint64_t entry_of(const struct symbol_index *index, uint64_t address, uint32_t number)
{
	return (address - index->base) << NUMBER_BITS | number;
}

static uint64_t entry_address(const struct symbol_index *index, size_t i)
{
	return index->base + (index->entries[i] >> NUMBER_BITS);
}

struct addition {
	struct symbol_index *index;
	uint32_t first; /* number of the table's first symbol */
};

/* Adds a symbol, if it is a function. False: there are too many. */
static bool add_symbol(void *arg, uint32_t number, const struct elf_symbol *symbol)
{
	const struct addition *addition = arg;
	struct symbol_index *index = addition->index;

	if (!elf_symbol_is_function(symbol) || !is_in_code(index, symbol->address))
		return true;
	if (index->n == SYMBOL_INDEX_FUNCTIONS)
		return false;
	if (index->n == index->capacity)
		index->entries = array_reserve(index->entries, &index->capacity, index->n + 1,
					       sizeof(*index->entries));
	index->entries[index->n++] = entry_of(index, symbol->address, addition->first + number);
	return true;
}

static uint32_t next_number(const struct symbol_index *index)
{
	const struct elf_symbols *last = &index->tables[index->n_tables];

	return index->n_tables > 0 ? last[-1].first + last[-1].n : 0;
}

/* Adds a table with its functions, if it can be read and has any. */
static void add_table(struct symbol_index *index, const struct elf_file *file,
		      const struct elf_section *section)
{
	struct elf_symbols *table = &index->tables[index->n_tables];
	size_t before = index->n;

	if (index->n_tables == TABLES_MAX || !elf_symbols_init(table, file, section))
		return;
	table->first = next_number(index);
	struct addition addition = {index, table->first};
	if (!elf_symbols_each(table, add_symbol, &addition))
		index->n = before;
	else if (index->n > before)
		index->n_tables++;
}

/* Adds the functions of a Go program, behind all other tables. */
static void add_go(struct symbol_index *index, const struct elf_go_sections *sections)
{
	struct addition addition = {index, next_number(index)};
	size_t before = index->n;

	if (!elf_go_init(&index->go, &index->binary, sections))
		return;
	index->go.first = addition.first;
	if (elf_go_each(&index->go, add_symbol, &addition))
		return;
	index->n = before;
	index->go.n = 0;
}

static void insertion_sort(uint64_t *entries, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t entry = entries[i];
		size_t at = i;

		for (; at > 0 && entries[at - 1] > entry; at--)
			entries[at] = entries[at - 1];
		entries[at] = entry;
	}
}

/* Sorts by a byte, from the highest to the lowest, and each part with an equal byte by the next. */
static void sort_entries(uint64_t *entries, size_t n, unsigned byte)
{
	size_t at[256] = {0}, end[256], sum = 0;
	const unsigned shift = 8 * byte;

	if (n <= FEW) {
		insertion_sort(entries, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		at[entries[i] >> shift & 0xff]++;
	for (unsigned value = 0; value < 256; value++) {
		sum += at[value];
		end[value] = sum;
		at[value] = sum - at[value];
	}
	for (unsigned value = 0; value < 256; value++)
		while (at[value] < end[value]) {
			uint64_t entry = entries[at[value]];
			unsigned home = entry >> shift & 0xff;

			if (home == value) {
				at[value]++;
				continue;
			}
			entries[at[value]] = entries[at[home]];
			entries[at[home]++] = entry;
		}
	for (unsigned value = 0; value < 256 && byte > 0; value++) {
		size_t begin = value ? end[value - 1] : 0;

		if (end[value] - begin > 1)
			sort_entries(entries + begin, end[value] - begin, byte - 1);
	}
}

/* Adds the functions of the inflated file, which leaves out .dynsym, and of .dynsym. */
static void add_debug_data(struct symbol_index *index, const struct sections *sections)
{
	struct sections inside = {0};
	struct elf_source source = {.fd = -1};
	size_t size;

	if (sections->debug_data.size == 0)
		return;
	index->image = elf_debug_data_inflate(&index->binary.source, sections->debug_data.offset,
					      sections->debug_data.size, &size);
	if (!index->image)
		return;
	source.bytes = index->image;
	source.size = size;
	if (elf_file_init(&index->debug, &source) == 0 &&
	    index->debug.is_64 == index->binary.is_64 &&
	    index->debug.machine == index->binary.machine) {
		elf_file_each_section(&index->debug, keep_section, &inside);
		add_table(index, &index->debug, &inside.symtab);
	}
	if (index->n > 0)
		return;
	free(index->image);
	index->image = NULL;
}

static void add_debug_file(struct symbol_index *index, const struct elf_source *source)
{
	struct sections sections = {0};

	if (elf_file_init(&index->debug, source) || index->debug.is_64 != index->binary.is_64 ||
	    index->debug.machine != index->binary.machine)
		return;
	elf_file_each_section(&index->debug, keep_section, &sections);
	add_table(index, &index->debug, &sections.symtab);
}

static void set_base(struct symbol_index *index)
{
	index->base = UINT64_MAX;
	for (unsigned i = 0; i < index->binary.n_segments; i++) {
		const struct elf_segment *segment = &index->binary.segments[i];

		if (segment->executable && segment->address < index->base)
			index->base = segment->address;
	}
}

static void set_plt(struct symbol_index *index, const struct sections *sections)
{
	const struct elf_section *plt =
		sections->plt_second.size > 0 ? &sections->plt_second : &sections->plt;

	if (plt->size > 0 && sections->plt_relocations.size > 0 &&
	    elf_symbols_init(&index->plt_symbols, &index->binary, &sections->dynsym))
		elf_plt_init(&index->plt, &index->binary, plt, &sections->plt_relocations);
}

int symbol_index_new(const struct elf_source *binary, const struct elf_source *debug,
		     struct symbol_index **index)
{
	struct sections sections = {0};
	struct symbol_index *made = xcalloc(1, sizeof(*made));

	if (elf_file_init(&made->binary, binary)) {
		free(made);
		return -ENOEXEC;
	}
	elf_file_each_section(&made->binary, keep_section, &sections);
	set_base(made);
	add_table(made, &made->binary, &sections.symtab);
	if (made->n == 0 && debug)
		add_debug_file(made, debug);
	made->is_complete = made->n > 0;
	if (made->n == 0) {
		add_debug_data(made, &sections);
		made->is_complete = made->n > 0;
		add_table(made, &made->binary, &sections.dynsym);
		add_go(made, &sections.go);
	}
	if (made->n > 0) {
		sort_entries(made->entries, made->n, sizeof(*made->entries) - 1);
		made->entries = xreallocarray(made->entries, made->n, sizeof(*made->entries));
		made->capacity = made->n;
	}
	set_plt(made, &sections);
	*index = made;
	return 0;
}

void symbol_index_free(struct symbol_index *index)
{
	if (!index)
		return;
	free(index->entries);
	free(index->image);
	free(index);
}

/* A function at an address, as a candidate for the name of a place. */
struct candidate {
	struct elf_symbol function;
	const struct elf_symbols *table; /* NULL: Go's table, where all have a size */
	bool reaches;                    /* the place is within its size */
	char name[ELF_SYMBOL_NAME_BYTES];
};

static const struct elf_symbols *table_of(const struct symbol_index *index, uint32_t number)
{
	for (unsigned i = 0; i < index->n_tables; i++)
		if (number - index->tables[i].first < index->tables[i].n)
			return &index->tables[i];
	return NULL;
}

static bool read_candidate(const struct symbol_index *index, size_t i, uint64_t address,
			   struct candidate *candidate)
{
	uint32_t number = (uint32_t)index->entries[i], go = number - index->go.first;
	const struct elf_symbols *table = table_of(index, number);
	struct elf_symbol *function = &candidate->function;

	/* A file that is written to may have other symbols now. */
	if (table ? !elf_symbols_read(table, number - table->first, function)
		  : !elf_go_read(&index->go, go, function))
		return false;
	if (function->address != entry_address(index, i) ||
	    !(table ? elf_symbols_name(table, function->name, candidate->name)
		    : elf_go_name(&index->go, go, candidate->name)))
		return false;
	candidate->table = table;
	candidate->reaches = address - function->address < function->size;
	return true;
}

/* > 0: a is the better name, as symbol_index.h orders them. */
static int compare_candidates(const struct candidate *a, const struct candidate *b)
{
	const struct elf_symbol *f = &a->function, *g = &b->function;

	if (a->reaches != b->reaches)
		return a->reaches - b->reaches;
	if ((f->type == STT_NOTYPE) != (g->type == STT_NOTYPE))
		return g->type == STT_NOTYPE ? 1 : -1;
	if ((f->binding == STB_LOCAL) != (g->binding == STB_LOCAL))
		return g->binding == STB_LOCAL ? 1 : -1;
	int underscores = (int)strspn(b->name, "_") - (int)strspn(a->name, "_");
	if (underscores)
		return underscores;
	if ((f->binding == STB_WEAK) != (g->binding == STB_WEAK))
		return g->binding == STB_WEAK ? 1 : -1;
	int length = (int)strlen(b->name) - (int)strlen(a->name);
	return length ? length : strcmp(b->name, a->name);
}

/* The first entry whose address is above. */
static size_t first_above(const struct symbol_index *index, uint64_t address)
{
	size_t low = 0, high = index->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (entry_address(index, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Shortens a range around an address so that it does not go across another address. */
static void end_range_at(struct elf_range *range, uint64_t address, uint64_t at)
{
	if (at <= address && at > range->start)
		range->start = at;
	else if (at > address && at < range->end)
		range->end = at;
}

/*
 * Finds the function of an address. Those at the nearest address before it are examined first, then
 * those further in front as long as none reaches it: they may have other functions inside. *around
 * has the address, and no other address at which a function begins or one that was examined ends:
 * for all of it the same functions are found.
 */
static bool find_function(const struct symbol_index *index, uint64_t address,
			  struct candidate *best, struct elf_range *around)
{
	size_t above = first_above(index, address);
	size_t stop = above > AROUND_MAX ? above - AROUND_MAX : 0;
	struct candidate other;
	bool found = false;

	around->start = above > 0 ? entry_address(index, above - 1) : 0;
	around->end = above < index->n ? entry_address(index, above) : UINT64_MAX;

	for (size_t i = above; i > stop; i--) {
		uint64_t start = entry_address(index, i - 1);
		bool nearest = start == entry_address(index, above - 1);

		if (found && best->reaches && start != best->function.address)
			break;
		if (!read_candidate(index, i - 1, address, &other))
			continue;
		end_range_at(around, address, start + other.function.size);
		bool fits = other.reaches || (nearest && other.function.size == 0);
		if (fits && (!found || compare_candidates(&other, best) > 0)) {
			*best = other;
			found = true;
		}
	}
	return found;
}

static bool find_plt(const struct symbol_index *index, uint64_t address, struct symbol_place *place)
{
	struct elf_symbol function;
	uint64_t start;
	uint32_t symbol;

	if (!elf_plt_find(&index->plt, &index->binary, address, &start, &symbol) ||
	    !elf_symbols_read(&index->plt_symbols, symbol, &function) ||
	    !elf_symbols_name(&index->plt_symbols, function.name, place->name))
		return false;
	place->address = start;
	place->bounded = place->plt = true;
	return true;
}

/* Sets the offsets of a range around the place, if the segment of the place has all of it. */
static void set_range(const struct symbol_index *index, uint64_t offset, uint64_t address,
		      struct elf_range range, struct symbol_place *place)
{
	const struct elf_plt *plt = &index->plt;
	uint64_t before, first, last;

	if (plt->n > 0) {
		end_range_at(&range, address, plt->address);
		end_range_at(&range, address, plt->address + plt->n * plt->entry_bytes);
	}
	before = address - range.start;
	if (range.start > address || range.end <= address || before > offset ||
	    range.end - address > UINT64_MAX - offset)
		return;
	place->start = offset - before;
	place->end = offset + (range.end - address);
	if (!elf_file_address(&index->binary, place->start, &first) || first != range.start ||
	    !elf_file_address(&index->binary, place->end - 1, &last) || last != range.end - 1)
		place->start = place->end = 0;
}

static void set_function(struct symbol_place *place, const struct candidate *best)
{
	memcpy(place->name, best->name, sizeof(place->name));
	place->address = best->function.address;
	place->bounded = true;
}

/*
 * Whether the function without a size that is nearest to an address may have it. `before`: the last
 * function of the unwind table that begins before the address; NULL: none. *end is where the
 * function ends at the latest, and *sure whether all up to there is of it.
 */
static bool reaches_without_size(const struct symbol_index *index, const struct candidate *nearest,
				 uint64_t address, const struct elf_range *before, uint64_t *end,
				 bool *sure)
{
	const struct elf_symbol *function = &nearest->function;
	const struct elf_file *file = nearest->table->file;
	const struct elf_segment *segment = elf_file_code(&index->binary, function->address);
	struct elf_section section;
	bool has_section = !file->is_relocatable &&
			   elf_file_section(file, function->section, &section) &&
			   function->address - section.address < section.size;

	*end = segment->address + segment->memory_bytes;
	*sure = address == function->address;
	if (has_section)
		*end = section.address + section.size;
	if (before && before->start > function->address)
		*end = before->start;
	else if (before && before->end > function->address)
		*end = before->end;
	size_t above = first_above(index, function->address);
	bool has_next = above < index->n && entry_address(index, above) < *end;
	if (has_next)
		*end = entry_address(index, above);
	if (before && before->start <= function->address && before->end > address)
		*sure = true;
	else if (index->is_complete && (has_next || has_section || file->is_relocatable))
		*sure = true;
	else if (has_next && *end - function->address <= SHORT_BYTES)
		*sure = true;
	return elf_file_code(&index->binary, address) == segment && address < *end;
}

bool symbol_index_find(const struct symbol_index *index, uint64_t offset,
		       struct symbol_place *place)
{
	struct candidate best;
	struct elf_range range, around;
	uint64_t address, end;

	place->bounded = place->plt = false;
	place->unsure = place->start = place->end = 0;
	place->name[0] = '\0';
	if (!elf_file_address(&index->binary, offset, &address))
		return false;
	place->address = address;
	if (find_plt(index, address, place))
		return true;
	place->name[0] = '\0';
	bool found = find_function(index, address, &best, &around);
	if (found && best.reaches) {
		set_function(place, &best);
		set_range(index, offset, address, around, place);
		return true;
	}
	bool unwinds = elf_unwind_find(&index->binary, address, &range);
	bool bounded = unwinds && address < range.end;
	bool sure = false;
	if (found &&
	    reaches_without_size(index, &best, address, unwinds ? &range : NULL, &end, &sure)) {
		set_function(place, &best);
		place->unsure = sure ? 0 : address - place->address;
		end_range_at(&around, address, end);
	} else if (bounded) {
		place->address = range.start;
		place->bounded = true;
	}
	if (bounded) {
		end_range_at(&around, address, range.start);
		end_range_at(&around, address, range.end);
	}
	/* In a gap of the table, functions without a name may begin anywhere. */
	if (!place->unsure && (bounded || (sure && index->binary.unwind_bytes == 0)))
		set_range(index, offset, address, around, place);
	return true;
}

struct location {
	const struct elf_symbols *table;
	const char *wanted;
	uint64_t address;
	char name[ELF_SYMBOL_NAME_BYTES];
};

static bool is_elsewhere(void *arg, uint32_t number, const struct elf_symbol *symbol)
{
	struct location *location = arg;

	(void)number;
	if (!symbol->defined || !elf_symbols_name(location->table, symbol->name, location->name) ||
	    strcmp(location->name, location->wanted) != 0)
		return true;
	location->address = symbol->address;
	return false;
}

bool symbol_index_locate(const struct symbol_index *index, const char *name, uint64_t *address)
{
	struct location location = {.wanted = name, .address = UINT64_MAX};

	for (unsigned i = 0; i < index->n_tables && location.address == UINT64_MAX; i++) {
		location.table = &index->tables[i];
		elf_symbols_each(location.table, is_elsewhere, &location);
	}
	*address = location.address;
	return location.address != UINT64_MAX;
}

bool symbol_index_has_names(const struct symbol_index *index)
{
	return index->n > 0 || index->plt.n > 0;
}

size_t symbol_index_bytes(const struct symbol_index *index)
{
	return sizeof(*index) + index->capacity * sizeof(*index->entries) +
	       (index->image ? index->debug.source.size : 0);
}

size_t symbol_index_functions(const struct symbol_index *index)
{
	return index->n;
}
