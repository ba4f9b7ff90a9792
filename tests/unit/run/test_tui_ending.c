// SPDX-License-Identifier: MIT
/*
 * Processes in which something never ends. Each is a child, because it is ended. No test depends on
 * a time: each waits for the child's sentence or for its end.
 */
#include "core/base/util.h"
#include "core/engine/feed_thread.h"
#include "core/perfdata/perfdata_raw.h"
#include "core/perfdata/recording_file.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/signals.h"
#include "tui/run/ending.h"
#include "tui/term/signals.h"

#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS = 7 }; /* of a child that ends by itself */

static char directory[] = "/tmp/pmctop-ending-XXXXXX";

struct child {
	pid_t pid;
	int said; /* its standard error */
	int go;   /* written to: the child may go on */
	char text[1024];
	size_t n;
};

static void note(const char *sentence)
{
	dprintf(STDERR_FILENO, "%s\n", sentence);
}

static int go_fd; /* of a child */

static void await_go(void)
{
	char byte;

	while (read(go_fd, &byte, 1) != 1)
		;
}

static struct ending *start_ending(bool keys)
{
	const struct ending_config config = {.note = note, .keys = keys};
	struct ending *ending;
	struct error err;

	if (ending_new(&config, &ending, &err))
		_exit(100);
	return ending;
}

static void start_child(struct child *child, void (*run)(void))
{
	int said[2], go[2];

	*child = (struct child){0};
	assert_int_equal(pipe(said), 0);
	assert_int_equal(pipe(go), 0);
	child->pid = fork();
	assert_true(child->pid >= 0);
	if (child->pid == 0) {
		dup2(said[1], STDERR_FILENO);
		go_fd = go[0];
		close(said[0]);
		close(said[1]);
		close(go[1]);
		run();
		_exit(STATUS);
	}
	close(said[1]);
	close(go[0]);
	child->said = said[0];
	child->go = go[1];
}

/* Reads until the text is there, or until all is read: NULL. */
static void await_text(struct child *child, const char *text)
{
	while (!text || !strstr(child->text, text)) {
		ssize_t got = read(child->said, child->text + child->n,
				   sizeof(child->text) - 1 - child->n);
		if (got <= 0 && text)
			fail_msg("no '%s' in: %s", text, child->text);
		if (got <= 0)
			return;
		child->n += (size_t)got;
		child->text[child->n] = '\0';
	}
}

/* The status with which it ends; its text is then complete. */
static int status_of(struct child *child)
{
	int status;

	await_text(child, NULL);
	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	close(child->said);
	close(child->go);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void *wait_for_ever(void *arg)
{
	(void)arg;
	await_go();
	return NULL;
}

static void join_for_ever(void)
{
	pthread_t thread;

	ending_begin(start_ending(false));
	pthread_create(&thread, NULL, wait_for_ever, NULL);
	pthread_join(thread, NULL);
}

static int wait_in_feed(void *ctx, uint64_t until_ns, struct error *err)
{
	(void)until_ns, (void)err;
	atomic_store((atomic_bool *)ctx, true);
	await_go();
	return 0;
}

static void free_hung_feed(void)
{
	static const struct feed_ops ops = {.wait = wait_in_feed};
	static atomic_bool waits;
	const struct feed feed = {&ops, &waits};
	struct ending *ending = start_ending(false);
	struct feed_thread *feed_thread;
	struct error err;

	if (feed_thread_new(&feed_thread, &err) || feed_thread_start(feed_thread, &feed, &err))
		_exit(100);
	while (!waits)
		;
	ending_begin(ending);
	feed_thread_free(feed_thread);
}

static void lock_for_ever(void)
{
	sem_t never;

	ending_begin(start_ending(false));
	sem_init(&never, 0, 0);
	sem_wait(&never);
}

static void test_threads_that_never_end(void **state)
{
	static const struct {
		const char *name;
		void (*run)(void);
		int status;
		const char *says;
	} rows[] = {
		{"a join of a thread in read(2)", join_for_ever, 1, "A file does not answer. "},
		{"the feed thread in read(2)", free_hung_feed, 1, "A file does not answer. "},
		{"no file", lock_for_ever, 0, ""},
	};
	struct child child;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		start_child(&child, rows[i].run);
		int status = status_of(&child);
		if (status != rows[i].status || !strstr(child.text, rows[i].says) ||
		    (!rows[i].says[0] && child.n > 0))
			fail_msg("%s: %d '%s'", rows[i].name, status, child.text);
	}
}

static void on_end(int number)
{
	(void)number;
}

/* As main() in a system call that no signal interrupts: its thread never handles one. */
static void hang_on_signal(void)
{
	signals_handle_ends(on_end, SA_RESTART);
	start_ending(false);
	note("ready");
	lock_for_ever();
}

static void test_signals(void **state)
{
	static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
	struct child child;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		start_child(&child, hang_on_signal);
		await_text(&child, "ready");
		kill(child.pid, numbers[i]);
		assert_int_equal(status_of(&child), 0);
		assert_string_equal(child.text, "ready\n");
	}
}

static void hang_in_write(void)
{
	signals_handle_ends(on_end, SA_RESTART);
	struct ending *ending = start_ending(false);
	struct unwritten *unwritten = ending_unwritten(ending, ENDING_RECORDING);

	unwritten_name(unwritten, "run.data");
	unwritten_open(unwritten);
	unwritten_add(unwritten, 20 << 20);
	unwritten_take(unwritten, 8 << 20);
	ending_begin(ending);
	await_go();
	ending_over(ending); /* else this process must not be late now */
	unwritten_close(unwritten);
	ending_free(ending);
}

static void test_second_signal(void **state)
{
	struct child child;

	(void)state;
	start_child(&child, hang_in_write);
	await_text(&child, "'run.data': 12 MiB are not written yet. A second Ctrl-C or signal "
			   "gives them up.\n");
	kill(child.pid, SIGTERM);
	assert_int_equal(status_of(&child), 1);
	assert_non_null(strstr(child.text, "'run.data': 12 MiB were not written."));
}

static void test_slow_file(void **state)
{
	struct child child;

	(void)state;
	start_child(&child, hang_in_write);
	await_text(&child, "'run.data': 12 MiB are not written yet.");
	assert_int_equal(write(child.go, "", 1), 1);
	assert_int_equal(status_of(&child), STATUS);
	assert_null(strstr(child.text, "were not written"));
}

static void hang_in_close(void)
{
	struct ending *ending = start_ending(false);
	struct unwritten *unwritten = ending_unwritten(ending, ENDING_OUTPUT);

	signals_handle_ends(on_end, SA_RESTART);
	unwritten_name(unwritten, "out");
	unwritten_open(unwritten);
	ending_begin(ending);
	await_go();
}

static void test_close(void **state)
{
	struct child child;

	(void)state;
	start_child(&child, hang_in_close);
	await_text(&child, "'out' is not closed yet. A second Ctrl-C or signal ends pmctop.\n");
	kill(child.pid, SIGINT);
	assert_int_equal(status_of(&child), 1);
	assert_non_null(strstr(child.text, "'out' was not closed: its end may be missing."));
}

static void hang_in_open(void)
{
	struct ending *ending = start_ending(false);

	unwritten_name(ending_unwritten(ending, ENDING_OUTPUT), "out");
	ending_begin(ending);
	await_go();
}

/* Nothing is lost, so no second signal is needed. */
static void test_open(void **state)
{
	struct child child;

	(void)state;
	start_child(&child, hang_in_open);
	assert_int_equal(status_of(&child), 1);
	assert_non_null(strstr(child.text, "'out' does not answer."));
}

static int terminal_fd; /* of a child */

static void hang_on_terminal(void)
{
	if (setsid() < 0 || ioctl(terminal_fd, TIOCSCTTY, 0))
		_exit(100);
	struct ending *ending = start_ending(true);
	struct unwritten *unwritten = ending_unwritten(ending, ENDING_OUTPUT);

	unwritten_name(unwritten, "out");
	unwritten_open(unwritten);
	ending_begin(ending);
	await_go();
}

/* The sentence comes after earlier keys were dropped. */
static void test_key(void **state)
{
	struct child child;
	struct termios before, after;
	int master;

	(void)state;
	assert_int_equal(openpty(&master, &terminal_fd, NULL, NULL, NULL), 0);
	assert_int_equal(tcgetattr(terminal_fd, &before), 0);
	assert_int_equal(write(master, "q\n", 2), 2);
	start_child(&child, hang_on_terminal);
	await_text(&child, "A second q, Ctrl-C or signal ends pmctop.\n");
	assert_int_equal(write(master, "xq", 2), 2);
	assert_int_equal(status_of(&child), 1);
	assert_int_equal(tcgetattr(terminal_fd, &after), 0);
	assert_int_equal(after.c_lflag, before.c_lflag);
	close(terminal_fd);
	close(master);
}

/* What the recorder has queued, and that its file is open. */
static void test_recording(void **state)
{
	struct unwritten unwritten = UNWRITTEN_NONE, copy;
	struct recording_file *file;
	struct error err;
	char path[sizeof(directory) + 8];

	(void)state;
	snprintf(path, sizeof(path), "%s/data", directory);
	const struct recording_rules rules = {.unwritten = &unwritten};
	assert_int_equal(recording_file_open(path, &rules, &file, &err), 0);
	assert_true(unwritten_read(&unwritten, &copy));
	assert_string_equal(copy.name, path);
	struct perfdata *data = recording_file_new_part(file);
	perfdata_head(data);
	size_t n = data->n;
	recording_file_append(file, data, NULL);
	do
		unwritten_read(&unwritten, &copy);
	while (copy.written < n);
	assert_int_equal(copy.bytes, 0);
	assert_int_equal(recording_file_close(file, &err), 0);
	assert_false(unwritten_read(&unwritten, &copy));
	assert_string_equal(copy.name, "");

	assert_true(recording_file_open("/nowhere/data", &rules, &file, &err) < 0);
	unwritten_read(&unwritten, &copy);
	assert_string_equal(copy.name, "");
}

static int remove_directory(void **state)
{
	(void)state;
	remove_tree(directory);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_that_never_end),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_second_signal),
		cmocka_unit_test(test_slow_file),
		cmocka_unit_test(test_close),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_key),
		cmocka_unit_test(test_recording),
	};

	signals_restore();
	signal(SIGTTOU, SIG_IGN);
	if (!mkdtemp(directory))
		return 1;
	return cmocka_run_group_tests(tests, NULL, remove_directory);
}
