// SPDX-License-Identifier: MIT
/*
 * Parses a user's metric: NAME = EXPRESSION, then settings after semicolons. An expression may have
 * events in quotes, so its end is the first semicolon outside quotes. Every error quotes the part
 * that is wrong.
 */
#include "core/metric/metric_user.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/metric/metric.h"
#include "core/metric/metric_constant.h"
#include "core/metric/metric_event.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS "title, unit, help, warn, bad, decimals"

enum {
	NAME_MAX_BYTES = 32,
	EXPRESSION_MAX = 4096,
	UNIT_MAX = 8,
	HELP_MAX = 120,
	DECIMALS_MAX = 4,
	WIDTH = 7
};

/* A part of the text without the blanks around it. */
struct part {
	const char *start;
	size_t length;
};

struct parser {
	struct metric_def *def;
	struct error *err;
	bool has_warn, has_bad;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static struct part trim(const char *start, const char *end)
{
	while (start < end && is_blank(*start))
		start++;
	while (end > start && is_blank(end[-1]))
		end--;
	return (struct part){start, (size_t)(end - start)};
}

static bool part_is(struct part part, const char *word)
{
	return strlen(word) == part.length && strncmp(part.start, word, part.length) == 0;
}

/* Returns the first mark outside quotes, or the end of the text. */
static const char *find_outside_quotes(const char *text, char mark)
{
	bool quoted = false;

	for (; *text && (quoted || *text != mark); text++)
		if (*text == '\'')
			quoted = !quoted;
	return text;
}

/* Returns -EINVAL. `what` follows the part in the sentence and has no full stop. */
static int refuse_part(struct parser *p, struct part part, const char *what)
{
	char *raw = xstrndup(part.start, part.length), printable[128];

	text_printable(printable, sizeof(printable), raw, 40);
	free(raw);
	return error_set(p->err, -EINVAL, "Metric%s%s: '%s' %s.", p->def->name ? " " : "",
			 p->def->name ? p->def->name : "", printable, what);
}

static bool is_name(struct part part)
{
	bool letter = false;

	for (size_t i = 0; i < part.length; i++) {
		char c = part.start[i];

		letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		if (!letter && (i == 0 || (c != '_' && !(c >= '0' && c <= '9'))))
			return false;
	}
	return part.length > 0 && part.length <= NAME_MAX_BYTES;
}

bool metric_name_is_taken(const char *name)
{
	/* Names with another meaning in -s, outputs and expressions. */
	static const char *const names[] = {
		"pid",        "tid",        "ppid", "user",    "comm",   "command", "verdict",
		"cgroup",     "threads",    "cpu",  "scope",   "time",   "events",  "help",
		"interval_s", "cpu_time_s", "none", "metrics", "states",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	for (enum fact i = 0; i < FACTS; i++)
		if (strcmp(fact_name(i), name) == 0)
			return true;
	return metric_constant_exists(name) || metric_def_find(name) != NULL;
}

static int read_name(struct parser *p, struct part part)
{
	if (!is_name(part))
		return refuse_part(p, part,
				   "is not a valid name. Use letters, digits and _, a letter "
				   "first, at most 32");
	p->def->name = xstrndup(part.start, part.length);
	if (metric_def_find(p->def->name))
		return refuse_part(p, part, "is a built-in metric. Choose another name");
	if (metric_name_is_taken(p->def->name))
		return refuse_part(p, part, "is in use already. Choose another name");
	return 0;
}

/* Reads one printable line of at most so many columns. */
static int read_line(struct parser *p, struct part value, unsigned columns, const char **line)
{
	char *text = xstrndup(value.start, value.length), printable[HELP_MAX * 4];

	text_printable(printable, sizeof(printable), text, UINT16_MAX);
	if (strcmp(printable, text) != 0 || text_width(text) > columns) {
		free(text);
		return refuse_part(
			p, value,
			"is too long or not printable. Use fewer and printable characters");
	}
	xfree(*line);
	*line = text;
	return 0;
}

static int read_title(struct parser *p, struct part value)
{
	return read_line(p, value, METRIC_TITLE_MAX, &p->def->title);
}

static int read_unit(struct parser *p, struct part value)
{
	return read_line(p, value, UNIT_MAX, &p->def->unit);
}

static int read_help(struct parser *p, struct part value)
{
	return read_line(p, value, HELP_MAX, &p->def->help);
}

static int read_number(struct parser *p, struct part value, double *number)
{
	bool negative = value.length > 0 && value.start[0] == '-';
	size_t length = text_number(value.start + negative, number);

	if (length == 0 || length + negative != value.length || !isfinite(*number))
		return refuse_part(p, value, "is not a number. Example: 1.5");
	if (negative)
		*number = -*number;
	return 0;
}

static int read_warn(struct parser *p, struct part value)
{
	p->has_warn = true;
	return read_number(p, value, &p->def->warn);
}

static int read_bad(struct parser *p, struct part value)
{
	p->has_bad = true;
	return read_number(p, value, &p->def->bad);
}

static int read_decimals(struct parser *p, struct part value)
{
	char digit = value.length == 1 ? value.start[0] : '\0';

	if (digit < '0' || digit > '0' + DECIMALS_MAX)
		return refuse_part(p, value, "is not a number of decimals. Use 0 to 4");
	p->def->decimals = (unsigned)(digit - '0');
	return 0;
}

static int read_setting(struct parser *p, const char *start, const char *end)
{
	static const struct {
		const char *key;
		int (*read)(struct parser *p, struct part value);
	} settings[] = {
		{"title", read_title}, {"unit", read_unit}, {"help", read_help},
		{"warn", read_warn},   {"bad", read_bad},   {"decimals", read_decimals},
	};
	struct part whole = trim(start, end);
	const char *equals = memchr(start, '=', (size_t)(end - start));

	if (whole.length == 0) /* a semicolon at the end */
		return 0;
	if (!equals)
		return refuse_part(p, whole, "is not SETTING=VALUE. Settings: " SETTINGS);
	struct part key = trim(start, equals), value = trim(equals + 1, end);
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (part_is(key, settings[i].key))
			return settings[i].read(p, value);
	return refuse_part(p, key, "is not a setting. Settings: " SETTINGS);
}

static int check_thresholds(struct parser *p)
{
	struct metric_def *def = p->def;

	if (!p->has_warn && !p->has_bad)
		return 0;
	if (!p->has_warn || !p->has_bad || def->warn == def->bad)
		return error_set(
			p->err, -EINVAL,
			"Metric %s: 'warn' or 'bad' is missing, or both are equal. Set both.",
			def->name);
	def->better = def->bad > def->warn ? METRIC_LOWER : METRIC_HIGHER;
	return 0;
}

static void fill_in(struct metric_def *def)
{
	char title[64], help[HELP_MAX * 4];

	metric_title_fit(def->name, METRIC_TITLE_MAX, title, sizeof(title));
	text_printable(help, sizeof(help), def->forms[0].expression, HELP_MAX);
	if (!def->title || def->title[0] == '\0') {
		xfree(def->title);
		def->title = xstrdup(title);
	}
	if (!def->unit)
		def->unit = xstrdup("");
	if (!def->help)
		def->help = xstrdup(help);
	def->group = xstrdup("own");
}

static int parse_metric(struct parser *p, const char *text)
{
	const char *equals = strchr(text, '=');
	struct metric_def *def = p->def;
	int ret;

	if (!equals)
		return refuse_part(
			p, trim(text, text + strlen(text)),
			"is neither a metric nor NAME=EXPRESSION. See 'pmctop --list metrics'");
	ret = read_name(p, trim(text, equals));
	if (ret < 0)
		return ret;
	const char *end = find_outside_quotes(equals + 1, ';');
	struct part expression = trim(equals + 1, end);
	def->forms[0].expression = xstrndup(expression.start, expression.length);
	if (expression.length > EXPRESSION_MAX)
		return error_set(p->err, -E2BIG,
				 "Metric %s: its expression is longer than %d bytes.", def->name,
				 EXPRESSION_MAX);
	ret = metric_check(def->name, def->forms[0].expression, p->err);
	while (ret == 0 && *end) {
		const char *start = end + 1;

		end = start + strcspn(start, ";");
		ret = read_setting(p, start, end);
	}
	return ret < 0 ? ret : check_thresholds(p);
}

int metric_def_parse(const char *text, struct metric_def *def, struct error *err)
{
	struct parser p = {.def = def, .err = err};

	*def = (struct metric_def){.width = WIDTH, .decimals = 2};
	int ret = parse_metric(&p, text);
	if (ret < 0)
		metric_def_fini(def);
	else
		fill_in(def);
	return ret;
}
