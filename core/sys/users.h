// SPDX-License-Identifier: MIT
#ifndef PMCTOP_USERS_H
#define PMCTOP_USERS_H

#include "core/sys/sys.h"

#include <stddef.h>
#include <sys/types.h>

/*
 * User names by uid, only from /etc/passwd: a name service that hangs (LDAP, on a sick machine)
 * must not stop pmctop. A user that is not in the file has its number as its name.
 */
struct users;

struct users *users_new(const struct sys *sys);
void users_free(struct users *users);

/* The uid of a name, or of a number as text. 0 or -ENOENT. */
int users_find(const struct users *users, const char *name, uid_t *uid);

/* Sets the name of a user of the machine of a recording. */
void users_set_name(struct users *users, uid_t uid, const char *name);

/* Writes the name, or the number, or "" for (uid_t)-1. */
void users_name(struct users *users, uid_t uid, char *name, size_t size);

#endif
