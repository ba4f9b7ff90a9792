// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CHANNEL_H
#define PMCTOP_CHANNEL_H

#include "core/base/error.h"
#include "tui/remote/host_reply.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A running ssh or command of --via, a child of this process. When this process ends in any way,
 * SIGKILL included, the kernel sends it `end_signal`; ssh then restores the line settings of the
 * terminal.
 */
struct channel {
	pid_t pid;        /* 0: none */
	int end_signal;   /* SIGTERM, or SIGHUP if that is blocked */
	int to, from;     /* pipes to its input and from its output; -1: closed, or the terminal */
	bool ended;       /* the status is valid */
	bool killed;      /* by a signal */
	int status;       /* exit status, or 128 + signal */
	char bytes[4096]; /* read from it, not used yet: at .. at + n */
	size_t at, n;
};

struct channel_config {
	const char *const *words;
	char *const *environment;
	bool screen;      /* its input and output are `input` and standard output, else pipes */
	int input;        /* the terminal, borrowed; not read without `screen` */
	sigset_t blocked; /* signals that it does not get, for example from ^C */
};

/* Starts it. 0, or -errno and a sentence. The caller ends it by channel_end(). */
int channel_start(const struct channel_config *config, struct channel *channel, struct error *err);

/* Reaps it if it has ended. Returns whether it has, or was never started. */
bool channel_reap(struct channel *channel);
/* The same, but waits for at most that time. */
bool channel_wait(struct channel *channel, uint64_t patience_ns);

/*
 * Closes its input, waits that long for its end, and ends it by its end signal, then SIGKILL. It
 * gets less time if until_ns (CLOCK_MONOTONIC) is sooner. A process that hangs in a file cannot be
 * killed; it is left. The status remains. A zeroed one is fine.
 */
void channel_end(struct channel *channel, uint64_t patience_ns, uint64_t until_ns);

/*
 * Writes all bytes. 0, -EINTR if `signals` is readable, or -errno: -EPIPE if it reads no more.
 */
int channel_write(struct channel *channel, const void *bytes, size_t n, int signals);

/*
 * Reads the next reply of the host. 1; 0 at the end of its output; -EINTR as above; -EPROTO.
 */
int channel_reply(struct channel *channel, struct host_reader *reader, int signals,
		  struct host_reply *reply);

/*
 * Reads what is there without waiting, at most a buffer: channel->n bytes at channel->at. 0, 1 at
 * the end, or -errno.
 */
int channel_read(struct channel *channel);

#endif
