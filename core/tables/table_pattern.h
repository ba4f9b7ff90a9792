// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TABLE_PATTERN_H
#define PMCTOP_TABLE_PATTERN_H

/*
 * The patterns of CPUs in the vendors' and Linux' lists: extended regular expressions, as in
 * regcomp(3). They are from a file, so only a subset is compiled whose memory and time are bounded:
 * at most TABLE_PATTERN_BYTES bytes; no *, + or ? behind a parenthesis; no {, ^, $ and
 * back-reference.
 */
enum { TABLE_PATTERN_BYTES = 64 };

enum table_pattern_answer {
	TABLE_PATTERN_NO,
	TABLE_PATTERN_YES,
	TABLE_PATTERN_INVALID, /* not of the subset */
};

/*
 * Whether the pattern matches all of an id of a CPU (cpu_kind_id()), or its first parts: the CPU
 * in any stepping.
 */
enum table_pattern_answer table_pattern_match(const char *pattern, const char *id);

#endif
