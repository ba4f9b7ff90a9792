// SPDX-License-Identifier: MIT
/*
 * Reads counts from tallies and evaluates compiled formulas. The stack holds figures, not numbers:
 * an operation on an unknown figure is unknown. Only a condition ignores the branch that it does
 * not take. What is known to be ignored is not in the program: metric_reduce.c.
 */
#include "core/metric/metric.h"

#include "core/base/util.h"
#include "core/event/event_wait.h"
#include "core/event/sampled_event.h"
#include "core/metric/metric_internal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct figure unknown(enum figure_state state)
{
	return (struct figure){.state = state};
}

/* The sum of the counters of one event so far. */
struct counted {
	double value;
	uint64_t covered_ns; /* the row's time that the value covers, or was scaled up to */
	uint64_t reached_ns; /* time of the tasks that were counted for a part of it, at least */
	uint64_t domain_ns;  /* time of all tasks */
	bool scaled;
};

static bool is_whole(uint64_t part_ns, uint64_t all_ns)
{
	return part_ns >= all_ns - all_ns / METRIC_WHOLE_PARTS;
}

/* All counters of one event in one domain. */
struct domain_count {
	uint64_t count, group_ns;               /* counted */
	uint64_t beside_count, beside_group_ns; /* estimated, beside windows and turns */
	uint64_t reached_ns;                    /* of the group that has most */
};

static void add_domain_count(struct counted *sum, const struct domain_count *in, uint64_t domain_ns)
{
	sum->domain_ns += domain_ns;
	sum->reached_ns += u64_min(in->reached_ns, domain_ns);
	if (is_whole(in->group_ns, domain_ns)) {
		sum->value += (double)in->count;
		sum->covered_ns += domain_ns;
	} else if (in->group_ns > 0) {
		/*
		 * First scale each window, and each task's turns, to the time they stand for. Then
		 * tasks without a turn have the rate of the others.
		 */
		uint64_t group_ns = in->group_ns + in->beside_group_ns;
		sum->value += (double)(in->count + in->beside_count) * (double)domain_ns /
			      (double)group_ns;
		sum->covered_ns += in->group_ns;
		sum->scaled = true;
	} else if (in->count > 0) {
		/* A count without a time cannot be scaled. */
		sum->value += (double)in->count;
		sum->covered_ns += domain_ns;
		sum->reached_ns += domain_ns;
	}
}

static struct counted sum_counters(const struct metric_reading *reading,
				   const struct tally_shape *shape, const uint64_t *tally)
{
	const uint64_t *beside = tally + tally_beside(shape, 0);
	struct counted sum = {0};

	for (size_t i = 0; i < reading->n;) {
		unsigned domain = reading->items[i].domain_ns;
		struct domain_count in = {0};
		for (; i < reading->n && reading->items[i].domain_ns == domain; i++) {
			const struct metric_counter *counter = &reading->items[i];
			in.count += tally[counter->count];
			in.group_ns += tally[counter->group_ns];
			in.beside_count += beside[counter->count];
			in.beside_group_ns += beside[counter->group_ns];
			uint64_t reached_ns = tally[counter->group_ns] + beside[counter->group_ns];
			if (reached_ns > in.reached_ns)
				in.reached_ns = reached_ns;
		}
		add_domain_count(&sum, &in, tally[domain]);
	}
	return sum;
}

/* Returns the time that a count of the row should cover. */
static uint64_t time_of(const struct event *event, const struct metric_reading *reading,
			const uint64_t *tally)
{
	uint64_t ns = 0;

	if (event->kind != EVENT_SOCKET)
		return tally[TALLY_TASK_CLOCK];
	for (size_t i = 0; i < reading->n; i++)
		ns += tally[reading->items[i].domain_ns];
	return ns;
}

/*
 * Reads task-clock or context-switches of the slices, scaled by the time without records. A time
 * too short to matter may have many switches.
 */
static struct figure read_clock(const uint64_t *tally, size_t unseen, size_t event)
{
	uint64_t clock_ns = tally[TALLY_TASK_CLOCK], unseen_ns = tally[unseen];
	uint64_t seen_ns = unseen_ns < clock_ns ? clock_ns - unseen_ns : 0;
	struct figure figure = figure_exact((double)tally[event]);

	if (event == TALLY_SWITCHES ? unseen_ns == 0 : is_whole(seen_ns, clock_ns))
		return figure;
	if (seen_ns == 0)
		return unknown(FIGURE_NOT_COUNTED);
	figure.state = FIGURE_SCALED;
	figure.share = (float)((double)seen_ns / (double)clock_ns);
	return figure;
}

/* Shorter parts of a lifetime than 1/2000 may be unknown (core/wait/waits.h). */
enum { WAIT_WHOLE_PARTS = 2000 };

/* The range of a histogram of wake-ups that has the percentile, in ns. UNDEFINED without counts. */
static struct figure read_percentile(const struct metric_reading *reading, const uint64_t *tally,
				     uint64_t sum)
{
	double rank = ceil((double)sum * reading->percentile / 100), below = 0;
	size_t range = 0;

	if (sum == 0)
		return unknown(FIGURE_UNDEFINED);
	while (range + 1 < reading->n &&
	       (below += (double)tally[reading->items[range].count]) < rank)
		range++;
	return figure_exact(wakeup_range_ns(range));
}

/* Some counts are missing: the figure is a lower bound, but a percentile of the rest is none. */
static enum figure_state incomplete_state(const struct metric_reading *reading)
{
	return reading->percentile > 0 && reading->percentile < 100 ? FIGURE_SCALED : FIGURE_LOST;
}

/*
 * Reads an event of waiting: a lower bound if a part of the lifetime is unknown, scaled if a part
 * is estimated. An estimate of a part is no lower bound. A task without a lifetime neither ran nor
 * waited.
 */
static struct figure read_wait(const struct metric_reading *reading,
			       const struct tally_shape *shape, const uint64_t *tally)
{
	const uint64_t *beside = tally + tally_beside(shape, 0);
	uint64_t value = 0;

	if (reading->n == 0)
		return unknown(FIGURE_NOT_COUNTED);
	for (size_t i = 0; i < reading->n; i++)
		value += tally[reading->items[i].count];
	struct figure figure = reading->percentile > 0 ? read_percentile(reading, tally, value)
						       : figure_exact((double)value);
	/* All counters are in one group. */
	uint64_t known_ns = tally[reading->items[0].group_ns];
	uint64_t estimated_ns = beside[reading->items[0].group_ns];
	uint64_t lifetime_ns = tally[reading->items[0].domain_ns];
	if (lifetime_ns == 0 && tally[TALLY_TASK_CLOCK] == 0)
		return figure;
	uint64_t least_ns = lifetime_ns - lifetime_ns / WAIT_WHOLE_PARTS;
	if (known_ns + estimated_ns == 0)
		return unknown(FIGURE_NOT_COUNTED);
	if (!figure_known(figure))
		return figure;
	bool is_bound = !reading->estimate && !reading->part_estimate;
	if (known_ns + estimated_ns < least_ns && is_bound)
		figure.state = incomplete_state(reading);
	else if (reading->estimate || known_ns < least_ns)
		figure.state = FIGURE_SCALED;
	return figure;
}

/* Reads an event of a recorded profile. */
static struct figure read_sampled(const struct metric_reading *reading,
				  const struct metric_input *input)
{
	const struct event *event = &input->events->items[reading->event];
	const struct tally_shape *shape = &input->plan->shape;
	const uint64_t *tally = input->tally;
	const struct metric_counter *counter = reading->items;
	uint64_t samples = reading->n ? sampled_event_samples(shape, tally, counter->count) : 0;

	if (reading->part == METRIC_PART_SAMPLES && reading->n > 0)
		return figure_exact((double)samples);
	if (samples == 0)
		return unknown(FIGURE_NOT_COUNTED);
	double error = sampled_event_error(shape, tally, counter->count, counter->group_ns);
	if (reading->part == METRIC_PART_ERROR)
		return figure_exact(100 * error);
	double all = input->totals ? (double)input->totals[counter->count] : 0;
	if (reading->part == METRIC_PART_SHARE && all <= 0)
		return unknown(FIGURE_UNDEFINED);
	return (struct figure){
		.value = reading->part == METRIC_PART_SHARE
				 ? 100 * (double)tally[counter->count] / all
				 : (double)tally[counter->count] * event->scale,
		.share = (float)(1 - error),
		.state = FIGURE_SCALED,
	};
}

static bool any_group_counted(const struct plan *plan, const uint64_t *tally)
{
	for (unsigned i = 0; i < plan->shape.n_groups; i++)
		if (!plan->domains[plan->groups[i].domain].waits &&
		    tally[tally_group(&plan->shape, i)] > 0)
			return true;
	return false;
}

/* An estimate of CPU time: its share is 1 - the greatest error. */
static struct figure doubt_clock(struct figure clock, uint64_t doubt_ns)
{
	double share = clock.value > (double)doubt_ns ? 1 - (double)doubt_ns / clock.value : 0;

	if (!figure_known(clock) || clock.state == FIGURE_LOST)
		return clock;
	if (clock.state == FIGURE_VALID || share < (double)clock.share)
		clock.share = (float)share;
	clock.state = FIGURE_SCALED;
	return clock;
}

/* Ticks of a row's times, scaled or not, are at most its time on a CPU. */
static struct figure bound_times(struct figure times, uint64_t clock_ns, double scale)
{
	double most = (double)clock_ns * scale;

	if (times.value <= most)
		return times;
	return (struct figure){
		.value = most, .share = (float)(most / times.value), .state = FIGURE_SCALED};
}

static struct figure read_counters(const struct metric_reading *reading,
				   const struct metric_input *input)
{
	const struct event *event = &input->events->items[reading->event];
	const uint64_t *tally = input->tally;

	if (event->state != FIGURE_VALID)
		return unknown(event->state);
	/* Slices measure these always; /proc does not have the switches of every task. */
	bool from_proc = input->plan->per_task && reading->event == TALLY_SWITCHES;
	if (event->kind == EVENT_DERIVED && !from_proc) {
		struct figure clock =
			read_clock(tally, tally_unseen(&input->plan->shape), reading->event);
		bool doubtful = reading->event == TALLY_TASK_CLOCK && input->clock_doubt_ns > 0;
		return doubtful ? doubt_clock(clock, input->clock_doubt_ns) : clock;
	}
	if (event->kind == EVENT_WAIT && input->sum && reading->single)
		return unknown(FIGURE_UNDEFINED);
	if (event->kind == EVENT_WAIT)
		return read_wait(reading, &input->plan->shape, tally);
	if (event->kind == EVENT_SOCKET && !input->machine)
		return unknown(FIGURE_UNSUPPORTED);
	if (event->kind == EVENT_SAMPLED)
		return read_sampled(reading, input);

	struct counted sum = sum_counters(reading, &input->plan->shape, tally);
	uint64_t clock_ns = time_of(event, reading, tally);
	struct figure figure = figure_exact(sum.value * event->scale);
	if (clock_ns == 0 && event->kind != EVENT_SOCKET &&
	    (sum.value > 0 || !any_group_counted(input->plan, tally)))
		return figure;
	/*
	 * Also if the clock has no time: its last reading failed, but that of another group did
	 * not.
	 */
	bool of_tasks = input->sum || input->machine;
	if (sum.covered_ns == 0 ||
	    (of_tasks && sum.reached_ns < sum.domain_ns / METRIC_REACHED_PARTS))
		return unknown(FIGURE_NOT_COUNTED);
	if (sum.scaled || !is_whole(sum.covered_ns, clock_ns)) {
		/*
		 * The rates of tasks that may not be counted can differ from those of the other
		 * tasks.
		 */
		if (input->plan->per_task && input->machine)
			return unknown(FIGURE_NOT_COUNTED);
		double share = (double)sum.covered_ns / (double)clock_ns;
		figure.state = FIGURE_SCALED;
		figure.share = share < 1 ? (float)share : 1;
	}
	if (event->kind == EVENT_PROC)
		return bound_times(figure, clock_ns, event->scale);
	if (input->outside && event->kind != EVENT_SOCKET)
		figure = (struct figure){.value = figure.value, .state = FIGURE_SCALED};
	return figure;
}

struct figure metric_read_one(const struct metric_reading *reading,
			      const struct metric_input *input)
{
	struct figure figure = read_counters(reading, input);
	bool lost = input->lost || (reading->event == TALLY_SWITCHES &&
				    input->tally[tally_losses(&input->plan->shape)] > 0);

	/* With an estimate of the time beside windows it is no lower bound, nor is its error known.
	 */
	if (lost && figure.state == FIGURE_SCALED &&
	    input->tally[tally_unseen(&input->plan->shape)] > 0)
		figure.share = 0;
	else if (lost && figure_known(figure))
		figure.state = incomplete_state(reading);
	if (input->doubt > 0 && figure_known(figure)) {
		/* A part of another row is no lower bound. */
		float share = figure.state == FIGURE_SCALED ? figure.share : 1;
		figure.state = FIGURE_SCALED;
		figure.share = share < 1 - input->doubt ? share : 1 - input->doubt;
	}
	return figure;
}

void metric_read(const struct metric_readings *readings, const struct metric_input *input,
		 struct figure *figures)
{
	for (size_t i = 0; i < readings->n; i++)
		figures[i] = metric_read_one(&readings->items[i], input);
}

void metric_fini(struct metric *metric)
{
	free(metric->ops);
	for (size_t i = 0; i < metric->n_named; i++)
		metric_def_fini(&metric->named[i]);
	free(metric->named);
	*metric = (struct metric){0};
}

double metric_compute(enum op_code code, double a, double b)
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
	case OP_AND:
		return a != 0 && b != 0;
	case OP_OR:
		return a != 0 || b != 0;
	case OP_RATIO:
		return b != 0 ? a / b : 0;
	case OP_NUMBER:
	case OP_EVENT:
	case OP_UNSUPPORTED:
	case OP_INTERVAL:
	case OP_CPU_TIME:
	case OP_FACT:
	case OP_NEGATE:
	case OP_ESTIMATE:
	case OP_IF:
	case OP_IF_ELSE:
	case OP_KEEP:
	case OP_STORE:
	case OP_RECALL:
	case OP_UNKNOWN:
		break;
	}
	return 0;
}

static struct figure combine(enum op_code code, struct figure a, struct figure b)
{
	struct figure both = figure_of_two(a, b);

	if (!figure_known(both))
		return unknown(both.state);
	both.value = metric_compute(code, a.value, b.value);
	return isfinite(both.value) ? both : unknown(FIGURE_UNDEFINED);
}

/* Returns the chosen branch, with no better state and share than the condition. */
static struct figure choose_branch(struct figure condition, struct figure yes, struct figure no)
{
	if (!figure_known(condition))
		return condition;
	struct figure taken = condition.value != 0 ? yes : no;
	if (!figure_known(taken))
		return taken;
	struct figure both = figure_of_two(taken, condition);
	both.value = taken.value;
	return both;
}

struct figure metric_eval(const struct metric *metric, const struct figure *figures,
			  const struct figure *facts, struct figure interval_s)
{
	struct figure stack[1 + METRIC_DEPTH_MAX];
	struct figure *top = stack + 1; /* the first free slot */
	struct figure kept[METRIC_KEPT_MAX];

	stack[0] = unknown(FIGURE_UNSUPPORTED); /* the result of a metric without a program */
	for (size_t i = 0; i < metric->n_ops; i++) {
		const struct metric_op *op = &metric->ops[i];

		switch (op->code) {
		case OP_NUMBER:
			*top++ = figure_exact(op->number);
			break;
		case OP_EVENT:
			*top++ = figures[op->reading];
			break;
		case OP_UNSUPPORTED:
		case OP_UNKNOWN:
			*top++ = unknown(FIGURE_UNSUPPORTED);
			break;
		case OP_INTERVAL:
			*top++ = interval_s;
			break;
		case OP_CPU_TIME:
			*top = figures[op->reading];
			top->value /= (double)NS_PER_S;
			top++;
			break;
		case OP_FACT:
			*top++ = facts ? facts[op->fact] : unknown(FIGURE_NOT_COUNTED);
			break;
		case OP_NEGATE:
			top[-1].value = -top[-1].value;
			break;
		case OP_ESTIMATE:
			top[-1].state = figure_known(top[-1])
						? figure_worse(top[-1].state, FIGURE_SCALED)
						: top[-1].state;
			break;
		case OP_IF:
			top -= 2;
			top[-1] = choose_branch(top[-1], top[0], top[1]);
			break;
		case OP_IF_ELSE:
			top -= 2;
			top[-1] = choose_branch(top[0], top[-1], top[1]);
			break;
		case OP_KEEP:
			kept[op->slot] = top[-1];
			break;
		case OP_STORE:
			kept[op->slot] = *--top;
			break;
		case OP_RECALL:
			*top++ = kept[op->slot];
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
		case OP_AND:
		case OP_OR:
		case OP_RATIO:
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
			state = figure_worse(state, events->items[metric->ops[i].event].state);
		else if (metric->ops[i].code == OP_UNSUPPORTED)
			state = figure_worse(state, FIGURE_UNSUPPORTED);
	return state;
}

unsigned metric_facts(const struct metric *metric)
{
	unsigned facts = 0;

	for (size_t i = 0; i < metric->n_ops; i++)
		if (metric->ops[i].code == OP_FACT)
			facts |= 1u << metric->ops[i].fact;
	return facts;
}

static bool is_wait_close(const struct metric_reading *reading, const struct metric_input *input,
			  uint64_t interval_ns)
{
	const struct event *event = &input->events->items[reading->event];

	if (event->kind != EVENT_WAIT || reading->n == 0 || reading->estimate || input->lost ||
	    strcmp(event_wait_unit(event_wait_of(event)), "ns") != 0)
		return false;
	const struct metric_counter *counter = &reading->items[0];
	uint64_t lifetime_ns = input->tally[counter->domain_ns];
	return u64_growth(input->tally[counter->group_ns], lifetime_ns) <
	       interval_ns / METRIC_CLOSE_PARTS;
}

/*
 * The counts that a row lacks are in `missing` if the machine's were counted all the time. Switches
 * that the kernel hides are not. A row that was not counted all the time is scaled, by too much if
 * nothing is missing.
 */
static bool is_count_close(const struct metric_reading *reading, const struct metric_input *input,
			   const struct metric_bounds *bounds)
{
	const struct event *event = &input->events->items[reading->event];
	const uint64_t *tally = input->tally;
	uint64_t count = 0, missing = 0;
	double share = 1;

	if (!bounds->missing || event->state != FIGURE_VALID ||
	    tally[tally_unseen(&input->plan->shape)] > 0)
		return false;
	if ((event->kind != EVENT_SOFTWARE && event->kind != EVENT_HARDWARE) || reading->n == 0)
		return false;
	for (size_t i = 0; i < reading->n; i++) {
		const struct metric_counter *at = &reading->items[i];
		uint64_t group_ns = tally[at->group_ns], domain_ns = tally[at->domain_ns];
		bool whole = is_whole(group_ns, domain_ns);
		if ((!whole && (input->lost || group_ns == 0)) ||
		    !is_whole(bounds->totals[at->group_ns], bounds->totals[at->domain_ns]))
			return false;
		if (!whole)
			share = fmin(share, (double)group_ns / (double)domain_ns);
		count += tally[at->count];
		missing += bounds->missing[at->count];
	}
	return missing <= count / METRIC_CLOSE_PARTS &&
	       (double)count / share - (double)count <= (double)count / METRIC_CLOSE_PARTS;
}

/* The formulas: a number * a time / interval_s; a count; a count / interval_s. */
bool metric_is_close(const struct metric *metric, const struct metric_readings *readings,
		     const struct metric_input *input, const struct metric_bounds *bounds)
{
	const struct metric_op *ops = metric->ops;
	bool time = metric->n_ops == 5 && ops[0].code == OP_NUMBER && ops[2].code == OP_MULTIPLY &&
		    ops[3].code == OP_INTERVAL && ops[4].code == OP_DIVIDE;
	bool count = metric->n_ops == 1 ||
		     (metric->n_ops == 3 && ops[1].code == OP_INTERVAL && ops[2].code == OP_DIVIDE);

	if (time && ops[1].code == OP_CPU_TIME && fabs(ops[0].number) <= 100)
		return bounds->clock_ns < bounds->interval_ns / METRIC_CLOSE_PARTS;
	if (time && ops[1].code == OP_EVENT && fabs(ops[0].number) <= 100 / (double)NS_PER_S)
		return is_wait_close(&readings->items[ops[1].reading], input, bounds->interval_ns);
	return count && ops[0].code == OP_EVENT &&
	       is_count_close(&readings->items[ops[0].reading], input, bounds);
}

size_t metric_first_event(const struct metric *metric)
{
	for (size_t i = 0; i < metric->n_ops; i++)
		if (metric->ops[i].code == OP_EVENT)
			return metric->ops[i].event;
		else if (metric->ops[i].code == OP_CPU_TIME)
			return TALLY_TASK_CLOCK;
	return SIZE_MAX;
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
