// SPDX-License-Identifier: MIT
/*
 * A handler writes the signal's number into a pipe and nothing else. But drawing can block: a
 * terminal that has stopped reading (Ctrl-S, a dead network) holds the program in write(2), and
 * ncurses starts an interrupted write again. So what asks for the end also sets an alarm; if the
 * program has not ended by then, SIGALRM makes the line sane and exits from within the handler.
 */
#include "signals.h"

#include "core/util.h"
#include "term.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

enum { SIGNALS_PATIENCE_S = 4 };

/* The pipe's writing end, + 1 so that zero means none. */
static volatile sig_atomic_t signals_pipe;

static const int told[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT, SIGCHLD};
static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT};

static void on_told(int number)
{
	int saved = errno;
	unsigned char byte = (unsigned char)number;

	if (number == SIGINT || number == SIGTERM || number == SIGHUP)
		alarm(SIGNALS_PATIENCE_S);
	if (signals_pipe > 0 && write(signals_pipe - 1, &byte, 1) < 0)
		errno = 0; /* full: there is plenty to look at already */
	errno = saved;
}

/* stty sane, as far as it matters, without anything that could wait for the terminal. */
static void on_alarm(int number)
{
	struct termios line;

	(void)number;
	if (tcgetattr(STDOUT_FILENO, &line) == 0) {
		line.c_iflag &= ~IXON; /* a ^S is forgotten */
		tcsetattr(STDOUT_FILENO, TCSANOW, &line);
		line.c_iflag |= ICRNL | IXON;
		line.c_oflag |= OPOST | ONLCR;
		line.c_lflag |= ICANON | ISIG | ECHO | ECHOE | ECHOK | IEXTEN;
		tcsetattr(STDOUT_FILENO, TCSANOW, &line);
	}
	_exit(1);
}

/* Entered with the default action in force again (SA_RESETHAND). */
static void on_fatal(int number)
{
	term_emergency();
	raise(number);
}

void signals_handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;

	sigemptyset(&action.sa_mask);
	if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
		sigaction(number, &action, NULL);
}

void signals_unhandle(int number, void (*handler)(int))
{
	struct sigaction old;

	if (sigaction(number, NULL, &old) == 0 && old.sa_handler == handler)
		signal(number, SIG_DFL);
}

int signals_open(void)
{
	int fds[2];

	if (pipe2(fds, O_NONBLOCK | O_CLOEXEC))
		return -errno;
	signals_pipe = fds[1] + 1;
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		signals_handle(told[i], on_told, SA_RESTART);
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		signals_handle(fatal[i], on_fatal, SA_RESETHAND);
	signals_handle(SIGALRM, on_alarm, 0);
	return fds[0];
}

void signals_close(int fd)
{
	if (signals_pipe == 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		signals_unhandle(told[i], on_told);
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		signals_unhandle(fatal[i], on_fatal);
	alarm(0);
	signals_unhandle(SIGALRM, on_alarm);
	close(signals_pipe - 1);
	signals_pipe = 0;
	close(fd);
}

int signals_next(int fd)
{
	unsigned char byte;

	return read(fd, &byte, 1) == 1 ? byte : 0;
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
