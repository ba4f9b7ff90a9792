// SPDX-License-Identifier: MIT
#ifndef PMCTOP_USER_CLIENT_H
#define PMCTOP_USER_CLIENT_H

#include "core/base/util.h"
#include "core/code/helper_process.h"
#include "core/code/user_worker.h"
#include "core/sys/users.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names of users from the name services of the machine (LDAP, sssd, systemd's dynamic users), by a
 * process that may hang and is abandoned then: no call here waits for it, except
 * user_client_find(), which has a limit. Names come late. There is one process at a time, and it
 * ends after its answer. Zeroed, with a path: nothing was requested yet. One thread at a time.
 */
struct user_client {
	const char *getent;     /* absolute path, borrowed; NULL: no name is requested */
	const char *executable; /* as for helper_process_start(), for tests; borrowed */
	uint64_t patience_ns;   /* before a process is abandoned; 0: USER_PATIENCE_NS */
	struct helper_process process;
	struct user_request request; /* the last one */
	bool begun;                  /* `process` is set */
	bool killed;                 /* it has not ended since */
	bool answered;               /* all of its answer is there */
	uint64_t start_ns, resume_ns;
	unsigned ends;
};

/* Longer than a server of the network needs, and one that it tries next. */
#define USER_PATIENCE_NS (20 * NS_PER_S)

/*
 * Passes on the names that have come. If no request is under way, requests the names of some uids
 * that have none. To be called now and then.
 */
void user_client_poll(struct user_client *client, struct users *users);

/*
 * Finds the uid of a name, and makes it known to `users`. Waits until deadline_ns
 * (CLOCK_MONOTONIC). 0; -ENOENT: there is none; -ETIMEDOUT: no answer came.
 */
int user_client_find(struct user_client *client, struct users *users, const char *name,
		     uint64_t deadline_ns);

/* Abandons what is under way. */
void user_client_fini(struct user_client *client);

#endif
