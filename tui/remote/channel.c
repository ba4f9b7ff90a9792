// SPDX-License-Identifier: MIT
/*
 * The child inherits the signals that pmctop has blocked for its signalfd. Before exec it unblocks
 * them, except `blocked` of its configuration. Pipes of the parent do not block, so that a host
 * that neither reads nor writes does not delay a signal.
 */
#include "tui/remote/channel.h"

#include "core/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MS = 20, NOT_FOUND = 127, CANNOT_EXECUTE = 126, KILLED = 128 };

#define TERMINATE_PATIENCE_NS (300 * NS_PER_MS)
#define KILL_PATIENCE_NS      (100 * NS_PER_MS)

static _Noreturn void exec_words(const struct channel_config *config, int in, int out,
				 int end_signal, pid_t parent)
{
	sigprocmask(SIG_SETMASK, &config->blocked, NULL);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, end_signal);
	if (getppid() != parent || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(CANNOT_EXECUTE);
	/* exec changes neither the pointers nor the texts. */
	execvpe(config->words[0], (char *const *)(uintptr_t)config->words, config->environment);
	_exit(errno == ENOENT ? NOT_FOUND : CANNOT_EXECUTE);
}

static void close_pipe(int ends[2])
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

int channel_start(const struct channel_config *config, struct channel *channel, struct error *err)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1};
	pid_t parent = getpid();

	*channel = (struct channel){
		.to = -1,
		.from = -1,
		.end_signal = sigismember(&config->blocked, SIGTERM) ? SIGHUP : SIGTERM,
	};
	if (!config->screen && (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))) {
		int code = -errno;

		close_pipe(in);
		return error_set_no_descriptor(err, code);
	}
	channel->pid = fork();
	if (channel->pid == 0)
		exec_words(config, config->screen ? config->input : in[0],
			   config->screen ? STDOUT_FILENO : out[1], channel->end_signal, parent);
	if (channel->pid < 0) {
		int code = -errno;
		char what[64];

		snprintf(what, sizeof(what), "'%.60s'", config->words[0]);
		channel->pid = 0;
		close_pipe(in);
		close_pipe(out);
		return error_set_not_started(err, code, what);
	}
	if (config->screen)
		return 0;
	close(in[0]);
	close(out[1]);
	channel->to = in[1];
	channel->from = out[0];
	fcntl(channel->to, F_SETFL, O_NONBLOCK);
	fcntl(channel->from, F_SETFL, O_NONBLOCK);
	return 0;
}

bool channel_reap(struct channel *channel)
{
	int status;

	if (!channel->pid || channel->ended)
		return true;
	if (waitpid(channel->pid, &status, WNOHANG) != channel->pid)
		return false;
	channel->ended = true;
	channel->killed = WIFSIGNALED(status);
	channel->status = WIFEXITED(status) ? WEXITSTATUS(status) : KILLED + WTERMSIG(status);
	return true;
}

static bool wait_until(struct channel *channel, uint64_t until_ns)
{
	while (!channel_reap(channel) && monotonic_ns() < until_ns)
		poll(NULL, 0, POLL_MS);
	return channel->ended;
}

bool channel_wait(struct channel *channel, uint64_t patience_ns)
{
	return wait_until(channel, monotonic_ns() + patience_ns);
}

/* The same, but not beyond a time. */
static bool wait_within(struct channel *channel, uint64_t patience_ns, uint64_t until_ns)
{
	return wait_until(channel, u64_min(monotonic_ns() + patience_ns, until_ns));
}

void channel_end(struct channel *channel, uint64_t patience_ns, uint64_t until_ns)
{
	if (!channel->pid)
		return;
	if (channel->to >= 0)
		close(channel->to);
	if (channel->from >= 0)
		close(channel->from);
	channel->to = channel->from = -1;
	if (!wait_within(channel, patience_ns, until_ns)) {
		kill(channel->pid, channel->end_signal);
		kill(channel->pid, SIGCONT);
	}
	if (!wait_within(channel, TERMINATE_PATIENCE_NS, until_ns)) {
		kill(channel->pid, SIGKILL);
		wait_within(channel, KILL_PATIENCE_NS, until_ns);
	}
}

/* Waits until the descriptor is ready. -EINTR if a signal is there. */
static int await(int fd, short events, int signals)
{
	struct pollfd fds[] = {{.fd = fd, .events = events}, {.fd = signals, .events = POLLIN}};

	while (poll(fds, ARRAY_SIZE(fds), -1) < 0)
		if (errno != EINTR)
			return -errno;
	return fds[1].revents ? -EINTR : 0;
}

int channel_write(struct channel *channel, const void *bytes, size_t n, int signals)
{
	const char *at = bytes;

	while (n > 0) {
		ssize_t some = write(channel->to, at, n);

		if (some < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		int rc = some < 0 ? await(channel->to, POLLOUT, signals) : 0;
		if (rc)
			return rc;
		at += some < 0 ? 0 : some;
		n -= some < 0 ? 0 : (size_t)some;
	}
	return 0;
}

int channel_read(struct channel *channel)
{
	ssize_t got = read(channel->from, channel->bytes, sizeof(channel->bytes));

	channel->at = channel->n = 0;
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	channel->n = (size_t)got;
	return got == 0;
}

int channel_reply(struct channel *channel, struct host_reader *reader, int signals,
		  struct host_reply *reply)
{
	for (;;) {
		size_t used;
		int rc = host_reader_take(reader, channel->bytes + channel->at, channel->n, &used,
					  reply);

		channel->at += used;
		channel->n -= used;
		if (rc)
			return rc;
		rc = await(channel->from, POLLIN, signals);
		if (rc)
			return rc;
		rc = channel_read(channel);
		if (rc)
			return rc < 0 ? rc : 0;
	}
}
