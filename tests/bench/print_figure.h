// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BENCH_PRINT_FIGURE_H
#define PMCTOP_BENCH_PRINT_FIGURE_H

#include <stdio.h>

/* Prints a line with a figure, which tests/bench/part_path.py parses. */
static inline void print_figure(const char *name, double value, const char *unit)
{
	printf("%s\t%.6g\t%s\n", name, value, unit);
	fflush(stdout);
}

#endif
