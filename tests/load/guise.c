// SPDX-License-Identifier: MIT
/*
 * guise rename | thread | exec PROGRAM | zombie | reuse: tasks that change their identity.
 * guise as NAME [NAME...] [-- ANYTHING]: tasks with any names.
 * guise start PROGRAM ARGV0 [ARG...]: executes a program with any argv[0].
 *
 * A task prints a line of JSON with its name and ids, then uses BUSY_S seconds of CPU time, for
 * each of its names. "reuse" starts a second process with the pid of a first one, REUSE_MS after
 * its end (Linux itself uses all other pids first). That needs CAP_CHECKPOINT_RESTORE; exit status
 * 77: not granted. "as" starts a process with the first name ("": the name of the program) and a
 * thread for each other name. They run from time to time until they are killed or their parent
 * ends. "start" is for an argv[0] of "", which Python refuses since 3.13.
 */
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BUSY_S   0.4
#define REUSE_MS 300
#define NAP_US   20000

static double cpu_now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void busy_as(const char *name)
{
	double end_s = cpu_now_s() + BUSY_S;

	prctl(PR_SET_NAME, name);
	while (cpu_now_s() < end_s)
		for (volatile int i = 0; i < 100000; i++)
			;
}

static void print_task(const char *name, pid_t tid)
{
	printf("{\"comm\":\"%s\",\"pid\":%d,\"tid\":%d}\n", name, getpid(), tid);
	fflush(stdout);
}

static int guise_rename(void)
{
	print_task("before", getpid());
	busy_as("before");
	print_task("after", getpid());
	busy_as("after");
	return 0;
}

static void *thread_run(void *unused)
{
	print_task("thread-before", gettid());
	busy_as("thread-before");
	print_task("thread-after", gettid());
	busy_as("thread-after");
	return unused;
}

static int guise_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, thread_run, NULL))
		return 1;
	pthread_join(thread, NULL);
	return 0;
}

static int guise_exec(char **argv)
{
	const char *slash = strrchr(argv[0], '/');

	print_task("before", getpid());
	busy_as("before");
	print_task(slash ? slash + 1 : argv[0], getpid());
	execv(argv[0], argv);
	perror("guise: exec");
	return 1;
}

/* The child has exited, and its parent does not wait for it. */
static int guise_zombie(void)
{
	pid_t pid = fork();

	if (pid < 0)
		return 1;
	if (pid == 0) {
		print_task("undead", getpid());
		busy_as("undead");
		_exit(0);
	}
	prctl(PR_SET_NAME, "careless");
	sleep(5);
	return 0;
}

/* Forks with a given pid: clone3(), which no library has. Returns 0 in the child. */
static pid_t fork_as(pid_t wanted)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uint64_t)(uintptr_t)&wanted,
		.set_tid_size = 1,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static int guise_reuse(void)
{
	pid_t pid = fork();

	if (pid < 0)
		return 1;
	if (pid == 0) {
		print_task("first", getpid());
		busy_as("first");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	usleep(REUSE_MS * 1000);

	pid_t again = fork_as(pid);

	if (again < 0) {
		perror("guise: clone3");
		return errno == EPERM || errno == ENOSYS ? 77 : 1;
	}
	if (again == 0) {
		printf("{\"comm\":\"second\",\"pid\":%d,\"tid\":%d}\n", pid, pid);
		fflush(stdout);
		busy_as("second");
		_exit(0);
	}
	waitpid(again, NULL, 0);
	return 0;
}

static void *live_as(void *name)
{
	const char *comm = name;

	if (comm[0])
		prctl(PR_SET_NAME, comm);
	for (;;) {
		for (volatile int i = 0; i < 100000; i++)
			;
		usleep(NAP_US);
	}
	return NULL;
}

static int guise_as(char **names)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (char **name = names + 1; *name && strcmp(*name, "--") != 0; name++)
		if (pthread_create(&thread, NULL, live_as, *name))
			return 1;
	puts("as");
	fflush(stdout);
	live_as(names[0]);
	return 0;
}

static int guise_start(const char *program, char **argv)
{
	execv(program, argv);
	perror("guise: exec");
	return 1;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "rename"))
		return guise_rename();
	if (!strcmp(mode, "thread"))
		return guise_thread();
	if (!strcmp(mode, "exec") && argc > 2)
		return guise_exec(argv + 2);
	if (!strcmp(mode, "zombie"))
		return guise_zombie();
	if (!strcmp(mode, "reuse"))
		return guise_reuse();
	if (!strcmp(mode, "as") && argc > 2)
		return guise_as(argv + 2);
	if (!strcmp(mode, "start") && argc > 3)
		return guise_start(argv[2], argv + 3);
	fputs("usage: guise rename | thread | exec PROGRAM [ARG...] | zombie | reuse |\n"
	      "             as NAME [NAME...] [-- ANYTHING] | start PROGRAM ARGV0 [ARG...]\n",
	      stderr);
	return 2;
}
