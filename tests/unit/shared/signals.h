// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SIGNALS_H
#define PMCTOP_TESTS_SIGNALS_H

#include <signal.h>
#include <stddef.h>

/*
 * A parent may have left signals ignored: a shell does that to what it starts in the background.
 * An ignored SIGCHLD takes exit statuses away from waitpid(), system() and pclose(). Main of a test
 * that starts processes calls this first. Signals that have a handler (of a sanitizer) keep it.
 */
static inline void signals_restore(void)
{
	for (int number = 1; number < NSIG; number++) {
		struct sigaction now;

		if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
			signal(number, SIG_DFL);
	}
}

#endif
