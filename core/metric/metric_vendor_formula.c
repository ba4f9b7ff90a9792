// SPDX-License-Identifier: MIT
/*
 * The vendor's formulas have letters for events and constants, and a line that gives their meaning.
 * A formula that begins with "=" is Linux', which has names of events and of metrics
 * (tma_memory_bound) in lower case. There the metrics in percent are fractions.
 *
 * Both are copied token by token: names are replaced, blanks and the parentheses around single
 * names are tidied.
 */
#include "core/metric/metric_vendor_formula.h"

#include "core/base/text.h"
#include "core/base/text_buffer.h"
#include "core/base/util.h"
#include "core/event/event_resolver.h"
#include "core/metric/metric_constant.h"
#include "core/metric/metric_meanings.h"
#include "core/metric/metric_vendor.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS_MAX = 64 };

enum token_kind {
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_OPERATOR,
	TOKEN_FUNCTION,
	TOKEN_COMMA,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_END,
};

struct token {
	enum token_kind kind;
	const char *text; /* not terminated */
	size_t length;
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool token_is(const struct token *token, const char *word)
{
	return strlen(word) == token->length && memcmp(token->text, word, token->length) == 0;
}

/* Letters, digits, _ . and : as in "uops_retired.ms:c1". */
static size_t name_length(const char *text)
{
	size_t n = 0;

	while (is_letter(text[n]) || is_digit(text[n]) || text[n] == '.' || text[n] == ':')
		n++;
	return n;
}

static enum token_kind kind_of_name(const struct token *token)
{
	static const char *const functions[] = {"min", "max", "d_ratio"};

	if (token_is(token, "if") || token_is(token, "else"))
		return TOKEN_OPERATOR;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (token_is(token, functions[i]))
			return TOKEN_FUNCTION;
	return TOKEN_NAME;
}

/* Cuts the next token off. A name may begin with a digit: 4K_Aliasing. */
static struct token next_token(const char **at)
{
	const char *text = *at + strspn(*at, " ");
	struct token token = {.text = text, .length = 1};
	double number;

	if (is_digit(text[0]) || (text[0] == '.' && is_digit(text[1]))) {
		token.kind = TOKEN_NUMBER;
		token.length = text_number(text, &number);
		if (is_letter(text[token.length])) {
			token.kind = TOKEN_NAME;
			token.length = name_length(text);
		}
	} else if (is_letter(text[0])) {
		token.length = name_length(text);
		token.kind = kind_of_name(&token);
	} else if (text[0] == '\0') {
		token.kind = TOKEN_END;
		token.length = 0;
	} else if (text[0] == '(' || text[0] == ')') {
		token.kind = text[0] == '(' ? TOKEN_OPEN : TOKEN_CLOSE;
	} else if (text[0] == ',') {
		token.kind = TOKEN_COMMA;
	} else {
		token.kind = TOKEN_OPERATOR;
		token.length += text[1] == '=';
	}
	*at = text + token.length;
	return token;
}

/* Parentheses that are open. */
struct group {
	size_t start;    /* of the "(" in the text */
	unsigned tokens; /* in it so far */
	bool call;       /* of a function */
};

struct writer {
	const struct event_context *context;
	const struct event_table *table;
	const struct event_table_metric *metric;
	struct metric_meanings events, constants;
	struct text_buffer output;
	enum token_kind last;
	bool joins; /* the last token is a sign */
	struct group groups[GROUPS_MAX];
	size_t n_groups;
	bool linux_names; /* the formula begins with "=" */
	struct error *why;
};

static void append_text(struct writer *w, const char *text)
{
	text_buffer_add_text(&w->output, text);
}

/* Returns -ENOTSUP, with a sentence that names what the metric cannot be computed from. */
static int refuse_metric(struct writer *w, const char *what, const char *name, size_t length)
{
	return error_set(w->why, -ENOTSUP, "Metric %.40s: %s %s.", w->metric->name, what,
			 event_quote(name, length).text);
}

/* Constants that metric_constant.c has under another name, or not. */
static const struct {
	const char *name, *text;
} constants[] = {
	{"DURATIONTIMEINSECONDS", "interval_s"},
	{"TSC", "(SYSTEM_TSC_FREQ * interval_s)"},
	{"CPUS_ONLINE", "#num_cpus_online"},
	{"system.sockets[0].cpus.count_*_system.socket_count", "#num_cpus_online"},
};

static int write_constant(struct writer *w, const char *name, size_t length)
{
	const char *constant = metric_constant_of_vendor(name, length);
	double number;

	if (text_number(name, &number) == length) {
		text_buffer_add(&w->output, name, length);
		return 0;
	}
	if (name[0] == '~' && text_number(name + 1, &number) == length - 1) {
		append_text(w, "estimate(");
		text_buffer_add(&w->output, name + 1, length - 1);
		append_text(w, ")");
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (event_same_name(name, length, constants[i].name))
			constant = constants[i].text;
	if (!constant)
		return refuse_metric(w, "its formula has the unknown constant", name, length);
	append_text(w, constant);
	return 0;
}

/*
 * Events that Linux has under another name. The energy has another unit: these are Joules. TSC
 * is summed over all CPUs. msr/tsc/ would leave out idle time, as figures do.
 */
static const struct {
	const char *name, *text;
} linux_events[] = {
	{"UNC_PKG_ENERGY_STATUS", "('power/energy-pkg/' / 0.000061)"},
	{"FREERUN_PKG_ENERGY_STATUS", "('power/energy-pkg/' / 0.000061)"},
	{"FREERUN_DRAM_ENERGY_STATUS", "('power/energy-ram/' / 0.0000156)"},
	{"TSC", "(SYSTEM_TSC_FREQ * interval_s * #num_cpus_online)"},
};

/* The PMU that the names of the metric's events need, because another kind of cores has them. */
static const char *pmu_of(const struct writer *w)
{
	for (size_t i = 0; strcmp(w->metric->pmu, "cpu") != 0 && i < w->context->pmus->n; i++)
		if (strcmp(w->context->pmus->items[i].name, w->metric->pmu) == 0)
			return w->metric->pmu;
	return NULL;
}

static void append_event(struct writer *w, bool core, const char *name, const char *rest,
			 size_t n_rest)
{
	const char *pmu = core ? pmu_of(w) : NULL;

	append_text(w, "'");
	if (pmu) {
		append_text(w, pmu);
		append_text(w, "/");
	}
	append_text(w, name);
	text_buffer_add(&w->output, rest, n_rest);
	append_text(w, pmu ? "/'" : "'");
}

/* The item of the metric's PMU, else the first. */
static const struct event_table_item *find_item(const struct writer *w, const char *name,
						size_t length)
{
	size_t n;
	const struct event_table_item *items = event_table_find(w->table, name, length, &n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(items[i].pmu, w->metric->pmu) == 0)
			return &items[i];
	return items;
}

static int write_event(struct writer *w, const char *name, size_t length)
{
	const char *colon = memchr(name, ':', length);
	size_t n = colon ? (size_t)(colon - name) : length;
	const char *alias = event_vendor_alias(name, n);

	for (size_t i = 0; i < ARRAY_SIZE(linux_events); i++)
		if (event_same_name(name, length, linux_events[i].name)) {
			append_text(w, linux_events[i].text);
			return 0;
		}
	if (text_part_ends_with(name, length, ":retire_latency"))
		return refuse_metric(w, "the vendor has no typical latency for this CPU of", name,
				     n);
	if (text_part_ends_with(name, length, ":percore"))
		return refuse_metric(w, "the counts of both threads of a core are not added, for",
				     name, n);
	if (alias) {
		append_event(w, true, alias, "", 0);
		return 0;
	}
	if (event_same_name(name, length, "TOPDOWN.SLOTS:perf_metrics")) {
		append_event(w, true, "slots", "", 0);
		return 0;
	}
	const struct event_table_item *item = find_item(w, name, n);
	if (!item)
		return refuse_metric(w, "the vendor's table for this CPU does not have", name, n);
	bool core = strncmp(item->pmu, "cpu", 3) == 0;
	if (core && pmu_of(w) && strcmp(item->pmu, w->metric->pmu) != 0)
		return refuse_metric(w, "other cores have its event", name, n);
	/* Counted on every socket: the vendor means one socket. */
	bool one_unit = text_part_ends_with(name, length, ":one_unit");
	append_text(w, one_unit ? "(" : "");
	append_event(w, core, item->name, name + n, length - n);
	append_text(w, one_unit ? " / SOCKET_COUNT)" : "");
	return 0;
}

size_t metric_vendor_name(const struct event_table *table, const struct event_table_metric *metric,
			  char *name, size_t size)
{
	size_t n;

	event_table_find_metric(table, metric->name, strlen(metric->name), &n);
	bool main = strcmp(metric->pmu, "cpu") == 0 || strcmp(metric->pmu, "cpu_core") == 0;
	return (size_t)snprintf(name, size, "%s%s%s", n > 1 && !main ? metric->pmu : "",
				n > 1 && !main ? "_" : "", metric->name);
}

bool metric_vendor_is_percent(const struct event_table_metric *metric)
{
	return strncmp(metric->unit, "percent", strlen("percent")) == 0;
}

size_t metric_vendor_scale(const struct event_table_metric *metric, double *scale)
{
	size_t n = metric->formula[0] == '=' ? text_number(metric->unit, scale) : 0;

	return n > 0 && isnormal(*scale) && *scale != 1 ? n : 0;
}

/*
 * In Linux' formulas. A metric that they name has no factor there. The prefix distinguishes it from
 * events and from other metrics of the name.
 */
static int write_metric(struct writer *w, const struct event_table_metric *metric)
{
	bool percent = metric_vendor_is_percent(metric);
	double scale;
	size_t n_scale = metric_vendor_scale(metric, &scale);
	char name[128];

	if (metric_vendor_name(w->table, metric, name, sizeof(name)) >= sizeof(name))
		return refuse_metric(w, "too long is the name of", name, sizeof(name));
	append_text(w, percent || n_scale ? "(" : "");
	append_text(w, METRIC_VENDOR_PREFIX);
	append_text(w, name);
	append_text(w, percent ? " / 100" : n_scale ? " / " : "");
	text_buffer_add(&w->output, metric->unit, n_scale);
	append_text(w, percent || n_scale ? ")" : "");
	return 0;
}

const struct event_table_metric *metric_vendor_on_pmu(const struct event_table *table,
						      const char *pmu, const char *name,
						      size_t length)
{
	size_t n = 0;
	const struct event_table_metric *found = event_table_find_metric(table, name, length, &n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(found[i].pmu, pmu) == 0)
			return &found[i];
	return NULL;
}

static int write_name(struct writer *w, const struct token *name)
{
	size_t length = 0;
	const char *meaning;

	if (w->linux_names) {
		const struct event_table_metric *metric =
			metric_vendor_on_pmu(w->table, w->metric->pmu, name->text, name->length);

		if (metric)
			return write_metric(w, metric);
		return write_event(w, name->text, name->length);
	}
	meaning = metric_meanings_find(&w->events, name->text, name->length, &length);
	if (meaning)
		return write_event(w, meaning, length);
	meaning = metric_meanings_find(&w->constants, name->text, name->length, &length);
	if (meaning)
		return write_constant(w, meaning, length);
	return write_constant(w, name->text, name->length);
}

/* Removes the parentheses around a single name or number. Returns whether it did. */
static bool close_group(struct writer *w)
{
	const struct group *group = &w->groups[--w->n_groups];

	if (group->call || group->tokens != 1)
		return false;
	memmove(w->output.bytes + group->start, w->output.bytes + group->start + 1,
		w->output.length - group->start);
	w->output.length--;
	return true;
}

static void append_blank(struct writer *w, enum token_kind next)
{
	if (w->output.length == 0 || w->joins || w->last == TOKEN_OPEN ||
	    w->last == TOKEN_FUNCTION || next == TOKEN_CLOSE || next == TOKEN_COMMA)
		return;
	append_text(w, " ");
}

static int open_group(struct writer *w)
{
	if (w->n_groups == GROUPS_MAX)
		return refuse_metric(w, "too many parentheses are in", w->metric->name,
				     strlen(w->metric->name));
	w->groups[w->n_groups++] =
		(struct group){.start = w->output.length, .call = w->last == TOKEN_FUNCTION};
	append_text(w, "(");
	return 0;
}

static int write_token(struct writer *w, const struct token *token, bool names)
{
	bool sign = token_is(token, "-") && w->last != TOKEN_NAME && w->last != TOKEN_NUMBER &&
		    w->last != TOKEN_CLOSE;
	enum token_kind last = token->kind;
	int result = 0;

	append_blank(w, token->kind);
	if (token->kind == TOKEN_CLOSE && w->n_groups == 0)
		return refuse_metric(w, "a parenthesis is missing in", w->metric->name,
				     strlen(w->metric->name));
	if (token->kind == TOKEN_OPEN)
		result = open_group(w);
	else if (token->kind == TOKEN_NAME && names)
		result = write_name(w, token);
	else if (token->kind != TOKEN_CLOSE || !close_group(w))
		text_buffer_add(&w->output, token->text, token->length);
	if (token->kind != TOKEN_OPEN && w->n_groups > 0)
		w->groups[w->n_groups - 1].tokens++;
	w->joins = sign;
	w->last = last;
	return result;
}

static int write_tokens(struct writer *w, const char *text, bool names)
{
	struct token token = next_token(&text);
	int result = 0;

	w->last = TOKEN_OPERATOR;
	for (; token.kind != TOKEN_END && result == 0; token = next_token(&text))
		result = write_token(w, &token, names);
	if (result == 0 && w->n_groups > 0)
		result = refuse_metric(w, "a parenthesis is missing in", w->metric->name,
				       strlen(w->metric->name));
	return result;
}

char *metric_vendor_formula(const struct event_context *context, const struct event_table *table,
			    const struct event_table_metric *metric, struct error *why)
{
	const char *formula = metric->formula;
	double scale;
	size_t n_scale = metric_vendor_scale(metric, &scale);
	struct writer w = {
		.context = context,
		.table = table,
		.metric = metric,
		.linux_names = formula[0] == '=',
		.why = why,
	};

	metric_meanings_init(&w.events, metric->events);
	metric_meanings_init(&w.constants, metric->constants);
	text_buffer_add(&w.output, metric->unit, n_scale);
	append_text(&w, n_scale ? " * (" : "");
	w.joins = true;
	size_t n_front = w.output.length;
	int result = write_tokens(&w, formula + w.linux_names, true);
	metric_meanings_fini(&w.events);
	metric_meanings_fini(&w.constants);
	if (result == 0 && w.output.length == n_front)
		result = error_set(why, -ENOTSUP, "Metric %.40s: its formula is empty.",
				   metric->name);
	if (result < 0) {
		free(w.output.bytes);
		return NULL;
	}
	append_text(&w, n_scale ? ")" : "");
	return w.output.bytes;
}

/* Whether it is "NAME > 20": with a number, and nothing that is computed. */
static bool is_own_comparison(const struct event_table_metric *metric, const struct token *name,
			      const char *rest, struct metric_vendor_threshold *threshold)
{
	if (name->kind != TOKEN_NAME || !event_same_name(name->text, name->length, metric->name))
		return false;
	struct token compare = next_token(&rest), number = next_token(&rest);
	struct token next = next_token(&rest);
	bool below = compare.text[0] == '<';
	if (compare.kind != TOKEN_OPERATOR || (!below && compare.text[0] != '>') ||
	    number.kind != TOKEN_NUMBER ||
	    (next.kind != TOKEN_END && next.kind != TOKEN_CLOSE && !token_is(&next, "&") &&
	     !token_is(&next, "|")))
		return false;
	threshold->below = below;
	text_number(number.text, &threshold->limit);
	return true;
}

void metric_vendor_threshold(const struct event_table_metric *metric,
			     struct metric_vendor_threshold *threshold)
{
	struct error ignored;
	struct writer w = {.metric = metric, .why = &ignored};
	const char *at = metric->threshold;
	double scale;

	*threshold = (struct metric_vendor_threshold){.either = strchr(at, '|') != NULL};
	if (write_tokens(&w, at, false) == 0 && w.output.bytes)
		threshold->text = w.output.bytes;
	else
		free(w.output.bytes);
	if (!threshold->text)
		threshold->text = xstrdup(at);
	for (struct token token = next_token(&at); token.kind != TOKEN_END && !threshold->own;
	     token = next_token(&at))
		threshold->own = is_own_comparison(metric, &token, at, threshold);
	if (metric_vendor_scale(metric, &scale) > 0)
		threshold->limit *= scale;
}
