// SPDX-License-Identifier: MIT
/*
 * Parses a formula by recursive descent, directly into a program for a stack machine, without a
 * tree. Users type formulas, so the parser limits its own recursion and the depth of the program's
 * stack. So evaluation needs no checks, no memory and no strings, and can run for every row of
 * every snapshot.
 */
#include "core/metric/metric.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/event/event_wait.h"
#include "core/metric/metric_internal.h"
#include "core/sys/cpu_model.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LENGTH_MAX = 4096, /* bytes of an expression */
	NESTED_MAX = 64,   /* parentheses in each other */
	NAME_MAX_BYTES = 255,
};

struct parser {
	const char *text;
	size_t at;
	const char *name;         /* the metric's, for messages */
	struct event_set *events; /* NULL: names of events are not resolved */
	struct error *err;
	struct metric_op *ops;
	size_t n, capacity;
	size_t depth, depth_max; /* of the stack, now and at most */
	unsigned nested;
};

static int fail_at(struct parser *p, int code, size_t at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static int fail_at(struct parser *p, int code, size_t at, const char *format, ...)
{
	char name[64], what[192];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	text_printable(name, sizeof(name), p->name, 32);
	return error_set(p->err, code, "Metric %s, position %zu: %s", name, at + 1, what);
}

/* Returns the text at a position, quoted for a message. */
static const char *quote(const struct parser *p, size_t at, size_t length, char *buffer,
			 size_t size)
{
	char raw[64];
	size_t n = size_min(length, sizeof(raw) - 1);

	if (p->text[at] == '\0')
		return "the end";
	memcpy(raw, p->text + at, n);
	raw[n] = '\0';
	buffer[0] = '\'';
	size_t written = text_printable(buffer + 1, size - 2, raw, 40);
	memcpy(buffer + 1 + written, "'", 2);
	return buffer;
}

static int fail_expected(struct parser *p, const char *what)
{
	char found[160];
	uint32_t character;
	size_t length = text_decode(p->text + p->at, &character);

	return fail_at(p, -EINVAL, p->at, "expected %s, found %s", what,
		       quote(p, p->at, length, found, sizeof(found)));
}

static int emit(struct parser *p, struct metric_op op, size_t pops)
{
	p->depth = p->depth - pops + 1;
	if (p->depth > METRIC_DEPTH_MAX)
		return fail_at(p, -E2BIG, p->at, "more than %d values are kept at once",
			       METRIC_DEPTH_MAX);
	if (p->depth > p->depth_max)
		p->depth_max = p->depth;
	p->ops = array_reserve(p->ops, &p->capacity, p->n + 1, sizeof(*p->ops));
	p->ops[p->n++] = op;
	return 0;
}

static int emit_op(struct parser *p, enum op_code code, size_t pops)
{
	return emit(p, (struct metric_op){.code = code}, pops);
}

/* ctype.h depends on the locale. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char skip_space(struct parser *p)
{
	while (p->text[p->at] == ' ' || p->text[p->at] == '\t' || p->text[p->at] == '\n')
		p->at++;
	return p->text[p->at];
}

static bool accept(struct parser *p, const char *token)
{
	size_t length = strlen(token);

	skip_space(p);
	if (strncmp(p->text + p->at, token, length) != 0)
		return false;
	p->at += length;
	return true;
}

static int parse_expression(struct parser *p);
static int parse_unary(struct parser *p);

static int parse_number(struct parser *p)
{
	size_t start = p->at;
	double value;

	p->at += text_number(p->text + start, &value);
	char next = p->text[p->at];
	if (next == 'e' || next == 'E')
		return fail_at(p, -EINVAL, p->at, "expected digits after the exponent's e");
	if (!isfinite(value))
		return fail_at(p, -EINVAL, start, "this number is too large");
	if (is_letter(next) || next == '_')
		return fail_expected(p, "an operator after the number");
	return emit(p, (struct metric_op){.code = OP_NUMBER, .number = value}, 0);
}

static int emit_event(struct parser *p, size_t start, const char *name)
{
	struct error why = {.text = "there is no such event"};

	if (!p->events)
		return emit(p, (struct metric_op){.code = OP_EVENT}, 0);
	int index = event_set_add(p->events, name, &why);

	if (index < 0) {
		char printable[160];

		text_printable(printable, sizeof(printable), why.text, 150);
		return fail_at(p, index, start, "%s", printable);
	}
	return emit(p, (struct metric_op){.code = OP_EVENT, .event = (size_t)index}, 0);
}

/* The number is UNSUPPORTED if the kernel does not have it. */
static int emit_slots(struct parser *p)
{
	const struct event_context *context = p->events ? p->events->context : NULL;
	unsigned slots = 0;

	if (context && context->cpu)
		slots = context->cpu->slots_per_cycle;
	else if (context)
		slots = cpu_slots_per_cycle(context->sys, context->pmus);

	if (slots == 0)
		return emit_op(p, OP_UNSUPPORTED, 0);
	return emit(p, (struct metric_op){.code = OP_NUMBER, .number = slots}, 0);
}

static int parse_arguments(struct parser *p, enum op_code code, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && !accept(p, ","))
			return fail_expected(p, "','");
		int ret = parse_expression(p);
		if (ret < 0)
			return ret;
	}
	if (!accept(p, ")"))
		return fail_expected(p, "')'");
	return emit_op(p, code, count);
}

static bool is_histogram(const struct event *event)
{
	return event->kind == EVENT_WAIT && event_wait_counters(event_wait_of(event)) > 1;
}

/* percentile(event, p), behind its parenthesis: the event, with the number in its operation. */
static int parse_percentile(struct parser *p, size_t start)
{
	int ret = parse_unary(p);
	size_t event = p->n;

	if (ret == 0 && !accept(p, ","))
		return fail_expected(p, "','");
	if (ret == 0 && !is_digit(skip_space(p)))
		return fail_expected(p, "a number");
	if (ret == 0)
		ret = parse_number(p);
	if (ret < 0)
		return ret;
	if (!accept(p, ")"))
		return fail_expected(p, "')'");
	double percentile = p->ops[--p->n].number;
	p->depth--;
	struct metric_op *op = &p->ops[event - 1];
	if (op->code != OP_EVENT || op->percentile > 0 ||
	    (p->events && !is_histogram(&p->events->items[op->event])) || percentile <= 0 ||
	    percentile > 100)
		return fail_at(p, -EINVAL, start,
			       "percentile(event, p) needs 'wakeups' and a number up to 100");
	op->percentile = percentile;
	return 0;
}

/* samples(event), error(event) and share(event), behind the parenthesis. */
static int parse_part(struct parser *p, size_t start, enum metric_part part)
{
	int ret = parse_unary(p);

	if (ret < 0)
		return ret;
	if (!accept(p, ")"))
		return fail_expected(p, "')'");
	struct metric_op *op = &p->ops[p->n - 1];
	if (op->code != OP_EVENT || op->percentile > 0 || op->part != METRIC_PART_COUNT ||
	    (p->events && p->events->items[op->event].kind != EVENT_SAMPLED))
		return fail_at(p, -EINVAL, start,
			       "samples(event), error(event) and share(event) need an event of "
			       "a recorded profile");
	op->part = part;
	return 0;
}

/* Returns the length of the name. A dash in it is before a letter: cache-misses. */
static size_t name_length(const char *text)
{
	size_t n = 0;

	for (;; n++) {
		char c = text[n];
		bool joins = c == '-' && n > 0 && text[n - 1] != '-' && is_letter(text[n + 1]);

		if (!is_letter(c) && !is_digit(c) && !(c && strchr("_.:", c)) && !joins)
			return n;
	}
}

static int parse_name(struct parser *p)
{
	static const struct {
		const char *name;
		enum op_code code;
		size_t arguments;
	} functions[] = {{"min", OP_MIN, 2}, {"max", OP_MAX, 2}, {"if", OP_IF, 3}};
	size_t start = p->at, length = name_length(p->text + start);
	char name[NAME_MAX_BYTES + 1];

	if (length > NAME_MAX_BYTES)
		return fail_at(p, -E2BIG, start, "a name of more than %d bytes", NAME_MAX_BYTES);
	memcpy(name, p->text + start, length);
	name[length] = '\0';
	p->at += length;
	if (accept(p, "(")) {
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
				return parse_arguments(p, functions[i].code,
						       functions[i].arguments);
		return fail_at(p, -EINVAL, start,
			       "there is no such function: min(a, b), max(a, b), if(c, a, b), "
			       "percentile(event, p), samples(event), error(event), "
			       "share(event)");
	}
	if (strcmp(name, "interval_s") == 0)
		return emit_op(p, OP_INTERVAL, 0);
	if (strcmp(name, "cpu_time_s") == 0)
		return emit_op(p, OP_CPU_TIME, 0);
	if (strcmp(name, "slots_per_cycle") == 0)
		return emit_slots(p);
	for (enum fact i = 0; i < FACTS; i++)
		if (strcmp(name, fact_name(i)) == 0)
			return emit(p, (struct metric_op){.code = OP_FACT, .fact = i}, 0);
	return emit_event(p, start, name);
}

static int parse_quoted(struct parser *p)
{
	size_t start = p->at;
	const char *text = p->text + start + 1;
	const char *end = strchr(text, '\'');
	char name[NAME_MAX_BYTES + 1];

	if (!end)
		return fail_at(p, -EINVAL, start, "this quote is not closed");
	size_t length = (size_t)(end - text);
	if (length == 0)
		return fail_at(p, -EINVAL, start, "expected the name of an event in the quotes");
	if (length > NAME_MAX_BYTES)
		return fail_at(p, -E2BIG, start, "a name of more than %d bytes", NAME_MAX_BYTES);
	memcpy(name, text, length);
	name[length] = '\0';
	p->at = start + length + 2;
	return emit_event(p, start, name);
}

static int parse_primary(struct parser *p)
{
	char c = skip_space(p);

	if (is_digit(c) || (c == '.' && is_digit(p->text[p->at + 1])))
		return parse_number(p);
	if (is_letter(c) || c == '_')
		return parse_name(p);
	if (c == '\'')
		return parse_quoted(p);
	if (!accept(p, "("))
		return fail_expected(p, "a number, an event or '('");
	int ret = parse_expression(p);
	if (ret < 0)
		return ret;
	return accept(p, ")") ? 0 : fail_expected(p, "an operator or ')'");
}

/* Every recursion of the grammar passes here, so this counts the nesting. */
static int parse_unary(struct parser *p)
{
	size_t minuses = 0;
	int ret;

	while (accept(p, "-"))
		minuses++;
	if (p->nested == NESTED_MAX)
		return fail_at(p, -E2BIG, p->at, "nested more than %d deep", NESTED_MAX);
	p->nested++;
	ret = parse_primary(p);
	p->nested--;
	if (ret == 0 && minuses % 2)
		ret = emit_op(p, OP_NEGATE, 1);
	return ret;
}

static int parse_product(struct parser *p)
{
	int ret = parse_unary(p);

	while (ret == 0) {
		enum op_code code;

		if (accept(p, "*"))
			code = OP_MULTIPLY;
		else if (accept(p, "/"))
			code = OP_DIVIDE;
		else
			break;
		ret = parse_unary(p);
		if (ret == 0)
			ret = emit_op(p, code, 2);
	}
	return ret;
}

static int parse_sum(struct parser *p)
{
	int ret = parse_product(p);

	while (ret == 0) {
		enum op_code code;

		if (accept(p, "+"))
			code = OP_ADD;
		else if (accept(p, "-"))
			code = OP_SUBTRACT;
		else
			break;
		ret = parse_product(p);
		if (ret == 0)
			ret = emit_op(p, code, 2);
	}
	return ret;
}

/* At most one comparison: a < b < c would not compute what it seems to. */
static int parse_expression(struct parser *p)
{
	static const struct {
		const char *token;
		enum op_code code;
	} comparisons[] = {
		{"<=", OP_LESS_EQUAL}, {"<", OP_LESS},   {">=", OP_GREATER_EQUAL},
		{">", OP_GREATER},     {"==", OP_EQUAL}, {"!=", OP_NOT_EQUAL},
	};
	int ret = parse_sum(p);

	for (size_t i = 0; ret == 0 && i < ARRAY_SIZE(comparisons); i++) {
		if (!accept(p, comparisons[i].token))
			continue;
		ret = parse_sum(p);
		if (ret == 0)
			ret = emit_op(p, comparisons[i].code, 2);
		break;
	}
	return ret;
}

/* Parses the whole text. The caller frees p->ops, also after a failure. */
static int parse_formula(struct parser *p)
{
	if (strnlen(p->text, LENGTH_MAX + 1) > LENGTH_MAX)
		return fail_at(p, -E2BIG, LENGTH_MAX, "longer than %d bytes", LENGTH_MAX);
	int ret = parse_expression(p);
	if (ret == 0 && skip_space(p) != '\0')
		ret = fail_expected(p, "an operator or the end");
	return ret;
}

int metric_compile(const struct metric_def *def, size_t form, struct event_set *events,
		   struct metric *metric, struct error *err)
{
	const char *title = def->forms[form].title;
	struct parser p = {.text = def->forms[form].expression,
			   .name = def->name,
			   .events = events,
			   .err = err};
	int ret = parse_formula(&p);

	*metric = (struct metric){0};
	if (ret < 0) {
		free(p.ops);
		return ret;
	}
	*metric = (struct metric){.def = def,
				  .title = title ? title : def->title,
				  .expression = p.text,
				  .ops = p.ops,
				  .n_ops = p.n,
				  .depth = p.depth_max};
	return 0;
}

int metric_check(const char *name, const char *expression, struct error *err)
{
	struct parser p = {.text = expression, .name = name, .err = err};
	int ret = parse_formula(&p);

	free(p.ops);
	return ret;
}

static bool has_unsupported_variable(const struct metric *metric)
{
	for (size_t i = 0; i < metric->n_ops; i++)
		if (metric->ops[i].code == OP_UNSUPPORTED)
			return true;
	return false;
}

int metric_choose(const struct metric_def *def, unsigned cpus, size_t from,
		  struct event_set *events, struct metric *metric, struct error *err)
{
	size_t n = events->n;
	int ret =
		error_set(err, -ENOENT, "Metric %.40s: this CPU has no events for it.", def->name);

	*metric = (struct metric){0};
	for (size_t form = metric_def_form(def, cpus, from); form < METRIC_FORMS_MAX;
	     form = metric_def_form(def, cpus, form + 1)) {
		if (def->forms[form].all_levels && events->context &&
		    events->context->levels != EVENT_LEVELS_ALL) {
			ret = error_set(err, -ENOENT,
					"Metric %.40s: it needs all privilege levels.", def->name);
			continue;
		}
		ret = metric_compile(def, form, events, metric, err);
		if (ret == 0 && !has_unsupported_variable(metric))
			return (int)form;
		if (ret == 0)
			ret = error_set(err, -ENOENT,
					"Metric %.40s: this machine does not have its variables.",
					def->name);
		metric_fini(metric);
		while (events->n > n)
			event_fini(&events->items[--events->n]);
	}
	return ret;
}
