// SPDX-License-Identifier: MIT
/* Symbols that simpleperf has put into a recording: each kind of file, in both layouts. */
#include "core/perfdata/simpleperf_symbols.h"
#include "tests/unit/shared/perfdata_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum kind { KERNEL, MODULE, ELF, DEX, MAP, UNKNOWN, TOO_GREAT };

#define NO_OFFSET UINT64_MAX

struct symbol {
	uint64_t start;
	uint32_t size;
	const char *name;
};

struct file {
	enum kind kind;
	uint64_t min_vaddr, offset;
	struct symbol symbols[3];
};

static void put_struct(struct image *image, const char *path, const struct file *file)
{
	unsigned n = 0;

	while (n < ARRAY_SIZE(file->symbols) && file->symbols[n].name)
		n++;
	image_bytes(image, path, strlen(path) + 1);
	image_u32(image, file->kind);
	image_u64(image, file->min_vaddr);
	image_u32(image, n);
	for (unsigned i = 0; i < n; i++) {
		image_u64(image, file->symbols[i].start);
		image_u32(image, file->symbols[i].size);
		image_bytes(image, file->symbols[i].name, strlen(file->symbols[i].name) + 1);
	}
	if (file->kind == DEX)
		image_u32(image, 0);
	else if (file->offset != NO_OFFSET)
		image_u64(image, file->offset);
}

static void put_varint(struct image *image, uint64_t value)
{
	do {
		uint8_t byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		image_bytes(image, &byte, 1);
		value >>= 7;
	} while (value);
}

/* A number that is 0 is left out. */
static void put_number(struct image *image, unsigned field, uint64_t value)
{
	if (value == 0)
		return;
	put_varint(image, field << 3);
	put_varint(image, value);
}

static void put_bytes(struct image *image, unsigned field, const void *bytes, size_t n)
{
	put_varint(image, field << 3 | 2);
	put_varint(image, n);
	image_bytes(image, bytes, n);
}

static void put_message(struct image *image, const char *path, const struct file *file)
{
	put_bytes(image, 1, path, strlen(path));
	put_number(image, 2, file->kind);
	put_number(image, 3, file->min_vaddr);
	for (unsigned i = 0; i < ARRAY_SIZE(file->symbols) && file->symbols[i].name; i++) {
		struct image symbol = {0};
		put_number(&symbol, 1, file->symbols[i].start);
		put_number(&symbol, 2, file->symbols[i].size);
		put_bytes(&symbol, 3, file->symbols[i].name, strlen(file->symbols[i].name));
		put_bytes(image, 4, symbol.bytes, symbol.n);
		image_fini(&symbol);
	}
	if (file->offset != NO_OFFSET && file->kind != DEX) {
		struct image inner = {0};
		put_number(&inner, 1, file->offset);
		put_bytes(image, file->kind == MODULE ? 7 : 6, inner.bytes, inner.n);
		image_fini(&inner);
	}
	/* Fields of a newer simpleperf. */
	put_number(image, 99, 5);
	put_varint(image, 98 << 3 | 1);
	image_u64(image, 0);
	put_bytes(image, 97, "new", 3);
}

/* In memory of its own: a read past the end is one past the block's. */
static void add_copy(struct simpleperf_symbols *symbols, const unsigned char *bytes, size_t n,
		     bool message)
{
	unsigned char *copy = xmalloc(n);

	if (n > 0)
		memcpy(copy, bytes, n);
	simpleperf_symbols_add(symbols, copy, n, message);
	free(copy);
}

static const struct row {
	const char *name;
	struct file file;
	struct simpleperf_place place; /* its path is "/a" */
	const char *expected;          /* NULL: nothing */
	uint64_t offset;
} rows[] = {
	{"an ELF file",
	 {ELF, 0x11000, 0x1000, {{0x11100, 16, "one"}, {0x11200, 16, "two"}}},
	 {.start = 0x400000, .offset = 0x1000, .address = 0x400104},
	 "one",
	 4},
	{"another mapping of it",
	 {ELF, 0x11000, 0x1000, {{0x11100, 16, "one"}, {0x13000, 16, "two"}}},
	 {.start = 0x500000, .offset = 0x3000, .address = 0x50000f},
	 "two",
	 15},
	{"an ELF file whose offset is 0",
	 {ELF, 0, 0, {{0x1100, 16, "one"}}},
	 {.start = 0x400000, .offset = 0x1000, .address = 0x400100},
	 "one",
	 0},
	{"an ELF file without an offset",
	 {ELF, 0x11000, NO_OFFSET, {{0x11100, 16, "one"}}},
	 {.start = 0x400000, .offset = 0x5000, .address = 0x400100},
	 "one",
	 0},
	{"before the first symbol",
	 {ELF, 0, 0, {{0x1100, 16, "one"}}},
	 {.start = 0x400000, .offset = 0x1000, .address = 0x4000ff},
	 NULL,
	 0},
	{"behind the end of a symbol",
	 {ELF, 0, 0, {{0x1100, 16, "one"}}},
	 {.start = 0x400000, .offset = 0x1000, .address = 0x400110},
	 NULL,
	 0},
	{"symbols in disorder",
	 {ELF, 0, 0, {{0x1300, 16, "three"}, {0x1100, 16, "one"}, {0x1200, 16, "two"}}},
	 {.start = 0x400000, .offset = 0x1000, .address = 0x400201},
	 "two",
	 1},
	{"a module of the kernel",
	 {MODULE, 0x10, 0x40, {{0x110, 16, "init"}}},
	 {.start = 0x400000, .offset = 0x7000, .address = 0x400145},
	 "init",
	 5},
	{"the kernel",
	 {KERNEL, 0, NO_OFFSET, {{0xffffffff81000000, 0x100, "_text"}}},
	 {.start = 0, .offset = 0, .address = 0xffffffff81000001},
	 "_text",
	 1},
	{"Java code",
	 {DEX, 0x5555, NO_OFFSET, {{0x1100, 16, "a.b.c"}}},
	 {.start = 0x400000, .offset = 0x1000, .address = 0x400102},
	 "a.b.c",
	 2},
	{"a JIT's symbols",
	 {MAP, 0, NO_OFFSET, {{0x400100, 16, "jitted"}}},
	 {.start = 0x400000, .offset = 0x1000, .address = 0x400103},
	 "jitted",
	 3},
	{"a kind of a newer simpleperf",
	 {TOO_GREAT, 0, NO_OFFSET, {{0x400100, 16, "new"}}},
	 {.start = 0x400000, .offset = 0x1000, .address = 0x400103},
	 "new",
	 3},
	{"no symbols", {ELF, 0, 0, {{0}}}, {.start = 0, .offset = 0, .address = 0}, NULL, 0},
};

static void finds_functions_in_each_kind_of_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i / 2];
		struct simpleperf_symbols symbols = {0};
		struct simpleperf_place place = row->place;
		struct simpleperf_symbol symbol = {0};
		struct image image = {0};
		(i % 2 ? put_message : put_struct)(&image, "/a", &row->file);
		add_copy(&symbols, image.bytes, image.n, i % 2);
		place.path = "/a";
		bool found = simpleperf_symbols_find(&symbols, &place, &symbol);
		if (found != (row->expected != NULL) ||
		    (found &&
		     (strcmp(symbol.name, row->expected) != 0 || symbol.offset != row->offset)))
			fail_msg("%s, %s: %s", row->name, i % 2 ? "message" : "struct",
				 found ? symbol.name : "nothing");
		place.path = "/b";
		assert_false(simpleperf_symbols_find(&symbols, &place, &symbol));
		simpleperf_symbols_fini(&symbols);
		image_fini(&image);
	}
}

static void code_of_a_jit_has_addresses_in_memory(void **state)
{
	static const char *const paths[] = {"perf.data_jit_app_cache:15480-17544",
					    "[anon]_jit_zygote_cache:0-784"};
	const struct file file = {ELF, 0, 0, {{0x9c9eb7f0, 332, "Main.run"}}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		const struct simpleperf_place place = {paths[i], 0x9c9eb7f0, 15480, 0x9c9eb878};
		struct simpleperf_symbols symbols = {0};
		struct simpleperf_symbol symbol = {0};
		struct image image = {0};
		put_struct(&image, paths[i], &file);
		add_copy(&symbols, image.bytes, image.n, false);
		assert_true(simpleperf_symbols_find(&symbols, &place, &symbol));
		assert_string_equal(symbol.name, "Main.run");
		simpleperf_symbols_fini(&symbols);
		image_fini(&image);
	}
}

static void files_with_one_path_are_all_searched(void **state)
{
	static const struct {
		const char *path;
		struct file file;
	} files[] = {
		{"/b", {MAP, 0, 0, {{0x100, 16, "b"}}}},
		{"/a", {MAP, 0, 0, {{0x200, 16, "a first"}}}},
		{"/c", {MAP, 0, 0, {{0x300, 16, "c"}}}},
		{"/a", {MAP, 0, 0, {{0x400, 16, "a second"}}}},
	};
	struct simpleperf_symbols symbols = {0};
	struct simpleperf_symbol symbol;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct image image = {0};
		put_struct(&image, files[i].path, &files[i].file);
		add_copy(&symbols, image.bytes, image.n, false);
		image_fini(&image);
		/* A later file is found too. */
		const struct simpleperf_place place = {.path = files[i].path,
						       .address = files[i].file.symbols[0].start};
		assert_true(simpleperf_symbols_find(&symbols, &place, &symbol));
		assert_string_equal(symbol.name, files[i].file.symbols[0].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const struct simpleperf_place place = {.path = files[i].path,
						       .address = files[i].file.symbols[0].start};
		assert_true(simpleperf_symbols_find(&symbols, &place, &symbol));
		assert_string_equal(symbol.name, files[i].file.symbols[0].name);
	}
	simpleperf_symbols_fini(&symbols);
}

static void cut_off_anywhere_has_the_symbols_before(void **state)
{
	const struct file file = {MAP, 7, 7, {{0x100, 16, "first"}, {0x200, 16, "second"}}};
	const struct simpleperf_place place = {.path = "/a", .address = 0x200};

	(void)state;
	for (unsigned message = 0; message < 2; message++) {
		struct image image = {0};
		size_t found = 0;
		(message ? put_message : put_struct)(&image, "/a", &file);
		for (size_t n = 0; n <= image.n; n++) {
			struct simpleperf_symbols symbols = {0};
			struct simpleperf_symbol symbol;
			add_copy(&symbols, image.bytes, n, message);
			found += simpleperf_symbols_find(&symbols, &place, &symbol);
			simpleperf_symbols_fini(&symbols);
		}
		assert_true(found > 0 && found < image.n);
		image_fini(&image);
	}
}

static void their_memory_is_bounded(void **state)
{
	static char name[1 << 20];
	const struct file file = {MAP, 0, 0, {{0x100, 16, name}}};
	struct simpleperf_symbols symbols = {0};
	struct image image = {0};

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	put_struct(&image, "/a", &file);
	for (unsigned i = 0; i < 100; i++)
		add_copy(&symbols, image.bytes, image.n, false);
	assert_int_equal(symbols.n, SIMPLEPERF_SYMBOLS_BYTES / sizeof(name) - 1);
	assert_true(symbols.bytes <= SIMPLEPERF_SYMBOLS_BYTES);
	simpleperf_symbols_fini(&symbols);
	image_fini(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_functions_in_each_kind_of_file),
		cmocka_unit_test(code_of_a_jit_has_addresses_in_memory),
		cmocka_unit_test(files_with_one_path_are_all_searched),
		cmocka_unit_test(cut_off_anywhere_has_the_symbols_before),
		cmocka_unit_test(their_memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
