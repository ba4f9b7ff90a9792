// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_H
#define PMCTOP_EVENT_H

#include "core/base/error.h"
#include "core/base/figure.h"
#include "core/sys/pmu.h"
#include "core/sys/sys.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Something countable: the name its user typed, what perf_event_open wants for it, and whether it
 * can be counted here.
 */
enum event_kind {
	EVENT_DERIVED,  /* measured by the slices: task-clock, context-switches */
	EVENT_SOFTWARE, /* counted by the kernel, needs no counter */
	EVENT_HARDWARE, /* needs a counter of the CPU's PMU */
	EVENT_SOCKET,   /* of a PMU that several CPUs share: counted for the whole machine only */
	EVENT_PROC,     /* no event of the kernel's: only /proc tells of it */
};

/* How one PMU counts it: a machine with two kinds of CPUs has two codes for "cycles". */
struct event_code {
	size_t pmu;                  /* index in the pmu_set; 0 where SOFTWARE */
	struct perf_event_attr attr; /* type, config*, exclude_*, size: what is not counting, 0 */
	enum figure_state state;     /* VALID, UNSUPPORTED, DENIED, or NOT_COUNTED: taken */
};

struct event {
	char *name;    /* "cycles", owned: as its user wrote it */
	char *label;   /* what its term `name=` says, owned; NULL: nothing */
	char unit[16]; /* "" for counts, "ns", "Joules" */
	double scale;  /* a count times this is in `unit`; 1 but for what sysfs says otherwise */
	enum event_kind kind;
	bool leads;   /* must lead its group: Intel's slots */
	char *target; /* owned; a probe's symbol or path, which its attr.config1 points at */
	struct event_code *codes; /* owned; none where DERIVED, at most one for each PMU */
	size_t n_codes;
	enum figure_state state; /* for the whole run: the best of its codes' */
	int answer;              /* the kernel's to that code: 0, or -errno */
};

/* What it is shown as. */
static inline const char *event_label(const struct event *event)
{
	return event->label ? event->label : event->name;
}

/* Which privilege levels are counted where a name's modifiers don't say. */
enum event_levels {
	EVENT_LEVELS_ALL,
	EVENT_LEVELS_USER,
	EVENT_LEVELS_KERNEL,
	EVENT_LEVELS, /* how many there are */
};

/* "all", "user", "kernel"; NULL behind the last. */
const char *event_levels_name(size_t levels);

struct cpu_facts;

/* Where names are looked up, and how they are meant; borrowed. */
struct event_context {
	const struct sys *sys;
	const struct pmu_set *pmus;
	const struct cpu_facts *cpu;       /* NULL: sys is asked */
	enum event_levels levels;          /* of what the CPUs count */
	enum event_levels software_levels; /* of what happens on either level: page faults */
};

enum { EVENT_NAME_MAX_BYTES = 1023 };

/* The names of EVENT_PROC: ns on a CPU in user mode, and in the kernel. */
#define EVENT_USER_TIME   "user_time"
#define EVENT_SYSTEM_TIME "system_time"

/*
 * What a name means, one that a user of perf or of libpfm4 knows:
 *
 *	cycles, page-faults, L1-dcache-load-misses    generic: event_generic.c
 *	cpu/event=0x3c,umask=1/, power/energy-pkg/    terms of sysfs: event_sysfs.c
 *	slots, energy-pkg, inst_retired               what a PMU calls an event in sysfs: the same
 *	r1a8                                          raw, hexadecimal: event_code.c
 *	sched:sched_switch                            tracepoints: event_tracepoint.c
 *	mem:0x7f00/4:w                                breakpoints: event_breakpoint.c
 *	kprobe:do_exit+4, uprobe:/bin/sh:0x4210,
 *	kretprobe:SYMBOL, uretprobe:PATH:OFFSET       probes: event_probe.c
 *	skl::LONGEST_LAT_CACHE:MISS                   of one kind of CPU: event_pfm.c
 *	system_time, user_time                        as perf stat's, where asked for:
 *event_generic.c
 *
 * with modifiers behind (event_modifier.h): cycles:u. Fills *event (name copied, its addresses
 * good for as long as it lives) with state VALID, without asking whether it can be opened. Counts
 * of the CPUs leave guests out unless a modifier says otherwise.
 *
 * -ENOENT and a sentence that says what is near where no resolver knows the name; other codes and
 * a sentence where one does, but not like this. Sentences are printable, whatever the name.
 * context, or either of its members, NULL: only what needs no files. Not thread-safe, as libpfm4.
 */
int event_resolve(const struct event_context *context, const char *name, struct event *event,
		  struct error *err);
/* One of its codes cannot be counted: the event is VALID where another one still can. */
void event_leave_out(struct event *event, size_t code, enum figure_state state, int answer);
/* Deep: the copy's probes point at its own target. */
void event_copy(struct event *copy, const struct event *event);
void event_fini(struct event *event);

/* Most of core meets events in sets. */
#include "core/event/event_set.h"

#endif
