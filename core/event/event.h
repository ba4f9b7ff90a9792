// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_H
#define PMCTOP_EVENT_H

#include "core/base/error.h"
#include "core/base/figure.h"
#include "core/event/counter_constraint.h"
#include "core/sys/pmu.h"
#include "core/sys/sys.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A countable event: the name that the user gave, the arguments of perf_event_open(2), and whether
 * it can be counted here.
 */
enum event_kind {
	EVENT_DERIVED,  /* measured by slices: task-clock, context-switches */
	EVENT_SOFTWARE, /* counted by the kernel, needs no counter */
	EVENT_HARDWARE, /* needs a counter of the CPU's PMU */
	EVENT_SOCKET,   /* of a PMU that several CPUs share: only for the whole machine */
	EVENT_PROC,     /* not an event of the kernel: read from /proc */
	EVENT_WAIT,     /* computed from switch records and /proc: event_wait.h */
	EVENT_SAMPLED,  /* of a recorded profile: estimated from its samples: sampled_event.h */
};

/* How one PMU counts an event. A machine with two kinds of CPUs has two codes for "cycles". */
struct event_code {
	size_t pmu;                           /* index in the pmu_set; 0 if SOFTWARE */
	struct perf_event_attr attr;          /* type, config*, exclude_*, size; the rest is 0 */
	struct counter_constraint constraint; /* what is known of its counters */
	enum figure_state state; /* VALID, UNSUPPORTED, DENIED, or NOT_COUNTED: counter in use */
};

struct event {
	char *name;    /* as the user wrote it; owned */
	char *label;   /* the value of its term `name=`; owned; NULL: none */
	char unit[16]; /* "" for counts, "ns", "Joules" */
	double scale;  /* a count times this is in `unit`; 1 unless sysfs has another */
	enum event_kind kind;
	bool leads;   /* must lead its group: Intel's slots */
	char *target; /* symbol or path of a probe, to which attr.config1 points; owned */
	struct event_code *codes; /* at most one a PMU, none if DERIVED; owned */
	size_t n_codes;
	enum figure_state state; /* for the whole run: the best state of its codes */
	int answer;              /* of the kernel to that code: 0 or -errno */
};

/* The name that is shown. */
static inline const char *event_label(const struct event *event)
{
	return event->label ? event->label : event->name;
}

/* The privilege levels counted if the name has no modifiers for them. */
enum event_levels {
	EVENT_LEVELS_ALL,
	EVENT_LEVELS_USER,
	EVENT_LEVELS_KERNEL,
	EVENT_LEVELS, /* the number of values */
};

/* "all", "user", "kernel"; NULL for other values. */
const char *event_levels_name(size_t levels);

struct cpu_facts;
struct event_table_cache;
struct metric_names;

/* Where names are resolved, and the default levels. Pointers are borrowed. */
struct event_context {
	const struct sys *sys;
	const struct pmu_set *pmus;
	struct cpu_facts *cpu;              /* for formulas; NULL: read through sys each time */
	enum event_levels levels;           /* of hardware events */
	enum event_levels software_levels;  /* of software events with a level: page faults */
	struct event_table_cache *tables;   /* the vendor's events; NULL: none */
	const struct metric_names *metrics; /* that formulas may name; NULL: only built-in ones */
};

enum { EVENT_NAME_MAX_BYTES = 1023 };

/* The names of EVENT_PROC: ns on a CPU in user mode and in the kernel. */
#define EVENT_USER_TIME   "user_time"
#define EVENT_SYSTEM_TIME "system_time"

/*
 * Resolves a name, which may be any of perf or libpfm4:
 *
 *	cycles, page-faults, L1-dcache-load-misses    generic: event_generic.c
 *	cpu/event=0x3c,umask=1/, power/energy-pkg/    terms of sysfs: event_sysfs.c
 *	slots, energy-pkg, inst_retired               events of a PMU in sysfs: event_sysfs.c
 *	r1a8                                          raw, hexadecimal: event_code.c
 *	sched:sched_switch                            tracepoints: event_tracepoint.c
 *	mem:0x7f00/4:w                                breakpoints: event_breakpoint.c
 *	kprobe:do_exit+4, uprobe:/bin/sh:0x4210,
 *	kretprobe:SYMBOL, uretprobe:PATH:OFFSET       probes: event_probe.c
 *	LONGEST_LAT_CACHE.MISS, UOPS_ISSUED.ANY:c1    of these CPUs, by their vendor: event_vendor.c
 *	skl::LONGEST_LAT_CACHE:MISS                   of one kind of CPU: event_pfm.c
 *	system_time, user_time                        as in perf stat: event_generic.c
 *	runq_time, blocked_time, ...                  why a task does not run: event_wait.c
 *
 * with modifiers behind (event_modifier.h): cycles:u. Fills *event with state VALID, without
 * opening it; the caller calls event_fini(). Hardware events exclude guests, unless a modifier
 * includes them. Without `err` the nearest name is not searched, which takes most of the time for
 * an unknown name.
 *
 * 0. -ENOENT and a sentence with the nearest name if the name is unknown. Another -errno and a
 * sentence if a resolver accepts the name, but not all of it. Sentences are printable for any name.
 * Without a context, or with NULL members, only names that need no files are known. For one thread
 * at a time, as libpfm4.
 */
int event_resolve(const struct event_context *context, const char *name, struct event *event,
		  struct error *err);
/* Sets the state of a code that cannot be counted. The event stays VALID if another code can. */
void event_leave_out(struct event *event, size_t code, enum figure_state state, int answer);
/* A deep copy; attr.config1 of probes points to the target of the copy. */
void event_copy(struct event *copy, const struct event *event);
void event_fini(struct event *event);

/* Included here because most of core uses events in sets. */
#include "core/event/event_set.h"

#endif
