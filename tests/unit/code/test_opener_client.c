// SPDX-License-Identifier: MIT
/* The life of the process that opens files. It is this program. */
#include "core/code/opener_client.h"

#include "core/base/util.h"
#include "core/code/opener_message.h"
#include "core/code/opener_worker.h"
#include "core/code/symbol_message.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/elf_stub.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/helper_end.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Long enough for any machine: no test waits for it. */
#define PATIENT (monotonic_ns() + 120 * NS_PER_S)

/* The path of this program; below valgrind /proc/self/exe of a child is another one. */
static const char *own_program(void)
{
	static char program[512];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	assert_true(n > 0);
	program[n] = '\0';
	return program;
}

struct scene {
	char folder[64];
	struct sys sys;
	struct opener_client *client;
	struct code_object *object;
	struct code_mapping mapping;
	int link[2]; /* the opener's end, the parser's end */
};

static void begin(struct scene *scene)
{
	char path[128];

	*scene = (struct scene){.folder = "/tmp/pmctop-opener-XXXXXX"};
	assert_non_null(mkdtemp(scene->folder));
	assert_int_equal(sys_linux_init(&scene->sys), 0);
	snprintf(path, sizeof(path), "%s/a.so", scene->folder);
	elf_stub_write(&(struct elf_stub){.build_id = "aa", .tail = "a"}, path);
	snprintf(path, sizeof(path), "%s/kallsyms", scene->folder);
	write_file(path, "ffffffff81000000 T do_a\n");
	scene->object = xcalloc(1, sizeof(*scene->object) + sizeof("/a.so"));
	strcpy(scene->object->name, "/a.so");
	scene->mapping = (struct code_mapping){0x1000, 0x2000, 0, scene->object};
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, scene->link), 0);
	scene->client = opener_client_new(&(struct opener_config){
		.executable = own_program(),
		.recording = true,
		.symfs = scene->folder,
		.random = 12345,
	});
}

static void read_status(pid_t pid, const char *key, char *value, size_t size)
{
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *file = fopen(path, "r");
	value[0] = '\0';
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':') {
			line[strcspn(line, "\n")] = '\0';
			text_copy(value, size,
				  line + strlen(key) + 1 + strspn(line + strlen(key) + 1, " \t"));
		}
	if (file)
		fclose(file);
}

/* The process; 0: none. */
static pid_t find_process(void)
{
	DIR *stream = opendir("/proc");
	pid_t found = 0;

	for (const struct dirent *entry; stream && (entry = readdir(stream));) {
		char parent[16], name[32];
		pid_t pid = atoi(entry->d_name);

		if (pid <= 0)
			continue;
		read_status(pid, "PPid", parent, sizeof(parent));
		read_status(pid, "Name", name, sizeof(name));
		if (atoi(parent) == getpid() && strcmp(name, OPENER_WORKER_NAME) == 0)
			found = pid;
	}
	if (stream)
		closedir(stream);
	return found;
}

static void end(struct scene *scene)
{
	struct helper_process left;

	opener_client_abandon(scene->client, &left);
	helper_end(&left);
	close(scene->link[0]);
	close(scene->link[1]);
	free(scene->object);
	sys_linux_fini(&scene->sys);
	remove_tree(scene->folder);
}

static int open_until(struct scene *scene, uint64_t deadline_ns, struct mapped_file *found,
		      bool *given)
{
	const struct opener_file file = {7, &scene->mapping, 0};
	const struct opener_link link = {scene->link[0], 1};

	return opener_client_file(scene->client, &file, &link, deadline_ns, found, given);
}

/* The same, also if there must be a pause first. */
static int open_file(struct scene *scene, struct mapped_file *found, bool *given)
{
	int rc;

	while ((rc = open_until(scene, PATIENT, found, given)) == -EAGAIN)
		sched_yield();
	return rc;
}

/* The file that the parser gets, which is closed again. Its last byte. */
static char receive_file(struct scene *scene, uint64_t key)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct symbol_request request;
	struct iovec part = {&request, sizeof(request)};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	char byte = 0;
	int fd;

	assert_true(recvmsg(scene->link[1], &message, MSG_CMSG_CLOEXEC) > 0);
	assert_int_equal(request.kind, SYMBOL_ADD);
	assert_true(request.key == key);
	assert_int_equal(control.header.cmsg_len, CMSG_LEN(sizeof(int)));
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	assert_int_equal(pread(fd, &byte, 1, lseek(fd, 0, SEEK_END) - 1), 1);
	close(fd);
	return byte;
}

static void a_file_goes_to_the_parser(void **state)
{
	struct scene scene;
	struct mapped_file found;
	bool given;

	(void)state;
	begin(&scene);
	unsigned before = count_files("/proc/self/fd");
	assert_int_equal(open_file(&scene, &found, &given), 0);
	assert_true(found.key & 1);
	assert_true(given);
	assert_int_equal(receive_file(&scene, found.key), 'a');
	/* Here is the socket of the process and its pidfd, and nothing else. */
	assert_in_range(count_files("/proc/self/fd"), before + 1, before + 2);
	strcpy(scene.object->name, "/b.s");
	assert_int_equal(open_file(&scene, &found, &given), -ENOENT);
	assert_false(given);
	end(&scene);
}

static void a_text_is_read_in_parts(void **state)
{
	const struct code_text text = {.kind = CODE_TEXT_KALLSYMS, .number = 1};
	const struct code_text none = {.kind = CODE_TEXT_PERF_MAP, .pid = 7};
	struct code_text_status status;
	struct scene scene;
	char part[32];

	(void)state;
	begin(&scene);
	assert_int_equal(opener_client_text(scene.client, &text, 0, 0, PATIENT, part, 4, &status),
			 4);
	assert_memory_equal(part, "ffff", 4);
	assert_int_equal(status.size, 24);
	assert_int_equal(opener_client_text(scene.client, &text, 0, 17, PATIENT, part, 32, &status),
			 7);
	assert_memory_equal(part, "T do_a\n", 7);
	assert_int_equal(opener_client_text(scene.client, &text, 0, 24, PATIENT, part, 32, &status),
			 0);
	assert_int_equal(opener_client_text(scene.client, &none, 0, 0, PATIENT, part, 32, &status),
			 -ENOENT);
	end(&scene);
}

/* In place of a file that does not answer, the process is stopped. */
static void a_late_answer_is_that_of_its_request(void **state)
{
	struct opener_request_state request;
	struct mapped_file found;
	struct scene scene;
	bool given;

	(void)state;
	begin(&scene);
	assert_int_equal(open_file(&scene, &found, &given), 0);
	uint64_t key = found.key;
	assert_int_equal(opener_client_stands_ns(scene.client, &scene.sys, &request), 0);
	pid_t pid = find_process();
	assert_true(pid > 0);
	kill(pid, SIGSTOP);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(open_until(&scene, monotonic_ns() + NS_PER_MS, &found, &given),
				 -EAGAIN);
	assert_true(opener_client_works(scene.client));
	while (opener_client_stands_ns(scene.client, &scene.sys, &request) < NS_PER_MS)
		sched_yield();
	assert_string_equal(request.name, "/a.so");
	assert_int_equal(request.pid, 7);
	kill(pid, SIGCONT);
	assert_int_equal(open_file(&scene, &found, &given), 0);
	assert_true(found.key == key);
	assert_false(opener_client_works(scene.client));
	assert_int_equal(opener_client_stands_ns(scene.client, &scene.sys, &request), 0);
	end(&scene);
}

static void a_process_that_ends_is_replaced(void **state)
{
	struct mapped_file found;
	struct scene scene;
	bool given;

	(void)state;
	begin(&scene);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(open_file(&scene, &found, &given), 0);
		assert_true(given); /* to the same parser */
		assert_int_equal(receive_file(&scene, found.key), 'a');
		pid_t pid = find_process();
		siginfo_t info;
		kill(pid, SIGKILL);
		assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	}
	assert_int_equal(opener_client_error(scene.client), 0);
	end(&scene);
}

/* Such a file is no reason to leave it alone. */
static void a_process_that_ends_in_a_request_does_not_stand_still(void **state)
{
	struct opener_request_state request;
	struct mapped_file found;
	struct scene scene;
	siginfo_t info;
	bool given;

	(void)state;
	begin(&scene);
	assert_int_equal(open_file(&scene, &found, &given), 0);
	pid_t pid = find_process();
	kill(pid, SIGSTOP);
	assert_int_equal(open_until(&scene, monotonic_ns() + NS_PER_MS, &found, &given), -EAGAIN);
	assert_true(opener_client_works(scene.client));
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(opener_client_stands_ns(scene.client, &scene.sys, &request), 0);
	assert_false(opener_client_works(scene.client));
	assert_int_equal(open_file(&scene, &found, &given), 0);
	end(&scene);
}

/* It has rights to read files at most, and no descriptor of this program. */
static void the_process_has_what_it_needs(void **state)
{
	static const char *const sets[] = {"CapPrm", "CapEff", "CapInh", "CapAmb"};
	int inherited = open("/dev/null", O_RDONLY); /* without FD_CLOEXEC */
	struct mapped_file found;
	struct scene scene;
	char value[64], path[64];
	bool given;

	(void)state;
	begin(&scene);
	assert_int_equal(open_file(&scene, &found, &given), 0);
	pid_t pid = find_process();
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		read_status(pid, sets[i], value, sizeof(value));
		assert_true((strtoull(value, NULL, 16) & ~OPENER_RIGHTS) == 0);
	}
	read_status(pid, "NoNewPrivs", value, sizeof(value));
	assert_string_equal(value, "1");
	read_status(pid, "Name", value, sizeof(value));
	assert_string_equal(value, OPENER_WORKER_NAME);
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	assert_int_equal(count_files(path), 3); /* its socket, the parser's socket, an eventfd */
	assert_int_equal(getsid(pid), pid);
	close(inherited);
	end(&scene);
}

/* Starts this program with that argv[0] and a socket. Its wait status. */
static int run_by_hand(const char *name, const char *number, bool no_new_privs, const void *message,
		       size_t n)
{
	const char *program = own_program();
	int sockets[2], wait_status;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
	if (n > 0)
		assert_true(send(sockets[0], message, n, 0) == (ssize_t)n);
	pid_t pid = fork();
	if (pid == 0) {
		close(sockets[0]);
		if (dup2(sockets[1], 9) < 0)
			_exit(9);
		if (no_new_privs)
			prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		execl(program, name, number, (char *)NULL);
		_exit(9);
	}
	close(sockets[1]);
	assert_int_equal(waitpid(pid, &wait_status, 0), pid);
	close(sockets[0]);
	return wait_status;
}

/* Any user can start it by hand: then it lends no right, and broken requests end it. */
static void a_process_that_was_started_by_hand_ends(void **state)
{
	static const struct opener_request early = {.kind = OPENER_FILE};
	static const struct opener_request huge = {.kind = OPENER_CONFIG, .n = UINT32_MAX};
	static const struct opener_request unnamed = {.kind = OPENER_CONFIG, .n = 1};
	static const struct {
		const char *number;
		bool no_new_privs;
		const struct opener_request *request;
	} rows[] = {
		{"9", false, NULL},    {"x", true, NULL},   {"-1", true, NULL},
		{"77777", true, NULL}, {"9", true, &early}, {"9", true, &unnamed},
		{"9", true, &huge},
	};

	(void)state;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		print_message("# no_new_privs is set here\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = rows[i].request ? offsetof(struct opener_request, names) +
						     (rows[i].request->n == 1)
					   : 0;

		if (!rows[i].no_new_privs && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
			continue;
		int status = run_by_hand(OPENER_WORKER_NAME, rows[i].number, rows[i].no_new_privs,
					 rows[i].request, n);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 2);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_goes_to_the_parser),
		cmocka_unit_test(a_text_is_read_in_parts),
		cmocka_unit_test(a_late_answer_is_that_of_its_request),
		cmocka_unit_test(a_process_that_ends_is_replaced),
		cmocka_unit_test(a_process_that_ends_in_a_request_does_not_stand_still),
		cmocka_unit_test(the_process_has_what_it_needs),
		cmocka_unit_test(a_process_that_was_started_by_hand_ends),
	};

	opener_worker_main(argc, argv);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("opener_client", tests, NULL, NULL);
}
