// SPDX-License-Identifier: MIT
/*
 * deny ERRNO COMMAND [ARG...]: runs a command under a seccomp filter, like those of containers, in
 * which perf_event_open fails with EPERM, EACCES or ENOSYS.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#define OFFSET(field) ((unsigned)offsetof(struct seccomp_data, field))

static int install(unsigned answer)
{
#ifdef ARCH
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFFSET(arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFFSET(nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	/* Ordinary users need no_new_privs for a filter. */
	if (geteuid() != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#else
	(void)answer;
	errno = ENOSYS;
	return -1;
#endif
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		unsigned number;
	} answers[] = {{"EPERM", EPERM}, {"EACCES", EACCES}, {"ENOSYS", ENOSYS}};

	for (size_t i = 0; argc > 2 && i < sizeof(answers) / sizeof(answers[0]); i++) {
		if (strcmp(argv[1], answers[i].name) != 0)
			continue;
		if (install(answers[i].number) < 0) {
			perror("deny: seccomp");
			return 77;
		}
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		return 127;
	}
	fputs("usage: deny EPERM|EACCES|ENOSYS COMMAND [ARG...]\n", stderr);
	return 2;
}
