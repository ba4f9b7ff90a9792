// SPDX-License-Identifier: MIT
/* Any text as a perf map that grows: names are parts of lines, and memory is bounded. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

#include "core/base/util.h"
#include "core/code/jit_map.h"

#include <sys/stat.h>

static int file_status(void *ctx, int fd, struct stat *status)
{
	const struct fuzz_file *file = ctx;

	(void)fd;
	*status = (struct stat){.st_mode = S_IFREG, .st_ino = 5, .st_size = (off_t)file->size};
	return 0;
}

static int file_owner(void *ctx, const char *path, uid_t *owner)
{
	(void)ctx, (void)path;
	*owner = 0;
	return 0;
}

/* NSpid of /proc/7/status. */
static ssize_t file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	(void)path;
	return (ssize_t)text_copy(buffer, size, ((struct fuzz_file *)ctx)->text);
}

static uint64_t now_ns(void *ctx)
{
	return ((struct fuzz_file *)ctx)->now_ns;
}

static void check_address(struct jit_map *map, uint64_t address, const char *text)
{
	const char *name = jit_map_find(map, address);

	if (name)
		fuzz_check(name[0] && strstr(text, name), "a name is in the file");
	fuzz_check(jit_map_bytes(map) < 1 << 20, "memory follows the file");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct sys_ops ops = {.file_open = fuzz_file_open,
					   .file_pread = fuzz_file_pread,
					   .file_status = file_status,
					   .file_owner = file_owner,
					   .file_read = file_read,
					   .close = fuzz_file_close,
					   .now_ns = now_ns};
	struct fuzz_bytes bytes = {data, size};
	size_t part = fuzz_u8(&bytes);
	uint64_t address = fuzz_u64(&bytes);
	char *text = fuzz_text(&bytes);
	size_t whole = strlen(text);
	struct fuzz_file file = {
		.text = text, .size = size_min(part, whole), .piece = SIZE_MAX, .now_ns = NS_PER_S};
	const struct sys sys = {&ops, &file};
	struct jit_map *map = jit_map_new(&sys, 7, NULL);

	check_address(map, address, text);
	file.size = whole; /* it grew, also in the middle of a line */
	file.now_ns += 1000 * NS_PER_S;
	check_address(map, address, text);
	check_address(map, 0x1000, text);
	jit_map_free(map);
	free(text);
	return 0;
}
