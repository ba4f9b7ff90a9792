// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_COMPILE_INTERNAL_H
#define PMCTOP_METRIC_COMPILE_INTERNAL_H

#include "core/base/error.h"
#include "core/metric/metric.h"
#include "core/metric/metric_internal.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The parser of formulas. metric_compile.c has its grammar, metric_name.c the meaning of names. The
 * functions return 0, or -errno with the sentence of a failure in p->err.
 */
enum {
	/* Parentheses and metrics in each other: each takes less than 1 KiB of the C stack. */
	METRIC_NESTED_MAX = 128,
	METRIC_NAMES_NESTED_MAX = 16, /* metrics whose formulas name each other */
	METRIC_USES_MAX = 256,        /* formulas in one; the largest of the vendors has 67 */
	METRIC_NAME_MAX_BYTES = 255,
	METRIC_UNKNOWN_MAX = 16, /* unknown names in parts that may not be used; one takes long */
};

/* A metric whose formula is being parsed, and the one whose formula names it. */
struct metric_use {
	const char *name;
	const struct metric_use *outer; /* NULL: the metric that is compiled */
};

/* A name that has no meaning here. It is an error only if the formula needs it. */
struct metric_unknown {
	char *name; /* owned */
	struct error why;
};

struct metric_parser {
	const char *text;
	size_t at;
	const struct metric_use *use; /* its name is in messages */
	bool machine;                 /* the compiled metric is of the whole machine only */
	struct event_set *events;     /* NULL: names are not resolved */
	struct error *err;
	struct metric_op *ops; /* owned */
	size_t n, capacity;
	size_t depth, depth_max; /* of the stack, now and at most */
	unsigned nested;
	unsigned uses; /* of other metrics, without values that are used again */
	/* As in struct metric. The values of the first METRIC_KEPT_MAX are in slots, by index. */
	struct metric_def *named; /* owned */
	size_t n_named, named_capacity;
	struct metric_unknown unknown[METRIC_UNKNOWN_MAX]; /* names owned */
	size_t n_unknown;
};

/* Frees and removes the metrics that were named after the first n. */
void metric_parser_forget(struct metric_parser *p, size_t n);

/*
 * Removes what cannot change the value of the last operation: the branch that a constant condition
 * does not take, x in 0 * x, 0 & x, 1 | x and d_ratio(0, x), and constants that are operands of
 * others. Returns how many operations are left.
 */
size_t metric_reduce(struct metric_op *ops, size_t n);
/* Returns for each operation whether it would be left. The caller frees the array. */
bool *metric_used_ops(const struct metric_op *ops, size_t n);

/* Returns `code`, with a sentence that has the position. */
int metric_parser_fail(struct metric_parser *p, int code, size_t at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
int metric_parser_fail_expected(struct metric_parser *p, const char *what);

/* Appends an operation that takes so many values from the stack and puts one there. */
int metric_parser_emit(struct metric_parser *p, struct metric_op op, size_t pops);
int metric_parser_emit_op(struct metric_parser *p, enum op_code code, size_t pops);

/* Skips blanks and returns the next character. */
char metric_parser_skip_space(struct metric_parser *p);
/* Skips blanks and, if it is next, the token. */
bool metric_parser_accept(struct metric_parser *p, const char *token);

/* Parse from p->at on; they recurse through metric_parse_unary(), which bounds the nesting. */
int metric_parse_text(struct metric_parser *p);
int metric_parse_expression(struct metric_parser *p);
int metric_parse_unary(struct metric_parser *p);
int metric_parse_number(struct metric_parser *p);
/* A name, function, variable or #literal, or a name in quotes, which begins at p->at. */
int metric_parse_name(struct metric_parser *p);
int metric_parse_quoted(struct metric_parser *p);
int metric_parse_literal(struct metric_parser *p);

/* Returns the length of the name at the front. A dash in it is before a letter: cache-misses. */
size_t metric_name_length(const char *text);
/* Without the locale. */
bool metric_is_letter(char c);
bool metric_is_digit(char c);

#endif
