// SPDX-License-Identifier: MIT
/* Build ids of a recording: by the names of files, of the host and of guests. */
#include "core/perfdata/perfdata.h"
#include "core/perfdata/perfdata_build_ids.h"
#include "tests/unit/shared/perfdata_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { HAS_SIZE = 1 << 15 };

/* `n` bytes of the name, which may be without its NUL. */
static void add(struct perfdata_build_ids *ids, uint16_t misc, int pid, const uint8_t id[20],
		uint8_t size, const char *name, size_t n)
{
	struct image image = {0};
	size_t begin = image_begin(&image, PERFDATA_BUILD_ID, misc);

	image_u32(&image, (uint32_t)pid);
	image_bytes(&image, id, 20);
	image_u32(&image, size);
	image_bytes(&image, name, n);
	image_end(&image, begin);
	/* In memory of its own: a read past the record's end is one past the block's. */
	void *copy = xmalloc(image.n);
	memcpy(copy, image.bytes, image.n);
	perfdata_build_ids_add(ids, copy);
	free(copy);
	image_fini(&image);
}

static void are_found_by_name_and_machine(void **state)
{
	static const struct {
		uint16_t misc;
		int pid;
		uint8_t id[20], size;
		const char *name;
	} items[] = {
		{HAS_SIZE, -1, {1, 2, 3, 4}, 4, "/bin/short"},
		{HAS_SIZE, -1, {2}, 20, "[kernel.kallsyms]"},
		{HAS_SIZE, 77, {3}, 20, "[guest.kernel.kallsyms.77]"},
		{HAS_SIZE, 77, {4}, 20, "[kernel.kallsyms]"},
		{0, -1, {5, [15] = 1}, 0, "/bin/old"},
		{0, -1, {0}, 0, "/bin/zero"},
		{HAS_SIZE, -1, {6}, 0, "/bin/none"},
		{HAS_SIZE, -1, {6}, 21, "/bin/long"},
		{HAS_SIZE, -1, {6}, 20, ""},
		{0, -1, {7, [19] = 1}, 0, "/bin/whole"},
	};
	static const struct {
		const char *name;
		int pid;
		uint8_t first, size; /* 0: not found */
	} rows[] = {
		{"/bin/short", -1, 1, 4},
		{"/bin/short", 5, 1, 4},
		{"[kernel.kallsyms]", -1, 2, 20},
		{"[kernel.kallsyms]", 77, 4, 20},
		{"[kernel.kallsyms]", 78, 2, 20},
		{"[guest.kernel.kallsyms.77]", 77, 3, 20},
		{"[guest.kernel.kallsyms.77]", -1, 0, 0},
		{"/bin/old", -1, 5, 16},
		{"/bin/whole", -1, 7, 20},
		{"/bin/zero", -1, 0, 0},
		{"/bin/none", -1, 0, 0},
		{"/bin/long", -1, 0, 0},
		{"", -1, 0, 0},
		{"/bin", -1, 0, 0},
		{"z", -1, 0, 0},
	};
	struct perfdata_build_ids ids = {0};

	(void)state;
	assert_null(perfdata_build_ids_find(&ids, "a", -1));
	for (size_t i = 0; i < ARRAY_SIZE(items); i++)
		add(&ids, items[i].misc, items[i].pid, items[i].id, items[i].size, items[i].name,
		    strlen(items[i].name) + i % 2);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct code_build_id *found =
			perfdata_build_ids_find(&ids, rows[i].name, rows[i].pid);
		if (!found != !rows[i].size ||
		    (found && (found->size != rows[i].size || found->bytes[0] != rows[i].first)))
			fail_msg("%s of %d", rows[i].name, rows[i].pid);
	}
	add(&ids, HAS_SIZE, -1, (uint8_t[20]){8}, 20, "/bin/later", 11);
	assert_int_equal(perfdata_build_ids_find(&ids, "/bin/later", -1)->bytes[0], 8);
	assert_int_equal(perfdata_build_ids_find(&ids, "/bin/short", -1)->bytes[0], 1);
	perfdata_build_ids_fini(&ids);
}

static void records_that_are_cut_are_ignored(void **state)
{
	struct perfdata_build_ids ids = {0};
	struct image image = {0};

	(void)state;
	image_begin(&image, PERFDATA_BUILD_ID, HAS_SIZE);
	image_text(&image, "", 28);
	for (size_t n = sizeof(struct perf_event_header); n <= image.n; n++) {
		struct perf_event_header *copy = xmalloc(n);
		memcpy(copy, image.bytes, n);
		copy->size = (uint16_t)n;
		perfdata_build_ids_add(&ids, copy);
		free(copy);
	}
	assert_int_equal(ids.n, 0);
	image_fini(&image);
}

static void their_number_and_names_are_bounded(void **state)
{
	static const uint8_t id[20] = {1};
	static char name[60000];
	struct perfdata_build_ids ids = {0};

	(void)state;
	memset(name, 'a', sizeof(name));
	for (unsigned i = 0; i < PERFDATA_BUILD_IDS_BYTES / sizeof(name) + 10; i++)
		add(&ids, HAS_SIZE, (int)i, id, 20, name, sizeof(name));
	assert_int_equal(ids.n, PERFDATA_BUILD_IDS_BYTES / sizeof(name));
	perfdata_build_ids_fini(&ids);
	for (unsigned i = 0; i < PERFDATA_BUILD_IDS_MAX + 10; i++)
		add(&ids, HAS_SIZE, (int)i, id, 20, "a", 1);
	assert_int_equal(ids.n, PERFDATA_BUILD_IDS_MAX);
	assert_non_null(perfdata_build_ids_find(&ids, "a", 5));
	perfdata_build_ids_fini(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(are_found_by_name_and_machine),
		cmocka_unit_test(records_that_are_cut_are_ignored),
		cmocka_unit_test(their_number_and_names_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
