// SPDX-License-Identifier: MIT
/*
 * A thread that waits for the deadline, and for nothing else that may hang. It handles the signals
 * that end the program, because the kernel runs no handler on a thread that stands in a system call
 * which no signal interrupts, and gives a signal to main() before all other threads. ppoll(2)
 * unblocks the signals, so EINTR is one of them.
 *
 * So joins and waits elsewhere need no limit of their own. What they wait for is not freed: the
 * process ends.
 */
#include "tui/run/ending.h"

#include "core/base/thread.h"
#include "core/base/util.h"
#include "core/sys/file_wait.h"
#include "tui/run/run.h"
#include "tui/term/signals.h"
#include "tui/term/term_restore.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define KEPT    " The kernel may keep the process until the file answers."
#define LOOK_NS (200 * NS_PER_MS) /* between two looks at a file that is written */
#define AT_ONCE 1                 /* a time that is over */

struct ending {
	struct ending_config config;
	struct unwritten files[ENDING_FILES];
	sigset_t before; /* signal mask of the caller */
	pthread_t thread;
	int timer_fd; /* wakes the thread: at deadline_ns, or at once */

	pthread_mutex_t lock; /* guards what follows */
	uint64_t deadline_ns; /* 0: the end is not requested */
	bool over, stop;

	/* Of the thread. */
	bool asked;                    /* it waits for a second request */
	uint64_t written, progress_ns; /* bytes at the last look, and when they last changed */
	int keys_fd;                   /* the terminal, while it waits for a q; -1: closed */
	struct termios line;
};

/* With the lock. The thread looks at the state when the timer ends. */
static void set_timer(const struct ending *ending, uint64_t at_ns)
{
	const struct itimerspec at = {.it_value.tv_sec = (time_t)(at_ns / NS_PER_S),
				      .it_value.tv_nsec = (long)(at_ns % NS_PER_S)};

	timerfd_settime(ending->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

/* With the lock. */
static void set_deadline(struct ending *ending, uint64_t ns)
{
	ending->deadline_ns = monotonic_ns() + ns;
	set_timer(ending, ending->deadline_ns);
}

static uint64_t written_bytes(struct ending *ending)
{
	struct unwritten file;
	uint64_t sum = 0;

	for (size_t i = 0; i < ENDING_FILES; i++) {
		unwritten_read(&ending->files[i], &file);
		sum += file.written;
	}
	return sum;
}

static bool has_unwritten(struct ending *ending)
{
	struct unwritten file;
	bool any = false;

	for (size_t i = 0; i < ENDING_FILES; i++)
		any |= unwritten_read(&ending->files[i], &file);
	return any;
}

static const char *describe_bytes(uint64_t bytes, char *text, size_t size)
{
	if (bytes < 10 << 10)
		snprintf(text, size, "%" PRIu64 " bytes", bytes);
	else if (bytes < 10 << 20)
		snprintf(text, size, "%" PRIu64 " KiB", bytes >> 10);
	else
		snprintf(text, size, "%" PRIu64 " MiB", bytes >> 20);
	return text;
}

/* A reader of standard error that does not read must not block this thread. */
static void print_sentence(const struct ending *ending, const struct error *sentence)
{
	struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&out, 1, 0) > 0)
		ending->config.note(sentence->text);
}

/* Keys are read without Enter and echo. Those typed before are dropped: they are no answer. */
static void open_keys(struct ending *ending)
{
	struct termios line;
	int fd = ending->config.keys ? open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
				     : -1;

	if (fd < 0)
		return;
	if (tcgetpgrp(fd) != getpgrp() || tcgetattr(fd, &ending->line)) {
		close(fd);
		return;
	}
	line = ending->line;
	line.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(fd, TCSAFLUSH, &line);
	ending->keys_fd = fd;
}

static void close_keys(struct ending *ending)
{
	if (ending->keys_fd < 0)
		return;
	tcsetattr(ending->keys_fd, TCSANOW, &ending->line);
	close(ending->keys_fd);
	ending->keys_fd = -1;
}

static bool read_quit_key(struct ending *ending)
{
	char keys[64];
	ssize_t got = read(ending->keys_fd, keys, sizeof(keys));

	if (got <= 0) /* the terminal is gone, or has no key after all */
		close_keys(ending);
	for (ssize_t i = 0; i < got; i++)
		if (keys[i] == 'q')
			return true;
	return false;
}

/* The file is given up. */
static void print_loss(const struct ending *ending, const struct unwritten *file)
{
	struct error sentence;
	char bytes[32];

	if (!file->name[0])
		error_set(&sentence, -EIO, "A file does not answer." KEPT);
	else if (!file->open)
		error_set(&sentence, -EIO, "'%.120s' does not answer." KEPT, file->name);
	else if (file->bytes)
		error_set(&sentence, -EIO, "'%.120s': %s were not written." KEPT, file->name,
			  describe_bytes(file->bytes, bytes, sizeof(bytes)));
	else
		error_set(&sentence, -EIO, "'%.120s' was not closed: its end may be missing." KEPT,
			  file->name);
	print_sentence(ending, &sentence);
}

static _Noreturn void give_up(struct ending *ending)
{
	const struct launch *launch = ending->config.launch;
	struct unwritten file;
	int status = RUN_OK;

	close_keys(ending);
	for (size_t i = 0; i < ENDING_FILES; i++) {
		unwritten_read(&ending->files[i], &file);
		if (!file.name[0])
			continue;
		status = RUN_FAILED;
		print_loss(ending, &file);
	}
	/* Without a file, the process is only slow or busy, and ends without a sentence. */
	file = (struct unwritten)UNWRITTEN_NONE;
	if (status == RUN_OK && file_wait_find(file.name, sizeof(file.name))) {
		status = RUN_FAILED;
		print_loss(ending, &file);
	}
	if (launch && launch->gone && !launch->ended) {
		launch_terminate(ending->config.launch);
		status = LAUNCH_KILLED + SIGTERM;
	}
	_exit(status);
}

static void print_unwritten(struct ending *ending)
{
	const char *how = ending->config.keys ? "q, Ctrl-C or signal" : "Ctrl-C or signal";
	struct unwritten file;
	struct error sentence;
	char bytes[32];

	for (size_t i = 0; i < ENDING_FILES; i++) {
		if (!unwritten_read(&ending->files[i], &file))
			continue;
		if (file.bytes)
			error_set(&sentence, -EAGAIN,
				  "'%.120s': %s are not written yet. A second %s gives them up.",
				  file.name, describe_bytes(file.bytes, bytes, sizeof(bytes)), how);
		else
			error_set(&sentence, -EAGAIN,
				  "'%.120s' is not closed yet. A second %s ends pmctop.", file.name,
				  how);
		print_sentence(ending, &sentence);
	}
}

/* The time is over. */
static void expire(struct ending *ending)
{
	term_restore();
	if (!has_unwritten(ending))
		give_up(ending);
	ending->asked = true;
	ending->written = written_bytes(ending);
	ending->progress_ns = monotonic_ns();
	open_keys(ending);
	print_unwritten(ending);
}

/* Files are complete: what is left has as much time again. */
static void stop_asking(struct ending *ending)
{
	ending->asked = false;
	close_keys(ending);
	pthread_mutex_lock(&ending->lock);
	if (!ending->over)
		set_deadline(ending, ENDING_PATIENCE_NS);
	pthread_mutex_unlock(&ending->lock);
}

static void look_at_files(struct ending *ending)
{
	uint64_t now_ns = monotonic_ns(), written = written_bytes(ending);

	if (written != ending->written)
		ending->progress_ns = now_ns;
	ending->written = written;
	if (!has_unwritten(ending))
		stop_asking(ending);
	else if (now_ns - ending->progress_ns >= ENDING_STALLED_NS)
		give_up(ending);
}

/* Returns whether the end was requested meanwhile, by a signal or a key. */
static bool wait_for_request(struct ending *ending)
{
	static const struct timespec look = {.tv_nsec = LOOK_NS};
	struct pollfd fds[] = {
		{.fd = ending->timer_fd, .events = POLLIN},
		{.fd = ending->keys_fd, .events = POLLIN},
	};
	uint64_t ends_of_timer;
	sigset_t ends, mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	signals_ends(&ends);
	for (int number = 1; number < NSIG; number++)
		if (sigismember(&ends, number) == 1)
			sigdelset(&mask, number);
	int ready = ppoll(fds, ARRAY_SIZE(fds), ending->asked ? &look : NULL, &mask);
	if (ready < 0)
		return errno == EINTR;
	if (fds[0].revents && read(ending->timer_fd, &ends_of_timer, sizeof(ends_of_timer)) < 0)
		return false; /* set anew meanwhile */
	return fds[1].revents && read_quit_key(ending);
}

static void *ending_run(void *arg)
{
	struct ending *ending = arg;

	for (;;) {
		pthread_mutex_lock(&ending->lock);
		uint64_t deadline_ns = ending->deadline_ns;
		bool stop = ending->stop, over = ending->over;
		pthread_mutex_unlock(&ending->lock);
		if (over && ending->asked)
			stop_asking(ending);
		if (stop)
			break;
		if (!ending->asked && deadline_ns && monotonic_ns() >= deadline_ns)
			expire(ending);

		bool again = wait_for_request(ending);
		if (again && ending->asked)
			give_up(ending);
		if (again)
			ending_begin(ending);
		if (ending->asked)
			look_at_files(ending);
	}
	close_keys(ending);
	return NULL;
}

int ending_new(const struct ending_config *config, struct ending **out, struct error *err)
{
	struct ending *ending = xcalloc(1, sizeof(*ending));
	sigset_t ends;

	ending->config = *config;
	ending->keys_fd = -1;
	for (size_t i = 0; i < ENDING_FILES; i++)
		ending->files[i] = (struct unwritten)UNWRITTEN_NONE;
	pthread_mutex_init(&ending->lock, NULL);
	ending->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (ending->timer_fd < 0) {
		int code = error_set_no_descriptor(err, -errno);
		free(ending);
		return code;
	}
	signals_ends(&ends);
	pthread_sigmask(SIG_BLOCK, &ends, &ending->before);
	int rc = thread_start(&ending->thread, ending_run, ending);
	if (rc == 0) {
		*out = ending;
		return 0;
	}
	pthread_sigmask(SIG_SETMASK, &ending->before, NULL);
	close(ending->timer_fd);
	free(ending);
	return error_set_not_started(err, rc, "A thread");
}

void ending_free(struct ending *ending)
{
	if (!ending)
		return;
	pthread_mutex_lock(&ending->lock);
	ending->stop = true;
	set_timer(ending, AT_ONCE);
	pthread_mutex_unlock(&ending->lock);
	/* Ends at once: this thread waits for nothing that may hang. */
	pthread_join(ending->thread, NULL);
	pthread_sigmask(SIG_SETMASK, &ending->before, NULL);
	close(ending->timer_fd);
	pthread_mutex_destroy(&ending->lock);
	free(ending);
}

struct unwritten *ending_unwritten(struct ending *ending, enum ending_file file)
{
	return &ending->files[file];
}

void ending_begin(struct ending *ending)
{
	pthread_mutex_lock(&ending->lock);
	ending->over = false;
	if (!ending->deadline_ns)
		set_deadline(ending, ENDING_PATIENCE_NS);
	pthread_mutex_unlock(&ending->lock);
}

void ending_allow(struct ending *ending, uint64_t more_ns)
{
	pthread_mutex_lock(&ending->lock);
	if (ending->deadline_ns)
		set_deadline(ending, more_ns + ENDING_PATIENCE_NS);
	pthread_mutex_unlock(&ending->lock);
}

void ending_limit(struct ending *ending, uint64_t ns)
{
	pthread_mutex_lock(&ending->lock);
	ending->over = false;
	set_deadline(ending, ns);
	pthread_mutex_unlock(&ending->lock);
}

void ending_over(struct ending *ending)
{
	pthread_mutex_lock(&ending->lock);
	ending->deadline_ns = 0;
	ending->over = true;
	set_timer(ending, AT_ONCE);
	pthread_mutex_unlock(&ending->lock);
}
