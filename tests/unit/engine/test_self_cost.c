// SPDX-License-Identifier: MIT
/* The cost of pmctop itself: cycles read from a page and a register, or by a call. */
#include "core/base/util.h"
#include "core/engine/self_cost.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The page and its register. The kernel changes the page during the first `changes` readings. */
static struct {
	struct perf_event_mmap_page page;
	uint64_t value;
	unsigned changes;
} counter;

static uint64_t read_register(uint32_t index)
{
	assert_int_equal(index, counter.page.index);
	if (counter.changes > 0) {
		counter.changes--;
		counter.page.lock++;
		counter.page.offset += 1000;
	}
	return counter.value;
}

static const struct {
	const char *name;
	uint64_t value;
	int64_t offset;
	uint32_t index;
	uint16_t width;
	bool granted;
	unsigned changes;
	bool known;
	uint64_t count;
} pages[] = {
	{"plain", 5, 100, 1, 48, true, 0, true, 105},
	{"64 bits", 5, 100, 1, 64, true, 0, true, 105},
	{"a register below zero", (1ull << 48) - 5, 100, 1, 48, true, 0, true, 95},
	{"bits beyond the width are ignored", 0xabcull << 48 | 5, 100, 1, 48, true, 0, true, 105},
	{"32 bits", 0xffffffff, 100, 2, 32, true, 0, true, 99},
	{"changed while it was read", 5, 100, 1, 48, true, 3, true, 3105},
	{"changed at every reading", 5, 100, 1, 48, true, UINT32_MAX, false, 0},
	{"not permitted", 5, 100, 1, 48, false, 0, false, 0},
	{"not on the PMU", 5, 100, 0, 48, true, 0, false, 0},
	{"without a width", 5, 100, 1, 0, true, 0, false, 0},
	{"too wide", 5, 100, 1, 65, true, 0, false, 0},
};

static void test_pages(void **state)
{
	(void)state;
#if !defined(__x86_64__) && !defined(__aarch64__)
	skip();
#endif
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		uint64_t count = 0;
		memset(&counter, 0, sizeof(counter));
		counter.value = pages[i].value;
		counter.changes = pages[i].changes;
		counter.page.index = pages[i].index;
		counter.page.pmc_width = pages[i].width;
		counter.page.offset = pages[i].offset;
		counter.page.cap_user_rdpmc = pages[i].granted;
		bool known = self_cost_count_of_page(&counter.page, read_register, &count);
		if (known != pages[i].known || count != pages[i].count)
			fail_msg("%s: %d, %llu", pages[i].name, known, (unsigned long long)count);
	}
}

/* A kernel that grants a counter or refuses it. Its read() returns the calls so far * 1000. */
struct machine {
	bool refuses, fails;
	unsigned opens, closes;
	uint64_t reads, cpu_ns;
	pid_t tid;
};

static int machine_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			unsigned long flags)
{
	struct machine *self = ctx;

	(void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	if (self->refuses)
		return -EACCES;
	self->opens++;
	return 7;
}

static int machine_map(void *ctx, int fd, size_t size, void **address)
{
	(void)ctx, (void)fd, (void)size, (void)address;
	return -EPERM;
}

static ssize_t machine_read(void *ctx, int fd, void *buffer, size_t size)
{
	struct machine *self = ctx;
	uint64_t count = ++self->reads * 1000;

	assert_int_equal(fd, 7);
	if (self->fails)
		return -EIO;
	assert_int_equal(size, sizeof(count));
	memcpy(buffer, &count, sizeof(count));
	return sizeof(count);
}

static int machine_close(void *ctx, int fd)
{
	struct machine *self = ctx;

	assert_int_equal(fd, 7);
	self->closes++;
	return 0;
}

static uint64_t machine_cpu_ns(void *ctx, bool process)
{
	const struct machine *self = ctx;

	assert_true(process);
	return self->cpu_ns;
}

static int machine_self(void *ctx, pid_t *pid, pid_t *tid)
{
	const struct machine *self = ctx;

	*pid = 1;
	*tid = self->tid;
	return 0;
}

static const struct sys_ops machine_ops = {
	.perf_open = machine_open,
	.perf_map = machine_map,
	.perf_read = machine_read,
	.close = machine_close,
	.cpu_ns = machine_cpu_ns,
	.self = machine_self,
};

enum { INTERVALS = 8 };

/*
 * Cycles and times of intervals, the second one after a pause, one with a failed reading, and the
 * seventh on another thread.
 */
static void check_intervals(bool refuses, const uint64_t cycles[INTERVALS])
{
	struct machine self = {.refuses = refuses, .cpu_ns = 50};
	const struct sys sys = {&machine_ops, &self};
	struct self_cost cost = {0};
	struct snapshot_cost out;

	self_cost_fini(&cost); /* nothing was opened */
	self_cost_begin(&cost, &sys, 100);
	for (unsigned i = 0; i < INTERVALS; i++) {
		self.cpu_ns += 10;
		self.fails = i == 3;
		self.tid = i < 6 ? 1 : 2;
		if (i == 1)
			self_cost_pause(&cost);
		self_cost_cut(&cost, 200 + i * 100, &out);
		assert_int_equal(out.cpu_ns, 10);
		assert_int_equal(out.wall_ns, 100);
		assert_int_equal(out.cycles, cycles[i]);
		assert_false(out.reads_itself);
	}
	self_cost_fini(&cost);
	assert_int_equal(self.opens, refuses ? 0 : 3);
	assert_int_equal(self.closes, self.opens);
}

static void test_counter_is_granted(void **state)
{
	(void)state;
	check_intervals(false, (const uint64_t[INTERVALS]){0, 0, 1000, 0, 0, 1000, 0, 1000});
}

static void test_counter_is_refused(void **state)
{
	(void)state;
	check_intervals(true, (const uint64_t[INTERVALS]){0});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_counter_is_granted),
		cmocka_unit_test(test_counter_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
