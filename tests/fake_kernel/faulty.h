// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_FAULTY_H
#define PMCTOP_FAKE_KERNEL_FAULTY_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A kernel that passes every call on to another one, fake or real, and fails where it is told to.
 * Which errors a call may give is Linux's table, not a test's choice: man pages and the kernel's
 * source. What has no error to give (the clocks, the CPU that one runs on) has its own ways to go
 * wrong.
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
	FAULTY_DIR_EACH,
	FAULTY_PIDFD_OPEN,
	FAULTY_PIDFD_SIGNAL,
	FAULTY_OPS,
};

/* What else a call may do than give an error. */
enum {
	FAULTY_EMPTY = 1, /* nothing is there: 0 bytes, no names */
	FAULTY_SHORT,     /* half of it: of a file's text, of a link, of the names */
};

/* All that a call may do, -errnos and the above; the list ends with 0. */
extern const int *const faulty_answers[FAULTY_OPS];
extern const char *const faulty_names[FAULTY_OPS];

struct faulty {
	struct sys to;
	enum faulty_op op;
	unsigned call; /* the how manieth of its kind goes wrong, from 1; 0: none */
	bool ever;     /* and all after it */
	int answer;    /* what it does then */

	struct faulty
		*behind; /* another one, which has its own, between this and `to`; NULL: none */

	const char *below; /* not NULL: instead, every call about a path that begins so */

	/* The clocks are so far from those of the other kernel. */
	int64_t monotonic_ns, realtime_ns, boottime_ns;
	unsigned stands;   /* so many more times the monotonic clock has not moved */
	uint64_t stood_ns; /* and says this */

	unsigned calls[FAULTY_OPS];
	unsigned failed;
	unsigned long total,
		most; /* of all calls, the clocks' too; more than most (0: any): abort */
};

/* What it passes calls on to is the caller's, and lives as long. */
void faulty_init(struct faulty *faulty, const struct sys *to);
struct sys faulty_sys(struct faulty *faulty);

/* All that is told of paths that begin so: -errno, FAULTY_EMPTY or FAULTY_SHORT. */
void faulty_hide(struct faulty *faulty, const char *below, int answer);

/* From the next call on they are counted anew. */
void faulty_fail(struct faulty *faulty, enum faulty_op op, unsigned call, bool ever, int answer);

#endif
