// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FIGURE_H
#define PMCTOP_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A number and its state. The value has a meaning only if the state is VALID, SCALED or LOST. An
 * unknown figure has a state that gives the reason; it is not a 0. States go from the best to the
 * worst. Recordings have their numbers: a new one needs a new PERFDATA_NATIVE_VERSION.
 */
enum figure_state {
	FIGURE_VALID,
	/* Counted for `share` of the time and scaled up, a rate with an error of at most 1 - share,
	 * or made of samples, with a standard error of 1 - share. Share 0: an estimate with an
	 * unknown error. "~" */
	FIGURE_SCALED,
	FIGURE_LOST,        /* a lower bound: a part is unknown, as in lost records: "?" */
	FIGURE_UNDEFINED,   /* nothing to divide by, no sum, or the task has ended: blank */
	FIGURE_NOT_COUNTED, /* not counted while this task ran: "-" */
	FIGURE_UNSUPPORTED, /* this CPU has no such event: "n/a" */
	FIGURE_DENIED,      /* the kernel refused the event to this user: "!" */
};

struct figure {
	double value; /* always finite */
	float share;  /* counted part of the time, 0..1; 1 if VALID */
	enum figure_state state;
};

/* A VALID figure. */
static inline struct figure figure_exact(double value)
{
	return (struct figure){.value = value, .share = 1};
}

static inline int figure_known(struct figure figure)
{
	return figure.state <= FIGURE_LOST;
}

static inline enum figure_state figure_worse(enum figure_state a, enum figure_state b)
{
	return a > b ? a : b;
}

/*
 * Returns state and share of what is computed from two figures, with the value 0. An estimate of
 * which the error is not known makes no lower bound.
 */
static inline struct figure figure_of_two(struct figure a, struct figure b)
{
	enum figure_state state = figure_worse(a.state, b.state);
	bool open = (a.state == FIGURE_SCALED && !(a.share > 0)) ||
		    (b.state == FIGURE_SCALED && !(b.share > 0));

	return (struct figure){.share = a.share < b.share ? a.share : b.share,
			       .state = state == FIGURE_LOST && open ? FIGURE_SCALED : state};
}

/* The same with the sum as the value. */
static inline struct figure figure_sum(struct figure a, struct figure b)
{
	struct figure sum = figure_of_two(a, b);

	sum.value = a.value + b.value;
	return sum;
}

/* A part of a sum that is not known: it makes the sum a lower bound. */
#define FIGURE_MISSING ((struct figure){.share = 1, .state = FIGURE_LOST})

#endif
