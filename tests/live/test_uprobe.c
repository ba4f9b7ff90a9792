// SPDX-License-Identifier: MIT
/* A uprobe that event_resolve() names counts on this kernel. */
#include "core/event/event.h"
#include "core/sys/pmu.h"
#include "core/sys/sys.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

/* The function with the probe. */
static void __attribute__((noinline)) called(void)
{
	__asm__ volatile("");
}

/* The offset in this program's file of an address in it; 0: not found. */
static uint64_t file_offset(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long first, last, offset;
	uint64_t found = 0;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &first, &last, &offset) == 3 &&
		    address >= first && address < last)
			found = address - first + offset;
	if (maps)
		fclose(maps);
	return found;
}

static void a_real_uprobe_counts(void **state)
{
	char name[600], path[512];
	struct event_context context;
	struct pmu_set pmus;
	struct event event;
	struct sys sys;
	uint64_t count = 0;
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	(void)state;
	assert_true(length > 0);
	path[length] = '\0';
	assert_int_equal(sys_linux_init(&sys), 0);
	pmu_set_read(&sys, &pmus);
	context = (struct event_context){&sys, &pmus};
	snprintf(name, sizeof(name), "uprobe:%s:0x%llx:u", path,
		 (unsigned long long)file_offset((uintptr_t)called));
	int fd = -ENOENT;
	if (event_resolve(&context, name, &event, NULL) == 0) {
		fd = sys_perf_open(&sys, &event.codes[0].attr, 0, -1, -1, 0);
		event_fini(&event);
	}
	for (int i = 0; fd >= 0 && i < 7; i++)
		called();
	if (fd >= 0) {
		assert_int_equal(sys_perf_read(&sys, fd, &count, sizeof(count)), sizeof(count));
		sys_close(&sys, fd);
	}
	pmu_set_fini(&pmus);
	sys_linux_fini(&sys);
	if (fd < 0)
		skip(); /* no uprobes, or no right to them */
	assert_int_equal(count, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_real_uprobe_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
