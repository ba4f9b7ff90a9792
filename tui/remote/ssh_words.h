// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SSH_WORDS_H
#define PMCTOP_SSH_WORDS_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Where to connect, as the user gave it. Borrowed. */
struct ssh_target {
	const char *host;           /* [USER@]HOST */
	const char *const *options; /* words for ssh */
	size_t n_options;
};

enum ssh_role {
	SSH_MASTER, /* opens the connection that all others use */
	SSH_SHARED, /* a channel of it, without a terminal */
	SSH_SCREEN, /* a channel of it, with a terminal */
};

/* 0, or -EINVAL with a sentence: ssh would take the host for an option. */
int ssh_target_check(const struct ssh_target *target, struct error *err);

/*
 * argv of ssh, ended by NULL, in one block that the caller frees. Its words point to the target,
 * to `control` (the path of the socket) and to `command`.
 */
const char **ssh_words(const struct ssh_target *target, enum ssh_role role, const char *control,
		       const char *command);

/* "ssh -p 22 HOST", as a user would type it: words are quoted for a shell. Cut at `size`. */
void ssh_words_shown(const struct ssh_target *target, char *text, size_t size);

#endif
