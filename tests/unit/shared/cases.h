// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_CASES_H
#define PMCTOP_TESTS_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/*
 * A table of cases. A row is any struct with the name of its test, a const char *, as the first
 * member. `run` gets the row as *state.
 */
struct cases {
	void (*run)(void **state);
	const void *rows;
	size_t n, row_bytes;
};

#define CASES(run, rows)                                                   \
	{                                                                  \
		run, rows, sizeof(rows) / sizeof(*(rows)), sizeof(*(rows)) \
	}

/* Runs a test for each row of the tables, then the other tests. Returns an exit status. */
int cases_run(const char *group, const struct cases *tables, size_t n_tables,
	      const struct CMUnitTest *others, size_t n_others);

#endif
