// SPDX-License-Identifier: MIT
/* Any text as /proc/kallsyms, and any records: a function that is found begins at the address or
 * before. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

#include "core/base/util.h"
#include "core/code/kernel_symbols.h"

static ssize_t file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	(void)ctx, (void)path;
	return (ssize_t)text_copy(buffer, size, "2\n");
}

static uint64_t now_ns(void *ctx)
{
	struct fuzz_file *file = ctx;

	return file->now_ns += 6 * NS_PER_S;
}

static void check_address(struct kernel_symbols *symbols, uint64_t address)
{
	struct kernel_symbol symbol;

	if (!kernel_symbols_find(symbols, address, &symbol))
		return;
	fuzz_check(symbol.start <= address, "a function begins at the address or before");
	fuzz_check(symbol.name[0], "a function has a name");
	fuzz_check(symbol.module[0], "a function has a module");
	fuzz_check(strlen(symbol.name) < 512, "a name is bounded");
}

static ssize_t read_text(void *ctx, char *buffer, size_t size, uint64_t offset)
{
	return sys_file_pread(ctx, 0, buffer, size, offset);
}

/* As the text of a recording's kernel, moved to the first address. */
static void load_recorded(const struct sys *sys, const char *text, const uint64_t addresses[4])
{
	struct kernel_symbols *symbols = kernel_symbols_new(NULL);
	const struct kernel_reference reference = {"do_a", addresses[0]};
	struct kernel_symbol symbol;
	const struct code_text_reader reader = {read_text, (void *)(uintptr_t)sys};

	if (kernel_symbols_load(symbols, &reader, &reference) == 0)
		fuzz_check(strstr(text, " do_a") != NULL, "the reference is in the file");
	for (size_t i = 0; i < 4; i++)
		if (kernel_symbols_find(symbols, addresses[i], &symbol))
			fuzz_check(symbol.start <= addresses[i], "a function begins before it");
	kernel_symbols_free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct sys_ops ops = {.file_open = fuzz_file_open,
					   .file_pread = fuzz_file_pread,
					   .file_read = file_read,
					   .close = fuzz_file_close,
					   .now_ns = now_ns};
	struct fuzz_bytes bytes = {data, size};
	struct fuzz_file file = {.piece = 1 + (size_t)fuzz_u8(&bytes) * 16};
	uint64_t addresses[4];

	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		addresses[i] = fuzz_u64(&bytes);
	char *text = fuzz_text(&bytes);
	file.text = text;
	file.size = strlen(text);
	const struct sys sys = {&ops, &file};
	struct kernel_symbols *symbols = kernel_symbols_new(&sys);
	for (unsigned i = 0; i < size % 4; i++)
		kernel_symbols_prepare(symbols, true);
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		check_address(symbols, addresses[i]);
	kernel_symbols_record(symbols, addresses[0], (uint32_t)addresses[1], text);
	kernel_symbols_record(symbols, addresses[2], 16, "bpf_prog");
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		check_address(symbols, addresses[i] + 1);
	kernel_symbols_record(symbols, addresses[2], 0, NULL);
	check_address(symbols, addresses[2]);
	kernel_symbols_free(symbols);
	load_recorded(&sys, text, addresses);
	free(text);
	return 0;
}
