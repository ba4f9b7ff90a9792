// SPDX-License-Identifier: MIT
#ifndef PMCTOP_USERS_H
#define PMCTOP_USERS_H

#include "core/sys/sys.h"

#include <stddef.h>
#include <sys/types.h>

/*
 * User names by uid, from /etc/passwd alone: a name service that hangs (LDAP, on a sick machine)
 * must not hang a top. Who is not in it goes by number.
 */
struct users;

struct users *users_new(const struct sys *sys);
void users_free(struct users *users);

/* The number of a name, or of a number as text: 0 or -ENOENT. */
int users_find(const struct users *users, const char *name, uid_t *uid);

/* What a user is called, elsewhere. */
void users_set_name(struct users *users, uid_t uid, const char *name);

/* Writes the name, the number, or "" for (uid_t)-1. */
void users_name(struct users *users, uid_t uid, char *name, size_t size);

#endif
