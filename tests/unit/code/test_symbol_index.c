// SPDX-License-Identifier: MIT
/* Functions of ELF files by address: sources, bounds, aliases, and files that are wrong. */
#include "core/base/util.h"
#include "core/code/elf_debug_data.h"
#include "core/code/symbol_index.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/elf_image.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CODE ELF_IMAGE_CODE

enum { FUNC = STT_FUNC, NOTYPE = STT_NOTYPE, IFUNC = STT_GNU_IFUNC, OBJECT = STT_OBJECT };
enum { LOCAL = STB_LOCAL, GLOBAL = STB_GLOBAL, WEAK = STB_WEAK };

static struct elf_source source_of(const struct elf_image *image)
{
	return (struct elf_source){.fd = -1, .bytes = image->bytes, .size = image->size};
}

static struct symbol_index *index_of(const struct elf_image *image, const struct elf_image *debug)
{
	struct elf_source binary = source_of(image), other = {0};
	struct symbol_index *index = NULL;

	if (debug)
		other = source_of(debug);
	assert_int_equal(symbol_index_new(&binary, debug ? &other : NULL, &index), 0);
	return index;
}

/* Fails unless all offsets of the range of a place have the same function, the place among them. */
static void expect_same_in_range(const struct symbol_index *index, uint64_t offset,
				 const struct symbol_place *place)
{
	uint64_t step = 1 + (place->end - place->start) / 64;
	struct symbol_place other;

	if (place->end == 0)
		return;
	assert_in_range(offset, place->start, place->end - 1);
	for (uint64_t at = place->start; at < place->end; at += step) {
		assert_true(symbol_index_find(index, at, &other));
		assert_string_equal(other.name, place->name);
		assert_int_equal(other.address, place->address);
		assert_int_equal(other.bounded, place->bounded);
	}
}

/* Fails unless the function of an address has this name and start; "": no name. */
static void expect_function(const struct symbol_index *index, uint64_t address, const char *name,
			    uint64_t start)
{
	struct symbol_place place;

	assert_true(symbol_index_find(index, elf_image_offset(address), &place));
	assert_string_equal(place.name, name);
	assert_int_equal(place.address, start);
	assert_int_equal(place.bounded, name[0] != '\0' || start != address);
	expect_same_in_range(index, elf_image_offset(address), &place);
}

/* Which of some symbols is the name of an address. */
static const struct choice {
	const char *name;
	struct elf_image_symbol symbols[4];
	uint64_t address;
	const char *want;
	uint64_t start;
} choices[] = {
	{"first byte", {{"f", CODE, 16, FUNC, GLOBAL}}, CODE, "f", CODE},
	{"last byte", {{"f", CODE, 16, FUNC, GLOBAL}}, CODE + 15, "f", CODE},
	{"behind it", {{"f", CODE, 16, FUNC, GLOBAL}}, CODE + 16, "", CODE + 16},
	{"before it", {{"f", CODE + 8, 8, FUNC, GLOBAL}}, CODE + 7, "", CODE + 7},
	{"no size: up to the next",
	 {{"f", CODE, 0, FUNC, GLOBAL}, {"g", CODE + 32, 8, FUNC, GLOBAL}},
	 CODE + 31,
	 "f",
	 CODE},
	{"no size, at the end", {{"f", CODE, 0, FUNC, GLOBAL}}, CODE + 0x1fff, "f", CODE},
	{"a label in a function",
	 {{"f", CODE, 64, FUNC, GLOBAL}, {"label", CODE + 16, 0, NOTYPE, GLOBAL}},
	 CODE + 20,
	 "f",
	 CODE},
	{"a function in a function",
	 {{"outer", CODE, 64, FUNC, GLOBAL}, {"inner", CODE + 16, 16, FUNC, LOCAL}},
	 CODE + 20,
	 "inner",
	 CODE + 16},
	{"behind the inner one",
	 {{"outer", CODE, 64, FUNC, GLOBAL}, {"inner", CODE + 16, 16, FUNC, LOCAL}},
	 CODE + 40,
	 "outer",
	 CODE},
	{"indirect", {{"memcpy", CODE, 16, IFUNC, GLOBAL}}, CODE, "memcpy", CODE},
	{"data", {{"f", CODE, 16, OBJECT, GLOBAL}}, CODE, "", CODE},
	{"undefined", {{"f", CODE, 16, FUNC, GLOBAL, SHN_ABS}}, CODE, "", CODE},
	{"outside of the code", {{"f", ELF_IMAGE_BASE, 1 << 20, FUNC, GLOBAL}}, CODE, "", CODE},
	{"assembler", {{"_start", CODE, 0, NOTYPE, GLOBAL}}, CODE + 4, "_start", CODE},
	{"mapping symbol",
	 {{"f", CODE, 0, FUNC, GLOBAL}, {"$x", CODE + 8, 0, NOTYPE, LOCAL}},
	 CODE + 9,
	 "f",
	 CODE},
	{"version", {{"memcpy@@GLIBC_2.14", CODE, 8, FUNC, GLOBAL}}, CODE, "memcpy", CODE},
	{"only a version", {{"@x", CODE, 8, FUNC, GLOBAL}}, CODE, "@x", CODE},
	{"no name", {{"", CODE, 8, FUNC, GLOBAL}, {"g", CODE, 8, FUNC, LOCAL}}, CODE, "g", CODE},
	{"alias: not local",
	 {{"a", CODE, 8, FUNC, LOCAL}, {"__exported", CODE, 8, FUNC, WEAK}},
	 CODE,
	 "__exported",
	 CODE},
	{"alias: fewer underscores",
	 {{"__write", CODE, 8, FUNC, GLOBAL},
	  {"write", CODE, 8, FUNC, WEAK},
	  {"__libc_write", CODE, 8, FUNC, GLOBAL}},
	 CODE,
	 "write",
	 CODE},
	{"alias: not weak",
	 {{"abc", CODE, 8, FUNC, WEAK}, {"abcdef", CODE, 8, FUNC, GLOBAL}},
	 CODE,
	 "abcdef",
	 CODE},
	{"alias: shorter",
	 {{"longer", CODE, 8, FUNC, GLOBAL}, {"short", CODE, 8, FUNC, GLOBAL}},
	 CODE,
	 "short",
	 CODE},
	{"alias: first",
	 {{"b", CODE, 8, FUNC, GLOBAL}, {"a", CODE, 8, FUNC, GLOBAL}},
	 CODE,
	 "a",
	 CODE},
	{"alias: a function",
	 {{"a", CODE, 8, NOTYPE, GLOBAL}, {"fun", CODE, 8, FUNC, LOCAL}},
	 CODE,
	 "fun",
	 CODE},
	{"alias: the one that reaches",
	 {{"a", CODE, 4, FUNC, GLOBAL}, {"long", CODE, 8, FUNC, LOCAL}},
	 CODE + 6,
	 "long",
	 CODE},
};

static size_t count_symbols(const struct elf_image_symbol *symbols, size_t most)
{
	size_t n = 0;

	while (n < most && symbols[n].name)
		n++;
	return n;
}

static void test_choice(void **state)
{
	const struct choice *row = *state;

	/* Both classes and byte orders: one of them is not this machine's. */
	for (unsigned kind = 0; kind < 4; kind++) {
		struct elf_image image;

		elf_image_init(&image);
		image.is_32 = kind & 1;
		image.is_big = kind & 2;
		elf_image_symbols(&image, SHT_SYMTAB, row->symbols,
				  count_symbols(row->symbols, ARRAY_SIZE(row->symbols)));
		elf_image_end(&image);
		struct symbol_index *index = index_of(&image, NULL);
		expect_function(index, row->address, row->want, row->start);
		symbol_index_free(index);
		elf_image_fini(&image);
	}
}

static void test_thumb(void **state)
{
	const struct elf_image_symbol symbols[] = {{"thumb", CODE + 1, 8, FUNC, GLOBAL}};
	struct elf_image image;

	(void)state;
	elf_image_init(&image);
	image.is_32 = true;
	image.machine = EM_ARM;
	elf_image_symbols(&image, SHT_SYMTAB, symbols, 1);
	elf_image_end(&image);
	struct symbol_index *index = index_of(&image, NULL);
	expect_function(index, CODE, "thumb", CODE);
	expect_function(index, CODE + 8, "", CODE + 8);
	symbol_index_free(index);
	elf_image_fini(&image);
}

/* An xz file of some bytes. The caller frees it. */
static uint8_t *compress(const void *bytes, size_t n, size_t *size)
{
	size_t room = lzma_stream_buffer_bound(n), used = 0;
	uint8_t *to = xmalloc(room);

	assert_int_equal(
		lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, bytes, n, to, &used, room),
		LZMA_OK);
	*size = used;
	return to;
}

/* Which of the sources of names is used. */
static const struct sources {
	const char *name;
	bool symtab, debug, debug_data, dynsym;
	const char *want[3]; /* at CODE, CODE + 0x10 and CODE + 0x20 */
} sources[] = {
	{"symtab", true, true, true, true, {"symtab", "", ""}},
	{"debug file", false, true, true, true, {"debug", "", ""}},
	{"debug data with dynsym", false, false, true, true, {"", "data", "dynamic"}},
	{"debug data", false, false, true, false, {"", "data", ""}},
	{"dynsym", false, false, false, true, {"", "", "dynamic"}},
	{"none", false, false, false, false, {"", "", ""}},
};

static void add_table(struct elf_image *image, uint32_t type, const char *name, uint64_t address)
{
	const struct elf_image_symbol symbol = {name, address, 16, FUNC, GLOBAL};

	elf_image_symbols(image, type, &symbol, 1);
}

static void test_sources(void **state)
{
	const struct sources *row = *state;
	struct elf_image image, debug, data;
	size_t n;

	elf_image_init(&image);
	elf_image_init(&debug);
	elf_image_init(&data);
	add_table(&debug, SHT_SYMTAB, "debug", CODE);
	elf_image_end(&debug);
	add_table(&data, SHT_SYMTAB, "data", CODE + 0x10);
	elf_image_end(&data);
	if (row->symtab)
		add_table(&image, SHT_SYMTAB, "symtab", CODE);
	if (row->dynsym)
		add_table(&image, SHT_DYNSYM, "dynamic", CODE + 0x20);
	if (row->debug_data) {
		uint8_t *xz = compress(data.bytes, data.size, &n);

		elf_image_section(&image, ".gnu_debugdata", SHT_PROGBITS, 0, xz, n);
		free(xz);
	}
	elf_image_end(&image);
	struct symbol_index *index = index_of(&image, row->debug ? &debug : NULL);
	for (unsigned i = 0; i < ARRAY_SIZE(row->want); i++)
		expect_function(index, CODE + 0x10 * i, row->want[i], CODE + 0x10 * i);
	symbol_index_free(index);
	elf_image_fini(&image);
	elf_image_fini(&debug);
	elf_image_fini(&data);
}

static void test_debug_of_another_machine(void **state)
{
	struct elf_image image, debug;

	(void)state;
	elf_image_init(&image);
	elf_image_end(&image);
	elf_image_init(&debug);
	debug.machine = EM_AARCH64;
	add_table(&debug, SHT_SYMTAB, "other", CODE);
	elf_image_end(&debug);
	struct symbol_index *index = index_of(&image, &debug);
	expect_function(index, CODE, "", CODE);
	symbol_index_free(index);
	elf_image_fini(&image);
	elf_image_fini(&debug);
}

static void test_plt(void **state)
{
	const struct elf_image_symbol symbols[] = {
		{"write", 0, 0, FUNC, GLOBAL, SHN_ABS},
		{"read", 0, 0, FUNC, GLOBAL, SHN_ABS},
	};
	struct symbol_place place;
	struct elf_image image;

	(void)state;
	elf_image_init(&image);
	elf_image_symbols(&image, SHT_DYNSYM, symbols, 2);
	elf_image_plt(&image, CODE + 0x100, 2);
	elf_image_end(&image);
	struct symbol_index *index = index_of(&image, NULL);
	expect_function(index, CODE + 0x110, "write", CODE + 0x110);
	expect_function(index, CODE + 0x12f, "read", CODE + 0x120);
	expect_function(index, CODE + 0x10f, "", CODE + 0x10f);
	expect_function(index, CODE + 0x130, "", CODE + 0x130);
	assert_true(symbol_index_find(index, elf_image_offset(CODE + 0x110), &place) && place.plt);
	symbol_index_free(index);
	elf_image_fini(&image);
}

/* Bounds without names, and names without sizes that end at them. */
static void test_bounds(void **state)
{
	static const struct elf_image_range ranges[] = {
		{CODE + 0x10, CODE + 0x20},
		{CODE + 0x20, CODE + 0x30},
		{CODE + 0x40, CODE + 0x50},
	};
	static const struct {
		const char *name;
		uint64_t address;
		const char *want;
		uint64_t start;
	} rows[] = {
		{"before all", CODE, "", CODE},
		{"first", CODE + 0x1f, "", CODE + 0x10},
		{"second", CODE + 0x21, "", CODE + 0x20},
		{"gap", CODE + 0x30, "", CODE + 0x30},
		{"with a name", CODE + 0x4f, "named", CODE + 0x40},
		{"behind a name without size, which has bounds", CODE + 0x50, "", CODE + 0x50},
	};
	const struct elf_image_symbol symbol = {"named", CODE + 0x40, 0, FUNC, GLOBAL};

	(void)state;
	for (unsigned kind = 0; kind < 4; kind++) {
		struct elf_image image;

		elf_image_init(&image);
		image.is_32 = kind & 1;
		image.is_big = kind & 2;
		elf_image_symbols(&image, SHT_DYNSYM, &symbol, 1);
		elf_image_unwind(&image, ranges, ARRAY_SIZE(ranges));
		elf_image_end(&image);
		struct symbol_index *index = index_of(&image, NULL);
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			print_message("%s\n", rows[i].name);
			expect_function(index, rows[i].address, rows[i].want, rows[i].start);
		}
		symbol_index_free(index);
		elf_image_fini(&image);
	}
}

/* Which offsets have the same function. */
static void test_ranges(void **state)
{
	static const struct elf_image_symbol symbols[] = {
		{"outer", CODE, 0x40, FUNC, GLOBAL},
		{"inner", CODE + 0x10, 0x10, FUNC, LOCAL},
		{"sizeless", CODE + 0x60, 0, FUNC, GLOBAL},
		{"last", CODE + 0xa0, 0x10, FUNC, GLOBAL},
	};
	static const struct elf_image_range ranges[] = {
		{CODE + 0x40, CODE + 0x50}, /* no name */
		{CODE + 0x60, CODE + 0x70},
		{CODE + 0x90, CODE + 0xb0},
	};
	static const struct {
		uint64_t address, start, end; /* from CODE; end 0: unknown */
	} rows[] = {
		{0x00, 0x00, 0x10}, {0x0f, 0x00, 0x10}, {0x10, 0x10, 0x20}, {0x1f, 0x10, 0x20},
		{0x20, 0x20, 0x40}, {0x3f, 0x20, 0x40}, {0x40, 0x40, 0x50}, {0x4f, 0x40, 0x50},
		{0x50, 0, 0},       {0x60, 0x60, 0x70}, {0x6f, 0x60, 0x70}, {0x70, 0, 0},
		{0x98, 0x90, 0xa0}, {0xa8, 0xa0, 0xb0}, {0xb0, 0, 0},
	};
	struct symbol_place place;
	struct elf_image image;

	(void)state;
	elf_image_init(&image);
	elf_image_symbols(&image, SHT_SYMTAB, symbols, ARRAY_SIZE(symbols));
	elf_image_unwind(&image, ranges, ARRAY_SIZE(ranges));
	elf_image_end(&image);
	struct symbol_index *index = index_of(&image, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t offset = elf_image_offset(CODE + rows[i].address);

		print_message("0x%lx\n", (unsigned long)rows[i].address);
		assert_true(symbol_index_find(index, offset, &place));
		assert_int_equal(place.end ? place.start - elf_image_offset(CODE) : 0,
				 rows[i].start);
		assert_int_equal(place.end ? place.end - elf_image_offset(CODE) : 0, rows[i].end);
		expect_same_in_range(index, offset, &place);
	}
	symbol_index_free(index);
	elf_image_fini(&image);
}

/* A name without a size does not reach into a function without a name. */
static void test_size_ends_at_bounds(void **state)
{
	static const struct elf_image_range ranges[] = {
		{CODE, CODE + 0x10},
		{CODE + 0x10, CODE + 0x20},
	};
	const struct elf_image_symbol symbol = {"named", CODE, 0, NOTYPE, GLOBAL};
	struct elf_image image;

	(void)state;
	elf_image_init(&image);
	elf_image_symbols(&image, SHT_DYNSYM, &symbol, 1);
	elf_image_unwind(&image, ranges, ARRAY_SIZE(ranges));
	elf_image_end(&image);
	struct symbol_index *index = index_of(&image, NULL);
	expect_function(index, CODE + 0xf, "named", CODE);
	expect_function(index, CODE + 0x18, "", CODE + 0x10);
	symbol_index_free(index);
	elf_image_fini(&image);
}

/* Where a function without a size ends: at the next one, at its section, at bounds. */
static const struct sizeless {
	const char *name;
	uint32_t type; /* of the table */
	struct elf_image_symbol symbols[3];
	struct elf_image_range range; /* of .eh_frame_hdr; end 0: none */
	uint64_t address;
	const char *want;
	uint64_t start, unsure;
} sizeless[] = {
	{"symtab: the next",
	 SHT_SYMTAB,
	 {{"asm_marker", CODE, 0, NOTYPE, GLOBAL}, {"g", CODE + 0x40, 8, FUNC, GLOBAL}},
	 {0, 0},
	 CODE + 0x3f,
	 "asm_marker",
	 CODE,
	 0},
	{"symtab: behind the next",
	 SHT_SYMTAB,
	 {{"asm_marker", CODE, 0, NOTYPE, GLOBAL}, {"g", CODE + 0x40, 8, FUNC, GLOBAL}},
	 {0, 0},
	 CODE + 0x48,
	 "",
	 CODE + 0x48,
	 0},
	{"symtab: its section",
	 SHT_SYMTAB,
	 {{"asm_marker", CODE, 0, NOTYPE, GLOBAL}},
	 {0, 0},
	 CODE + 0xfff,
	 "asm_marker",
	 CODE,
	 0},
	{"symtab: behind its section",
	 SHT_SYMTAB,
	 {{"asm_marker", CODE, 0, NOTYPE, GLOBAL}},
	 {0, 0},
	 CODE + 0x1000,
	 "",
	 CODE + 0x1000,
	 0},
	{"symtab: bounds of another one between",
	 SHT_SYMTAB,
	 {{"asm_marker", CODE, 0, NOTYPE, GLOBAL}},
	 {CODE + 0x10, CODE + 0x20},
	 CODE + 0x30,
	 "",
	 CODE + 0x30,
	 0},
	{"symtab: nothing behind it",
	 SHT_SYMTAB,
	 {{"asm_marker", CODE, 0, NOTYPE, GLOBAL, SHN_XINDEX}},
	 {0, 0},
	 CODE + 0x30,
	 "asm_marker",
	 CODE,
	 0x30},
	{"dynsym: its first byte",
	 SHT_DYNSYM,
	 {{"asm_marker", CODE, 0, NOTYPE, GLOBAL}},
	 {0, 0},
	 CODE,
	 "asm_marker",
	 CODE,
	 0},
	{"dynsym: code that other files do not call",
	 SHT_DYNSYM,
	 {{"asm_marker", CODE, 0, NOTYPE, GLOBAL}, {"g", CODE + 0x40, 8, FUNC, GLOBAL}},
	 {0, 0},
	 CODE + 0x3f,
	 "asm_marker",
	 CODE,
	 0x3f},
	{"dynsym: no room for other code",
	 SHT_DYNSYM,
	 {{"stub", CODE, 0, NOTYPE, GLOBAL}, {"g", CODE + 0x20, 0, NOTYPE, GLOBAL}},
	 {0, 0},
	 CODE + 0x1f,
	 "stub",
	 CODE,
	 0},
	{"dynsym: behind its section",
	 SHT_DYNSYM,
	 {{"asm_marker", CODE, 0, NOTYPE, GLOBAL}},
	 {0, 0},
	 CODE + 0x1000,
	 "",
	 CODE + 0x1000,
	 0},
	{"dynsym: its own bounds",
	 SHT_DYNSYM,
	 {{"asm_marker", CODE, 0, NOTYPE, GLOBAL}},
	 {CODE, CODE + 0x20},
	 CODE + 0x1f,
	 "asm_marker",
	 CODE,
	 0},
	{"dynsym: behind its own bounds",
	 SHT_DYNSYM,
	 {{"asm_marker", CODE, 0, NOTYPE, GLOBAL}},
	 {CODE, CODE + 0x20},
	 CODE + 0x20,
	 "",
	 CODE + 0x20,
	 0},
	{"dynsym: bounds of another one between",
	 SHT_DYNSYM,
	 {{"asm_marker", CODE, 0, NOTYPE, GLOBAL}},
	 {CODE + 0x10, CODE + 0x20},
	 CODE + 0x30,
	 "",
	 CODE + 0x30,
	 0},
};

static void test_sizeless(void **state)
{
	const struct sizeless *row = *state;

	for (unsigned kind = 0; kind < 4; kind++) {
		struct symbol_place place;
		struct elf_image image;
		size_t n = 0;

		elf_image_init(&image);
		image.is_32 = kind & 1;
		image.is_big = kind & 2;
		/* .text, and code of another section behind it. */
		image.sections[1].size = 0x1000;
		while (n < ARRAY_SIZE(row->symbols) && row->symbols[n].name)
			n++;
		elf_image_symbols(&image, row->type, row->symbols, n);
		if (row->range.end)
			elf_image_unwind(&image, &row->range, 1);
		elf_image_end(&image);
		struct symbol_index *index = index_of(&image, NULL);
		expect_function(index, row->address, row->want, row->start);
		assert_true(symbol_index_find(index, elf_image_offset(row->address), &place));
		assert_int_equal(place.unsure, row->unsure);
		assert_true(place.unsure == 0 || place.end == 0);
		symbol_index_free(index);
		elf_image_fini(&image);
	}
}

/* Functions of Go programs without symbols. */
static const struct go_case {
	const char *name;
	struct elf_image_go go;
	bool none; /* there are no names */
} go_cases[] = {
	{.name = "1.2", .go = {.version = 2}},
	{.name = "1.16", .go = {.version = 16}},
	{.name = "1.18", .go = {.version = 18}},
	{.name = "1.20", .go = {.version = 20}},
	{.name = "1.26", .go = {.version = 26}},
	{.name = "1.2 of PIE", .go = {.version = 2, .section = ".data.rel.ro.gopclntab"}},
	{.name = "1.20 of PIE", .go = {.version = 20, .section = ".data.rel.ro.gopclntab"}},
	{.name = "1.18 of another linker",
	 .go = {.version = 18, .section = ".data.rel.ro", .before = 40, .is_relocated = true}},
	{.name = "1.20 of another linker, in the second piece",
	 .go = {.version = 20, .section = ".data.rel.ro", .before = 20000, .is_relocated = true}},
	{.name = "1.26 of another linker", .go = {.version = 26, .is_relocated = true}},
	{.name = "in other data of other names",
	 .go = {.version = 20, .section = ".data", .before = 40},
	 .none = true},
};

static void test_go(void **state)
{
	static const struct elf_image_function functions[] = {
		{"internal/cpu.Initialize", CODE + 0x10},
		{"main.(*hasher).spin", CODE + 0x40},
		{"main.F[go.shape.int]", CODE + 0x80},
		{"", CODE + 0xa0},
	};
	static const struct elf_image_symbol symbol = {"_cgo_f", CODE + 0xb0, 16, FUNC, GLOBAL};
	const struct go_case *row = *state;

	for (unsigned kind = 0; kind < 4; kind++) {
		struct elf_image image;

		elf_image_init(&image);
		image.is_32 = kind & 1;
		image.is_big = kind & 2;
		elf_image_symbols(&image, SHT_DYNSYM, &symbol, 1);
		elf_image_go(&image, &row->go, functions, ARRAY_SIZE(functions));
		elf_image_end(&image);
		struct symbol_index *index = index_of(&image, NULL);
		expect_function(index, CODE + 0xf, "", CODE + 0xf);
		for (size_t i = 0; i + 1 < ARRAY_SIZE(functions); i++) {
			uint64_t start = functions[i].address;
			uint64_t last = functions[i + 1].address - 1;

			expect_function(index, start, row->none ? "" : functions[i].name, start);
			expect_function(index, last, row->none ? "" : functions[i].name,
					row->none ? last : start);
		}
		expect_function(index, CODE + 0xa0, "", CODE + 0xa0);
		expect_function(index, CODE + 0xb8, "_cgo_f", CODE + 0xb0);
		assert_int_equal(symbol_index_functions(index),
				 row->none ? 1 : ARRAY_SIZE(functions));
		symbol_index_free(index);
		elf_image_fini(&image);
	}
}

/* The symbols of a program that is not stripped have more names, such as of C. */
static void test_go_with_symbols(void **state)
{
	static const struct elf_image_function functions[] = {{"main.main", CODE},
							      {"", CODE + 0x10}};
	struct elf_image image;

	(void)state;
	elf_image_init(&image);
	add_table(&image, SHT_SYMTAB, "other", CODE);
	elf_image_go(&image, &(struct elf_image_go){.version = 20}, functions, 2);
	elf_image_end(&image);
	struct symbol_index *index = index_of(&image, NULL);
	expect_function(index, CODE, "other", CODE);
	assert_int_equal(symbol_index_functions(index), 1);
	symbol_index_free(index);
	elf_image_fini(&image);
}

/* Each byte of a table's header and pairs may be any: places have answers, or the table none. */
static void test_go_broken(void **state)
{
	static const struct elf_image_function functions[] = {
		{"main.main", CODE + 0x10}, {"main.f", CODE + 0x20}, {"", CODE + 0x30}};
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	static const unsigned versions[] = {2, 16, 20};
	struct symbol_place place;

	(void)state;
	for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
		struct elf_image image;

		elf_image_init(&image);
		elf_image_go(&image, &(struct elf_image_go){.version = versions[v]}, functions, 3);
		elf_image_end(&image);
		uint8_t *table = image.bytes + image.sections[2].offset;
		for (size_t at = 0; at < 8 + 8 * 8 + 256 + 128; at++) {
			for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
				uint8_t before = table[at];

				table[at] = values[i];
				struct symbol_index *index = index_of(&image, NULL);
				for (uint64_t place_at = 0; place_at < 0x40; place_at += 8)
					assert_true(symbol_index_find(
						index, elf_image_offset(CODE + place_at), &place));
				symbol_index_free(index);
				table[at] = before;
			}
		}
		elf_image_fini(&image);
	}
}

/* Places that are in no segment have no address. The rest of a segment's last page has one. */
static void test_places(void **state)
{
	struct symbol_place place;
	struct elf_image image;

	(void)state;
	elf_image_init(&image);
	elf_image_end(&image);
	struct symbol_index *index = index_of(&image, NULL);
	assert_true(symbol_index_find(index, ELF_IMAGE_CODE_OFFSET - 1, &place));
	assert_int_equal(place.address, ELF_IMAGE_BASE + ELF_IMAGE_CODE_OFFSET - 1);
	assert_false(place.bounded);
	assert_false(
		symbol_index_find(index, ELF_IMAGE_CODE_OFFSET + ELF_IMAGE_CODE_BYTES, &place));
	assert_false(symbol_index_find(index, UINT64_MAX, &place));
	symbol_index_free(index);
	elf_image_fini(&image);
}

/* Many functions in no order: each is found, also after the sort of all bytes. */
static void test_many(void **state)
{
	enum { MANY = 1000 };
	static struct elf_image_symbol symbols[MANY];
	static char names[MANY][16];
	struct elf_image image;

	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		unsigned at = i * 617 % MANY;

		snprintf(names[i], sizeof(names[i]), "f%u", at);
		symbols[i] = (struct elf_image_symbol){names[i], CODE + 8 * at, 8, FUNC, GLOBAL};
	}
	elf_image_init(&image);
	elf_image_symbols(&image, SHT_SYMTAB, symbols, MANY);
	elf_image_end(&image);
	struct symbol_index *index = index_of(&image, NULL);
	assert_int_equal(symbol_index_functions(index), MANY);
	assert_in_range(symbol_index_bytes(index), 8 * MANY, 8 * MANY + (8 << 10));
	for (unsigned i = 0; i < MANY; i++)
		expect_function(index, symbols[i].address + 7, symbols[i].name, symbols[i].address);
	symbol_index_free(index);
	elf_image_fini(&image);
}

/* Sections that are wrong: the file has no names, and nothing else happens. */
static const struct wrong {
	const char *name;
	uint64_t offset, size;
	uint32_t link; /* 0: as it is; else + 1 */
	uint32_t type; /* 0: as it is */
	uint64_t flags;
} wrongs[] = {
	{"outside", 1 << 30, 0, 0, 0, 0},
	{"size outside", 0, 1 << 30, 0, 0, 0},
	{"end overflows", UINT64_MAX - 8, 0, 0, 0, 0},
	{"size overflows", 0, UINT64_MAX - 8, 0, 0, 0},
	{"no names", 0, 0, 1, 0, 0},
	{"its own names", 0, 0, 4 + 1, 0, 0},
	{"names outside", 0, 0, 5000, 0, 0},
	{"code as names", 0, 0, 1 + 1, 0, 0},
	{"compressed", 0, 0, 0, 0, SHF_COMPRESSED},
	{"no bytes", 0, 0, 0, SHT_NOBITS, 0},
};

static void test_wrong(void **state)
{
	const struct wrong *row = *state;
	struct elf_image image;

	elf_image_init(&image);
	unsigned number = elf_image_symbols(
		&image, SHT_SYMTAB, &(struct elf_image_symbol){"f", CODE, 8, FUNC, GLOBAL}, 1);
	if (row->offset)
		image.sections[number].offset = row->offset;
	if (row->size)
		image.sections[number].size = row->size;
	if (row->link)
		image.sections[number].link = row->link - 1;
	if (row->type)
		image.sections[number].type = row->type;
	image.sections[number].flags |= row->flags;
	elf_image_end(&image);
	struct symbol_index *index = index_of(&image, NULL);
	expect_function(index, CODE, "", CODE);
	symbol_index_free(index);
	elf_image_fini(&image);
}

/* Each length of a file. The headers of its sections are at the end, so it has no name. */
static void test_cut(void **state)
{
	struct elf_image image;
	struct symbol_place place;

	(void)state;
	elf_image_init(&image);
	add_table(&image, SHT_SYMTAB, "f", CODE);
	elf_image_end(&image);
	size_t headers = image.size - image.n_sections * sizeof(Elf64_Shdr);
	for (size_t size = 0; size <= image.size; size += size < 512 ? 1 : 37) {
		const struct elf_source source = {.fd = -1, .bytes = image.bytes, .size = size};
		struct symbol_index *index = NULL;
		int rc = symbol_index_new(&source, NULL, &index);

		assert_int_equal(rc, size < sizeof(Elf64_Ehdr) ? -ENOEXEC : 0);
		if (rc == 0 && symbol_index_find(index, elf_image_offset(CODE), &place))
			assert_true(place.name[0] == '\0' || size > headers);
		symbol_index_free(index);
	}
	elf_image_fini(&image);
}

static void test_no_elf(void **state)
{
	static const struct {
		const char *name, *bytes;
	} rows[] = {
		{"empty", ""},
		{"text",
		 "#!/bin/sh\necho this is a script that is longer than the header of a file\n"},
		{"only the magic", "\177ELF\2\1\1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct elf_source source = {
			.fd = -1,
			.bytes = (const uint8_t *)rows[i].bytes,
			.size = strlen(rows[i].bytes),
		};
		struct symbol_index *index;

		print_message("%s\n", rows[i].name);
		assert_int_equal(symbol_index_new(&source, NULL, &index), -ENOEXEC);
	}
}

static void test_xz_bomb(void **state)
{
	enum { ZEROS = DEBUG_DATA_BYTES + 1 };
	uint8_t *zeros = xcalloc(ZEROS, 1);
	size_t n, size;
	uint8_t *xz = compress(zeros, ZEROS, &n);
	struct elf_source source = {.fd = -1, .bytes = xz, .size = n};

	(void)state;
	assert_true(n < 10000);
	assert_null(elf_debug_data_inflate(&source, 0, n, &size));
	free(xz);
	xz = compress(zeros, 1000, &n);
	source = (struct elf_source){.fd = -1, .bytes = xz, .size = n};
	uint8_t *inflated = elf_debug_data_inflate(&source, 0, n, &size);
	assert_int_equal(size, 1000);
	assert_memory_equal(inflated, zeros, size);
	free(inflated);
	assert_null(elf_debug_data_inflate(&source, 0, n - 1, &size));
	assert_null(elf_debug_data_inflate(&source, 0, n + 1, &size));
	free(xz);
	free(zeros);
}

/* A dictionary of 64 MiB, as of xz -9, is more than the decoder may have. */
static void test_large_dictionary(void **state)
{
	lzma_options_lzma options;
	uint8_t to[4096];
	size_t n = 0, size;

	(void)state;
	assert_false(lzma_lzma_preset(&options, 0));
	options.dict_size = 64 << 20;
	lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
	int rc = lzma_stream_buffer_encode(filters, LZMA_CHECK_NONE, NULL, (const uint8_t *)"abc",
					   3, to, &n, sizeof(to));
	assert_int_equal(rc, LZMA_OK);
	const struct elf_source source = {.fd = -1, .bytes = to, .size = n};
	assert_null(elf_debug_data_inflate(&source, 0, n, &size));
}

/* A file that loses its second half after its index was made. */
static void test_truncated_later(void **state)
{
	char path[] = "/tmp/pmctop-cut-XXXXXX";
	int fd = mkstemp(path);
	struct elf_image image;
	struct elf_source source;
	struct symbol_index *index;

	(void)state;
	assert_true(fd >= 0);
	elf_image_init(&image);
	add_table(&image, SHT_SYMTAB, "f", CODE);
	elf_image_end(&image);
	assert_int_equal(write_all(fd, image.bytes, image.size, NULL), 0);
	assert_int_equal(elf_source_open(&source, fd), 0);
	assert_int_equal(symbol_index_new(&source, NULL, &index), 0);
	expect_function(index, CODE, "f", CODE);
	assert_int_equal(ftruncate(fd, 512), 0);
	expect_function(index, CODE, "", CODE);
	symbol_index_free(index);
	elf_image_fini(&image);
	close(fd);
	unlink(path);
}

/* This program: the linker has its own ideas of a file. */
__attribute__((noinline)) static int own_function(int value)
{
	__asm__ volatile("" : "+r"(value));
	return value + 1;
}

static void test_own_program(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elf_source source;
	struct symbol_index *index;
	struct symbol_place place;
	char line[512];
	uintptr_t address = (uintptr_t)own_function, found = 0;
	FILE *maps = fopen("/proc/self/maps", "re");

	(void)state;
	if (fd < 0 || !maps)
		skip();
	assert_int_equal(elf_source_open(&source, fd), 0);
	assert_int_equal(symbol_index_new(&source, NULL, &index), 0);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, end, offset;

		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    address >= start && address < end)
			found = address - start + offset;
	}
	fclose(maps);
	assert_true(symbol_index_find(index, found + 1, &place));
	assert_string_equal(place.name, "own_function");
	assert_true(place.bounded);
	assert_int_equal(own_function(1), 2);
	symbol_index_free(index);
	close(fd);
}

/* Offsets in a debug file without its binary are link addresses. */
static void test_debug_file_alone(void **state)
{
	const struct elf_image_symbol symbols[] = {{"f", CODE + 0x100, 16, FUNC, GLOBAL},
						   {"g", CODE + 0x200, 16, FUNC, LOCAL}};
	struct elf_image image;
	struct symbol_place place;

	(void)state;
	elf_image_init(&image);
	image.is_bare = true;
	elf_image_symbols(&image, SHT_SYMTAB, symbols, ARRAY_SIZE(symbols));
	elf_image_end(&image);
	struct symbol_index *index = index_of(&image, NULL);
	assert_true(symbol_index_find(index, CODE + 0x208, &place));
	assert_string_equal(place.name, "g");
	assert_int_equal(place.address, CODE + 0x200);
	expect_same_in_range(index, CODE + 0x208, &place);
	assert_false(symbol_index_find(index, CODE + ELF_IMAGE_CODE_BYTES + 0x1000, &place));
	symbol_index_free(index);
	elf_image_fini(&image);
}

/* .text, .text.b behind it at its alignment, without .init.text. */
static void test_module(void **state)
{
	static const struct {
		uint64_t place;
		const char *want;
	} rows[] = {
		{0x100, "f"},
		{0x110, "g"},
		{ELF_IMAGE_CODE_BYTES + 0x4, "h"},
		{ELF_IMAGE_CODE_BYTES + 0x24, "i"},
	};
	uint8_t code[0x40] = {0};
	struct elf_image image;

	(void)state;
	elf_image_init(&image);
	image.is_module = true;
	unsigned init = elf_image_section(&image, ".init.text", SHT_PROGBITS, 0, code, 0x20);
	unsigned other = elf_image_section(&image, ".text.b", SHT_PROGBITS, 0, code, 0x20);
	unsigned bare = elf_image_section(&image, ".exit.text", SHT_NOBITS, 0, code, 0x10);
	image.sections[init].flags = image.sections[other].flags = image.sections[bare].flags =
		SHF_ALLOC | SHF_EXECINSTR;
	const struct elf_image_symbol symbols[] = {
		{"f", 0x100, 16, FUNC, GLOBAL},
		{"g", 0x110, 16, FUNC, LOCAL},
		{"init", 0x4, 16, FUNC, LOCAL, (uint16_t)init},
		{"h", 0, 16, FUNC, LOCAL, (uint16_t)other},
		{"i", 0, 16, FUNC, LOCAL, (uint16_t)bare},
		{"far", 0x20, 16, FUNC, LOCAL, (uint16_t)bare}, /* behind its section */
	};
	elf_image_symbols(&image, SHT_SYMTAB, symbols, ARRAY_SIZE(symbols));
	elf_image_end(&image);
	struct symbol_index *index = index_of(&image, NULL);
	assert_int_equal(symbol_index_functions(index), 4);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct symbol_place place;

		assert_true(symbol_index_find(index, rows[i].place, &place));
		assert_string_equal(place.name, rows[i].want);
		expect_same_in_range(index, rows[i].place, &place);
	}
	symbol_index_free(index);
	elf_image_fini(&image);
}

static void test_locate(void **state)
{
	const struct elf_image_symbol symbols[] = {{"f", CODE + 16, 16, FUNC, GLOBAL},
						   {"_text", CODE, 0, NOTYPE, GLOBAL},
						   {"table", 0x1234, 8, OBJECT, GLOBAL}};
	struct elf_image image;
	uint64_t address;

	(void)state;
	elf_image_init(&image);
	elf_image_symbols(&image, SHT_SYMTAB, symbols, ARRAY_SIZE(symbols));
	elf_image_end(&image);
	struct symbol_index *index = index_of(&image, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++) {
		assert_true(symbol_index_locate(index, symbols[i].name, &address));
		assert_int_equal(address, symbols[i].address);
	}
	assert_false(symbol_index_locate(index, "_tex", &address));
	assert_false(symbol_index_locate(index, "", &address));
	symbol_index_free(index);
	elf_image_fini(&image);
}

int main(void)
{
	const struct cases tables[] = {
		CASES(test_choice, choices), CASES(test_sources, sources),
		CASES(test_wrong, wrongs),   CASES(test_sizeless, sizeless),
		CASES(test_go, go_cases),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debug_file_alone),
		cmocka_unit_test(test_module),
		cmocka_unit_test(test_locate),
		cmocka_unit_test(test_thumb),
		cmocka_unit_test(test_debug_of_another_machine),
		cmocka_unit_test(test_plt),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_size_ends_at_bounds),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_go_with_symbols),
		cmocka_unit_test(test_go_broken),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_no_elf),
		cmocka_unit_test(test_xz_bomb),
		cmocka_unit_test(test_large_dictionary),
		cmocka_unit_test(test_truncated_later),
		cmocka_unit_test(test_own_program),
	};

	return cases_run("symbol_index", tables, ARRAY_SIZE(tables), tests, ARRAY_SIZE(tests));
}
