// SPDX-License-Identifier: MIT
/* When a drawing may be sent, by what was sent before and by the answers. */
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tui/term/flow.h"

#include <stdlib.h>
#include <string.h>

/*
 * A step is a letter and the ms since the last step:
 *   q  a query is sent by itself       d  a drawing is sent, and a query if flow_queries()
 *   a  an answer arrives               -  nothing happens
 * After each step comes what holds then: the ms until the next drawing may be sent, "queries" if a
 * drawing would end with a query, and after an answer "again" if a query is to be sent.
 */
struct flow_row {
	const char *name;
	size_t bytes; /* of each drawing */
	struct flow_step {
		char what;
		unsigned after_ms, wait_ms;
		const char *then;
	} steps[10];
};

#define QUERIES       "queries"
#define AGAIN         "again"
#define AGAIN_QUERIES "again queries"

static const struct flow_row rows[] = {
	{"a terminal without queries", 500, {{'d', 0, 0, ""}, {'d', 9999, 0, ""}}},
	{"no answer: never queried again, never waited for",
	 500,
	 {{'q', 0, 0, ""}, {'d', 1, 0, ""}, {'d', 1, 0, ""}, {'d', 60000, 0, ""}}},
	{"an answer without a query", 500, {{'a', 0, 0, ""}, {'d', 0, 0, ""}, {'a', 9, 0, ""}}},
	{"a fast link: every drawing queries, none waits",
	 500,
	 {{'q', 0, 0, ""},
	  {'a', 5, 0, QUERIES},
	  {'d', 1000, 0, ""},
	  {'a', 20, 0, QUERIES},
	  {'d', 1000, 0, ""},
	  {'a', 5, 0, QUERIES}}},
	{"a late answer: the next drawing waits, and has no query",
	 500,
	 {{'q', 0, 0, ""},
	  {'a', 50, 0, QUERIES},
	  {'d', 0, 0, ""},
	  {'-', 150, 0, ""},
	  {'-', 1, 2849, ""}, /* 2 s and 500 bytes, minus 151 ms */
	  {'-', 2000, 849, ""},
	  {'a', 100, 0, QUERIES}}},
	{"a slow link: one drawing at a time",
	 500,
	 {{'q', 0, 0, ""},
	  {'a', 50, 0, QUERIES},
	  {'d', 0, 0, ""},
	  {'a', 500, 0, QUERIES},
	  {'d', 0, 3000, ""},
	  {'a', 500, 0, QUERIES},
	  {'d', 0, 3000, ""}}},
	{"and fast again",
	 500,
	 {{'q', 0, 0, ""},
	  {'a', 50, 0, QUERIES},
	  {'d', 0, 0, ""},
	  {'a', 500, 0, QUERIES},
	  {'d', 0, 3000, ""},
	  {'a', 150, 0, QUERIES},
	  {'d', 0, 0, ""}}},
	{"a fast link with a high latency: drawings follow each other, then one query for them",
	 500,
	 {{'q', 0, 0, ""},
	  {'a', 300, 0, QUERIES},
	  {'d', 0, 0, ""},
	  {'d', 100, 0, ""},
	  {'d', 100, 0, ""},
	  {'a', 100, 0, AGAIN_QUERIES},
	  {'q', 0, 0, ""},
	  {'d', 399, 0, ""},
	  {'a', 1, 0, AGAIN_QUERIES}}},
	{"the first drawing follows the first query",
	 5000,
	 {{'q', 0, 0, ""},
	  {'d', 1, 0, ""},
	  {'a', 49, 0, AGAIN_QUERIES},
	  {'q', 0, 0, ""},
	  {'-', 150, 0, ""},
	  {'-', 1, 11849, ""}, /* 2 s and 5,000 bytes, minus 151 ms */
	  {'a', 4849, 0, QUERIES}}},
	{"a missing answer is given up, and the next query follows the next drawing",
	 500,
	 {{'q', 0, 0, ""},
	  {'a', 50, 0, QUERIES},
	  {'d', 0, 0, ""},
	  {'-', 2999, 1, ""},
	  {'-', 1, 0, QUERIES},
	  {'d', 7, 0, ""},
	  {'-', 151, 2849, ""},
	  {'a', 1, 0, QUERIES}}},
	{"the patience has an end",
	 10000000,
	 {{'q', 0, 0, ""}, {'a', 50, 0, QUERIES}, {'d', 0, 0, ""}, {'-', 1000, 29000, ""}}},
	{"the first answer comes from behind a queue",
	 500,
	 {{'q', 0, 0, ""},
	  {'a', 9000, 0, QUERIES}, /* a latency of 1 s is assumed */
	  {'d', 0, 3000, ""},
	  {'a', 1100, 0, QUERIES},
	  {'d', 0, 0, ""},
	  {'a', 1101, 0, QUERIES},
	  {'d', 0, 3000, ""}}},
	{"answers without a query do not count",
	 500,
	 {{'q', 0, 0, ""},
	  {'a', 50, 0, QUERIES},
	  {'a', 0, 0, QUERIES},
	  {'d', 0, 0, ""},
	  {'a', 500, 0, QUERIES},
	  {'a', 0, 0, QUERIES},
	  {'a', 0, 0, QUERIES},
	  {'d', 0, 3000, ""}}},
};

static void steps_hold(void **state)
{
	const struct flow_row *row = *state;
	struct flow flow = {0};
	uint64_t now_ns = 12345 * NS_PER_S;

	for (const struct flow_step *step = row->steps; step->what; step++) {
		bool again = false;

		now_ns += step->after_ms * NS_PER_MS;
		if (step->what == 'q')
			flow_sent(&flow, 0, true, now_ns);
		if (step->what == 'd')
			flow_sent(&flow, row->bytes, flow_queries(&flow, now_ns), now_ns);
		if (step->what == 'a')
			again = flow_answered(&flow, now_ns);
		unsigned wait_ms = (unsigned)(flow_wait_ns(&flow, now_ns) / NS_PER_MS);
		bool queries = flow_queries(&flow, now_ns);
		if (wait_ms != step->wait_ms || again != !!strstr(step->then, AGAIN) ||
		    queries != !!strstr(step->then, QUERIES))
			fail_msg("step %zu: waits %u ms%s%s instead of %u ms %s",
				 (size_t)(step - row->steps), wait_ms, again ? " again" : "",
				 queries ? " queries" : "", step->wait_ms, step->then);
	}
}

/* Whatever is answered, at most one query is on its way, and drawings go on. */
static void any_answers_leave_drawings_going(void **state)
{
	struct flow flow = {0};
	uint64_t random = 88172645463325252u, now_ns = 0, waits_since_ns = 0;

	(void)state;
	flow_sent(&flow, 0, true, now_ns);
	for (unsigned i = 0; i < 200000; i++) {
		now_ns += u64_random(&random) % (400 * NS_PER_MS);
		if (u64_random(&random) % 3 == 0 && flow_answered(&flow, now_ns)) {
			assert_false(flow.queried);
			flow_sent(&flow, 0, true, now_ns);
		}
		if (flow_wait_ns(&flow, now_ns) > 0) {
			assert_true(flow.queried && now_ns - waits_since_ns < 31 * NS_PER_S);
			continue;
		}
		flow_sent(&flow, u64_random(&random) % 20000, flow_queries(&flow, now_ns), now_ns);
		waits_since_ns = now_ns;
	}
}

int main(void)
{
	static const struct cases tables[] = {CASES(steps_hold, rows)};
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_answers_leave_drawings_going),
	};

	return cases_run("flow", tables, ARRAY_SIZE(tables), tests, ARRAY_SIZE(tests));
}
