// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TRANSPORT_H
#define PMCTOP_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How commands are run on the host, as the user gave it: by ssh, or by a command. Borrowed. The
 * command line was checked (tui/options): no host begins with "-", and a command has a word.
 */
struct transport {
	const char *host;           /* [USER@]HOST of --ssh; NULL with --via */
	const char *const *options; /* words for ssh */
	size_t n_options;
	const char *via; /* command line of --via, split at blanks; NULL with --ssh */
};

enum channel_role {
	CHANNEL_SETUP,  /* opens the connection that the others use */
	CHANNEL_STREAM, /* without a terminal */
	CHANNEL_SCREEN, /* with a terminal */
};

enum {
	TRANSPORT_NAME_BYTES = 64,
	/* ssh's status if the connection fails or breaks, or a signal ends the command there. */
	SSH_FAILED = 255,
};

/* The host for messages: "box", or "'docker exec -it web'". May be cut. */
void transport_name(const struct transport *transport, char name[TRANSPORT_NAME_BYTES]);

/*
 * The local command line that runs `command` (words, ended by NULL) on the host: argv in one block
 * that the caller frees. Its words may point to the arguments. `control` is the path of ssh's
 * socket. Words of the command have only characters that no shell changes.
 */
const char **transport_words(const struct transport *transport, enum channel_role role,
			     const char *control, const char *const *command);

/*
 * "ssh -p 22 HOST" or the command of --via, as a user would type it before a command without a
 * terminal: words are quoted for a shell. Cut at `size`.
 */
void transport_shown(const struct transport *transport, char *text, size_t size);

#endif
