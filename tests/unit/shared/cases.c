// SPDX-License-Identifier: MIT
#include "tests/unit/shared/cases.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

static struct CMUnitTest test_of_row(const struct cases *table, size_t i)
{
	const char *row = (const char *)table->rows + i * table->row_bytes;
	struct CMUnitTest test = {.test_func = table->run};

	memcpy(&test.name, row, sizeof(test.name));
	test.initial_state = (void *)(uintptr_t)row; /* cmocka does not write to it */
	return test;
}

int cases_run(const char *group, const struct cases *tables, size_t n_tables,
	      const struct CMUnitTest *others, size_t n_others)
{
	size_t n = 0, most = n_others;

	for (size_t i = 0; i < n_tables; i++)
		most += tables[i].n;
	struct CMUnitTest *tests = xcalloc(most, sizeof(*tests));
	for (size_t i = 0; i < n_tables; i++)
		for (size_t row = 0; row < tables[i].n; row++)
			tests[n++] = test_of_row(&tables[i], row);
	for (size_t i = 0; i < n_others; i++)
		tests[n++] = others[i];
	int failed = _cmocka_run_group_tests(group, tests, n, NULL, NULL);
	free(tests);
	return failed;
}
