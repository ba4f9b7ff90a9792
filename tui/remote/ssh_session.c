// SPDX-License-Identifier: MIT
/*
 * Signals are read from descriptors, so no state is at file scope. A signal that requests the end
 * ends the ssh with the terminal first, which restores the line settings, and then the connection.
 *
 * The program's files are removed by itself (remote_folder.h). If it was never started,
 * host_setup.sh removes them when the first channel ends, and that channel ends with this process.
 */
#include "tui/remote/ssh_session.h"

#include "core/base/output_file.h"
#include "core/base/safe_path.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/perfdata/recording_name.h"
#include "tui/remote/control_folder.h"
#include "tui/remote/host_setup.h"
#include "tui/remote/host_stream.h"
#include "tui/remote/ssh_child.h"
#include "tui/term/term_reset.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_KILLED = 128, /* + number of the signal */
	SSH_FAILED = 255,
};

#define LINK_PATIENCE_NS (1 * NS_PER_S) /* after a channel has failed, the connection may */
#define END_PATIENCE_NS  (3 * NS_PER_S)

enum { BEAT_MS = 10000 }; /* host_setup.sh waits three times as long */

struct run {
	const struct ssh_session *session;
	struct error *err;
	int ends, children; /* signalfds: signals that request the end; SIGCHLD */
	int stopped_by;     /* the signal that requested the end; 0: none */
	bool given_up;      /* the shell there ended first, and pmctop by it */
	uint64_t beat_ns;   /* time of the next dot for host_setup.sh */
	bool known;         /* `before` is valid */
	struct termios before;
	struct control_folder control;
	char token[HOST_TOKEN_DIGITS + 1], name[HOST_TOKEN_DIGITS / 2 + 1];
	char folder[HOST_FOLDER_BYTES];
	struct ssh_child setup, program, recording;
	int output_fd, record_fd;                /* files here; -1: none */
	struct host_stream output, record, rest; /* rest: what the set-up's channel prints later */
	struct recording_name record_name;
};

static int open_signals(struct run *run)
{
	static const int end_numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t ends, children, all;

	sigemptyset(&ends);
	for (size_t i = 0; i < ARRAY_SIZE(end_numbers); i++)
		sigaddset(&ends, end_numbers[i]);
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	all = ends;
	sigaddset(&all, SIGCHLD);
	sigprocmask(SIG_BLOCK, &all, NULL);
	signal(SIGPIPE, SIG_IGN);
	run->ends = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	run->children = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
	return run->ends < 0 || run->children < 0 ? error_set_no_descriptor(run->err, -errno) : 0;
}

static void fill_random(char *digits, size_t size)
{
	uint8_t bytes[HOST_TOKEN_DIGITS / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		xalloc_failed(); /* not with a kernel that is new enough for the rest */
	text_hex(digits, bytes, (size - 1) / 2);
}

/* The files are opened first: an error must not cost a login. */
static int open_files(struct run *run)
{
	const struct ssh_session *session = run->session;
	const struct recording_rules rules = {0};

	if (session->output) {
		run->output_fd = output_file_open(session->output, run->err);
		if (run->output_fd < 0)
			return run->output_fd;
	}
	if (session->record) {
		run->record_fd =
			recording_name_open(&run->record_name, session->record, &rules, run->err);
		if (run->record_fd < 0)
			return run->record_fd;
	}
	run->output = (struct host_stream){
		.fd = session->output ? run->output_fd : STDOUT_FILENO,
		.path = session->output,
	};
	run->record = (struct host_stream){
		.fd = run->record_fd,
		.path = session->record,
		.recording = true,
	};
	return 0;
}

static int start_ssh(struct run *run, enum ssh_role role, const char *command, int input,
		     struct ssh_child *child)
{
	const char **words = ssh_words(&run->session->target, role, run->control.socket, command);
	const struct ssh_child_config config = {
		.words = words,
		.environment = run->session->environment,
		.screen = role == SSH_SCREEN,
		.input = input,
	};
	int rc = ssh_child_start(&config, child, run->err);

	free(words);
	return rc;
}

/*
 * Starts a channel whose output is that of a command, without what the login shell's files print:
 * these come before the token. The command consists of checked words.
 */
static int start_stream(struct run *run, const char *command, struct ssh_child *child,
			struct host_stream *stream)
{
	struct host_reader reader;
	struct host_reply reply = {0};
	char script[2 * HOST_FOLDER_BYTES + 160];
	int rc = start_ssh(run, SSH_SHARED, "exec /bin/sh", -1, child);

	if (rc)
		return rc;
	int n = snprintf(script, sizeof(script), "{ echo %s begin; exec %s; }\n", run->token,
			 command);
	host_reader_init(&reader, run->token);
	rc = ssh_child_write(child, script, (size_t)n, run->ends);
	if (rc != -EINTR)
		rc = ssh_child_reply(child, &reader, run->ends, &reply);
	stream->child = child;
	if (rc == 1 && reply.key == HOST_BEGIN)
		return 0;
	return rc == -EINTR
		       ? rc
		       : error_set(run->err, -ECONNRESET,
				   "%.60s opened no second channel. Its sshd needs MaxSessions "
				   "of at least 3.",
				   run->session->target.host);
}

static int start_screen(struct run *run, const char *command)
{
	int input = isatty(STDIN_FILENO) ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_CLOEXEC);

	if (input < 0)
		return error_set(
			run->err, -ENOTTY,
			"No terminal to read keys from: neither standard input nor /dev/tty.");
	int rc = start_ssh(run, SSH_SCREEN, command, input, &run->program);
	if (input != STDIN_FILENO)
		close(input);
	return rc;
}

static int start_program(struct run *run)
{
	char command[2 * HOST_FOLDER_BYTES + 64], cat[HOST_FOLDER_BYTES + 32];
	int rc = 0;

	snprintf(command, sizeof(command), "%s%s/pmctop --remote %s",
		 run->session->sudo ? "sudo " : "", run->folder, run->folder);
	snprintf(cat, sizeof(cat), "cat %s/recording", run->folder);
	if (run->session->record)
		rc = start_stream(run, cat, &run->recording, &run->record);
	if (rc)
		return rc;
	return run->session->screen ? start_screen(run, command)
				    : start_stream(run, command, &run->program, &run->output);
}

static int connect_host(struct run *run, struct notes *notes)
{
	const struct ssh_session *session = run->session;
	char *parcel = NULL;
	struct host_setup setup = {
		.host = session->target.host,
		.program = session->program,
		.token = run->token,
		.name = run->name,
		.recorded = session->record != NULL,
		.signals = run->ends,
		.why = notes,
	};

	int rc = parcel_pack(session->parcel, &parcel, &setup.parcel_bytes, run->err);
	if (rc == 0)
		rc = start_ssh(run, SSH_MASTER, "exec /bin/sh", -1, &run->setup);
	setup.parcel = parcel;
	if (rc == 0)
		rc = host_setup_run(&setup, &run->setup, run->folder, run->err);
	free(parcel);
	run->rest = (struct host_stream){.child = &run->setup, .fd = -1};
	return rc;
}

static void read_end_signal(struct run *run)
{
	struct signalfd_siginfo info;

	if (read(run->ends, &info, sizeof(info)) == sizeof(info))
		run->stopped_by = (int)info.ssi_signo;
}

static void read_children(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->children, &info, sizeof(info)) > 0)
		;
	ssh_child_reap(&run->setup);
	ssh_child_reap(&run->program);
}

/* A reader of standard output that closed its pipe (head) has enough. */
static bool has_reader_gone(const struct run *run)
{
	return run->output.error.code == -EPIPE && !run->output.path;
}

static bool is_done(const struct run *run)
{
	return run->stopped_by || has_reader_gone(run) ||
	       (run->program.ended && (!run->output.child || run->output.ended) &&
		(!run->record.child || run->record.ended));
}

/* When pmctop has ended, the script ends a reader of the recording that it has left. */
static void end_setup(struct run *run)
{
	if (!run->program.ended || run->setup.to < 0)
		return;
	run->given_up = run->rest.ended;
	/* A connection that is about to break is found broken. */
	if (run->program.status == SSH_FAILED)
		ssh_child_wait(&run->setup, LINK_PATIENCE_NS);
	close(run->setup.to);
	run->setup.to = -1;
}

/* Sends a dot when it is due. A link that takes none is noticed by ssh. Returns ms to the next. */
static int send_beat(struct run *run)
{
	uint64_t now_ns = monotonic_ns();

	if (now_ns >= run->beat_ns) {
		ssize_t ignored = run->setup.to >= 0 ? write(run->setup.to, ".", 1) : 0;

		(void)ignored;
		run->beat_ns = now_ns + BEAT_MS * NS_PER_MS;
	}
	return (int)((run->beat_ns - now_ns) / NS_PER_MS) + 1;
}

static void copy_until_done(struct run *run)
{
	struct host_stream *const streams[] = {&run->output, &run->record, &run->rest};

	while (!is_done(run)) {
		struct pollfd fds[2 + ARRAY_SIZE(streams)] = {
			{.fd = run->ends, .events = POLLIN},
			{.fd = run->children, .events = POLLIN},
		};

		for (size_t i = 0; i < ARRAY_SIZE(streams); i++)
			fds[2 + i] = host_stream_poll(streams[i]);
		if (poll(fds, ARRAY_SIZE(fds), send_beat(run)) <= 0)
			continue;
		if (fds[0].revents)
			read_end_signal(run);
		if (fds[1].revents)
			read_children(run);
		for (size_t i = 0; i < ARRAY_SIZE(streams); i++)
			if (fds[2 + i].revents)
				host_stream_copy(streams[i]);
		end_setup(run);
	}
}

/* Closes the files. The first error remains in `error` of a stream. */
static void close_files(struct run *run)
{
	if (run->output_fd >= 0 && close(run->output_fd) && !run->output.error.code)
		safe_path_refuse(run->session->output, -errno, &run->output.error);
	if (run->record_fd < 0)
		return;
	recording_name_tidy(&run->record_name);
	if (run->record.copied == 0)
		recording_name_remove(&run->record_name, run->record_fd);
	if (close(run->record_fd) && !run->record.error.code)
		safe_path_refuse(run->session->record, -errno, &run->record.error);
	recording_name_fini(&run->record_name);
}

/*
 * Whether pmctop there could not restore the terminal. ssh's status 255 is that of a broken
 * connection, and of a program that a signal has ended. The login shell may have been its parent,
 * which then has the status 128 + signal, as may a command.
 */
static bool is_cut(const struct run *run)
{
	return run->program.killed || run->program.status == SSH_FAILED ||
	       (run->program.status > STATUS_KILLED && !run->session->command);
}

static int judge(struct run *run)
{
	if (has_reader_gone(run))
		return STATUS_OK;
	if (is_cut(run))
		error_set(
			run->err, -ECONNRESET,
			run->setup.ended && run->setup.status == SSH_FAILED
				? "The connection to %.60s broke. pmctop there has ended, and left "
				  "no file."
				: "pmctop on %.60s was ended by a signal.",
			run->session->target.host);
	else if (run->given_up)
		error_set(run->err, -ECONNRESET,
			  "pmctop on %.60s has ended: nothing arrived there for 30 s.",
			  run->session->target.host);
	else if (run->output.error.code)
		*run->err = run->output.error;
	else if (run->record.error.code)
		*run->err = run->record.error;
	else
		return run->program.status;
	return STATUS_FAILED;
}

static int run_program(struct run *run, struct notes *notes)
{
	int rc = connect_host(run, notes);

	if (rc == 0)
		rc = start_program(run);
	if (rc == -EINTR)
		read_end_signal(run);
	if (rc)
		return STATUS_FAILED;
	copy_until_done(run);
	return STATUS_OK;
}

static void end_all(struct run *run)
{
	bool cut = run->stopped_by || is_cut(run) || !run->program.ended;
	bool had_screen = run->session->screen && run->program.pid;

	ssh_child_end(&run->program, 0);
	if (had_screen && cut && run->known)
		term_reset(&run->before, run->session->terminal);
	/* The script ends a reader of the recording. */
	if (run->setup.to >= 0)
		close(run->setup.to);
	run->setup.to = -1;
	ssh_child_end(&run->recording, END_PATIENCE_NS);
	ssh_child_end(&run->setup, END_PATIENCE_NS);
	control_folder_remove(&run->control);
}

int ssh_session_run(const struct ssh_session *session, struct notes *notes, struct error *err)
{
	struct run run = {.session = session,
			  .err = err,
			  .ends = -1,
			  .children = -1,
			  .setup = {.to = -1, .from = -1},
			  .program = {.to = -1, .from = -1},
			  .recording = {.to = -1, .from = -1},
			  .output_fd = -1,
			  .record_fd = -1,
			  .record_name.doomed_fd = -1};
	int status = STATUS_FAILED;

	*err = (struct error){0};
	run.known = tcgetattr(STDOUT_FILENO, &run.before) == 0;
	fill_random(run.token, sizeof(run.token));
	fill_random(run.name, sizeof(run.name));
	if (ssh_target_check(&session->target, err) == 0 && open_signals(&run) == 0 &&
	    open_files(&run) == 0 &&
	    control_folder_make(session->directory, &run.control, err) == 0)
		status = run_program(&run, notes);
	end_all(&run);
	close_files(&run);
	if (status == STATUS_OK)
		status = judge(&run);
	if (run.ends >= 0)
		close(run.ends);
	if (run.children >= 0)
		close(run.children);
	if (run.stopped_by) {
		err->text[0] = '\0';
		status = STATUS_KILLED + run.stopped_by;
	}
	return status;
}
