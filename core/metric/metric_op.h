// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_OP_H
#define PMCTOP_METRIC_OP_H

#include <stddef.h>

/*
 * The program that a formula is compiled to (metric_compile.c) and evaluated by (metric.c): for a
 * stack machine, in the order of the stack. Nobody else needs to know it.
 */

/* Slots of the stack; what needs more does not compile. */
#define METRIC_DEPTH_MAX 64

enum op_code {
	OP_NUMBER,
	OP_EVENT,
	OP_UNSUPPORTED, /* what this machine does not tell */
	OP_INTERVAL,
	OP_CPU_TIME,
	OP_NEGATE,
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
	OP_IF,
};

struct metric_op {
	enum op_code code;
	union {
		double number;
		struct {
			size_t event;
			size_t reading; /* index in the readings, once it is bound; of CPU_TIME too
					 */
		};
	};
};

#endif
