// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TABLE_PATTERN_H
#define PMCTOP_TABLE_PATTERN_H

/*
 * The patterns of CPUs in the vendors' and Linux' lists: a subset of extended regular expressions.
 * Literals, `.`, [sets] with ranges and [:xdigit:] and the like, (groups), `|`, and `*`, `+`, `?`.
 *
 * A pattern is from a file, so the time is bounded: TABLE_PATTERN_STEPS_MAX steps, then the
 * pattern does not match. No regcomp(3), of which some patterns need memory without limit.
 */
enum { TABLE_PATTERN_STEPS_MAX = 10000 };

enum table_pattern_answer {
	TABLE_PATTERN_NO,
	TABLE_PATTERN_YES,
	TABLE_PATTERN_TOO_LONG, /* the limit of steps was reached */
	TABLE_PATTERN_INVALID,  /* not of the subset */
};

/*
 * Whether the pattern matches all of an id of a CPU (cpu_model_id()), or its first parts: the CPU
 * in any stepping. The steps are subtracted from *steps_left, which a file of patterns has in
 * common; with 0 the answer is TABLE_PATTERN_TOO_LONG.
 */
enum table_pattern_answer table_pattern_match(const char *pattern, const char *id,
					      unsigned *steps_left);

#endif
