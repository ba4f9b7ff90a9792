// SPDX-License-Identifier: MIT
/* The sentences of losses: what a verdict costs the machine or the target, and its main task. */
#include "core/base/figure_mark.h"
#include "core/view/finding_internal.h"

#include "core/base/hash_table.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORKS_LEAST 50 /* a second: fewer are not worth a word */

/* A text that grows as far as it fits. */
struct sentence {
	const struct losses *losses;
	enum verdict verdict;
	size_t heaviest; /* row of the threads; of VERDICT_STEAL: none */
	char *text;
	size_t size;
};

static void append(const struct sentence *sentence, const char *more)
{
	verdict_append(sentence->text, sentence->size, more);
}

static const struct snapshot *snapshot_of(const struct sentence *sentence)
{
	return sentence->losses->judge->snapshot;
}

static const struct row *heaviest_row(const struct sentence *sentence)
{
	return &snapshot_of(sentence)->threads.items[sentence->heaviest];
}

static struct verdict_subject heaviest_subject(const struct sentence *sentence)
{
	const struct snapshot *snapshot = snapshot_of(sentence);

	return (struct verdict_subject){
		.figures = rows_figures(snapshot->columns, &snapshot->threads, sentence->heaviest),
		.row = heaviest_row(sentence),
	};
}

static void append_number(const struct sentence *sentence, double value, unsigned decimals)
{
	char number[40];

	text_fixed(number, sizeof(number), value, decimals);
	append(sentence, number);
}

static void append_count(const struct sentence *sentence, size_t count)
{
	append_number(sentence, (double)count, 0);
}

/* "postgres" */
static void append_name(const struct sentence *sentence)
{
	verdict_append_comm(sentence->text, sentence->size, heaviest_row(sentence));
}

static void append_task(const struct sentence *sentence)
{
	verdict_append_task(sentence->text, sentence->size, heaviest_row(sentence));
}

/* Appends a rate of the heaviest row, or of all rows with the verdict: "46.7k". */
static void append_rate(const struct sentence *sentence, const char *name, bool all)
{
	const struct snapshot *snapshot = snapshot_of(sentence);
	int metric = columns_metric(snapshot->columns, name);
	struct figure sum = {.share = 1};
	struct cell cell;

	if (metric < 0)
		return;
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct figure *figures =
			rows_figures(snapshot->columns, &snapshot->threads, i);

		if (i != sentence->heaviest &&
		    !(all && sentence->losses->verdicts[i] == sentence->verdict))
			continue;
		sum = figure_sum(sum, figures[metric]);
	}
	figure_format(snapshot->columns->metrics[metric].def, sum, &cell);
	append(sentence, cell.text);
}

static struct judgement judge_heaviest(const struct sentence *sentence)
{
	const struct verdict_subject subject = heaviest_subject(sentence);

	return judge_subject(sentence->losses->judge, &subject);
}

static void append_judged_figures(const struct sentence *sentence)
{
	const struct verdict_subject subject = heaviest_subject(sentence);
	const struct judgement judgement = judge_subject(sentence->losses->judge, &subject);

	append(sentence, " (");
	verdict_append_figures(sentence->losses->judge, &judgement, &subject, false, sentence->text,
			       sentence->size);
	append(sentence, ")");
}

/* "; 62 % of its cache-misses are in hash_lookup (libfoo.so)" */
static void append_function(const struct sentence *sentence)
{
	const struct row *row = heaviest_row(sentence);
	const struct judgement judgement = judge_heaviest(sentence);
	const struct code_subject subject = {
		.key = history_key_of_row(snapshot_of(sentence), ROLLUP_THREAD, row),
		.pid = row->pid,
	};

	verdict_append_function(sentence->losses->judge, &judgement, &subject, sentence->text,
				sentence->size);
}

/* "postgres (4121) and 3 other threads are" */
static void append_subject(const struct sentence *sentence, const char *one, const char *several)
{
	const size_t others = sentence->losses->n[sentence->verdict] - 1;

	append_task(sentence);
	if (others > 0) {
		append(sentence, " and ");
		append_count(sentence, others);
		append(sentence, others == 1 ? " other thread" : " other threads");
	}
	append(sentence, others > 0 ? several : one);
}

/* "at least 1.9 of 8 CPUs' time" */
static void append_cost(const struct sentence *sentence)
{
	const enum figure_state state = sentence->losses->states[sentence->verdict];
	bool is_bound = verdict_cost(sentence->verdict) == COST_STALLS || state == FIGURE_LOST;

	append(sentence, is_bound ? "at least " : "");
	append(sentence, state == FIGURE_SCALED ? figure_mark(state) : "");
	append_number(sentence,
		      sentence->losses->ns[sentence->verdict] /
			      (double)snapshot_of(sentence)->interval_ns,
		      1);
	append(sentence, " of ");
	append_count(sentence, snapshot_of(sentence)->n_cpus);
	append(sentence, " CPUs' time");
}

/* "postgres (4121) is memory-bound: 1.9 of 8 CPUs' time (IPC 0.31, caMPKI 24.10)" */
static void describe_share(const struct sentence *sentence)
{
	append_subject(sentence, " is ", " are ");
	append(sentence, verdict_name(sentence->verdict));
	append(sentence, ": ");
	append_cost(sentence);
	append(sentence, verdict_cost(sentence->verdict) == COST_STALLS ? " lost" : "");
	append_judged_figures(sentence);
	append_function(sentence);
}

/* "pingpong (77) and 1 other thread switch too often: 0.6 of 2 CPUs' time (46.7k/s)" */
static void describe_switches(const struct sentence *sentence)
{
	append_subject(sentence, " switches", " switch");
	append(sentence, " too often: ");
	append_cost(sentence);
	append(sentence, " (");
	append_rate(sentence, "cs_per_s", true);
	append(sentence, "/s)");
}

/* "sh (1234) starts 536 processes/s that take 0.54 CPUs" */
static void describe_forks(const struct sentence *sentence)
{
	append_task(sentence);
	append(sentence, " starts ");
	append_rate(sentence, "forks_per_s", false);
	append(sentence, " processes/s that take ");
	append_number(sentence,
		      sentence->losses->costs_ns[sentence->heaviest] /
			      (double)snapshot_of(sentence)->interval_ns,
		      2);
	append(sentence, " CPUs");
}

/* Returns the mean share of the time that threads with the verdict wait: of a process, or all. */
static double mean_wait(const struct sentence *sentence, bool all, size_t *threads)
{
	const struct losses *losses = sentence->losses;
	const struct rows *rows = &snapshot_of(sentence)->threads;
	pid_t pid = heaviest_row(sentence)->pid;
	double ns = 0;

	*threads = 0;
	for (size_t i = 0; i < rows->n; i++)
		if (losses->verdicts[i] == sentence->verdict &&
		    (all || rows->items[i].pid == pid)) {
			ns += losses->costs_ns[i];
			(*threads)++;
		}
	return ns / (double)*threads / (double)snapshot_of(sentence)->interval_ns;
}

/* " 75 % of the time", and of an estimate " ~75 %" */
static void append_share_of_time(const struct sentence *sentence, double share)
{
	const enum figure_state state = judge_heaviest(sentence).state;

	append(sentence, " ");
	append(sentence, state == FIGURE_LOST ? "at least " : figure_mark(state));
	append_number(sentence, 100 * share, 0);
	append(sentence, " % of the time");
}

/* Returns how many CPUs the threads with the verdict ran on; all CPUs, if that is unknown. */
static size_t wanted_cpus(const struct sentence *sentence)
{
	const struct snapshot *snapshot = snapshot_of(sentence);
	struct hash_table wanted;

	hash_table_init(&wanted, 0);
	for (size_t i = 0; i < snapshot->n_places; i++) {
		const struct snapshot_place *place = &snapshot->places[i];

		if (sentence->losses->verdicts[place->row] == sentence->verdict &&
		    hash_table_slot(&wanted, (uint32_t)place->cpu)->number == 0)
			hash_table_add(&wanted, (uint32_t)place->cpu)->number = 1;
	}
	size_t n = wanted.n;
	hash_table_fini(&wanted);
	return n > 0 ? n : snapshot->n_cpus;
}

/* Returns how many threads with the verdict have the name of the heaviest one. */
static size_t same_name(const struct sentence *sentence)
{
	const struct rows *rows = &snapshot_of(sentence)->threads;
	const char *comm = heaviest_row(sentence)->comm;
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++)
		n += sentence->losses->verdicts[i] == sentence->verdict &&
		     strcmp(rows->items[i].comm, comm) == 0;
	return n;
}

/*
 * "8 tasks (5 spin) want 2 CPUs: each waits 75 % of the time". They wait for each other. Of as many
 * names "8 tasks (most: spin)".
 */
static void describe_crowd(const struct sentence *sentence)
{
	size_t threads, cpus = wanted_cpus(sentence), same = same_name(sentence);
	double share = mean_wait(sentence, true, &threads);

	append_count(sentence, threads);
	append(sentence, " tasks (");
	if (same == threads)
		append(sentence, "all");
	else if (same == 1)
		append(sentence, "most:");
	else
		append_count(sentence, same);
	append(sentence, " ");
	append_name(sentence);
	append(sentence, ") want ");
	append_count(sentence, cpus);
	append(sentence, cpus == 1 ? " CPU: each waits" : " CPUs: each waits");
	append_share_of_time(sentence, share);
}

/* ": its CPUs ran spin, cc1" */
static void append_tasks_that_ran(const struct sentence *sentence)
{
	const struct snapshot *snapshot = snapshot_of(sentence);
	const struct history_key key =
		history_key_of_row(snapshot, ROLLUP_THREAD, heaviest_row(sentence));
	struct detail detail;
	char names[128] = "";

	detail_init(snapshot, &key, &detail);
	verdict_append_competitors(snapshot, &detail, names, sizeof(names));
	detail_fini(&detail);
	append(sentence, names[0] ? ": its CPUs ran " : "");
	append(sentence, names);
}

/* A parent is in state D while a child of vfork() has its memory: ", starts 470 processes/s". */
static void append_forks(const struct sentence *sentence)
{
	const struct snapshot *snapshot = snapshot_of(sentence);
	const int metric = columns_metric(snapshot->columns, "forks_per_s");
	const struct figure *figures = heaviest_subject(sentence).figures;

	if (metric < 0 || !figure_known(figures[metric]) || figures[metric].value < FORKS_LEAST)
		return;
	append(sentence, ", and starts ");
	append_rate(sentence, "forks_per_s", false);
	append(sentence, " processes/s");
}

/*
 * "syncer (77) waits for the disk 85 % of the time", and of more threads, how many. By a rate of
 * faults: "thrash (77) waits for memory (majflt/s 800)".
 */
static void describe_wait(const struct sentence *sentence)
{
	size_t threads, all = sentence->losses->n[sentence->verdict];
	double share = mean_wait(sentence, false, &threads);

	append_task(sentence);
	append(sentence, " ");
	append(sentence, verdict_wait(sentence->verdict));
	const struct judgement judgement = judge_heaviest(sentence);
	if (verdict_has_time(sentence->losses->judge, &judgement))
		append_share_of_time(sentence, share);
	else
		append_judged_figures(sentence);
	if (threads > 1) {
		append(sentence, " in ");
		append_count(sentence, threads);
		append(sentence, " threads");
	} else {
		finding_append_held(sentence->text, sentence->size,
				    heaviest_row(sentence)->held_ms);
	}
	if (sentence->verdict == VERDICT_RUNQ)
		append_tasks_that_ran(sentence);
	else if (sentence->verdict == VERDICT_THROTTLED)
		verdict_append_quota(snapshot_of(sentence), heaviest_row(sentence), ": ",
				     sentence->text, sentence->size);
	else if (sentence->verdict == VERDICT_BLOCKED)
		append_forks(sentence);
	if (all > threads) {
		append(sentence, "; ");
		append_count(sentence, all - threads);
		append(sentence, all - threads == 1 ? " other task, too" : " other tasks, too");
	}
}

/* "the hypervisor took 23 % of the CPUs' time" */
static void describe_steal(const struct sentence *sentence)
{
	append(sentence, "steal: the hypervisor took ");
	append_number(sentence, snapshot_of(sentence)->machine.values[MACHINE_STEAL], 0);
	append(sentence, " % of the CPUs' time");
}

void finding_describe_loss(const struct losses *losses, struct finding *finding)
{
	const enum verdict verdict = finding->verdict;
	struct sentence sentence = {.losses = losses,
				    .verdict = verdict,
				    .text = finding->text,
				    .size = sizeof(finding->text)};

	finding->cpus = losses->held_ns[verdict] / (double)losses->judge->snapshot->interval_ns;
	finding->state = losses->states[verdict];
	if (verdict == VERDICT_STEAL) {
		describe_steal(&sentence);
		return;
	}
	sentence.heaviest = losses_row(losses, verdict);
	finding->pid = heaviest_row(&sentence)->pid;
	finding->tid = heaviest_row(&sentence)->tid;
	if (verdict == VERDICT_SWITCHES)
		describe_switches(&sentence);
	else if (verdict == VERDICT_FORKS)
		describe_forks(&sentence);
	else if (verdict == VERDICT_RUNQ && losses->n[verdict] > wanted_cpus(&sentence))
		describe_crowd(&sentence);
	else if (verdict_wait(verdict))
		describe_wait(&sentence);
	else
		describe_share(&sentence);
}
