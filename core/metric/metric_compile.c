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
#include "core/metric/metric_compile_internal.h"
#include "core/metric/metric_internal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_MAX = 32 << 10 }; /* bytes of an expression */

int metric_parser_fail(struct metric_parser *p, int code, size_t at, const char *format, ...)
{
	char name[64], what[192];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	text_printable(name, sizeof(name), p->use->name, 32);
	return error_set(p->err, code, "Metric %s, position %zu: %s", name, at + 1, what);
}

/* Returns the text at a position, quoted for a message. */
static const char *quote(const struct metric_parser *p, size_t at, size_t length, char *buffer,
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

int metric_parser_fail_expected(struct metric_parser *p, const char *what)
{
	char found[160];
	uint32_t character;
	size_t length = text_decode(p->text + p->at, &character);

	return metric_parser_fail(p, -EINVAL, p->at, "expected %s, found %s", what,
				  quote(p, p->at, length, found, sizeof(found)));
}

int metric_parser_emit(struct metric_parser *p, struct metric_op op, size_t pops)
{
	p->depth = p->depth - pops + 1;
	if (p->depth > METRIC_DEPTH_MAX)
		return metric_parser_fail(p, -E2BIG, p->at, "more than %d values are kept at once",
					  METRIC_DEPTH_MAX);
	if (p->n == METRIC_OPS_MAX)
		return metric_parser_fail(p, -E2BIG, p->at, "more than %d operations",
					  METRIC_OPS_MAX);
	if (p->depth > p->depth_max)
		p->depth_max = p->depth;
	p->ops = array_reserve(p->ops, &p->capacity, p->n + 1, sizeof(*p->ops));
	p->ops[p->n++] = op;
	return 0;
}

int metric_parser_emit_op(struct metric_parser *p, enum op_code code, size_t pops)
{
	return metric_parser_emit(p, (struct metric_op){.code = code}, pops);
}

/* ctype.h depends on the locale. */
bool metric_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool metric_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

char metric_parser_skip_space(struct metric_parser *p)
{
	while (p->text[p->at] == ' ' || p->text[p->at] == '\t' || p->text[p->at] == '\n')
		p->at++;
	return p->text[p->at];
}

bool metric_parser_accept(struct metric_parser *p, const char *token)
{
	size_t length = strlen(token);

	metric_parser_skip_space(p);
	if (strncmp(p->text + p->at, token, length) != 0)
		return false;
	p->at += length;
	return true;
}

int metric_parse_number(struct metric_parser *p)
{
	size_t start = p->at;
	double value;

	p->at += text_number(p->text + start, &value);
	char next = p->text[p->at];
	if (next == 'e' || next == 'E')
		return metric_parser_fail(p, -EINVAL, p->at,
					  "expected digits after the exponent's e");
	if (!isfinite(value))
		return metric_parser_fail(p, -EINVAL, start, "this number is too large");
	if (metric_is_letter(next) || next == '_')
		return metric_parser_fail_expected(p, "an operator after the number");
	return metric_parser_emit(p, (struct metric_op){.code = OP_NUMBER, .number = value}, 0);
}

/* 4K_Aliasing is a name; 4e3 and 4.5 are numbers. */
static bool is_name_with_digits(const char *text)
{
	size_t digits = 0;

	while (metric_is_digit(text[digits]))
		digits++;
	return digits > 0 && (text[digits] == '_' || metric_is_letter(text[digits])) &&
	       text[digits] != 'e' && text[digits] != 'E';
}

static int parse_primary(struct metric_parser *p)
{
	char c = metric_parser_skip_space(p);

	if (metric_is_letter(c) || c == '_' || is_name_with_digits(p->text + p->at))
		return metric_parse_name(p);
	if (metric_is_digit(c) || (c == '.' && metric_is_digit(p->text[p->at + 1])))
		return metric_parse_number(p);
	if (c == '#')
		return metric_parse_literal(p);
	if (c == '\'')
		return metric_parse_quoted(p);
	if (!metric_parser_accept(p, "("))
		return metric_parser_fail_expected(p, "a number, an event or '('");
	int ret = metric_parse_expression(p);
	if (ret < 0)
		return ret;
	return metric_parser_accept(p, ")") ? 0
					    : metric_parser_fail_expected(p, "an operator or ')'");
}

/* Every recursion of the grammar passes here, so this counts the nesting. */
int metric_parse_unary(struct metric_parser *p)
{
	size_t minuses = 0;
	int ret;

	while (metric_parser_accept(p, "-"))
		minuses++;
	if (p->nested == METRIC_NESTED_MAX)
		return metric_parser_fail(p, -E2BIG, p->at, "nested more than %d deep",
					  METRIC_NESTED_MAX);
	p->nested++;
	ret = parse_primary(p);
	p->nested--;
	if (ret == 0 && minuses % 2)
		ret = metric_parser_emit_op(p, OP_NEGATE, 1);
	return ret;
}

static int parse_product(struct metric_parser *p)
{
	int ret = metric_parse_unary(p);

	while (ret == 0) {
		enum op_code code;

		if (metric_parser_accept(p, "*"))
			code = OP_MULTIPLY;
		else if (metric_parser_accept(p, "/"))
			code = OP_DIVIDE;
		else
			break;
		ret = metric_parse_unary(p);
		if (ret == 0)
			ret = metric_parser_emit_op(p, code, 2);
	}
	return ret;
}

static int parse_sum(struct metric_parser *p)
{
	int ret = parse_product(p);

	while (ret == 0) {
		enum op_code code;

		if (metric_parser_accept(p, "+"))
			code = OP_ADD;
		else if (metric_parser_accept(p, "-"))
			code = OP_SUBTRACT;
		else
			break;
		ret = parse_product(p);
		if (ret == 0)
			ret = metric_parser_emit_op(p, code, 2);
	}
	return ret;
}

/* At most one comparison: a < b < c would not compute what it seems to. */
static int parse_comparison(struct metric_parser *p)
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
		if (!metric_parser_accept(p, comparisons[i].token))
			continue;
		ret = parse_sum(p);
		if (ret == 0)
			ret = metric_parser_emit_op(p, comparisons[i].code, 2);
		break;
	}
	return ret;
}

/* Vendors write a > 5 & b > 10, so & and | bind less than a comparison. */
static int parse_and(struct metric_parser *p)
{
	int ret = parse_comparison(p);

	while (ret == 0 && metric_parser_accept(p, "&")) {
		ret = parse_comparison(p);
		if (ret == 0)
			ret = metric_parser_emit_op(p, OP_AND, 2);
	}
	return ret;
}

static int parse_or(struct metric_parser *p)
{
	int ret = parse_and(p);

	while (ret == 0 && metric_parser_accept(p, "|")) {
		ret = parse_and(p);
		if (ret == 0)
			ret = metric_parser_emit_op(p, OP_OR, 2);
	}
	if (ret == 0 && metric_parser_accept(p, "^"))
		return metric_parser_fail(p, -EINVAL, p->at - 1,
					  "'^' is a bitwise operator elsewhere. Compare instead, "
					  "as in (a > 1) != (b > 1)");
	return ret;
}

static bool accept_word(struct metric_parser *p, const char *word)
{
	size_t length = strlen(word);

	metric_parser_skip_space(p);
	return metric_name_length(p->text + p->at) == length && metric_parser_accept(p, word);
}

/* a if c else b if d else e: the last condition is the innermost. */
int metric_parse_expression(struct metric_parser *p)
{
	size_t conditions = 0;
	int ret = parse_or(p);

	while (ret == 0 && accept_word(p, "if")) {
		ret = parse_or(p);
		if (ret == 0 && !accept_word(p, "else"))
			return metric_parser_fail_expected(p, "'else'");
		if (ret == 0)
			ret = parse_or(p);
		conditions++;
	}
	while (ret == 0 && conditions-- > 0)
		ret = metric_parser_emit_op(p, OP_IF_ELSE, 3);
	return ret;
}

int metric_parse_text(struct metric_parser *p)
{
	if (strnlen(p->text, LENGTH_MAX + 1) > LENGTH_MAX)
		return metric_parser_fail(p, -E2BIG, LENGTH_MAX, "longer than %d bytes",
					  LENGTH_MAX);
	int ret = metric_parse_expression(p);
	if (ret == 0 && metric_parser_skip_space(p) != '\0')
		ret = metric_parser_fail_expected(p, "an operator or the end");
	return ret;
}

static void parser_init(struct metric_parser *p, const char *text, const struct metric_use *use)
{
	*p = (struct metric_parser){.text = text, .use = use};
}

void metric_parser_forget(struct metric_parser *p, size_t n)
{
	while (p->n_named > n)
		metric_def_fini(&p->named[--p->n_named]);
}

static void parser_fini(struct metric_parser *p)
{
	metric_parser_forget(p, 0);
	while (p->n_unknown > 0)
		free(p->unknown[--p->n_unknown].name);
	free(p->named);
	free(p->ops);
}

/* Returns 0, or the error of an unknown name that the formula needs. */
static int check_names(const struct metric_parser *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->ops[i].code == OP_UNKNOWN) {
			const struct error *why = &p->unknown[p->ops[i].unknown].why;
			return error_set(p->err, why->code, "%s", why->text);
		}
	return 0;
}

/* Drops the events from number `known` on that the formula does not need. */
static void drop_unused_events(struct metric_parser *p, size_t known)
{
	struct event_set *events = p->events;
	bool *needed = xcalloc(events->n, sizeof(*needed));
	size_t *index = xcalloc(events->n, sizeof(*index)), n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->ops[i].code == OP_EVENT)
			needed[p->ops[i].event] = true;
	for (size_t i = 0; i < events->n; i++) {
		needed[i] |= i < known;
		index[i] = n;
		n += needed[i];
	}
	for (size_t i = 0; i < p->n; i++)
		if (p->ops[i].code == OP_EVENT)
			p->ops[i].event = index[p->ops[i].event];
	event_set_keep(events, needed);
	free(index);
	free(needed);
}

int metric_compile(const struct metric_def *def, size_t form, struct event_set *events,
		   struct metric *metric, struct error *err)
{
	const char *title = def->forms[form].title;
	const struct metric_use use = {.name = def->name};
	size_t known = events ? events->n : 0;
	struct metric_parser p;

	parser_init(&p, def->forms[form].expression, &use);
	p.machine = def->machine;
	p.events = events;
	p.err = err;
	int ret = metric_parse_text(&p);
	if (ret == 0) {
		p.n = metric_reduce(p.ops, p.n);
		ret = check_names(&p);
	}
	*metric = (struct metric){0};
	if (ret < 0) {
		parser_fini(&p);
		return ret;
	}
	if (events && events->n > known)
		drop_unused_events(&p, known);
	*metric = (struct metric){.def = def,
				  .title = title ? title : def->title,
				  .expression = p.text,
				  .ops = p.ops,
				  .n_ops = p.n,
				  .named = p.named,
				  .n_named = p.n_named,
				  .depth = p.depth_max};
	p.ops = NULL;
	p.named = NULL;
	p.n_named = 0;
	parser_fini(&p);
	return 0;
}

int metric_check(const char *name, const char *expression, struct error *err)
{
	const struct metric_use use = {.name = name};
	struct metric_parser p;

	parser_init(&p, expression, &use);
	p.err = err;
	int ret = metric_parse_text(&p);
	parser_fini(&p);
	return ret;
}

/* The name of a variable that this machine does not have, or NULL. */
static const char *find_unsupported(const struct metric *metric)
{
	for (size_t i = 0; i < metric->n_ops; i++)
		if (metric->ops[i].code == OP_UNSUPPORTED)
			return metric->ops[i].variable;
	return NULL;
}

int metric_choose(const struct metric_def *def, unsigned cpus, size_t from,
		  struct event_set *events, struct metric *metric, struct error *err)
{
	size_t n = events->n;
	int ret =
		error_set(err, -ENOENT, "Metric %.40s: this CPU has no events for it.", def->name);

	if (def->refused)
		ret = error_set(err, -ENOTSUP, "%s", def->refused);
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
		const char *unsupported = ret == 0 ? find_unsupported(metric) : NULL;
		if (ret == 0 && !unsupported)
			return (int)form;
		if (ret == 0)
			ret = error_set(err, -ENOENT,
					"Metric %.40s: this machine does not have %s.", def->name,
					unsupported);
		metric_fini(metric);
		while (events->n > n)
			event_fini(&events->items[--events->n]);
	}
	return ret;
}
