// SPDX-License-Identifier: MIT
/* Entries of a subject's tasks (code_index.c), summed by function, with shares and figures. */
#include "core/view/code_view_internal.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"
#include "core/snapshot/detail.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_cpu(const struct code_index *index, const struct code_subject *subject, int number)
{
	return subject->selected || !detail_is_of_cpus(&subject->key) ||
	       detail_has_cpu(index->snapshot, &subject->key, number);
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

static void find_entries(const struct code_index *index, const struct code_subject *subject,
			 struct code_view *view)
{
	const struct code_profile *profile = index->profile;
	const struct code_tasks tasks = code_index_tasks(index, subject);
	size_t n = 0;

	for (size_t i = 0; i < tasks.n; i++) {
		size_t task = code_tasks_at(&tasks, i);
		n += index->first_entry[task + 1] - index->first_entry[task];
	}
	view->entries = xcalloc(n, sizeof(struct code_entry *));
	for (size_t i = 0; i < tasks.n; i++) {
		size_t task = code_tasks_at(&tasks, i);

		if (!code_index_has_task(index, subject, task))
			continue;
		for (size_t k = index->first_entry[task]; k < index->first_entry[task + 1]; k++)
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
