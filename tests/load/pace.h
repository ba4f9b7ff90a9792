/* SPDX-License-Identifier: MIT */
/*
 * Regular moments for load programs that do something so many times a second.
 */
#ifndef TESTS_LOAD_PACE_H
#define TESTS_LOAD_PACE_H

#include <time.h>

/*
 * Waits for the next of `rate` moments a second. `next` is CLOCK_MONOTONIC, and zeroed before the
 * first call. A moment that has passed returns at once, and the moments missed are dropped.
 */
static inline void pace_wait(struct timespec *next, double rate)
{
	long step_ns = (long)(1e9 / rate);
	struct timespec now;

	next->tv_nsec += step_ns % 1000000000;
	next->tv_sec += step_ns / 1000000000 + next->tv_nsec / 1000000000;
	next->tv_nsec %= 1000000000;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec > next->tv_sec ||
	    (now.tv_sec == next->tv_sec && now.tv_nsec >= next->tv_nsec))
		*next = now;
	else
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

#endif
