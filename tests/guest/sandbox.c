// SPDX-License-Identifier: MIT
/*
 * sandbox: prints, as JSON, the numbers of the system calls that the child process which parses
 * files may make, and a part of its /proc/PID/status. Each number is called with impossible
 * arguments.
 */
#include "core/base/util.h"
#include "core/code/symbol_sandbox.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 1024, UNTRIED = -1 };

struct attempts {
	bool filtered;
	int errors[CALLS];
};

/* They would end the attempts. */
static const int untried[] = {SYS_exit, SYS_exit_group, SYS_rt_sigreturn};

static bool is_untried(int call)
{
	for (size_t i = 0; i < ARRAY_SIZE(untried); i++)
		if (untried[i] == call)
			return true;
	return false;
}

static _Noreturn void run_attempts(struct attempts *attempts, FILE *status)
{
	char line[256];

	if (symbol_sandbox_drop() != 0)
		_exit(1);
	while (fgets(line, sizeof(line), status))
		if (strncmp(line, "Cap", 3) == 0 || strncmp(line, "NoNewPrivs", 10) == 0)
			fputs(line, stdout);
	fflush(stdout);
	attempts->filtered = symbol_sandbox_enter(64 << 20, 16);
	for (int call = 0; call < CALLS; call++) {
		attempts->errors[call] = UNTRIED;
		if (!is_untried(call))
			attempts->errors[call] =
				syscall(call, -1L, -1L, -1L, -1L, -1L, -1L) == -1 ? errno : 0;
	}
	syscall(SYS_exit_group, 0);
	abort();
}

int main(void)
{
	struct attempts *attempts = mmap(NULL, sizeof(*attempts), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int wait_status;

	if (attempts == MAP_FAILED)
		return 1;
	pid_t pid = fork();
	if (pid == 0) {
		FILE *status = fopen("/proc/self/status", "re");
		if (!status)
			_exit(1);
		run_attempts(attempts, status);
	}
	if (pid < 0 || waitpid(pid, &wait_status, 0) != pid || wait_status != 0)
		return 1;
	printf("{\"filtered\":%s,\"allowed\":[", attempts->filtered ? "true" : "false");
	for (int call = 0, n = 0; call < CALLS; call++)
		if (attempts->errors[call] != EPERM)
			printf("%s%d", n++ > 0 ? "," : "", call);
	puts("]}");
	return 0;
}
