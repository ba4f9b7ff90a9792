// SPDX-License-Identifier: MIT
/*
 * thrash FILE [MEGABYTES=64]: reads pages of a mapped file in random order.
 *
 * With less memory than MEGABYTES (confine memory ...) nearly every page must be read from the disk
 * again: major page faults, without swap. Prints "ready" when FILE is full and each page was read
 * once. It runs until it is killed; FILE has no name then. Exit status 77: FILE is in memory.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/load/disk_file.h"

#define CHUNK_BYTES (1U << 20)

/* Each chunk is on the disk before the next one: dirty pages cannot be reclaimed. */
static void fill_file(int fd, size_t size)
{
	static char chunk[CHUNK_BYTES];

	memset(chunk, 'x', sizeof(chunk));
	for (size_t at = 0; at < size; at += sizeof(chunk)) {
		if (write(fd, chunk, sizeof(chunk)) != (ssize_t)sizeof(chunk) || fdatasync(fd)) {
			perror("thrash: write");
			exit(1);
		}
	}
}

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

int main(int argc, char **argv)
{
	if (argc < 2 || argc > 3) {
		fputs("usage: thrash FILE [MEGABYTES=64]\n", stderr);
		return 2;
	}

	size_t size = (argc > 2 ? strtoul(argv[2], NULL, 10) : 64) * CHUNK_BYTES;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = size / page;
	uint64_t state = 88172645463325252U;
	int fd = disk_file_open(argv[1]);

	fill_file(fd, size);

	const volatile char *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED) {
		perror("thrash: mmap");
		return 1;
	}
	/* No read-ahead: one fault reads one page. */
	madvise((void *)(uintptr_t)memory, size, MADV_RANDOM);
	for (size_t i = 0; i < pages; i++)
		(void)memory[i * page];
	puts("ready");
	fflush(stdout);
	for (;;)
		(void)memory[random_next(&state) % pages * page];
}
