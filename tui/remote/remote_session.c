// SPDX-License-Identifier: MIT
/*
 * Signals that request the end are handled on another thread, which ends this process if a file
 * does not answer. So the handler needs state at file scope; it wakes this thread by a descriptor.
 * This thread waits for nothing that may hang until the channels have ended.
 *
 * With a screen, such a signal first ends the channel with the terminal, where ssh restores the
 * line settings, and then the connection. Without a screen, pmctop's output has an end: a summary,
 * the end of a JSON list or of the recording. So the first signal only ends pmctop there, by a line
 * to the set-up's channel, and its output is copied to its end. ^C sends SIGINT to all processes of
 * the terminal, so the channels have it blocked.
 *
 * pmctop there removes its files itself (remote_folder.h). If it was never started, host_setup.sh
 * removes them when the set-up's channel ends, and that channel ends with this process.
 */
#include "tui/remote/remote_session.h"

#include "core/base/output_file.h"
#include "core/base/safe_path.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/perfdata/recording_name.h"
#include "tui/remote/channel.h"
#include "tui/remote/control_folder.h"
#include "tui/remote/host_setup.h"
#include "tui/remote/host_stream.h"
#include "tui/remote/link_watch.h"
#include "tui/term/signals.h"
#include "tui/term/term_reset.h"
#include "tui/term/term_restore.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_KILLED = 128, /* + number of the signal */
	LOOK_MS = 50,
};

#define BREAK_PATIENCE_NS  (1 * NS_PER_S)    /* a broken connection ends the channels one by one */
#define UNUSED_PATIENCE_NS (3 * NS_PER_S)    /* the script reports that sudo has started nothing */
#define SCRIPT_PATIENCE_NS (300 * NS_PER_MS) /* the script there removes its files, and ends */
/* For the ends of all channels: after a signal, and after pmctop there has ended, as by q. */
#define SIGNAL_END_NS  (750 * NS_PER_MS)
#define PROGRAM_END_NS (600 * NS_PER_MS)
#define FILES_NS       (100 * NS_PER_MS) /* then, before a file counts as one that hangs */
/* For the end of the output after a signal. A command there may use 3 s, a slow reader 1 s. */
#define OUTPUT_PATIENCE_NS (10 * NS_PER_S)
#define READER_PATIENCE_NS (600 * NS_PER_MS) /* a reader here that does not read after a signal */
/* A host that takes longer for that end is awaited by more than the usual time of an end. */
#define QUICK_HOST_NS (500 * NS_PER_MS)

struct run {
	const struct remote_session *session;
	struct error *err;
	int ends;              /* eventfd: counts signals that request the end */
	int children;          /* signalfd: SIGCHLD */
	sigset_t blocked;      /* signals that the channels do not get */
	int stopped_by;        /* the signal that requested the end; 0: none */
	uint64_t stopped_ns;   /* its time */
	uint64_t until_ns;     /* after such a signal, output is copied until then */
	bool complete;         /* pmctop there has ended, and all its output is copied */
	bool broken;           /* both channels have failed */
	bool given_up;         /* the shell there has ended before pmctop, and so has ended it */
	bool silent;           /* the shell there no longer answers dots */
	bool unused;           /* sudo has not started pmctop there */
	uint64_t dot_ns;       /* time of the next dot for host_setup.sh */
	uint64_t answer_ns;    /* time of the last answer; 0: none came */
	bool known;            /* `before` is valid */
	struct termios before; /* line settings at the start */
	struct control_folder control;
	char host[TRANSPORT_NAME_BYTES]; /* for messages */
	char token[HOST_TOKEN_DIGITS + 1], name[HOST_TOKEN_DIGITS / 2 + 1];
	char folder[HOST_FOLDER_BYTES];
	struct channel setup, program, recording;
	int output_fd, record_fd;                /* files here; -1: none */
	struct host_stream output, record, rest; /* rest: what the set-up's channel prints later */
	struct recording_name record_name;
};

static const char *const shell[] = {"/bin/sh", NULL};

static atomic_int session_signal; /* the last one that requested the end */
static atomic_int session_wake = -1;

static void on_end(int number)
{
	int saved = errno;

	session_signal = number;
	eventfd_write(session_wake, 1);
	errno = saved;
}

/* Signals that are ignored remain so: nohup, or a script's command with &. */
static int open_signals(struct run *run)
{
	sigset_t children;

	sigemptyset(&run->blocked);
	if (!run->session->screen) {
		sigaddset(&run->blocked, SIGINT);
		sigaddset(&run->blocked, SIGTERM); /* timeout(1) sends it to all processes too */
	}
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigprocmask(SIG_BLOCK, &children, NULL);
	signal(SIGPIPE, SIG_IGN);
	run->ends = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	run->children = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->ends < 0 || run->children < 0)
		return error_set_no_descriptor(run->err, -errno);
	session_wake = run->ends;
	signals_handle_ends(on_end, SA_RESTART);
	signals_handle(SIGQUIT, on_end, SA_RESTART);
	return 0;
}

static void close_signals(struct run *run)
{
	signals_unhandle(SIGQUIT, on_end);
	signals_unhandle_ends(on_end);
	session_wake = -1;
	if (run->ends >= 0)
		close(run->ends);
	if (run->children >= 0)
		close(run->children);
}

static void fill_random(char *digits, size_t size)
{
	uint8_t bytes[HOST_TOKEN_DIGITS / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		xalloc_failed(); /* not with a kernel that is new enough for the rest */
	text_hex(digits, bytes, (size - 1) / 2);
}

/* A pipe or a device has nothing unwritten. */
static int open_stream(struct host_stream *stream, struct unwritten *unwritten, struct error *err)
{
	bool named = stream->path && stream->fd >= 0;
	int rc = host_stream_open(stream, named ? unwritten : NULL, err);

	if (named && stream->writer)
		unwritten_open(unwritten);
	else
		unwritten_close(unwritten);
	return rc;
}

/* The files are opened first: an error must not cost a login. */
static int open_files(struct run *run)
{
	const struct remote_session *session = run->session;
	const struct recording_rules rules = {0};

	if (session->output) {
		unwritten_name(session->unwritten_output, session->output);
		run->output_fd = output_file_open(session->output, run->err);
		if (run->output_fd < 0)
			return run->output_fd;
	}
	if (session->record) {
		unwritten_name(session->unwritten_record, session->record);
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
	return open_stream(&run->output, session->unwritten_output, run->err) ||
			       open_stream(&run->record, session->unwritten_record, run->err)
		       ? run->err->code
		       : 0;
}

static int start_channel(struct run *run, enum channel_role role, const char *const *command,
			 int input, struct channel *channel)
{
	const char **words =
		transport_words(&run->session->transport, role, run->control.socket, command);
	const struct channel_config config = {
		.words = words,
		.environment = run->session->environment,
		.screen = role == CHANNEL_SCREEN,
		.input = input,
		.blocked = run->blocked,
	};
	int rc = channel_start(&config, channel, run->err);

	free(words);
	return rc;
}

/*
 * Starts a channel whose output is a command's, without what the login shell's files print: this
 * comes before the token. The command consists of checked words.
 */
static int start_stream(struct run *run, const char *command, struct channel *channel,
			struct host_stream *stream)
{
	struct host_reader reader;
	struct host_reply reply = {0};
	char script[2 * HOST_FOLDER_BYTES + 160];
	int rc = start_channel(run, CHANNEL_STREAM, shell, -1, channel);

	if (rc)
		return rc;
	int n = snprintf(script, sizeof(script), "{ echo %s begin; exec %s; }\n", run->token,
			 command);
	host_reader_init(&reader, run->token);
	rc = channel_write(channel, script, (size_t)n, run->ends);
	if (rc != -EINTR)
		rc = channel_reply(channel, &reader, run->ends, &reply);
	stream->channel = channel;
	if (rc == 1 && reply.key == HOST_BEGIN)
		return 0;
	if (rc == -EINTR)
		return rc;
	return error_set(
		run->err, -ECONNRESET,
		run->session->transport.via
			? "%s: the command failed when it ran again; its message is above."
			: "%s: no second channel was opened. Its sshd needs MaxSessions of "
			  "at least 3.",
		run->host);
}

static int start_screen(struct run *run, const char *const *command)
{
	int input = isatty(STDIN_FILENO) ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_CLOEXEC);

	if (input < 0)
		return error_set(
			run->err, -ENOTTY,
			"No terminal to read keys from: neither standard input nor /dev/tty.");
	int rc = start_channel(run, CHANNEL_SCREEN, command, input, &run->program);
	if (input != STDIN_FILENO)
		close(input);
	return rc;
}

static int start_program(struct run *run)
{
	char program[HOST_FOLDER_BYTES + 16], line[2 * HOST_FOLDER_BYTES + 64],
		cat[HOST_FOLDER_BYTES + 32];
	const char *const words[] = {"sudo", program, "--remote", run->folder, NULL};
	int rc = 0;

	snprintf(program, sizeof(program), "%s/pmctop", run->folder);
	snprintf(line, sizeof(line), "%s%s --remote %s", run->session->sudo ? "sudo -n " : "",
		 program, run->folder);
	snprintf(cat, sizeof(cat), "cat %s/recording", run->folder);
	if (run->session->record)
		rc = start_stream(run, cat, &run->recording, &run->record);
	if (rc)
		return rc;
	if (run->session->screen && run->known)
		term_reset_arm(&run->before, run->session->terminal);
	return run->session->screen ? start_screen(run, run->session->sudo ? words : words + 1)
				    : start_stream(run, line, &run->program, &run->output);
}

static int connect_host(struct run *run, struct notes *notes)
{
	const struct remote_session *session = run->session;
	struct host_setup setup = {
		.host = run->host,
		.via = session->transport.via != NULL,
		.program = session->program,
		.token = run->token,
		.name = run->name,
		.tables = session->tables,
		.parcel = session->parcel,
		.recorded = session->record != NULL,
		.signals = run->ends,
		.why = notes,
	};

	int rc = start_channel(run, CHANNEL_SETUP, shell, -1, &run->setup);
	if (rc == 0)
		rc = host_setup_run(&setup, &run->setup, run->folder, run->err);
	run->rest = (struct host_stream){.channel = &run->setup, .fd = -1};
	return rc;
}

/* Sends a line to link_watch.c there. If the link takes none, its silence is noticed later. */
static void send_line(const struct run *run, const char *line)
{
	ssize_t ignored = run->setup.to >= 0 ? write(run->setup.to, line, strlen(line)) : 0;

	(void)ignored;
}

static void limit_end(const struct run *run, uint64_t channels_ns)
{
	run->session->limit_end(run->session->ending, channels_ns + FILES_NS);
}

static void close_setup(struct run *run)
{
	if (run->setup.to >= 0)
		close(run->setup.to);
	run->setup.to = -1;
}

/*
 * A second signal ends all at once. So does SIGQUIT, at which a local pmctop writes no output
 * either.
 */
static void read_end_signal(struct run *run)
{
	eventfd_t count;

	if (eventfd_read(run->ends, &count))
		return;
	int number = session_signal;
	bool first = !run->stopped_by && count == 1;
	run->stopped_by = number;
	run->stopped_ns = monotonic_ns();
	run->until_ns = 0;
	if (first && !run->session->screen && number != SIGQUIT) {
		send_line(run, number == SIGINT ? "i\n" : "t\n");
		run->until_ns = run->stopped_ns + OUTPUT_PATIENCE_NS;
	}
}

static void read_children(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->children, &info, sizeof(info)) > 0)
		;
	channel_reap(&run->setup);
	channel_reap(&run->program);
}

/* A reader of standard output that closed its pipe (head) has enough. */
static bool has_reader_gone(const struct run *run)
{
	return run->output.error.code == -EPIPE && !run->output.path;
}

static bool is_complete(const struct run *run)
{
	return run->program.ended && (!run->output.channel || run->output.ended) &&
	       (!run->record.channel || run->record.ended);
}

/* Whether a reader here does not read, although the end was requested. */
static bool is_unread(const struct run *run, const struct host_stream *stream, uint64_t now_ns)
{
	uint64_t since_ns = host_stream_waits_since(stream);

	return since_ns && now_ns - since_ns >= READER_PATIENCE_NS &&
	       now_ns - run->stopped_ns >= READER_PATIENCE_NS;
}

static bool is_done(const struct run *run)
{
	uint64_t now_ns = monotonic_ns();

	return run->silent || is_complete(run) || has_reader_gone(run) ||
	       (run->stopped_by &&
		(now_ns >= run->until_ns || is_unread(run, &run->output, now_ns) ||
		 is_unread(run, &run->record, now_ns)));
}

/* ssh has status 255 if the connection broke; a command of --via has a status of its own. */
static bool may_be_broken(const struct run *run)
{
	return run->session->transport.via ? run->program.status != 0
					   : run->program.status == SSH_FAILED;
}

/* Whether the script, at the end of its input, reports that sudo has started nothing. */
static bool is_unused(struct run *run)
{
	struct host_reader reader;
	struct host_reply reply;
	size_t used;
	int rc = 0;

	host_reader_init(&reader, run->token);
	channel_wait(&run->setup, UNUSED_PATIENCE_NS);
	while (rc == 0 && channel_read(&run->setup) == 0 && run->setup.n > 0)
		rc = host_reader_take(&reader, run->setup.bytes, run->setup.n, &used, &reply);
	return rc == 1 && reply.key == HOST_UNUSED;
}

/*
 * Once pmctop has ended, closes the script's input. The script then ends a cat of the recording
 * that still waits for pmctop.
 */
static void end_setup(struct run *run)
{
	if (!run->program.ended || run->setup.to < 0)
		return;
	/* How the set-up's channel ends decides whether the connection has broken. */
	if (may_be_broken(run))
		channel_wait(&run->setup, BREAK_PATIENCE_NS);
	run->broken = may_be_broken(run) && run->setup.ended && run->setup.status != 0;
	run->given_up = run->rest.ended || (run->setup.ended && run->setup.status == 0);
	close_setup(run);
	run->unused = run->session->sudo && run->program.status && is_unused(run);
}

/* Whether the shell there has answered before, but no longer does. */
static bool is_silent(const struct run *run, uint64_t now_ns)
{
	return run->answer_ns && now_ns - run->answer_ns > LINK_PATIENCE_MS * NS_PER_MS;
}

static void send_due_dot(struct run *run, uint64_t now_ns)
{
	if (now_ns < run->dot_ns)
		return;
	send_line(run, ".\n");
	run->dot_ns = now_ns + LINK_DOT_MS * NS_PER_MS;
}

/* Time to the next dot, or to the next look at what is left after a signal, in ms. */
static int wait_ms(const struct run *run, uint64_t now_ns)
{
	if (run->stopped_by)
		return LOOK_MS;
	return run->dot_ns > now_ns ? (int)((run->dot_ns - now_ns) / NS_PER_MS) + 1 : 0;
}

enum { STREAMS = 3 };

/* `ready` has an entry for each of the streams. The set-up's channel prints answers to lines. */
static void copy_streams(struct run *run, struct host_stream *const *streams,
			 const struct pollfd *ready)
{
	for (size_t i = 0; i < STREAMS; i++) {
		if (!ready[i].revents)
			continue;
		host_stream_copy(streams[i]);
		if (streams[i] == &run->rest && !run->rest.ended)
			run->answer_ns = monotonic_ns();
	}
}

static void copy_until_done(struct run *run)
{
	struct host_stream *const streams[STREAMS] = {&run->output, &run->record, &run->rest};

	while (!is_done(run)) {
		struct pollfd fds[2 + STREAMS] = {
			{.fd = run->ends, .events = POLLIN},
			{.fd = run->children, .events = POLLIN},
		};
		uint64_t now_ns = monotonic_ns();

		for (size_t i = 0; i < STREAMS; i++)
			fds[2 + i] = host_stream_poll(streams[i]);
		run->silent = is_silent(run, now_ns);
		send_due_dot(run, now_ns);
		if (run->stopped_by && now_ns - run->stopped_ns >= QUICK_HOST_NS)
			limit_end(run, SIGNAL_END_NS);
		if (poll(fds, ARRAY_SIZE(fds), wait_ms(run, now_ns)) <= 0)
			continue;
		if (fds[0].revents)
			read_end_signal(run);
		if (fds[1].revents)
			read_children(run);
		copy_streams(run, streams, fds + 2);
		end_setup(run);
	}
	run->complete = is_complete(run);
}

/* Closes the files. The first error remains in `error` of a stream. */
static void close_files(struct run *run)
{
	const struct remote_session *session = run->session;

	host_stream_close(&run->output);
	if (run->output_fd >= 0 && close(run->output_fd) && !run->output.error.code)
		safe_path_refuse(session->output, -errno, &run->output.error);
	unwritten_close(session->unwritten_output);
	host_stream_close(&run->record);
	if (run->record_fd < 0)
		return;
	recording_name_tidy(&run->record_name);
	if (lseek(run->record_fd, 0, SEEK_CUR) == 0) /* nothing was written */
		recording_name_remove(&run->record_name, run->record_fd);
	if (close(run->record_fd) && !run->record.error.code)
		safe_path_refuse(session->record, -errno, &run->record.error);
	unwritten_close(session->unwritten_record);
	recording_name_fini(&run->record_name);
}

/*
 * Returns whether pmctop there could not restore the terminal. ssh has status 255 also if a signal
 * has ended the program. sudo and a command of --via have the status 128 + signal then, as may a
 * command of the user.
 */
static bool is_cut(const struct run *run)
{
	return run->program.killed || run->program.status == SSH_FAILED || run->broken ||
	       (run->program.status > STATUS_KILLED && !run->session->command);
}

/* Why pmctop there has not ended by itself. NULL: it has. */
static const char *early_end(const struct run *run)
{
	if (run->silent)
		return "the connection has been silent for 30 s. pmctop there ends by itself, and "
		       "has left no file.";
	if (run->unused)
		return run->session->screen
			       ? "pmctop was not started; sudo's message is above."
			       : "sudo does not start pmctop without a terminal; its message is "
				 "above. Allow it without a password (NOPASSWD in sudoers), or "
				 "log in as root.";
	if (run->broken)
		return "the connection broke. pmctop there has ended, and left no file.";
	if (run->given_up && !run->stopped_by)
		return "nothing arrived there for 30 s, so pmctop there has ended.";
	if (!is_cut(run))
		return NULL;
	return run->program.status == SSH_FAILED && !run->session->transport.via
		       ? "pmctop there was ended by a signal, or ssh by its keys ~."
		       : "pmctop there was ended by a signal.";
}

/* The exit status of the run; sets its sentence. */
static int judge_run(struct run *run)
{
	const char *why = early_end(run);

	if (run->stopped_by && (!run->complete || is_cut(run))) {
		run->err->text[0] = '\0';
		return STATUS_KILLED + run->stopped_by;
	}
	if (has_reader_gone(run))
		return STATUS_OK;
	if (why)
		error_set(run->err, -ECONNRESET, "%s: %s", run->host, why);
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

/* Ends the channels. What hangs in a file is left when the time is over. */
static void end_all(struct run *run)
{
	bool cut = run->stopped_by || is_cut(run) || !run->program.ended;
	bool had_screen = run->session->screen && run->program.pid;
	uint64_t now_ns = monotonic_ns(), until_ns = run->stopped_ns + SIGNAL_END_NS;

	if (now_ns >= until_ns)
		until_ns = now_ns + PROGRAM_END_NS;
	/* A q there is a request here. A signal has limited the time itself. */
	if (had_screen && !run->stopped_by)
		limit_end(run, PROGRAM_END_NS);
	channel_end(&run->program, 0, until_ns);
	if (had_screen && cut && run->known && !run->unused)
		term_reset(&run->before, run->session->terminal);
	term_restore_disarm();
	/* The script ends a reader of the recording. */
	close_setup(run);
	channel_end(&run->recording, SCRIPT_PATIENCE_NS, until_ns);
	/* Before it has made a folder, ssh may wait for a password. */
	channel_end(&run->setup, run->folder[0] ? SCRIPT_PATIENCE_NS : 0, until_ns);
	control_folder_remove(&run->control);
}

int remote_session_run(const struct remote_session *session, struct notes *notes, struct error *err)
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
	transport_name(&session->transport, run.host);
	fill_random(run.token, sizeof(run.token));
	fill_random(run.name, sizeof(run.name));
	if (open_signals(&run) == 0 && open_files(&run) == 0 &&
	    (session->transport.via ||
	     control_folder_make(session->directory, &run.control, err) == 0))
		status = run_program(&run, notes);
	end_all(&run);
	close_files(&run);
	if (status == STATUS_OK || run.stopped_by)
		status = judge_run(&run);
	close_signals(&run);
	return status;
}
