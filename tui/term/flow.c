// SPDX-License-Identifier: MIT
/*
 * On a slow link the pseudo terminal, sshd and the sockets take megabytes of output at once, so
 * drawings would queue there, and the effect of a key is behind them. Only the terminal can report
 * what has arrived. A status query passes through the same buffers behind a drawing, and the
 * terminal answers it when it has processed the drawing.
 *
 * At most one query is on its way. While its answer is late, nothing is drawn. The next drawing
 * then has the newest state, and those between were never sent. An answer is late if it takes
 * longer than the fastest one so far, which is the latency of the link, and some slack. Until then
 * more drawings may follow: on a fast link with a high latency, keys do not wait for each other.
 * If the last answer was late, the link is slow, and each drawing waits for the answer to the last.
 *
 * A terminal that did not answer the first query gets no other. If it answered before, a missing
 * answer is given up after a time that is enough for the bytes at 5,000 baud. If it arrives after
 * all, it is taken for the answer to the next query, and one more drawing is on its way.
 */
#include "tui/term/flow.h"

#include "core/base/util.h"

#define FLOW_SLACK_NS       (100 * NS_PER_MS) /* delays of a terminal that is not slow */
#define FLOW_FASTEST_MAX_NS (1 * NS_PER_S)    /* a longer time is no latency but a queue */
#define FLOW_FIRST_NS       (300 * NS_PER_MS) /* patience with a terminal that never answered */
#define FLOW_PATIENCE_NS    (2 * NS_PER_S)    /* patience without bytes ... */
#define FLOW_BYTE_NS        (2 * NS_PER_MS)   /* ... and for each of them */
#define FLOW_MOST_NS        (30 * NS_PER_S)

static uint64_t whole_patience_ns(const struct flow *flow)
{
	if (!flow->answers)
		return FLOW_FIRST_NS;
	return u64_min(FLOW_MOST_NS, FLOW_PATIENCE_NS + flow->queried_bytes * FLOW_BYTE_NS);
}

uint64_t flow_patience_ns(const struct flow *flow, uint64_t now_ns)
{
	uint64_t waited_ns = now_ns - flow->queried_ns;
	uint64_t whole_ns = whole_patience_ns(flow);

	return flow->queried && waited_ns < whole_ns ? whole_ns - waited_ns : 0;
}

uint64_t flow_wait_ns(const struct flow *flow, uint64_t now_ns)
{
	if (!flow->answers)
		return 0;
	if (!flow->slow && now_ns - flow->queried_ns <= flow->fastest_ns + FLOW_SLACK_NS)
		return 0;
	return flow_patience_ns(flow, now_ns);
}

bool flow_queries(const struct flow *flow, uint64_t now_ns)
{
	return flow->answers && flow_patience_ns(flow, now_ns) == 0;
}

void flow_sent(struct flow *flow, size_t bytes, bool query, uint64_t now_ns)
{
	flow->later_bytes += bytes;
	if (!query)
		return;
	flow->queried = true;
	flow->queried_ns = now_ns;
	flow->queried_bytes = flow->later_bytes;
	flow->later_bytes = 0;
}

bool flow_answered(struct flow *flow, uint64_t now_ns)
{
	uint64_t took_ns = now_ns - flow->queried_ns;

	if (!flow->queried)
		return false;
	if (!flow->answers || took_ns < flow->fastest_ns)
		flow->fastest_ns = u64_min(took_ns, FLOW_FASTEST_MAX_NS);
	flow->slow = took_ns > flow->fastest_ns + FLOW_SLACK_NS;
	flow->answers = true;
	flow->queried = false;
	return flow->later_bytes > 0;
}
