// SPDX-License-Identifier: MIT
/*
 * A name that could be taken for another kind of line, or not be written in -e, is refused.
 */
#include "core/tables/table_text.h"

#include "core/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define CHARACTERS LETTERS "0123456789_.:-"

enum { NAME_MAX_BYTES = 255 };

static bool is_name(const char *name)
{
	size_t length = name ? strspn(name, CHARACTERS) : 0;

	return length > 0 && length <= NAME_MAX_BYTES && !name[length] && !strchr(".:-", name[0]);
}

/* "event=0xc0,umask=0x1": for `terms` of event_term.h. */
static bool are_terms(const char *terms)
{
	size_t length = terms ? strspn(terms, CHARACTERS "=,") : 0;

	return length > 0 && !terms[length];
}

/* Appends a field, at most `most` bytes of it, with one blank for each run of blanks. */
static void append_field(struct text_buffer *lines, const char *field, size_t most)
{
	bool blank = false;
	size_t begin;

	text_buffer_add(lines, "\t", 1);
	for (begin = lines->length; field && *field && lines->length - begin < most; field++) {
		if ((unsigned char)*field <= ' ' || *field == 0x7f) {
			blank = true;
			continue;
		}
		if (blank && lines->length > begin)
			text_buffer_add(lines, " ", 1);
		blank = false;
		text_buffer_add(lines, field, 1);
	}
}

/* Removes the tabs of empty fields and ends the line. */
static void end_line(struct table_text *text)
{
	while (text->lines.bytes[text->lines.length - 1] == '\t')
		text->lines.length--;
	text_buffer_add(&text->lines, "\n", 1);
}

static bool are_names(const struct table_text *text, const char *pmu, const char *name)
{
	return is_name(name) && is_name(pmu) && strlen(pmu) < sizeof(text->pmu);
}

/* Counts a line of a kind. False: it is left out. */
static bool count_line(struct table_text *text, size_t *n, size_t most)
{
	bool fits = *n < most && text->lines.length <= (size_t)TABLE_TEXT_MIB_MAX << 20;

	*n += fits;
	text->n_left_out += !fits;
	return fits;
}

static void begin_line(struct table_text *text, const char *pmu, const char *name,
		       const char *prefix)
{
	if (strcmp(text->pmu, pmu) != 0) {
		text_copy(text->pmu, sizeof(text->pmu), pmu);
		text_buffer_add(&text->lines, "@", 1);
		text_buffer_add_text(&text->lines, pmu);
		text_buffer_add(&text->lines, "\n", 1);
	}
	text_buffer_add_text(&text->lines, prefix);
	text_buffer_add_text(&text->lines, name);
}

bool table_text_add_event(struct table_text *text, const struct table_event *event)
{
	char counters[24] = "";

	if (!are_terms(event->terms) || !are_names(text, event->pmu, event->name))
		return false;
	if (!count_line(text, &text->n_events, TABLE_TEXT_EVENTS_MAX))
		return true;
	begin_line(text, event->pmu, event->name, "");
	if (event->counters)
		snprintf(counters, sizeof(counters), "%llx", (unsigned long long)event->counters);
	append_field(&text->lines, event->terms, SIZE_MAX);
	append_field(&text->lines, counters, SIZE_MAX);
	append_field(&text->lines, event->flags, SIZE_MAX);
	append_field(&text->lines, event->help, TABLE_TEXT_HELP_MAX);
	end_line(text);
	return true;
}

bool table_text_add_metric(struct table_text *text, const struct table_metric *metric)
{
	const char *const fields[] = {metric->unit,     metric->parent, metric->domain,
				      metric->formula,  metric->events, metric->constants,
				      metric->threshold};

	if (!metric->formula || !metric->formula[0] || !are_names(text, metric->pmu, metric->name))
		return false;
	if (!count_line(text, &text->n_metrics, TABLE_TEXT_METRICS_MAX))
		return true;
	begin_line(text, metric->pmu, metric->name, "+");
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		append_field(&text->lines, fields[i], SIZE_MAX);
	append_field(&text->lines, metric->help, TABLE_TEXT_HELP_MAX);
	end_line(text);
	return true;
}

void table_text_fini(struct table_text *text)
{
	free(text->lines.bytes);
	*text = (struct table_text){0};
}
