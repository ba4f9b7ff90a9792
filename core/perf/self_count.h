// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SELF_COUNT_H
#define PMCTOP_SELF_COUNT_H

#include "core/sys/sys.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The cycles of the calling thread, so that pmctop can tell what it takes itself. Where the kernel
 * grants it they are read off the PMU in user mode, without a call (x86: cap_user_rdpmc; arm64:
 * kernel.perf_user_access=1, and bit 1 of config1): the page that is mapped says which register
 * has the rest of the count, and is read again where it changed meanwhile.
 */
struct self_count {
	const struct sys *sys;             /* borrowed */
	int fd;                            /* -1: nothing is counted */
	struct perf_event_mmap_page *page; /* NULL: it cannot be mapped */
	bool reads_itself; /* without a call; as a call said the same when it was opened */
};

/* Never fails: where nothing can be counted all calls say 0. Of one thread, and by it. */
void self_count_open(struct self_count *self, const struct sys *sys);
void self_count_close(struct self_count *self); /* zeroed is fine */

/* Since it was opened, in user mode and in the kernel as far as that is granted. */
uint64_t self_count_read(struct self_count *self);

/*
 * What such a page and a register (numbered from 1, as page->index has it) say: false where the
 * register has it not, or not now, or was not granted. The count of the register is cut to
 * page->pmc_width bits, of which the highest is its sign.
 */
typedef uint64_t self_register_fn(uint32_t index);
bool self_count_of_page(const struct perf_event_mmap_page *page, self_register_fn *read_register,
			uint64_t *count);

#endif
