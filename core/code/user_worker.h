// SPDX-License-Identifier: MIT
#ifndef PMCTOP_USER_WORKER_H
#define PMCTOP_USER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The process that runs getent(1) for users outside of /etc/passwd (user_client.h is its other
 * end). A static program cannot use the name services itself, and a server may not answer: then
 * this process and its child hang, and pmctop goes on.
 *
 * It has no capability and is the user who started pmctop. If that is root, it becomes nobody, or
 * without the right to (pmctop keeps none) it may change no file. getent has no terminal, no
 * environment and no descriptor of pmctop, and is killed with this process.
 *
 * main() calls this before anything else. Returns at once if the program was not started as this
 * process. Else it serves requests, and never returns.
 */
void user_worker_main(int argc, char **argv);

#define USER_WORKER_NAME "pmctop-users"

/* The rights with which it is started, to become nobody: CAP_SETGID and CAP_SETUID. */
#define USER_WORKER_RIGHTS (UINT64_C(1) << 6 | UINT64_C(1) << 7)

enum {
	USER_ASKED_MAX = 32,      /* uids of a request */
	USER_NAME_BYTES = 64,     /* longer names are unknown */
	USER_PATH_BYTES = 256,    /* of getent */
	USER_OUTPUT_MAX = 1 << 16 /* bytes; of more none is used */
};

/* Messages on a SOCK_SEQPACKET socket, one at a time. */
struct user_request {
	char getent[USER_PATH_BYTES];
	char name[USER_NAME_BYTES]; /* the user whose uid is wanted; "": names of uids are */
	uint32_t n;
	uint32_t uids[USER_ASKED_MAX];
};

static inline bool user_request_has(const struct user_request *request, uint64_t uid)
{
	for (uint32_t i = 0; i < request->n; i++)
		if (request->uids[i] == uid)
			return true;
	return false;
}

struct user_reply {
	bool ends; /* there are no more */
	uint32_t uid;
	char name[USER_NAME_BYTES]; /* NUL-terminated */
};

/*
 * Whether a name may be shown: printable, without blanks, colons and bytes that are no UTF-8, and
 * no number, which could be taken for another user's.
 */
bool user_name_is_valid(const char *name);

#endif
