// SPDX-License-Identifier: MIT
/*
 * config.c reports the lines of each entry and the end of each section. The text is written anew
 * with other lines there. Some values cannot be written (" #" begins a comment), so the new text is
 * parsed again to check them.
 */
#include "tui/options/config_edit.h"

#include "core/base/util.h"
#include "tui/options/config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 90 }; /* columns of a written line, if the value can be split */

struct edit {
	const struct config_change *change;
	const struct config_entry *entry;     /* NULL: a new entry */
	const struct config_section *section; /* the entry's section */
	const char *newline;
	FILE *out;
};

/*
 * The length of the value's part for this line. It ends at a blank, behind which a continuation
 * line may begin.
 */
static size_t fitting_length(const char *value, size_t room)
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
 * Writes an entry. The text left of the value and the comment stay. The comment remains in the
 * first line, where the next edit searches it.
 */
static void write_entry(const struct edit *edit, const char *before, size_t length,
			const char *comment, size_t comment_length)
{
	const char *value = edit->change->value;
	size_t indent = length;

	fprintf(edit->out, "%.*s", (int)length, before);
	for (;;) {
		size_t piece =
			fitting_length(value, indent < WIDTH / 2 ? WIDTH - indent : WIDTH / 2);

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

/* A line's comment with the blanks before it, else the end of the line. */
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

/* All lines of the new entry end as the line that it replaces. */
static void replace_line(const struct edit *edit, const char *line, size_t length)
{
	size_t before = strcspn(line, "=:");
	struct edit own = *edit;
	const char *comment;

	if (!edit->change->value)
		return;
	if (length > 0 && line[length - 1] == '\r')
		own.newline = "\r\n";
	else if (line[length])
		own.newline = "\n";
	if (length > 0 && line[length - 1] == '\r')
		length--;
	comment = find_comment(line, length);
	before += before < length;
	before += strspn(line + before, " \t");
	before = size_min(before, (size_t)(comment - line));
	write_entry(&own, line, before, comment, (size_t)(line + length - comment));
	fputs(own.newline, edit->out);
}

static void write_new_line(const struct edit *edit)
{
	char before[80];
	int length = snprintf(before, sizeof(before), "%.60s = ", edit->change->name);

	write_entry(edit, before, (size_t)length, "", 0);
	fputs(edit->newline, edit->out);
}

/* Whether a line continues the entry and is no comment. */
static bool is_continuation(const struct config_entry *entry, unsigned number, const char *line)
{
	const char *text = line + strspn(line, " \t\r");

	return entry && number > entry->line && number <= entry->last && !strchr("#;\n", text[0]);
}

static void write_edited(const struct edit *edit, const char *text)
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
			write_new_line(edit);
		line += length + ended;
	}
	if (adds && edit->section->end == 0) {
		fprintf(edit->out, "%s[%s]%s", text[0] ? edit->newline : "", edit->change->section,
			edit->newline);
		write_new_line(edit);
	}
}

/*
 * Applies one change. *changed is the new text, owned by the caller. Returns whether the entry
 * existed.
 */
static bool apply_change(const char *text, const struct config_change *change, char **changed)
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
	write_edited(&edit, text);
	fclose(edit.out);
	bool found = edit.entry != NULL;
	config_fini(&config);
	return found;
}

/*
 * Whether the change can be read back. An entry that was added to a full section, in the middle,
 * would have the last one ignored.
 */
static int check_readable(const char *text, const struct config_change *change, bool added,
			  struct error *err)
{
	struct config config = {0};

	config_parse("", text, &config);
	const struct config_section *section = config_section_find(&config, change->section);
	const struct config_entry *entry = config_entry_find(section, change->name);
	bool same = change->value ? entry && strcmp(entry->value, change->value) == 0 : !entry;
	bool full = section->full;
	config_fini(&config);
	if (same && !(added && full))
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
	bool *added = xcalloc(n, sizeof(*added));

	for (size_t i = 0; i < n; i++) {
		bool found;

		do { /* a removed entry may uncover a duplicate that was ignored */
			char *before = edited;

			found = apply_change(before, &changes[i], &edited);
			free(before);
			added[i] = !found && changes[i].value;
		} while (found && !changes[i].value);
	}
	int rc = strlen(edited) <= CONFIG_BYTES_MAX || strlen(edited) <= strlen(text)
			 ? 0
			 : error_set(err, -E2BIG,
				     "The configuration would be longer than %d KiB. Remove some "
				     "of it.",
				     CONFIG_BYTES_MAX / 1024);
	for (size_t i = 0; !rc && i < n; i++)
		rc = check_readable(edited, &changes[i], added[i], err);
	free(added);
	if (!rc)
		return edited;
	free(edited);
	return NULL;
}
