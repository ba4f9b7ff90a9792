// SPDX-License-Identifier: MIT
/*
 * Any user can start this program by this name, so it gives up all rights before it reads a
 * request. What getent prints comes from a server, and is not trusted: lines of other users than
 * those in the request are dropped, and so is all output of more than USER_OUTPUT_MAX.
 */
#include "core/code/user_worker.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/code/helper_process.h"
#include "core/code/symbol_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	NOBODY = 65534,
	DESCRIPTORS_MIN = 10, /* of this process, above the child's descriptors */
	CPU_SECONDS_MAX = 10,
	WORDS_MAX = USER_ASKED_MAX + 3
};

bool user_name_is_valid(const char *name)
{
	uint32_t character;
	bool letters = false;

	for (const char *at = name; *at;) {
		size_t length = text_decode(at, &character);

		if (character == TEXT_REPLACEMENT || character <= ' ' || character == ':' ||
		    (character >= 0x7f && character < 0xa1))
			return false;
		letters |= character < '0' || character > '9';
		at += length;
	}
	return letters;
}

/* Without the rights, and where nobody is not in the user namespace, it stays root. */
static void become_nobody(void)
{
	if (getuid() != 0)
		return;
	syscall(SYS_setgroups, 0, NULL);
	if (syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) == 0)
		syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY);
}

/* Root without capabilities has files. It may not change them, where the kernel has Landlock. */
static void deny_changes(void)
{
	enum { CREATE_RULESET = 444, RESTRICT_SELF = 446 }; /* on all architectures */
	/* All but executing and reading files, and reading directories, of the first version. */
	const uint64_t changes = 0x1ff2;
	int rules = (int)syscall(CREATE_RULESET, &changes, sizeof(changes), 0);

	if (rules < 0)
		return;
	syscall(RESTRICT_SELF, rules, 0);
	close(rules);
}

static _Noreturn void run_getent(char *const *words, int output)
{
	char *const environment[] = {NULL};
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int high = null < 0 ? -1 : fcntl(null, F_DUPFD_CLOEXEC, DESCRIPTORS_MIN);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (high < 0 || dup2(high, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
	    dup2(high, STDERR_FILENO) < 0)
		_exit(HELPER_BROKEN);
	execve(words[0], words, environment);
	_exit(HELPER_BROKEN);
}

/* Reads up to the end, or to a limit. Returns the bytes; 0: too many. */
static size_t read_output(int fd, char text[USER_OUTPUT_MAX + 1])
{
	size_t n = 0;

	for (;;) {
		ssize_t got = read(fd, text + n, USER_OUTPUT_MAX + 1 - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return n;
		n += (size_t)got;
		if (n > USER_OUTPUT_MAX)
			return 0;
	}
}

/* Returns the bytes of output; 0: there are none that can be used. */
static size_t read_getent(char *const *words, char text[USER_OUTPUT_MAX + 1])
{
	int pipes[2], status;

	if (pipe2(pipes, O_CLOEXEC))
		return 0;
	int input = fcntl(pipes[0], F_DUPFD_CLOEXEC, DESCRIPTORS_MIN);
	int output = fcntl(pipes[1], F_DUPFD_CLOEXEC, DESCRIPTORS_MIN);
	close(pipes[0]);
	close(pipes[1]);
	pid_t pid = input < 0 || output < 0 ? -1 : fork();
	if (pid == 0)
		run_getent(words, output);
	close(output);
	size_t n = pid < 0 ? 0 : read_output(input, text);
	close(input);
	if (pid > 0) {
		/* It may have closed its output and go on. */
		kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	return n;
}

/* NAME:PASSWORD:UID:... */
static void reply_line(const struct user_request *request, char *line)
{
	struct user_reply reply = {.ends = false};
	char *password = strchr(line, ':'), *number = password ? strchr(password + 1, ':') : NULL;
	uint64_t uid;

	if (!number)
		return;
	*password = '\0';
	size_t digits = text_u64(number + 1, &uid);
	if (digits == 0 || number[1 + digits] != ':' || uid >= UINT32_MAX)
		return;
	/* The server may know the user by a longer name. */
	const char *name = request->name[0] ? request->name : line;
	if (strlen(name) >= sizeof(reply.name) || !user_name_is_valid(name) ||
	    (!request->name[0] && !user_request_has(request, uid)))
		return;
	reply.uid = (uint32_t)uid;
	text_copy(reply.name, sizeof(reply.name), name);
	helper_process_send(&reply, sizeof(reply));
}

static void answer(struct user_request *request)
{
	static char passwd[] = "passwd";
	char numbers[USER_ASKED_MAX][12], *words[WORDS_MAX] = {request->getent, passwd};
	char *text = xmalloc(USER_OUTPUT_MAX + 1);
	const struct user_reply end = {.ends = true};

	if (request->name[0])
		words[2] = request->name;
	for (uint32_t i = 0; i < request->n; i++) {
		snprintf(numbers[i], sizeof(numbers[i]), "%u", request->uids[i]);
		words[2 + i] = numbers[i];
	}
	size_t n = read_getent(words, text);
	for (char *line = text, *line_end; line < text + n; line = line_end + 1) {
		line_end = memchr(line, '\n', (size_t)(text + n - line));
		if (!line_end) /* it was killed amid a line */
			break;
		*line_end = '\0';
		if (strlen(line) == (size_t)(line_end - line))
			reply_line(request, line);
		if (request->name[0])
			break;
	}
	free(text);
	helper_process_send(&end, sizeof(end));
}

void user_worker_main(int argc, char **argv)
{
	struct user_request request;
	int fds[HELPER_SENT_MAX];

	if (!helper_process_enter(argc, argv, USER_WORKER_NAME))
		return;
	become_nobody();
	if (symbol_sandbox_drop())
		_exit(HELPER_BROKEN);
	if (getuid() == 0)
		deny_changes();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	symbol_sandbox_limit(RLIMIT_CORE, 0);
	symbol_sandbox_limit(RLIMIT_CPU, CPU_SECONDS_MAX);
	helper_process_hello(HELPER_READY, 0);
	for (;;) {
		bool whole =
			helper_process_receive(&request, sizeof(request), fds) == sizeof(request);

		if (!whole || request.n > USER_ASKED_MAX || fds[0] >= 0 ||
		    request.getent[0] != '/' ||
		    !memchr(request.getent, '\0', sizeof(request.getent)) ||
		    !memchr(request.name, '\0', sizeof(request.name)) ||
		    (request.name[0] && request.n > 0) || request.name[0] == '-')
			_exit(HELPER_BROKEN);
		answer(&request);
	}
}
