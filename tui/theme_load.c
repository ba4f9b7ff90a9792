// SPDX-License-Identifier: MIT
#include "theme_load.h"

#include "suggest.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { THEME_BYTES_MAX = 64 * 1024 };

/* -ENOENT silently; any other trouble with a sentence. */
static int load_file(const char *path, struct theme *theme, struct error *err)
{
	char text[THEME_BYTES_MAX + 1];
	struct error why;
	FILE *file = fopen(path, "re");

	if (!file && (errno == ENOENT || errno == ENOTDIR))
		return -ENOENT;
	if (!file)
		return error_set(err, -errno, "theme '%.120s' cannot be read: %s", path,
				 strerror(errno));

	size_t length = fread(text, 1, THEME_BYTES_MAX, file);
	int failed = ferror(file);

	fclose(file);
	if (failed)
		return error_set(err, -EIO, "theme '%.120s' cannot be read", path);
	text[length] = '\0';
	if (theme_parse(text, theme, &why))
		return error_set(err, why.code, "theme '%.100s': %s", path, why.text);
	return 0;
}

static int refuse(const char *name, struct error *err)
{
	struct suggest near = {.word = name};
	char hint[80];

	for (const struct theme_builtin *t = theme_builtins; t->name; t++)
		suggest_offer(&near, t->name);
	suggest_text(&near, hint, sizeof(hint));
	return error_set(err, -ENOENT, "unknown theme '%.80s'%s", name, hint);
}

int theme_load(const char *name, const char *dir, struct theme *theme, struct error *err)
{
	const char *text = theme_builtin_find(name ? name : "default");
	char path[PATH_MAX];
	int rc = -ENOENT;

	if (text)
		return theme_parse(text, theme, err);
	if (!name)
		return error_set(err, -ENOENT, "the default theme is not built in");
	if (dir && !strchr(name, '/') &&
	    snprintf(path, sizeof(path), "%s/%s.theme", dir, name) < (int)sizeof(path))
		rc = load_file(path, theme, err);
	if (rc == -ENOENT)
		rc = load_file(name, theme, err);
	return rc == -ENOENT ? refuse(name, err) : rc;
}
