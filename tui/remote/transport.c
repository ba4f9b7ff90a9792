// SPDX-License-Identifier: MIT
/*
 * ssh uses the first value of an option. Options of the shared connection come first, so that they
 * hold; the user's follow; the others are defaults. "--" ends the options before the host. ssh
 * passes the words of the command to a login shell, which "exec" replaces.
 *
 * A command of --via is run once for each channel. docker, podman and kubectl refuse a terminal
 * (-it) where standard input is none, so that word becomes -i for the channels without.
 */
#include "tui/remote/transport.h"

#include "core/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t";

void transport_name(const struct transport *transport, char name[TRANSPORT_NAME_BYTES])
{
	enum { SHOWN = TRANSPORT_NAME_BYTES - 4 };

	if (transport->via)
		snprintf(name, TRANSPORT_NAME_BYTES, "'%.*s'", SHOWN, transport->via);
	else
		snprintf(name, TRANSPORT_NAME_BYTES, "%.*s", SHOWN, transport->host);
}

static void append_command(const char **words, size_t n, const char *const *command)
{
	while (*command)
		words[n++] = *command++;
	words[n] = NULL;
}

static size_t count_words(const char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	return n;
}

static const char **ssh_words(const struct transport *transport, enum channel_role role,
			      const char *control, const char *const *command)
{
	static const char *const defaults[] = {
		/* The forwarded ports of the user's configuration may be in use already. */
		"-o",
		"ClearAllForwardings=yes",
		/* A third of the bytes, for 0.1 s more before the first rows on a fast link. */
		"-o",
		"Compression=yes",
		/* A link that is dead is noticed within 15 seconds. */
		"-o",
		"ServerAliveInterval=5",
		"-o",
		"ServerAliveCountMax=3",
		/* Not for the set-up: hides "Shared connection to HOST closed." */
		"-o",
		"LogLevel=ERROR",
	};
	const size_t n_defaults = ARRAY_SIZE(defaults) - (role == CHANNEL_SETUP ? 2 : 0);
	const char **words =
		xcalloc(transport->n_options + ARRAY_SIZE(defaults) + count_words(command) + 16,
			sizeof(*words));
	size_t n = 0;

	words[n++] = "ssh";
	words[n++] = "-S";
	words[n++] = control;
	words[n++] = "-o";
	words[n++] = role == CHANNEL_SETUP ? "ControlMaster=yes" : "ControlMaster=no";
	words[n++] = "-o";
	words[n++] = "ControlPersist=no";
	for (size_t i = 0; i < transport->n_options; i++)
		words[n++] = transport->options[i];
	for (size_t i = 0; i < n_defaults; i++)
		words[n++] = defaults[i];
	words[n++] = role == CHANNEL_SCREEN ? "-tt" : "-T";
	words[n++] = "--";
	words[n++] = transport->host;
	words[n++] = "exec";
	append_command(words, n, command);
	return words;
}

/* The word for a channel without a terminal. */
static const char *without_terminal(const char *word)
{
	return strcmp(word, "-it") == 0 || strcmp(word, "-ti") == 0 ? "-i" : word;
}

/* The block has the words and, behind them, the texts. */
static const char **via_words(const char *via, enum channel_role role, const char *const *command)
{
	size_t most = strlen(via) / 2 + count_words(command) + 2, n = 0;
	const char **words = xcalloc(1, most * sizeof(*words) + strlen(via) + 1);
	char *copy = (char *)(words + most), *rest;

	text_copy(copy, strlen(via) + 1, via);
	for (char *word = strtok_r(copy, blanks, &rest); word; word = strtok_r(NULL, blanks, &rest))
		words[n++] = role == CHANNEL_SCREEN ? word : without_terminal(word);
	append_command(words, n, command);
	return words;
}

const char **transport_words(const struct transport *transport, enum channel_role role,
			     const char *control, const char *const *command)
{
	return transport->via ? via_words(transport->via, role, command)
			      : ssh_words(transport, role, control, command);
}

static size_t append_word(char *text, size_t size, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
	bool quoted = !word[0] || word[strspn(word, plain)];
	size_t n = text_copy(text, size, quoted ? " '" : " ");

	for (; *word; word++) {
		char one[2] = {*word};

		n += text_copy(text + n, size - n, *word == '\'' ? "'\\''" : one);
	}
	return n + (quoted ? text_copy(text + n, size - n, "'") : 0);
}

void transport_shown(const struct transport *transport, char *text, size_t size)
{
	static const char *const none[] = {NULL};
	size_t n;

	if (transport->via) {
		const char **words = via_words(transport->via, CHANNEL_STREAM, none);

		n = text_copy(text, size, words[0]);
		for (size_t i = 1; words[i]; i++)
			n += append_word(text + n, size - n, words[i]);
		free(words);
		return;
	}
	n = text_copy(text, size, "ssh");
	for (size_t i = 0; i < transport->n_options; i++)
		n += append_word(text + n, size - n, transport->options[i]);
	append_word(text + n, size - n, transport->host);
}
