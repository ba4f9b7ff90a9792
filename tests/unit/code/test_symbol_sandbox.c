// SPDX-License-Identifier: MIT
/*
 * What the child process cannot do. The children are this program, by a path that is named after
 * what the child should do (a symbolic link), because it gets no other argument.
 */
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/code/helper_process.h"
#include "core/code/symbol_message.h"
#include "core/code/symbol_sandbox.h"
#include "core/code/symbol_worker.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct scene {
	char directory[64], path[128];
	struct helper_process child;
};

static int scene_init(void **state)
{
	static struct scene scene;

	strcpy(scene.directory, "/tmp/pmctop-sandbox-XXXXXX");
	scene.child = HELPER_NONE;
	*state = &scene;
	return mkdtemp(scene.directory) ? 0 : -1;
}

static int scene_fini(void **state)
{
	struct scene *scene = *state;
	int wait_status;

	helper_process_kill(&scene->child);
	while (!helper_process_ended(&scene->child, &wait_status))
		sched_yield();
	helper_process_close(&scene->child);
	remove_tree(scene->directory);
	return 0;
}

/* Starts a child; `task` "" is what the product does. */
static void start(struct scene *scene, const char *task)
{
	char program[512];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	assert_true(n > 0);
	program[n] = '\0';
	snprintf(scene->path, sizeof(scene->path), "%s/%s", scene->directory, task);
	if (task[0])
		assert_int_equal(symlink(program, scene->path), 0);
	assert_int_equal(helper_process_start(&scene->child, task[0] ? scene->path : program,
					      SYMBOL_WORKER_NAME, 0),
			 0);
}

/* The value of a line in /proc/PID/status. */
static void read_status(int pid, const char *key, char *to, size_t size)
{
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	to[0] = '\0';
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':') {
			char *value = line + strlen(key) + 1;

			value += strspn(value, " \t");
			value[strcspn(value, "\n")] = '\0';
			text_copy(to, size, value);
		}
	fclose(file);
}

static void test_rights(void **state)
{
	static const struct {
		const char *key, *want;
	} rows[] = {
		{"CapEff", "0000000000000000"},
		{"CapPrm", "0000000000000000"},
		{"CapInh", "0000000000000000"},
		{"CapAmb", "0000000000000000"},
		{"NoNewPrivs", "1"},
		{"Threads", "1"},
		{"Name", "pmctop-symbols"},
	};
	struct scene *scene = *state;
	struct helper_hello ready;
	char value[64];

	start(scene, "");
	assert_int_equal(recv(scene->child.socket, &ready, sizeof(ready), 0), sizeof(ready));
	assert_int_equal(ready.kind, HELPER_READY);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("%s\n", rows[i].key);
		read_status(scene->child.pid, rows[i].key, value, sizeof(value));
		assert_string_equal(value, rows[i].want);
	}
	read_status(scene->child.pid, "Seccomp", value, sizeof(value));
	if (ready.n)
		assert_string_equal(value, "2");
	else
		print_message("# no filter here\n");
}

/* Attempts of the child "attempts", and what the answer must be with a filter. */
static long try_open(void)
{
	return syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY, 0);
}

static long try_write(void)
{
	return syscall(SYS_write, HELPER_SOCKET, "x", 1);
}

static long try_socket(void)
{
	return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
}

static long try_fork(void)
{
	return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static long try_exec(void)
{
	char *const argv[] = {NULL};

	return syscall(SYS_execve, "/proc/self/exe", argv, argv);
}

static long try_kill(void)
{
	return syscall(SYS_kill, getppid(), 0);
}

static long try_ptrace(void)
{
	return syscall(SYS_ptrace, PTRACE_ATTACH, 1, 0, 0);
}

static long try_code(void)
{
	return (long)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static long try_protect(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? 0 : mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static long try_limit(void)
{
	const struct rlimit more = {RLIM_INFINITY, RLIM_INFINITY};

	return syscall(SYS_prlimit64, 0, RLIMIT_DATA, &more, NULL);
}

static long try_process_vm(void)
{
	return syscall(SYS_process_vm_readv, 1, NULL, 0, NULL, 0, 0);
}

static long try_prctl(void)
{
	return syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static long try_file(void)
{
	return syscall(SYS_memfd_create, "file", 0);
}

static long try_event(void)
{
	char attr[128] = {0};

	return syscall(SYS_perf_event_open, attr, 0, -1, -1, 0);
}

static long try_bpf(void)
{
	return syscall(SYS_bpf, 0, NULL, 0);
}

static long try_namespace(void)
{
	return syscall(SYS_unshare, CLONE_NEWUSER);
}

static long try_copy(void)
{
	return syscall(SYS_dup, HELPER_SOCKET);
}

static long try_control(void)
{
	return syscall(SYS_ioctl, HELPER_SOCKET, 0, 0);
}

static long try_file_map(void)
{
	return (long)mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE,
			  HELPER_SOCKET, 0);
}

static const struct attempt {
	const char *name;
	long (*attempt)(void);
} attempts[] = {
	{"openat", try_open},
	{"socket", try_socket},
	{"clone", try_fork},
	{"execve", try_exec},
	{"kill", try_kill},
	{"ptrace", try_ptrace},
	{"mmap of code", try_code},
	{"mprotect", try_protect},
	{"prlimit64", try_limit},
	{"process_vm_readv", try_process_vm},
	{"prctl", try_prctl},
	{"write", try_write},
	{"memfd_create", try_file},
	{"perf_event_open", try_event},
	{"bpf", try_bpf},
	{"unshare", try_namespace},
	{"dup", try_copy},
	{"ioctl", try_control},
	{"mmap of a file", try_file_map},
};

/* What the filter lets through; the last two only without PROT_EXEC. */
static const long let_through[] = {
	SYS_pread64,         SYS_lseek,        SYS_close,           SYS_recvmsg,
	SYS_sendmsg,         SYS_brk,          SYS_munmap,          SYS_mremap,
	SYS_madvise,         SYS_futex,        SYS_getrandom,       SYS_timer_settime,
	SYS_rt_sigprocmask,  SYS_rt_sigreturn, SYS_restart_syscall, SYS_exit,
	SYS_exit_group,
#ifdef SYS_timer_settime64
	SYS_timer_settime64,
#endif
#ifdef SYS__llseek
	SYS__llseek,
#endif
#ifdef SYS_sigreturn
	SYS_sigreturn,
#endif
#ifdef SYS_mmap2
	SYS_mmap2,
#else
	SYS_mmap,
#endif
	SYS_mprotect,
};

/* Of allocators of sanitizers. */
static const long let_through_sanitized[] = {SYS_sched_yield, SYS_gettid, SYS_getpid,
					     SYS_clock_gettime, SYS_sigaltstack};

/* uretprobe and uprobe: no filter sees them, and outside of a probe they end the process. */
#ifdef __x86_64__
static const long unfiltered[] = {335, 336};
#else
static const long unfiltered[] = {-1};
#endif

static bool is_among(const long *numbers, size_t n, long number)
{
	for (size_t i = 0; i < n; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/* Tries all other numbers. Returns the first that is not refused, or -1. */
static int32_t find_hole(void)
{
	enum { NUMBERS = 1024 };

	for (long number = 0; number < NUMBERS; number++) {
		if (is_among(let_through, ARRAY_SIZE(let_through), number) ||
		    is_among(unfiltered, ARRAY_SIZE(unfiltered), number) ||
		    is_among(let_through_sanitized, ARRAY_SIZE(let_through_sanitized), number))
			continue;
		if (syscall(number, -1L, -1L, -1L, -1L, -1L, -1L) != -1 || errno != EPERM)
			return (int32_t)number;
#ifdef __x86_64__
		/* The same call by the number of x32 programs. */
		if (syscall(number | 0x40000000, -1L, -1L, -1L, -1L, -1L, -1L) != -1 ||
		    errno != EPERM)
			return (int32_t)(number | 0x40000000);
#endif
	}
	return -1;
}

/*
 * The child sends the errno of each attempt, 0 for one that succeeded, then whether it has a
 * filter, then the first other call that is not refused.
 */
static void test_attempts(void **state)
{
	struct scene *scene = *state;
	int32_t errors[ARRAY_SIZE(attempts) + 2];

	start(scene, "attempts");
	ssize_t got = recv(scene->child.socket, errors, sizeof(errors), 0);
	assert_int_equal(got, sizeof(errors));
	if (!errors[ARRAY_SIZE(attempts)]) {
		print_message("# no filter of system calls here\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
		print_message("%s\n", attempts[i].name);
		assert_int_equal(errors[i], EPERM);
	}
	assert_int_equal(errors[ARRAY_SIZE(attempts) + 1], -1);
}

static _Noreturn void run_attempts(void)
{
	int32_t errors[ARRAY_SIZE(attempts) + 2];

	errors[ARRAY_SIZE(attempts)] =
		symbol_sandbox_drop() == 0 && symbol_sandbox_enter(64 << 20, 16);
	for (size_t i = 0; i < ARRAY_SIZE(attempts); i++)
		errors[i] = attempts[i].attempt() == -1 ? errno : 0;
	errors[ARRAY_SIZE(attempts) + 1] = errors[ARRAY_SIZE(attempts)] ? find_hole() : -1;
	struct iovec part = {errors, sizeof(errors)};
	const struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	sendmsg(HELPER_SOCKET, &message, MSG_NOSIGNAL);
	_exit(0);
}

/* Only the socket is open in the child, although this program has other descriptors. */
static void test_descriptors(void **state)
{
	struct scene *scene = *state;
	int inherited = open("/dev/null", O_RDONLY); /* without FD_CLOEXEC */
	int32_t open_ones = 0;

	start(scene, "descriptors");
	ssize_t got = recv(scene->child.socket, &open_ones, sizeof(open_ones), 0);
	close(inherited);
	assert_int_equal(got, sizeof(open_ones));
	assert_int_equal(open_ones, 1);
}

static _Noreturn void count_descriptors(void)
{
	int32_t n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	send(HELPER_SOCKET, &n, sizeof(n), MSG_NOSIGNAL);
	_exit(0);
}

/* If this is the child, it does what the path states by which it was executed. */
static void run_child(int argc, char **argv)
{
	const char *path = (const char *)getauxval(AT_EXECFN);
	const char *task = path ? strrchr(path, '/') : NULL;

	bool attempts_all = task && strcmp(task, "/attempts") == 0;

	if ((attempts_all || (task && strcmp(task, "/descriptors") == 0)) &&
	    helper_process_enter(argc, argv, SYMBOL_WORKER_NAME)) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (attempts_all)
			run_attempts();
		count_descriptors();
	}
	symbol_worker_main(argc, argv);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, scene_init, scene_fini)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rights),
		TEST(test_attempts),
		TEST(test_descriptors),
	};

	run_child(argc, argv);
	signals_restore();
	return cases_run("symbol_sandbox", NULL, 0, tests, ARRAY_SIZE(tests));
}
