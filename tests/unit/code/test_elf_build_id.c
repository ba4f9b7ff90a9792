// SPDX-License-Identifier: MIT
/* Build ids and debug links of files of both classes and byte orders, and of broken files. */
#include "core/code/elf_build_id.h"

#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/elf_stub.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int memory_file(const uint8_t *bytes, size_t n)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, bytes, n, NULL), 0);
	return fd;
}

struct row {
	const char *name;
	struct elf_stub image;
	int want;
};

static const struct row rows[] = {
	{"64 bits", {.build_id = "abcdefghijklmnopqrst"}, 20},
	{"32 bits", {.build_id = "abcdefghijklmnopqrst", .narrow = true}, 20},
	{"64 bits, big", {.build_id = "abcdefghijklmnopqrst", .big = true}, 20},
	{"32 bits, big", {.build_id = "abcdefghijklmnopqrst", .narrow = true, .big = true}, 20},
	{"in a section", {.build_id = "abcdefgh", .no_segments = true}, 8},
	{"32 bits, in a section", {.build_id = "ab", .no_segments = true, .narrow = true}, 2},
	{"none", {.build_id = NULL}, -ENOENT},
	{"longest",
	 {.build_id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
	 64},
	{"too long",
	 {.build_id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0"},
	 -ENOENT},
};

static void a_build_id_is_read(void **state)
{
	const struct row *row = *state;
	uint8_t bytes[ELF_STUB_BYTES], id[ELF_BUILD_ID_BYTES];
	int fd = memory_file(bytes, elf_stub_make(&row->image, bytes));

	assert_int_equal(elf_build_id(fd, id), row->want);
	if (row->want > 0)
		assert_memory_equal(id, row->image.build_id, (size_t)row->want);
	close(fd);
}

static const struct link_row {
	const char *name, *link;
	int want;
} link_rows[] = {
	{"a name", "libfoo.so.debug", 0}, {"none", NULL, -ENOENT},
	{"empty", "", -EBADMSG},          {"a path", "../../etc/shadow", -EBADMSG},
	{"this folder", ".", -EBADMSG},   {"the folder above", "..", -EBADMSG},
};

static void a_debug_link_is_read(void **state)
{
	const struct link_row *row = *state;

	for (unsigned i = 0; i < 4; i++) {
		struct elf_stub image = {
			.debug_link = row->link, .narrow = i & 1, .big = (i & 2) != 0};
		uint8_t bytes[ELF_STUB_BYTES];
		char name[ELF_DEBUG_LINK_BYTES];
		int fd = memory_file(bytes, elf_stub_make(&image, bytes));

		assert_int_equal(elf_debug_link(fd, name), row->want);
		if (row->want == 0)
			assert_string_equal(name, row->link);
		close(fd);
	}
}

static void other_files_are_no_elf_files(void **state)
{
	static const char *const texts[] = {"", "\x7f", ELFMAG, "#!/bin/sh\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		uint8_t id[ELF_BUILD_ID_BYTES];
		char name[ELF_DEBUG_LINK_BYTES];
		int fd = memory_file((const uint8_t *)texts[i], strlen(texts[i]));

		assert_int_equal(elf_build_id(fd, id), -ENOEXEC);
		assert_int_equal(elf_debug_link(fd, name), -ENOEXEC);
		close(fd);
	}
	uint8_t id[ELF_BUILD_ID_BYTES];
	assert_int_equal(elf_build_id(-1, id), -ENOEXEC);
}

/* Each byte with other values, and each length: no wrong access, and a result of the contract. */
static void broken_files_are_harmless(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	const struct elf_stub image = {.build_id = "abcdefghijklmnopqrst", .debug_link = "x.debug"};
	uint8_t bytes[ELF_STUB_BYTES], id[ELF_BUILD_ID_BYTES];
	char name[ELF_DEBUG_LINK_BYTES];
	size_t n = elf_stub_make(&image, bytes);
	int fd = memory_file(bytes, n);

	(void)state;
	for (size_t at = 0; at < n; at++) {
		for (size_t i = 0; bytes[at] && i < ARRAY_SIZE(values); i++) {
			assert_int_equal(pwrite(fd, &values[i], 1, (off_t)at), 1);
			int size = elf_build_id(fd, id), link = elf_debug_link(fd, name);
			assert_in_range(size + 4096, 0, 4096 + ELF_BUILD_ID_BYTES);
			assert_true(link <= 0);
			if (link == 0)
				assert_null(strchr(name, '/'));
		}
		assert_int_equal(pwrite(fd, &bytes[at], 1, (off_t)at), 1);
	}
	for (; n > 0; n -= size_min(n, 7)) {
		assert_int_equal(ftruncate(fd, (off_t)n), 0);
		assert_true(elf_build_id(fd, id) <= 20);
		assert_true(elf_debug_link(fd, name) <= 0);
	}
	close(fd);
}

int main(void)
{
	const struct cases tables[] = {CASES(a_build_id_is_read, rows),
				       CASES(a_debug_link_is_read, link_rows)};
	const struct CMUnitTest others[] = {
		cmocka_unit_test(other_files_are_no_elf_files),
		cmocka_unit_test(broken_files_are_harmless),
	};

	return cases_run("elf_build_id", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
