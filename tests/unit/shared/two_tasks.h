// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_TWO_TASKS_H
#define PMCTOP_TESTS_TWO_TASKS_H

#include "core/base/util.h"
#include "core/sys/sys.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/fake_kernel/perf_group.h"
#include "tests/fake_kernel/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/*
 * A fake machine with two tasks, a group of counters on one of its CPUs, and assertions about the
 * records in the group's ring.
 */
#define START_NS (1000 * NS_PER_S)

/* Tasks 7 (2 cycles and 3/2 instructions a ns) and 8 (1 and 1/3). */
struct fk *two_tasks_new(const struct fk_config *config);

/* Frees any fake kernel. Fails if a descriptor or a mapping is left. */
void finish(struct fk *fk);

int open_on(const struct sys *sys, uint32_t type, uint64_t config, int cpu, int group);

/* Fails unless fd is this error (0: a descriptor, which it closes). `name` is for the message. */
void expect_open(const struct sys *sys, const char *name, int fd, int error);

/* Appends the names in a directory, each with a blank, up to a name "stop". Returns 0 or -errno. */
int read_names(const struct sys *sys, const char *path, char names[256]);

/* The members of the group, in their order. */
enum { CYCLES, INSTRUCTIONS, SWITCHES, TICK, MEMBERS };

/* Opens and enables the group, with a ring of one page. */
void two_tasks_group(const struct sys *sys, int cpu, struct perf_group *group);

/* Fails if the ring is empty. */
struct reader_record expect_record(struct perf_group *group);

/* Fails unless it is. */
void expect_none(struct perf_group *group);

/* The next record must be a sample of that task, time_ns after START_NS, with these counts. */
void expect_sample(struct perf_group *group, pid_t pid, pid_t tid, uint64_t time_ns,
		   const uint64_t *values);

#endif
