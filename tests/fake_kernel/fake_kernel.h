// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_H
#define PMCTOP_FAKE_KERNEL_H

#include "core/sys/sys.h"
#include "tests/fake_kernel/limits.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A small deterministic kernel behind struct sys_ops. A test defines which tasks exist, how many
 * events per nanosecond each makes, and which one runs on each CPU. The code under test opens
 * counters, sleeps and reads rings as on Linux, with Linux's layouts, rules and errnos.
 * fk_truth_*() return the exact counts to compare with.
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
 * Time advances only in sys_wait, fk_advance and, by a small step, in sys_now_ns. At one instant
 * timers (ticks) come before scripted actions, and actions in the order in which they were queued.
 * Features of Linux that are not modelled (attr bits, ioctls) abort with their name, as do
 * impossible scenarios, so a test never passes because a feature is missing.
 *
 * One thread at a time, except for sys_wake. Arguments are copied, except: strings in steps and
 * arguments of actions must live until they are due; tables and models of PMUs and devices, and
 * devices themselves, must outlive the fake kernel.
 */
struct fk;

/* Events of tasks that have true counts. The first ten are PERF_COUNT_HW_*. */
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
	FK_RAW, /* any raw config without an event above (fk_pmu.codes) */
	FK_HARDWARE_EVENTS,

	FK_TASK_CLOCK = FK_HARDWARE_EVENTS, /* ns on a CPU */
	FK_SWITCHES,                        /* switches away from the task */
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

/* A CPU in /proc/cpuinfo. */
struct fk_model {
	const char *vendor; /* of x86: "GenuineIntel"; NULL: arm64 */
	const char *name;   /* of x86 */
	unsigned family, model, stepping;
	unsigned implementer, variant, part, revision; /* of arm64 */
};

/* A raw config of one of the events above. */
struct fk_code {
	uint64_t config;
	enum fk_event event;
	uint64_t config1; /* where the PMU has limits */
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
	uint64_t fixed;          /* these have a counter of their own */
	uint64_t only_fixed;     /* no general counter can count these: Intel's ref-cycles */
	/*
	 * Groups of more hardware events open and are never put on, for a reason that
	 * validate_group() does not see; 0: there is none.
	 */
	unsigned runs_at_most;
	/*
	 * The counters of each event. Then fixed, only_fixed and runs_at_most have no meaning, and
	 * an event of enum fk_event is the first of `codes` that has it; without one it is ENOENT.
	 */
	const struct fk_limits *limits;
	unsigned threads_per_core;   /* of these CPUs; 0: fk_config.threads_per_core */
	bool no_interrupts;          /* its events do not sample: EOPNOTSUPP */
	const struct fk_code *codes; /* NULL: raw 0x3c is cycles, 0xc0 instructions */
	size_t n_codes;
	const struct fk_file_entry *files; /* in format/ and events/ */
	size_t n_files;
	const struct fk_model *model; /* NULL: none of these CPUs is in /proc/cpuinfo */
};
#define FK_LAST_CPU INT_MAX

/* An event of a device; it counts at its rate whichever task runs. */
struct fk_device_event {
	const char *name; /* events/NAME is "event=CONFIG" */
	uint64_t config;
	struct fk_rate rate;
	const char *scale, *unit; /* NULL: no such files */
};

/*
 * A PMU of a device: no sampling and no exclude_*, not even exclude_guest (EINVAL, as for unknown
 * events). Either each socket has one ("power", "uncore_imc_0"): its events open on any CPU of the
 * socket with the same counts, do not open for tasks (EINVAL), and `cpumask` has the first online
 * CPU of each socket. Or each CPU has one ("msr"): its events open for tasks too, and in any group,
 * like software events.
 */
struct fk_device {
	const char *name;
	uint32_t type;
	bool of_cpus;         /* "msr"; otherwise of sockets */
	unsigned socket_cpus; /* CPUs of a socket; 0: there is one socket */
	const struct fk_device_event *events;
	size_t n_events;
	/*
	 * Every other event exists too, at a rate that depends on this number, on config and on
	 * config1; 0: none does.
	 */
	uint64_t seed;
	const struct fk_file_entry *files; /* in format/ */
	size_t n_files;
};

/*
 * Where tracefs is. It has id and format of sched:sched_switch, FK_SCHED_SWITCH, and of
 * sched:sched_waking, FK_SCHED_WAKING, header_page and header_event.
 */
enum fk_tracefs {
	FK_TRACEFS_NONE,       /* not mounted */
	FK_TRACEFS_MOUNTED,    /* /sys/kernel/tracing */
	FK_TRACEFS_SWITCHES,   /* ... without sched:sched_waking */
	FK_TRACEFS_DEBUGFS,    /* /sys/kernel/debug/tracing alone */
	FK_TRACEFS_UNREADABLE, /* /sys/kernel/tracing, which only root may enter: EACCES */
};
#define FK_SCHED_SWITCH 401
#define FK_SCHED_WAKING 402
#define FK_TRACING      "/sys/kernel/tracing/events"

/* All zero (or NULL) is a plain machine: one CPU, PMU "cpu", 6 counters, every event, root. */
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
	unsigned max_sample_rate; /* kernel.perf_event_max_sample_rate; 0 means 100000 */
	unsigned mlock_kb; /* kernel.perf_event_mlock_kb, x CPUs, where unprivileged; 0 means 516 */
	unsigned fd_limit; /* descriptors before EMFILE; 0 means 4096 */
	uint64_t start_ns; /* CLOCK_MONOTONIC at fk_new; 0 means 1000 s */
	uint64_t file_ns;  /* and so much after each file that is read at once */
	uint64_t step_ns;  /* the clock advances so much in each sys_now_ns; 0 means 1000 */
	bool frozen_clock; /* ... and not at all. Code that spins on the clock then aborts */
	/*
	 * Files of the topology: CPUs n and n + 1 are threads of a core, or not (1, 2), and sockets
	 * have so many CPUs and are a NUMA node each. 0: there are no such files.
	 */
	unsigned threads_per_core, socket_cpus;
	enum fk_tracefs tracefs;
	/* In the control page of events: ns = ticks * tsc_mult >> tsc_shift; 0: another clock. */
	uint32_t tsc_mult;
	uint16_t tsc_shift;
	bool procmap_query;     /* PROCMAP_QUERY of the text of /proc/PID/maps, as from 6.11 on */
	bool own_samples;       /* each event prepares its own sample, as in Linux before 6.3 */
	unsigned wait_pause_us; /* real microseconds slept in each sys_wait (threads, screens) */
};

struct fk *fk_new(const struct fk_config *config); /* NULL: the sane machine */
void fk_free(struct fk *fk);                       /* NULL is fine */
struct sys fk_sys(struct fk *fk);                  /* lives as long as fk */

/* Tasks. Initially CPU n runs its idle task (tid 0). */

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
	struct fk_raw raws[FK_RAWS_MAX]; /* up to the first with config 0 */
	/*
	 * Gives every raw event of a PMU with limits a rate of its own, which depends on this
	 * number, on the PMU, on config and on config1: up to a quarter of an event a nanosecond.
	 * Slots are `width` a cycle, and the top-down metrics are parts of them. 0: the rate of
	 * FK_RAW.
	 */
	uint64_t seed;
	/*
	 * Its switches in and out make no record, as switches of the idle task in fk_silent_idle():
	 * context-switches counts them, sched:sched_switch does not.
	 */
	bool unreported;
	struct fk_rate user; /* the share of its events and time in user mode; num 0, den 0: all */
};

/* A sleeping task that existed before: no record of its fork. */
void fk_task(struct fk *fk, const struct fk_spec *spec);
/*
 * Where the code of a task is when it is sampled: in each place as often as its weight, by a
 * generator with a fixed seed. Addresses with bit 63 are of the kernel. `chain` has the callers,
 * from the innermost on; PERF_CONTEXT_USER precedes the user's callers. Places must outlive the
 * fake kernel. Children do not have them.
 */
struct fk_place {
	uint64_t ip;
	uint32_t weight;
	const uint64_t *chain;
	size_t n_chain;
};
void fk_places(struct fk *fk, pid_t tid, const struct fk_place *places, size_t n);
/* The running task maps code of a file: a record MMAP2. */
void fk_map_code(struct fk *fk, pid_t tid, uint64_t start, uint64_t length, const char *path);

/* Changes a task's user, as setuid() does, without a record. Children forked before keep theirs. */
void fk_setuid(struct fk *fk, pid_t tid, uid_t uid);
/* Changes a rate from now on. tid 0: every idle task (which begin with 1/10 cycles, 1/20 instr.) */
void fk_rate(struct fk *fk, pid_t tid, enum fk_event event, struct fk_rate rate);

/*
 * The parent must be running. The child sleeps and has the parent's comm, uid and rates, and copies
 * of its events with attr.inherit.
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
	FK_EXIT_ZOMBIE, /* unchanged: its parent has not waited for it yet */
};
/*
 * The running task exits. Its EXIT record is written now, its own events can still be read, and
 * /proc no longer has it, unless it is a zombie. It runs (and the CPU counts) until its last switch
 * away. fk_block() with FK_PREEMPTED: it is preempted before, with its numbers.
 */
void fk_exit(struct fk *fk, pid_t tid, enum fk_exit how);
/* The parent waits for a process of FK_EXIT_ZOMBIE, which is in /proc until then. */
void fk_reap(struct fk *fk, pid_t pid);

/*
 * Why a task is off its CPU. fk_block() sets the state in which the running task leaves at its next
 * switch; without a call it sleeps. FK_PREEMPTED is runnable. fk_ready() wakes a task: it is
 * runnable until it gets a CPU. A forked task is runnable, one of fk_task() sleeps. Each CPU that
 * is online wakes up in turn: sched:sched_waking has a sample there, but not for a forked task.
 */
enum fk_state {
	FK_SLEEPING,
	FK_UNINTERRUPTIBLE, /* D */
	FK_STOPPED,         /* T */
	FK_TRACED,          /* t */
	FK_PREEMPTED,
	FK_WOKEN,
	FK_RUNNING,
	FK_STATES,
};
void fk_block(struct fk *fk, pid_t tid, enum fk_state state);
void fk_ready(struct fk *fk, pid_t tid);
void fk_rouse(struct fk *fk, pid_t tid); /* wakes a task that sleeps */
/*
 * A sleeping task that is still in its run queue is moved to another CPU `moves` times: schedstat
 * counts its sleep from now on as a wait, as Linux does from 6.12 on (seen on 6.18).
 */
void fk_move_asleep(struct fk *fk, pid_t tid, unsigned moves);
/*
 * A task in a run queue is moved to that CPU. schedstat has the wait so far from now on, and the
 * rest when it gets a CPU.
 */
void fk_move_queued(struct fk *fk, pid_t tid, int cpu);
/*
 * A CPU wakes up a running task. fk_wake_leaving(): it is being switched away, and runnable once it
 * has left. fk_wake_running(): nothing changes.
 */
void fk_wake_leaving(struct fk *fk, int cpu, pid_t tid);
void fk_wake_running(struct fk *fk, int cpu, pid_t tid);

/*
 * The kernel function in which a task is blocked, its system call and its stack, as in the files
 * wchan ("0" while it is runnable), syscall and stack. NULL: "running" and an empty stack. It must
 * outlive the fake kernel.
 */
struct fk_wait {
	const char *wchan, *syscall, *stack;
};
/* A task that is off its CPU sleeps now. Neither a record nor a counter has that. */
void fk_slip(struct fk *fk, pid_t tid);
/* fk_block() there. */
void fk_block_in(struct fk *fk, pid_t tid, enum fk_state state, const struct fk_wait *wait);

/* Gives the CPU to a task (0: idle); the previous one leaves it in the state of fk_block(). */
void fk_switch(struct fk *fk, int cpu, pid_t tid);
void fk_fault(struct fk *fk, int cpu, bool major); /* a page fault of the running task */
/* Adds a tracepoint beside FK_SCHED_SWITCH; unknown ids are EINVAL. fk_file() provides its file. */
void fk_tracepoint(struct fk *fk, uint64_t id);
void fk_trace(struct fk *fk, int cpu, uint64_t id); /* the running task hits the tracepoint */

/*
 * Makes that task the caller of struct sys, without CPU time for it: pid 0 in perf_event_open() is
 * this task, and the current CPU is where it runs, or -1. tid 0, the default: none of the tasks.
 */
void fk_self_task(struct fk *fk, pid_t tid);
/*
 * For struct sys_ops: pid and tid of the caller. Returns 0, or -ESRCH if it is none of the tasks.
 */
int fk_self(void *ctx, pid_t *pid, pid_t *tid);

/*
 * The rotation of groups. Enabled groups without counters wait, silently as in Linux. They are
 * tried again when a group with counters is enabled, or after this time, when one of the running
 * groups goes behind the waiting ones (perf_event_mux_interval_ms, 1 to 10). Groups of the CPU
 * come before groups of the running task. Each of the two kinds rotates only if some of its own
 * wait, so groups of a task wait for ever while groups of the CPU have all counters.
 */
#define FK_ROTATE_NS 4000000u

/*
 * Another user takes that many general counters of the CPU (0 returns them), or all, with the fixed
 * ones. Groups then lose their counters.
 */
void fk_hold(struct fk *fk, int cpu, unsigned slots);
#define FK_HOLD_ALL (~0u)
/*
 * Turns the NMI watchdog on. It counts cycles on every CPU that can, before all others (it is
 * pinned), on the fixed counter if there is one, else on a general one. Groups still open, because
 * validate_group() examines an empty PMU. Initially off.
 */
void fk_watchdog(struct fk *fk, bool on);
void fk_cpu_offline(struct fk *fk, int cpu); /* its task sleeps; its counters never count again */
void fk_cpu_online(struct fk *fk, int cpu);
void fk_no_tick(struct fk *fk, int cpu, bool no_tick); /* cpu-clock does not fire while idle */
/* Reads of the CPU's counters return after so long, with the counts of that time. */
void fk_answer_late(struct fk *fk, int cpu, uint64_t ns);
/* The begin of the first such read since the last call; 0: there was none. */
uint64_t fk_asked_late_ns(struct fk *fk);
/*
 * An idle CPU writes no records, though it counts: no tick, and none at the switch away from idle,
 * so that N skips one without a LOST. Observed on the second CPU of a 6.18 virtual machine, where
 * the sched_switch tracepoint is not called there: if that is N, it skips none. Not observed on the
 * first CPU, nor on Debian's 6.1.
 */
void fk_silent_idle(struct fk *fk, int cpu, bool silent);
/*
 * Another program samples switches too, since a later time. Linux (6.3 and later) prepares a
 * software sample once for all listening events, the latest first, so our samples have its id and
 * the time of its clock. The same holds among our own events: all samples of one switch have the id
 * of the first. In the other fields, counts too, each event has its own values.
 */
struct fk_rival {
	size_t chain_bytes;   /* size of its call chain: our samples are longer by it, unfilled */
	bool other_namespace; /* another pid namespace: our samples have pid and tid 0 */
	bool without_id;      /* it requests no id: our samples have their own */
};
/* NULL: the other program ends. */
void fk_rival(struct fk *fk, const struct fk_rival *rival);
/*
 * On: a sampling member of each group of the CPU has made too many samples. Off: the next tick.
 * From Linux 6.16 on the whole group stops then: no counts, no samples and no LOST, but its enabled
 * and running times grow. Only the leader writes THROTTLE and UNTHROTTLE, into its own ring or the
 * one it is sent to. A new period of a member ends it too.
 */
void fk_throttle(struct fk *fk, int cpu, bool on);
/*
 * The same in Linux before 6.16: each hardware member that makes samples stops alone, and writes
 * both records into the ring that it writes to.
 */
void fk_throttle_alone(struct fk *fk, int cpu, bool on);
void fk_lose(struct fk *fk, int cpu, unsigned n);   /* the next n records there are lost */
void fk_garble(struct fk *fk, int cpu, unsigned n); /* the next n have a header and no body */

uint64_t fk_now(const struct fk *fk); /* without advancing it */
/* Suspends the machine: CLOCK_MONOTONIC and everything else stand still. */
void fk_sleep(struct fk *fk, uint64_t ns);
/* A hypervisor took so much of the busy time of all CPUs, as /proc/stat shows. */
void fk_steal(struct fk *fk, uint64_t ns);
/* Advances the time and runs what is due. Not from within an action. */
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
	FK_BLOCK,    /* tid, n = enum fk_state */
	FK_READY,    /* tid */
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

/* Queues steps; a step that is due is done by the call that advances the clock. */
void fk_script(struct fk *fk, const struct fk_step *steps, size_t n);
/* Queues anything else, in_ns from now; fn may queue itself again. */
void fk_after(struct fk *fk, uint64_t in_ns, void (*fn)(struct fk *fk, void *arg), void *arg);
/* From now on a and b take turns on the CPU, `turns` switches, the first at once. */
void fk_ping_pong(struct fk *fk, int cpu, pid_t a, pid_t b, uint64_t turn_ns, unsigned turns);

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
	FK_FILE_OPEN,
	FK_FILE_PREAD,
	FK_FILE_STATUS,
	FK_FILE_IOCTL,
	FK_DIR_EACH,
	FK_NOW, /* cannot fail */
	FK_OPS,
};

/* The kth call of op from now (1: the next; 0: every one, until errno 0) returns -error. */
void fk_fail(struct fk *fk, enum fk_op op, unsigned k, int error);
unsigned fk_calls(const struct fk *fk, enum fk_op op); /* so far, failed ones too */
unsigned fk_open_fds(const struct fk *fk);             /* events not closed */
unsigned fk_open_files(const struct fk *fk);           /* files not closed */
unsigned fk_mapped(const struct fk *fk);               /* rings not unmapped */

/*
 * Sets a file's text, which overrides /proc and /sys; NULL: ENOENT. A link has the text of its
 * file.
 */
void fk_file(struct fk *fk, const char *path, const char *text);

/* The exact counts since fk_new(), whether an event counted them or not. */

#define FK_ALL_CPUS (-1)
uint64_t fk_truth_task(struct fk *fk, pid_t tid, enum fk_event event); /* the newest of that tid */
/* The part of a hardware event that was in user mode. */
uint64_t fk_truth_task_user(struct fk *fk, pid_t tid, enum fk_event event);
uint64_t fk_truth_task_raw(struct fk *fk, pid_t tid, uint64_t config); /* one of fk_spec.raws */
/*
 * Of what an attr with that config and config1 counts on a PMU, by its name. A task with a seed
 * must not change to another PMU. A device counts on the socket of a CPU, as in fk_truth_device().
 */
uint64_t fk_truth_code(struct fk *fk, pid_t tid, const char *pmu, uint64_t config,
		       uint64_t config1);
uint64_t fk_truth_device_code(struct fk *fk, const char *device, uint64_t config, uint64_t config1,
			      int cpu);
uint64_t fk_truth_cpu(struct fk *fk, int cpu, enum fk_event event); /* idle included */
/* ns in a state since the task began, until now or its last switch. */
uint64_t fk_truth_state(struct fk *fk, pid_t tid, enum fk_state state);
/* ns in which a task was blocked there. */
uint64_t fk_truth_wait(struct fk *fk, pid_t tid, const struct fk_wait *wait);
/*
 * The times from each wake-up of a task to its slice, in the order of these slices: *latencies_ns
 * is borrowed until time advances. Returns how many.
 */
size_t fk_truth_wakeups(struct fk *fk, pid_t tid, const uint64_t **latencies_ns);
/* Of a device, on the socket of that CPU; socket n counts n + 1 times its rate. */
uint64_t fk_truth_device(struct fk *fk, const char *device, uint64_t config, int cpu);
uint64_t fk_truth_idle(struct fk *fk, int cpu, enum fk_event event);
uint64_t fk_lost(const struct fk *fk); /* records that found no room, or fk_lose */

/*
 * For long runs: frees processes that have exited and been reaped, with their true counts.
 * fk_bytes() is the memory of the rest.
 */
void fk_bury(struct fk *fk);
size_t fk_bytes(const struct fk *fk);

#endif
