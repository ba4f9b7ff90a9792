// SPDX-License-Identifier: MIT
/*
 * The meaning of a name in a formula: a function, a variable, an event, or another metric. Events
 * come before metrics, so that a new metric does not change a formula. The formula of a metric is
 * compiled in the place of its name. If it is named again, its value is used again.
 */
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/event/event_wait.h"
#include "core/metric/metric_compile_internal.h"
#include "core/metric/metric_constant.h"
#include "core/metric/metric_vendor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t metric_name_length(const char *text)
{
	size_t n = 0;

	for (;; n++) {
		char c = text[n];
		bool joins =
			c == '-' && n > 0 && text[n - 1] != '-' && metric_is_letter(text[n + 1]);

		if (!metric_is_letter(c) && !metric_is_digit(c) && !(c && strchr("_.:", c)) &&
		    !joins)
			return n;
	}
}

static int emit_event(struct metric_parser *p, size_t index)
{
	return metric_parser_emit(p, (struct metric_op){.code = OP_EVENT, .event = index}, 0);
}

/* Returns the index of an unknown name, or how many there are. */
static size_t find_unknown(const struct metric_parser *p, const char *name)
{
	size_t i = 0;

	while (i < p->n_unknown && strcmp(p->unknown[i].name, name) != 0)
		i++;
	return i;
}

/* A formula may name in a part that it does not need what this machine does not have. */
static int emit_unknown(struct metric_parser *p, const char *name, const struct error *why)
{
	size_t index = find_unknown(p, name);

	if (index == METRIC_UNKNOWN_MAX)
		return error_set(p->err, p->unknown[0].why.code, "%s", p->unknown[0].why.text);
	if (index == p->n_unknown)
		p->unknown[p->n_unknown++] =
			(struct metric_unknown){.name = xstrdup(name), .why = *why};
	return metric_parser_emit(p, (struct metric_op){.code = OP_UNKNOWN, .unknown = index}, 0);
}

/* Formulas that are too large, or name each other in a cycle, are wrong everywhere. */
static int accept_failure(struct metric_parser *p, const char *name, const struct error *why)
{
	if (why->code == -E2BIG || why->code == -ELOOP)
		return error_set(p->err, why->code, "%s", why->text);
	return emit_unknown(p, name, why);
}

static int parse_event(struct metric_parser *p, size_t start, const char *name)
{
	struct error why = {.text = "there is no such event"};
	char printable[160];

	if (!p->events)
		return emit_event(p, 0);
	int index = event_set_add(p->events, name, &why);
	if (index >= 0)
		return emit_event(p, (size_t)index);
	text_printable(printable, sizeof(printable), why.text, 150);
	struct error *outer = p->err, failure = {0};
	p->err = &failure;
	metric_parser_fail(p, index, start, "%s", printable);
	p->err = outer;
	return accept_failure(p, name, &failure);
}

/* Fills *def, which the caller frees. */
static bool find_metric(const struct metric_parser *p, const char *name, struct metric_def *def)
{
	const struct event_context *context = p->events->context;
	const struct metric_names *known = context ? context->metrics : NULL;
	const struct metric_def *found =
		metric_def_lookup(known ? known->items : NULL, known ? known->n : 0, name);

	if (found)
		metric_def_copy(def, found);
	return found || metric_vendor_find(context, name, def) == 0;
}

/* The sentence names the metrics of the cycle in order: the last one names the first. */
static int fail_cycle(struct metric_parser *p, size_t start, const char *name)
{
	char list[160] = "", printable[64];
	size_t length = 0;

	for (const struct metric_use *use = p->use; use; use = use->outer) {
		text_printable(printable, sizeof(printable), use->name, 32);
		length += (size_t)snprintf(list + length, sizeof(list) - length, ", named by %s",
					   printable);
		if (length >= sizeof(list) || strcmp(use->name, name) == 0)
			break;
	}
	text_printable(printable, sizeof(printable), name, 32);
	return metric_parser_fail(p, -ELOOP, start, "a cycle: %s%s", printable, list);
}

static int check_nesting(struct metric_parser *p, size_t start, const char *name)
{
	size_t n = 0;

	for (const struct metric_use *use = p->use; use; use = use->outer, n++)
		if (strcmp(use->name, name) == 0)
			return fail_cycle(p, start, name);
	return n <= METRIC_NAMES_NESTED_MAX
		       ? 0
		       : metric_parser_fail(p, -E2BIG, start,
					    "metrics that name metrics, more than %d deep",
					    METRIC_NAMES_NESTED_MAX);
}

/* Lengths of the parser's arrays before a form. If it does not compile, they are set back. */
struct form_start {
	size_t ops, depth, events, named, unknown;
};

static void remove_form(struct metric_parser *p, const struct form_start *from)
{
	p->n = from->ops;
	p->depth = from->depth;
	metric_parser_forget(p, from->named);
	while (p->n_unknown > from->unknown)
		free(p->unknown[--p->n_unknown].name);
	while (p->events->n > from->events)
		event_fini(&p->events->items[--p->events->n]);
}

/* A formula that only the whole machine has would be wrong for a task. */
static int check_form(struct metric_parser *p, size_t start, const struct form_start *from,
		      const struct metric_def *def)
{
	bool of_socket = false, *used = metric_used_ops(p->ops, p->n);
	int ret = 0;

	for (size_t i = from->ops; i < p->n && ret == 0; i++) {
		const struct metric_op *op = &p->ops[i];

		if (used[i] && op->code == OP_UNSUPPORTED)
			ret = metric_parser_fail(p, -ENOENT, start,
						 "%.40s: this machine does not have %s", def->name,
						 op->variable);
		if (used[i] && op->code == OP_UNKNOWN)
			ret = error_set(p->err, p->unknown[op->unknown].why.code, "%s",
					p->unknown[op->unknown].why.text);
		of_socket |= used[i] && op->code == OP_EVENT &&
			     p->events->items[op->event].kind == EVENT_SOCKET;
	}
	free(used);
	if (ret < 0)
		return ret;
	if (def->machine && !p->machine && !of_socket)
		return metric_parser_fail(p, -EINVAL, start,
					  "%.40s is a metric of the whole machine only", def->name);
	return 0;
}

static int parse_form(struct metric_parser *p, size_t start, const struct metric_def *def,
		      size_t form)
{
	const struct metric_use use = {.name = def->name, .outer = p->use};
	const struct form_start from = {p->n, p->depth, p->events->n, p->n_named, p->n_unknown};
	const char *text = p->text;
	size_t at = p->at;

	p->text = def->forms[form].expression;
	p->at = 0;
	p->use = &use;
	int ret = metric_parse_text(p);
	p->text = text;
	p->at = at;
	p->use = use.outer;
	if (ret == 0)
		ret = check_form(p, start, &from, def);
	if (ret < 0)
		remove_form(p, &from);
	return ret;
}

/* Returns the index, or n_named. */
static size_t find_named(const struct metric_parser *p, const char *name)
{
	size_t i = 0;

	while (i < p->n_named && strcmp(p->named[i].name, name) != 0)
		i++;
	return i;
}

static bool is_kept(const struct metric_parser *p, size_t index)
{
	return index < p->n_named && index < METRIC_KEPT_MAX;
}

static int recall_value(struct metric_parser *p, size_t slot)
{
	return metric_parser_emit(p, (struct metric_op){.code = OP_RECALL, .slot = slot}, 0);
}

/* Adds the metric whose value is now the last one, and keeps the value if there is a slot. */
static int keep_metric(struct metric_parser *p, const char *name, const char *expression)
{
	size_t slot = p->n_named;

	p->named = array_reserve(p->named, &p->named_capacity, p->n_named + 1, sizeof(*p->named));
	p->named[p->n_named++] = (struct metric_def){
		.name = xstrdup(name), .forms = {{.expression = xstrdup(expression)}}};
	if (slot >= METRIC_KEPT_MAX)
		return 0;
	return metric_parser_emit(p, (struct metric_op){.code = OP_KEEP, .slot = slot}, 1);
}

/*
 * Parses the first form for these CPUs whose events are known, as metric_choose(). Returns its
 * number, or -errno.
 */
static int parse_some_form(struct metric_parser *p, size_t start, const struct metric_def *def)
{
	const struct event_context *context = p->events->context;
	unsigned cpus = metric_cpu_kinds(context);
	int ret = def->refused
			  ? metric_parser_fail(p, -ENOTSUP, start, "%s", def->refused)
			  : metric_parser_fail(p, -ENOENT, start,
					       "%.40s: this CPU has no events for it", def->name);

	for (size_t form = metric_def_form(def, cpus, 0); form < METRIC_FORMS_MAX;
	     form = metric_def_form(def, cpus, form + 1)) {
		if (def->forms[form].all_levels && context && context->levels != EVENT_LEVELS_ALL)
			ret = metric_parser_fail(p, -ENOENT, start,
						 "%.40s needs all privilege levels", def->name);
		else
			ret = parse_form(p, start, def, form);
		if (ret == 0)
			return (int)form;
		if (ret == -ELOOP || ret == -E2BIG)
			break;
	}
	return ret;
}

/*
 * A metric that is not kept. `name` is as in the formula, and so in recordings: a vendor's metric
 * has several names.
 */
static int parse_metric(struct metric_parser *p, size_t start, const char *name,
			const struct metric_def *def)
{
	bool known = find_named(p, name) < p->n_named;
	int ret = check_nesting(p, start, def->name);

	if (ret == 0 && ++p->uses > METRIC_USES_MAX)
		ret = metric_parser_fail(p, -E2BIG, start, "more than %d metrics are named",
					 METRIC_USES_MAX);
	if (ret < 0)
		return ret;
	int form = parse_some_form(p, start, def);
	if (form < 0 || known)
		return form < 0 ? form : 0;
	return keep_metric(p, name, def->forms[form].expression);
}

/* A name that no event has: resolving one that is none takes long. */
static bool is_of_metric(const char *name)
{
	return metric_vendor_has_prefix(name) || metric_is_digit(name[0]);
}

/* A name that is no function and no variable. */
static int parse_event_or_metric(struct metric_parser *p, size_t start, const char *name)
{
	size_t index = find_named(p, name);
	struct metric_def def;

	if (!p->events)
		return emit_event(p, 0);
	if (is_kept(p, index))
		return recall_value(p, index);
	index = find_unknown(p, name);
	if (index < p->n_unknown)
		return emit_unknown(p, name, &p->unknown[index].why);
	int event = is_of_metric(name) ? -ENOENT : event_set_add(p->events, name, NULL);
	if (event >= 0)
		return emit_event(p, (size_t)event);
	if (find_metric(p, name, &def)) {
		struct error *outer = p->err, why = {0};
		p->err = &why;
		int ret = parse_metric(p, start, name, &def);
		p->err = outer;
		metric_def_fini(&def);
		return ret < 0 ? accept_failure(p, name, &why) : 0;
	}
	if (!metric_is_digit(name[0]))
		return parse_event(p, start, name);
	p->at = start;
	return metric_parse_number(p);
}

static int parse_arguments(struct metric_parser *p, enum op_code code, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && !metric_parser_accept(p, ","))
			return metric_parser_fail_expected(p, "','");
		int ret = metric_parse_expression(p);
		if (ret < 0)
			return ret;
	}
	if (!metric_parser_accept(p, ")"))
		return metric_parser_fail_expected(p, "')'");
	return metric_parser_emit_op(p, code, count);
}

static bool is_histogram(const struct event *event)
{
	return event->kind == EVENT_WAIT && event_wait_counters(event_wait_of(event)) > 1;
}

/* percentile(event, p), behind its parenthesis: the event, with the number in its operation. */
static int parse_percentile(struct metric_parser *p, size_t start)
{
	int ret = metric_parse_unary(p);
	size_t event = p->n;

	if (ret == 0 && !metric_parser_accept(p, ","))
		return metric_parser_fail_expected(p, "','");
	if (ret == 0 && !metric_is_digit(metric_parser_skip_space(p)))
		return metric_parser_fail_expected(p, "a number");
	if (ret == 0)
		ret = metric_parse_number(p);
	if (ret < 0)
		return ret;
	if (!metric_parser_accept(p, ")"))
		return metric_parser_fail_expected(p, "')'");
	double percentile = p->ops[--p->n].number;
	p->depth--;
	struct metric_op *op = &p->ops[event - 1];
	if (op->code == OP_UNKNOWN)
		return 0;
	if (op->code != OP_EVENT || op->percentile > 0 ||
	    (p->events && !is_histogram(&p->events->items[op->event])) || percentile <= 0 ||
	    percentile > 100)
		return metric_parser_fail(
			p, -EINVAL, start,
			"percentile(event, p) needs 'wakeups' and a number up to 100");
	op->percentile = percentile;
	return 0;
}

/* samples(event), error(event) and share(event), behind the parenthesis. */
static int parse_part(struct metric_parser *p, size_t start, enum metric_part part)
{
	int ret = metric_parse_unary(p);

	if (ret < 0)
		return ret;
	if (!metric_parser_accept(p, ")"))
		return metric_parser_fail_expected(p, "')'");
	struct metric_op *op = &p->ops[p->n - 1];
	if (op->code == OP_UNKNOWN)
		return 0;
	if (op->code != OP_EVENT || op->percentile > 0 || op->part != METRIC_PART_COUNT ||
	    (p->events && p->events->items[op->event].kind != EVENT_SAMPLED))
		return metric_parser_fail(
			p, -EINVAL, start,
			"samples(event), error(event) and share(event) need an event of "
			"a recorded profile");
	op->part = part;
	return 0;
}

/* The function of a name, behind its parenthesis. */
static int parse_function(struct metric_parser *p, size_t start, const char *name)
{
	static const struct {
		const char *name;
		enum op_code code;
		size_t arguments;
	} functions[] = {
		{"min", OP_MIN, 2},       {"max", OP_MAX, 2},           {"if", OP_IF, 3},
		{"d_ratio", OP_RATIO, 2}, {"estimate", OP_ESTIMATE, 1},
	};

	if (strcmp(name, "percentile") == 0)
		return parse_percentile(p, start);
	if (strcmp(name, "samples") == 0)
		return parse_part(p, start, METRIC_PART_SAMPLES);
	if (strcmp(name, "error") == 0)
		return parse_part(p, start, METRIC_PART_ERROR);
	if (strcmp(name, "share") == 0)
		return parse_part(p, start, METRIC_PART_SHARE);
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (strcmp(functions[i].name, name) == 0)
			return parse_arguments(p, functions[i].code, functions[i].arguments);
	return metric_parser_fail(p, -EINVAL, start,
				  "there is no such function: min(a, b), max(a, b), "
				  "if(c, a, b), d_ratio(a, b), estimate(a), "
				  "percentile(event, p), "
				  "samples(event), error(event), share(event)");
}

/* Copies the name behind the first `skip` characters, with them, and skips it. */
static int read_name(struct metric_parser *p, size_t skip, char name[METRIC_NAME_MAX_BYTES + 1])
{
	size_t length = skip + metric_name_length(p->text + p->at + skip);

	if (length > METRIC_NAME_MAX_BYTES)
		return metric_parser_fail(p, -E2BIG, p->at, "a name of more than %d bytes",
					  METRIC_NAME_MAX_BYTES);
	memcpy(name, p->text + p->at, length);
	name[length] = '\0';
	p->at += length;
	return 0;
}

int metric_parse_name(struct metric_parser *p)
{
	size_t start = p->at;
	char name[METRIC_NAME_MAX_BYTES + 1];
	int ret = read_name(p, 0, name);

	if (ret < 0)
		return ret;
	if (!metric_is_digit(name[0]) && metric_parser_accept(p, "("))
		return parse_function(p, start, name);
	if (strcmp(name, "interval_s") == 0)
		return metric_parser_emit_op(p, OP_INTERVAL, 0);
	if (strcmp(name, "cpu_time_s") == 0)
		return metric_parser_emit_op(p, OP_CPU_TIME, 0);
	if (metric_constant_exists(name))
		return metric_parse_constant(p, name);
	for (enum fact i = 0; i < FACTS; i++)
		if (strcmp(name, fact_name(i)) == 0)
			return metric_parser_emit(p, (struct metric_op){.code = OP_FACT, .fact = i},
						  0);
	return parse_event_or_metric(p, start, name);
}

int metric_parse_literal(struct metric_parser *p)
{
	size_t start = p->at;
	char name[METRIC_NAME_MAX_BYTES + 1];
	int ret = read_name(p, 1, name);

	if (ret < 0)
		return ret;
	if (metric_constant_exists(name))
		return metric_parse_constant(p, name);
	return metric_parser_fail(p, -EINVAL, start,
				  "'%.40s' is not known: #smt_on, #num_cpus, #num_cpus_online, "
				  "#num_cores, #num_dies, #num_packages, #slots, "
				  "#system_tsc_freq, #core_wide",
				  name);
}

int metric_parse_quoted(struct metric_parser *p)
{
	size_t start = p->at;
	const char *text = p->text + start + 1;
	const char *end = strchr(text, '\'');
	char name[METRIC_NAME_MAX_BYTES + 1];

	if (!end)
		return metric_parser_fail(p, -EINVAL, start, "this quote is not closed");
	size_t length = (size_t)(end - text);
	if (length == 0)
		return metric_parser_fail(p, -EINVAL, start,
					  "expected the name of an event in the quotes");
	if (length > METRIC_NAME_MAX_BYTES)
		return metric_parser_fail(p, -E2BIG, start, "a name of more than %d bytes",
					  METRIC_NAME_MAX_BYTES);
	memcpy(name, text, length);
	name[length] = '\0';
	p->at = start + length + 2;
	return parse_event(p, start, name);
}
