// SPDX-License-Identifier: MIT
/* Any text as a perf map that grows: names are parts of lines, and memory is bounded. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

#include "core/base/util.h"
#include "core/code/jit_map.h"

static ssize_t read_text(void *ctx, const struct code_text *text, uint64_t offset,
			 uint64_t deadline_ns, char *buffer, size_t size,
			 struct code_text_status *status)
{
	struct fuzz_file *file = ctx;

	(void)text, (void)deadline_ns;
	*status = (struct code_text_status){.inode = 5, .size = file->size};
	return fuzz_file_pread(file, 0, buffer, size, offset);
}

static uint64_t now_ns(void *ctx)
{
	return ((struct fuzz_file *)ctx)->now_ns;
}

static void check_address(struct jit_map *map, uint64_t address, const char *text)
{
	const char *name = jit_map_find(map, address, UINT64_MAX);

	if (name)
		fuzz_check(name[0] && strstr(text, name), "a name is in the file");
	fuzz_check(jit_map_bytes(map) < 1 << 20, "memory follows the file");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct sys_ops ops = {.now_ns = now_ns};
	struct fuzz_bytes bytes = {data, size};
	size_t part = fuzz_u8(&bytes);
	uint64_t address = fuzz_u64(&bytes);
	char *text = fuzz_text(&bytes);
	size_t whole = strlen(text);
	struct fuzz_file file = {
		.text = text, .size = size_min(part, whole), .piece = SIZE_MAX, .now_ns = NS_PER_S};
	const struct sys sys = {&ops, &file};
	const struct code_helpers helpers = {.text = read_text, .ctx = &file};
	struct jit_map *map = jit_map_new(&sys, &helpers, 7, false);

	check_address(map, address, text);
	file.size = whole; /* it grew, also in the middle of a line */
	file.now_ns += 1000 * NS_PER_S;
	check_address(map, address, text);
	check_address(map, 0x1000, text);
	jit_map_free(map);
	free(text);
	return 0;
}
