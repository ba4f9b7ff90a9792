// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FIGURE_H
#define PMCTOP_FIGURE_H

#include <stddef.h>

/*
 * A number and how far it can be trusted. The value means something only where the state is
 * VALID, SCALED or LOST; a figure that is not known has a state that says why, never a 0.
 */
enum figure_state {
	FIGURE_VALID,
	/* Counted for `share` of the time and scaled up, or a rate off by 1 - share at most: "~" */
	FIGURE_SCALED,
	FIGURE_LOST,        /* some of it was in lost records, the value is of what is left: "?" */
	FIGURE_UNDEFINED,   /* nothing to divide by: "-" */
	FIGURE_NOT_COUNTED, /* nothing was counted while this task ran: "-" */
	FIGURE_UNSUPPORTED, /* this CPU has no such event: "n/a" */
	FIGURE_DENIED,      /* the kernel refuses it to this user: "!" */
};

struct figure {
	double value; /* finite, always */
	float share;  /* of the time, in 0..1; 1 where VALID */
	enum figure_state state;
};

/* A figure that is exact. */
static inline struct figure figure_exact(double value)
{
	return (struct figure){.value = value, .share = 1};
}

static inline int figure_known(struct figure figure)
{
	return figure.state <= FIGURE_LOST;
}

/* How a state is printed, and what it means. */
struct figure_mark {
	const char *name;    /* in machine-readable output: "valid", "scaled" ... */
	const char *text;    /* on the screen, by the example of 1.2: "~1.2", "n/a" */
	const char *meaning; /* for the help and --list marks */
};

/* By enum figure_state. */
extern const struct figure_mark figure_marks[];
extern const size_t figure_marks_n;

/* The text in place of a number that is not known: "-", "n/a", "!"; "" where it is known. */
const char *figure_state_sign(enum figure_state state);
/* The name of its mark. */
const char *figure_state_name(enum figure_state state);

#endif
