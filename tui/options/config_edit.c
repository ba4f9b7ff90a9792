// SPDX-License-Identifier: MIT
/*
 * The reader says in which lines an entry stands, and where its section ends; all that is done here
 * is to write the text anew with other lines there. A value may be one that no line can say (" #"
 * begins a comment), so what was written is read again.
 */
#include "tui/options/config_edit.h"

#include "core/base/util.h"
#include "tui/options/config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 90 }; /* of what is written, where it can be parted */

struct edit {
	const struct config_change *change;
	const struct config_entry *entry;     /* NULL: not there yet */
	const struct config_section *section; /* that is to have it */
	const char *newline;
	FILE *out;
};

/* How much of the value fits a line: up to a blank behind which a line may go on. */
static size_t fit(const char *value, size_t room)
{
	size_t length = strlen(value), at = 0;

	if (length <= room)
		return length;
	for (size_t i = 1; i < length; i++) {
		const char *rest = value + i + 1;

		if (value[i] != ' ' || value[i - 1] == ' ' || strchr(" #;[", rest[0]) ||
		    config_is_assignment(rest))
			continue;
		if (at > 0 && i > room)
			break;
		at = i;
	}
	return at ? at : length;
}

/*
 * What stands left of the value, and a comment behind it, are as they were. The comment stays in
 * the first line, where the next edit looks for it.
 */
static void write_entry(const struct edit *edit, const char *before, size_t length,
			const char *comment, size_t comment_length)
{
	const char *value = edit->change->value;
	size_t indent = length;

	fprintf(edit->out, "%.*s", (int)length, before);
	for (;;) {
		size_t piece = fit(value, indent < WIDTH / 2 ? WIDTH - indent : WIDTH / 2);

		fprintf(edit->out, "%.*s%.*s", (int)piece, value, (int)comment_length, comment);
		comment_length = 0;
		value += piece;
		if (!*value)
			break;
		value++;
		fprintf(edit->out, "%s\t", edit->newline);
		indent = 8;
	}
}

/* The comment of a line with the blanks before it, else its end. */
static const char *find_comment(const char *line, size_t length)
{
	for (size_t i = 1; i < length; i++)
		if (line[i] == '#' && (line[i - 1] == ' ' || line[i - 1] == '\t')) {
			while (i > 0 && (line[i - 1] == ' ' || line[i - 1] == '\t'))
				i--;
			return line + i;
		}
	return line + length;
}

static void replace_line(const struct edit *edit, const char *line, size_t length)
{
	size_t before = strcspn(line, "=:");
	const char *comment;

	if (!edit->change->value)
		return;
	if (length > 0 && line[length - 1] == '\r')
		length--;
	comment = find_comment(line, length);
	before += before < length;
	before += strspn(line + before, " \t");
	before = size_min(before, (size_t)(comment - line));
	write_entry(edit, line, before, comment, (size_t)(line + length - comment));
	fputs(line[length] == '\r' ? "\r\n" : line[length] ? "\n" : edit->newline, edit->out);
}

static void add_line(const struct edit *edit)
{
	char before[80];
	int length = snprintf(before, sizeof(before), "%.60s = ", edit->change->name);

	write_entry(edit, before, (size_t)length, "", 0);
	fputs(edit->newline, edit->out);
}

/* A line that goes on with the entry, and is no comment among those that do. */
static bool is_continuation(const struct config_entry *entry, unsigned number, const char *line)
{
	const char *text = line + strspn(line, " \t\r");

	return entry && number > entry->line && number <= entry->last && !strchr("#;\n", text[0]);
}

static void write_text(const struct edit *edit, const char *text)
{
	bool adds = !edit->entry && edit->change->value;
	unsigned number = 0;

	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		bool ended = line[length] == '\n';

		number++;
		if (edit->entry && number == edit->entry->line)
			replace_line(edit, line, length);
		else if (!is_continuation(edit->entry, number, line))
			fprintf(edit->out, "%.*s%s", (int)(length + ended), line,
				ended ? "" : edit->newline);
		if (adds && number == edit->section->end)
			add_line(edit);
		line += length + ended;
	}
	if (adds && edit->section->end == 0) {
		fprintf(edit->out, "%s[%s]%s", text[0] ? edit->newline : "", edit->change->section,
			edit->newline);
		add_line(edit);
	}
}

/* Whether there is such an entry; *changed is the text without it, or with the new one. */
static bool apply(const char *text, const struct config_change *change, char **changed)
{
	struct config config = {0};
	size_t first = strcspn(text, "\n"), size;
	struct edit edit = {
		.change = change,
		.newline = first > 0 && text[first] && text[first - 1] == '\r' ? "\r\n" : "\n",
		.out = xopen_memstream(changed, &size),
	};

	config_parse("", text, &config);
	edit.section = config_section_find(&config, change->section);
	edit.entry = config_entry_find(edit.section, change->name);
	write_text(&edit, text);
	fclose(edit.out);
	bool found = edit.entry != NULL;
	config_fini(&config);
	return found;
}

static int check(const char *text, const struct config_change *change, struct error *err)
{
	struct config config = {0};

	config_parse("", text, &config);
	const struct config_section *section = config_section_find(&config, change->section);
	const struct config_entry *entry = config_entry_find(section, change->name);
	bool same = change->value ? entry && strcmp(entry->value, change->value) == 0 : !entry;
	bool full = section->full;
	config_fini(&config);
	if (same)
		return 0;
	if (full)
		return error_set(err, -E2BIG, "[%s] is full (%d entries). Remove some.",
				 change->section, CONFIG_ENTRIES_MAX);
	return error_set(err, -EINVAL, "'%.40s = %.80s' cannot be written in a configuration.",
			 change->name, change->value ? change->value : "");
}

char *config_edit(const char *text, const struct config_change *changes, size_t n,
		  struct error *err)
{
	char *edited = xstrdup(text);

	for (size_t i = 0; i < n; i++) {
		bool found;

		do { /* where one goes, a second one that was none would come */
			char *before = edited;

			found = apply(before, &changes[i], &edited);
			free(before);
		} while (found && !changes[i].value);
	}
	int rc = strlen(edited) <= CONFIG_BYTES_MAX || strlen(edited) <= strlen(text)
			 ? 0
			 : error_set(err, -E2BIG,
				     "The configuration would be longer than %d KiB. Remove some "
				     "of it.",
				     CONFIG_BYTES_MAX / 1024);
	for (size_t i = 0; !rc && i < n; i++)
		rc = check(edited, &changes[i], err);
	if (!rc)
		return edited;
	free(edited);
	return NULL;
}
