// SPDX-License-Identifier: MIT
/*
 * The judge: which rule of verdict_rules.c fires for the figures of a row, a CPU or a sum.
 */
#include "core/view/verdict_internal.h"

#include "core/view/cpu_stall.h"

#include <string.h>

enum {
	SEVERITY_MOST = 4,
	RECLAIMS_LEAST = 10, /* a second: a limit that is met once in a while does no harm */
	/*
	 * Percent of the time in which some task waits for memory. 1.3 to 2.6 were seen while a
	 * task waited for pages that it had before for 53 to 64 % of the time, and 0 without it.
	 */
	PRESSURE_LEAST = 1,
};

static short find_metric(const struct columns *columns, const char *name, const char *title)
{
	int at = name ? columns_metric(columns, name) : -1;

	if (at < 0 || (title && strcmp(columns->metrics[at].title, title) != 0))
		return -1;
	return (short)at;
}

/* Finds the metrics of a condition. Returns whether all that it needs are among the columns. */
static bool bind_condition(const struct columns *columns, const struct condition *condition,
			   struct judge_condition *bound)
{
	bool usable = true;

	bound->metric = find_metric(columns, condition->metric, condition->title);
	for (size_t i = 0; i < VERDICT_OPERANDS_MAX; i++) {
		bound->operands[i] = find_metric(columns, condition->operands[i], NULL);
		usable &= !condition->operands[i] || bound->operands[i] >= 0 ||
			  condition->sign_of_operands == '-';
	}
	return usable && bound->metric >= 0;
}

static bool bind_rule(struct judge *judge, size_t i)
{
	const struct columns *columns = judge->snapshot->columns;
	const struct rule *rule = &verdict_rules[i];
	bool usable = true;

	judge->unless[i] = find_metric(columns, rule->unless, NULL);
	for (size_t k = 0; k < VERDICT_CONDITIONS_MAX && rule->conditions[k].metric; k++)
		usable &= bind_condition(columns, &rule->conditions[k], &judge->conditions[i][k]);
	for (size_t k = 0; k < VERDICT_WITH_MAX; k++) {
		judge->with[i][k] = find_metric(columns, rule->with[k], NULL);
		usable &= !rule->with[k] || judge->with[i][k] >= 0;
	}
	return usable;
}

void judge_init(struct judge *judge, const struct snapshot *snapshot)
{
	judge->snapshot = snapshot;
	judge->cpu_percent = find_metric(snapshot->columns, "cpu_percent", NULL);
	judge->ipc = find_metric(snapshot->columns, "ipc", NULL);
	judge->n_usable = 0;
	for (size_t i = 0; i < verdict_rules_n; i++)
		if (bind_rule(judge, i))
			judge->usable[judge->n_usable++] = (unsigned char)i;
}

static bool is_known(const struct figure *figures, short metric)
{
	return metric >= 0 && figure_known(figures[metric]);
}

static const struct figure unknown = {.state = FIGURE_NOT_COUNTED};

/* Returns the figure combined with one operand of its condition. */
static struct figure combine(struct figure figure, char sign, struct figure operand)
{
	if (!figure_known(operand) || (sign == '/' && operand.value <= 0))
		return sign == '-' ? figure : unknown;
	struct figure combined = figure_of_two(figure, operand);
	if (sign == '*')
		combined.value = figure.value * operand.value;
	else if (sign == '/')
		combined.value = figure.value / operand.value;
	else
		combined.value = operand.value < figure.value ? figure.value - operand.value : 0;
	return combined;
}

/* Returns the figure of condition k of rule i. */
static struct figure condition_figure(const struct judge *judge, size_t i, size_t k,
				      const struct figure *figures)
{
	const struct condition *condition = &verdict_rules[i].conditions[k];
	const struct judge_condition *bound = &judge->conditions[i][k];
	struct figure figure = is_known(figures, bound->metric) ? figures[bound->metric] : unknown;

	for (size_t n = 0; n < VERDICT_OPERANDS_MAX && condition->operands[n]; n++)
		if (figure_known(figure))
			figure = combine(figure, condition->sign_of_operands,
					 bound->operands[n] >= 0 ? figures[bound->operands[n]]
								 : unknown);
	return figure;
}

double verdict_limit(const struct judge *judge, const struct condition *condition,
		     const struct verdict_subject *subject)
{
	double cpus = subject->cpus;

	if (!subject->cpus && is_known(subject->figures, judge->cpu_percent))
		cpus = subject->figures[judge->cpu_percent].value / 100;

	return condition->per_cpu && cpus > 1 ? condition->limit * cpus : condition->limit;
}

/* Returns figure / limit, inverted for '<': from 1 on the condition holds. */
static double excess(const struct condition *condition, double value, double limit)
{
	return condition->sign == '>' ? value / limit : value > 0 ? limit / value : SEVERITY_MOST;
}

/* Returns whether a wait is enough of what the row wanted to do: to wait is to want. */
static bool has_share(const struct judge *judge, const struct condition *condition, double wait,
		      const struct figure *figures)
{
	double cpu = is_known(figures, judge->cpu_percent) ? figures[judge->cpu_percent].value : 0;

	return wait >= condition->share * (wait + cpu);
}

/*
 * Whether a figure proves a condition. Of rules about sums: a lower bound proves nothing about what
 * is less than a limit, and a quotient of lower bounds is none. An estimate whose error is unknown,
 * or greater than itself, is not less than a limit.
 */
static bool proves(const struct condition *condition, bool of_sums, struct figure figure)
{
	bool is_less = condition->sign == '<';

	if (figure.state == FIGURE_SCALED && figure.share <= 0)
		return !is_less;
	return figure.state != FIGURE_LOST || !of_sums ||
	       (!is_less && condition->sign_of_operands != '/');
}

static bool condition_holds(const struct judge *judge, size_t i, size_t k,
			    const struct verdict_subject *subject, struct judgement *judgement)
{
	const struct figure *figures = subject->figures;
	const struct condition *condition = &verdict_rules[i].conditions[k];
	struct figure figure = condition_figure(judge, i, k, figures);

	if (!figure_known(figure) || !proves(condition, verdict_rules[i].of_sums, figure))
		return false;
	double limit = verdict_limit(judge, condition, subject);
	if (condition->sign == '<' ? figure.value >= limit : figure.value < limit)
		return false;
	judgement->severity = excess(condition, figure.value, limit);
	judgement->state = figure_worse(judgement->state, figure.state);
	return has_share(judge, condition, figure.value, figures);
}

static bool reaches_limit(const struct snapshot_cgroup *limits)
{
	return (limits->known[CGROUP_MAXES] && limits->values[CGROUP_MAXES] >= RECLAIMS_LEAST) ||
	       (limits->known[CGROUP_HIGHS] && limits->values[CGROUP_HIGHS] >= RECLAIMS_LEAST);
}

/*
 * Returns whether memory is known to be short: the cgroup reaches its limit, or its tasks, or else
 * those of the machine, wait for memory.
 */
static bool lacks_memory(const struct snapshot *snapshot, const struct row *row)
{
	const struct snapshot_machine *machine = &snapshot->machine;
	const struct snapshot_cgroup *limits = row ? snapshot_cgroup_limits(snapshot, row) : NULL;

	if (limits && reaches_limit(limits))
		return true;
	if (limits && limits->known[CGROUP_PRESSURE])
		return limits->values[CGROUP_PRESSURE] >= PRESSURE_LEAST;
	return machine->known[MACHINE_MEMORY_PRESSURE] &&
	       machine->values[MACHINE_MEMORY_PRESSURE] >= PRESSURE_LEAST;
}

static bool rule_is_about(const struct rule *rule, const struct judge *judge, const struct row *row)
{
	if (rule->subject != RULE_OF_ALL && (rule->subject == RULE_OF_TASKS) != (row != NULL))
		return false;
	if (rule->of_pressure && !lacks_memory(judge->snapshot, row))
		return false;
	return !row || !((rule->of_users && (row->flags & ROW_KERNEL)) ||
			 (!rule->of_sums && (row->flags & ROW_LOST)));
}

/* Returns whether the other causes of a rule are counted. */
static bool excludes_others(const struct judge *judge, size_t i, const struct figure *figures)
{
	for (size_t k = 0; k < VERDICT_WITH_MAX && verdict_rules[i].with[k]; k++)
		if (!is_known(figures, judge->with[i][k]))
			return false;
	return true;
}

static bool rule_fires(const struct judge *judge, size_t i, const struct verdict_subject *subject,
		       struct judgement *judgement)
{
	const struct rule *rule = &verdict_rules[i];

	*judgement = (struct judgement){.verdict = rule->verdict, .rule = (int)i};
	if (is_known(subject->figures, judge->unless[i]) ||
	    !excludes_others(judge, i, subject->figures) ||
	    !rule_is_about(rule, judge, subject->row))
		return false;
	for (size_t k = 0; k < VERDICT_CONDITIONS_MAX && rule->conditions[k].metric; k++)
		if (!condition_holds(judge, i, k, subject, judgement))
			return false;
	return true;
}

/* Returns whether a rule says more of the same cause: which part of the back end. */
static bool rule_refines(const struct rule *rule, enum verdict verdict)
{
	return verdict == VERDICT_BACKEND && rule->verdict == VERDICT_MEMORY;
}

/*
 * Returns the rule of the first tier in which one fires, the farthest beyond its limit; or one of a
 * later tier that refines it.
 */
static struct judgement find_rule(const struct judge *judge, const struct verdict_subject *subject)
{
	struct judgement best = {.rule = -1}, now;

	for (size_t n = 0; n < judge->n_usable; n++) {
		size_t i = judge->usable[n];
		const struct rule *rule = &verdict_rules[i];
		bool later = best.rule >= 0 && rule->tier > verdict_rules[best.rule].tier;

		if (later && !rule_refines(rule, best.verdict))
			continue;
		if (!rule_fires(judge, i, subject, &now))
			continue;
		if (later)
			return now;
		if (best.rule < 0 || now.severity > best.severity)
			best = now;
	}
	return best;
}

/* Returns the severity of a verdict that is no loss: for the order of rows. */
static double mild_severity(enum verdict verdict)
{
	return verdict == VERDICT_CPU ? 0.2 : verdict == VERDICT_FINE ? 0.1 : 0.01;
}

/* Returns whether IPC is unknown, though other rights or a free counter would show it. */
static bool lacks_ipc(const struct judge *judge, const struct figure *figures)
{
	if (!judge->snapshot->pmu[0])
		return judge->snapshot->mode == COUNT_MODE_PROC && !judge->snapshot->replay[0];
	return judge->ipc >= 0 && (figures[judge->ipc].state == FIGURE_DENIED ||
				   figures[judge->ipc].state == FIGURE_NOT_COUNTED);
}

struct judgement judge_subject(const struct judge *judge, const struct verdict_subject *subject)
{
	struct judgement best = find_rule(judge, subject);

	if (verdict_is_loss(best.verdict)) {
		if (best.severity > SEVERITY_MOST)
			best.severity = SEVERITY_MOST;
		return best;
	}
	best.severity = mild_severity(best.verdict);
	if (!subject->row)
		return best;
	if (subject->row->flags & ROW_LOST)
		return (struct judgement){
			.verdict = VERDICT_UNKNOWN, .rule = -1, .state = FIGURE_LOST};
	if (best.verdict != VERDICT_NONE && lacks_ipc(judge, subject->figures))
		return (struct judgement){.verdict = VERDICT_UNKNOWN, .rule = -1};
	return best;
}

static size_t last_condition(const struct rule *rule)
{
	size_t last = 0;

	while (last + 1 < VERDICT_CONDITIONS_MAX && rule->conditions[last + 1].metric)
		last++;
	return last;
}

bool verdict_has_time(const struct judge *judge, const struct judgement *judgement)
{
	size_t i = (size_t)judgement->rule, last = last_condition(&verdict_rules[i]);

	return judge->snapshot->columns->metrics[judge->conditions[i][last].metric].def->unit[0] ==
	       '%';
}

/* Returns the ns of the last figure of the rule, or otherwise_ns if it is a rate. */
static double percent_ns(const struct judge *judge, const struct judgement *judgement,
			 const struct figure *figures, uint64_t otherwise_ns)
{
	size_t i = (size_t)judgement->rule;

	if (!verdict_has_time(judge, judgement))
		return (double)otherwise_ns;
	return condition_figure(judge, i, last_condition(&verdict_rules[i]), figures).value / 100 *
	       (double)judge->snapshot->interval_ns;
}

double judgement_cost_ns(const struct judge *judge, const struct judgement *judgement,
			 const struct verdict_subject *subject, uint64_t cpu_ns)
{
	switch (verdict_cost(judgement->verdict)) {
	case COST_PROCESSES:
	case COST_QUEUES:
	case COST_SLEEP:
	case COST_STOP:
		return percent_ns(judge, judgement, subject->figures, cpu_ns);
	case COST_STALLS:
		return (double)cpu_ns * cpu_stall_share(subject->figures[judge->ipc].value);
	case COST_NONE:
	case COST_CPU_TIME:
	case COST_CPUS:
		break;
	}
	return (double)cpu_ns;
}
