// SPDX-License-Identifier: MIT
/*
 * server [-r REQUESTS=5000] [-w MICROSECONDS=45]: a healthy server with one client.
 *
 * The client, named "client", sends REQUESTS a second and waits for each answer, for which the
 * server uses MICROSECONDS of CPU time. Prints "ready" after the first answer. It runs until it is
 * killed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/load/pace.h"

#define MESSAGE_BYTES 64

static double cpu_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* The messages are short, and the socket keeps their ends: each is read and written whole. */
static void answer_requests(int fd, double work_ns)
{
	char message[MESSAGE_BYTES];

	while (read(fd, message, sizeof(message)) > 0) {
		for (double end = cpu_now_ns() + work_ns; cpu_now_ns() < end;)
			;
		if (write(fd, message, sizeof(message)) < 0)
			break;
	}
}

static void send_requests(int fd, double rate)
{
	char message[MESSAGE_BYTES] = "request";
	struct timespec next = {0};
	int ready = 0;

	prctl(PR_SET_NAME, "client");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_TIMERSLACK, 1);
	while (write(fd, message, sizeof(message)) > 0 && read(fd, message, sizeof(message)) > 0) {
		if (!ready) {
			ready = 1;
			puts("ready");
			fflush(stdout);
		}
		pace_wait(&next, rate);
	}
}

static int usage(void)
{
	fputs("usage: server [-r REQUESTS] [-w MICROSECONDS]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	double rate = 5000, work_us = 45;
	int opt, ends[2];

	while ((opt = getopt(argc, argv, "r:w:")) != -1) {
		if (opt == 'r')
			rate = strtod(optarg, NULL);
		else if (opt == 'w')
			work_us = strtod(optarg, NULL);
		else
			return usage();
	}
	if (optind != argc || rate <= 0)
		return usage();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends)) {
		perror("server: socketpair");
		return 1;
	}

	pid_t client = fork();

	if (client < 0) {
		perror("server: fork");
		return 1;
	}
	close(ends[client == 0]);
	if (client == 0)
		send_requests(ends[0], rate);
	else
		answer_requests(ends[1], work_us * 1e3);
	return 1;
}
