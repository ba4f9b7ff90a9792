// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_INTERNAL_H
#define PMCTOP_METRIC_INTERNAL_H

#include "core/metric/fact.h"
#include "core/metric/metric.h"

#include <stddef.h>

/*
 * The stack program that a formula compiles to. metric_compile.c makes it, metric_bind.c sets the
 * readings of its events, metric.c runs it. The operations are in postfix order.
 * metric_reduce.c removes what cannot change the result.
 */

/* Slots of the stack. A formula that needs more does not compile. */
#define METRIC_DEPTH_MAX 128

enum {
	METRIC_OPS_MAX = 65536, /* operations; each is done for every row */
	METRIC_KEPT_MAX = 128,  /* values of metrics that a formula may name again */
};

enum op_code {
	OP_NUMBER,
	OP_EVENT,
	OP_UNSUPPORTED, /* a variable that this machine does not have */
	OP_INTERVAL,
	OP_CPU_TIME,
	OP_FACT,
	OP_NEGATE,
	OP_ESTIMATE, /* the value is SCALED at best */
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_LESS,
	OP_LESS_EQUAL,
	OP_GREATER,
	OP_GREATER_EQUAL,
	OP_EQUAL,
	OP_NOT_EQUAL,
	OP_MIN,
	OP_MAX,
	OP_AND,
	OP_OR,
	OP_RATIO,   /* 0 if the second value is 0 */
	OP_IF,      /* condition, value, other value */
	OP_IF_ELSE, /* value, condition, other value */
	OP_KEEP,    /* copies the last value to a slot */
	OP_STORE,   /* moves the last value to a slot */
	OP_RECALL,  /* the value of a slot */
	OP_UNKNOWN, /* in the parser only: a name without a meaning */
};

struct metric_op {
	enum op_code code;
	union {
		double number;
		enum fact fact;
		const char *variable; /* the name of an UNSUPPORTED one; a constant */
		size_t slot;          /* of KEEP, STORE and RECALL; < METRIC_KEPT_MAX */
		size_t unknown;       /* index in the parser's unknown names */
		struct {
			size_t event;
			size_t reading;    /* index in the readings, once bound; also of CPU_TIME */
			double percentile; /* 0: the count */
			enum metric_part part;
		};
	};
};

/* The value of an operation with two operands. */
double metric_compute(enum op_code code, double a, double b);

#endif
