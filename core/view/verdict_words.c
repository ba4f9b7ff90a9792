// SPDX-License-Identifier: MIT
/* The words of the verdicts, and the sentences about one row, CPU or sum. */
#include "core/view/verdict_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/snapshot/competitors.h"
#include "core/sys/cgroup_name.h"
#include "core/view/view.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
	COMPETITORS_NAMED = 3,
	COMPETITOR_PARTS = 20, /* one with a smaller part of their time is left out */
};

static const struct {
	const char *name, *label;
	enum verdict_cost cost;
	const char *wait; /* after the name of a task */
	const char *help;
} words[] = {
	[VERDICT_NONE] = {"none", "blank", COST_NONE, NULL,
			  "too little CPU time for a verdict, or no rule has its figures"},
	[VERDICT_UNKNOWN] = {"unknown", "?", COST_NONE, NULL,
			     "figures are missing that could have the reason"},
	[VERDICT_IDLE] = {"idle", "idle", COST_NONE, NULL, "hardly ran"},
	[VERDICT_FINE] = {"fine", "fine", COST_NONE, NULL, "no counted figure stands out"},
	[VERDICT_CPU] = {"cpu", "cpu", COST_NONE, NULL,
			 "ran all the time, and no counted figure stands out"},
	[VERDICT_KERNEL] = {"kernel-heavy", "kernel", COST_CPU_TIME, NULL,
			    "runs mostly in the kernel"},
	[VERDICT_SWITCHES] = {"thrashing switches", "switches", COST_CPU_TIME, NULL,
			      "is switched away after very short runs"},
	[VERDICT_FAULTS] = {"faulting", "faults", COST_CPU_TIME, NULL,
			    "has many page faults: touches memory that it did not have"},
	[VERDICT_MEMORY] = {"memory-bound", "memory", COST_CPU_TIME, NULL,
			    "its loads and stores wait for caches or memory"},
	[VERDICT_BRANCH] = {"branch-bound", "branch", COST_CPU_TIME, NULL,
			    "works on wrong paths: mispredicted branches"},
	[VERDICT_FRONTEND] = {"frontend-bound", "frontend", COST_CPU_TIME, NULL,
			      "waits for instructions"},
	[VERDICT_CORE] = {"core-bound", "core", COST_CPU_TIME, NULL,
			  "waits for execution units, or for its own results"},
	[VERDICT_BACKEND] = {"backend-bound", "backend", COST_CPU_TIME, NULL,
			     "core or memory: not counted which"},
	[VERDICT_STALLED] = {"stalled", "stalled", COST_STALLS, NULL,
			     "waits inside the CPU, for no counted reason"},
	[VERDICT_THROTTLED] = {"throttled", "throttle", COST_QUEUES, "is throttled",
			       "its cgroup has used its CPU quota up"},
	[VERDICT_MEMORY_PRESSURE] = {"memory-pressure", "mempress", COST_SLEEP, "waits for memory",
				     "waits for pages that were taken from it for lack of memory"},
	[VERDICT_FORKS] = {"forks", "forks", COST_PROCESSES, NULL, "starts many short processes"},
	[VERDICT_LOCK] = {"lock", "lock", COST_SLEEP, "waits for a lock",
			  "waits for locks that other threads hold"},
	[VERDICT_DISK] = {"disk", "disk", COST_SLEEP, "waits for the disk",
			  "waits for block devices"},
	[VERDICT_BLOCKED] = {"blocked", "blocked", COST_SLEEP, "is blocked (state D)",
			     "in uninterruptible sleep (state D), for another reason"},
	[VERDICT_RUNQ] = {"runq", "runq", COST_QUEUES, "waits for a CPU",
			  "ready to run, but without a CPU: others have it"},
	[VERDICT_STOPPED] = {"stopped", "stopped", COST_STOP, "is stopped",
			     "stopped all the time by a signal or a debugger (states T, t)"},
	[VERDICT_STEAL] = {"steal", "steal", COST_CPUS, NULL,
			   "the hypervisor gave the CPUs to other machines"},
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

const char *verdict_word(enum verdict verdict)
{
	return verdict <= VERDICT_UNKNOWN ? "" : words[verdict].name;
}

const char *verdict_wait(enum verdict verdict)
{
	return words[verdict].wait;
}

const char *verdict_help(enum verdict verdict)
{
	return words[verdict].help;
}

enum verdict_cost verdict_cost(enum verdict verdict)
{
	return words[verdict].cost;
}

bool verdict_is_loss(enum verdict verdict)
{
	return words[verdict].cost != COST_NONE;
}

size_t verdict_append(char *text, size_t size, const char *more)
{
	size_t length = strlen(text);

	return length + text_copy(text + length, size - length, more);
}

void verdict_append_comm(char *text, size_t size, const struct row *row)
{
	char comm[3 * sizeof(row->comm)];

	text_printable(comm, sizeof(comm), row->comm, sizeof(row->comm));
	verdict_append(text, size, comm[0] ? comm : "?");
}

void verdict_append_task(char *text, size_t size, const struct row *row)
{
	char pid[24];

	verdict_append_comm(text, size, row);
	snprintf(pid, sizeof(pid), " (%d)", row->pid);
	verdict_append(text, size, pid);
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

/* " x IPC 1.50", or ", IPC 1.50". A figure of 0 that is subtracted is left out. */
static void append_operands(const struct judge *judge, const struct condition *condition,
			    const struct judge_condition *bound, const struct figure *figures,
			    bool limits, char *text, size_t size)
{
	char sign = condition->sign_of_operands;
	const char *word = sign == '*' ? " x " : sign == '/' ? " per " : " less ";

	for (size_t i = 0; i < VERDICT_OPERANDS_MAX && condition->operands[i]; i++) {
		if (bound->operands[i] < 0 || !figure_known(figures[bound->operands[i]]))
			continue;
		if (sign == '-' && figures[bound->operands[i]].value == 0)
			continue;
		verdict_append(text, size, limits ? word : ", ");
		append_figure(judge, bound->operands[i], figures, text, size);
	}
}

void verdict_append_figures(const struct judge *judge, const struct judgement *judgement,
			    const struct verdict_subject *subject, bool limits, char *text,
			    size_t size)
{
	const struct figure *figures = subject->figures;
	const struct rule *rule = &verdict_rules[judgement->rule];

	for (size_t k = 0; k < VERDICT_CONDITIONS_MAX && rule->conditions[k].metric; k++) {
		const struct condition *condition = &rule->conditions[k];
		const struct judge_condition *bound = &judge->conditions[judgement->rule][k];

		if (k > 0)
			verdict_append(text, size, limits ? " and " : ", ");
		append_figure(judge, bound->metric, figures, text, size);
		append_operands(judge, condition, bound, figures, limits, text, size);
		if (!limits)
			continue;
		verdict_append(text, size, condition->sign == '<' ? " < " : " >= ");
		append_limit(judge, bound->metric, condition,
			     verdict_limit(judge, condition, subject), text, size);
	}
}

/* Returns whether top-down is shown, or counted for verdicts. */
static bool has_topdown(const struct judge *judge, const struct figure *figures)
{
	const struct columns *columns = judge->snapshot->columns;
	int backend = columns_metric(columns, "topdown_backend");

	return backend >= 0 &&
	       ((size_t)backend < columns->n_shown || figure_known(figures[backend]));
}

/* Whether another preset can count it. A recording has no other events. */
static bool offers_topdown(const struct judge *judge, const struct figure *figures)
{
	return judge->snapshot->columns->has_topdown && !judge->snapshot->replay[0] &&
	       !has_topdown(judge, figures);
}

/* Returns whether the rule measured wrong paths, and not whose they are. */
static bool is_of_wrong_paths(const struct judgement *judgement)
{
	const struct rule *rule = &verdict_rules[judgement->rule];

	return rule->verdict == VERDICT_BRANCH && rule->unless &&
	       strcmp(rule->unless, "topdown_mispredict") == 0;
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
	char sharing[64];

	if (judge->snapshot->columns->plan->per_task)
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

/* A recording has no other events, so presets do not help. */
static const char *why_no_column(const struct snapshot *snapshot)
{
	if (snapshot->replay[0])
		return "IPC is not among the columns";
	if (!snapshot->columns->has_topdown)
		return "IPC is not among the columns (it is in preset overview)";
	return "IPC is not among the columns (it is in presets overview and topdown)";
}

/* Returns why IPC is unknown; NULL: it is known, or an event of it is the reason. */
static const char *why_no_ipc(const struct judge *judge, const struct figure *figures)
{
	if (!judge->snapshot->pmu[0])
		return why_no_counters(judge->snapshot);
	if (judge->ipc < 0)
		return why_no_column(judge->snapshot);
	switch (figures[judge->ipc].state) {
	case FIGURE_UNSUPPORTED:
		return "IPC cannot be counted here";
	case FIGURE_NOT_COUNTED:
		return why_not_counted(judge);
	case FIGURE_UNDEFINED:
		return why_undefined(judge->snapshot->columns->levels);
	case FIGURE_DENIED:
	case FIGURE_VALID:
	case FIGURE_SCALED:
	case FIGURE_LOST:
		break;
	}
	return NULL;
}

/* Returns the name of an event of IPC that is denied, or in use, for the whole run; or NULL. */
static const char *missing_event(const struct judge *judge, enum figure_state *state)
{
	const struct columns *columns = judge->snapshot->columns;
	unsigned events[METRIC_EVENTS_MAX];
	size_t n = judge->snapshot->pmu[0] && judge->ipc >= 0
			   ? metric_events(&columns->metrics[judge->ipc], events, METRIC_EVENTS_MAX)
			   : 0;

	for (size_t i = 0; i < n; i++) {
		*state = columns->events.items[events[i]].state;
		if (*state == FIGURE_DENIED || *state == FIGURE_NOT_COUNTED)
			return event_label(&columns->events.items[events[i]]);
	}
	return NULL;
}

/* Appends why IPC is unknown, or nothing. */
static void append_why_no_ipc(const struct judge *judge, const struct figure *figures,
			      const char *before, char *text, size_t size)
{
	enum figure_state state;
	const char *event = missing_event(judge, &state);
	const char *why = event ? NULL : why_no_ipc(judge, figures);
	char name[64];

	if (!event && !why)
		return;
	verdict_append(text, size, before);
	if (why) {
		verdict_append(text, size, why);
		return;
	}
	text_printable(name, sizeof(name), event, sizeof(name));
	verdict_append(text, size,
		       state == FIGURE_DENIED ? "the kernel denies " : "other programs hold ");
	verdict_append(text, size, name);
	verdict_append(text, size, ", which IPC needs (see 'pmctop --doctor')");
}

static void append_no_verdict(const struct judge *judge, const struct judgement *judgement,
			      const struct figure *figures, char *text, size_t size)
{
	const size_t length = verdict_append(text, size, "No verdict: ");

	if (judgement->state == FIGURE_LOST)
		verdict_append(text, size, "records were lost, so its figures are too low");
	else
		append_why_no_ipc(judge, figures, "", text, size);
	if (!text[length])
		verdict_append(text, size, "no counted figure stands out");
	verdict_append(text, size, ".");
}

/* Several processes of one program, such as a compiler, are named once. */
static bool has_earlier_name(const struct competitors *competitors, size_t i)
{
	const char *comm = competitors->items[i].row->comm;

	for (size_t k = 0; k < i; k++)
		if (strcmp(competitors->items[k].row->comm, comm) == 0)
			return true;
	return false;
}

void verdict_append_competitors(const struct snapshot *snapshot, const struct detail *detail,
				char *text, size_t size)
{
	struct competitors competitors;
	size_t named = 0;

	competitors_find(snapshot, detail, &competitors);
	for (size_t i = 0; i < competitors.n && named < COMPETITORS_NAMED; i++) {
		bool little = competitors.items[i].ns * COMPETITOR_PARTS < competitors.ns;
		if (has_earlier_name(&competitors, i) || (named > 0 && little))
			continue;
		verdict_append(text, size, named++ > 0 ? ", " : "");
		verdict_append_comm(text, size, competitors.items[i].row);
	}
}

/* "; its CPUs ran spin, cc1" */
static void append_tasks_that_ran(const struct judge *judge, const struct detail *detail,
				  char *text, size_t size)
{
	char names[128] = "";

	if (detail)
		verdict_append_competitors(judge->snapshot, detail, names, sizeof(names));
	verdict_append(text, size, names[0] ? "; its CPUs ran " : "");
	verdict_append(text, size, names);
}

void verdict_append_quota(const struct snapshot *snapshot, const struct row *row,
			  const char *before, char *text, size_t size)
{
	const struct snapshot_cgroup *limits = row ? snapshot_cgroup_limits(snapshot, row) : NULL;
	char name[256], shown[256], number[40];

	if (!limits || !limits->quota_path || !limits->known[CGROUP_QUOTA] ||
	    limits->values[CGROUP_QUOTA] <= 0)
		return;
	cgroup_name(limits->quota_path, name, sizeof(name));
	text_printable(shown, sizeof(shown), name, sizeof(shown));
	text_trimmed(number, sizeof(number), limits->values[CGROUP_QUOTA], 2);
	verdict_append(text, size, before);
	verdict_append(text, size, "quota ");
	verdict_append(text, size, number);
	verdict_append(text, size, " CPUs of ");
	verdict_append(text, size, shown);
}

/* Appends what is not in the figures. */
static void append_evidence(const struct judge *judge, const struct judgement *judgement,
			    const struct verdict_subject *subject, char *text, size_t size)
{
	enum verdict verdict = judgement->verdict;

	if (verdict == VERDICT_STALLED && offers_topdown(judge, subject->figures))
		verdict_append(text, size, "; preset topdown may show what it waits for");
	else if (verdict == VERDICT_BACKEND)
		verdict_append(text, size,
			       "; memory and execution units are not counted separately here");
	else if (is_of_wrong_paths(judgement))
		verdict_append(text, size, "; machine clears are not counted separately here");
	else if (verdict == VERDICT_FINE || verdict == VERDICT_CPU)
		append_why_no_ipc(judge, subject->figures, "; ", text, size);
	else if (verdict == VERDICT_RUNQ)
		append_tasks_that_ran(judge, subject->detail, text, size);
	else if (verdict == VERDICT_THROTTLED)
		verdict_append_quota(judge->snapshot, subject->row, "; ", text, size);
}

void verdict_explain(const struct judge *judge, const struct judgement *judgement,
		     const struct verdict_subject *subject, char *text, size_t size)
{
	text[0] = '\0';
	if (judgement->rule < 0) {
		append_no_verdict(judge, judgement, subject->figures, text, size);
		return;
	}
	verdict_append(text, size,
		       judgement->verdict == VERDICT_NONE ? "No verdict"
							  : verdict_name(judgement->verdict));
	verdict_append(text, size, ": ");
	verdict_append_figures(judge, judgement, subject, true, text, size);
	append_evidence(judge, judgement, subject, text, size);
	if (!subject->detail)
		return;
	const struct code_subject code = {
		.key = subject->detail->key,
		.pid = subject->row ? subject->row->pid : 0,
	};
	verdict_append_function(judge, judgement, &code, text, size);
}
