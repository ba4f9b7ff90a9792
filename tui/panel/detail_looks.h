// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DETAIL_LOOKS_H
#define PMCTOP_DETAIL_LOOKS_H

#include "core/engine/query.h"
#include "core/snapshot/snapshot.h"
#include "tui/panel/detail_subject.h"

#include <stddef.h>
#include <sys/types.h>

/* The latest looks at why a thread is blocked. Zeroed: none. */
enum { DETAIL_LOOKS = 8 };

struct detail_look {
	int result; /* as blocked_result of the reply */
	enum blocked_reason reason;
	struct blocked blocked;
};

struct detail_looks {
	pid_t pid, tid;                         /* the thread; 0: none */
	struct detail_look items[DETAIL_LOOKS]; /* a ring */
	size_t n, next;
	bool main_ended; /* the main thread was a zombie: other threads are looked at */
};

/*
 * Chooses the thread to look at: of a process the thread that waited most for a disk, a page, a
 * lock or in state D, else the main thread, or another one if that has ended. A change of the
 * thread drops the looks.
 */
void detail_looks_choose(struct detail_looks *looks, const struct detail_subject *subject,
			 const struct snapshot *snapshot, const struct detail *detail);
/* Adds a reply to REQUEST_BLOCKED; of another thread it is dropped. The reply is borrowed. */
void detail_looks_add(struct detail_looks *looks, const struct reply *reply);
/*
 * The latest look of the reason that most looks have, and how many have it. BLOCKED_NOT is the
 * reason only if all have it. NULL: no look.
 */
const struct detail_look *detail_looks_usual(const struct detail_looks *looks, size_t *n);

#endif
