// SPDX-License-Identifier: MIT
/*
 * inih splits the file into entries. It reports no line numbers and only its first error. So
 * next_line(), which passes it one line at a time, counts the lines, and checks after each line
 * whether inih found an entry.
 *
 * Names and values are kept as text until the file has been read, because a preset may name a
 * metric defined later.
 */
#include "tui/options/config.h"

#include "core/base/bounded_read.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/base/util.h"
#include "core/event/event_names.h"
#include "core/metric/metric_user.h"
#include "core/metric/metric_vendor.h"

#include <errno.h>
#include <ini.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* Time limit for a pipe: --config <(...). */
#define PATIENCE_NS (5 * NS_PER_S)

struct parse {
	struct config *config;
	const char *rest;               /* rest of the text */
	unsigned line;                  /* number of the line that inih has */
	bool owes_entry;                /* the line should give an entry, which has not come yet */
	bool continues;                 /* the line continues the last entry */
	struct config_section *section; /* section of the line; NULL: unknown or none */
	struct config_entry *entry;     /* last entry; NULL: none */
	bool skipping;    /* the last line was ignored, so its continuations are too */
	char unknown[64]; /* the last unknown section that was noted; no name has a newline */
};

static void note_line(struct parse *parse, const char *sentence)
{
	config_note(parse->config, &(struct config_entry){.line = parse->line}, sentence);
	parse->entry = NULL;
	parse->skipping = true;
}

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

bool config_is_assignment(const char *text)
{
	size_t length = strspn(text, NAME_CHARACTERS);
	const char *sign = text + length + strspn(text + length, " \t");

	return length > 0 && sign[0] == '=' && sign[1] != '=';
}

static const struct {
	const char *name;
	size_t offset;
} section_table[] = {
	{"pmctop", offsetof(struct config, settings)},
	{"keys", offsetof(struct config, keys)},
	{"metrics", offsetof(struct config, metrics_as_written)},
	{"presets", offsetof(struct config, presets_as_written)},
};

static struct config_section *section_at(struct config *config, size_t i)
{
	return (struct config_section *)(void *)((char *)config + section_table[i].offset);
}

static void begin_section(struct parse *parse, const char *text)
{
	const char *end = strchr(text, ']');

	parse->entry = NULL;
	parse->skipping = false;
	parse->section = NULL;
	if (!end) {
		note_line(parse, "Section heading without ']'. Write [NAME].");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(section_table); i++) {
		const char *name = section_table[i].name;

		if (strlen(name) == (size_t)(end - text - 1) &&
		    strncmp(name, text + 1, strlen(name)) == 0)
			parse->section = section_at(parse->config, i);
	}
}

/* Predicts how inih will read a line. Returns the text to give it, "" for none. */
static const char *classify_line(struct parse *parse, const char *line)
{
	const char *text = line + strspn(line, " \t\r\v\f");

	parse->owes_entry = parse->continues = false;
	if (!*text || *text == '#' || *text == ';')
		return "";
	if (*text == '[')
		begin_section(parse, text);
	if (parse->section)
		parse->section->end = parse->line;
	if (*text == '[')
		return text;
	parse->continues =
		text > line && !config_is_assignment(text) && (parse->entry || parse->skipping);
	parse->owes_entry = !parse->continues;
	if (parse->continues)
		return parse->entry ? line : "";
	return text;
}

static void note_missing_entry(struct parse *parse)
{
	if (parse->owes_entry)
		note_line(parse, "Neither NAME = VALUE nor a [section]. Begin comments with #.");
}

/*
 * Removes a comment: # after a blank. For inih it is ; after a blank, but ; separates the settings
 * of a metric, so the blank before it is removed.
 */
static void remove_comment(char *line)
{
	char *to = line + strspn(line, " \t");

	for (const char *from = to; *from; from++) {
		bool blank = to > line && (to[-1] == ' ' || to[-1] == '\t');

		if (*from == '#' && blank)
			break;
		while (*from == ';' && to > line && (to[-1] == ' ' || to[-1] == '\t'))
			to--;
		*to++ = *from;
	}
	*to = '\0';
}

/* Replaces fgets() for inih. */
static char *next_line(char *to, int size, void *arg)
{
	struct parse *parse = arg;

	note_missing_entry(parse);
	parse->owes_entry = false;
	if (!*parse->rest)
		return NULL;

	size_t length = strcspn(parse->rest, "\n");
	char *line = xstrndup(parse->rest, length);
	const char *text;

	parse->rest += length + (parse->rest[length] == '\n');
	parse->line++;
	remove_comment(line);
	text = classify_line(parse, line);
	if (text[0] == '[') { /* inih ignores what is behind it, and its lines are limited */
		char *end = strchr(line, ']');
		if (end)
			end[1] = '\0';
	}
	if (strlen(text) + 2 > (size_t)size) {
		char sentence[120];

		snprintf(sentence, sizeof(sentence),
			 "Line longer than %d bytes. Continue it on the next line, after a blank.",
			 size - 2);
		note_line(parse, sentence);
		parse->owes_entry = false;
		text = "";
	}
	snprintf(to, (size_t)size, "%s\n", text);
	free(line);
	return to;
}

static struct config_entry *append_entry(struct config_section *section, const char *name,
					 const char *value, unsigned line)
{
	section->items = array_reserve(section->items, &section->capacity, section->n + 1,
				       sizeof(*section->items));
	section->items[section->n] = (struct config_entry){
		.name = xstrdup(name), .value = xstrdup(value), .line = line, .last = line};
	return &section->items[section->n++];
}

static void continue_entry(struct config_entry *entry, const char *value)
{
	size_t length = strlen(entry->value), more = strlen(value);

	entry->value = xreallocarray(entry->value, length + more + 2, 1);
	entry->value[length] = ' ';
	memcpy(entry->value + length + 1, value, more + 1);
}

const struct config_entry *config_entry_find(const struct config_section *section, const char *name)
{
	for (size_t i = 0; i < section->n; i++)
		if (strcmp(section->items[i].name, name) == 0)
			return &section->items[i];
	return NULL;
}

/* " (sections: [pmctop], [keys] ...)" */
static void list_sections(char *text, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < ARRAY_SIZE(section_table) && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s[%s]",
					   i ? ", " : " (sections: ", section_table[i].name);
	if (length < size)
		text_copy(text + length, size - length, ")");
}

static struct config_section *find_section(struct parse *parse, const char *name)
{
	struct suggest near = {.word = name};
	char hint[80], sentence[200];

	for (size_t i = 0; i < ARRAY_SIZE(section_table); i++) {
		if (strcmp(section_table[i].name, name) == 0)
			return section_at(parse->config, i);
		suggest_offer(&near, section_table[i].name);
	}
	parse->entry = NULL;
	parse->skipping = true;
	if (strcmp(parse->unknown, name) == 0)
		return NULL;
	text_copy(parse->unknown, sizeof(parse->unknown), name);
	suggest_text(&near, hint, sizeof(hint));
	if (!hint[0])
		list_sections(hint, sizeof(hint));
	if (name[0])
		snprintf(sentence, sizeof(sentence), "Unknown section [%.40s]%s, ignored.", name,
			 hint);
	else
		snprintf(sentence, sizeof(sentence),
			 "Line before the first [section]. Write [pmctop] above it.");
	note_line(parse, sentence);
	return NULL;
}

static void note_full_section(struct parse *parse, struct config_section *section)
{
	char sentence[120];

	snprintf(sentence, sizeof(sentence),
		 "Too many entries (at most %d per section). The rest of the section is ignored.",
		 CONFIG_ENTRIES_MAX);
	if (!section->full)
		note_line(parse, sentence);
	section->full = true;
	parse->entry = NULL;
	parse->skipping = true;
}

/* inih's handler of an entry; 1 is success. */
static int on_entry(void *arg, const char *section_name, const char *name, const char *value)
{
	struct parse *parse = arg;

	parse->owes_entry = false;
	if (parse->continues) {
		continue_entry(parse->entry, value);
		parse->entry->last = parse->line;
		return 1;
	}

	struct config_section *section = find_section(parse, section_name);
	const struct config_entry *twin = section ? config_entry_find(section, name) : NULL;
	char sentence[160];

	if (!section)
		return 1;
	if (section->n == CONFIG_ENTRIES_MAX) {
		note_full_section(parse, section);
		return 1;
	}
	if (!name[0] || twin) {
		if (twin)
			snprintf(sentence, sizeof(sentence),
				 "'%.40s' is set in line %u already. Remove one.", name,
				 twin->line);
		note_line(parse, twin ? sentence : "No name before '='. Write NAME = VALUE.");
		return 1;
	}
	parse->entry = append_entry(section, name, value, parse->line);
	return 1;
}

static void free_names(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

/*
 * Whether an unknown name is a misspelt metric. Other unknown names are events, or metrics of a
 * vendor: with its prefix they never count as misspelt.
 */
static bool is_misspelt_metric(const struct config *config, const char *name)
{
	struct suggest near = {.word = name};

	if (metric_vendor_has_prefix(name))
		return false;
	for (size_t i = 0; i < config->n_metrics; i++)
		suggest_offer(&near, config->metrics[i].name);
	for (size_t i = 0; i < metric_table_n; i++)
		suggest_offer(&near, metric_table[i].name);
	return near.nearest && strncmp(near.nearest, name, strlen(name)) != 0;
}

/* The item at *i, or the {group} that begins there, owned by the caller. Advances *i. */
static char *join_group(const struct event_names *list, size_t *i)
{
	unsigned group = list->items[*i].group;
	char *text = NULL;
	size_t size;
	FILE *file = xopen_memstream(&text, &size);

	fprintf(file, "%s%s", group ? "{" : "", list->items[(*i)++].name);
	for (; group && *i < list->n && list->items[*i].group == group; (*i)++)
		fprintf(file, ",%s", list->items[*i].name);
	fputs(group ? "}" : "", file);
	fclose(file);
	return text;
}

/*
 * The names that a preset lists, ended by NULL, owned by the caller. NULL: a metric is misspelt,
 * which is noted.
 */
static char **copy_preset_names(struct config *config, const struct config_entry *entry,
				const struct event_names *list)
{
	char **names = xcalloc(list->n + 1, sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < list->n;) {
		const char *name = list->items[i].name;
		struct error err;

		if (!metric_def_lookup(config->metrics, config->n_metrics, name) &&
		    is_misspelt_metric(config, name)) {
			metric_def_unknown(NULL, config->metrics, config->n_metrics, name, &err);
			config_note(config, entry, err.text);
			free_names(names);
			return NULL;
		}
		names[n++] = join_group(list, &i);
	}
	return names;
}

static bool is_preset_name(const char *name)
{
	return name[strspn(name, NAME_CHARACTERS)] == '\0' && name[0] != '-' &&
	       strcmp(name, preset_none.name) != 0;
}

static void add_preset(struct config *config, const struct config_entry *entry)
{
	if (!is_preset_name(entry->name)) {
		config_note(config, entry,
			    "Invalid preset name. Use letters, digits, _ and -, and not 'none'.");
		return;
	}

	struct event_names list = {0};
	struct error err;
	char **names = NULL;

	if (!entry->value[strspn(entry->value, ", ")])
		config_note(config, entry, "Preset without metrics. Write NAME = METRIC, EVENT.");
	else if (event_names_parse(entry->value, &list, &err))
		config_note(config, entry, err.text);
	else
		names = copy_preset_names(config, entry, &list);
	if (names)
		preset_copy(&config->presets[config->n_presets++],
			    &(struct preset){
				    .name = entry->name,
				    .help = "of the configuration",
				    .metrics = (const char *const *)names,
			    });
	free_names(names);
	event_names_fini(&list);
}

static void add_metric(struct config *config, const struct config_entry *entry)
{
	size_t size = strlen(entry->name) + strlen(entry->value) + sizeof(" = ");
	char *text = xmalloc(size);
	struct error err;

	snprintf(text, size, "%s = %s", entry->name, entry->value);
	if (metric_def_parse(text, &config->metrics[config->n_metrics], &err) == 0)
		config->n_metrics++;
	else
		config_note(config, entry, err.text);
	free(text);
}

const struct config_section *config_section_find(const struct config *config, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(section_table); i++)
		if (strcmp(section_table[i].name, name) == 0)
			return (const struct config_section *)(const void *)((const char *)config +
									     section_table[i]
										     .offset);
	return NULL;
}

void config_note(struct config *config, const struct config_entry *entry, const char *sentence)
{
	char text[512];
	size_t at = config->n_noted;

	while (at > 0 && config->noted[at - 1] > entry->line)
		at--;
	snprintf(text, sizeof(text), "%.160s:%u: %s", config->path, entry->line, sentence);
	if (!notes_insert(&config->notes, at, text))
		return;
	if (config->n_noted == NOTES_MAX)
		config->n_noted--;
	memmove(config->noted + at + 1, config->noted + at,
		(config->n_noted++ - at) * sizeof(*config->noted));
	config->noted[at] = entry->line;
}

void config_parse(const char *path, const char *text, struct config *config)
{
	struct parse parse = {.config = config, .rest = text, .unknown = "\n"};

	config->path = xstrdup(path);
	if (strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
		parse.rest += strlen(BYTE_ORDER_MARK);
	ini_parse_stream(next_line, &parse, on_entry, &parse);
	config->metrics = xcalloc(config->metrics_as_written.n, sizeof(*config->metrics));
	config->presets = xcalloc(config->presets_as_written.n, sizeof(*config->presets));
	for (size_t i = 0; i < config->metrics_as_written.n; i++)
		add_metric(config, &config->metrics_as_written.items[i]);
	for (size_t i = 0; i < config->presets_as_written.n; i++)
		add_preset(config, &config->presets_as_written.items[i]);
}

/* Parses and frees `text`. `rc` is the result of reading it. Returns as config_load() does. */
static int parse_and_free(const char *path, int rc, char *text, size_t length,
			  struct config *config, struct error *err)
{
	if (error_is_absent(rc))
		return -ENOENT;
	if (rc)
		return error_set(err, rc, "'%.120s' cannot be read: %s.", path, error_why(rc));
	if (length > CONFIG_BYTES_MAX)
		rc = error_set(err, -EFBIG,
			       "'%.120s' is not a configuration: it is longer than %d KiB.", path,
			       CONFIG_BYTES_MAX / 1024);
	else if (memchr(text, '\0', length))
		rc = error_set(err, -EINVAL, "'%.120s' is not a configuration: it is not a text.",
			       path);
	else
		config_parse(path, text, config);
	free(text);
	return rc;
}

int config_load(const char *path, struct config *config, struct error *err)
{
	size_t length = 0;
	char *text = NULL;
	int rc = bounded_read(path, PATIENCE_NS, CONFIG_BYTES_MAX + 1, &text, &length);

	return parse_and_free(path, rc, text, length, config, err);
}

int config_load_own(const char *path, struct config *config, struct error *err)
{
	size_t length = 0;
	char *text = NULL;
	int rc = bounded_read_trusted(path, PATIENCE_NS, CONFIG_BYTES_MAX + 1, &text, &length);

	if (rc == -EPERM)
		return error_set(err, rc,
				 "'%.120s' is ignored: it belongs to another user, or others may "
				 "write to it. To use it: --config",
				 path);
	return parse_and_free(path, rc, text, length, config, err);
}

static void section_fini(struct config_section *section)
{
	for (size_t i = 0; i < section->n; i++) {
		free(section->items[i].name);
		free(section->items[i].value);
	}
	free(section->items);
}

void config_fini(struct config *config)
{
	for (size_t i = 0; i < ARRAY_SIZE(section_table); i++)
		section_fini(section_at(config, i));
	for (size_t i = 0; i < config->n_metrics; i++)
		metric_def_fini(&config->metrics[i]);
	free(config->metrics);
	for (size_t i = 0; i < config->n_presets; i++)
		preset_fini(&config->presets[i]);
	free(config->presets);
	notes_fini(&config->notes);
	free(config->path);
	*config = (struct config){0};
}
