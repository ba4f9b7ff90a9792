// SPDX-License-Identifier: MIT
/*
 * A row's samples are those of its tasks, or those on its CPUs. Which tasks these are is found as
 * core/snapshot/detail.c finds threads: by the keys of the history. The tasks of a profile are few,
 * so they are compared with the row one by one, except for a process, whose tasks are neighbours.
 */
#include "core/view/code_view_internal.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"
#include "core/snapshot/detail.h"
#include "core/view/code_together.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct code_index {
	const struct snapshot *snapshot;
	const struct code_profile *profile;
	struct code_profile *together; /* the same, if it is of code_together.h */
	size_t *first_entry; /* of each task of the profile; behind the last one n_entries */
	/* Of each task of the profile: its row, and that of its process. NULL: unknown. */
	const struct row **rows, **mains;
	struct hash_table threads;      /* by tid: row + 1, without those that did not run */
	struct hash_table mains_by_pid; /* the row of a process: main thread, sleeping, any */
};

/* An unknown start matches any start. */
static bool starts_match(uint64_t start, uint64_t other)
{
	return !start || !other || start == other;
}

static const struct row *find_row(const struct code_index *index, const struct code_task *task)
{
	struct hash_slot *slot = hash_table_slot(&index->threads, (uint32_t)task->tid);

	for (; slot->item; slot = hash_table_next(&index->threads, slot)) {
		const struct row *row = slot->item;

		if (row->pid == task->pid && starts_match(row->start_ns, task->start_ns))
			return row;
	}
	return NULL;
}

static void add_main(struct hash_table *mains, const struct row *row)
{
	struct hash_slot *slot = hash_table_slot(mains, (uint32_t)row->pid);

	if (!slot->item)
		hash_table_add(mains, (uint32_t)row->pid)->item = (void *)(uintptr_t)row;
	else if (row->tid == row->pid)
		slot->item = (void *)(uintptr_t)row;
}

static void index_rows(struct code_index *index)
{
	const struct snapshot *snapshot = index->snapshot;

	hash_table_init(&index->threads, snapshot_ran(snapshot));
	hash_table_init(&index->mains_by_pid, snapshot->n_sleeping);
	for (size_t i = 0; i < snapshot->n_sleeping; i++)
		add_main(&index->mains_by_pid, &snapshot->sleeping[i]);
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct row *row = &snapshot->threads.items[i];

		hash_table_add(&index->threads, (uint32_t)row->tid)->item = (void *)(uintptr_t)row;
		add_main(&index->mains_by_pid, row);
	}
}

static struct code_index *make_index(const struct snapshot *snapshot, struct code_profile *together)
{
	const struct code_profile *profile = together ? together : snapshot->code;
	struct code_index *index = xcalloc(1, sizeof(*index));

	index->snapshot = snapshot;
	index->profile = profile;
	index->together = together;
	index_rows(index);
	index->first_entry = xcalloc(profile->n_tasks + 1, sizeof(*index->first_entry));
	index->rows = xcalloc(profile->n_tasks, sizeof(*index->rows));
	index->mains = xcalloc(profile->n_tasks, sizeof(*index->mains));
	for (size_t i = 0, entry = 0; i < profile->n_tasks; i++) {
		index->first_entry[i] = entry;
		while (entry < profile->n_entries && profile->entries[entry].task == i)
			entry++;
		index->first_entry[i + 1] = entry;
		index->rows[i] = find_row(index, &profile->tasks[i]);
		index->mains[i] =
			hash_table_find(&index->mains_by_pid, (uint32_t)profile->tasks[i].pid);
	}
	return index;
}

struct code_index *code_index_new(const struct snapshot *snapshot)
{
	return snapshot->code ? make_index(snapshot, code_together_new(snapshot->code)) : NULL;
}

struct code_index *code_index_new_exact(const struct snapshot *snapshot)
{
	return snapshot->code ? make_index(snapshot, NULL) : NULL;
}

void code_index_free(struct code_index *index)
{
	if (!index)
		return;
	hash_table_fini(&index->threads);
	hash_table_fini(&index->mains_by_pid);
	free(index->first_entry);
	free(index->rows);
	free(index->mains);
	code_together_free(index->together);
	free(index);
}

/* Parents that were read at different times may form a ring, hence the limit. */
static bool descends_from(const struct code_index *index, pid_t pid, pid_t ancestor)
{
	for (size_t i = 0; i <= index->mains_by_pid.n; i++) {
		const struct row *row = hash_table_find(&index->mains_by_pid, (uint32_t)pid);

		if (pid == ancestor)
			return true;
		if (!row || row->ppid <= 0)
			return false;
		pid = row->ppid;
	}
	return false;
}

static bool is_in_group(const struct code_index *index, const struct history_key *key,
			enum rollup by, const struct row *row)
{
	if (!row)
		return false;
	const struct history_key its = history_key_of_row(index->snapshot, by, row);
	return its.number == key->number && its.start == key->start;
}

/* Whether samples of that task are the subject's. Those of CPUs have all tasks. */
static bool has_task(const struct code_index *index, const struct code_subject *subject, size_t i)
{
	const struct history_key *key = &subject->key;
	const struct code_task *task = &index->profile->tasks[i];
	bool starts = starts_match(task->start_ns, key->start);

	if (subject->selected)
		return true;
	switch (key->kind) {
	case HISTORY_MACHINE:
	case HISTORY_CPU:
	case HISTORY_SOCKET:
	case HISTORY_NODE:
		return true;
	case HISTORY_TARGET:
		return index->rows[i] != NULL;
	case HISTORY_THREAD:
		return (uint32_t)task->tid == key->number && starts;
	case HISTORY_PROCESS:
		if (subject->tree)
			return descends_from(index, task->pid, (pid_t)key->number);
		/* Only the main thread has the start of its process. */
		return (uint32_t)task->pid == key->number && (starts || task->tid != task->pid);
	case HISTORY_USER:
		return is_in_group(index, key, ROLLUP_USER, index->rows[i]);
	case HISTORY_CGROUP:
		return is_in_group(index, key, ROLLUP_CGROUP, index->rows[i]);
	case HISTORY_COMMAND:
		return is_in_group(index, key, ROLLUP_COMMAND, index->mains[i]);
	}
	return false;
}

static bool has_cpu(const struct code_index *index, const struct code_subject *subject, int number)
{
	return subject->selected || !detail_is_of_cpus(&subject->key) ||
	       detail_has_cpu(index->snapshot, &subject->key, number);
}

/* Returns the first task of the profile whose pid is at least `pid`. */
static size_t first_task(const struct code_profile *profile, int64_t pid)
{
	size_t low = 0, high = profile->n_tasks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (profile->tasks[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A recording may have any weights, so sums have an end: a total is not below one of its parts. */
void code_total_add(struct code_total *total, const struct code_entry *entry)
{
	total->samples = u64_sum(total->samples, entry->samples);
	total->weight = u64_sum(total->weight, entry->weight);
	total->squares += entry->squares;
}

static void add_entry(struct code_view *view, const struct code_entry *entry)
{
	struct code_total *total = &view->totals[entry->event];

	view->entries[view->n_entries++] = entry;
	code_total_add(total, entry);
	if (code_find_caller(view->profile, entry, 0) == UINT32_MAX)
		total->alone = u64_sum(total->alone, entry->samples);
}

/* The only process that can have samples of the subject; 0: any can. */
static int64_t only_pid(const struct code_subject *subject)
{
	if (subject->selected)
		return 0;
	if (subject->key.kind == HISTORY_PROCESS && !subject->tree)
		return subject->key.number;
	return subject->key.kind == HISTORY_THREAD ? subject->pid : 0;
}

static void find_entries(const struct code_index *index, const struct code_subject *subject,
			 struct code_view *view)
{
	const struct code_profile *profile = index->profile;
	int64_t pid = only_pid(subject);
	size_t first = pid ? first_task(profile, pid) : 0;
	size_t end = pid ? first_task(profile, pid + 1) : profile->n_tasks;

	view->entries = xcalloc(index->first_entry[end] - index->first_entry[first],
				sizeof(struct code_entry *));
	for (size_t i = first; i < end; i++) {
		if (!has_task(index, subject, i))
			continue;
		for (size_t k = index->first_entry[i]; k < index->first_entry[i + 1]; k++)
			if (has_cpu(index, subject, profile->entries[k].cpu))
				add_entry(view, &profile->entries[k]);
	}
}

/* All of n samples may be of a part that is less than the whole: the rule of succession. */
static double error_of_all(const struct code_total *total)
{
	return 1 / ((double)total->samples + 2);
}

struct code_share code_share_of(uint64_t samples, uint64_t weight, const struct code_total *total)
{
	struct code_share share = {.samples = samples};

	if (weight == 0)
		return share;
	double all = (double)total->weight;
	share.share = (double)weight / all;
	share.error = weight == total->weight
			      ? error_of_all(total)
			      : sqrt(share.share * (1 - share.share) * total->squares) / all;
	return share;
}

void function_sums_fini(struct function_sums *sums)
{
	hash_table_fini(&sums->table);
	free(sums->functions);
	free(sums->samples);
	free(sums->weights);
}

void function_sums_add(struct function_sums *sums, uint32_t function, size_t n_events, size_t event,
		       const struct code_entry *entry)
{
	size_t at = hash_table_slot(&sums->table, function)->number;

	if (at == 0) {
		at = sums->n + 1;
		sums->functions = array_reserve(sums->functions, &sums->capacity, at,
						sizeof(*sums->functions));
		sums->samples = array_reserve(sums->samples, &sums->sums_capacity, at * n_events,
					      sizeof(*sums->samples));
		sums->weights = array_reserve(sums->weights, &sums->weights_capacity, at * n_events,
					      sizeof(*sums->weights));
		sums->functions[sums->n] = function;
		memset(sums->samples + sums->n * n_events, 0, n_events * sizeof(*sums->samples));
		memset(sums->weights + sums->n * n_events, 0, n_events * sizeof(*sums->weights));
		hash_table_add(&sums->table, function)->number = ++sums->n;
	}
	at = (at - 1) * n_events + event;
	sums->samples[at] = u64_sum(sums->samples[at], entry->samples);
	sums->weights[at] = u64_sum(sums->weights[at], entry->weight);
}

int code_compare_functions(const struct code_function *a, const struct code_function *b)
{
	int names = strcmp(a->name, b->name);

	return names ? names : strcmp(a->module, b->module);
}

static int compare_lines(const void *a, const void *b, void *arg)
{
	const struct code_line *left = a, *right = b;
	unsigned event = *(unsigned *)arg;
	double difference = left->events[event].share - right->events[event].share;

	if (difference != 0)
		return difference < 0 ? 1 : -1;
	return code_compare_functions(left->function, right->function);
}

static void fill_lines(struct code_view *view, unsigned event)
{
	const struct code_profile *profile = view->profile;
	struct function_sums sums = {0};
	size_t n_events = profile->n_events;

	hash_table_init(&sums.table, 0);
	for (size_t i = 0; i < view->n_entries; i++)
		function_sums_add(&sums, profile->frames[view->entries[i]->frame], n_events,
				  view->entries[i]->event, view->entries[i]);
	view->n = sums.n;
	view->lines = xcalloc(sums.n, sizeof(*view->lines));
	view->shares = xcalloc(sums.n, n_events * sizeof(*view->shares));
	for (size_t i = 0; i < sums.n; i++) {
		struct code_line *line = &view->lines[i];

		line->id = sums.functions[i];
		line->function = &profile->functions[line->id];
		line->events = view->shares + i * n_events;
		for (size_t e = 0; e < n_events; e++)
			line->events[e] =
				code_share_of(sums.samples[i * n_events + e],
					      sums.weights[i * n_events + e], &view->totals[e]);
	}
	if (view->n > 0)
		qsort_r(view->lines, view->n, sizeof(*view->lines), compare_lines, &event);
	function_sums_fini(&sums);
}

/* Returns the sampled event that has a reading's counts, or SIZE_MAX. */
static size_t sampled_event(const struct code_profile *profile,
			    const struct metric_reading *reading)
{
	for (size_t i = 0; i < profile->n_events; i++)
		if (profile->events[i].counted == reading->event && reading->percentile == 0 &&
		    reading->part == METRIC_PART_COUNT)
			return i;
	return SIZE_MAX;
}

/* A metric without a count that is NOT_COUNTED is evaluated, or divides by 0. */
bool code_has_metric(const struct code_profile *profile, const struct columns *columns,
		     size_t metric)
{
	const struct metric_readings *readings = &columns->readings;
	const struct metric *evaluated = &columns->metrics[metric];
	struct figure *counts = xcalloc(readings->n, sizeof(*counts));

	for (size_t i = 0; i < readings->n; i++)
		counts[i] = sampled_event(profile, &readings->items[i]) != SIZE_MAX
				    ? figure_exact(1)
				    : (struct figure){.state = FIGURE_NOT_COUNTED};
	struct figure figure = metric_eval(evaluated, counts, NULL, figure_exact(1));
	free(counts);
	return metric_first_event(evaluated) != SIZE_MAX && figure.state != FIGURE_NOT_COUNTED;
}

/*
 * The function's part of a count. Its share of the figure is 1 - the relative error. Without a
 * sample the part is unknown, not 0: it is less than about 3 / n.
 */
static struct figure part_of(struct figure count, const struct code_share *share)
{
	if (!figure_known(count))
		return count;
	if (share->share <= 0)
		return (struct figure){.state = FIGURE_NOT_COUNTED};
	double error = share->error / share->share;
	count.value *= share->share;
	count.share *= (float)(error < 1 ? 1 - error : 0);
	if (count.state == FIGURE_VALID)
		count.state = FIGURE_SCALED;
	return count;
}

/* The counts of a function, one for each reading of the columns. */
struct function_counts {
	const struct columns *columns;
	struct figure interval_s;
	struct figure *items;
	double *errors; /* relative standard errors; 0: none, or unknown */
};

/* The part of its error by which a count is changed, to see what the metric changes. */
#define ERROR_STEP 0x1p-10

/* Returns the standard error of a metric: what it changes by the error of each count, in squares.
 */
static double error_of_metric(const struct function_counts *counts, const struct metric *metric,
			      struct figure figure)
{
	const struct metric_readings *readings = &counts->columns->readings;
	double squares = 0;

	for (size_t r = 0; r < readings->n && figure_known(figure); r++) {
		double value = counts->items[r].value;

		if (counts->errors[r] <= 0)
			continue;
		counts->items[r].value = value * (1 + counts->errors[r] * ERROR_STEP);
		struct figure other = metric_eval(metric, counts->items, NULL, counts->interval_s);
		counts->items[r].value = value;
		if (!figure_known(other))
			continue;
		double change = (other.value - figure.value) / ERROR_STEP;
		squares += change * change;
	}
	return isfinite(squares) ? sqrt(squares) : 0;
}

/* Evaluates the metrics of one function. */
static void fill_metrics(const struct function_counts *counts, struct code_line *line)
{
	const struct columns *columns = counts->columns;

	for (size_t m = 0; m < columns->n_metrics; m++) {
		struct figure figure =
			metric_eval(&columns->metrics[m], counts->items, NULL, counts->interval_s);
		double error = error_of_metric(counts, &columns->metrics[m], figure);
		double known = 1 - error / fabs(figure.value);

		if (figure.state == FIGURE_SCALED && error > 0 && known < (double)figure.share)
			figure.share = known > 0 ? (float)known : 0;
		line->figures[m] = figure;
		line->errors[m] = error;
	}
}

static double relative_error(const struct code_share *share)
{
	return share->share > 0 ? share->error / share->share : 0;
}

static void fill_figures(const struct code_index *index, const struct code_subject *subject,
			 struct code_view *view)
{
	const struct columns *columns = index->snapshot->columns;
	const struct metric_readings *readings = &columns->readings;
	bool of_one = subject->key.kind == HISTORY_THREAD || subject->key.kind == HISTORY_PROCESS;
	struct evaluator row;

	evaluator_init(&row, columns, snapshot_scope(index->snapshot));
	row.input.tally = subject->tally;
	row.input.sum = !of_one;
	row.input.lost = subject->lost;
	row.input.machine = subject->key.kind == HISTORY_MACHINE;
	metric_read(readings, &row.input, row.counts);
	const struct function_counts counts = {
		.columns = columns,
		.interval_s = row.interval_s,
		.items = xcalloc(readings->n, sizeof(*counts.items)),
		.errors = xcalloc(readings->n, sizeof(*counts.errors)),
	};
	view->figures = xcalloc(view->n, columns->n_metrics * sizeof(*view->figures));
	view->errors = xcalloc(view->n, columns->n_metrics * sizeof(*view->errors));
	for (size_t i = 0; i < view->n; i++) {
		struct code_line *line = &view->lines[i];

		line->figures = view->figures + i * columns->n_metrics;
		line->errors = view->errors + i * columns->n_metrics;
		for (size_t r = 0; r < readings->n; r++) {
			size_t event = sampled_event(view->profile, &readings->items[r]);
			bool sampled = event != SIZE_MAX && view->totals[event].weight > 0;
			counts.items[r] = sampled ? part_of(row.counts[r], &line->events[event])
						  : (struct figure){.state = FIGURE_NOT_COUNTED};
			counts.errors[r] = sampled ? relative_error(&line->events[event]) : 0;
		}
		fill_metrics(&counts, line);
	}
	free(counts.items);
	free(counts.errors);
	evaluator_fini(&row);
}

void code_view_init(const struct code_index *index, const struct code_subject *subject,
		    unsigned event, struct code_view *view)
{
	*view = (struct code_view){.profile = index->profile};
	view->totals = xcalloc(index->profile->n_events, sizeof(*view->totals));
	find_entries(index, subject, view);
	fill_lines(view, event);
	if (subject->tally)
		fill_figures(index, subject, view);
}

void code_view_fini(struct code_view *view)
{
	free(view->lines);
	free(view->totals);
	free(view->entries);
	free(view->shares);
	free(view->figures);
	free(view->errors);
	*view = (struct code_view){0};
}
