// SPDX-License-Identifier: MIT
/*
 * The signals that pmctop has blocked for its signalfd are unblocked in the child, except those of
 * its configuration. Pipes of the parent do not block, so that a host that neither reads nor writes
 * does not delay a signal.
 */
#include "tui/remote/channel.h"

#include "core/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 20, NOT_FOUND = 127, CANNOT_EXECUTE = 126, KILLED = 128 };

#define TERMINATE_PATIENCE_NS (2 * NS_PER_S)

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

int channel_start(const struct channel_config *config, struct channel *child, struct error *err)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1};
	pid_t parent = getpid();

	*child = (struct channel){
		.to = -1,
		.from = -1,
		.end_signal = sigismember(&config->blocked, SIGTERM) ? SIGHUP : SIGTERM,
	};
	if (!config->screen && (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))) {
		int code = -errno;

		close_pipe(in);
		return error_set_no_descriptor(err, code);
	}
	child->pid = fork();
	if (child->pid == 0)
		exec_words(config, config->screen ? config->input : in[0],
			   config->screen ? STDOUT_FILENO : out[1], child->end_signal, parent);
	if (child->pid < 0) {
		int code = -errno;

		child->pid = 0;
		close_pipe(in);
		close_pipe(out);
		return error_set(err, code, "'%.60s' cannot be started: %s.", config->words[0],
				 error_why(code));
	}
	if (config->screen)
		return 0;
	close(in[0]);
	close(out[1]);
	child->to = in[1];
	child->from = out[0];
	fcntl(child->to, F_SETFL, O_NONBLOCK);
	fcntl(child->from, F_SETFL, O_NONBLOCK);
	return 0;
}

bool channel_reap(struct channel *child)
{
	int status;

	if (!child->pid || child->ended)
		return true;
	if (waitpid(child->pid, &status, WNOHANG) != child->pid)
		return false;
	child->ended = true;
	child->killed = WIFSIGNALED(status);
	child->status = WIFEXITED(status) ? WEXITSTATUS(status) : KILLED + WTERMSIG(status);
	return true;
}

bool channel_wait(struct channel *child, uint64_t patience_ns)
{
	uint64_t until_ns = monotonic_ns() + patience_ns;

	while (!channel_reap(child) && monotonic_ns() < until_ns)
		poll(NULL, 0, LOOK_MS);
	return child->ended;
}

void channel_end(struct channel *child, uint64_t patience_ns)
{
	if (!child->pid)
		return;
	if (child->to >= 0)
		close(child->to);
	if (child->from >= 0)
		close(child->from);
	child->to = child->from = -1;
	if (!channel_wait(child, patience_ns)) {
		kill(child->pid, child->end_signal);
		kill(child->pid, SIGCONT);
	}
	if (!channel_wait(child, TERMINATE_PATIENCE_NS)) {
		kill(child->pid, SIGKILL);
		channel_wait(child, UINT64_MAX / 2);
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

int channel_write(struct channel *child, const void *bytes, size_t n, int signals)
{
	const char *at = bytes;

	while (n > 0) {
		ssize_t some = write(child->to, at, n);

		if (some < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		int rc = some < 0 ? await(child->to, POLLOUT, signals) : 0;
		if (rc)
			return rc;
		at += some < 0 ? 0 : some;
		n -= some < 0 ? 0 : (size_t)some;
	}
	return 0;
}

int channel_read(struct channel *child)
{
	ssize_t got = read(child->from, child->bytes, sizeof(child->bytes));

	child->at = child->n = 0;
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	child->n = (size_t)got;
	return got == 0;
}

int channel_reply(struct channel *child, struct host_reader *reader, int signals,
		  struct host_reply *reply)
{
	for (;;) {
		size_t used;
		int rc = host_reader_take(reader, child->bytes + child->at, child->n, &used, reply);

		child->at += used;
		child->n -= used;
		if (rc)
			return rc;
		rc = await(child->from, POLLIN, signals);
		if (rc)
			return rc;
		rc = channel_read(child);
		if (rc)
			return rc < 0 ? rc : 0;
	}
}
