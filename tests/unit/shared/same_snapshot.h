// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SAME_SNAPSHOT_H
#define PMCTOP_TESTS_SAME_SNAPSHOT_H

#include "core/event/plan.h"
#include "core/snapshot/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/*
 * Compares two snapshots in everything that a view or an output shows, except whether they are
 * being recorded. Fails the test at the first difference, with its name.
 */
#define SAME(a, b, what)                                                                          \
	do {                                                                                      \
		if ((a) != (b))                                                                   \
			fail_msg("%s differs: %lld, %lld", what, (long long)(a), (long long)(b)); \
	} while (0)

void same_tally(const struct columns *columns, const uint64_t *a, const uint64_t *b,
		const char *what);

void same_snapshot(const struct snapshot *a, const struct snapshot *b);

#endif
