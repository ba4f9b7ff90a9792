// SPDX-License-Identifier: MIT
/*
 * libiberty's forms with a callback allocate no memory for C++, so both limits may leave them by a
 * jump: the callback at the size, the handler of a timer at the time. Rust's form allocates for
 * names with other letters than ASCII. There only the callback jumps, never while malloc() runs,
 * and what is not freed has a few kB. The time of Rust's form is bounded by its output: each part
 * of a name prints something.
 *
 * The handler finds its demangler in the timer's signal, so there is no state at file scope.
 */
#include "core/code/demangle.h"

#include "core/base/util.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEMANGLE_MS = 20 };

struct demangler {
	timer_t timer;
	sigjmp_buf limit;
	volatile sig_atomic_t armed; /* the handler may jump */
	char *to;
	size_t size, length;
};

static void on_timer(int number, siginfo_t *info, void *context)
{
	struct demangler *demangler = info->si_code == SI_TIMER ? info->si_value.sival_ptr : NULL;

	(void)number;
	(void)context;
	if (demangler && demangler->armed) {
		demangler->armed = 0;
		siglongjmp(demangler->limit, 1);
	}
}

struct demangler *demangler_new(void)
{
	struct demangler *demangler = xcalloc(1, sizeof(*demangler));
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM};
	struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART};

	event.sigev_value.sival_ptr = demangler;
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGVTALRM, &action, NULL) ||
	    timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &demangler->timer)) {
		free(demangler);
		return NULL;
	}
	return demangler;
}

void demangler_free(struct demangler *demangler)
{
	if (!demangler)
		return;
	timer_delete(demangler->timer);
	signal(SIGVTALRM, SIG_IGN);
	free(demangler);
}

static void set_timer(struct demangler *demangler, long ms)
{
	const struct itimerspec time = {.it_value.tv_nsec = ms * (long)NS_PER_MS};

	timer_settime(demangler->timer, 0, &time, NULL);
}

/* Appends a part of the name. Leaves libiberty when there is no more room. */
static void append_part(const char *part, size_t n, void *arg)
{
	struct demangler *demangler = arg;
	size_t room = demangler->size - 1 - demangler->length;

	memcpy(demangler->to + demangler->length, part, size_min(n, room));
	demangler->length += size_min(n, room);
	if (n > room) {
		demangler->armed = 0;
		siglongjmp(demangler->limit, 2);
	}
}

/* Returns whether libiberty accepted the name. A demangled name may be cut. */
static bool run_form(struct demangler *demangler, const char *mangled, bool rust)
{
	volatile bool done = false; /* after a jump, the register is undefined */

	demangler->length = 0;
	switch (sigsetjmp(demangler->limit, 1)) {
	case 0:
		demangler->armed = !rust;
		if (!rust)
			set_timer(demangler, DEMANGLE_MS);
		done = rust ? rust_demangle_callback(mangled, DMGL_NO_OPTS, append_part, demangler)
			    : cplus_demangle_v3_callback(mangled, DMGL_NO_OPTS, append_part,
							 demangler);
		demangler->armed = 0;
		break;
	case 2:
		done = true;
		break;
	}
	if (!rust)
		set_timer(demangler, 0);
	return done && demangler->length > 0;
}

/* The beginnings of mangled names: of C++, of Rust before and since version 0. */
static bool is_mangled(const char *name)
{
	static const char *const beginnings[] = {"_Z", "__Z", "___Z", "_R", "_GLOBAL_"};

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

bool demangle(struct demangler *demangler, const char *mangled, char *to, size_t size)
{
	demangler->to = to;
	demangler->size = size;
	demangler->length = 0;
	/* The older names of Rust are names of C++ as well. */
	bool done = is_mangled(mangled) &&
		    (run_form(demangler, mangled, true) || run_form(demangler, mangled, false));
	to[done ? demangler->length : 0] = '\0';
	return done;
}
