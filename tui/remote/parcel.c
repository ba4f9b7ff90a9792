// SPDX-License-Identifier: MIT
/*
 * The table has a row for each key with one value. "word" may come often, and so may "theme/NAME".
 * "end" is the last key, so a file that was cut is not accepted.
 */
#include "tui/remote/parcel.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "pmctop-parcel-1";
static const char word_key[] = "word", theme_key[] = "theme/", end_key[] = "end";

static const struct {
	const char *key;
	size_t text; /* offset of a char * in struct parcel */
	size_t flag; /* or of a bool; 0: none */
} rows[] = {
	{"TERM", .text = offsetof(struct parcel, term)},
	{"COLORTERM", .text = offsetof(struct parcel, colorterm)},
	{"NO_COLOR", .text = offsetof(struct parcel, no_color)},
	{"ESCDELAY", .text = offsetof(struct parcel, escdelay)},
	{"LINES", .text = offsetof(struct parcel, lines)},
	{"COLUMNS", .text = offsetof(struct parcel, columns)},
	{"config-path", .text = offsetof(struct parcel, config_path)},
	{"config", .text = offsetof(struct parcel, config)},
	{"theme", .text = offsetof(struct parcel, theme)},
	{"tables-folder", .text = offsetof(struct parcel, tables.folder)},
	{"tables", .text = offsetof(struct parcel, tables.text)},
	{"host", .text = offsetof(struct parcel, host)},
	{"record", .text = offsetof(struct parcel, record)},
	{"utf8", .flag = offsetof(struct parcel, utf8)},
};

void parcel_add_word(struct parcel *parcel, const char *word)
{
	parcel->words = array_reserve(parcel->words, &parcel->words_capacity, parcel->n_words + 2,
				      sizeof(*parcel->words));
	parcel->words[parcel->n_words++] = xstrdup(word);
	parcel->words[parcel->n_words] = NULL;
}

void parcel_add_theme(struct parcel *parcel, const char *name, const char *text)
{
	parcel->themes = array_reserve(parcel->themes, &parcel->themes_capacity,
				       parcel->n_themes + 1, sizeof(*parcel->themes));
	parcel->themes[parcel->n_themes++] =
		(struct theme_text){.name = xstrdup(name), .text = xstrdup(text)};
}

static void write_text(FILE *file, const char *text)
{
	fwrite(text, 1, strlen(text) + 1, file);
}

static void write_entry(FILE *file, const char *key, const char *value)
{
	write_text(file, key);
	write_text(file, value);
}

static void write_all_entries(const struct parcel *parcel, FILE *file)
{
	write_text(file, magic);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *base = (const char *)parcel;

		if (rows[i].flag && *(const bool *)(base + rows[i].flag))
			write_entry(file, rows[i].key, "yes");
		else if (!rows[i].flag && *(char *const *)(base + rows[i].text))
			write_entry(file, rows[i].key, *(char *const *)(base + rows[i].text));
	}
	for (size_t i = 0; i < parcel->n_themes; i++) {
		fputs(theme_key, file);
		write_entry(file, parcel->themes[i].name, parcel->themes[i].text);
	}
	for (size_t i = 0; i < parcel->n_words; i++)
		write_entry(file, word_key, parcel->words[i]);
	write_text(file, end_key);
}

int parcel_pack(const struct parcel *parcel, char **bytes, size_t *n, struct error *err)
{
	FILE *file = xopen_memstream(bytes, n);

	write_all_entries(parcel, file);
	if (fclose(file))
		xalloc_failed();
	if (*n <= PARCEL_BYTES_MAX && parcel->n_words <= PARCEL_WORDS_MAX)
		return 0;
	free(*bytes);
	*bytes = NULL;
	return error_set(err, -E2BIG,
			 "The command line and the configuration are too long to be sent (at most "
			 "%d bytes and %d words). Use fewer.",
			 PARCEL_BYTES_MAX, PARCEL_WORDS_MAX);
}

/* The next text, or NULL if no NUL ends it. */
static const char *next_text(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, '\0', (size_t)(end - text));

	if (!nul)
		return NULL;
	*at = nul + 1;
	return text;
}

/* Whether the key is known and has its first value. */
static bool store_value(struct parcel *parcel, const char *key, const char *value)
{
	if (strcmp(key, word_key) == 0) {
		if (parcel->n_words == PARCEL_WORDS_MAX)
			return false;
		parcel_add_word(parcel, value);
		return true;
	}
	if (strncmp(key, theme_key, strlen(theme_key)) == 0) {
		if (parcel->n_themes == PARCEL_THEMES_MAX)
			return false;
		parcel_add_theme(parcel, key + strlen(theme_key), value);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *base = (char *)parcel;

		if (strcmp(key, rows[i].key) != 0)
			continue;
		if (rows[i].flag) {
			*(bool *)(base + rows[i].flag) = strcmp(value, "yes") == 0;
			return true;
		}
		char **text = (char **)(base + rows[i].text);
		if (*text)
			return false;
		*text = xstrdup(value);
		return true;
	}
	return false;
}

static bool read_entries(struct parcel *parcel, const char *at, const char *end)
{
	const char *key = next_text(&at, end);

	if (!key || strcmp(key, magic) != 0)
		return false;
	while ((key = next_text(&at, end)) && strcmp(key, end_key) != 0) {
		const char *value = next_text(&at, end);

		if (!value || !store_value(parcel, key, value))
			return false;
	}
	/* argv[0] is there, the path and the text of a configuration only together. */
	return key && at == end && parcel->n_words > 0 && !parcel->config == !parcel->config_path &&
	       (!parcel->tables.text || parcel->tables.folder);
}

int parcel_unpack(const char *bytes, size_t n, struct parcel *parcel, struct error *err)
{
	*parcel = (struct parcel){0};
	if (n <= PARCEL_BYTES_MAX && read_entries(parcel, bytes, bytes + n))
		return 0;
	parcel_fini(parcel);
	return error_set(
		err, -EINVAL,
		"The arguments that were sent here cannot be read. Copy the static program "
		"of the same version: --static FILE.");
}

void parcel_fini(struct parcel *parcel)
{
	for (size_t i = 0; i < parcel->n_words; i++)
		free(parcel->words[i]);
	free(parcel->words);
	for (size_t i = 0; i < parcel->n_themes; i++) {
		free(parcel->themes[i].name);
		free(parcel->themes[i].text);
	}
	free(parcel->themes);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!rows[i].flag)
			free(*(char **)((char *)parcel + rows[i].text));
	*parcel = (struct parcel){0};
}
