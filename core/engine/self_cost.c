// SPDX-License-Identifier: MIT
/*
 * Cycles are read in user mode if the kernel permits it (x86: cap_user_rdpmc; arm64:
 * kernel.perf_user_access=1, and bit 1 of config1), else by read(). The mapped page has the number
 * of the register, and the rest of the count. If `lock` changes while the page is read, it is read
 * again.
 */
#include "core/engine/self_cost.h"

#include "core/base/util.h"

#include <stdatomic.h>
#include <unistd.h>

enum { SEQUENCE_TRIES = 100 };

#define USER_ACCESS 2 /* config1, arm64 */

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

/* Register 32 counts cycles (tools/lib/perf/mmap.c, read_perf_counter). */
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

/* Whether read_register() can read it. */
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

bool self_cost_count_of_page(const struct perf_event_mmap_page *page, self_register_fn *read,
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
		/* Signed: the kernel may start a counter below zero. */
		int64_t rest = (int64_t)(read(index) << (64 - width)) >> (64 - width);
		atomic_signal_fence(memory_order_seq_cst);
		if (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != sequence)
			continue;
		*count = sum + (uint64_t)rest;
		return true;
	}
	return false;
}

static bool read_by_call(const struct self_cost *cost, uint64_t *count)
{
	return sys_perf_read(cost->sys, cost->fd, count, sizeof(*count)) == sizeof(*count);
}

/* Whether a count read by a call lies between two read from the page. If not, the page is not used.
 */
static bool page_agrees_with_call(const struct self_cost *cost)
{
	uint64_t before, by_call, after;

	return self_cost_count_of_page(cost->page, read_register, &before) &&
	       read_by_call(cost, &by_call) &&
	       self_cost_count_of_page(cost->page, read_register, &after) && before <= by_call &&
	       by_call <= after;
}

static pid_t own_thread(const struct sys *sys)
{
	pid_t pid, tid = 0;

	return sys_self(sys, &pid, &tid) < 0 ? 0 : tid;
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

/* Counts user and kernel mode if that is permitted, else user mode. */
static void open_counter(struct self_cost *cost)
{
	void *page = NULL;

	cost->open = true;
	cost->tid = own_thread(cost->sys);
	cost->fd = -1;
	for (unsigned i = 0; i < 4 && cost->fd < 0; i++)
		cost->fd = open_cycles(cost->sys, i % 2 ? 0 : CONFIG1, i < 2);
	if (cost->fd < 0)
		return;
	if (sys_perf_map(cost->sys, cost->fd, (size_t)sysconf(_SC_PAGESIZE), &page) < 0)
		return;
	cost->page = page;
	cost->in_user_mode = page_agrees_with_call(cost);
}

static void close_counter(struct self_cost *cost)
{
	if (cost->page)
		sys_perf_unmap(cost->sys, cost->page, (size_t)sysconf(_SC_PAGESIZE));
	if (cost->open && cost->fd >= 0)
		sys_close(cost->sys, cost->fd);
	cost->open = cost->in_user_mode = false;
	cost->page = NULL;
}

/* Cycles since the counter was opened; 0: unknown. */
static uint64_t read_cycles(const struct self_cost *cost)
{
	uint64_t count = 0;

	if (cost->fd < 0)
		return 0;
	if (cost->in_user_mode && self_cost_count_of_page(cost->page, read_register, &count))
		return count;
	return read_by_call(cost, &count) ? count : 0;
}

void self_cost_begin(struct self_cost *cost, const struct sys *sys, uint64_t now_ns)
{
	cost->sys = sys;
	cost->cut_ns = now_ns;
	cost->cpu_ns = sys_cpu_ns(sys, true);
}

void self_cost_fini(struct self_cost *cost)
{
	close_counter(cost);
}

void self_cost_pause(struct self_cost *cost)
{
	close_counter(cost);
	cost->n_cycles = 0;
}

void self_cost_cut(struct self_cost *cost, uint64_t now_ns, struct snapshot_cost *out)
{
	/* On a fiber (core/base/fiber.h) another thread may have carried the code on. */
	if (cost->open && cost->tid != own_thread(cost->sys))
		self_cost_pause(cost);
	if (!cost->open)
		open_counter(cost);
	uint64_t cpu_ns = sys_cpu_ns(cost->sys, true);
	uint64_t n_cycles = read_cycles(cost);
	/* After the opening, or a failed reading, the growth is of another time than the interval.
	 */
	bool known = cost->n_cycles > 0 && n_cycles > 0;
	*out = (struct snapshot_cost){
		.cpu_ns = u64_growth(cost->cpu_ns, cpu_ns),
		.wall_ns = u64_growth(cost->cut_ns, now_ns),
		.cycles = known ? u64_growth(cost->n_cycles, n_cycles) : 0,
		.reads_itself = cost->in_user_mode,
	};
	cost->cut_ns = now_ns;
	cost->cpu_ns = cpu_ns;
	cost->n_cycles = n_cycles;
}
