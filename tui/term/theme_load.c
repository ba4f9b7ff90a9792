// SPDX-License-Identifier: MIT
/*
 * A theme is searched among the themes that another machine sent, in the user's directory, among
 * the built-in ones, then as a file. A file of that directory must belong to the user or root
 * (core/base/bounded_read.h); a file that the user named need not.
 */
#include "tui/term/theme_load.h"

#include "core/base/bounded_read.h"
#include "core/base/suggest.h"
#include "core/base/util.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".theme"

enum {
	THEME_BYTES_MAX = 64 * 1024,
	THEMES_MAX = 1000, /* files per directory */
};

/*
 * -ENOENT without a sentence, other errors with one. *text is owned by the caller. `found`: from
 * the user's directory, so it must be the user's own.
 */
static int read_theme_file(const char *path, bool found, char **text, struct error *err)
{
	size_t length;
	int rc = found ? bounded_read_trusted(path, 0, THEME_BYTES_MAX, text, &length)
		       : bounded_read(path, 0, THEME_BYTES_MAX, text, &length);

	if (error_is_absent(rc))
		return -ENOENT;
	if (found && rc == -EPERM)
		return error_set(err, rc,
				 "Theme '%.120s' is ignored: it belongs to another user, or "
				 "others may write it.",
				 path);
	if (rc == -EINVAL)
		return error_set(err, rc, "Theme '%.120s' is not a regular file.", path);
	return rc ? error_set(err, rc, "Theme '%.120s' cannot be read: %s.", path, error_why(rc))
		  : 0;
}

static int set_unknown_theme(const char *name, const struct theme_places *places, struct error *err)
{
	struct suggest near = {.word = name};
	struct theme_list list;
	char hint[80];

	theme_list_read(places, &list);
	for (size_t i = 0; i < list.n; i++)
		suggest_offer(&near, list.items[i].name);
	suggest_text(&near, hint, sizeof(hint));
	theme_list_fini(&list);
	return error_set(err, -ENOENT,
			 "Unknown theme '%.80s'%s. See 'pmctop --list themes', or name a file.",
			 name, hint);
}

static const char *sent_text(const struct theme_places *places, const char *name)
{
	for (size_t i = 0; i < places->n_sent; i++)
		if (strcmp(places->sent[i].name, name) == 0)
			return places->sent[i].text;
	return NULL;
}

/* Finds the text, and fills `path` with the file's path or the name of another theme. */
static int find_text(const char *name, const struct theme_places *places, char path[PATH_MAX],
		     char **text, struct notes *notes, struct error *err)
{
	const char *wanted = name ? name : "default", *sent = sent_text(places, wanted);
	int rc = -ENOENT;

	if (!sent && places->dir && !strchr(wanted, '/') &&
	    snprintf(path, PATH_MAX, "%s/%s" SUFFIX, places->dir, wanted) < PATH_MAX)
		rc = read_theme_file(path, true, text, err);
	if (rc == 0)
		return 0;
	const char *built_in = sent ? sent : theme_builtin_find(wanted);

	/* An unreadable directory counts as empty: sudo -u keeps $HOME. */
	if (rc == -EPERM && built_in)
		notes_add(notes, "%s", err->text);
	else if (rc != -ENOENT && !(rc == -EACCES && built_in))
		return rc;
	text_copy(path, PATH_MAX, wanted);
	if (built_in) {
		*text = xstrdup(built_in);
		return 0;
	}
	rc = read_theme_file(wanted, false, text, err);
	return rc == -ENOENT ? set_unknown_theme(wanted, places, err) : rc;
}

int theme_load_text(const char *name, const struct theme_places *places, char **text,
		    struct notes *notes, struct error *err)
{
	char path[PATH_MAX];

	return find_text(name, places, path, text, notes, err);
}

int theme_load(const char *name, const struct theme_places *places, struct theme *theme,
	       struct notes *notes, struct error *err)
{
	char path[PATH_MAX], *text;
	int rc = find_text(name, places, path, &text, notes, err);

	if (rc)
		return rc;
	rc = theme_parse(path, text, theme, notes, err);
	free(text);
	return rc;
}

static bool is_listed(const struct theme_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i].name, name) == 0)
			return true;
	return false;
}

/* Unless an earlier one has the name. */
static void append_theme(struct theme_list *list, const char *name, const char *text)
{
	struct theme_entry *entry;

	if (is_listed(list, name))
		return;
	list->items =
		array_reserve(list->items, &list->capacity, list->n + 1, sizeof(*list->items));
	entry = &list->items[list->n++];
	entry->name = xstrdup(name);
	theme_about(text, entry->about, sizeof(entry->about));
}

static void append_theme_file(struct theme_list *list, const char *dir, const char *file)
{
	size_t length = strlen(file);
	char path[PATH_MAX], *text;
	struct error ignored;

	if (length < sizeof(SUFFIX) || strcmp(file + length - strlen(SUFFIX), SUFFIX) != 0)
		return;
	if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path) ||
	    read_theme_file(path, true, &text, &ignored))
		return;

	char *name = xstrndup(file, length - strlen(SUFFIX));

	append_theme(list, name, text);
	free(name);
	free(text);
}

static int compare_names(const void *a, const void *b)
{
	const struct theme_entry *left = a, *right = b;

	return strcmp(left->name, right->name);
}

void theme_list_read(const struct theme_places *places, struct theme_list *list)
{
	DIR *stream = places->dir ? opendir(places->dir) : NULL;

	*list = (struct theme_list){0};
	for (size_t i = 0; i < places->n_sent; i++)
		append_theme(list, places->sent[i].name, places->sent[i].text);
	for (const struct dirent *entry;
	     stream && list->n < THEMES_MAX && (entry = readdir(stream));)
		append_theme_file(list, places->dir, entry->d_name);
	if (stream)
		closedir(stream);
	for (const struct theme_builtin *t = theme_builtins; t->name; t++)
		append_theme(list, t->name, t->text);
	if (list->n > 0)
		qsort(list->items, list->n, sizeof(*list->items), compare_names);
}

void theme_list_fini(struct theme_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i].name);
	free(list->items);
	*list = (struct theme_list){0};
}
