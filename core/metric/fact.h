// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FACT_H
#define PMCTOP_FACT_H

#include "core/base/figure.h"

#include <stddef.h>

/*
 * Facts: what /proc has about a task at the end of the interval. They are no counts: no event has
 * them, and a task that did not run has them too. Formulas use them as variables.
 * core/snapshot/fact_reader.h reads them for the rows of a snapshot.
 */
enum fact {
	FACT_STATE,        /* proc_state_activity(); SCALED if older than the interval */
	FACT_RSS_BYTES,    /* of the process */
	FACT_MEMORY_BYTES, /* of the machine */
	FACT_TOTAL_TIME_S, /* CPU time since the start; of a process with its ended threads */
	FACT_NICE,
	FACT_LAST_CPU,
	FACT_THREAD_COUNT, /* of the process */
	FACT_READ_BYTES,   /* from block devices, in the interval */
	FACT_WRITE_BYTES,  /* to block devices, in the interval */
	FACTS,
};

/* Returns the name of the variable. */
const char *fact_name(enum fact fact);

/*
 * Adds the facts of one row to the facts of another: a state is the most active one, numbers are
 * summed up. What belongs to one task alone (nice, the last CPU) stays. UNDEFINED adds nothing. A
 * sum in which a part is unknown for another reason is LOST: a lower bound. A sum, or the most
 * active of states, is SCALED if one of them is.
 */
void facts_add(struct figure to[FACTS], const struct figure from[FACTS]);
/* Sets all facts to one state, without a value. */
void facts_clear(struct figure facts[FACTS], enum figure_state state);

#endif
