// SPDX-License-Identifier: MIT
/*
 * In a postfix program the operands of an operation are the subexpressions that end before it. One
 * pass forward finds where each begins and which are constant, one pass back from the result finds
 * which are used. The value of a named metric may be kept in a part that is not used and be
 * recalled in one that is: then it is computed in its old place, and not left on the stack.
 */
#include "core/metric/metric_compile_internal.h"

#include "core/base/util.h"

#include <math.h>
#include <stdlib.h>

/* The subexpression that ends at an operation. */
struct part {
	size_t first; /* index of its first operation */
	bool constant;
	double value; /* if it is constant */
	bool used;    /* its value is used where it stands */
};

struct reduction {
	const struct metric_op *ops;
	struct part *parts;
	size_t kept[METRIC_KEPT_MAX]; /* the index of the KEEP of a slot */
	bool recalled[METRIC_KEPT_MAX];
};

static size_t operands_of(enum op_code code)
{
	switch (code) {
	case OP_NUMBER:
	case OP_EVENT:
	case OP_UNSUPPORTED:
	case OP_UNKNOWN:
	case OP_INTERVAL:
	case OP_CPU_TIME:
	case OP_FACT:
	case OP_RECALL:
		return 0;
	case OP_NEGATE:
	case OP_ESTIMATE:
	case OP_KEEP:
	case OP_STORE:
		return 1;
	case OP_IF:
	case OP_IF_ELSE:
		return 3;
	case OP_ADD:
	case OP_SUBTRACT:
	case OP_MULTIPLY:
	case OP_DIVIDE:
	case OP_LESS:
	case OP_LESS_EQUAL:
	case OP_GREATER:
	case OP_GREATER_EQUAL:
	case OP_EQUAL:
	case OP_NOT_EQUAL:
	case OP_MIN:
	case OP_MAX:
	case OP_AND:
	case OP_OR:
	case OP_RATIO:
		return 2;
	}
	return 0;
}

static bool is_zero(const struct part *part)
{
	return part->constant && fpclassify(part->value) == FP_ZERO;
}

static bool is_not_zero(const struct part *part)
{
	return part->constant && !is_zero(part);
}

/* Whether one operand alone decides the value: *value. */
static bool is_decided(enum op_code code, const struct part *a, const struct part *b, double *value)
{
	*value = code == OP_OR;
	if (code == OP_OR)
		return is_not_zero(a) || is_not_zero(b);
	return (code == OP_AND || code == OP_MULTIPLY || code == OP_RATIO) &&
	       (is_zero(a) || is_zero(b));
}

static void decide_two(enum op_code code, const struct part *a, const struct part *b,
		       struct part *part)
{
	part->constant = is_decided(code, a, b, &part->value);
	if (part->constant || !a->constant || !b->constant)
		return;
	part->value = metric_compute(code, a->value, b->value);
	part->constant = isfinite(part->value);
}

/* The operand whose value the operation has, or SIZE_MAX: `at` are the ends of its operands. */
static size_t taken_operand(const struct reduction *r, size_t index, const size_t *at)
{
	enum op_code code = r->ops[index].code;
	size_t condition = code == OP_IF ? 0 : 1, yes = code == OP_IF ? 1 : 0;

	if ((code != OP_IF && code != OP_IF_ELSE) || !r->parts[at[condition]].constant)
		return SIZE_MAX;
	return is_zero(&r->parts[at[condition]]) ? at[2] : at[yes];
}

/* Fills the ends of the operands of an operation, in their order. Returns how many there are. */
static size_t find_operands(const struct reduction *r, size_t index, size_t at[3])
{
	size_t n = operands_of(r->ops[index].code), end = index;

	for (size_t i = n; i-- > 0; end = r->parts[end - 1].first)
		at[i] = end - 1;
	return n;
}

static void find_part(struct reduction *r, size_t index)
{
	const struct metric_op *op = &r->ops[index];
	struct part *part = &r->parts[index];
	size_t at[3], n = find_operands(r, index, at), taken = taken_operand(r, index, at);

	*part = (struct part){.first = n > 0 ? r->parts[at[0]].first : index};
	if (op->code == OP_NUMBER) {
		part->constant = true;
		part->value = op->number;
	} else if (op->code == OP_RECALL || op->code == OP_KEEP || taken != SIZE_MAX) {
		size_t from = op->code == OP_RECALL ? r->kept[op->slot]
			      : taken != SIZE_MAX   ? taken
						    : at[0];
		part->constant = r->parts[from].constant;
		part->value = r->parts[from].value;
	} else if (op->code == OP_NEGATE) {
		part->constant = r->parts[at[0]].constant;
		part->value = -r->parts[at[0]].value;
	} else if (n == 2) {
		decide_two(op->code, &r->parts[at[0]], &r->parts[at[1]], part);
	}
	if (op->code == OP_KEEP)
		r->kept[op->slot] = index;
}

static void use_operands(struct reduction *r, size_t index)
{
	const struct metric_op *op = &r->ops[index];
	size_t at[3], n = find_operands(r, index, at), taken = taken_operand(r, index, at);

	if (op->code == OP_RECALL)
		r->recalled[op->slot] = true;
	if (taken != SIZE_MAX)
		r->parts[taken].used = true;
	for (size_t i = 0; i < n && taken == SIZE_MAX; i++)
		r->parts[at[i]].used = true;
}

static bool is_recalled(const struct reduction *r, size_t index)
{
	return r->ops[index].code == OP_KEEP && r->recalled[r->ops[index].slot];
}

/* Finds what the value of the last operation needs. The caller frees r->parts. */
static void reduction_init(struct reduction *r, const struct metric_op *ops, size_t n)
{
	*r = (struct reduction){.ops = ops, .parts = xcalloc(n, sizeof(*r->parts))};
	for (size_t i = 0; i < n; i++)
		find_part(r, i);
	if (n > 0)
		r->parts[n - 1].used = true;
	for (size_t i = n; i-- > 0;)
		if ((r->parts[i].used && !r->parts[i].constant) || is_recalled(r, i))
			use_operands(r, i);
}

/* Returns the operation that replaces one of the program. *stays is false if there is none. */
static struct metric_op reduced_op(const struct reduction *r, size_t index, bool *stays)
{
	struct metric_op op = r->ops[index];
	const struct part *part = &r->parts[index];
	size_t at[3];

	find_operands(r, index, at);
	*stays = part->used;
	if (part->constant)
		return (struct metric_op){.code = OP_NUMBER, .number = part->value};
	if (op.code == OP_KEEP) {
		*stays = is_recalled(r, index);
		op.code = part->used ? OP_KEEP : OP_STORE;
	}
	*stays &= taken_operand(r, index, at) == SIZE_MAX;
	return op;
}

size_t metric_reduce(struct metric_op *ops, size_t n)
{
	struct reduction r;
	size_t left = 0;

	reduction_init(&r, ops, n);
	for (size_t i = 0; i < n; i++) {
		bool stays;
		struct metric_op op = reduced_op(&r, i, &stays);

		if (stays)
			ops[left++] = op;
	}
	free(r.parts);
	return left;
}

bool *metric_used_ops(const struct metric_op *ops, size_t n)
{
	bool *used = xcalloc(n, sizeof(*used));
	struct reduction r;

	reduction_init(&r, ops, n);
	for (size_t i = 0; i < n; i++)
		reduced_op(&r, i, &used[i]);
	free(r.parts);
	return used;
}
