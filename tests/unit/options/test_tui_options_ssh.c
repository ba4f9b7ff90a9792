// SPDX-License-Identifier: MIT
/* What each option does with --ssh: sent to the host, used here, or refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/util.h"
#include "tui/options/option_table.h"
#include "tui/options/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 12 };

static void append_sent(void *text, const char *word)
{
	strcat(strcat(text, word), "|");
}

/* What pmctop on the host of --ssh gets. */
static void test_sent(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		const char *sent;
	} rows[] = {
		{{"--ssh", "box"}, ""},
		{{"--ssh", "box", "-H", "0.5", "3"}, "--threads|0.5|3|"},
		{{"2", "--ssh=box", "-bn3", "--sor", "ipc"},
		 "--batch|--iterations=3|--sort=ipc|2|"},
		{{"--ssh", "box", "-o", "f", "--record", "g", "--config", "c", "--static", "p"},
		 ""},
		{{"--ssh", "box", "--ssh-option", "-p22", "--ssh-option=-J", "--ssh-sudo"}, ""},
		{{"--ssh", "box", "-m", "x=a b", "-e", "a,b"}, "--metric=x=a b|--event=a,b|"},
		{{"--ssh", "box", "-b", "--", "make", "-j4", "--ssh"},
		 "--batch|--|make|-j4|--ssh|"},
		{{"--ssh", "box", "--list", "events", "cache"}, "--list=events|cache|"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct options options;
		struct error err;
		char *argv[ARGS_MAX + 2] = {NULL}, text[256] = "";
		int argc = 1;

		argv[0] = xstrdup("pmctop");
		for (; rows[i].args[argc - 1]; argc++)
			argv[argc] = xstrdup(rows[i].args[argc - 1]);
		options_init(&options);
		assert_int_equal(options_parse(argc, argv, &options, &err), 0);
		assert_string_equal(options.ssh, "box");
		options_each_sent(argc, argv, append_sent, text);
		assert_string_equal(text, rows[i].sent);
		options_fini(&options);
		for (int k = 0; k < argc; k++)
			free(argv[k]);
	}
}

enum with_ssh {
	SENT,
	HERE,    /* used here alone */
	ANSWERS, /* here, without a connection */
	REFUSED,
};

struct ssh_row {
	const char *name, *argument;
	enum with_ssh with_ssh;
	const char *others[4]; /* options that it needs */
};

/* Each option, except saved ones: a new one has a row here before the test passes. */
static const struct ssh_row ssh_rows[] = {
	{"delay", "2", SENT, {NULL}},
	{"iterations", "3", SENT, {NULL}},
	{"batch", NULL, SENT, {NULL}},
	{"format", "json", SENT, {NULL}},
	{"code", NULL, SENT, {NULL}},
	{"output", "f", HERE, {NULL}},
	{"top", "5", SENT, {NULL}},
	{"record", "f", HERE, {NULL}},
	{"switch-output", "1G", REFUSED, {"--record=f"}},
	{"switch-max-files", "2", REFUSED, {"--record=f", "--switch-output=1G"}},
	{"listen", "9105", SENT, {NULL}},
	{"listen-name", "box", SENT, {"--listen=9105"}},
	{"replay", "f", REFUSED, {NULL}},
	{"symfs", "/", REFUSED, {"--replay=f"}},
	{"speed", "2", REFUSED, {"--replay=f"}},
	{"ssh", "box", REFUSED, {NULL}}, /* twice */
	{"ssh-option", "-p22", HERE, {NULL}},
	{"ssh-sudo", NULL, HERE, {NULL}},
	{"via", "x", REFUSED, {NULL}}, /* in its place */
	{"static", "f", HERE, {NULL}},
	{"preset", "cache", SENT, {NULL}},
	{"event", "cycles", SENT, {NULL}},
	{"metric", "ipc", SENT, {NULL}},
	{"pid", "12", SENT, {NULL}},
	{"tid", "12", SENT, {NULL}},
	{"user", "root", SENT, {NULL}},
	{"cgroup", "/a", SENT, {NULL}},
	{"cpu", "0-3", SENT, {NULL}},
	{"count", "user", SENT, {NULL}},
	{"budget", "2", SENT, {NULL}},
	{"frequency", "99", SENT, {NULL}},
	{"sort", "ipc", SENT, {NULL}},
	{"columns", "ipc", SENT, {NULL}},
	{"filter", "x", SENT, {NULL}},
	{"threads", NULL, SENT, {NULL}},
	{"idle", NULL, SENT, {NULL}},
	{"command-lines", NULL, SENT, {NULL}},
	{"by", "user", SENT, {NULL}},
	{"list", "marks", SENT, {NULL}},
	{"event-tables", "/", HERE, {NULL}}, /* the tables are sent */
	{"cpu-model", "ARM-41-D49-0-1", REFUSED, {"--list=events"}},
	{"doctor", NULL, SENT, {NULL}},
	{"config", "f", HERE, {NULL}}, /* its text is sent */
	{"color", "never", SENT, {NULL}},
	{"unit", "count", SENT, {NULL}},
	{"ascii", NULL, SENT, {NULL}},
	{"no-mouse", NULL, SENT, {NULL}},
	{"theme", "f", SENT, {NULL}}, /* with its text */
	{"readonly", NULL, SENT, {NULL}},
	{"help", NULL, ANSWERS, {NULL}},
	{"version", NULL, ANSWERS, {NULL}},
};

static void run_ssh_row(const char *name, const struct ssh_row *row)
{
	char word[64], program[] = "pmctop", ssh[] = "--ssh=box", sent[256] = "", expected[80];
	char *argv[8] = {program, ssh};
	int argc = 2;
	struct options options;
	struct error err;

	snprintf(word, sizeof(word), "--%s%s%s", name, row->argument ? "=" : "",
		 row->argument ? row->argument : "");
	for (size_t i = 0; row->others[i]; i++)
		argv[argc++] = xstrdup(row->others[i]);
	argv[argc++] = word;
	options_init(&options);
	int rc = options_parse(argc, argv, &options, &err);
	if (rc != (row->with_ssh == REFUSED ? -EINVAL : 0))
		fail_msg("%s: %d", word, rc);
	if (rc)
		assert_non_null(strstr(err.text, "--ssh"));
	assert_int_equal(options.task == OPTIONS_HELP || options.task == OPTIONS_VERSION,
			 row->with_ssh == ANSWERS);
	snprintf(expected, sizeof(expected), "%s|", word);
	if (!rc)
		options_each_sent(argc, argv, append_sent, sent);
	if (row->with_ssh == SENT ? !strstr(sent, expected)
				  : row->with_ssh == HERE && strstr(sent, name))
		fail_msg("%s: %s", word, sent);
	options_fini(&options);
	for (int i = 2; i < argc - 1; i++)
		free(argv[i]);
}

static void test_each_with_ssh(void **state)
{
	(void)state;
	for (size_t i = 0; i < option_rows_n; i++) {
		const struct ssh_row *row = NULL;

		for (size_t k = 0; k < ARRAY_SIZE(ssh_rows) && !row; k++)
			if (strcmp(ssh_rows[k].name, option_rows[i].name) == 0)
				row = &ssh_rows[k];
		/* What the screen saves here is for the host. */
		if (!row && option_rows[i].saved)
			assert_false(option_rows[i].here);
		else if (!row)
			fail_msg("--%s: what does it do with --ssh?", option_rows[i].name);
		else
			run_ssh_row(option_rows[i].name, row);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sent),
		cmocka_unit_test(test_each_with_ssh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
