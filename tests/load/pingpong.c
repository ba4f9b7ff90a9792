// SPDX-License-Identifier: MIT
/*
 * pingpong [-c CPU] COUNT: two processes that do nothing but wake each other, a byte through a pipe
 * each way.
 *
 * On one CPU every round trip is two context switches at least, which is the heaviest load for
 * anything that works at each switch. The other process is named "pong". At the end it prints how
 * many round trips there were.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void pong(int in, int out)
{
	char byte;

	while (read(in, &byte, 1) == 1)
		if (write(out, &byte, 1) != 1)
			break;
}

static int usage(void)
{
	fputs("usage: pingpong [-c CPU] COUNT\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "c:")) != -1) {
		cpu_set_t cpus;

		if (opt != 'c')
			return usage();
		CPU_ZERO(&cpus);
		CPU_SET((size_t)strtoul(optarg, NULL, 10), &cpus);
		if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
			perror("pingpong: sched_setaffinity");
			return 1;
		}
	}
	if (argc - optind != 1)
		return usage();

	unsigned long count = strtoul(argv[optind], NULL, 10);
	unsigned long done = 0;
	int to[2], from[2];

	if (pipe(to) || pipe(from)) {
		perror("pingpong: pipe");
		return 1;
	}

	pid_t pid = fork();

	if (pid < 0) {
		perror("pingpong: fork");
		return 1;
	}
	if (pid == 0) {
		prctl(PR_SET_NAME, "pong");
		close(to[1]);
		close(from[0]);
		pong(to[0], from[1]);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);

	char byte = 'x';

	while (done < count && write(to[1], &byte, 1) == 1 && read(from[0], &byte, 1) == 1)
		done++;
	close(to[1]);
	waitpid(pid, NULL, 0);
	printf("%lu round trips\n", done);
	return done == count ? 0 : 1;
}
