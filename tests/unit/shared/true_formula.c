// SPDX-License-Identifier: MIT
/*
 * Recursive descent that computes while it reads. The branch that is not taken is read too, and its
 * value dropped.
 */
#include "tests/unit/shared/true_formula.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct reader {
	const char *start, *at;
	const struct true_names *names;
};

static double read_choice(struct reader *reader);

static void skip_blanks(struct reader *reader)
{
	while (isspace((unsigned char)*reader->at))
		reader->at++;
}

/* Whether the text is next, which is then passed. */
static bool pass(struct reader *reader, const char *text)
{
	size_t length = strlen(text);

	skip_blanks(reader);
	if (strncmp(reader->at, text, length) != 0)
		return false;
	if (isalpha((unsigned char)*text) &&
	    (isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_'))
		return false;
	reader->at += length;
	return true;
}

static void require(struct reader *reader, const char *text)
{
	if (!pass(reader, text))
		fail_msg("'%s' without '%s' at '%s'", reader->start, text, reader->at);
}

/* The arguments of a function, up to the parenthesis. */
static size_t read_arguments(struct reader *reader, double arguments[3])
{
	size_t n = 0;

	do {
		assert_true(n < 3);
		arguments[n++] = read_choice(reader);
	} while (pass(reader, ","));
	require(reader, ")");
	return n;
}

static double divide(double a, double b)
{
	return b == 0 ? (double)NAN : a / b;
}

static double call(const char *name, const double arguments[3], size_t n)
{
	for (size_t i = 0; i < n && strcmp(name, "if") != 0; i++)
		if (isnan(arguments[i]))
			return (double)NAN;
	if (isnan(arguments[0]))
		return (double)NAN;
	if (strcmp(name, "min") == 0 && n == 2)
		return arguments[0] < arguments[1] ? arguments[0] : arguments[1];
	if (strcmp(name, "max") == 0 && n == 2)
		return arguments[0] > arguments[1] ? arguments[0] : arguments[1];
	if (strcmp(name, "d_ratio") == 0 && n == 2)
		return arguments[1] == 0 ? 0 : arguments[0] / arguments[1];
	if (strcmp(name, "if") == 0 && n == 3)
		return arguments[0] != 0 ? arguments[1] : arguments[2];
	fail_msg("there is no function %s of %zu", name, n);
	return (double)NAN;
}

/* A dash belongs to a name if a letter or a digit is on both its sides. */
static size_t name_length(const char *at)
{
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || (at[n] && strchr("_.:", at[n])) ||
	       (at[n] == '-' && isalpha((unsigned char)at[n + 1])))
		n++;
	return n;
}

static double read_name(struct reader *reader)
{
	char name[512];
	double arguments[3];
	bool quoted = *reader->at == '\'';
	const char *at = reader->at + quoted;
	size_t length = quoted ? strcspn(at, "'") : name_length(at);

	if (length == 0 || length >= sizeof(name))
		fail_msg("'%s': what is '%s'?", reader->start, reader->at);
	memcpy(name, at, length);
	name[length] = '\0';
	reader->at = at + length + quoted;
	if (!quoted && pass(reader, "(")) {
		size_t n = read_arguments(reader, arguments);

		return call(name, arguments, n);
	}
	return reader->names->value(reader->names->arg, name);
}

/* 4K_Aliasing is a name. */
static bool is_number(const char *at)
{
	char *end;

	if (!isdigit((unsigned char)*at) && *at != '.')
		return false;
	strtod(at, &end);
	return !isalpha((unsigned char)*end) && *end != '_';
}

static double read_operand(struct reader *reader)
{
	double value;
	char *end;

	if (pass(reader, "(")) {
		value = read_choice(reader);
		require(reader, ")");
		return value;
	}
	if (pass(reader, "-"))
		return -read_operand(reader);
	skip_blanks(reader);
	if (!is_number(reader->at))
		return read_name(reader);
	value = strtod(reader->at, &end);
	reader->at = end;
	return value;
}

static double read_product(struct reader *reader)
{
	double value = read_operand(reader);

	for (;;) {
		if (pass(reader, "*"))
			value *= read_operand(reader);
		else if (pass(reader, "/"))
			value = divide(value, read_operand(reader));
		else
			return value;
	}
}

static double read_sum(struct reader *reader)
{
	double value = read_product(reader);

	for (;;) {
		if (pass(reader, "+"))
			value += read_product(reader);
		else if (pass(reader, "-"))
			value -= read_product(reader);
		else
			return value;
	}
}

static double compare(const char *operator, double a, double b)
{
	if (isnan(a) || isnan(b))
		return (double)NAN;
	switch (operator[0] + operator[1]) {
	case '<':
		return a < b;
	case '>':
		return a > b;
	case '<' + '=':
		return a <= b;
	case '>' + '=':
		return a >= b;
	case '!' + '=':
		return a != b;
	default:
		return a == b;
	}
}

static double read_comparison(struct reader *reader)
{
	static const char *const operators[] = {"<=", ">=", "==", "!=", "<", ">"};
	double value = read_sum(reader);

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (pass(reader, operators[i]))
			return compare(operators[i], value, read_sum(reader));
	return value;
}

static double read_truth(struct reader *reader)
{
	double value = read_comparison(reader);

	for (;;) {
		bool both = pass(reader, "&");

		if (!both && !pass(reader, "|"))
			return value;
		double other = read_comparison(reader);
		if (isnan(value) || isnan(other))
			value = (double)NAN;
		else
			value = both ? value != 0 && other != 0 : value != 0 || other != 0;
	}
}

static double read_choice(struct reader *reader)
{
	double value = read_truth(reader);

	if (!pass(reader, "if"))
		return value;
	double condition = read_truth(reader);
	require(reader, "else");
	double other = read_choice(reader);
	if (isnan(condition))
		return (double)NAN;
	return condition != 0 ? value : other;
}

double true_formula(const char *formula, const struct true_names *names)
{
	struct reader reader = {.start = formula, .at = formula, .names = names};
	double value = read_choice(&reader);

	skip_blanks(&reader);
	if (*reader.at)
		fail_msg("'%s' ends at '%s'", formula, reader.at);
	return value;
}
