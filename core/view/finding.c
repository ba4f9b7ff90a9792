// SPDX-License-Identifier: MIT
/* The list of findings: which there are, and in which order. */
#include "core/view/finding_internal.h"

#include "core/base/text.h"

#include <assert.h>
#include <stdio.h>

struct finding *findings_add(struct findings *findings, enum verdict verdict, double cpus)
{
	assert(findings->n < FINDINGS_MAX);
	struct finding *finding = &findings->items[findings->n++];

	*finding = (struct finding){.verdict = verdict, .cpus = cpus};
	return finding;
}

static void add_unattributed(struct findings *findings, const struct snapshot *snapshot)
{
	struct finding *finding = findings_add(findings, VERDICT_NONE, 0);
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
	const struct snapshot *snapshot = triage->judge.snapshot;
	struct losses most = triage->losses;

	for (size_t i = 0; i < snapshot->n_cpus; i++)
		most.ran_ns += snapshot->cpus[i].doubt_ns - snapshot->cpus[i].ticks_ns;
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
	struct finding *finding = findings_add(findings, VERDICT_IDLE, 0);

	text_copy(finding->text, sizeof(finding->text),
		  "idle-ish: less than 5% of the CPUs' time was used");
}

static void add_sum(struct findings *findings, const struct triage *triage)
{
	const struct judgement judgement = judge_subject(&triage->judge, &triage->sum);

	if (judgement.verdict == VERDICT_NONE)
		return;
	struct finding *finding = findings_add(findings, judgement.verdict, 0);
	size_t length = text_copy(finding->text, sizeof(finding->text),
				  scope_prefix(triage->judge.snapshot));
	verdict_explain(&triage->judge, &judgement, &triage->sum, finding->text + length,
			sizeof(finding->text) - length);
}

static void add_losses(struct findings *findings, const struct triage *triage)
{
	const double interval_ns = (double)triage->judge.snapshot->interval_ns;

	for (size_t i = 0; i < triage->n && findings->n < FINDINGS_MAX; i++) {
		enum verdict verdict = triage->order[i];

		finding_describe_loss(&triage->losses,
				      findings_add(findings, verdict,
						   triage->losses.held_ns[verdict] / interval_ns));
	}
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
	} else if (!has_loss(triage)) {
		add_sum(findings, triage);
	}
	add_losses(findings, triage);
	findings_add_consumers(findings, &triage->losses);
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
	struct finding *finding = findings_add(findings, VERDICT_NONE, 0);

	verdict_of_profile(snapshot, finding->text, sizeof(finding->text));
	findings->n = finding->text[0] != '\0';
}

void findings_of_snapshot(const struct snapshot *snapshot, struct findings *findings)
{
	struct triage triage;

	findings->n = 0;
	findings->verdict = VERDICT_NONE;
	if (columns_of_profile(snapshot->columns))
		add_profile(findings, snapshot);
	if (!has_verdict(snapshot))
		return;
	triage_init(&triage, snapshot);
	add_all(findings, &triage);
	losses_fini(&triage.losses);
}
