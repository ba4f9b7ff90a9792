// SPDX-License-Identifier: MIT
/*
 * faults [MEGABYTES=16]: nothing but page faults.
 *
 * It writes one byte to each page of an anonymous mapping, gives the pages back and begins again.
 * Prints "ready" after the first round. It runs until it is killed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void touch_pages(volatile char *memory, size_t size, size_t page)
{
	for (size_t at = 0; at < size; at += page)
		memory[at] = 1;
}

int main(int argc, char **argv)
{
	size_t size = (argc > 1 ? strtoul(argv[1], NULL, 10) : 16) << 20;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED) {
		perror("faults: mmap");
		return 1;
	}
	/* A huge page would be one fault. Kernels without huge pages refuse this. */
	madvise(memory, size, MADV_NOHUGEPAGE);
	touch_pages(memory, size, page);
	puts("ready");
	fflush(stdout);
	for (;;) {
		madvise(memory, size, MADV_DONTNEED);
		touch_pages(memory, size, page);
	}
}
