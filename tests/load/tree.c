// SPDX-License-Identifier: MIT
/*
 * tree [-n] [-s STATUS] [STEPS=100000]: a command with a family: 50 processes and 200 threads,
 * which all do the same counted work and then are gone.
 *
 * Every process starts four threads, and each of them, each process and the command itself make
 * STEPS steps of a generator in registers: what the whole family executes in user mode is the same
 * in every run. Among them are a child that has a child of its own, an orphan whose parent does not
 * wait, and one that executes another program (this one, by another name). The command ends last,
 * with STATUS, after a line of JSON that says how many there were.
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

/* Each step needs the one before; that the last value is not 0 is known to no compiler. */
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

/* What every process of the family but the command does. */
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

/* Starts a member: 0 in the new process. */
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
			/* At work only when it is one. */
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
		case 'm': /* one that has executed this program */
			steps = strtoull(argv[optind], NULL, 10);
			prctl(PR_SET_NAME, "tree-exec");
			member_run();
			return 0;
		case 'n': /* nice to whoever looks at it */
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

	/* Nobody waits for an orphan: it is gone when nobody has this pipe's end. */
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
