// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FLOW_H
#define PMCTOP_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decides when the next drawing may be sent, from the terminal's answers to status queries. Pure:
 * the caller has the clock, sends the bytes and reads the answers. A zeroed flow never queries
 * and never waits.
 */
struct flow {
	bool queried;         /* a query has no answer yet */
	bool answers;         /* the terminal has answered a query */
	bool slow;            /* the last answer was late */
	uint64_t queried_ns;  /* time of the last query */
	uint64_t fastest_ns;  /* shortest time from a query to its answer */
	size_t queried_bytes; /* bytes that the last query follows, without bytes of earlier ones */
	size_t later_bytes;   /* bytes sent after it */
};

/* Whether the next drawing is to end with a query: once there was an answer, and none is due. */
bool flow_queries(const struct flow *flow, uint64_t now_ns);
/* Records that bytes were sent, which end with a query or not. The first query needs no bytes. */
void flow_sent(struct flow *flow, size_t bytes, bool query, uint64_t now_ns);
/*
 * Records an answer; one without a query has no effect. Returns whether to send a query by itself,
 * because bytes were sent after the last one.
 */
bool flow_answered(struct flow *flow, uint64_t now_ns);

/* The time until the next drawing may be sent, if no answer comes before, in ns. 0: now. */
uint64_t flow_wait_ns(const struct flow *flow, uint64_t now_ns);
/* The time until the answer is given up, in ns. 0: none is due. */
uint64_t flow_patience_ns(const struct flow *flow, uint64_t now_ns);

#endif
