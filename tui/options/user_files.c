// SPDX-License-Identifier: MIT
#include "tui/options/user_files.h"

#include "core/base/util.h"
#include "tui/term/variables.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

/* "" where that cannot be known. */
static void find_own(const char *name, char *path, size_t size)
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
	find_own("themes", path, PATH_MAX);
	return path[0] ? path : NULL;
}

/* There is no such file, or none that is meant for this user. */
static bool is_nothing(int result)
{
	return result == -ENOENT || result == -EACCES || result == -EPERM;
}

int user_files_load(const char *named, struct config *config, struct notes *said, struct error *err)
{
	const char *rc_file = variable_value(VARIABLE_PMCTOPRC);
	char native[PATH_MAX];
	const char *const places[] = {rc_file, native};
	int result = -ENOENT;

	if (named) {
		result = config_load(named, config, err);
		return result == -ENOENT
			       ? error_set(err, result, "Configuration '%.160s' does not exist.",
					   named)
			       : result;
	}
	find_own("pmctop.conf", native, sizeof(native));
	for (size_t i = 0; i < ARRAY_SIZE(places) && is_nothing(result); i++) {
		if (!places[i] || !places[i][0])
			continue;
		result = config_load_own(places[i], config, err);
		if (result == -EPERM)
			notes_add(said, "%s", err->text);
		else if (is_nothing(result) && places[i] == rc_file)
			notes_add(said, "'%.120s' ($PMCTOPRC) cannot be read: %s.", rc_file,
				  error_why(result));
	}
	if (is_nothing(result))
		result = config_load("/etc/pmctop.conf", config, err);
	/* Then nothing else can be read either. */
	if (result == -EMFILE)
		return error_set_no_descriptor(err, result);
	if (result && !is_nothing(result))
		notes_add(said, "%s", err->text);
	return 0;
}

const char *user_files_save(const char *named, char path[PATH_MAX])
{
	const char *rc_file = variable_value(VARIABLE_PMCTOPRC);

	if (named)
		return named;
	if (rc_file && rc_file[0])
		return rc_file;
	find_own("pmctop.conf", path, PATH_MAX);
	return path[0] ? path : NULL;
}
