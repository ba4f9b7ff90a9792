// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BENCH_MEASURE_H
#define PMCTOP_BENCH_MEASURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* CPU time of the calling thread. */
static inline uint64_t thread_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline int compare_values(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Sorts the values. */
static inline double median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_values);
	return values[n / 2];
}

/* Prints a line with a figure, which tests/bench/part_path.py parses. */
static inline void print_figure(const char *name, double value, const char *unit)
{
	printf("%s\t%.6g\t%s\n", name, value, unit);
	fflush(stdout);
}

#endif
