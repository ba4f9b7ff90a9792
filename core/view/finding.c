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

/* Adds those that cost CPU time, or those that do not: waits while all CPUs were busy. */
static void add_losses(struct findings *findings, const struct losses *losses, bool cost)
{
	const double interval_ns = (double)losses->judge->snapshot->interval_ns;
	bool told[VERDICTS] = {false};
	enum verdict verdict;

	while ((verdict = losses_greatest(losses, told)) != VERDICT_NONE) {
		told[verdict] = true;
		if ((losses->ns[verdict] > 0) == cost && findings->n < FINDINGS_MAX)
			finding_describe_loss(losses,
					      findings_add(findings, verdict,
							   losses->held_ns[verdict] / interval_ns));
	}
}

/* Returns the subject of the sentence, or "" if it is the machine. */
static const char *scope_prefix(const struct snapshot *snapshot)
{
	if (!snapshot->target_figures)
		return "";
	return snapshot->targeted ? "the target is " : "your tasks are ";
}

static void add_sum(struct findings *findings, const struct judge *judge)
{
	const struct snapshot *snapshot = judge->snapshot;
	const struct verdict_subject sum = {
		.figures = snapshot->target_figures ? snapshot->target_figures : snapshot->figures,
		.cpus = snapshot->target_figures ? 0 : (unsigned)snapshot->n_cpus,
	};
	const struct judgement judgement = judge_subject(judge, &sum);

	if (judgement.verdict == VERDICT_NONE || judgement.rule < 0)
		return;
	struct finding *finding = findings_add(findings, judgement.verdict, 0);
	size_t length = text_copy(finding->text, sizeof(finding->text), scope_prefix(snapshot));
	verdict_explain(judge, &judgement, &sum, finding->text + length,
			sizeof(finding->text) - length);
}

static void add_all(struct findings *findings, const struct losses *losses)
{
	const struct snapshot *snapshot = losses->judge->snapshot;
	const bool none[VERDICTS] = {false};
	bool lost = losses_greatest(losses, none) != VERDICT_NONE;

	if (!lost && losses_are_idle(losses)) {
		struct finding *finding = findings_add(findings, VERDICT_IDLE, 0);
		text_copy(finding->text, sizeof(finding->text),
			  "idle-ish: less than 5% of the CPUs' time was used");
	} else if (snapshot_rows_too_low(snapshot)) {
		add_unattributed(findings, snapshot);
		return;
	} else {
		add_losses(findings, losses, true);
		if (findings->n == 0)
			add_sum(findings, losses->judge);
	}
	findings->verdict = findings->n > 0 ? findings->items[0].verdict : VERDICT_NONE;
	add_losses(findings, losses, false);
	findings_add_consumers(findings, losses);
}

static void add_profile(struct findings *findings, const struct snapshot *snapshot)
{
	struct finding *finding = findings_add(findings, VERDICT_NONE, 0);

	verdict_of_profile(snapshot, finding->text, sizeof(finding->text));
	findings->n = finding->text[0] != '\0';
}

void findings_of_snapshot(const struct snapshot *snapshot, struct findings *findings)
{
	struct losses losses;
	struct judge judge;

	findings->n = 0;
	findings->verdict = VERDICT_NONE;
	if (columns_of_profile(snapshot->columns)) {
		add_profile(findings, snapshot);
		return;
	}
	if (snapshot->interval_ns == 0)
		return;
	judge_init(&judge, snapshot);
	losses_init(&losses, &judge);
	add_all(findings, &losses);
	losses_fini(&losses);
}
