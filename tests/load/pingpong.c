// SPDX-License-Identifier: MIT
/*
 * pingpong [-c CPU] [-n NAME=pong] [-r RATE] [-t SECONDS] COUNT: two processes that wake each other
 * by a byte through a pipe, with -r at most RATE times a second.
 *
 * On one CPU a round trip has at least two context switches: the heaviest load for code that runs
 * at each switch. The other process has the NAME. At the end it prints the number of round trips.
 * With -t it also prints a line of JSON every SECONDS: round trips since the last line, the
 * time and the CPU time of both processes.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/load/pace.h"

#define PAUSES_PER_S 100 /* with -r */

static volatile sig_atomic_t line_is_due;

static void note_time(int unused)
{
	(void)unused;
	line_is_due = 1;
}

static void begin_lines(double seconds)
{
	const struct sigaction action = {.sa_handler = note_time, .sa_flags = SA_RESTART};
	const struct timeval every = {(time_t)seconds,
				      (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){every, every}, NULL);
}

static double now_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct spent {
	unsigned long done;
	double wall_s, cpu_s;
};

static struct spent spent_by(unsigned long done, pid_t other)
{
	clockid_t clock;

	clock_getcpuclockid(other, &clock);
	return (struct spent){done, now_s(CLOCK_MONOTONIC),
			      now_s(CLOCK_PROCESS_CPUTIME_ID) + now_s(clock)};
}

static void print_line(struct spent *before, struct spent now)
{
	line_is_due = 0;
	printf("{\"round_trips\":%lu,\"seconds\":%.9f,\"cpu_seconds\":%.9f}\n",
	       now.done - before->done, now.wall_s - before->wall_s, now.cpu_s - before->cpu_s);
	fflush(stdout);
	*before = now;
}

static void pong(int in, int out)
{
	char byte;

	while (read(in, &byte, 1) == 1)
		if (write(out, &byte, 1) != 1)
			break;
}

static int usage(void)
{
	fputs("usage: pingpong [-c CPU] [-n NAME] [-r RATE] [-t SECONDS] COUNT\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const char *other = "pong";
	unsigned long rate = 0;
	double seconds = 0;
	int opt;

	while ((opt = getopt(argc, argv, "c:n:r:t:")) != -1) {
		cpu_set_t cpus;

		if (opt == 't') {
			seconds = strtod(optarg, NULL);
			continue;
		}
		if (opt == 'n') {
			other = optarg;
			continue;
		}
		if (opt == 'r') {
			rate = strtoul(optarg, NULL, 10);
			continue;
		}
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
		prctl(PR_SET_NAME, other);
		close(to[1]);
		close(from[0]);
		pong(to[0], from[1]);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);

	struct spent before = spent_by(0, pid);
	struct timespec next = {0};
	char byte = 'x';

	if (seconds > 0)
		begin_lines(seconds);
	while (done < count && write(to[1], &byte, 1) == 1 && read(from[0], &byte, 1) == 1) {
		done++;
		if (line_is_due)
			print_line(&before, spent_by(done, pid));
		if (rate && done % (rate / PAUSES_PER_S + 1) == 0)
			pace_wait(&next, PAUSES_PER_S);
	}
	close(to[1]);
	waitpid(pid, NULL, 0);
	printf("%lu round trips\n", done);
	return done == count ? 0 : 1;
}
