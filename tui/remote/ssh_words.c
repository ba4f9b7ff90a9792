// SPDX-License-Identifier: MIT
/*
 * ssh uses the first value of an option. Those of the shared connection come first, so that they
 * hold; the user's follow; the others are defaults. "--" ends the options before the host.
 */
#include "tui/remote/ssh_words.h"

#include "core/base/util.h"

#include <errno.h>
#include <string.h>

int ssh_target_check(const struct ssh_target *target, struct error *err)
{
	if (target->host[0] && target->host[0] != '-')
		return 0;
	return error_set(err, -EINVAL,
			 "Invalid host '%.60s' (examples: box, root@box). Options of ssh are given "
			 "by --ssh-option.",
			 target->host);
}

const char **ssh_words(const struct ssh_target *target, enum ssh_role role, const char *control,
		       const char *command)
{
	static const char *const defaults[] = {
		/* The forwarded ports of the user's configuration may be in use already. */
		"-o",
		"ClearAllForwardings=yes",
		/* A link that is dead is noticed within 15 seconds. */
		"-o",
		"ServerAliveInterval=5",
		"-o",
		"ServerAliveCountMax=3",
		/* The farewell of a shared connection. */
		"-o",
		"LogLevel=ERROR",
	};
	const size_t n_defaults = ARRAY_SIZE(defaults) - (role == SSH_MASTER ? 2 : 0);
	const char **words = xcalloc(target->n_options + ARRAY_SIZE(defaults) + 16, sizeof(*words));
	size_t n = 0;

	words[n++] = "ssh";
	words[n++] = "-S";
	words[n++] = control;
	words[n++] = "-o";
	words[n++] = role == SSH_MASTER ? "ControlMaster=yes" : "ControlMaster=no";
	words[n++] = "-o";
	words[n++] = "ControlPersist=no";
	for (size_t i = 0; i < target->n_options; i++)
		words[n++] = target->options[i];
	for (size_t i = 0; i < n_defaults; i++)
		words[n++] = defaults[i];
	words[n++] = role == SSH_SCREEN ? "-tt" : "-T";
	words[n++] = "--";
	words[n++] = target->host;
	words[n++] = command;
	return words;
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

void ssh_words_shown(const struct ssh_target *target, char *text, size_t size)
{
	size_t n = text_copy(text, size, "ssh");

	for (size_t i = 0; i < target->n_options; i++)
		n += append_word(text + n, size - n, target->options[i]);
	append_word(text + n, size - n, target->host);
}
