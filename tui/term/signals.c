// SPDX-License-Identifier: MIT
/*
 * A handler records the signal and writes a byte to a pipe, which wakes the main loop. But drawing
 * can block: a terminal that does not read (Ctrl-S, a dead network) keeps the program in write(2),
 * and term.c restarts an interrupted write. So a signal that ends the program also discards the
 * output that the terminal has not taken, every 50 ms until the program has ended. Recordings and
 * output files are thus completed.
 *
 * The handlers of signals that end the program run on another thread if that has unblocked them and
 * the main thread has not (tui/run/ending.h).
 */
#include "tui/term/signals.h"

#include "core/base/util.h"
#include "tui/term/term_restore.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

enum {
	SIGNALS_TICK_US = 50000, /* one screen may need more than one discard */
	SIGNALS_STACK = 64 * 1024,
	SIGNALS_RESCUE_LOOKS = 100, /* each 10 ms */
};

/* The write end of the pipe + 1; 0: none. */
static atomic_int signals_pipe;
static atomic_bool signals_received[NSIG];
static atomic_bool signals_ending; /* the end was requested */
static atomic_bool signals_dying, signals_rescued;
static stack_t signals_stack_before;

static const int end_numbers[] = {SIGINT,    SIGTERM, SIGHUP, SIGUSR1, SIGUSR2,  SIGXCPU,
				  SIGVTALRM, SIGPROF, SIGIO,  SIGPWR,  SIGSTKFLT};
static const int recorded_numbers[] = {SIGTSTP, SIGCONT, SIGWINCH, SIGCHLD};
static const int fatal_numbers[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
				    SIGABRT, SIGQUIT, SIGSYS, SIGTRAP};

bool signals_is_end(int number)
{
	for (size_t i = 0; i < ARRAY_SIZE(end_numbers); i++)
		if (end_numbers[i] == number)
			return true;
	return number == SIGALRM || (number >= SIGRTMIN && number <= SIGRTMAX);
}

void signals_ends(sigset_t *ends)
{
	sigemptyset(ends);
	for (size_t i = 0; i < ARRAY_SIZE(end_numbers); i++)
		sigaddset(ends, end_numbers[i]);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		sigaddset(ends, number);
}

static void record_signal(int number)
{
	unsigned char byte = 0;

	signals_received[number] = true;
	if (signals_pipe > 0 && write(signals_pipe - 1, &byte, 1) < 0)
		errno = 0; /* full: the main loop wakes up anyway */
}

static void on_recorded(int number)
{
	int saved = errno;

	record_signal(number);
	errno = saved;
}

/* Only while armed: after that, standard output has a command's output. */
static void unfreeze(void)
{
	if (term_restore_is_armed())
		term_restore_unfreeze();
}

static void set_ticks(long us)
{
	const struct timeval each = {.tv_usec = us};

	setitimer(ITIMER_REAL, &(struct itimerval){each, each}, NULL);
}

static void begin_end(int number)
{
	if (!atomic_exchange(&signals_ending, true)) {
		set_ticks(SIGNALS_TICK_US);
		/* From now on SIGTTOU must not stop it: it only restores the terminal. */
		signal(SIGTTOU, SIG_IGN);
	}
	unfreeze();
	record_signal(number);
}

static void on_end(int number)
{
	int saved = errno;

	begin_end(number);
	errno = saved;
}

static void on_alarm(int number)
{
	int saved = errno;

	if (!signals_ending) /* sent from outside */
		begin_end(number);
	else
		unfreeze();
	errno = saved;
}

/*
 * All signals are blocked here, so the raised one arrives at the return. A second thread that
 * crashes waits until the first has restored the terminal.
 */
static void on_fatal(int number)
{
	if (!atomic_exchange(&signals_dying, true)) {
		term_restore();
		signals_rescued = true;
	}
	for (unsigned i = 0; i < SIGNALS_RESCUE_LOOKS && !signals_rescued; i++)
		poll(NULL, 0, 10);
	signal(number, SIG_DFL);
	raise(number);
}

static void install(int number, void (*handler)(int), int flags, bool alone)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;

	if (alone)
		sigfillset(&action.sa_mask);
	else
		sigemptyset(&action.sa_mask);
	if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
		sigaction(number, &action, NULL);
}

void signals_handle(int number, void (*handler)(int), int flags)
{
	install(number, handler, flags, false);
}

void signals_unhandle(int number, void (*handler)(int))
{
	struct sigaction old;

	if (sigaction(number, NULL, &old) == 0 && old.sa_handler == handler)
		signal(number, SIG_DFL);
}

void signals_handle_ends(void (*handler)(int), int flags)
{
	for (size_t i = 0; i < ARRAY_SIZE(end_numbers); i++)
		signals_handle(end_numbers[i], handler, flags);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		signals_handle(number, handler, flags);
}

void signals_unhandle_ends(void (*handler)(int))
{
	for (size_t i = 0; i < ARRAY_SIZE(end_numbers); i++)
		signals_unhandle(end_numbers[i], handler);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		signals_unhandle(number, handler);
}

int signals_open(void)
{
	/* An overflowed stack cannot run a handler. */
	static char stack[SIGNALS_STACK];
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	int fds[2];

	if (pipe2(fds, O_NONBLOCK | O_CLOEXEC))
		return -errno;
	sigaltstack(&other, &signals_stack_before);
	signals_pipe = fds[1] + 1;
	signals_ending = false;
	signals_handle_ends(on_end, SA_RESTART);
	for (size_t i = 0; i < ARRAY_SIZE(recorded_numbers); i++)
		signals_handle(recorded_numbers[i], on_recorded, SA_RESTART);
	for (size_t i = 0; i < ARRAY_SIZE(fatal_numbers); i++)
		install(fatal_numbers[i], on_fatal, SA_ONSTACK, true);
	signals_handle(SIGALRM, on_alarm, SA_RESTART);
	return fds[0];
}

void signals_close(int fd)
{
	if (signals_pipe == 0)
		return;
	set_ticks(0);
	signals_unhandle_ends(on_end);
	for (size_t i = 0; i < ARRAY_SIZE(recorded_numbers); i++)
		signals_unhandle(recorded_numbers[i], on_recorded);
	for (size_t i = 0; i < ARRAY_SIZE(fatal_numbers); i++)
		signals_unhandle(fatal_numbers[i], on_fatal);
	signals_unhandle(SIGALRM, on_alarm);
	if (signals_ending)
		signals_unhandle(SIGTTOU, SIG_IGN);
	sigaltstack(&signals_stack_before, NULL);
	close(signals_pipe - 1);
	signals_pipe = 0;
	close(fd);
}

static int pop_signal(int number)
{
	return atomic_exchange(&signals_received[number], false) ? number : 0;
}

int signals_next(int fd)
{
	unsigned char bytes[256];
	int found = 0;

	/* Signals from now on write a byte again. */
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	for (int number = 1; number < NSIG && !found; number++)
		if (signals_is_end(number))
			found = pop_signal(number);
	for (size_t i = 0; i < ARRAY_SIZE(recorded_numbers) && !found; i++)
		found = pop_signal(recorded_numbers[i]);
	return found;
}

void signals_stop(void)
{
	sigset_t stop, old;
	struct sigaction action = {.sa_handler = SIG_DFL}, handler;

	/* Blocked until the default action is set, so that no signal is lost. */
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	pthread_sigmask(SIG_BLOCK, &stop, &old);
	sigemptyset(&action.sa_mask);
	sigaction(SIGTSTP, &action, &handler);
	raise(SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &stop, NULL); /* stops here */
	sigaction(SIGTSTP, &handler, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

bool signals_await_terminal(void)
{
	sigset_t ends, before;

	/*
	 * This tcflow() has no effect, but it stops a background process (SIGTTOU). A signal that
	 * ends the program ends it too, because it is handled on this thread, before the next try.
	 */
	signals_ends(&ends);
	pthread_sigmask(SIG_UNBLOCK, &ends, &before);
	if (!term_restore_is_ours())
		tcflow(STDOUT_FILENO, TCOON);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return term_restore_is_ours();
}
