// SPDX-License-Identifier: MIT
/* Functions of the kernel: which lines of /proc/kallsyms are functions, hidden ones, records. */
#include "core/code/kernel_symbols.h"

#include "core/base/util.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/unit/shared/cases.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kallsyms[] = "0000000000000000 D fixed_percpu_data\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000000 T startup_64\n"
			       "ffffffff81000400 t do_a\n"
			       "ffffffff81000500 W do_b\n"
			       "ffffffff81000600 D a_table\n"
			       "ffffffff81000800 t $x\n"
			       "ffffffff810008f0 t __pfx_do_c\n"
			       "ffffffff81000900 T do_c\n"
			       "rubbish\n"
			       "\n"
			       "ffffffffc0201000 t ext4_iget\t[ext4]\n"
			       "ffffffffc0200000 t ext4_ioctl\t[ext4]\n"
			       "ffffffffc0300000 t tcp_diag\t[tcp_diag]\n"
			       "ffffffffc0400000 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
			       "ffffffffc0500000 t kprobe_insn_slot\t[__builtin__kprobes]\n"
			       "ffffffffc0600000 t cut_off";

struct scene {
	struct fk *fk;
	struct sys sys;
	struct kernel_symbols *symbols;
};

static void begin(struct scene *scene, const char *text)
{
	scene->fk = fk_new(&(struct fk_config){.frozen_clock = true});
	scene->sys = fk_sys(scene->fk);
	fk_file(scene->fk, "/proc/kallsyms", text);
	scene->symbols = kernel_symbols_new(&scene->sys);
}

static void end(struct scene *scene)
{
	kernel_symbols_free(scene->symbols);
	assert_int_equal(fk_open_files(scene->fk), 0);
	fk_free(scene->fk);
}

/* "module name" or "?". */
static void expect(struct scene *scene, uint64_t address, const char *want)
{
	struct kernel_symbol symbol;
	char text[600] = "?";

	if (kernel_symbols_find(scene->symbols, address, &symbol)) {
		assert_true(symbol.start <= address);
		snprintf(text, sizeof(text), "%s %s", symbol.module, symbol.name);
	}
	assert_string_equal(text, want);
}

static void an_address_is_found(void **state)
{
	static const struct {
		uint64_t address;
		const char *want;
	} rows[] = {
		{0xffffffff80ffffff, "?"},
		{0xffffffff81000000, "[kernel] _text"},
		{0xffffffff810003ff, "[kernel] _text"},
		{0xffffffff81000400, "[kernel] do_a"},
		{0xffffffff810005ff, "[kernel] do_b"},
		{0xffffffff810008f0, "[kernel] do_b"}, /* padding */
		{0xffffffff81000950, "[kernel] do_c"},
		{0xffffffff91000950, "?"}, /* far behind the last function */
		{0xffffffffc0200fff, "[ext4] ext4_ioctl"},
		{0xffffffffc0201001, "[ext4] ext4_iget"},
		{0xffffffffc0300000, "[tcp_diag] tcp_diag"},
		{0xffffffffc0400010, "[bpf] bpf_prog_6deef7357e7b4530"},
		{0xffffffffc0500010, "[kernel] kprobe_insn_slot"},
		{0xffffffffffffffff, "?"},
		{0, "?"},
	};
	struct scene scene;

	(void)state;
	begin(&scene, kallsyms);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect(&scene, rows[i].address, rows[i].want);
	assert_null(kernel_symbols_why(scene.symbols));
	end(&scene);
}

static void missing_names_have_a_reason(void **state)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 t do_a\n";
	static const struct {
		const char *text, *restricted, *why;
	} rows[] = {
		{hidden, "1\n", "Run pmctop as root"}, {hidden, "0\n", "Run pmctop as root"},
		{hidden, NULL, "Run pmctop as root"},  {hidden, "2\n", "kernel.kptr_restrict=1"},
		{"", "0\n", "CONFIG_KALLSYMS"},        {"rubbish", "0\n", "CONFIG_KALLSYMS"},
		{NULL, "0\n", "CONFIG_KALLSYMS"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		begin(&scene, rows[i].text);
		fk_file(scene.fk, "/proc/sys/kernel/kptr_restrict", rows[i].restricted);
		assert_null(kernel_symbols_why(scene.symbols)); /* not read yet */
		expect(&scene, 0xffffffff81000000, "?");
		assert_non_null(kernel_symbols_why(scene.symbols));
		assert_non_null(strstr(kernel_symbols_why(scene.symbols), rows[i].why));
		end(&scene);
	}
}

static void a_failing_read_is_tried_again(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, kallsyms);
	fk_fail(scene.fk, FK_FILE_PREAD, 1, EIO);
	expect(&scene, 0xffffffff81000400, "?");
	assert_non_null(strstr(kernel_symbols_why(scene.symbols), "(Input/output error). Run"));
	expect(&scene, 0xffffffff81000400, "?"); /* not yet */
	fk_advance(scene.fk, 11 * NS_PER_S);
	expect(&scene, 0xffffffff81000400, "[kernel] do_a");
	assert_null(kernel_symbols_why(scene.symbols));
	end(&scene);
}

/* Pieces, however many there were before the first address, make the same index. */
static void it_is_read_in_pieces(void **state)
{
	enum { FUNCTIONS = 20000 };
	char *text;
	size_t size;
	FILE *to = xopen_memstream(&text, &size);

	(void)state;
	for (unsigned i = FUNCTIONS; i-- > 0;)
		fprintf(to, "%016llx t function_%u\n", 0xffffffff81000000ull + i * 0x40ull, i);
	fclose(to);
	for (unsigned pieces = 0; pieces < 20; pieces++) {
		struct scene scene;

		begin(&scene, text);
		kernel_symbols_prepare(scene.symbols, false);
		assert_int_equal(fk_calls(scene.fk, FK_FILE_OPEN), 0);
		for (unsigned i = 0; i < pieces; i++)
			kernel_symbols_prepare(scene.symbols, i == 0);
		unsigned reads = fk_calls(scene.fk, FK_FILE_PREAD);
		assert_in_range(reads, pieces < 10 ? pieces : 10, pieces);
		if (pieces % 2 == 0) {
			expect(&scene, 0xffffffff81000001, "[kernel] function_0");
			expect(&scene, 0xffffffff81000000 + 19999 * 0x40,
			       "[kernel] function_19999");
			reads = fk_calls(scene.fk, FK_FILE_PREAD);
			kernel_symbols_prepare(scene.symbols, true); /* it was read */
			assert_int_equal(fk_calls(scene.fk, FK_FILE_PREAD), reads);
		}
		end(&scene); /* or while it is read */
	}
	free(text);
}

static void an_unknown_address_reads_again_seldom(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, "ffffffff81000000 T _text\n");
	expect(&scene, 0xffffffff81000000, "[kernel] _text");
	unsigned changes = kernel_symbols_changes(scene.symbols);
	unsigned reads = fk_calls(scene.fk, FK_FILE_PREAD);
	for (unsigned i = 0; i < 100; i++)
		expect(&scene, 0xffffffffc0200000, "?");
	assert_int_equal(fk_calls(scene.fk, FK_FILE_PREAD), reads);
	assert_int_equal(kernel_symbols_changes(scene.symbols), changes);
	fk_advance(scene.fk, 11 * NS_PER_S);
	expect(&scene, 0xffffffff81000000, "[kernel] _text"); /* known ones do not read */
	assert_int_equal(fk_calls(scene.fk, FK_FILE_PREAD), reads);
	expect(&scene, 0xffffffffc0200000, "?");
	assert_true(fk_calls(scene.fk, FK_FILE_PREAD) > reads);
	assert_int_equal(fk_calls(scene.fk, FK_FILE_OPEN), 1);
	assert_true(kernel_symbols_changes(scene.symbols) > changes);
	end(&scene);
}

static void records_add_and_remove(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, kallsyms);
	kernel_symbols_record(scene.symbols, 0xffffffffc0700000, 0x100, "bpf_prog_1_one");
	kernel_symbols_record(scene.symbols, 0xffffffffc0700080, 0x10, "ftrace_trampoline");
	expect(&scene, 0xffffffffc07000ff, "[bpf] bpf_prog_1_one");
	expect(&scene, 0xffffffffc0700100, "?");
	expect(&scene, 0xffffffffc0700081, "[kernel] ftrace_trampoline"); /* the newest */
	kernel_symbols_record(scene.symbols, 0xffffffffc0700080, 0, NULL);
	expect(&scene, 0xffffffffc0700081, "[bpf] bpf_prog_1_one");
	expect(&scene, 0xffffffffc0400010, "[bpf] bpf_prog_6deef7357e7b4530");
	kernel_symbols_record(scene.symbols, 0xffffffffc0400000, 0, NULL);
	expect(&scene, 0xffffffffc0400010, "?");
	/* Of the kernel itself nothing is removed. */
	kernel_symbols_record(scene.symbols, 0xffffffff81000400, 0, NULL);
	expect(&scene, 0xffffffff81000400, "[kernel] do_a");
	end(&scene);
}

static void the_newest_records_are_kept(void **state)
{
	struct kernel_symbol symbol;
	struct kernel_symbols *symbols = kernel_symbols_new(NULL);

	(void)state;
	for (uint32_t i = 0; i <= KERNEL_SYMBOLS_ADDED; i++) {
		char name[32];

		snprintf(name, sizeof(name), "bpf_prog_%u", i);
		kernel_symbols_record(symbols, 0x1000 + i * 0x10, 0x10, name);
	}
	assert_false(kernel_symbols_find(symbols, 0x1000, &symbol));
	assert_true(kernel_symbols_find(symbols, 0x1010, &symbol));
	assert_string_equal(symbol.name, "bpf_prog_1");
	assert_true(kernel_symbols_find(symbols, 0x1000 + KERNEL_SYMBOLS_ADDED * 0x10, &symbol));
	kernel_symbols_record(symbols, UINT64_MAX - 8, 0x100, "bpf_last");
	assert_true(kernel_symbols_find(symbols, UINT64_MAX - 1, &symbol));
	kernel_symbols_free(symbols);
}

static void the_index_is_compact(void **state)
{
	enum { FUNCTIONS = 65000 };
	struct scene scene;
	char *text;
	size_t size;
	FILE *to = xopen_memstream(&text, &size);

	(void)state;
	for (unsigned i = 0; i < FUNCTIONS; i++)
		fprintf(to, "%016llx t a_function_of_kernel_%u\n",
			0xffffffff81000000ull + i * 0x40ull, i % 1000);
	fclose(to);
	begin(&scene, text);
	expect(&scene, 0xffffffff81000000 + 64999 * 0x40, "[kernel] a_function_of_kernel_999");
	assert_true(kernel_symbols_bytes(scene.symbols) <= FUNCTIONS * 44);
	free(text);
	end(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_found),
		cmocka_unit_test(missing_names_have_a_reason),
		cmocka_unit_test(a_failing_read_is_tried_again),
		cmocka_unit_test(it_is_read_in_pieces),
		cmocka_unit_test(an_unknown_address_reads_again_seldom),
		cmocka_unit_test(records_add_and_remove),
		cmocka_unit_test(the_newest_records_are_kept),
		cmocka_unit_test(the_index_is_compact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
