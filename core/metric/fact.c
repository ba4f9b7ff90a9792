// SPDX-License-Identifier: MIT
/* The table has the names of the facts, and how the facts of several tasks become one. */
#include "core/metric/fact.h"

#include "core/sys/proc.h"

enum fact_sum {
	FACT_ADDS,
	FACT_MOST, /* the largest one */
	FACT_OWN,  /* has no sum */
};

static const struct {
	const char *name;
	enum fact_sum sum;
} fact_table[] = {
	[FACT_STATE] = {"state", FACT_MOST},
	[FACT_RSS_BYTES] = {"rss_bytes", FACT_ADDS},
	[FACT_MEMORY_BYTES] = {"memory_bytes", FACT_MOST},
	[FACT_TOTAL_TIME_S] = {"total_time_s", FACT_ADDS},
	[FACT_NICE] = {"nice", FACT_OWN},
	[FACT_LAST_CPU] = {"last_cpu", FACT_OWN},
	[FACT_THREAD_COUNT] = {"thread_count", FACT_ADDS},
	[FACT_READ_BYTES] = {"read_bytes", FACT_ADDS},
	[FACT_WRITE_BYTES] = {"write_bytes", FACT_ADDS},
};

const char *fact_name(enum fact fact)
{
	return fact_table[fact].name;
}

/* Whether a figure stays, whatever the others are: no state is more active than running. */
static bool is_most_active(enum fact fact, struct figure figure)
{
	return fact == FACT_STATE && figure.state == FIGURE_VALID &&
	       figure.value >= proc_state_activity('R');
}

static struct figure sum_of(enum fact fact, struct figure a, struct figure b)
{
	bool a_known = figure_known(a), b_known = figure_known(b);

	if (b.state == FIGURE_UNDEFINED)
		return a;
	if (a.state == FIGURE_UNDEFINED)
		return b;
	if (!a_known && !b_known)
		return (struct figure){.state = figure_worse(a.state, b.state)};
	if (is_most_active(fact, a) || is_most_active(fact, b))
		return is_most_active(fact, a) ? a : b;
	struct figure both = figure_sum(a_known ? a : FIGURE_MISSING, b_known ? b : FIGURE_MISSING);
	if (a_known && b_known && fact_table[fact].sum != FACT_ADDS)
		both.value = a.value > b.value ? a.value : b.value;
	return both;
}

void facts_add(struct figure to[FACTS], const struct figure from[FACTS])
{
	for (size_t i = 0; i < FACTS; i++)
		if (fact_table[i].sum != FACT_OWN)
			to[i] = sum_of((enum fact)i, to[i], from[i]);
}

void facts_clear(struct figure facts[FACTS], enum figure_state state)
{
	for (size_t i = 0; i < FACTS; i++)
		facts[i] = (struct figure){.state = state};
}
