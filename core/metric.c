// SPDX-License-Identifier: MIT
/*
 * Evaluates compiled formulas. The stack holds figures, not numbers: what is not known stays not
 * known through every operation, save that if() does not ask the branch it does not take.
 */
#include "metric.h"

#include "metric_op.h"
#include "util.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

void metric_fini(struct metric *metric)
{
	free(metric->ops);
	*metric = (struct metric){0};
}

/* The order in which states win over each other. */
static unsigned rank(enum figure_state state)
{
	static const unsigned char ranks[] = {
		[FIGURE_VALID] = 0,     [FIGURE_SCALED] = 1,      [FIGURE_LOST] = 2,
		[FIGURE_UNDEFINED] = 3, [FIGURE_NOT_COUNTED] = 4, [FIGURE_UNSUPPORTED] = 5,
		[FIGURE_DENIED] = 6,
	};

	return ranks[state];
}

static enum figure_state worse(enum figure_state a, enum figure_state b)
{
	return rank(a) >= rank(b) ? a : b;
}

static struct figure known(double value)
{
	return (struct figure){.value = value, .share = 1, .state = FIGURE_VALID};
}

static struct figure unknown(enum figure_state state)
{
	return (struct figure){.state = state};
}

static struct figure count_of(const struct metric_input *input, size_t event)
{
	const struct event *what = &input->events->items[event];
	const struct tally_shape *shape = input->shape;
	uint64_t count = input->tally[event];
	uint64_t clock_ns = input->tally[TALLY_TASK_CLOCK];

	if (what->state != FIGURE_VALID)
		return unknown(what->state);
	if (what->kind == EVENT_DERIVED)
		return known((double)count);
	if (what->group >= shape->n_groups)
		return unknown(FIGURE_NOT_COUNTED);

	uint64_t group_ns = tally_group_ns(shape, input->tally, what->group);
	if (group_ns >= clock_ns - clock_ns / METRIC_WHOLE_PARTS)
		return known((double)count);
	if (group_ns == 0) /* a count without time is a count all the same: nothing to scale by */
		return count ? known((double)count) : unknown(FIGURE_NOT_COUNTED);
	double share = (double)group_ns / (double)clock_ns;
	return (struct figure){
		.value = (double)count / share, .share = (float)share, .state = FIGURE_SCALED};
}

struct figure metric_count(const struct metric_input *input, size_t event)
{
	struct figure figure = count_of(input, event);

	if (input->lost && figure_known(figure))
		figure.state = FIGURE_LOST;
	return figure;
}

static double compute(enum op_code code, double a, double b)
{
	switch (code) {
	case OP_ADD:
		return a + b;
	case OP_SUBTRACT:
		return a - b;
	case OP_MULTIPLY:
		return a * b;
	case OP_DIVIDE:
		return a / b; /* by zero: infinite or NaN, which is UNDEFINED */
	case OP_LESS:
		return a < b;
	case OP_LESS_EQUAL:
		return a <= b;
	case OP_GREATER:
		return a > b;
	case OP_GREATER_EQUAL:
		return a >= b;
	case OP_EQUAL:
		return a == b;
	case OP_NOT_EQUAL:
		return a != b;
	case OP_MIN:
		return a < b ? a : b;
	case OP_MAX:
		return a > b ? a : b;
	case OP_NUMBER:
	case OP_EVENT:
	case OP_UNSUPPORTED:
	case OP_INTERVAL:
	case OP_CPU_TIME:
	case OP_NEGATE:
	case OP_IF:
		break;
	}
	return 0;
}

static struct figure combine(enum op_code code, struct figure a, struct figure b)
{
	if (!figure_known(a) || !figure_known(b))
		return unknown(worse(a.state, b.state));
	double value = compute(code, a.value, b.value);
	if (!isfinite(value))
		return unknown(FIGURE_UNDEFINED);
	return (struct figure){.value = value,
			       .share = a.share < b.share ? a.share : b.share,
			       .state = worse(a.state, b.state)};
}

/* The branch that is taken, trusted no further than the condition. */
static struct figure choose(struct figure condition, struct figure yes, struct figure no)
{
	if (!figure_known(condition))
		return condition;
	struct figure taken = condition.value != 0 ? yes : no;
	if (!figure_known(taken))
		return taken;
	taken.share = taken.share < condition.share ? taken.share : condition.share;
	taken.state = worse(taken.state, condition.state);
	return taken;
}

struct figure metric_eval(const struct metric *metric, const struct metric_input *input)
{
	struct figure stack[1 + METRIC_DEPTH_MAX];
	struct figure *top = stack + 1; /* the first free slot */

	stack[0] = unknown(FIGURE_UNDEFINED); /* what a metric without a program says */
	for (size_t i = 0; i < metric->n_ops; i++) {
		const struct metric_op *op = &metric->ops[i];

		switch (op->code) {
		case OP_NUMBER:
			*top++ = known(op->number);
			break;
		case OP_EVENT:
			*top++ = metric_count(input, op->event);
			break;
		case OP_UNSUPPORTED:
			*top++ = unknown(FIGURE_UNSUPPORTED);
			break;
		case OP_INTERVAL:
			*top++ = known(input->interval_s);
			break;
		case OP_CPU_TIME:
			*top = metric_count(input, TALLY_TASK_CLOCK);
			top->value /= (double)NS_PER_S;
			top++;
			break;
		case OP_NEGATE:
			top[-1].value = -top[-1].value;
			break;
		case OP_IF:
			top -= 2;
			top[-1] = choose(top[-1], top[0], top[1]);
			break;
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
			top--;
			top[-1] = combine(op->code, top[-1], top[0]);
			break;
		}
	}
	return top[-1];
}

enum figure_state metric_state(const struct metric *metric, const struct event_set *events)
{
	enum figure_state state = FIGURE_VALID;

	for (size_t i = 0; i < metric->n_ops; i++)
		if (metric->ops[i].code == OP_EVENT)
			state = worse(state, events->items[metric->ops[i].event].state);
		else if (metric->ops[i].code == OP_UNSUPPORTED)
			state = worse(state, FIGURE_UNSUPPORTED);
	return state;
}

enum metric_level metric_level(const struct metric_def *def, struct figure figure)
{
	if (!figure_known(figure) || def->better == METRIC_NEUTRAL)
		return METRIC_PLAIN;
	double sign = def->better == METRIC_LOWER ? 1 : -1; /* so that more is worse */
	if (figure.value * sign > def->bad * sign)
		return METRIC_BAD;
	return figure.value * sign > def->warn * sign ? METRIC_WARN : METRIC_PLAIN;
}
