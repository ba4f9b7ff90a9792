// SPDX-License-Identifier: MIT
/*
 * A handler notes the signal, and wakes who looks at them by a byte in a pipe. But drawing can
 * block: a terminal that has stopped reading (Ctrl-S, a dead network) holds the program in
 * write(2), and ncurses starts an interrupted write again. So what asks for the end also frees the
 * terminal of what is stuck in it, again and again until the program has ended by itself: what it
 * records and writes is ended well.
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
	SIGNALS_TICK_US = 50000, /* a picture may have more to write than one look throws away */
	SIGNALS_TICKS_PER_S = 1000000 / SIGNALS_TICK_US,
	SIGNALS_TERMINAL_S = 4, /* to give the terminal back */
	SIGNALS_END_S = 60,     /* and for all that is to be written, on a disk that is slow */
	SIGNALS_STACK = 64 * 1024,
	SIGNALS_RESCUE_LOOKS = 100, /* of 10 ms */
};

/* The pipe's writing end, + 1 so that zero means none. */
static volatile sig_atomic_t signals_pipe;
static volatile sig_atomic_t signals_came[NSIG];
static volatile sig_atomic_t signals_ending; /* for how many ticks, + 1 */
static atomic_bool signals_dying, signals_rescued;
static stack_t signals_stack_before;

static const int ends[] = {SIGINT,    SIGTERM, SIGHUP, SIGUSR1, SIGUSR2,  SIGXCPU,
			   SIGVTALRM, SIGPROF, SIGIO,  SIGPWR,  SIGSTKFLT};
static const int told[] = {SIGTSTP, SIGCONT, SIGWINCH, SIGCHLD};
static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGSYS, SIGTRAP};

bool signals_is_end(int number)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends[i] == number)
			return true;
	return number == SIGALRM || (number >= SIGRTMIN && number <= SIGRTMAX);
}

static void tell(int number)
{
	unsigned char byte = 0;

	signals_came[number] = 1;
	if (signals_pipe > 0 && write(signals_pipe - 1, &byte, 1) < 0)
		errno = 0; /* full: there is plenty to wake for already */
}

static void on_told(int number)
{
	int saved = errno;

	tell(number);
	errno = saved;
}

/* What was given back has nothing of ours to throw away: a command's output is written to it. */
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
	if (!signals_ending) {
		signals_ending = 1;
		set_ticks(SIGNALS_TICK_US);
		/* It is not stopped for the terminal's sake any more, but leaves that alone. */
		signal(SIGTTOU, SIG_IGN);
	}
	unfreeze();
	tell(number);
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

	if (!signals_ending) { /* somebody sent it */
		begin_end(number);
	} else if (++signals_ending > SIGNALS_END_S * SIGNALS_TICKS_PER_S ||
		   (signals_ending > SIGNALS_TERMINAL_S * SIGNALS_TICKS_PER_S &&
		    term_restore_is_armed())) {
		term_restore();
		_exit(1);
	} else {
		unfreeze();
	}
	errno = saved;
}

/*
 * Entered with all signals blocked: what is raised comes when it returns. A second thread that
 * crashes must not end the process while the first gives the terminal back.
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

static void handle(int number, void (*handler)(int), int flags, bool alone)
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
	handle(number, handler, flags, false);
}

void signals_unhandle(int number, void (*handler)(int))
{
	struct sigaction old;

	if (sigaction(number, NULL, &old) == 0 && old.sa_handler == handler)
		signal(number, SIG_DFL);
}

void signals_handle_ends(void (*handler)(int), int flags)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		signals_handle(ends[i], handler, flags);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		signals_handle(number, handler, flags);
}

void signals_unhandle_ends(void (*handler)(int))
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		signals_unhandle(ends[i], handler);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		signals_unhandle(number, handler);
}

int signals_open(void)
{
	/* A stack that has overflowed holds no handler. */
	static char stack[SIGNALS_STACK];
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	int fds[2];

	if (pipe2(fds, O_NONBLOCK | O_CLOEXEC))
		return -errno;
	sigaltstack(&other, &signals_stack_before);
	signals_pipe = fds[1] + 1;
	signals_ending = 0;
	signals_handle_ends(on_end, SA_RESTART);
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		signals_handle(told[i], on_told, SA_RESTART);
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		handle(fatal[i], on_fatal, SA_ONSTACK, true);
	signals_handle(SIGALRM, on_alarm, SA_RESTART);
	return fds[0];
}

void signals_close(int fd)
{
	if (signals_pipe == 0)
		return;
	set_ticks(0);
	signals_unhandle_ends(on_end);
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		signals_unhandle(told[i], on_told);
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		signals_unhandle(fatal[i], on_fatal);
	signals_unhandle(SIGALRM, on_alarm);
	if (signals_ending)
		signals_unhandle(SIGTTOU, SIG_IGN);
	sigaltstack(&signals_stack_before, NULL);
	close(signals_pipe - 1);
	signals_pipe = 0;
	close(fd);
}

static int take(int number)
{
	int came = signals_came[number];

	signals_came[number] = 0;
	return came ? number : 0;
}

int signals_next(int fd)
{
	unsigned char bytes[256];
	int found = 0;

	/* What comes from now on wakes again. */
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	for (int number = 1; number < NSIG && !found; number++)
		if (signals_is_end(number))
			found = take(number);
	for (size_t i = 0; i < ARRAY_SIZE(told) && !found; i++)
		found = take(told[i]);
	return found;
}

void signals_stop(void)
{
	sigset_t stop, old;
	struct sigaction action = {.sa_handler = SIG_DFL}, handler;

	/* Blocked until the default action stands, so that nothing is lost in between. */
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	pthread_sigmask(SIG_BLOCK, &stop, &old);
	sigemptyset(&action.sa_mask);
	sigaction(SIGTSTP, &action, &handler);
	raise(SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &stop, NULL); /* here it stops */
	sigaction(SIGTSTP, &handler, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

bool signals_await_terminal(void)
{
	/* It changes nothing, and asks for the right to: here it stops (SIGTTOU). */
	if (!term_restore_is_ours())
		tcflow(STDOUT_FILENO, TCOON);
	return term_restore_is_ours();
}
