// SPDX-License-Identifier: MIT
/* Metrics of Intel's perfmon. */
#include "core/tables/table_fields.h"

#include "core/base/text.h"
#include "core/base/text_buffer.h"
#include "core/base/util.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FORMULA_MAX = 1400,   /* bytes; of a longer one the form that names other metrics is used */
	REPAIRED_MAX = 65536, /* bytes of a formula; the largest one is half of it */
	METRICS_MAX = 10000,
	ALIASES_MAX = 100,
	TITLE_MAX = 255, /* bytes; the longest one is a third of it */
	/* Comparisons and bytes in a file, a hundred times what the largest needs. */
	WORK_MAX = 50000000,
	/* Of the metrics of a file, which are in memory together; several times the largest. */
	VALUES_MAX = 500000,
};

/* Thresholds name metrics by their old names, so all of a file are collected first. */
void table_intel_metric(struct table_reading *reading, const struct table_json_entry *entry)
{
	if (!table_member(entry->value, "MetricName")) {
		table_reading_fault(reading, entry->line, "a metric has no MetricName");
		return;
	}
	reading->metric_values += entry->n_values;
	if (reading->n_metrics >= METRICS_MAX || reading->metric_values > VALUES_MAX) {
		table_reading_fault(reading, entry->line, "too many metrics are in front of it");
		return;
	}
	reading->metrics = array_reserve(reading->metrics, &reading->metrics_capacity,
					 reading->n_metrics + 1, sizeof(*reading->metrics));
	reading->metric_lines =
		array_reserve(reading->metric_lines, &reading->lines_capacity,
			      reading->n_metrics + 1, sizeof(*reading->metric_lines));
	reading->metric_lines[reading->n_metrics] = entry->line;
	reading->metrics[reading->n_metrics++] = json_incref(entry->value);
}

/* Names that a threshold may have, and the names of their metrics. */
struct title {
	const char *from, *to;
	size_t length;
};

struct titles {
	struct title *items; /* owned; the longest first */
	size_t n, capacity;
	size_t work; /* since the begin of the file */
};

static void add_title(struct titles *titles, const char *from, const char *to)
{
	if (!from || !from[0] || !to || strlen(from) > TITLE_MAX)
		return;
	titles->items = array_reserve(titles->items, &titles->capacity, titles->n + 1,
				      sizeof(*titles->items));
	titles->items[titles->n++] = (struct title){from, to, strlen(from)};
}

static int compare_titles(const void *a, const void *b)
{
	const struct title *left = a, *right = b;

	return left->length != right->length ? (left->length < right->length ? 1 : -1)
					     : strcmp(left->from, right->from);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const struct title *title_at(struct titles *titles, const char *at)
{
	titles->work += titles->n;
	if (titles->work > WORK_MAX)
		return NULL;
	for (size_t i = 0; i < titles->n; i++)
		if (titles->items[i].from[0] == *at &&
		    strncmp(titles->items[i].from, at, titles->items[i].length) == 0 &&
		    !is_word(at[titles->items[i].length]))
			return &titles->items[i];
	return NULL;
}

/* The title that is all of the text, or NULL. `titles` is sorted. */
static const struct title *find_title(const struct titles *titles, const char *text)
{
	const struct title key = {.from = text, .length = strlen(text)};

	return titles->n > 0 ? bsearch(&key, titles->items, titles->n, sizeof(*titles->items),
				       compare_titles)
			     : NULL;
}

/*
 * Adds the next character, or an operator that only some files write so: "> =", "&&", "||". Two
 * files have fractions in the thresholds of percentages: `percent` makes 0.20 be 20. Returns the
 * bytes of `from` that were used.
 */
static size_t add_operand(struct text_buffer *buffer, const char *from, bool percent)
{
	char text[32];

	if ((from[0] == '&' || from[0] == '|') && from[1] == from[0]) {
		text_buffer_add(buffer, from, 1);
		return 2;
	}
	if ((from[0] == '>' || from[0] == '<') && from[1] == ' ' && from[2] == '=') {
		text_buffer_add(buffer, from, 1);
		return 2;
	}
	if (percent && from[0] == '0' && from[1] == '.' && isdigit((unsigned char)from[2])) {
		double share;
		size_t used = text_number(from, &share);

		text_buffer_add(buffer, text, text_trimmed(text, sizeof(text), share * 100, 6));
		return used;
	}
	text_buffer_add(buffer, from, 1);
	return 1;
}

/* The names of a threshold are letters of its own, or titles of the file. */
static char *threshold_of(const json_t *metric, struct titles *titles)
{
	const char *unit = table_member(metric, "UnitOfMeasure");
	bool percent = unit && strcmp(unit, "percent") == 0;
	const json_t *threshold = json_object_get(metric, "Threshold");
	const json_t *aliases = json_object_get(threshold, "ThresholdMetrics");
	const char *formula = table_member(threshold, "Formula");
	struct titles own = {0};
	struct text_buffer buffer = {0};

	for (size_t i = 0; i < json_array_size(aliases) && i < ALIASES_MAX; i++) {
		const json_t *alias = json_array_get(aliases, i);
		const char *value = table_member(alias, "Value");
		const struct title *title = value ? find_title(titles, value) : NULL;

		if (title)
			add_title(&own, table_member(alias, "Alias"), title->to);
	}
	text_buffer_add(&buffer, "", 0);
	for (const char *at = formula; at && *at;) {
		bool inside = at > formula && (is_word(at[-1]) || at[-1] == '.');
		const struct title *title = inside ? NULL : title_at(titles, at);

		if (!title && !inside)
			title = title_at(&own, at);
		if (title)
			text_buffer_add_text(&buffer, title->to);
		at += title ? title->length : add_operand(&buffer, at, percent && !inside);
	}
	free(own.items);
	return buffer.bytes;
}

/* Returns the end of "Y )" without the blank and the parenthesis, or NULL, also if it is long. */
static const char *end_of_group(const char *text)
{
	unsigned depth = 0;

	for (const char *at = text; *at && at - text < FORMULA_MAX; at++) {
		if (*at == ')' && depth == 0)
			return at > text + 1 && at[-1] == ' ' ? at - 1 : NULL;
		depth += *at == '(';
		depth -= *at == ')';
	}
	return NULL;
}

/* Returns where "min( ( X * A ) , Y" begins, of which Y ends at `end` and is `other`; or NULL. */
static char *start_of_minimum(char *formula, char *end, const char *product, const char *other,
			      size_t length)
{
	static const char begin[] = "min( ( ";
	char *at = end;

	if ((size_t)(end - formula) < length + strlen(product) ||
	    memcmp(end - length, other, length) != 0)
		return NULL;
	at -= length + strlen(product);
	if (memcmp(at, product, strlen(product)) != 0)
		return NULL;
	while (at > formula && is_word(at[-1]))
		at--;
	if ((size_t)(at - formula) < strlen(begin))
		return NULL;
	at -= strlen(begin);
	return memcmp(at, begin, strlen(begin)) == 0 ? at : NULL;
}

/*
 * Of "min( ( X * A ) , Y ) if ( A >= 0 ) else ( Y )" with the unknown latency A, only Y is left:
 * the vendor's own value then.
 */
static void drop_latency(char *formula, const char *alias, size_t *work)
{
	char guard[64], product[64];

	snprintf(guard, sizeof(guard), " ) if ( %.20s >= 0 ) else ( ", alias);
	snprintf(product, sizeof(product), " * %.20s ) , ", alias);
	*work += strlen(formula);
	for (char *found = formula; *work <= WORK_MAX && (found = strstr(found, guard)); found++) {
		*work += strlen(found);
		const char *other = found + strlen(guard), *end = end_of_group(other);
		size_t length = end ? (size_t)(end - other) : 0;
		char *start = end ? start_of_minimum(formula, found, product, other, length) : NULL;

		if (!start)
			continue;
		memmove(start, other, length);
		memmove(start + length, end + 2, strlen(end + 2) + 1);
		found = start;
	}
}

static bool is_latency(const char *name)
{
	return text_ends_with(name, ":retire_latency");
}

static char *with_usual_operators(const char *begin, const char *formula)
{
	struct text_buffer buffer = {0};

	text_buffer_add_text(&buffer, begin);
	for (const char *at = formula; at && *at;)
		at += add_operand(&buffer, at, false);
	return buffer.bytes;
}

/* The formula in the operators of most files. The caller frees it. */
static char *formula_of(const json_t *metric, size_t *work)
{
	const char *base = table_member(metric, "BaseFormula");
	const json_t *events = json_object_get(metric, "Events");
	char *formula = with_usual_operators("", table_member(metric, "Formula"));

	for (size_t i = 0; i < json_array_size(events) && i < ALIASES_MAX; i++) {
		const char *alias = table_member(json_array_get(events, i), "Alias");
		const char *name = table_member(json_array_get(events, i), "Name");

		if (alias && name && is_latency(name) && strlen(formula) <= REPAIRED_MAX)
			drop_latency(formula, alias, work);
	}
	if (strlen(formula) <= FORMULA_MAX || !base)
		return formula;
	free(formula);
	return with_usual_operators("=", base);
}

/* True also if there is no time to search it. */
static bool has_name(const char *formula, const char *name, size_t *work)
{
	size_t length = strlen(name);

	*work += strlen(formula);
	if (*work > WORK_MAX)
		return true;
	for (const char *at = formula; (at = strstr(at, name)); at++)
		if ((at == formula || !is_word(at[-1])) && !is_word(at[length]))
			return true;
	return false;
}

/*
 * "a=EVENT b=EVENT", with _ for the blanks of a name. The caller frees it. Of the metrics that have
 * a BaseFormula, SYSTEM_TSC_FREQ is the ticks in the interval: "tsc" there.
 */
static char *inputs_of(const json_t *metric, const char *member, const char *formula, size_t *work)
{
	bool ticks = json_object_get(metric, "BaseFormula");
	const json_t *inputs = json_object_get(metric, member);
	struct text_buffer buffer = {0};

	text_buffer_add(&buffer, "", 0);
	for (size_t i = 0; i < json_array_size(inputs); i++) {
		const char *alias = table_member(json_array_get(inputs, i), "Alias");
		const char *name = table_member(json_array_get(inputs, i), "Name");

		if (!alias || !alias[0] || !name ||
		    (is_latency(name) && !has_name(formula, alias, work)))
			continue;
		if (buffer.length > 0)
			text_buffer_add(&buffer, " ", 1);
		text_buffer_add_text(&buffer, alias);
		text_buffer_add(&buffer, "=", 1);
		if (ticks && strcmp(name, "SYSTEM_TSC_FREQ") == 0)
			name = "TSC";
		for (; *name; name++)
			text_buffer_add(&buffer, *name == ' ' ? "_" : name, 1);
	}
	return buffer.bytes;
}

static void add_metric(struct table_reading *reading, const json_t *metric, size_t line,
		       struct titles *titles)
{
	char *formula = formula_of(metric, &titles->work),
	     *threshold = threshold_of(metric, titles);
	char *events = inputs_of(metric, "Events", formula, &titles->work);
	char *constants = inputs_of(metric, "Constants", formula, &titles->work);
	if (titles->work > WORK_MAX) {
		table_reading_fault(reading, line, "the thresholds have too many names");
		threshold[0] = '\0';
	}
	const struct table_metric row = {
		.name = table_member(metric, "MetricName"),
		.pmu = reading->core_pmu,
		.unit = table_member(metric, "UnitOfMeasure"),
		.parent = table_member(metric, "ParentCategory"),
		.domain = table_member(metric, "CountDomain"),
		.formula = formula,
		.events = events,
		.constants = constants,
		.threshold = threshold,
		.help = table_member(metric, "BriefDescription"),
	};
	if (!table_text_add_metric(&reading->text, &row))
		table_reading_fault(reading, line, "a metric has an unusual name or no Formula");
	free(formula);
	free(events);
	free(constants);
	free(threshold);
}

void table_intel_metrics_end(struct table_reading *reading)
{
	struct titles titles = {0};

	for (size_t i = 0; i < reading->n_metrics; i++)
		add_title(&titles, table_member(reading->metrics[i], "LegacyName"),
			  table_member(reading->metrics[i], "MetricName"));
	if (titles.n > 0)
		qsort(titles.items, titles.n, sizeof(*titles.items), compare_titles);
	for (size_t i = 0; i < reading->n_metrics; i++)
		add_metric(reading, reading->metrics[i], reading->metric_lines[i], &titles);
	free(titles.items);
}
