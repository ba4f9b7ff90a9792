// SPDX-License-Identifier: MIT
#include "core/base/util.h"
#include "core/perf/self_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* What the register says; the kernel changes the page under whoever reads it `changes` times. */
static struct {
	struct perf_event_mmap_page page;
	uint64_t value;
	unsigned changes;
} machine;

static uint64_t read_register(uint32_t index)
{
	assert_int_equal(index, machine.page.index);
	if (machine.changes > 0) {
		machine.changes--;
		machine.page.lock++;
		machine.page.offset += 1000;
	}
	return machine.value;
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
	{"a register that has not come to zero", (1ull << 48) - 5, 100, 1, 48, true, 0, true, 95},
	{"bits beyond its width are none", 0xabcull << 48 | 5, 100, 1, 48, true, 0, true, 105},
	{"32 bits", 0xffffffff, 100, 2, 32, true, 0, true, 99},
	{"changed while it was read", 5, 100, 1, 48, true, 3, true, 3105},
	{"changed for ever", 5, 100, 1, 48, true, UINT32_MAX, false, 0},
	{"not granted", 5, 100, 1, 48, false, 0, false, 0},
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
		memset(&machine, 0, sizeof(machine));
		machine.value = pages[i].value;
		machine.changes = pages[i].changes;
		machine.page.index = pages[i].index;
		machine.page.pmc_width = pages[i].width;
		machine.page.offset = pages[i].offset;
		machine.page.cap_user_rdpmc = pages[i].granted;
		bool known = self_count_of_page(&machine.page, read_register, &count);
		if (known != pages[i].known || count != pages[i].count)
			fail_msg("%s: %d, %llu", pages[i].name, known, (unsigned long long)count);
	}
}

static void test_nothing(void **state)
{
	(void)state;
	struct self_count self = {0};

	assert_int_equal(self_count_read(&self), 0);
	self_count_close(&self);
	assert_int_equal(self_count_read(&self), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
