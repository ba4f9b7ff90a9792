// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SIGNALS_H
#define PMCTOP_TESTS_SIGNALS_H

#include <signal.h>
#include <stddef.h>

/*
 * Restores ignored signals, which are inherited: shells ignore some in background processes. With
 * SIGCHLD ignored, waitpid(), system() and pclose() lose exit statuses. Test programs that start
 * processes call this first. Signals with a handler (of a sanitizer) keep it.
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
