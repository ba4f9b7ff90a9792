// SPDX-License-Identifier: MIT
/* Perf maps: lines, growth, files of other users, pid namespaces. */
#include "core/code/jit_map.h"

#include "core/base/util.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/symbol_double.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH "/proc/7/root/tmp/perf-7.map"

struct scene {
	struct fk *fk;
	struct sys sys;
	struct symbol_double symbols;
	struct code_helpers helpers;
	struct jit_map *map;
};

static void begin(struct scene *scene, const char *text)
{
	scene->fk = fk_new(&(struct fk_config){.frozen_clock = true});
	scene->sys = fk_sys(scene->fk);
	fk_task(scene->fk, &(struct fk_spec){.tid = 7, .comm = "java", .uid = 1000});
	fk_file(scene->fk, PATH, text);
	scene->symbols = (struct symbol_double){.n = 0};
	scene->helpers =
		symbol_double(&scene->symbols, &(struct mapped_files_config){.sys = &scene->sys});
	scene->map = jit_map_new(&scene->sys, &scene->helpers, 7, false);
}

static void end(struct scene *scene)
{
	jit_map_free(scene->map);
	symbol_double_fini(&scene->symbols);
	assert_int_equal(fk_open_files(scene->fk), 0);
	fk_free(scene->fk);
}

static void expect(struct scene *scene, uint64_t address, const char *want)
{
	const char *name = jit_map_find(scene->map, address, UINT64_MAX);

	assert_string_equal(name ? name : "?", want);
}

static void a_line_is_a_function(void **state)
{
	static const struct {
		const char *text;
		uint64_t address;
		const char *want;
	} rows[] = {
		{"1000 20 a\n", 0x1000, "a"},
		{"1000 20 a\n", 0x101f, "a"},
		{"1000 20 a\n", 0x1020, "?"},
		{"1000 20 a\n", 0xfff, "?"},
		{"0x1000 0x20 Lfoo;::bar (int, int)\n", 0x1001, "Lfoo;::bar (int, int)"},
		{"00007F0000001000 20 \xff\x1b[31m\n", 0x7f0000001000, "\xff\x1b[31m"},
		{"1000 20 a\n1000 10 b\n", 0x1005, "b"}, /* the newer one */
		{"1000 10 b\n1000 20 a\n", 0x1005, "a"},
		{"1000 100 old\n1080 10 new\n", 0x1085, "new"},
		{"1080 10 old\n1000 100 new\n", 0x1085, "new"},
		{"1000 20 cut", 0x1000, "?"},
		{"1000 20 \n", 0x1000, "?"},
		{"1000 20\n", 0x1000, "?"},
		{"1000 0 a\n", 0x1000, "?"},
		{"-1000 20 a\n", 0x1000, "?"},
		{"1000 -20 a\n", 0x1000, "?"},
		{"ffffffffffffffff 20 a\n", UINT64_MAX, "?"},
		{"1000 100000000 a\n", 0x1000, "?"}, /* more than 32 bits */
		{"rubbish\n\n2000 1 b\n", 0x2000, "b"},
		{"", 0, "?"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		begin(&scene, rows[i].text);
		expect(&scene, rows[i].address, rows[i].want);
		assert_true(jit_map_may_exist(scene.map));
		end(&scene);
	}
}

static void growth_is_read_once_a_second(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, "1000 20 a\n2000");
	expect(&scene, 0x1000, "a");
	fk_file(scene.fk, PATH, "1000 20 a\n2000 10 b\n");
	expect(&scene, 0x2000, "?");
	fk_advance(scene.fk, NS_PER_S);
	expect(&scene, 0x2000, "b");
	expect(&scene, 0x1000, "a");
	fk_file(scene.fk, PATH, NULL);
	fk_advance(scene.fk, NS_PER_S);
	expect(&scene, 0x2000, "b"); /* the file was removed at the end of the program */
	assert_false(jit_map_may_exist(scene.map));
	end(&scene);
}

static void a_file_without_a_map_is_none(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, NULL);
	expect(&scene, 0x1000, "?");
	assert_false(jit_map_may_exist(scene.map));
	end(&scene);
}

static void faults_leave_no_descriptor(void **state)
{
	static const enum fk_op ops[] = {FK_FILE_OPEN, FK_FILE_STATUS, FK_FILE_OWNER, FK_FILE_PREAD,
					 FK_FILE_READ};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		struct scene scene;

		begin(&scene, "1000 20 a\n");
		fk_fail(scene.fk, ops[i], 0, EIO);
		/* Without its status the process has the pid that is known. */
		expect(&scene, 0x1000, ops[i] == FK_FILE_READ ? "a" : "?");
		fk_fail(scene.fk, ops[i], 0, 0);
		fk_advance(scene.fk, 2 * NS_PER_S);
		expect(&scene, 0x1000, "a");
		end(&scene);
	}
}

static void the_process_has_its_own_pid(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, "1000 20 other\n");
	fk_file(scene.fk, "/proc/7/status", "Name:\tjava\nNSpid:\t7\t45\t1\n");
	fk_file(scene.fk, "/proc/7/root/tmp/perf-1.map", "1000 20 inner\n");
	expect(&scene, 0x1000, "inner");
	end(&scene);
}

static uid_t owner = 0;

static int any_status(void *ctx, int fd, struct stat *status)
{
	(void)ctx, (void)fd;
	*status = (struct stat){.st_mode = S_IFREG, .st_uid = owner};
	return 0;
}

static void a_file_of_another_user_is_not_read(void **state)
{
	static const struct {
		uid_t owner;
		const char *want;
	} rows[] = {{1000, "a"}, {0, "a"}, {1001, "?"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		begin(&scene, "1000 20 a\n");
		struct sys_ops ops = *scene.sys.ops;
		ops.file_status = any_status;
		scene.sys.ops = &ops;
		owner = rows[i].owner;
		expect(&scene, 0x1000, rows[i].want);
		end(&scene);
	}
}

/* A text in memory: the fake kernel copies its files. */
static const char *large;
static size_t large_size;

static ssize_t read_large(void *ctx, const struct code_text *text, uint64_t offset,
			  uint64_t deadline_ns, char *buffer, size_t size,
			  struct code_text_status *status)
{
	size_t n = offset < large_size ? size_min(size, large_size - offset) : 0;

	(void)ctx, (void)text, (void)deadline_ns;
	*status = (struct code_text_status){.inode = 5, .size = large_size};
	memcpy(buffer, large + offset, n);
	return (ssize_t)n;
}

static void many_functions_are_bounded(void **state)
{
	struct scene scene;
	char *text;
	size_t size;
	FILE *to = xopen_memstream(&text, &size);

	(void)state;
	for (unsigned i = 0; i < JIT_MAP_FUNCTIONS + 1000; i++)
		fprintf(to, "%x 10 function_%u\n", 0x1000 + i * 0x10, i);
	/* A line that is longer than any piece. */
	for (unsigned i = 0; i < 200000; i++)
		fputc('x', to);
	fprintf(to, "\n");
	fclose(to);
	begin(&scene, "");
	large = text;
	large_size = size;
	scene.helpers.text = read_large;
	for (unsigned i = 0; i < 4; i++) {
		jit_map_find(scene.map, 0, UINT64_MAX);
		fk_advance(scene.fk, 2 * NS_PER_S);
	}
	expect(&scene, 0x1000 + (JIT_MAP_FUNCTIONS - 1) * 0x10, "function_262143");
	expect(&scene, 0x1000 + JIT_MAP_FUNCTIONS * 0x10, "?");
	assert_true(jit_map_bytes(scene.map) < 16 << 20);
	free(text);
	end(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_a_function),
		cmocka_unit_test(growth_is_read_once_a_second),
		cmocka_unit_test(a_file_without_a_map_is_none),
		cmocka_unit_test(faults_leave_no_descriptor),
		cmocka_unit_test(the_process_has_its_own_pid),
		cmocka_unit_test(a_file_of_another_user_is_not_read),
		cmocka_unit_test(many_functions_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
