// SPDX-License-Identifier: MIT
#ifndef PMCTOP_USERS_H
#define PMCTOP_USERS_H

#include "core/base/util.h"
#include "core/sys/sys.h"

#include <stddef.h>
#include <sys/types.h>

/*
 * User names by uid, from /etc/passwd: a name service that hangs (LDAP, on a sick machine) must not
 * stop pmctop. A user that is not in the file has its number as its name, until another process has
 * found one (core/code/user_client.h).
 */
struct users;

struct users *users_new(const struct sys *sys);
void users_free(struct users *users);

/* The uid of a name, or of a number as text. 0 or -ENOENT. */
int users_find(const struct users *users, const char *name, uid_t *uid);

/* Sets the name of a user of the machine of a recording. */
void users_set_name(struct users *users, uid_t uid, const char *name);

/*
 * Copies at most `most` uids for which users_name() has written a number. Each of them is copied
 * again only after USERS_AGAIN_NS. Returns how many.
 */
size_t users_nameless(struct users *users, uid_t *uids, size_t most);
#define USERS_AGAIN_NS (300 * NS_PER_S)
/* Sets the name of one of them. /etc/passwd has precedence. */
void users_learn(struct users *users, uid_t uid, const char *name);

/* Writes the name, or the number, or "" for (uid_t)-1. */
void users_name(struct users *users, uid_t uid, char *name, size_t size);

#endif
