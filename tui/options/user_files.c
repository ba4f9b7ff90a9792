// SPDX-License-Identifier: MIT
/*
 * Reads the first of these files that exists: --config, $PMCTOPRC, the user's own,
 * /etc/pmctop.conf. This module chooses the path to read and to save; config.c parses.
 */
#include "tui/options/user_files.h"

#include "core/base/util.h"
#include "tui/term/variables.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

/* Sets `path` to the user's file of this name; "" if neither $XDG_CONFIG_HOME nor $HOME is set. */
static void set_user_path(const char *name, char *path, size_t size)
{
	const char *config = variable_value(VARIABLE_XDG_CONFIG_HOME),
		   *home = variable_value(VARIABLE_HOME);
	int length = 0;

	path[0] = '\0';
	if (config && config[0] == '/')
		length = snprintf(path, size, "%s/pmctop/%s", config, name);
	else if (home && home[0] == '/')
		length = snprintf(path, size, "%s/.config/pmctop/%s", home, name);
	if (length >= (int)size)
		path[0] = '\0';
}

const char *user_files_themes(char path[PATH_MAX])
{
	set_user_path("themes", path, PATH_MAX);
	return path[0] ? path : NULL;
}

void user_files_tables(const char *named, char user[PATH_MAX], struct tables_places *places)
{
	set_user_path("events", user, PATH_MAX);
	*places = (struct tables_places){
		.named = named,
		.user = user[0] ? user : NULL,
		.system = "/usr/share/pmctop/events",
	};
}

const char *user_files_build_id_cache(char path[PATH_MAX])
{
	const char *cache = variable_value(VARIABLE_PERF_BUILDID_DIR),
		   *home = variable_value(VARIABLE_HOME);
	int length = -1;

	if (cache && cache[0])
		length = snprintf(path, PATH_MAX, "%s", cache);
	else if (home && home[0] == '/')
		length = snprintf(path, PATH_MAX, "%s/.debug", home);
	return length >= 0 && length < PATH_MAX ? path : NULL;
}

/* Whether to try the next place: no file is here, or this user may not read it. */
static bool is_absent(int result)
{
	return result == -ENOENT || result == -EACCES || result == -EPERM;
}

int user_files_load(const char *named, struct config *config, struct notes *notes,
		    struct error *err)
{
	const char *rc_file = variable_value(VARIABLE_PMCTOPRC);
	char own[PATH_MAX];
	const char *const places[] = {rc_file, own};
	int result = -ENOENT;

	if (named) {
		result = config_load(named, config, err);
		return result == -ENOENT
			       ? error_set(err, result, "Configuration '%.160s' does not exist.",
					   named)
			       : result;
	}
	set_user_path("pmctop.conf", own, sizeof(own));
	for (size_t i = 0; i < ARRAY_SIZE(places) && is_absent(result); i++) {
		if (!places[i] || !places[i][0])
			continue;
		result = config_load_own(places[i], config, err);
		if (result == -EPERM)
			notes_add(notes, "%s", err->text);
		else if (is_absent(result) && places[i] == rc_file)
			notes_add(notes, "'%.120s' ($PMCTOPRC) cannot be read: %s.", rc_file,
				  error_why(result));
	}
	if (is_absent(result))
		result = config_load("/etc/pmctop.conf", config, err);
	/* No file at all can be opened then. */
	if (result == -EMFILE)
		return error_set_no_descriptor(err, result);
	if (result && !is_absent(result))
		notes_add(notes, "%s", err->text);
	return 0;
}

const char *user_files_save(const char *named, char path[PATH_MAX])
{
	const char *rc_file = variable_value(VARIABLE_PMCTOPRC);

	if (named)
		return named;
	if (rc_file && rc_file[0])
		return rc_file;
	set_user_path("pmctop.conf", path, PATH_MAX);
	return path[0] ? path : NULL;
}
