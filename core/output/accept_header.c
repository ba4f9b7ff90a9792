// SPDX-License-Identifier: MIT
/*
 * Parses the Accept header of a request, which is untrusted. Separate from metrics_server.c because
 * a fuzzer runs it.
 */
#include "core/output/accept_header.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t"

/* A part of the header, not terminated. */
struct piece {
	const char *text;
	size_t length;
};

/* The text up to one of `ends`, without surrounding blanks; *at moves to that end. */
static struct piece next_piece(const char **at, const char *ends)
{
	struct piece piece;

	*at += strspn(*at, BLANKS);
	piece.text = *at;
	piece.length = strcspn(*at, ends);
	*at += piece.length;
	while (piece.length > 0 && strchr(BLANKS, piece.text[piece.length - 1]))
		piece.length--;
	return piece;
}

static bool piece_is(struct piece piece, const char *word)
{
	return piece.length == strlen(word) && strncasecmp(piece.text, word, piece.length) == 0;
}

/* Stores the value, without quotes, if the piece is that parameter. */
static bool piece_value(struct piece piece, const char *name, struct piece *value)
{
	size_t length = strlen(name);

	if (piece.length <= length || piece.text[length] != '=' ||
	    strncasecmp(piece.text, name, length) != 0)
		return false;
	value->text = piece.text + length + 1;
	value->length = piece.length - length - 1;
	if (value->length >= 2 && value->text[0] == '"' && value->text[value->length - 1] == '"') {
		value->text++;
		value->length -= 2;
	}
	return true;
}

/* A weight from 0 to 1; an invalid one is 1, the default. */
static double read_weight(struct piece piece)
{
	char text[16];
	double weight;

	text_copy(text, size_min(piece.length + 1, sizeof(text)), piece.text);
	return text_number(text, &weight) > 0 && weight <= 1 ? weight : 1;
}

struct range {
	struct piece type, version; /* version.text NULL: any */
	double weight;
};

static struct range next_range(const char **at)
{
	struct range range = {.type = next_piece(at, ";,"), .weight = 1};

	while (**at == ';') {
		(*at)++;
		struct piece parameter = next_piece(at, ";,"), value;

		if (piece_value(parameter, "q", &value))
			range.weight = read_weight(value);
		else if (piece_value(parameter, "version", &value))
			range.version = value;
	}
	if (**at == ',')
		(*at)++;
	return range;
}

static bool version_is(const struct range *range, const char *version)
{
	return !range->version.text || piece_is(range->version, version);
}

enum metrics_export_dialect accept_header_dialect(const char *accept)
{
	double openmetrics = 0, text = 0;

	for (const char *at = accept ? accept : ""; *at;) {
		struct range range = next_range(&at);
		double *weight = NULL;

		if (piece_is(range.type, "application/openmetrics-text") &&
		    (version_is(&range, "1.0.0") || version_is(&range, "0.0.1")))
			weight = &openmetrics;
		else if ((piece_is(range.type, "text/plain") && version_is(&range, "0.0.4")) ||
			 piece_is(range.type, "text/*") || piece_is(range.type, "*/*"))
			weight = &text;
		if (weight && range.weight > *weight)
			*weight = range.weight;
	}
	return openmetrics > 0 && openmetrics >= text ? METRICS_EXPORT_OPENMETRICS
						      : METRICS_EXPORT_PROMETHEUS;
}

const char *accept_header_type(enum metrics_export_dialect dialect)
{
	switch (dialect) {
	case METRICS_EXPORT_OPENMETRICS:
		return "application/openmetrics-text; version=1.0.0; charset=utf-8";
	case METRICS_EXPORT_PROMETHEUS:
		break;
	}
	return "text/plain; version=0.0.4; charset=utf-8";
}
