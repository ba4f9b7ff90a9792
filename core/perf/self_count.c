// SPDX-License-Identifier: MIT
#include "core/perf/self_count.h"

#include <stdatomic.h>
#include <unistd.h>

enum { SEQUENCE_TRIES = 100 };

#define USER_ACCESS 2 /* config1, arm64 */

/* ---- registers */

#if defined(__x86_64__)
#define CONFIG1 0

static uint64_t read_register(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
	return (uint64_t)high << 32 | low;
}

#elif defined(__aarch64__)
#define CONFIG1 USER_ACCESS

/* The 32nd is that of cycles (tools/lib/perf/mmap.c, read_perf_counter). */
static uint64_t read_register(uint32_t index)
{
	uint64_t value = 0;

#define PMEVCNTR(n)                                                           \
	case (n) + 1:                                                         \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); \
		break
	switch (index) {
		PMEVCNTR(0);
		PMEVCNTR(1);
		PMEVCNTR(2);
		PMEVCNTR(3);
		PMEVCNTR(4);
		PMEVCNTR(5);
	case 32:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		break;
	}
#undef PMEVCNTR
	return value;
}

#else
#define CONFIG1 0

static uint64_t read_register(uint32_t index)
{
	return index;
}
#endif

/* Whether this program knows how to read it. */
static bool has_register(uint32_t index)
{
#if defined(__x86_64__)
	return index > 0;
#elif defined(__aarch64__)
	return (index > 0 && index <= 6) || index == 32;
#else
	return false;
#endif
}

/* ---- the page */

bool self_count_of_page(const struct perf_event_mmap_page *page, self_register_fn *read,
			uint64_t *count)
{
	for (unsigned i = 0; i < SEQUENCE_TRIES; i++) {
		uint32_t sequence = __atomic_load_n(&page->lock, __ATOMIC_RELAXED);
		/* The kernel changes the page between two steps of `lock`
		 * (perf_event_update_userpage). */
		atomic_signal_fence(memory_order_seq_cst);
		uint32_t index = __atomic_load_n(&page->index, __ATOMIC_RELAXED);
		uint16_t width = __atomic_load_n(&page->pmc_width, __ATOMIC_RELAXED);
		uint64_t sum = (uint64_t)__atomic_load_n(&page->offset, __ATOMIC_RELAXED);
		if (!page->cap_user_rdpmc || !has_register(index) || width == 0 || width > 64)
			return false;
		/* Signed: a counter may begin below zero, to overflow in time. */
		int64_t rest = (int64_t)(read(index) << (64 - width)) >> (64 - width);
		atomic_signal_fence(memory_order_seq_cst);
		if (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != sequence)
			continue;
		*count = sum + (uint64_t)rest;
		return true;
	}
	return false;
}

/* ---- the counter */

static bool read_by_call(const struct self_count *self, uint64_t *count)
{
	return sys_perf_read(self->sys, self->fd, count, sizeof(*count)) == sizeof(*count);
}

/* What a call says lies between what is read before and after it, or the page is not trusted. */
static bool agrees(const struct self_count *self)
{
	uint64_t before, told, after;

	return self_count_of_page(self->page, read_register, &before) &&
	       read_by_call(self, &told) && self_count_of_page(self->page, read_register, &after) &&
	       before <= told && told <= after;
}

static int open_cycles(const struct sys *sys, uint64_t config1, bool kernel)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.config1 = config1,
		.exclude_kernel = !kernel,
		.exclude_hv = !kernel,
	};

	return sys_perf_open(sys, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void self_count_open(struct self_count *self, const struct sys *sys)
{
	void *page = NULL;

	*self = (struct self_count){.sys = sys, .fd = -1};
	for (unsigned i = 0; i < 4 && self->fd < 0; i++)
		self->fd = open_cycles(sys, i % 2 ? 0 : CONFIG1, i < 2);
	if (self->fd < 0)
		return;
	if (sys_perf_map(sys, self->fd, (size_t)sysconf(_SC_PAGESIZE), &page) < 0)
		return;
	self->page = page;
	self->reads_itself = agrees(self);
}

void self_count_close(struct self_count *self)
{
	if (self->page)
		sys_perf_unmap(self->sys, self->page, (size_t)sysconf(_SC_PAGESIZE));
	if (self->sys && self->fd >= 0)
		sys_close(self->sys, self->fd);
	*self = (struct self_count){.fd = -1};
}

uint64_t self_count_read(struct self_count *self)
{
	uint64_t count = 0;

	if (!self->sys || self->fd < 0)
		return 0;
	if (self->reads_itself && self_count_of_page(self->page, read_register, &count))
		return count;
	return read_by_call(self, &count) ? count : 0;
}
