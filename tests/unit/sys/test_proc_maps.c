// SPDX-License-Identifier: MIT
/* Lines of /proc/PID/maps, files of many lines, files that change while they are read, queries. */
#include "core/sys/proc_maps.h"

#include "core/base/util.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/unit/shared/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

static void a_line_is_parsed(void **state)
{
	static const struct {
		const char *line, *name;
		uint64_t start, end, offset, inode;
		unsigned device[2];
		bool executable;
	} rows[] = {
		{"7f8c64afe000-7f8c64c54000 r-xp 00026000 fe:00 332835                     "
		 "/usr/lib/x86_64-linux-gnu/libc.so.6",
		 "/usr/lib/x86_64-linux-gnu/libc.so.6",
		 0x7f8c64afe000,
		 0x7f8c64c54000,
		 0x26000,
		 332835,
		 {0xfe, 0},
		 true},
		{"00400000-00401000 r--s 00000000 00:1b 7 /a b (deleted)",
		 "/a b (deleted)",
		 0x400000,
		 0x401000,
		 0,
		 7,
		 {0, 0x1b},
		 false},
		{"1000-2000 rwxp 00000000 00:00 0 ", "", 0x1000, 0x2000, 0, 0, {0, 0}, true},
		{"1000-2000 rwxp 00000000 00:00 0", "", 0x1000, 0x2000, 0, 0, {0, 0}, true},
		{"1000-2000 rwxp 00000000 00:00 0   //anon",
		 "//anon",
		 0x1000,
		 0x2000,
		 0,
		 0,
		 {0, 0},
		 true},
		{"1000-2000 r-xp 00000000 00:00 0   [vdso]",
		 "[vdso]",
		 0x1000,
		 0x2000,
		 0,
		 0,
		 {0, 0},
		 true},
		{"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]",
		 "[vsyscall]",
		 0xffffffffff600000,
		 0xffffffffff601000,
		 0,
		 0,
		 {0, 0},
		 true},
		{"1000-2000 r-xp 10ffffffff000 103:02 18446744073709551615 /x\\012y\\011",
		 "/x\ny\\011",
		 0x1000,
		 0x2000,
		 0x10ffffffff000,
		 UINT64_MAX,
		 {0x103, 2},
		 true},
		{"1000-2000 r-xp 00000000 00:00 0 \xff\x01",
		 "\xff\x01",
		 0x1000,
		 0x2000,
		 0,
		 0,
		 {0, 0},
		 true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *line = xstrdup(rows[i].line);
		struct proc_mapping mapping;

		assert_int_equal(proc_mapping_parse(line, &mapping), 0);
		assert_string_equal(mapping.name, rows[i].name);
		assert_true(mapping.start == rows[i].start && mapping.end == rows[i].end);
		assert_true(mapping.offset == rows[i].offset && mapping.inode == rows[i].inode);
		assert_true(mapping.dev == makedev(rows[i].device[0], rows[i].device[1]));
		assert_int_equal(mapping.executable, rows[i].executable);
		free(line);
	}
}

static void a_broken_line_is_refused(void **state)
{
	static const char *const rows[] = {
		"",
		"1000",
		"1000-2000",
		"1000-2000 r-xp",
		"1000-2000 r-xp 0 00:00 ",
		"1000-2000 r-xp 0 0000 7 /x",
		"2000-1000 r-xp 0 00:00 7 /x",
		"1000-1000 r-xp 0 00:00 7 /x",
		"g000-2000 r-xp 0 00:00 7 /x",
		"11112222333344445-2000 r-xp 0 00:00 7 /x",
		"1000-2000 r-xpp 0 00:00 7 /x",
		"1000-2000 r-xp 0 00:00 -7 /x",
		"1000-2000 r-xp 0 00:00 18446744073709551616 /x",
		"1000-2000 r-xp 0 100000000:00 7 /x",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *line = xstrdup(rows[i]);
		struct proc_mapping mapping;

		if (proc_mapping_parse(line, &mapping) != -EBADMSG)
			fail_msg("accepted: %s", rows[i]);
		free(line);
	}
}

/* "START-END OFFSET NAME;" of each mapping. */
static int write_mapping(void *arg, const struct proc_mapping *mapping)
{
	FILE *to = arg;

	fprintf(to, "%llx-%llx %llx %s;", (unsigned long long)mapping->start,
		(unsigned long long)mapping->end, (unsigned long long)mapping->offset,
		mapping->name);
	return 0;
}

static void mappings_are_ascending_and_disjoint(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"", ""},
		{"1000-2000 r-xp 0 00:00 7 /a\n3000-4000 r-xp 0 00:00 7 /b\n",
		 "1000-2000 0 /a;3000-4000 0 /b;"},
		/* A mapping grew over the end of the last one that was read. */
		{"1000-2000 r-xp 0 00:00 7 /a\n1000-4000 r-xp 0 00:00 7 /a\n",
		 "1000-2000 0 /a;2000-4000 1000 /a;"},
		{"1000-2000 r-xp 0 00:00 7 /a\n1800-4000 r-xp 0 00:00 0 \n",
		 "1000-2000 0 /a;2000-4000 0 ;"},
		/* The same again, and one before. */
		{"3000-4000 r-xp 0 00:00 7 /a\n3000-4000 r-xp 0 00:00 7 /a\n"
		 "1000-2000 r-xp 0 00:00 7 /b\n5000-6000 r-xp 0 00:00 7 /c\n",
		 "3000-4000 0 /a;5000-6000 0 /c;"},
		/* Broken lines, and one without an end. */
		{"rubbish\n1000-2000 r-xp 0 00:00 7 /a\n\n3000-4000 r-xp 0 00:00 7 /b",
		 "1000-2000 0 /a;"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(NULL);
		struct sys sys = fk_sys(fk);
		char *text;
		size_t size;
		FILE *to = xopen_memstream(&text, &size);

		fk_file(fk, "/proc/7/maps", rows[i].text);
		int fd = proc_maps_open(&sys, 7);
		assert_true(fd >= 0);
		assert_int_equal(proc_maps_each(&sys, fd, 1 << 20, write_mapping, to), 0);
		fclose(to);
		assert_string_equal(text, rows[i].want);
		sys_close(&sys, fd);
		assert_int_equal(fk_open_files(fk), 0);
		free(text);
		fk_free(fk);
	}
}

static int count_mapping(void *arg, const struct proc_mapping *mapping)
{
	(void)mapping;
	++*(unsigned *)arg;
	return 0;
}

static int stop_at_third(void *arg, const struct proc_mapping *mapping)
{
	(void)mapping;
	return ++*(unsigned *)arg == 3;
}

/* n lines of one page each, and in the middle a line that is longer than any name may be. */
static char *many_lines(unsigned n)
{
	char *text;
	size_t size;
	FILE *to = xopen_memstream(&text, &size);

	for (unsigned i = 0; i < n; i++) {
		fprintf(to, "%llx-%llx r-xp 00000000 fe:00 %u /lib/lib%u.so\n",
			0x10000ull + i * 0x2000ull, 0x11000ull + i * 0x2000ull, i + 1, i);
		if (i == n / 2) {
			for (unsigned k = 0; k < 150000; k++)
				fputc('x', to);
			fputc('\n', to);
		}
	}
	fclose(to);
	return text;
}

static void a_long_file_is_read_in_pieces(void **state)
{
	(void)state;
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	char *text = many_lines(65530);
	unsigned n = 0;

	fk_file(fk, "/proc/7/maps", text);
	int fd = proc_maps_open(&sys, 7);
	assert_int_equal(proc_maps_each(&sys, fd, 64 << 20, count_mapping, &n), 0);
	assert_int_equal(n, 65530);
	n = 0;
	assert_int_equal(proc_maps_each(&sys, fd, 64 << 20, stop_at_third, &n), 0);
	assert_int_equal(n, 3);
	n = 0;
	assert_int_equal(proc_maps_each(&sys, fd, 8192, count_mapping, &n), 0);
	assert_in_range(n, 1, 400);
	n = 0;
	fk_fail(fk, FK_FILE_PREAD, 3, ESRCH); /* the process ends */
	assert_int_equal(proc_maps_each(&sys, fd, 64 << 20, count_mapping, &n), -ESRCH);
	assert_in_range(n, 1, 400);
	sys_close(&sys, fd);
	free(text);
	fk_free(fk);
}

static void a_mapping_is_queried(void **state)
{
	static const char maps[] = "1000-3000 r-xp 00005000 fe:01 9 /lib/a b.so (deleted)\n"
				   "3000-4000 rw-p 00000000 00:00 0 \n"
				   "5000-6000 r-xp 00000000 00:00 0 [vdso]\n";
	static const struct {
		uint64_t address;
		int want;
		const char *name;
		uint64_t start, inode;
		bool executable;
	} rows[] = {
		{0x0fff, -ENOENT, NULL, 0, 0, false},
		{0x1000, 0, "/lib/a b.so (deleted)", 0x1000, 9, true},
		{0x2fff, 0, "/lib/a b.so (deleted)", 0x1000, 9, true},
		{0x3000, 0, "", 0x3000, 0, false},
		{0x4000, -ENOENT, NULL, 0, 0, false},
		{0x5000, 0, "[vdso]", 0x5000, 0, true},
	};

	(void)state;
	struct fk *fk = fk_new(&(struct fk_config){.procmap_query = true});
	struct sys sys = fk_sys(fk);
	fk_file(fk, "/proc/7/maps", maps);
	int fd = proc_maps_open(&sys, 7);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char name[PROC_MAPS_NAME];
		struct proc_mapping mapping;

		assert_int_equal(proc_maps_query(&sys, fd, rows[i].address, name, &mapping),
				 rows[i].want);
		if (rows[i].want)
			continue;
		assert_string_equal(mapping.name, rows[i].name);
		assert_true(mapping.start == rows[i].start && mapping.inode == rows[i].inode);
		assert_int_equal(mapping.executable, rows[i].executable);
	}
	sys_close(&sys, fd);
	fk_free(fk);
}

static void an_old_kernel_has_no_query(void **state)
{
	(void)state;
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	char name[PROC_MAPS_NAME];
	uint8_t id[PROC_MAPS_BUILD_ID];
	struct proc_mapping mapping;

	fk_file(fk, "/proc/7/maps", "1000-3000 r-xp 00005000 fe:01 9 /a\n");
	int fd = proc_maps_open(&sys, 7);
	assert_int_equal(proc_maps_query(&sys, fd, 0x1000, name, &mapping), -ENOTTY);
	assert_int_equal(proc_maps_build_id(&sys, fd, 0x1000, id), -ENOTTY);
	sys_close(&sys, fd);
	fk_fail(fk, FK_FILE_OPEN, 1, EACCES);
	assert_int_equal(proc_maps_open(&sys, 7), -EACCES);
	assert_int_equal(proc_maps_open(&sys, 8), -ENOENT);
	fk_free(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_parsed),
		cmocka_unit_test(a_broken_line_is_refused),
		cmocka_unit_test(mappings_are_ascending_and_disjoint),
		cmocka_unit_test(a_long_file_is_read_in_pieces),
		cmocka_unit_test(a_mapping_is_queried),
		cmocka_unit_test(an_old_kernel_has_no_query),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
