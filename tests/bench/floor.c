// SPDX-License-Identifier: MIT
/*
 * floor EVENT[,EVENT...]: the smallest possible cost of pmctop's counters. pmctop's engine opens
 * its groups and detects unreported switches, so that the kernel writes the same records. Then this
 * program only moves the tails, without reading records, when the rings wake their reader and once
 * a second. Prints "ready" when that begins; ends when killed.
 */
#include "core/base/util.h"
#include "core/engine/engine.h"
#include "core/sys/sys.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { RINGS_MAX = 1024, INTERVALS = 3, NICE = -10 /* as pmctop */ };

struct ring_map {
	struct perf_event_mmap_page *page;
	int fd;
};

/* Linux, with a list of the mapped rings. */
static struct sys linux_sys;
static struct ring_map rings[RINGS_MAX];
static size_t n_rings;

static int note_map(void *ctx, int fd, size_t size, void **address)
{
	int result = linux_sys.ops->perf_map(ctx, fd, size, address);

	if (result == 0 && n_rings < RINGS_MAX)
		rings[n_rings++] = (struct ring_map){*address, fd};
	return result;
}

static int note_unmap(void *ctx, void *address, size_t size)
{
	for (size_t i = 0; i < n_rings; i++)
		if (rings[i].page == address)
			rings[i] = rings[--n_rings];
	return linux_sys.ops->perf_unmap(ctx, address, size);
}

static void move_tails(void)
{
	struct pollfd fds[RINGS_MAX];

	for (size_t i = 0; i < n_rings; i++)
		fds[i] = (struct pollfd){.fd = rings[i].fd, .events = POLLIN};
	poll(fds, n_rings, 1000);
	for (size_t i = 0; i < n_rings; i++) {
		struct perf_event_mmap_page *page = rings[i].page;
		uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

		__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: floor EVENT[,EVENT...]\n", stderr);
		return 2;
	}
	if (sys_linux_init(&linux_sys) < 0)
		return 1;

	const struct engine_column events = {ENGINE_EVENTS, argv[1], false};
	const struct engine_config config = {
		.preset = preset_find("none"), .columns = &events, .n_columns = 1};
	struct sys_ops ops = *linux_sys.ops;
	const struct sys sys = {&ops, linux_sys.ctx};
	struct engine *engine;
	struct error err;

	ops.perf_map = note_map;
	ops.perf_unmap = note_unmap;
	setpriority(PRIO_PROCESS, 0, NICE);
	if (engine_new(&sys, &config, &engine, &err) < 0) {
		fprintf(stderr, "floor: %s\n", err.text);
		return 1;
	}
	for (int i = 0; i < INTERVALS; i++) {
		while (engine_wait(engine, sys_now_ns(&sys) + 100 * NS_PER_MS) != 0)
			;
		snapshot_free(engine_snapshot(engine));
	}
	if (n_rings == 0) {
		fputs("floor: whole CPUs cannot be counted here\n", stderr);
		return 1;
	}
	printf("ready\n");
	fflush(stdout);
	for (;;)
		move_tails();
}
