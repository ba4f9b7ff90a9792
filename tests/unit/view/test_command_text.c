// SPDX-License-Identifier: MIT
/* Command lines as COMMAND shortens them: folders, interpreters, names of their own, any bytes. */
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/view/command_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_short(void **state)
{
	static const struct {
		const char *line, *comm, *text;
		size_t name; /* bytes of it that are the name */
	} rows[] = {
		{"/usr/lib/postgresql/15/bin/postgres -D /srv/data", "postgres",
		 "postgres -D /srv/data", 8},
		{"sleep 5", "sleep", "sleep 5", 5},
		{"/usr/bin/python3 -u /opt/app/srv.py --port 80", "python3",
		 "python3 srv.py --port 80", 14},
		{"python3.11 -W ignore -X dev srv.py", "python3.11", "python3.11 srv.py", 17},
		{"/usr/bin/python3 /opt/bin/tool", "tool", "python3 tool", 12},
		{"python3 -m http.server 80", "python3", "python3 -m http.server 80", 7},
		{"python3 -uc import  time", "python3", "python3 -uc import  time", 7},
		{"python3", "python3", "python3", 7},
		{"python3 -i", "python3", "python3 -i", 7},
		{"pythonic x", "pythonic", "pythonic x", 8},
		{"node --max-old-space-size=99 -r ./hook.js dist/app.js x", "node", "node app.js x",
		 11},
		{"node dist/app.js", "MainThread", "MainThread node app.js", 22},
		{"java -Xmx4g -cp /a/b.jar:/c org.example.Main --all", "java", "java Main --all",
		 9},
		{"/usr/bin/java -server -jar /opt/x.jar -v", "java", "java x.jar -v", 10},
		{"java -m mod/org.example.Main", "java", "java Main", 9},
		{"java -version", "java", "java -version", 4},
		{"bash -c while :; do :; done", "bash", "bash -c while :; do :; done", 4},
		{"/bin/sh -e /usr/bin/build all", "build", "sh build all", 8},
		{"-bash", "bash", "-bash", 5},
		{"perl -I lib -w /x/tool.pl", "perl", "perl tool.pl", 12},
		{"perl -ne print", "perl", "perl -ne print", 4},
		{"ruby3.1 -- app.rb", "ruby3.1", "ruby3.1 app.rb", 14},
		{"tmux -L x new-session", "tmux: server", "tmux: server -L x new-session", 12},
		{"nginx: worker process", "nginx", "nginx: worker process", 6},
		{"/usr/lib/firefox/firefox -contentproc", "Isolated Web Co",
		 "Isolated Web Co firefox -contentproc", 23},
		{"/lib/systemd/systemd-journald", "systemd-journal", "systemd-journald", 16},
		{"/opt/bin/pingpong 9", "pong", "pong pingpong 9", 13},
		{"/opt/bin/pingpong 9", "ping", "ping pingpong 9", 13},
		{"python3 /opt/worker.py 9", "worker", "worker python3 worker.py 9", 24},
		{"/bin/sh /opt/a-script-of-long-name 9", "a-script-of-lon",
		 "sh a-script-of-long-name 9", 24},
		{"sshd: ana [priv]", "sshd", "sshd: ana [priv]", 5},
		{"/", "x", "x /", 3},
		{"a/ b", "a", "a/ b", 2},
		{" x", "x", "x x", 1},
		{"x", "", "x", 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct command_text command;

		command_text_short(rows[i].line, rows[i].comm, &command);
		if (strcmp(command.text, rows[i].text) != 0 || command.begin != 0 ||
		    command.end != rows[i].name)
			fail_msg("%s: '%s', %zu to %zu", rows[i].line, command.text, command.begin,
				 command.end);
	}
}

static void test_whole(void **state)
{
	static const struct {
		const char *line;
		size_t begin, end;
	} rows[] = {
		{"/usr/bin/sleep 5", 9, 14},
		{"sleep", 0, 5},
		{"a/ b", 0, 2},
		{"/", 0, 1},
		{" x", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct command_text command;

		command_text_whole(rows[i].line, &command);
		assert_string_equal(command.text, rows[i].line);
		assert_int_equal(command.begin, rows[i].begin);
		assert_int_equal(command.end, rows[i].end);
	}
}

/* Lines of a few letters and of any length, in which all that is parsed occurs. */
static void test_any(void **state)
{
	static const char letters[] = "-/ .cpsh+\xff\x1b";
	static const char *const starts[] = {"", "java ", "sh ", "python3 "};

	(void)state;
	srand(1);
	for (unsigned i = 0; i < 20000; i++) {
		char line[700], comm[16];
		size_t length = i % 50 == 0 ? sizeof(line) - 1 : (size_t)rand() % 40;
		size_t start = strlen(starts[i % ARRAY_SIZE(starts)]);
		struct command_text command;

		for (size_t k = 0; k < length; k++)
			line[k] = letters[(size_t)rand() % (sizeof(letters) - 1)];
		line[length] = '\0';
		if (length >= start)
			memcpy(line, starts[i % ARRAY_SIZE(starts)], start);
		text_copy(comm, sizeof(comm), line);
		comm[(size_t)rand() % sizeof(comm)] = '\0';
		command_text_short(line, comm, &command);
		assert_true(command.begin <= command.end);
		assert_true(command.end <= strlen(command.text));
		command_text_whole(line, &command);
		assert_true(command.begin <= command.end);
		assert_true(command.end <= strlen(command.text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
