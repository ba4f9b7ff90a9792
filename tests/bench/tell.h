// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BENCH_TELL_H
#define PMCTOP_BENCH_TELL_H

#include <stdio.h>

/* One figure a line, for tests/bench/part_path.py and all that reads it. */
static inline void tell(const char *name, double value, const char *unit)
{
	printf("%s\t%.6g\t%s\n", name, value, unit);
	fflush(stdout);
}

#endif
