// SPDX-License-Identifier: MIT
/*
 * tree [-n] [-s STATUS] [STEPS=100000]: a command with 50 descendants and 200 threads, which do the
 * same work and exit.
 *
 * Each process starts four threads. Each thread, each process and the command make STEPS steps of a
 * generator in registers, so the instructions in user mode are the same in every run. One child has
 * a child, one leaves an orphan, and one executes another program (this one, by another name). The
 * command ends last, with STATUS, after a line of JSON with the numbers of processes and threads.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS    4
#define PLAIN_KIDS 45

static uint64_t steps = 100000;

static void die(const char *what)
{
	fprintf(stderr, "tree: %s: %s\n", what, strerror(errno));
	exit(111);
}

/* Each step needs the previous one. Compilers cannot prove that the last value is not 0. */
static void work(void)
{
	uint64_t x = 88172645463325252U;

	for (uint64_t i = 0; i < steps; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	if (x == 0)
		_exit(111);
}

static void *thread_run(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "tree-thread");
	work();
	return NULL;
}

/* The work of each process except the command. */
static void member_run(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread_run, NULL))
			die("pthread_create");
	work();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Forks. Returns 0 in the new process. */
static pid_t member_fork(const char *name)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0)
		prctl(PR_SET_NAME, name);
	return pid;
}

static void kid(void)
{
	if (member_fork("tree-kid") == 0) {
		member_run();
		_exit(0);
	}
}

static void kid_with_grandkid(void)
{
	if (member_fork("tree-parent") == 0) {
		pid_t grandkid = member_fork("tree-grandkid");

		member_run();
		if (grandkid > 0)
			waitpid(grandkid, NULL, 0);
		_exit(0);
	}
}

static void kid_with_orphan(void)
{
	if (member_fork("tree-leaver") == 0) {
		pid_t leaver = getpid();

		if (member_fork("tree-orphan") == 0) {
			/* Waits until it is an orphan. */
			while (getppid() == leaver)
				usleep(1000);
			member_run();
			_exit(0);
		}
		member_run();
		_exit(0);
	}
}

static void kid_that_execs(void)
{
	char number[32];

	if (member_fork("tree-before") == 0) {
		snprintf(number, sizeof(number), "%llu", (unsigned long long)steps);
		execl("/proc/self/exe", "tree-exec", "-m", number, (char *)NULL);
		die("exec");
	}
}

static int usage(void)
{
	fputs("usage: tree [-n] [-s STATUS] [STEPS]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	int status = 0, opt, alive[2];
	char byte;

	while ((opt = getopt(argc, argv, "mns:")) != -1) {
		switch (opt) {
		case 'm': /* executed by a member */
			steps = strtoull(argv[optind], NULL, 10);
			prctl(PR_SET_NAME, "tree-exec");
			member_run();
			return 0;
		case 'n': /* leaves CPU time to other programs */
			setpriority(PRIO_PROCESS, 0, 19);
			break;
		case 's':
			status = (int)strtol(optarg, NULL, 10);
			break;
		default:
			return usage();
		}
	}
	if (argc - optind > 1)
		return usage();
	if (optind < argc)
		steps = strtoull(argv[optind], NULL, 10);

	/* An orphan cannot be waited for. All have exited when the write end of this pipe is
	 * closed. */
	if (pipe(alive))
		die("pipe");
	for (int i = 0; i < PLAIN_KIDS; i++)
		kid();
	kid_with_grandkid();
	kid_with_orphan();
	kid_that_execs();
	work();
	close(alive[1]);
	if (read(alive[0], &byte, 1) != 0)
		die("read");
	while (wait(NULL) > 0)
		;
	printf("{\"processes\":%d,\"threads\":%d}\n", PLAIN_KIDS + 5, (PLAIN_KIDS + 5) * THREADS);
	return status;
}
