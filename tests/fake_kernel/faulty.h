// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_FAULTY_H
#define PMCTOP_FAKE_KERNEL_FAULTY_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A kernel that forwards every call to another one, fake or real, and fails chosen calls. Each
 * call has the errors that it has in Linux (man pages, kernel source). Calls without errors (the
 * clocks, the current CPU) have other ways to fail.
 */
enum faulty_op {
	FAULTY_PERF_OPEN,
	FAULTY_PERF_READ,
	FAULTY_PERF_IOCTL,
	FAULTY_PERF_MAP,
	FAULTY_PERF_UNMAP,
	FAULTY_CLOSE,
	FAULTY_WAIT,
	FAULTY_CURRENT_CPU,
	FAULTY_SELF,
	FAULTY_FILE_READ,
	FAULTY_LINK_READ,
	FAULTY_FILE_OWNER,
	FAULTY_FILE_OPEN,
	FAULTY_FILE_PREAD,
	FAULTY_FILE_STATUS,
	FAULTY_FILE_IOCTL,
	FAULTY_DIR_EACH,
	FAULTY_PIDFD_OPEN,
	FAULTY_PIDFD_SIGNAL,
	FAULTY_SET_NICE,
	FAULTY_OPS,
};

/* Results other than an error. */
enum {
	FAULTY_EMPTY = 1, /* nothing: 0 bytes, no names */
	FAULTY_SHORT,     /* half of a file's text, of a link, of the names */
};

/* The possible results of each call: -errnos and the above; 0 ends the list. */
extern const int *const faulty_answers[FAULTY_OPS];
extern const char *const faulty_names[FAULTY_OPS];

struct faulty {
	struct sys to;
	enum faulty_op op;
	unsigned call; /* 1-based index of the call that fails; 0: none */
	bool ever;     /* all later calls fail too */
	int answer;    /* the result of the failing call */

	struct faulty *behind; /* a second one between this and `to`; NULL: none */

	pid_t held; /* a process that holds its files back; 0: none */

	const char *below; /* not NULL: instead, every call for a path with this prefix fails */

	/* Offsets of the clocks from the other kernel's. */
	int64_t monotonic_ns, realtime_ns, boottime_ns;
	unsigned stands;   /* number of reads for which the monotonic clock stands still */
	uint64_t stood_ns; /* its value meanwhile */

	unsigned calls[FAULTY_OPS];
	unsigned failed;
	unsigned long total, most; /* all calls, with clocks; more than most (0: no limit) abort */
};

/* `to` is borrowed. */
void faulty_init(struct faulty *faulty, const struct sys *to);
struct sys faulty_sys(struct faulty *faulty);

/* Fails all calls for paths with this prefix: -errno, FAULTY_EMPTY or FAULTY_SHORT. */
void faulty_hide(struct faulty *faulty, const char *below, int answer);

/*
 * The process holds its files back, as in core/sys/process_call.h: -ETIMEDOUT, but for files that
 * are always let through. 0: no process.
 */
void faulty_hold(struct faulty *faulty, pid_t pid);

/* Fails that call; counting starts at the next one. */
void faulty_fail(struct faulty *faulty, enum faulty_op op, unsigned call, bool ever, int answer);

#endif
