// SPDX-License-Identifier: MIT
#include "core/sys/cgroup_dir.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[CGROUP_CONTROLLERS] = {
	[CGROUP_CPU] = "cpu",
	[CGROUP_MEMORY] = "memory",
	[CGROUP_UNIFIED] = NULL,
};

/* The bytes of a field of mountinfo, without its escapes: blanks and '\' are \040 and so on. */
static char *unescape(const char *field, size_t length)
{
	char *text = xmalloc(length + 1);
	size_t n = 0;

	for (size_t i = 0; i < length; i++) {
		const char *at = field + i;
		bool octal = length - i >= 4 && at[0] == '\\' && at[1] >= '0' && at[1] <= '3' &&
			     at[2] >= '0' && at[2] <= '7' && at[3] >= '0' && at[3] <= '7';
		if (octal) {
			text[n++] = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
			i += 3;
		} else {
			text[n++] = *at;
		}
	}
	text[n] = '\0';
	return text;
}

/* A line of mountinfo: "31 23 0:28 ROOT POINT OPTIONS... - TYPE SOURCE SUPER_OPTIONS". */
struct line {
	const char *root, *point, *type, *options;
};

static const char *skip_fields(const char *at, const char *end, unsigned n)
{
	while (n-- > 0 && at) {
		at = memchr(at, ' ', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	return at;
}

static bool parse_line(const char *text, const char *end, struct line *line)
{
	const char *dash = memmem(text, (size_t)(end - text), " - ", 3);

	if (!dash)
		return false;
	line->root = skip_fields(text, dash, 3);
	line->point = skip_fields(text, dash, 4);
	line->type = dash + 3;
	line->options = skip_fields(line->type, end, 2);
	return line->root && line->point && line->options && *line->root == '/' &&
	       *line->point == '/';
}

static bool is_type(const struct line *line, const char *type)
{
	return strncmp(line->type, type, strlen(type)) == 0 && line->type[strlen(type)] == ' ';
}

static void set_mount(struct cgroup_mount *mount, unsigned version, const struct line *line)
{
	size_t root_length = strcspn(line->root, " ");

	/* Version 1 first, then the whole hierarchy, then the first mount. */
	if (mount->version == 1 && version == 2)
		return;
	if (mount->version == version && (root_length > 1 || strcmp(mount->root, "/") == 0))
		return;
	free(mount->root);
	free(mount->point);
	mount->version = version;
	mount->root = unescape(line->root, root_length);
	mount->point = unescape(line->point, strcspn(line->point, " "));
}

void cgroup_mounts_parse(const char *text, struct cgroup_mounts *mounts)
{
	*mounts = (struct cgroup_mounts){0};
	for (const char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
		struct line line;
		if (!parse_line(at, end, &line))
			continue;
		bool unified = is_type(&line, "cgroup2");
		if (!unified && !is_type(&line, "cgroup"))
			continue;
		for (size_t i = 0; i < CGROUP_CONTROLLERS; i++)
			if (unified ||
			    (names[i] &&
			     cgroup_list_has(line.options, (size_t)(end - line.options), names[i])))
				set_mount(&mounts->items[i], unified ? 2 : 1, &line);
	}
}

int cgroup_mounts_read(const struct sys *sys, struct cgroup_mounts *mounts)
{
	int code = 0;
	char *text = proc_long_text(sys, "/proc/self/mountinfo", &code);

	cgroup_mounts_parse(text ? text : "", mounts);
	free(text);
	return code;
}

void cgroup_mounts_fini(struct cgroup_mounts *mounts)
{
	for (size_t i = 0; i < CGROUP_CONTROLLERS; i++) {
		free(mounts->items[i].root);
		free(mounts->items[i].point);
	}
	*mounts = (struct cgroup_mounts){0};
}

/* Whether a component of the path is "..". */
static bool leads_up(const char *path)
{
	for (; (path = strstr(path, "/..")); path += 3)
		if (path[3] == '/' || path[3] == '\0')
			return true;
	return false;
}

int cgroup_dir_find(const struct cgroup_mounts *mounts, enum cgroup_controller controller,
		    const char *path, struct cgroup_dir *dir)
{
	const struct cgroup_mount *mount = &mounts->items[controller];

	if (mount->version == 0 || path[0] != '/' || leads_up(path))
		return -ENOENT;
	size_t root = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);
	if (strncmp(path, mount->root, root) != 0 || (path[root] != '/' && path[root] != '\0'))
		return -ENOENT;
	path += root;
	dir->version = mount->version;
	int length = snprintf(dir->path, sizeof(dir->path), "%s%s", mount->point,
			      strcmp(path, "/") == 0 ? "" : path);
	return length < (int)sizeof(dir->path) ? 0 : -ENAMETOOLONG;
}
