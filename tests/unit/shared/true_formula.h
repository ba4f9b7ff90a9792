// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_TRUE_FORMULA_H
#define PMCTOP_TESTS_TRUE_FORMULA_H

#include <stddef.h>

/*
 * The value of a formula, in the notation of core/metric or of a vendor: + - * / ( ), comparisons,
 * & and |, `a if c else b`, min, max, if(c, a, b), d_ratio, numbers, and names, which may be in
 * '...'. It shares nothing with core/metric, so that tests can compare the two.
 *
 * `value` returns the value of a name, or NAN if it is unknown. The result is NAN if a name is
 * unknown that the formula needs, or if it divides by 0. A formula that cannot be read fails the
 * calling cmocka test.
 */
struct true_names {
	double (*value)(void *arg, const char *name);
	void *arg;
};

double true_formula(const char *formula, const struct true_names *names);

#endif
