// SPDX-License-Identifier: MIT
/*
 * Rules stand in tiers: what the first tier finds is not looked for in the next, because switches,
 * faults and the kernel have stalls of their own, top-down tells what miss counts only suggest, and
 * a low IPC alone tells least. Within a tier the figure that is farthest beyond its limit wins.
 *
 * Thresholds are those of the metrics (core/metric), whose sources are toplev for top-down and
 * branches, perf for IPC, and rules of thumb for misses, the kernel's share and switches. What a
 * limit is `per_cpu` is of each CPU's worth of time that was used.
 */
#include "core/view/verdict.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/view/cpu_stall.h"
#include "core/view/view.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct condition {
	const char *metric; /* NULL: there are no more */
	char sign;          /* '<', or '>': at least */
	double limit;
	bool per_cpu;
	const char *title; /* of the form that the limit is for; NULL: any */
	const char *times; /* another metric, whose product with it has that limit; NULL: none */
};

struct rule {
	unsigned tier;
	enum verdict verdict;
	struct condition conditions[VERDICT_CONDITIONS_MAX]; /* all must hold */
	const char *unless; /* a metric that, where it is known, tells better */
	bool of_users;      /* kernel threads run in the kernel by their nature */
};

static const struct rule rules[] = {
	{0, VERDICT_IDLE, {{"cpu_percent", '<', 1}}},

	/* 20,000 switches a second: slices of 50 us, of which each costs several. */
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

	/* The same event is of another level on other CPUs. */
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
	/*
	 * A miss costs some 15 cycles: the product of 10 says 15 % of all, which is toplev's limit.
	 */
	{4, VERDICT_BRANCH, {{"branch_mpki", '>', 10, .times = "ipc"}}},
	{5, VERDICT_CORE, {{"cache_mpki", '<', 1}, {"branch_mpki", '<', 5}, {"ipc", '<', 1}}},

	{6, VERDICT_STALLED, {{"ipc", '<', 1}}},
	{7, VERDICT_FINE, {{"ipc", '>', 1}}},
};

const size_t verdict_rules_n = ARRAY_SIZE(rules);

static_assert(ARRAY_SIZE(rules) <= VERDICT_RULES_MAX, "a judge has room for all rules");

static const struct {
	const char *name, *label;
	const char *time; /* the CPU time of those: "1.9 of 8 CPUs' time ..."; NULL: no loss */
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

bool verdict_is_loss(enum verdict verdict)
{
	return verdict > VERDICT_FINE;
}

/* ---- judging */

static short find_metric(const struct columns *columns, const char *name, const char *title)
{
	int at = name ? columns_metric(columns, name) : -1;

	if (at < 0 || (title && strcmp(columns->metrics[at].title, title) != 0))
		return -1;
	return (short)at;
}

/* Finds what a rule is about. Whether all of it is among the columns. */
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

/* What a condition asks for. */
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

/* What it is for this much running. */
static double limit_of(const struct judge *judge, const struct condition *condition,
		       const struct figure *figures)
{
	double cpus =
		is_known(figures, judge->cpu_percent) ? figures[judge->cpu_percent].value / 100 : 1;

	return condition->per_cpu && cpus > 1 ? condition->limit * cpus : condition->limit;
}

/* How many times as far as its limit a figure is: from 1 on the condition holds; at most 4. */
static double excess(const struct condition *condition, double value, double limit)
{
	double times = condition->sign == '>' ? value / limit : value > 0 ? limit / value : 4;

	return times < 4 ? times : 4;
}

/* False where it does not fire. */
static bool try_rule(const struct judge *judge, size_t i, const struct figure *figures,
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
		if (try_rule(judge, i, figures, flags, &now) &&
		    (best.rule < 0 || now.severity > best.severity))
			best = now;
	}
	if (best.verdict == VERDICT_FINE)
		best.severity = 0.1;
	else if (best.verdict == VERDICT_IDLE)
		best.severity = 0.01;
	return best;
}

/* ---- in words */

static size_t append(char *text, size_t size, const char *more)
{
	size_t length = strlen(text);

	return length + text_copy(text + length, size - length, more);
}

static void put_condition(const struct condition *condition, char *text, size_t size)
{
	char factor[40] = "", form[40] = "", limit[40], whole[160];

	if (condition->times)
		snprintf(factor, sizeof(factor), " * %s", condition->times);
	if (condition->title)
		snprintf(form, sizeof(form), " (as %s)", condition->title);
	text_trimmed(limit, sizeof(limit), condition->limit, 1);
	snprintf(whole, sizeof(whole), "%s%s%s %s %s%s", condition->metric, factor, form,
		 condition->sign == '<' ? "<" : ">=", limit, condition->per_cpu ? " per CPU" : "");
	append(text, size, whole);
}

struct verdict_rule verdict_rule_at(size_t i)
{
	const struct rule *rule = &rules[i];
	struct verdict_rule out = {.tier = rule->tier, .verdict = rule->verdict};
	const size_t size = sizeof(out.conditions);

	for (size_t k = 0; k < VERDICT_CONDITIONS_MAX && rule->conditions[k].metric; k++) {
		append(out.conditions, size, k > 0 ? " and " : "");
		put_condition(&rule->conditions[k], out.conditions, size);
	}
	append(out.conditions, size, rule->unless ? ", no " : "");
	append(out.conditions, size, rule->unless ? rule->unless : "");
	append(out.conditions, size, rule->of_users ? ", no kernel thread" : "");
	return out;
}

/* "IPC 0.31" */
static void put_figure(const struct judge *judge, short metric, const struct figure *figures,
		       char *text, size_t size)
{
	const struct metric *what = &judge->snapshot->columns->metrics[metric];
	struct cell cell;

	figure_format(what->def, figures[metric], &cell);
	append(text, size, what->title);
	append(text, size, " ");
	append(text, size, cell.text);
}

/* As the rule has it; one for several CPUs is not round any more, and is put as figures are. */
static void put_limit(const struct judge *judge, short metric, const struct condition *condition,
		      double limit, char *text, size_t size)
{
	struct cell cell;
	char number[40];

	if (limit > condition->limit) {
		figure_format(judge->snapshot->columns->metrics[metric].def,
			      (struct figure){.value = limit, .share = 1}, &cell);
		append(text, size, cell.text);
	} else {
		text_trimmed(number, sizeof(number), limit, 1);
		append(text, size, number);
	}
}

/* The figures of the rule that fired, with their limits or without. */
static void put_figures(const struct judge *judge, const struct judgement *judgement,
			const struct figure *figures, bool limits, char *text, size_t size)
{
	const struct rule *rule = &rules[judgement->rule];

	for (size_t k = 0; k < VERDICT_CONDITIONS_MAX && rule->conditions[k].metric; k++) {
		const struct condition *condition = &rule->conditions[k];

		if (k > 0)
			append(text, size, limits ? " and " : ", ");
		put_figure(judge, judge->metrics[judgement->rule][k], figures, text, size);
		if (condition->times) {
			append(text, size, limits ? " x " : ", ");
			put_figure(judge, judge->factors[judgement->rule][k], figures, text, size);
		}
		if (!limits)
			continue;
		append(text, size, condition->sign == '<' ? " < " : " >= ");
		put_limit(judge, judge->metrics[judgement->rule][k], condition,
			  limit_of(judge, condition, figures), text, size);
	}
}

/* Whether one of the top-down metrics is among the columns. */
static bool has_topdown(const struct judge *judge)
{
	return columns_metric(judge->snapshot->columns, "topdown_backend") >= 0;
}

/* Why there are no hardware counters at all. */
static const char *why_no_counters(const struct snapshot *snapshot)
{
	if (snapshot->replay[0])
		return "no hardware events were recorded";
	if (snapshot->mode == COUNT_MODE_PROC)
		return "no counters can be opened here (see 'pmctop --doctor')";
	return "this machine has no hardware counters";
}

/* Why IPC, which this machine can count, was not counted for that row. */
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
		return "it used no cycles in user mode, and only that is counted";
	case EVENT_LEVELS_KERNEL:
		return "it used no cycles in the kernel, and only that is counted";
	case EVENT_LEVELS_ALL:
	case EVENT_LEVELS:
		break;
	}
	return "it used no cycles that were counted";
}

/* Why IPC is not known: there is a verdict where it is. */
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

/* Whether the figures of some rule were all known, other than of how much it ran. */
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

static void put_no_verdict(const struct judge *judge, const struct judgement *judgement,
			   const struct figure *figures, char *text, size_t size)
{
	append(text, size, "No verdict: ");
	if (judgement->state == FIGURE_LOST) {
		append(text, size, "records were lost, so its figures are too low.");
		return;
	}
	append(text, size, why_no_ipc(judge, figures));
	append(text, size,
	       was_judged(judge, figures) ? "; nothing that is counted stands out." : ".");
}

void verdict_explain(const struct judge *judge, const struct judgement *judgement,
		     const struct figure *figures, char *text, size_t size)
{
	text[0] = '\0';
	if (judgement->rule < 0) {
		put_no_verdict(judge, judgement, figures, text, size);
		return;
	}
	append(text, size, verdict_name(judgement->verdict));
	append(text, size, ": ");
	put_figures(judge, judgement, figures, true, text, size);
	if (judgement->verdict == VERDICT_STALLED)
		append(text, size,
		       has_topdown(judge) ? "" : "; preset topdown may tell what it waits for");
	else if (judgement->verdict == VERDICT_BACKEND)
		append(text, size, "; memory or execution units, which is not counted here");
}

/* ---- the machine */

enum {
	BUSY_LEAST = 5,   /* percent of the CPUs' time: else they are idle */
	SHARE_LEAST = 10, /* percent of what ran: less is no trait of the machine */
};

/* CPU time by verdict. */
struct shares {
	uint64_t ns[VERDICTS]; /* by verdict_ns() */
	uint64_t rows_ns;
	unsigned char *verdicts; /* of each row */
};

static uint64_t row_ns(const struct snapshot *snapshot, size_t i)
{
	return rows_tally(snapshot->columns, &snapshot->threads, i)[TALLY_TASK_CLOCK];
}

/* CPU time that a row has of its verdict: all; of what is only stalled, the time lost. */
static uint64_t verdict_ns(const struct judge *judge, size_t i, enum verdict verdict)
{
	const struct snapshot *snapshot = judge->snapshot;
	uint64_t ns = row_ns(snapshot, i);

	if (verdict != VERDICT_STALLED)
		return ns;
	double ipc = rows_figures(snapshot->columns, &snapshot->threads, i)[judge->ipc].value;
	double lost_ns = (double)ns * cpu_stall_share(ipc);
	/* All of a time of nearly 2^64 ns, which a broken recording may have, is more than fits. */
	return lost_ns < (double)ns ? (uint64_t)lost_ns : ns;
}

static void add_shares(const struct judge *judge, struct shares *shares)
{
	const struct snapshot *snapshot = judge->snapshot;
	const struct rows *rows = &snapshot->threads;

	shares->verdicts = xcalloc(rows->n, sizeof(*shares->verdicts));
	for (size_t i = 0; i < snapshot_ran(snapshot); i++) {
		enum verdict verdict =
			judge_figures(judge, rows_figures(snapshot->columns, rows, i),
				      rows->items[i].flags)
				.verdict;

		shares->verdicts[i] = (unsigned char)verdict;
		shares->ns[verdict] += verdict_ns(judge, i, verdict);
		shares->rows_ns += row_ns(snapshot, i);
	}
}

struct part {
	pid_t pid;
	size_t row;
	uint64_t ns;
};

static int compare_parts(const void *a, const void *b)
{
	const struct part *part_a = a, *part_b = b;

	if (part_a->pid != part_b->pid)
		return part_a->pid < part_b->pid ? -1 : 1;
	return part_a->ns > part_b->ns ? -1 : part_a->ns < part_b->ns;
}

/* Of the process that has most of a verdict's time, the thread with most of that. */
static size_t heaviest_row(const struct judge *judge, const struct shares *shares,
			   enum verdict verdict)
{
	const struct rows *rows = &judge->snapshot->threads;
	struct part *parts = xcalloc(rows->n, sizeof(*parts));
	size_t n = 0, best = 0;
	uint64_t best_ns = 0;

	for (size_t i = 0; i < rows->n; i++)
		if (shares->verdicts[i] == verdict)
			parts[n++] =
				(struct part){rows->items[i].pid, i, verdict_ns(judge, i, verdict)};
	qsort(parts, n, sizeof(*parts), compare_parts);
	for (size_t i = 0, first = 0; i < n; i++) {
		if (parts[i].pid != parts[first].pid)
			first = i;
		else if (i > first)
			parts[first].ns += parts[i].ns;
		if (parts[first].ns > best_ns) {
			best_ns = parts[first].ns;
			best = parts[first].row;
		}
	}
	free(parts);
	return best;
}

/* "1.9 of 8 CPUs' time in memory-bound tasks: postgres (IPC 0.31, caMPKI 24.10)" */
static void put_share(const struct judge *judge, const struct shares *shares, enum verdict verdict,
		      char *text, size_t size)
{
	const struct snapshot *snapshot = judge->snapshot;
	const struct columns *columns = snapshot->columns;
	size_t heaviest = heaviest_row(judge, shares, verdict);
	const struct row *row = &snapshot->threads.items[heaviest];
	const struct figure *figures = rows_figures(columns, &snapshot->threads, heaviest);
	struct judgement judgement = judge_figures(judge, figures, row->flags);
	char number[40], comm[3 * sizeof(row->comm)];

	text_fixed(number, sizeof(number),
		   (double)shares->ns[verdict] / (double)snapshot->interval_ns, 1);
	text_printable(comm, sizeof(comm), row->comm, sizeof(row->comm));
	snprintf(text, size, "%s%s of %zu CPUs' time %s: %s (",
		 verdict == VERDICT_STALLED ? "at least " : "", number, snapshot->n_cpus,
		 words[verdict].time, comm[0] ? comm : "?");
	put_figures(judge, &judgement, figures, false, text, size);
	append(text, size, ")");
}

/* Rows are not all that ran: some are hidden, some had gone before they were seen. */
static uint64_t busy_ns(const struct snapshot *snapshot, const struct shares *shares)
{
	uint64_t busy =
		u64_growth(snapshot->idle[TALLY_TASK_CLOCK], snapshot->totals[TALLY_TASK_CLOCK]);

	return busy > shares->rows_ns ? busy : shares->rows_ns;
}

static void put_unattributed(const struct snapshot *snapshot, char *text, size_t size)
{
	char percent[24];

	text_percent(percent, sizeof(percent), snapshot_unattributed_time(snapshot));
	snprintf(text, size,
		 "%s of CPU time could not be attributed in this refresh; rows are too low",
		 percent);
}

/* Of some tasks, while the machine may be busy with others. */
static const char *whose_figures(const struct snapshot *snapshot)
{
	if (!snapshot->target_figures)
		return "";
	return snapshot->targeted ? "target " : "own tasks ";
}

enum verdict verdict_of_snapshot(const struct snapshot *snapshot, char *text, size_t size)
{
	char stub[1];
	uint64_t all_ns = snapshot->interval_ns * snapshot->n_cpus;
	const struct figure *figures =
		snapshot->target_figures ? snapshot->target_figures : snapshot->figures;
	enum verdict worst = VERDICT_NONE;
	struct shares shares = {0};
	struct judge judge;

	if (!text) {
		text = stub;
		size = sizeof(stub);
	}
	text[0] = '\0';
	judge_init(&judge, snapshot);
	add_shares(&judge, &shares);
	uint64_t ran_ns = snapshot->targeted ? shares.rows_ns : busy_ns(snapshot, &shares);
	for (size_t v = VERDICT_FINE + 1; v < VERDICTS; v++)
		if (shares.ns[v] > shares.ns[worst] || !verdict_is_loss(worst))
			worst = (enum verdict)v;
	if (!snapshot->targeted && 100 * ran_ns < BUSY_LEAST * all_ns) {
		snprintf(text, size, "idle-ish: less than %d%% of the CPUs' time was used",
			 BUSY_LEAST);
		worst = VERDICT_IDLE;
	} else if (snapshot_rows_too_low(snapshot)) {
		put_unattributed(snapshot, text, size);
		worst = VERDICT_NONE;
	} else if (shares.ns[worst] > 0 && 100 * shares.ns[worst] >= SHARE_LEAST * ran_ns) {
		put_share(&judge, &shares, worst, text, size);
	} else {
		struct judgement judgement = judge_figures(&judge, figures, 0);
		const char *whose = judgement.rule < 0 ? "" : whose_figures(snapshot);
		size_t length = text_copy(text, size, whose);

		verdict_explain(&judge, &judgement, figures, text + length, size - length);
		worst = judgement.verdict;
	}
	free(shares.verdicts);
	return worst;
}
