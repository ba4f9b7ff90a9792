// SPDX-License-Identifier: MIT
/* The list of findings: which there are, and in which order. */
#include "core/view/finding_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/view/machine_items.h"
#include "core/view/view.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define BLOCKED_LEAST 5 /* percent of the time: a task with less is not why others wait */

struct finding *findings_add(struct findings *findings, enum finding_kind kind,
			     enum verdict verdict)
{
	assert(findings->n < FINDINGS_MAX);
	struct finding *finding = &findings->items[findings->n++];

	*finding = (struct finding){.kind = kind, .verdict = verdict};
	return finding;
}

bool findings_have(const struct findings *findings, enum verdict verdict)
{
	for (size_t i = 0; i < findings->n; i++)
		if (findings->items[i].verdict == verdict)
			return true;
	return false;
}

unsigned finding_number(const struct finding *finding)
{
	return finding->kind == FINDING_OF_VERDICT ? (unsigned)finding->verdict
						   : VERDICTS + (unsigned)finding->kind;
}

const char *finding_word(unsigned number)
{
	static const char *const words[FINDING_KINDS] = {
		[FINDING_OF_VERDICT] = "",        [FINDING_OF_USE] = "use",
		[FINDING_OF_MACHINE] = "machine", [FINDING_OF_GAPS] = "unattributed",
		[FINDING_OF_PROFILE] = "profile",
	};

	return number < VERDICTS ? verdict_word((enum verdict)number) : words[number - VERDICTS];
}

static void add_unattributed(struct findings *findings, const struct snapshot *snapshot)
{
	struct finding *finding = findings_add(findings, FINDING_OF_GAPS, VERDICT_NONE);
	char percent[24];

	text_percent(percent, sizeof(percent), snapshot_unattributed_time(snapshot));
	snprintf(finding->text, sizeof(finding->text),
		 "%s of CPU time could not be attributed in this refresh; rows are too low",
		 percent);
}

/* Returns the subject of the sentence, or "" if it is the machine. */
static const char *scope_prefix(const struct snapshot *snapshot)
{
	if (!snapshot->target_figures)
		return "";
	return snapshot->targeted ? "the target is " : "your tasks are ";
}

/* The losses of a snapshot in their order, and the sum of all rows. */
struct triage {
	struct judge judge;
	struct losses losses;
	enum verdict order[VERDICTS];
	size_t n;
	struct verdict_subject sum;
};

static void triage_init(struct triage *triage, const struct snapshot *snapshot)
{
	judge_init(&triage->judge, snapshot);
	losses_init(&triage->losses, &triage->judge);
	triage->n = losses_order(&triage->losses, triage->order);
	triage->sum = (struct verdict_subject){
		.figures = snapshot->target_figures ? snapshot->target_figures : snapshot->figures,
		.cpus = snapshot->target_figures ? 0 : (unsigned)snapshot->n_cpus,
	};
}

/* Not if more may have run: idle time may be wrong by more than its rounding. */
static bool is_idle(const struct triage *triage)
{
	struct losses most = triage->losses;

	most.ran_ns += snapshot_doubt_ns(triage->judge.snapshot);
	return triage->n == 0 && losses_are_idle(&most);
}

/* Whether a loss costs CPU time. */
static bool has_loss(const struct triage *triage)
{
	return triage->n > 0 && triage->losses.ns[triage->order[0]] > 0;
}

static enum verdict triage_verdict(const struct triage *triage)
{
	if (is_idle(triage))
		return VERDICT_IDLE;
	if (snapshot_rows_too_low(triage->judge.snapshot))
		return VERDICT_NONE;
	return has_loss(triage) ? triage->order[0]
				: judge_subject(&triage->judge, &triage->sum).verdict;
}

static void add_idle(struct findings *findings)
{
	struct finding *finding = findings_add(findings, FINDING_OF_VERDICT, VERDICT_IDLE);

	text_copy(finding->text, sizeof(finding->text),
		  "idle: less than 5% of the CPUs' time was used");
}

/*
 * Appends the task that has most of a figure, if that is not less than `least`: "; most: pong (77),
 * cs/s 24.5k".
 */
static void append_most(struct finding *finding, const struct snapshot *snapshot,
			const char *metric_name, double least)
{
	const struct columns *columns = snapshot->columns;
	const struct rows *rows = &snapshot->threads;
	const int metric = columns_metric(columns, metric_name);
	size_t most = SIZE_MAX;
	double value = least;
	struct cell cell;

	for (size_t i = 0; metric >= 0 && i < snapshot_ran(snapshot); i++) {
		const struct figure figure = rows_figures(columns, rows, i)[metric];
		if (!figure_known(figure) || figure.value <= value)
			continue;
		value = figure.value;
		most = i;
	}
	if (most == SIZE_MAX)
		return;
	finding->pid = rows->items[most].pid;
	finding->tid = rows->items[most].tid;
	figure_format(columns->metrics[metric].def, rows_figures(columns, rows, most)[metric],
		      &cell);
	verdict_append(finding->text, sizeof(finding->text), "; most: ");
	verdict_append_task(finding->text, sizeof(finding->text), &rows->items[most]);
	verdict_append(finding->text, sizeof(finding->text), ", ");
	verdict_append(finding->text, sizeof(finding->text), columns->metrics[metric].title);
	verdict_append(finding->text, sizeof(finding->text), " ");
	verdict_append(finding->text, sizeof(finding->text), cell.text);
}

static void add_sum(struct findings *findings, const struct triage *triage)
{
	const struct judgement judgement = judge_subject(&triage->judge, &triage->sum);

	if (judgement.verdict == VERDICT_NONE)
		return;
	struct finding *finding = findings_add(findings, FINDING_OF_VERDICT, judgement.verdict);
	size_t length = text_copy(finding->text, sizeof(finding->text),
				  scope_prefix(triage->judge.snapshot));
	verdict_explain(&triage->judge, &judgement, &triage->sum, finding->text + length,
			sizeof(finding->text) - length);
	/* A figure with a limit for each CPU adds up. With a second one the task may lack that. */
	const struct condition *condition = verdict_rules[judgement.rule].conditions;
	if (condition->per_cpu && !condition[1].metric)
		append_most(finding, triage->judge.snapshot, condition->metric, 0);
}

static void add_losses(struct findings *findings, const struct triage *triage)
{
	for (size_t i = 0; i < triage->n && findings->n < FINDINGS_MAX; i++)
		finding_describe_loss(&triage->losses,
				      findings_add(findings, FINDING_OF_VERDICT, triage->order[i]));
}

/* Whether a finding names a task that waits for what the machine lacks. */
static bool is_named(const struct findings *findings, const struct machine_item *item)
{
	static const struct {
		const char *label;
		enum verdict verdict;
	} losses[] = {
		{"steal", VERDICT_STEAL},
		{"io pressure", VERDICT_DISK},
		{"memory pressure", VERDICT_MEMORY_PRESSURE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(losses); i++)
		if (strcmp(item->label, losses[i].label) == 0)
			return findings_have(findings, losses[i].verdict);
	return false;
}

static void add_machine(struct findings *findings, const struct snapshot *snapshot)
{
	struct machine_item items[MACHINE_ITEMS];
	size_t n = machine_items(&snapshot->machine, items);

	for (size_t i = 0; i < n && findings->n < FINDINGS_MAX; i++) {
		if (!items[i].sentence[0] || is_named(findings, &items[i]))
			continue;
		struct finding *finding = findings_add(findings, FINDING_OF_MACHINE, VERDICT_NONE);
		text_copy(finding->subject, sizeof(finding->subject), items[i].label);
		text_copy(finding->text, sizeof(finding->text), items[i].sentence);
		if (strcmp(items[i].label, "io pressure") == 0)
			append_most(finding, snapshot, "uninterruptible_percent", BLOCKED_LEAST);
	}
}

/* Moves a second finding about a process behind those about others. Their orders stay. */
static void part_processes(struct findings *findings)
{
	struct findings first = {.n = 0}, second = {.n = 0};

	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->items[i];
		bool seen = false;

		for (size_t k = 0; k < first.n; k++)
			seen |= finding->pid > 0 && first.items[k].pid == finding->pid;
		struct findings *to = seen ? &second : &first;
		to->items[to->n++] = *finding;
	}
	memcpy(findings->items, first.items, first.n * sizeof(*first.items));
	memcpy(findings->items + first.n, second.items, second.n * sizeof(*second.items));
}

static void add_all(struct findings *findings, const struct triage *triage)
{
	const struct snapshot *snapshot = triage->judge.snapshot;

	findings->verdict = triage_verdict(triage);
	if (is_idle(triage)) {
		add_idle(findings);
	} else if (snapshot_rows_too_low(snapshot)) {
		add_unattributed(findings, snapshot);
		return;
	}
	add_losses(findings, triage);
	if (!has_loss(triage) && !is_idle(triage) && findings->n < FINDINGS_MAX)
		add_sum(findings, triage);
	if (!snapshot->targeted)
		add_machine(findings, snapshot);
	findings_add_consumers(findings, &triage->losses);
	part_processes(findings);
	findings_add_still(findings, &triage->losses);
}

/* A profile has no verdict, and an interval without length no rates. */
static bool has_verdict(const struct snapshot *snapshot)
{
	return !columns_of_profile(snapshot->columns) && snapshot->interval_ns > 0;
}

enum verdict findings_verdict(const struct snapshot *snapshot)
{
	struct triage triage;

	if (!has_verdict(snapshot))
		return VERDICT_NONE;
	triage_init(&triage, snapshot);
	enum verdict verdict = triage_verdict(&triage);
	losses_fini(&triage.losses);
	return verdict;
}

static void add_profile(struct findings *findings, const struct snapshot *snapshot)
{
	struct finding *finding = findings_add(findings, FINDING_OF_PROFILE, VERDICT_NONE);

	verdict_of_profile(snapshot, finding->text, sizeof(finding->text));
	findings->n = finding->text[0] != '\0';
}

void findings_of_snapshot(const struct snapshot *snapshot, struct findings *findings)
{
	struct triage triage;

	findings->n = 0;
	findings->sequence = snapshot->sequence;
	findings->verdict = VERDICT_NONE;
	if (columns_of_profile(snapshot->columns))
		add_profile(findings, snapshot);
	if (!has_verdict(snapshot))
		return;
	triage_init(&triage, snapshot);
	add_all(findings, &triage);
	losses_fini(&triage.losses);
}

/* A loss is the machine's: of several tasks that have it, now one and now the other has most. */
static bool is_same(const struct finding *a, const struct finding *b)
{
	return a->kind == b->kind && a->verdict == b->verdict &&
	       (a->kind == FINDING_OF_VERDICT || a->pid == b->pid) &&
	       strcmp(a->subject, b->subject) == 0;
}

void findings_follow(struct findings *findings, const struct findings *before,
		     const struct snapshot *snapshot)
{
	bool follows = before->sequence > 0 && (before->sequence == findings->sequence ||
						before->sequence + 1 == findings->sequence);

	for (size_t i = 0; i < findings->n; i++) {
		struct finding *finding = &findings->items[i];

		finding->since_ns = u64_growth(snapshot->interval_ns, snapshot->realtime_ns);
		for (size_t k = 0; follows && k < before->n; k++)
			if (is_same(finding, &before->items[k]))
				finding->since_ns = before->items[k].since_ns;
	}
}
