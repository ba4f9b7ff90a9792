// SPDX-License-Identifier: MIT
/* The target in words, for titles. Names of commands and cgroups are bytes from outside. */
#include "core/attrib/target_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/sys/cgroup_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BRIEF_NAME = 12 }; /* columns of a name */

/* Adds a part behind a comma. A part that does not fit is cut. */
static void add_part(char *text, size_t size, const char *what, const char *name, unsigned columns)
{
	size_t length = strlen(text);

	length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", what);
	if (length < size)
		text_printable(text + length, size - length, name, columns);
}

static const char *kind_of_roots(const struct target *target)
{
	size_t processes = 0;

	for (size_t i = 0; i < target->n_roots; i++)
		processes += target->roots[i].process;
	return processes == target->n_roots ? "processes"
	       : processes == 0             ? "threads"
					    : "processes and threads";
}

/* "postgres 4121", "thread postgres 4122", "3 processes: 12 34 56"; numbers are left out with "..".
 */
static void describe_roots(const struct target *target, struct target_text *text)
{
	const struct target_root *only = target->roots;
	char *to = text->full;
	size_t size = sizeof(text->full) / 2, length;
	char name[4 * sizeof(only->comm)];

	if (target->n_roots == 1) {
		memcpy(name, only->comm, sizeof(only->comm));
		name[sizeof(only->comm)] = '\0';
		add_part(to, size, only->process ? "" : "thread ", name, sizeof(only->comm));
		length = strlen(to);
		snprintf(to + length, size - length, "%s%d", name[0] ? " " : "", only->tid);
		snprintf(text->brief, sizeof(text->brief), "%s %d", only->process ? "pid" : "tid",
			 only->tid);
		return;
	}
	snprintf(text->brief, sizeof(text->brief), "%zu %s", target->n_roots,
		 kind_of_roots(target));
	length = (size_t)snprintf(to, size, "%zu %s:", target->n_roots, kind_of_roots(target));
	for (size_t i = 0; i < target->n_roots; i++) {
		int n = snprintf(name, sizeof(name), " %d", target->roots[i].tid);
		bool last = i + 1 == target->n_roots;

		if (length + (size_t)n + (last ? 1 : sizeof(" ..")) > size) {
			text_copy(to + length, size - length, " ..");
			return;
		}
		length += text_copy(to + length, size - length, name);
	}
}

static void describe_users(const struct target *target, struct users *users, char *to, size_t size)
{
	size_t length = 0;

	to[0] = '\0';
	for (size_t i = 0; i < target->n_uids && length + 2 < size; i++) {
		char name[64];

		users_name(users, target->uids[i], name, sizeof(name));
		length += (size_t)snprintf(to + length, size - length, "%s%s", i ? "," : "", name);
	}
}

static void describe_cgroups(const struct target *target, char *to, size_t size)
{
	if (target->n_cgroups > 1)
		snprintf(to, size, "%zu cgroups", target->n_cgroups);
	else
		cgroup_name(target->cgroups[0], to, size);
}

void target_describe(const struct target *target, struct users *users, struct target_text *text)
{
	char name[256];

	*text = (struct target_text){.full = ""};
	if (target->n_roots > 0)
		describe_roots(target, text);
	if (target->n_uids > 0) {
		describe_users(target, users, name, sizeof(name));
		add_part(text->full, sizeof(text->full), "user ", name, 3 * BRIEF_NAME);
		add_part(text->brief, sizeof(text->brief), "user ", name, BRIEF_NAME);
	}
	if (target->n_cgroups > 0) {
		const char *what = target->n_cgroups == 1 ? "cgroup " : "";

		describe_cgroups(target, name, sizeof(name));
		add_part(text->full, sizeof(text->full), what, name, 3 * BRIEF_NAME);
		add_part(text->brief, sizeof(text->brief), what, name, BRIEF_NAME);
	}
	if (target->cpus.n > 0) {
		char *list = cpu_list_text(&target->cpus);

		add_part(text->full, sizeof(text->full), "CPU ", list, 3 * BRIEF_NAME);
		add_part(text->brief, sizeof(text->brief), "CPU ", list, BRIEF_NAME);
		free(list);
	}
}
