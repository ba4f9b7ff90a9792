// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_H
#define PMCTOP_FAKE_KERNEL_H

#include "core/sys/sys.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A small deterministic kernel behind struct sys_ops. A test says which tasks exist, how many
 * events per nanosecond each of them makes and who runs where; the code under test opens
 * counters, sleeps and reads rings as on Linux, with Linux's layouts, rules and errnos. The kernel
 * keeps the truth for itself (fk_truth_*), exact to the count, to compare with.
 *
 *	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
 *	fk_task(fk, &(struct fk_spec){.tid = 7, .comm = "a", .rates = {[FK_CYCLES] = {2, 1}}});
 *	fk_script(fk, (struct fk_step[]){
 *		{.at_ns = 100, .action = FK_SWITCH, .cpu = 0, .tid = 7},
 *		{.at_ns = 300, .action = FK_SWITCH, .cpu = 0, .tid = 0}}, 2);
 *	struct sys sys = fk_sys(fk);
 *	... sys_wait(&sys, NULL, 0, fk_now(fk) + 1000) ... fk_truth_task(fk, 7, FK_CYCLES) == 400
 *	fk_free(fk);
 *
 * Time stands still but for sys_wait, fk_advance and (by one small step) sys_now_ns. At one
 * instant timers (ticks) come before scripted actions, actions in the order they were queued.
 * Anything Linux has and this does not model (attr bits, ioctls) aborts and names itself, as do
 * impossible scenarios: a test never fails silently for want of a feature.
 *
 * One thread at a time, sys_wake excepted. Everything given is copied, but strings in steps and
 * actions' arguments, which must live until they are due, and the tables and models that PMUs and
 * devices point to, and devices themselves, which must live as long as the fake kernel.
 */
struct fk;

/* What a task makes, and what the truth is kept of. The first ten are PERF_COUNT_HW_*. */
enum fk_event {
	FK_CYCLES = PERF_COUNT_HW_CPU_CYCLES,
	FK_INSTRUCTIONS,
	FK_CACHE_REFERENCES,
	FK_CACHE_MISSES,
	FK_BRANCHES,
	FK_BRANCH_MISSES,
	FK_BUS_CYCLES,
	FK_STALLED_FRONTEND,
	FK_STALLED_BACKEND,
	FK_REF_CYCLES,
	FK_L1D_LOADS, /* PERF_TYPE_HW_CACHE, all for reads */
	FK_L1D_LOAD_MISSES,
	FK_L1I_LOAD_MISSES,
	FK_LLC_LOADS,
	FK_LLC_LOAD_MISSES,
	FK_DTLB_LOAD_MISSES,
	FK_ITLB_LOAD_MISSES,
	FK_RAW, /* any raw config that is none of the above (fk_pmu.codes) */
	FK_HARDWARE_EVENTS,

	FK_TASK_CLOCK = FK_HARDWARE_EVENTS, /* ns on a CPU */
	FK_SWITCHES,                        /* away from the task */
	FK_PAGE_FAULTS,
	FK_MAJOR_FAULTS, /* these are page faults too */
	FK_MIGRATIONS,
	FK_EVENTS,
};

#define FK_BIT(event)   (1ull << (event))
#define FK_ALL_HARDWARE (FK_BIT(FK_HARDWARE_EVENTS) - 1)
#define FK_GENERIC      (FK_BIT(FK_REF_CYCLES + 1) - 1)

/* num/den events a nanosecond, exact: the remainder is carried. den 0 means 1. */
struct fk_rate {
	uint32_t num, den;
};

/* A file of a PMU: "format/event", "config:0-7". */
struct fk_file_entry {
	const char *name, *text; /* a newline is added */
};

/* What /proc/cpuinfo says of a CPU. */
struct fk_model {
	const char *vendor; /* of x86: "GenuineIntel"; NULL: arm64 */
	const char *name;   /* of x86 */
	unsigned family, model, stepping;
	unsigned implementer, variant, part, revision; /* of arm64 */
};

/* A raw config that is an event which is named above. */
struct fk_code {
	uint64_t config;
	enum fk_event event;
};

/*
 * One core PMU, on CPUs first..last. A group runs when all its hardware events have a counter:
 * each kind of event in `fixed` has one of its own, which holds one such event at a time; all
 * others share the `slots` general ones. Intel has fixed counters for cycles, instructions and
 * ref-cycles, arm64 for cycles, AMD none. A group that is too large for all these is EINVAL, but
 * Linux does not count events that are disabled: on arm64 none of them, so that a group with a
 * disabled leader opens with one event too many and never runs; on x86 no siblings.
 */
struct fk_pmu {
	const char *name; /* /sys/bus/event_source/devices/NAME */
	uint32_t type;
	int first_cpu, last_cpu; /* last FK_LAST_CPU: up to the last one of the machine */
	unsigned slots;          /* general counters; 0 means 6 */
	uint64_t events;         /* FK_BIT()s of the events that exist: the others are ENOENT */
	uint64_t fixed;          /* of those that have a counter of their own */
	uint64_t only_fixed; /* of those that no general counter can count: Intel's ref-cycles */
	/*
	 * Groups of more hardware events open and are never put on, for a reason that
	 * validate_group() does not see; 0: there is none.
	 */
	unsigned runs_at_most;
	const struct fk_code *codes; /* NULL: raw 0x3c is cycles, 0xc0 instructions */
	size_t n_codes;
	const struct fk_file_entry *files; /* in format/ and events/ */
	size_t n_files;
	const struct fk_model *model; /* NULL: none of these CPUs is in /proc/cpuinfo */
};
#define FK_LAST_CPU INT_MAX

/* An event of a PMU that is no core's: goes on at its rate whoever runs. */
struct fk_device_event {
	const char *name; /* events/NAME is "event=CONFIG" */
	uint64_t config;
	struct fk_rate rate;
	const char *scale, *unit; /* NULL: no such files */
};

/*
 * A PMU that is no core's: no sampling and no exclude_*, not even exclude_guest (EINVAL, as is an
 * event that it has not). Either each socket has one ("power", "uncore_imc_0"): its events open on
 * any CPU of the socket and count the same there, are not of tasks (EINVAL), and `cpumask` shows
 * the first online CPU of each socket. Or it counts on each CPU, for tasks too, and goes into any
 * group as software does ("msr").
 */
struct fk_device {
	const char *name;
	uint32_t type;
	bool of_cpus;         /* "msr"; otherwise of sockets */
	unsigned socket_cpus; /* CPUs of a socket; 0: there is one socket */
	const struct fk_device_event *events;
	size_t n_events;
	const struct fk_file_entry *files; /* in format/ */
	size_t n_files;
};

/*
 * Where tracefs is. It has id and format of sched:sched_switch, FK_SCHED_SWITCH, header_page and
 * header_event.
 */
enum fk_tracefs {
	FK_TRACEFS_NONE,       /* not mounted */
	FK_TRACEFS_MOUNTED,    /* /sys/kernel/tracing */
	FK_TRACEFS_DEBUGFS,    /* /sys/kernel/debug/tracing alone */
	FK_TRACEFS_UNREADABLE, /* /sys/kernel/tracing, which only root may enter: EACCES */
};
#define FK_SCHED_SWITCH 401
#define FK_TRACING      "/sys/kernel/tracing/events"

/* All zero (or NULL) is a sane machine: one CPU, PMU "cpu", 6 counters, every event, root. */
struct fk_config {
	unsigned cpus;             /* 0 means 1; up to 1024 */
	const struct fk_pmu *pmus; /* NULL: one, "cpu", type 4, all CPUs, every hardware event */
	size_t n_pmus;
	const struct fk_device *const *devices; /* NULL: none */
	size_t n_devices;
	unsigned slots;    /* of the default PMU; 0 means 6 */
	uint64_t events;   /* of the default PMU; 0 means all */
	uint64_t fixed;    /* of the default PMU */
	bool no_pmu;       /* a virtual machine without counters: software events only */
	bool unprivileged; /* no CAP_PERFMON, no CAP_IPC_LOCK, no ptrace of other users' tasks */
	uid_t uid;         /* of the opener */
	int paranoid;      /* kernel.perf_event_paranoid; 3 and more as Debian's and Ubuntu's */
	int denied;        /* errno of every perf_event_open: EPERM or EACCES (seccomp), ENOSYS */
	unsigned mlock_kb; /* kernel.perf_event_mlock_kb, x CPUs, where unprivileged; 0 means 516 */
	unsigned fd_limit; /* descriptors before EMFILE; 0 means 4096 */
	uint64_t start_ns; /* CLOCK_MONOTONIC at fk_new; 0 means 1000 s */
	uint64_t step_ns;  /* the clock advances so much in each sys_now_ns; 0 means 1000 */
	bool frozen_clock; /* ... and not at all. Code that spins on the clock then aborts */
	enum fk_tracefs tracefs;
	bool own_samples;       /* each event prepares its own sample: Linux before 6.3 */
	unsigned wait_pause_us; /* real microseconds slept in each sys_wait (threads, screens) */
};

struct fk *fk_new(const struct fk_config *config); /* NULL: the sane machine */
void fk_free(struct fk *fk);                       /* NULL is fine */
struct sys fk_sys(struct fk *fk);                  /* lives as long as fk */

/* ---- tasks. CPU n runs its idle task (tid 0) until fk_switch says otherwise. */

/* A raw event that has a rate of its own, other than FK_RAW's. */
struct fk_raw {
	uint64_t config; /* not 0 */
	struct fk_rate rate;
};
#define FK_RAWS_MAX 32

struct fk_spec {
	pid_t tid;
	pid_t pid;  /* 0: tid, a process */
	pid_t ppid; /* 0: 1 */
	uid_t uid;
	bool kernel;        /* PF_KTHREAD */
	const char *comm;   /* any bytes, cut at 15; NULL: "task" */
	const char *args;   /* of its command line, behind comm; not copied; NULL: none */
	const char *cgroup; /* "/a/b", not copied; NULL: "/". Threads and children have it too */
	struct fk_rate rates[FK_HARDWARE_EVENTS];
	struct fk_raw raws[FK_RAWS_MAX]; /* up to the first whose config is 0 */
	/*
	 * It leaves no record of being switched in or out, as the idle task of fk_silent_idle:
	 * context-switches counts its switches, sched:sched_switch does not.
	 */
	bool unreported;
	struct fk_rate user; /* the share of its events and time in user mode; num 0, den 0: all */
};

/* A task that exists (asleep) without anyone having seen its fork. */
void fk_task(struct fk *fk, const struct fk_spec *spec);
/* Changes its user, as setuid(): no record says so. Children forked before keep theirs. */
void fk_setuid(struct fk *fk, pid_t tid, uid_t uid);
/* Changes a rate from now on. tid 0: every idle task (which begin with 1/10 cycles, 1/20 instr.) */
void fk_rate(struct fk *fk, pid_t tid, enum fk_event event, struct fk_rate rate);

/*
 * The parent must be running; the child sleeps, with the parent's comm, uid and rates, and with
 * copies of its events whose attr.inherit says so.
 */
void fk_fork(struct fk *fk, pid_t parent, pid_t child);   /* a process */
void fk_thread(struct fk *fk, pid_t parent, pid_t child); /* a thread of the parent's process */
/* The task must be running. */
void fk_comm(struct fk *fk, pid_t tid, const char *comm); /* prctl(PR_SET_NAME) */
void fk_exec(struct fk *fk, pid_t tid, const char *comm); /* attr.enable_on_exec */

/* How the last switch record of an exiting task names it. */
enum fk_exit {
	FK_EXIT_THREAD, /* pid = process, tid = -1: a thread, already released */
	FK_EXIT_REAPED, /* pid = tid = -1: the whole process is gone */
	FK_EXIT_ZOMBIE, /* as ever: its parent has not waited for it yet */
};
/*
 * The running task exits: its EXIT record is written now, its own events have counted and can be
 * read still, /proc forgets it at once. It still runs (and the CPU counts) until the switch away,
 * which is its last.
 */
void fk_exit(struct fk *fk, pid_t tid, enum fk_exit how);

/* Gives the CPU to a sleeping task (0: idle); the one that ran there sleeps. */
void fk_switch(struct fk *fk, int cpu, pid_t tid);
void fk_fault(struct fk *fk, int cpu, bool major); /* a page fault of who runs there */
/*
 * A tracepoint that exists, beside FK_SCHED_SWITCH: others are EINVAL. Its file is for fk_file() to
 * give.
 */
void fk_tracepoint(struct fk *fk, uint64_t id);
void fk_trace(struct fk *fk, int cpu, uint64_t id); /* who runs there passes the tracepoint */

/*
 * The caller of struct sys is that task (which takes no time for it): pid 0 means it in
 * perf_event_open, and the current CPU is where it runs, or -1. tid 0: none of the tasks, as at
 * first.
 */
void fk_self_task(struct fk *fk, pid_t tid);
/* For struct sys_ops: who calls; 0, or -ESRCH where that is none of the tasks. */
int fk_self(void *ctx, pid_t *pid, pid_t *tid);

/* ---- the machine */

/*
 * Enabled groups that find too few counters wait, and Linux tells them nothing: they are tried
 * again when a group with counters is enabled, or after this time, when one of those that run goes
 * behind those that wait (perf_event_mux_interval_ms, 1 to 10). A CPU's groups come before those of
 * the task that runs there, and each of the two rotates only if some of its own wait: a task's wait
 * for ever while the CPU's have all counters.
 */
#define FK_ROTATE_NS 4000000u

/*
 * Someone else takes that many general counters of the CPU (0 gives them back), or all, the fixed
 * ones too: groups go off.
 */
void fk_hold(struct fk *fk, int cpu, unsigned slots);
#define FK_HOLD_ALL (~0u)
/*
 * The NMI watchdog counts cycles on every CPU that can, before anyone else (it is pinned): on the
 * fixed counter where there is one, else on a general one. Whether a group opens is not its
 * business, as validate_group() looks at an empty PMU. Off at first.
 */
void fk_watchdog(struct fk *fk, bool on);
void fk_cpu_offline(struct fk *fk, int cpu); /* who ran there sleeps; its counters die for good */
void fk_cpu_online(struct fk *fk, int cpu);
void fk_no_tick(struct fk *fk, int cpu, bool no_tick); /* cpu-clock does not fire while idle */
/* It answers a read of its counters after so long, with what it has counted by then. */
void fk_answer_late(struct fk *fk, int cpu, uint64_t ns);
/*
 * While the CPU idles it writes no record at all, though it counts: no tick, and none at the
 * switch away from idle, so that N skips one and no LOST says so. Seen on the second CPU of a 6.18
 * virtual machine, where the sched_switch tracepoint is not called there: where that is N, it skips
 * none. Not seen on the first CPU, nor on Debian's 6.1.
 */
void fk_silent_idle(struct fk *fk, int cpu, bool silent);
/*
 * Someone else samples switches too, since later than we. Linux (6.3 and later) prepares a software
 * sample once and hands it to all events that listen, those that were put on last first, so that
 * ours have its id and the time of its clock. Among our own events it is the same: all samples of
 * one switch have the id of the first of them. Other fields, the counts too, are each event's own.
 */
struct fk_rival {
	size_t chain_bytes;   /* of its call chain: our samples are longer by it, and do not fill it
			       */
	bool other_namespace; /* of pids, with none of our tasks: our samples have pid and tid 0 */
	bool without_id;      /* it requests none: our samples have their own */
};
/* NULL: it ends. */
void fk_rival(struct fk *fk, const struct fk_rival *rival);
/*
 * A sampling member of each group of the CPU has made too many samples, or (off) the next tick has
 * come. From Linux 6.16 on the whole group stops then: it counts and samples nothing and writes no
 * LOST, but its enabled and running times grow. Only the leader writes THROTTLE and UNTHROTTLE,
 * into a ring of its own or one that it is sent to. A new period of a member ends it, too.
 */
void fk_throttle(struct fk *fk, int cpu, bool on);
void fk_lose(struct fk *fk, int cpu, unsigned n);   /* the next n records there are lost */
void fk_garble(struct fk *fk, int cpu, unsigned n); /* they have a header and no body */

/* ---- time */

uint64_t fk_now(const struct fk *fk); /* without advancing it */
/* The machine is suspended for so long: CLOCK_MONOTONIC stands still, and all else. */
void fk_sleep(struct fk *fk, uint64_t ns);
/* A hypervisor took so much of the busy time that all CPUs had: /proc/stat tells. */
void fk_steal(struct fk *fk, uint64_t ns);
/* Lets time pass, doing what is due. Not from within an action. */
void fk_advance(struct fk *fk, uint64_t ns);

enum fk_action {
	FK_SWITCH,   /* cpu, tid */
	FK_FORK,     /* tid, child */
	FK_THREAD,   /* tid, child */
	FK_COMM,     /* tid, comm */
	FK_EXEC,     /* tid, comm */
	FK_EXIT,     /* tid, n = enum fk_exit */
	FK_FAULT,    /* cpu */
	FK_HOLD,     /* cpu, n */
	FK_LOSE,     /* cpu, n */
	FK_THROTTLE, /* cpu, n: on */
	FK_OFFLINE,  /* cpu */
	FK_ONLINE,   /* cpu */
	FK_WAKE,     /* as sys_wake */
};

struct fk_step {
	uint64_t at_ns; /* since fk_script was called */
	enum fk_action action;
	int cpu;
	pid_t tid;
	pid_t child;
	unsigned n;
	const char *comm;
};

/* Queues steps; those that are due are done by whatever advances the clock. */
void fk_script(struct fk *fk, const struct fk_step *steps, size_t n);
/* Queues anything else, in_ns from now; fn may queue itself again. */
void fk_after(struct fk *fk, uint64_t in_ns, void (*fn)(struct fk *fk, void *arg), void *arg);
/* From now on a and b take turns on the CPU, `turns` switches, the first at once. */
void fk_ping_pong(struct fk *fk, int cpu, pid_t a, pid_t b, uint64_t turn_ns, unsigned turns);

/* ---- faults and bookkeeping */

enum fk_op {
	FK_PERF_OPEN,
	FK_PERF_READ,
	FK_PERF_IOCTL,
	FK_PERF_MAP,
	FK_PERF_UNMAP,
	FK_CLOSE,
	FK_WAIT,
	FK_FILE_READ,
	FK_LINK_READ,
	FK_FILE_OWNER,
	FK_DIR_EACH,
	FK_NOW, /* cannot fail */
	FK_OPS,
};

/* The kth call of op from now (1: the next; 0: every one, until errno 0) returns -error. */
void fk_fail(struct fk *fk, enum fk_op op, unsigned k, int error);
unsigned fk_calls(const struct fk *fk, enum fk_op op); /* so far, failed ones too */
unsigned fk_open_fds(const struct fk *fk);             /* events not closed */
unsigned fk_mapped(const struct fk *fk);               /* rings not unmapped */

/*
 * A file's text from now on (whatever /proc and /sys would say), or none: NULL is ENOENT. A link
 * says what its file would.
 */
void fk_file(struct fk *fk, const char *path, const char *text);

/* ---- the truth since fk_new, to the count, whether anyone counted or not */

#define FK_ALL_CPUS (-1)
uint64_t fk_truth_task(struct fk *fk, pid_t tid, enum fk_event event); /* the newest of that tid */
/* The part of a hardware event that was in user mode. */
uint64_t fk_truth_task_user(struct fk *fk, pid_t tid, enum fk_event event);
uint64_t fk_truth_task_raw(struct fk *fk, pid_t tid, uint64_t config); /* one of fk_spec.raws */
uint64_t fk_truth_cpu(struct fk *fk, int cpu, enum fk_event event);    /* idle included */
/* Of a device, on the socket of that CPU; socket n counts n + 1 times its rate. */
uint64_t fk_truth_device(struct fk *fk, const char *device, uint64_t config, int cpu);
uint64_t fk_truth_idle(struct fk *fk, int cpu, enum fk_event event);
uint64_t fk_lost(const struct fk *fk); /* records that found no room, or fk_lose */

/*
 * For runs that are long: forgets processes that are dead and gone, and the truth about them; what
 * nobody can ask about any more costs nothing then. What is left takes so many bytes.
 */
void fk_bury(struct fk *fk);
size_t fk_bytes(const struct fk *fk);

#endif
