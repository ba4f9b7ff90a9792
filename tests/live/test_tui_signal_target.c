// SPDX-License-Identifier: MIT
/* A process of this kernel is found and gets a signal by its pidfd. */
#include "tests/unit/shared/signals.h"
#include "tui/screen/signal_target.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void a_child_gets_its_signal(void **state)
{
	struct signal_target signal_target;
	struct error err;
	struct sys sys;
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_int_equal(sys_linux_init(&sys), 0);
	assert_int_equal(signal_target_find(&sys, pid, sys_now_ns(&sys), &signal_target, &err), 0);
	/* No process had that number when the machine started: the child began later. */
	assert_int_equal(signal_target_find(&sys, pid, 1, &signal_target, &err), -ESRCH);
	assert_int_equal(signal_target_find(&sys, pid, sys_now_ns(&sys), &signal_target, &err), 0);
	signal_target.start_ticks++;
	assert_int_equal(signal_target_send(&sys, &signal_target, SIGUSR1, &err), -ESRCH);
	signal_target.start_ticks--;
	assert_int_equal(signal_target_send(&sys, &signal_target, SIGUSR1, &err), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
	assert_int_equal(signal_target_send(&sys, &signal_target, SIGUSR1, &err), -ESRCH);
	assert_int_equal(signal_target_find(&sys, pid, sys_now_ns(&sys), &signal_target, &err),
			 -ESRCH);
	sys_linux_fini(&sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_gets_its_signal),
	};

	signals_restore();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
