// SPDX-License-Identifier: MIT
#include "theme_load.h"

#include "core/suggest.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { THEME_BYTES_MAX = 64 * 1024 };

static int parse(const char *name, const char *text, struct theme *theme, struct error *err)
{
	struct error why;

	if (theme_parse(text, theme, &why))
		return error_set(err, why.code, "Theme '%.100s': %s.", name, why.text);
	return 0;
}

/* -ENOENT silently; any other trouble with a sentence. */
static int load_file(const char *path, struct theme *theme, struct error *err)
{
	char text[THEME_BYTES_MAX + 1];
	FILE *file = fopen(path, "re");

	if (!file && (errno == ENOENT || errno == ENOTDIR))
		return -ENOENT;
	if (!file)
		return error_set(err, -errno, "Theme '%.120s' cannot be read: %s.", path,
				 strerror(errno));

	size_t length = fread(text, 1, THEME_BYTES_MAX, file);
	int failed = ferror(file);

	fclose(file);
	if (failed)
		return error_set(err, -EIO, "Theme '%.120s' cannot be read.", path);
	text[length] = '\0';
	return parse(path, text, theme, err);
}

static int refuse(const char *name, struct error *err)
{
	struct suggest near = {.word = name};
	char hint[80], builtin[80] = "";

	for (const struct theme_builtin *t = theme_builtins; t->name; t++) {
		size_t length = strlen(builtin);

		suggest_offer(&near, t->name);
		snprintf(builtin + length, sizeof(builtin) - length, "%s%s", length ? ", " : "",
			 t->name);
	}
	suggest_text(&near, hint, sizeof(hint));
	return error_set(err, -ENOENT, "Unknown theme '%.80s'%s: neither built in (%s) nor a file.",
			 name, hint, builtin);
}

int theme_load(const char *name, const char *dir, struct theme *theme, struct error *err)
{
	const char *text = theme_builtin_find(name ? name : "default");
	char path[PATH_MAX];
	int rc = -ENOENT;

	if (text)
		return parse(name ? name : "default", text, theme, err);
	if (!name)
		return error_set(err, -ENOENT, "The default theme is not built in.");
	if (dir && !strchr(name, '/') &&
	    snprintf(path, sizeof(path), "%s/%s.theme", dir, name) < (int)sizeof(path))
		rc = load_file(path, theme, err);
	if (rc == -ENOENT)
		rc = load_file(name, theme, err);
	return rc == -ENOENT ? refuse(name, err) : rc;
}
