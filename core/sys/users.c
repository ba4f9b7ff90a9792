// SPDX-License-Identifier: MIT
/*
 * /etc/passwd is read whole and kept sorted by uid. It is read again when a uid is not in it, at
 * most once in a while, because users are added while pmctop runs. Other users are
 * kept beside them, without a name or with a name from another source.
 */
#include "core/sys/users.h"

#include "core/base/util.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The shortest time between two readings for unknown uids. */
#define RELOAD_NS (10 * NS_PER_S)

enum { PASSWD_MAX_BYTES = 4 << 20, OTHERS_MAX = 4096 };

struct user {
	uid_t uid;
	size_t line; /* the first of several lines with one uid gives the name; SIZE_MAX: no line */
	char *name;  /* NULL: unknown */
	uint64_t asked_ns; /* without a line: time of users_nameless(); 0: never */
};

struct users {
	const struct sys *sys;
	struct user *items; /* ascending by uid, each once */
	size_t n, capacity;
	size_t others; /* without a line */
	uint64_t loaded_ns;
};

static int compare_uid(const void *a, const void *b)
{
	const struct user *left = a, *right = b;

	return (left->uid > right->uid) - (left->uid < right->uid);
}

static int compare_line(const void *a, const void *b)
{
	const struct user *left = a, *right = b;
	int by_uid = compare_uid(a, b);

	return by_uid ? by_uid : (left->line > right->line) - (left->line < right->line);
}

static const struct user *find_user(const struct users *users, uid_t uid)
{
	const struct user key = {.uid = uid};

	return users->n ? bsearch(&key, users->items, users->n, sizeof(key), compare_uid) : NULL;
}

static void append_user(struct users *users, uid_t uid, const char *name, size_t length)
{
	users->items =
		array_reserve(users->items, &users->capacity, users->n + 1, sizeof(*users->items));
	char *copy = xcalloc(length + 1, 1);
	memcpy(copy, name, length);
	users->items[users->n] = (struct user){.uid = uid, .line = users->n, .name = copy};
	users->n++;
}

/* name:password:uid:... */
static void add_line(struct users *users, const char *line, const char *end)
{
	const char *name_end = memchr(line, ':', (size_t)(end - line));
	if (!name_end || name_end == line)
		return;
	const char *password_end = memchr(name_end + 1, ':', (size_t)(end - name_end - 1));
	if (!password_end)
		return;
	/* strtoul() would skip a newline, and accept a minus. */
	if (!isdigit((unsigned char)password_end[1]))
		return;
	char *uid_end;
	unsigned long uid = strtoul(password_end + 1, &uid_end, 10);
	if (*uid_end == ':' && uid < (uid_t)-1)
		append_user(users, (uid_t)uid, line, (size_t)(name_end - line));
}

/* Sorted, because thousands of rows each search for one of thousands of users. */
static void sort_users(struct users *users)
{
	size_t kept = 0;

	if (users->n == 0)
		return;
	qsort(users->items, users->n, sizeof(*users->items), compare_line);
	for (size_t i = 0; i < users->n; i++) {
		if (kept > 0 && users->items[kept - 1].uid == users->items[i].uid)
			free(users->items[i].name);
		else
			users->items[kept++] = users->items[i];
	}
	users->n = kept;
	users->others = 0;
	for (size_t i = 0; i < kept; i++)
		users->others += users->items[i].line == SIZE_MAX;
}

/* Removes the users of the file, or all. */
static void clear_users(struct users *users, bool others)
{
	size_t kept = 0;

	for (size_t i = 0; i < users->n; i++) {
		if (!others && users->items[i].line == SIZE_MAX)
			users->items[kept++] = users->items[i];
		else
			free(users->items[i].name);
	}
	users->n = kept;
}

static void load_users(struct users *users)
{
	size_t size = 64 << 10;
	char *text = NULL;
	ssize_t length;

	do {
		size *= 2;
		text = xreallocarray(text, size, 1);
		length = sys_file_read(users->sys, "/etc/passwd", text, size);
	} while (length == (ssize_t)size - 1 && size < PASSWD_MAX_BYTES);
	users->loaded_ns = sys_now_ns(users->sys);
	if (length >= 0)
		clear_users(users, false);
	for (char *line = text, *end; length > 0 && *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		add_line(users, line, end);
	}
	sort_users(users);
	free(text);
}

/* Adds a user without a name at its place; NULL: there are too many. */
static const struct user *add_other(struct users *users, uid_t uid)
{
	size_t at = users->n;

	if (users->others == OTHERS_MAX)
		return NULL;
	users->items =
		array_reserve(users->items, &users->capacity, users->n + 1, sizeof(*users->items));
	while (at > 0 && users->items[at - 1].uid > uid)
		at--;
	memmove(&users->items[at + 1], &users->items[at], (users->n - at) * sizeof(*users->items));
	users->items[at] = (struct user){.uid = uid, .line = SIZE_MAX};
	users->n++;
	users->others++;
	return &users->items[at];
}

struct users *users_new(const struct sys *sys)
{
	struct users *users = xcalloc(1, sizeof(*users));

	users->sys = sys;
	load_users(users);
	return users;
}

void users_free(struct users *users)
{
	if (!users)
		return;
	clear_users(users, true);
	free(users->items);
	free(users);
}

void users_set_name(struct users *users, uid_t uid, const char *name)
{
	struct user *user = users->n ? bsearch(&(struct user){.uid = uid}, users->items, users->n,
					       sizeof(*users->items), compare_uid)
				     : NULL;

	if (!user) {
		append_user(users, uid, name, strlen(name));
		qsort(users->items, users->n, sizeof(*users->items), compare_uid);
	} else if (!user->name || strcmp(user->name, name) != 0) {
		free(user->name);
		user->name = xstrdup(name);
	}
}

size_t users_nameless(struct users *users, uid_t *uids, size_t most)
{
	uint64_t now_ns = sys_now_ns(users->sys);
	size_t n = 0;

	for (size_t i = 0; i < users->n && n < most; i++) {
		struct user *user = &users->items[i];

		if (user->name || (user->asked_ns && now_ns < user->asked_ns + USERS_AGAIN_NS))
			continue;
		user->asked_ns = now_ns;
		uids[n++] = user->uid;
	}
	return n;
}

void users_learn(struct users *users, uid_t uid, const char *name)
{
	const struct user *user = find_user(users, uid);

	if (!user)
		user = add_other(users, uid);
	if (user && user->line == SIZE_MAX)
		users_set_name(users, uid, name);
}

int users_find(const struct users *users, const char *name, uid_t *uid)
{
	char *end;

	for (size_t i = 0; i < users->n; i++)
		if (users->items[i].name && strcmp(users->items[i].name, name) == 0) {
			*uid = users->items[i].uid;
			return 0;
		}
	errno = 0;
	unsigned long number = strtoul(name, &end, 10);
	if (!isdigit((unsigned char)name[0]) || *end || errno || number >= (uid_t)-1)
		return -ENOENT;
	*uid = (uid_t)number;
	return 0;
}

void users_name(struct users *users, uid_t uid, char *name, size_t size)
{
	name[0] = '\0';
	if (uid == (uid_t)-1)
		return;
	const struct user *user = find_user(users, uid);
	bool found = user && user->name;
	if (!found && sys_now_ns(users->sys) >= users->loaded_ns + RELOAD_NS) {
		load_users(users);
		user = find_user(users, uid);
	}
	if (!user)
		user = add_other(users, uid);
	if (user && user->name)
		text_copy(name, size, user->name);
	else
		snprintf(name, size, "%u", uid);
}
