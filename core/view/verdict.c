// SPDX-License-Identifier: MIT
/*
 * The verdict of one row, CPU or sum: the table of rules, the judge, and the reasons in words.
 *
 * Rules have tiers. A tier is used only if no rule of an earlier tier fires: switches, faults and
 * the kernel cause stalls themselves, top-down measures what miss counts only suggest, and a low
 * IPC alone is the weakest sign. Within a tier the figure farthest beyond its limit wins.
 *
 * Thresholds are those of the metrics (core/metric). Their sources are toplev for top-down and
 * branches, perf for IPC, and rules of thumb for misses, the kernel's share and switches. A limit
 * with `per_cpu` is for each CPU's worth of time that was used.
 */
#include "core/view/verdict.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/view/verdict_internal.h"
#include "core/view/view.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct condition {
	const char *metric; /* NULL: no more conditions */
	char sign;          /* '<', or '>': at least */
	double limit;
	bool per_cpu;
	const char *title; /* title of the form that the limit is for; NULL: any form */
	const char *times; /* another metric: the limit is for the product; NULL: none */
};

struct rule {
	unsigned tier;
	enum verdict verdict;
	struct condition conditions[VERDICT_CONDITIONS_MAX]; /* all must hold */
	const char *unless; /* a better metric: if it is known, the rule does not fire */
	bool of_users;      /* not for kernel threads, which always run in the kernel */
};

static const struct rule rules[] = {
	{0, VERDICT_IDLE, {{"cpu_percent", '<', 1}}},

	/* 20,000 switches a second: slices of 50 us. A switch costs several us. */
	{1, VERDICT_SWITCHES, {{"cs_per_s", '>', 20000, .per_cpu = true}}},
	/* A fault takes a microsecond and more: a tenth of the time. */
	{1, VERDICT_FAULTS, {{"faults_per_s", '>', 100000, .per_cpu = true}}},
	{1, VERDICT_FAULTS, {{"major_faults_per_s", '>', 100}}},
	{1, VERDICT_KERNEL, {{"kernel_percent", '>', 30}}, .of_users = true},

	{2, VERDICT_FINE, {{"topdown_retiring", '>', 70}}},
	{3, VERDICT_MEMORY, {{"topdown_memory", '>', 20}, {"topdown_backend", '>', 20}}},
	{3, VERDICT_CORE, {{"topdown_memory", '<', 20}, {"topdown_backend", '>', 20}}},
	{3, VERDICT_BACKEND, {{"topdown_backend", '>', 20}}, .unless = "topdown_memory"},
	{3, VERDICT_FRONTEND, {{"topdown_frontend", '>', 15}}},
	{3, VERDICT_BRANCH, {{"topdown_bad_spec", '>', 15}}, .unless = "topdown_mispredict"},
	{3, VERDICT_BRANCH, {{"topdown_bad_spec", '>', 15}, {"topdown_mispredict", '>', 10}}},

	/* cache_mpki counts another cache level on each kind of CPU: see its title. */
	{4, VERDICT_MEMORY, {{"ipc", '<', 1}, {"cache_mpki", '>', 10, .title = "caMPKI"}}},
	{4, VERDICT_MEMORY, {{"ipc", '<', 1}, {"cache_mpki", '>', 10, .title = "LLCMPKI"}}},
	{4, VERDICT_MEMORY, {{"ipc", '<', 1}, {"cache_mpki", '>', 10, .title = "L2MPKI"}}},
	{4, VERDICT_MEMORY, {{"ipc", '<', 1}, {"cache_mpki", '>', 20, .title = "L1DMPKI"}}},
	{4, VERDICT_MEMORY, {{"ipc", '<', 1}, {"llc_mpki", '>', 10}}},
	/* 5 misses of 300 cycles are most of the 2000 that 1000 instructions take at least. */
	{4, VERDICT_MEMORY, {{"ipc", '<', 0.5}, {"cache_mpki", '>', 5, .title = "LLCMPKI"}}},
	{4, VERDICT_MEMORY, {{"ipc", '<', 0.5}, {"llc_mpki", '>', 5}}},
	{4, VERDICT_MEMORY, {{"ipc", '<', 1}, {"l2_mpki", '>', 10}}},
	{4, VERDICT_MEMORY, {{"ipc", '<', 1}, {"l1d_mpki", '>', 20}}},
	{4, VERDICT_FRONTEND, {{"ipc", '<', 1}, {"l1i_mpki", '>', 10}}},
	/* A miss costs about 15 cycles. A product of 10 is 15 % of all cycles, toplev's limit. */
	{4, VERDICT_BRANCH, {{"branch_mpki", '>', 10, .times = "ipc"}}},
	{5, VERDICT_CORE, {{"cache_mpki", '<', 1}, {"branch_mpki", '<', 5}, {"ipc", '<', 1}}},

	{6, VERDICT_STALLED, {{"ipc", '<', 1}}},
	{7, VERDICT_FINE, {{"ipc", '>', 1}}},
};

const size_t verdict_rules_n = ARRAY_SIZE(rules);

static_assert(ARRAY_SIZE(rules) <= VERDICT_RULES_MAX, "a judge has room for all rules");

static const struct {
	const char *name, *label;
	const char *time; /* after "1.9 of 8 CPUs' time"; NULL: no loss */
} words[] = {
	[VERDICT_NONE] = {"none", "-", NULL},
	[VERDICT_IDLE] = {"idle-ish", "idle", NULL},
	[VERDICT_FINE] = {"fine", "fine", NULL},
	[VERDICT_KERNEL] = {"kernel-heavy", "kernel", "in kernel-heavy tasks"},
	[VERDICT_SWITCHES] = {"thrashing switches", "switches", "in tasks thrashing switches"},
	[VERDICT_FAULTS] = {"faulting", "faults", "in faulting tasks"},
	[VERDICT_MEMORY] = {"memory-bound", "memory", "in memory-bound tasks"},
	[VERDICT_BRANCH] = {"branch-bound", "branch", "in branch-bound tasks"},
	[VERDICT_FRONTEND] = {"frontend-bound", "frontend", "in frontend-bound tasks"},
	[VERDICT_CORE] = {"core-bound", "core", "in core-bound tasks"},
	[VERDICT_BACKEND] = {"backend-bound", "backend", "in backend-bound tasks"},
	[VERDICT_STALLED] = {"stalled", "stalled", "lost in stalled tasks"},
};

static_assert(ARRAY_SIZE(words) == VERDICTS, "a name for each");

const char *verdict_name(enum verdict verdict)
{
	return words[verdict].name;
}

const char *verdict_label(enum verdict verdict)
{
	return words[verdict].label;
}

const char *verdict_time(enum verdict verdict)
{
	return words[verdict].time;
}

bool verdict_is_loss(enum verdict verdict)
{
	return verdict > VERDICT_FINE;
}

static short find_metric(const struct columns *columns, const char *name, const char *title)
{
	int at = name ? columns_metric(columns, name) : -1;

	if (at < 0 || (title && strcmp(columns->metrics[at].title, title) != 0))
		return -1;
	return (short)at;
}

/* Finds the metrics of a rule. Returns whether all of them are among the columns. */
static bool bind_rule(struct judge *judge, size_t i)
{
	const struct columns *columns = judge->snapshot->columns;
	bool usable = true;

	judge->unless[i] = find_metric(columns, rules[i].unless, NULL);
	for (size_t k = 0; k < VERDICT_CONDITIONS_MAX && rules[i].conditions[k].metric; k++) {
		const struct condition *condition = &rules[i].conditions[k];

		judge->metrics[i][k] = find_metric(columns, condition->metric, condition->title);
		judge->factors[i][k] = find_metric(columns, condition->times, NULL);
		usable &= judge->metrics[i][k] >= 0 &&
			  (!condition->times || judge->factors[i][k] >= 0);
	}
	return usable;
}

void judge_init(struct judge *judge, const struct snapshot *snapshot)
{
	judge->snapshot = snapshot;
	judge->cpu_percent = find_metric(snapshot->columns, "cpu_percent", NULL);
	judge->ipc = find_metric(snapshot->columns, "ipc", NULL);
	judge->n_usable = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (bind_rule(judge, i))
			judge->usable[judge->n_usable++] = (unsigned char)i;
}

static bool is_known(const struct figure *figures, short metric)
{
	return metric >= 0 && figure_known(figures[metric]);
}

/* Returns the figure of condition k of rule i. */
static struct figure condition_figure(const struct judge *judge, size_t i, size_t k,
				      const struct figure *figures)
{
	static const struct figure unknown = {.state = FIGURE_NOT_COUNTED};
	short metric = judge->metrics[i][k], factor = judge->factors[i][k];

	if (!is_known(figures, metric))
		return unknown;
	if (!rules[i].conditions[k].times)
		return figures[metric];
	if (!is_known(figures, factor))
		return unknown;
	struct figure figure = figures[metric];
	figure.value *= figures[factor].value;
	if (figures[factor].state > figure.state)
		figure.state = figures[factor].state;
	return figure;
}

/* Returns the limit for the CPU time of these figures. */
static double limit_of(const struct judge *judge, const struct condition *condition,
		       const struct figure *figures)
{
	double cpus =
		is_known(figures, judge->cpu_percent) ? figures[judge->cpu_percent].value / 100 : 1;

	return condition->per_cpu && cpus > 1 ? condition->limit * cpus : condition->limit;
}

/* Returns figure / limit, inverted for '<': from 1 on the condition holds; at most 4. */
static double excess(const struct condition *condition, double value, double limit)
{
	double times = condition->sign == '>' ? value / limit : value > 0 ? limit / value : 4;

	return times < 4 ? times : 4;
}

/* Returns whether the rule fires. */
static bool rule_fires(const struct judge *judge, size_t i, const struct figure *figures,
		       unsigned flags, struct judgement *judgement)
{
	*judgement = (struct judgement){.verdict = rules[i].verdict, .rule = (int)i};
	if ((rules[i].of_users && (flags & ROW_KERNEL)) || is_known(figures, judge->unless[i]))
		return false;
	for (size_t k = 0; k < VERDICT_CONDITIONS_MAX && rules[i].conditions[k].metric; k++) {
		const struct condition *condition = &rules[i].conditions[k];

		struct figure figure = condition_figure(judge, i, k, figures);
		if (!figure_known(figure))
			return false;
		double limit = limit_of(judge, condition, figures);
		if (condition->sign == '<' ? figure.value >= limit : figure.value < limit)
			return false;
		judgement->severity = excess(condition, figure.value, limit);
		if (figure.state > judgement->state)
			judgement->state = figure.state;
	}
	return true;
}

struct judgement judge_figures(const struct judge *judge, const struct figure *figures,
			       unsigned flags)
{
	struct judgement best = {.rule = -1}, now;

	if (flags & ROW_LOST) {
		best.state = FIGURE_LOST;
		return best;
	}
	for (size_t n = 0; n < judge->n_usable; n++) {
		size_t i = judge->usable[n];

		if (best.rule >= 0 && rules[i].tier > rules[best.rule].tier)
			break;
		if (rule_fires(judge, i, figures, flags, &now) &&
		    (best.rule < 0 || now.severity > best.severity))
			best = now;
	}
	if (best.verdict == VERDICT_FINE)
		best.severity = 0.1;
	else if (best.verdict == VERDICT_IDLE)
		best.severity = 0.01;
	return best;
}

size_t verdict_append(char *text, size_t size, const char *more)
{
	size_t length = strlen(text);

	return length + text_copy(text + length, size - length, more);
}

static void append_condition(const struct condition *condition, char *text, size_t size)
{
	char factor[40] = "", form[40] = "", limit[40], whole[160];

	if (condition->times)
		snprintf(factor, sizeof(factor), " * %s", condition->times);
	if (condition->title)
		snprintf(form, sizeof(form), " (as %s)", condition->title);
	text_trimmed(limit, sizeof(limit), condition->limit, 1);
	snprintf(whole, sizeof(whole), "%s%s%s %s %s%s", condition->metric, factor, form,
		 condition->sign == '<' ? "<" : ">=", limit, condition->per_cpu ? " per CPU" : "");
	verdict_append(text, size, whole);
}

struct verdict_rule verdict_rule_at(size_t i)
{
	const struct rule *rule = &rules[i];
	struct verdict_rule out = {.tier = rule->tier, .verdict = rule->verdict};
	const size_t size = sizeof(out.conditions);

	for (size_t k = 0; k < VERDICT_CONDITIONS_MAX && rule->conditions[k].metric; k++) {
		verdict_append(out.conditions, size, k > 0 ? " and " : "");
		append_condition(&rule->conditions[k], out.conditions, size);
	}
	verdict_append(out.conditions, size, rule->unless ? ", no " : "");
	verdict_append(out.conditions, size, rule->unless ? rule->unless : "");
	verdict_append(out.conditions, size, rule->of_users ? ", no kernel thread" : "");
	return out;
}

/* "IPC 0.31" */
static void append_figure(const struct judge *judge, short metric, const struct figure *figures,
			  char *text, size_t size)
{
	const struct metric *what = &judge->snapshot->columns->metrics[metric];
	struct cell cell;

	figure_format(what->def, figures[metric], &cell);
	verdict_append(text, size, what->title);
	verdict_append(text, size, " ");
	verdict_append(text, size, cell.text);
}

/* A limit for several CPUs is not round, so it is formatted as a figure. */
static void append_limit(const struct judge *judge, short metric, const struct condition *condition,
			 double limit, char *text, size_t size)
{
	struct cell cell;
	char number[40];

	if (limit > condition->limit) {
		figure_format(judge->snapshot->columns->metrics[metric].def,
			      (struct figure){.value = limit, .share = 1}, &cell);
		verdict_append(text, size, cell.text);
	} else {
		text_trimmed(number, sizeof(number), limit, 1);
		verdict_append(text, size, number);
	}
}

void verdict_append_figures(const struct judge *judge, const struct judgement *judgement,
			    const struct figure *figures, bool limits, char *text, size_t size)
{
	const struct rule *rule = &rules[judgement->rule];

	for (size_t k = 0; k < VERDICT_CONDITIONS_MAX && rule->conditions[k].metric; k++) {
		const struct condition *condition = &rule->conditions[k];

		if (k > 0)
			verdict_append(text, size, limits ? " and " : ", ");
		append_figure(judge, judge->metrics[judgement->rule][k], figures, text, size);
		if (condition->times) {
			verdict_append(text, size, limits ? " x " : ", ");
			append_figure(judge, judge->factors[judgement->rule][k], figures, text,
				      size);
		}
		if (!limits)
			continue;
		verdict_append(text, size, condition->sign == '<' ? " < " : " >= ");
		append_limit(judge, judge->metrics[judgement->rule][k], condition,
			     limit_of(judge, condition, figures), text, size);
	}
}

/* Returns whether the top-down metrics are among the columns. */
static bool has_topdown(const struct judge *judge)
{
	return columns_metric(judge->snapshot->columns, "topdown_backend") >= 0;
}

/* Returns why there are no hardware counters at all. */
static const char *why_no_counters(const struct snapshot *snapshot)
{
	if (snapshot->replay[0])
		return "no hardware events were recorded";
	if (snapshot->mode == COUNT_MODE_PROC)
		return "no counters can be opened here (see 'pmctop --doctor')";
	return "this machine has no hardware counters";
}

/* Returns why IPC was not counted for that row, on a machine that can count it. */
static const char *why_not_counted(const struct judge *judge)
{
	const struct columns *columns = judge->snapshot->columns;
	char sharing[64];

	if (metric_state(&columns->metrics[judge->ipc], &columns->events) == FIGURE_NOT_COUNTED)
		return "other programs hold the counters that IPC needs";
	if (columns->plan->per_task)
		return "no counters were open for it";
	if (snapshot_sharing(judge->snapshot, sharing, sizeof(sharing)))
		return "it ran for too short a time: counters take turns (choose fewer columns)";
	return "IPC was not counted while it ran";
}

static const char *why_undefined(enum event_levels levels)
{
	switch (levels) {
	case EVENT_LEVELS_USER:
		return "it used no cycles in user mode, and only user mode is counted";
	case EVENT_LEVELS_KERNEL:
		return "it used no cycles in the kernel, and only the kernel is counted";
	case EVENT_LEVELS_ALL:
	case EVENT_LEVELS:
		break;
	}
	return "it used no cycles that were counted";
}

/* Returns why IPC is unknown. With an IPC there is a verdict. */
static const char *why_no_ipc(const struct judge *judge, const struct figure *figures)
{
	if (!judge->snapshot->pmu[0])
		return why_no_counters(judge->snapshot);
	if (judge->ipc < 0)
		return "IPC is not among the columns (it is in presets overview and topdown)";
	switch (figures[judge->ipc].state) {
	case FIGURE_UNSUPPORTED:
		return "IPC cannot be counted here";
	case FIGURE_DENIED:
		return "the kernel denies the counters of IPC (see 'pmctop --doctor')";
	case FIGURE_NOT_COUNTED:
		return why_not_counted(judge);
	case FIGURE_UNDEFINED:
	case FIGURE_VALID:
	case FIGURE_SCALED:
	case FIGURE_LOST:
		break;
	}
	return why_undefined(judge->snapshot->columns->levels);
}

/* Returns whether all figures of a rule were known, VERDICT_IDLE excepted. */
static bool was_judged(const struct judge *judge, const struct figure *figures)
{
	for (size_t n = 0; n < judge->n_usable; n++) {
		size_t i = judge->usable[n], k = 0;

		while (k < VERDICT_CONDITIONS_MAX && rules[i].conditions[k].metric &&
		       figure_known(condition_figure(judge, i, k, figures)))
			k++;
		if (rules[i].verdict != VERDICT_IDLE &&
		    (k == VERDICT_CONDITIONS_MAX || !rules[i].conditions[k].metric))
			return true;
	}
	return false;
}

static void append_no_verdict(const struct judge *judge, const struct judgement *judgement,
			      const struct figure *figures, char *text, size_t size)
{
	verdict_append(text, size, "No verdict: ");
	if (judgement->state == FIGURE_LOST) {
		verdict_append(text, size, "records were lost, so its figures are too low.");
		return;
	}
	verdict_append(text, size, why_no_ipc(judge, figures));
	verdict_append(text, size,
		       was_judged(judge, figures) ? "; no counted figure stands out." : ".");
}

void verdict_explain(const struct judge *judge, const struct judgement *judgement,
		     const struct figure *figures, char *text, size_t size)
{
	text[0] = '\0';
	if (judgement->rule < 0) {
		append_no_verdict(judge, judgement, figures, text, size);
		return;
	}
	verdict_append(text, size, verdict_name(judgement->verdict));
	verdict_append(text, size, ": ");
	verdict_append_figures(judge, judgement, figures, true, text, size);
	if (judgement->verdict == VERDICT_STALLED)
		verdict_append(text, size,
			       has_topdown(judge) ? ""
						  : "; preset topdown may show what it waits for");
	else if (judgement->verdict == VERDICT_BACKEND)
		verdict_append(text, size,
			       "; memory and execution units are not counted separately here");
}
