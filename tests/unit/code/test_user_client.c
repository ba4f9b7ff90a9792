// SPDX-License-Identifier: MIT
/* Names of users from a getent that answers, hangs, lies, or prints what it likes. */
#include "core/code/user_client.h"

#include "core/base/util.h"
#include "core/sys/sys.h"
#include "tests/unit/shared/files.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

enum { ALICE = 5000, BOB = 5001, STRANGER = 5002 };

/* Long enough for any machine: no test waits for it. */
#define PATIENT_NS (120 * NS_PER_S)

struct scene {
	char folder[64], getent[96], program[512];
	struct sys sys;
	struct users *users;
	struct user_client client;
};

static ssize_t read_passwd(void *ctx, const char *path, char *buffer, size_t size)
{
	(void)ctx;
	if (strcmp(path, "/etc/passwd") != 0)
		return -ENOENT;
	return (ssize_t)text_copy(buffer, size, "root:x:0:0::/:\nlocal:x:1:1::/:\n");
}

static uint64_t read_clock(void *ctx)
{
	(void)ctx;
	return monotonic_ns();
}

/* A shell script in place of getent, for every user. script NULL: there is none. */
static void scene_open(struct scene *scene, const char *script)
{
	static const struct sys_ops ops = {.file_read = read_passwd, .now_ns = read_clock};
	char text[1024];

	*scene = (struct scene){.folder = "/tmp/pmctop-users-XXXXXX", .sys = {.ops = &ops}};
	assert_non_null(mkdtemp(scene->folder));
	assert_int_equal(chmod(scene->folder, 0755), 0);
	snprintf(scene->getent, sizeof(scene->getent), "%s/getent", scene->folder);
	if (script) {
		snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
		write_file(scene->getent, text);
		assert_int_equal(chmod(scene->getent, 0755), 0);
	}
	/* Below valgrind /proc/self/exe of a child is another program. */
	ssize_t n = readlink("/proc/self/exe", scene->program, sizeof(scene->program) - 1);
	assert_true(n > 0);
	scene->users = users_new(&scene->sys);
	scene->client = (struct user_client){
		.getent = scene->getent, .executable = scene->program, .patience_ns = PATIENT_NS};
}

static void scene_close(struct scene *scene)
{
	user_client_fini(&scene->client);
	users_free(scene->users);
	remove_tree(scene->folder);
}

static const char *name_of(struct scene *scene, uid_t uid)
{
	static char name[24];

	users_name(scene->users, uid, name, sizeof(name));
	return name;
}

/* Requests the names of users without one, and waits for the end of the process. */
static void ask_once(struct scene *scene)
{
	do {
		user_client_poll(&scene->client, scene->users);
		poll(NULL, 0, 1);
	} while (scene->client.begun);
}

static void has_names_of_uids(void **state)
{
	static const struct {
		const char *name, *script;
		const char *alice, *bob;
	} rows[] = {
		{"both", "echo alice:x:5000:1::/:; echo bob:x:5001:1::/:", "alice", "bob"},
		{"one, and an error", "echo bob:*:5001:1::/:; exit 2", "5000", "bob"},
		{"none", "exit 2", "5000", "5001"},
		{"no program", NULL, "5000", "5001"},
		{"the request", "[ \"$*\" = 'passwd 5000 5001' ] && echo alice:x:5000:", "alice",
		 "5001"},
		{"no environment and no input",
		 "[ -z \"$HOME$USER\" ] && ! read x && echo alice:x:5000:", "alice", "5001"},
		{"no rights",
		 "[ \"$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)\" = "
		 "0000000000000000 ] && echo alice:x:5000:",
		 "alice", "5001"},
		{"not root", "[ $(id -u) != 0 ] && echo alice:x:5000:", "alice", "5001"},
		{"others", "echo root:x:5002:; echo eve:x:0:; echo alice:x:5000:", "alice", "5001"},
		{"names of the file", "echo root:x:5000:; echo local:x:5001:", "5000", "5001"},
		{"numbers as names", "echo 0:x:5000:; echo 1234:x:5001:", "5000", "5001"},
		{"escape codes", "printf '\\033[31malice:x:5000:\\nb\\rob:x:5001:\\n'", "5000",
		 "5001"},
		{"blanks and no UTF-8", "printf 'a lice:x:5000:\\n\\377bob:x:5001:\\n'", "5000",
		 "5001"},
		{"other letters", "printf 'al\\303\\257ce:x:5000:\\nDOM\\\\bob:x:5001:\\n'",
		 "al\303\257ce", "DOM\\bob"},
		{"a long name", "printf 'a%0200d:x:5000:\\nbob:x:5001:\\n' 1", "5000", "bob"},
		{"broken lines",
		 "echo; echo :; echo ::; echo alice; echo a:x:; echo b:x:5000; "
		 "echo c:x:-5001:; echo d:x:99999999999:; echo bob:x:5001:",
		 "5000", "bob"},
		{"NUL", "printf 'alice\\000:x:5000:\\nbob:x:5001:\\n'", "5000", "bob"},
		{"half a line", "printf 'bob:x:5001:\\nalice:x:5000:'", "5000", "bob"},
		{"a twin", "echo alice:x:5000:; echo root:x:5000:", "alice", "5001"},
		/* It is killed, and nothing of it is used. */
		{"gigabytes", "echo alice:x:5000:; exec yes bob:x:5001:", "5000", "5001"},
		{"gigabytes without lines", "exec cat /dev/zero", "5000", "5001"},
		{"a closed output", "echo alice:x:5000:; exec >&-; exec sleep 1000", "alice",
		 "5001"},
		{"a crash", "echo alice:x:5000:; kill -SEGV $$", "alice", "5001"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		if (strcmp(rows[i].name, "not root") == 0 && !may_chown())
			continue;
		scene_open(&scene, rows[i].script);
		assert_string_equal(name_of(&scene, ALICE), "5000");
		assert_string_equal(name_of(&scene, BOB), "5001");
		ask_once(&scene);
		if (strcmp(name_of(&scene, ALICE), rows[i].alice) != 0)
			fail_msg("%s: %s", rows[i].name, name_of(&scene, ALICE));
		if (strcmp(name_of(&scene, BOB), rows[i].bob) != 0)
			fail_msg("%s: %s", rows[i].name, name_of(&scene, BOB));
		assert_string_equal(name_of(&scene, 0), "root");
		scene_close(&scene);
	}
}

/* Each is requested once, many in several requests. */
static void asks_for_lists(void **state)
{
	enum { FIRST = 10000, USERS = 2 * USER_ASKED_MAX + 5 };
	struct scene scene;
	char want[24];

	(void)state;
	scene_open(&scene, "shift; echo $# >>\"${0%/*}/calls\"; for i; do echo u$i:x:$i:; done");
	assert_int_equal(chmod(scene.folder, 0777), 0);
	for (uid_t uid = FIRST; uid < FIRST + USERS; uid++)
		name_of(&scene, uid);
	for (int i = 0; i < 5; i++)
		ask_once(&scene);
	for (uid_t uid = FIRST; uid < FIRST + USERS; uid++) {
		snprintf(want, sizeof(want), "u%u", uid);
		assert_string_equal(name_of(&scene, uid), want);
	}
	char calls[128];
	snprintf(calls, sizeof(calls), "%s/calls", scene.folder);
	expect_file(calls, "32\n32\n5\n");
	scene_close(&scene);
}

/* A process that hangs is abandoned, with getent. Another one is started only later. */
static void abandons_what_hangs(void **state)
{
	struct scene scene;
	char path[128], text[32] = "";

	(void)state;
	scene_open(&scene, "echo $$ >\"${0%/*}/pid\"; exec sleep 1000");
	assert_int_equal(chmod(scene.folder, 0777), 0);
	snprintf(path, sizeof(path), "%s/pid", scene.folder);
	name_of(&scene, ALICE);
	while (!strchr(text, '\n')) {
		user_client_poll(&scene.client, scene.users);
		assert_true(scene.client.begun);
		FILE *file = fopen(path, "r");
		if (file && !fgets(text, sizeof(text), file))
			text[0] = '\0';
		if (file)
			fclose(file);
		poll(NULL, 0, 1);
	}
	scene.client.patience_ns = 1;
	ask_once(&scene);
	assert_string_equal(name_of(&scene, ALICE), "5000");
	assert_true(scene.client.resume_ns > 0);
	/* It is killed with its parent; somebody may have to reap it. */
	snprintf(path, sizeof(path), "/proc/%d/stat", atoi(text));
	for (;;) {
		FILE *file = fopen(path, "r");
		char line[256] = "";
		if (!file || !fgets(line, sizeof(line), file) || strstr(line, ") Z "))
			break;
		fclose(file);
		poll(NULL, 0, 1);
	}
	/* The next one answers. */
	write_file(scene.getent, "#!/bin/sh\necho bob:x:5001:\n");
	name_of(&scene, BOB);
	scene.client.patience_ns = PATIENT_NS;
	while (strcmp(name_of(&scene, BOB), "bob") != 0)
		ask_once(&scene);
	scene_close(&scene);
}

static void finds_users(void **state)
{
	static const struct {
		const char *name, *script, *user;
		int result;
		uid_t uid;
	} rows[] = {
		{"there", "[ \"$*\" = 'passwd alice.ldap' ] && echo alice.ldap:x:5000:",
		 "alice.ldap", 0, ALICE},
		{"by a longer name", "echo alice@example.org:x:5000:", "alice", 0, ALICE},
		{"not there", "exit 2", "eve", -ENOENT, 0},
		{"no program", NULL, "eve", -ENOENT, 0},
		{"no name", "echo a:x:5000:", "-s", -ENOENT, 0},
		{"a blank", "echo a:x:5000:", "a b", -ENOENT, 0},
		{"a lie", "echo bob:x:bob:", "bob", -ENOENT, 0},
		{"an option", "exit 0", "--help", -ENOENT, 0},
		{"hangs", "exec sleep 1000", "alice", -ETIMEDOUT, 0},
		{"hangs after half a line", "printf alice:x:50; exec sleep 1000", "alice",
		 -ETIMEDOUT, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool hangs = rows[i].result == -ETIMEDOUT;
		struct scene scene;
		uid_t uid = 0;

		scene_open(&scene, rows[i].script);
		int result = user_client_find(&scene.client, scene.users, rows[i].user,
					      monotonic_ns() + (hangs ? NS_PER_MS : PATIENT_NS));
		users_find(scene.users, rows[i].user, &uid);
		if (result != rows[i].result || uid != rows[i].uid)
			fail_msg("%s: %d, %u", rows[i].name, result, uid);
		scene_close(&scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_names_of_uids),
		cmocka_unit_test(asks_for_lists),
		cmocka_unit_test(abandons_what_hangs),
		cmocka_unit_test(finds_users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
