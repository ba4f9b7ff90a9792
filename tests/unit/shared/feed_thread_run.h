// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_FEED_THREAD_RUN_H
#define PMCTOP_TESTS_FEED_THREAD_RUN_H

#include "core/base/util.h"
#include "core/engine/feed_thread.h"
#include "core/engine/live_feed.h"
#include "core/metric/preset.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define REFRESH_NS (50 * NS_PER_MS)

/*
 * A feed thread with an engine, on the fake kernel and on the real one. Tests wait for a condition
 * without a limit.
 *
 * `sys`: a fake kernel, which must outlive the thread; NULL: the real one.
 */
struct feed_thread *feed_thread_open(const struct sys *sys, const struct engine_config *config,
				     uint64_t interval_ns);

/* Sends one request, which the caller keeps. */
void feed_thread_send(struct feed_thread *feed_thread, const struct request *request);

/* Waits until the thread has something to report. */
void feed_thread_await(const struct feed_thread *feed_thread);

/* Waits for the next snapshot, owned by the caller. */
struct snapshot *feed_thread_next(struct feed_thread *feed_thread);

/* Drops snapshots until one has the column, or lacks it. */
void feed_thread_await_column(struct feed_thread *feed_thread, const char *name, bool wanted);

/* Adds and removes columns by command, and frees the thread. */
void feed_thread_check_columns(struct feed_thread *feed_thread);

#endif
