// SPDX-License-Identifier: MIT
/* Calls of processes on a fiber have the results of the same calls without one. */
#include "core/sys/process_call.h"

#include "core/base/fiber.h"
#include "core/base/util.h"
#include "core/sys/proc_maps.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { READ_BYTES = 64, ID_BYTES = 20 };

struct results {
	char cmdline[READ_BYTES], exe[PATH_MAX], maps[READ_BYTES];
	ssize_t cmdline_length, exe_length, maps_length, missing;
	int name_result, id_result, event_result;
	char name[PATH_MAX];
	uint8_t id[ID_BYTES];
	uint64_t start;
	uint32_t id_size;
	bool on_fiber;
};

static const char *own_path(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", getpid(), name);
	return path;
}

static void query(const struct process_files *files, int fd, struct results *results)
{
	struct procmap_query query = {
		.size = sizeof(query),
		.query_addr = (uintptr_t)fiber_start,
		.vma_name_size = sizeof(results->name),
		.vma_name_addr = (uintptr_t)results->name,
	};

	results->name_result = process_call_query(files, fd, &query);
	results->start = query.vma_start;
	query.vma_name_size = 0;
	query.vma_name_addr = 0;
	query.build_id_size = sizeof(results->id);
	query.build_id_addr = (uintptr_t)results->id;
	results->id_result = process_call_query(files, fd, &query);
	results->id_size = query.build_id_size;
}

static void call_all(void *arg)
{
	struct results *results = arg;
	struct process_files files = {0};
	/* Of no PMU, with what a user without rights may ask for: the type is checked last. */
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = UINT32_MAX,
				       .exclude_kernel = true,
				       .exclude_hv = true};
	char none[READ_BYTES];

	results->on_fiber = fiber_current() != NULL;
	results->cmdline_length =
		process_call_read(own_path("cmdline"), results->cmdline, sizeof(results->cmdline));
	results->exe_length =
		process_call_link(own_path("exe"), results->exe, sizeof(results->exe));
	results->missing = process_call_read(own_path("missing"), none, sizeof(none));
	results->event_result = process_call_event(&attr, getpid(), -1, -1, 0);
	int fd = process_call_open(&files, own_path("maps"));
	assert_true(fd >= 0);
	results->maps_length =
		process_call_pread(&files, fd, results->maps, sizeof(results->maps), 0);
	query(&files, fd, results);
	for (size_t i = 0; i <= PROCESS_FILES_MOST; i++) {
		process_call_close(&files, fd);
		close(fd);
		fd = process_call_open(&files, own_path("maps"));
		assert_true(fd >= 0);
	}
	process_call_close(&files, fd);
	close(fd);
}

static void fibers_change_no_result(void **state)
{
	struct results without = {0}, within = {0};
	struct fiber *fiber;

	(void)state;
	if (SANITIZED)
		skip();
	call_all(&without);
	assert_int_equal(fiber_start(&fiber, call_all, &within), 0);
	fiber_join(fiber);
	assert_false(without.on_fiber);
	assert_true(within.on_fiber);
	assert_true(without.cmdline_length > 0);
	assert_int_equal(without.missing, -ENOENT);
	assert_int_equal(without.event_result, -ENOENT);
	assert_int_equal(within.name_result, without.name_result);
	assert_int_equal(within.id_result, without.id_result);
	assert_int_equal(within.start, without.start);
	assert_int_equal(within.id_size, without.id_size);
	assert_memory_equal(within.id, without.id, sizeof(within.id));
	assert_string_equal(within.name, without.name);
	assert_int_equal(within.cmdline_length, without.cmdline_length);
	assert_memory_equal(within.cmdline, without.cmdline, sizeof(within.cmdline));
	assert_int_equal(within.exe_length, without.exe_length);
	assert_string_equal(within.exe, without.exe);
	assert_int_equal(within.maps_length, without.maps_length);
	assert_memory_equal(within.maps, without.maps, sizeof(within.maps));
	assert_int_equal(within.missing, without.missing);
	assert_int_equal(within.event_result, without.event_result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fibers_change_no_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
