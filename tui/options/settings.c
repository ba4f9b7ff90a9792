// SPDX-License-Identifier: MIT
/*
 * settings_save() compares the texts of the options now with the texts in the file and changes the
 * entries that differ.
 */
#include "tui/options/settings.h"

#include "core/base/util.h"
#include "tui/options/config_save.h"
#include "tui/options/option_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const struct options *options, const struct option_row *row)
{
	char *text = NULL;
	size_t size;
	FILE *file = xopen_memstream(&text, &size);

	option_row_write(row, options, file);
	fclose(file);
	return text;
}

struct changes {
	struct config_change *items;
	size_t n, capacity;
};

/* Appends a change. The value is owned by *changes. */
static void append_change(struct changes *changes, const char *section, const char *name,
			  char *value)
{
	changes->items = array_reserve(changes->items, &changes->capacity, changes->n + 1,
				       sizeof(*changes->items));
	changes->items[changes->n++] = (struct config_change){section, name, value};
}

static void changes_fini(struct changes *changes)
{
	for (size_t i = 0; i < changes->n; i++)
		xfree(changes->items[i].value);
	free(changes->items);
}

static void append_differences(const struct options *file, const struct options *now,
			       struct changes *changes)
{
	for (size_t i = 0; i < option_rows_n; i++) {
		const char *name = option_row_setting(&option_rows[i]);

		if (!option_rows[i].saved)
			continue;
		char *before = copy_text(file, &option_rows[i]);
		char *after = copy_text(now, &option_rows[i]);
		if (strcmp(before, after) == 0) {
			free(after);
		} else if (after[0]) {
			append_change(changes, "pmctop", name, after);
		} else {
			append_change(changes, "pmctop", name, NULL);
			free(after);
		}
		free(before);
	}
	if (file->by != now->by) /* the other setting with the same meaning */
		append_change(changes, "pmctop", "threads", NULL);
}

/*
 * Writes formulas of -m ("kfpi = EXPR; unit=/ki") as entries of [metrics], without the blanks that
 * the parser would remove.
 */
static void append_formulas(const struct options *now, char (*names)[64], struct changes *changes)
{
	for (size_t i = 0; i < now->n_columns; i++) {
		const char *text = now->columns[i].text;
		const char *sign = strchr(text, '=');

		if (now->columns[i].kind != ENGINE_METRIC || !sign)
			continue;
		snprintf(names[i], sizeof(names[i]), "%.*s", (int)option_metric_name(text), text);
		sign += 1 + strspn(sign + 1, " \t");

		char *value = xstrdup(sign), *to = value;

		for (const char *from = value; *from; from++) {
			while (*from == ';' && to > value && to[-1] == ' ')
				to--;
			*to++ = *from;
		}
		*to = '\0';
		append_change(changes, "metrics", names[i], value);
	}
}

void settings_apply(struct config *config, struct options *options)
{
	struct error err;

	for (size_t i = 0; i < config->settings.n; i++) {
		const struct config_entry *entry = &config->settings.items[i];

		if (options_set(options, entry->name, entry->value, &err))
			config_note(config, entry, err.text);
	}
}

/* Reads the file again: it may have been edited meanwhile. */
static int read_present_file(const char *path, const char *pattern, struct config *config,
			     struct options *options, struct error *err)
{
	int rc = config_load(path, config, err);

	if (rc == -ENOENT && pattern)
		rc = config_load_own(pattern, config, err);
	if (rc == -EPERM || rc == -EACCES) /* config_save() reports it */
		return 0;
	if (rc && rc != -ENOENT)
		return rc;
	settings_apply(config, options); /* notes are dropped */
	return 0;
}

int settings_save(const char *path, const char *pattern, const struct options *now,
		  struct error *err)
{
	char(*names)[64] = xcalloc(now->n_columns, sizeof(*names));
	struct changes changes = {0};
	struct config config = {0};
	struct options file;
	int rc;

	options_init(&file);
	rc = read_present_file(path, pattern, &config, &file, err);
	if (!rc) {
		append_formulas(now, names, &changes);
		append_differences(&file, now, &changes);
		rc = config_save(path, pattern, changes.items, changes.n, err);
	}
	changes_fini(&changes);
	options_fini(&file);
	config_fini(&config);
	free(names);
	return rc;
}
