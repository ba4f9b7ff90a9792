// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_INTERNAL_H
#define PMCTOP_FAKE_KERNEL_INTERNAL_H

#include "tests/fake_kernel/fake_kernel.h"

#include <stdatomic.h>

/*
 * The parts of the fake kernel. Its rule: before code changes what a CPU counts (a switch, an
 * ioctl, an open), it calls fk_settle(), which brings the counts up to date, and afterwards
 * fk_schedule().
 */

/* More events that can be counted, after the events of enum fk_event. */
enum {
	FK_MINOR_FAULTS = FK_EVENTS,
	FK_DUMMY,
	FK_TRACE,  /* the tracepoint is attr.config */
	FK_DEVICE, /* fk_perf.device and attr.config */
	FK_KINDS,
};

/* Groups in opening order: of a CPU, or of a task wherever it runs. */
struct fk_context {
	struct fk_perf **leaders;
	size_t n, capacity;
	bool waits; /* some of its groups found too few counters when last put on */
};

enum { FK_WAITS = 8 };

struct fk_task {
	struct fk_task *next; /* in its bucket, the newest first */
	struct fk_spec spec;  /* comm is in the next field */
	char comm[16];
	struct fk_task *parent; /* its parent by fork; NULL: see spec.ppid */
	uint64_t start_ns;
	uint64_t counts[FK_KINDS];
	uint64_t remainders[FK_HARDWARE_EVENTS];
	uint64_t raw_counts[FK_RAWS_MAX], raw_remainders[FK_RAWS_MAX];
	/* In user mode; of the raw ones after the others. */
	uint64_t user_counts[FK_HARDWARE_EVENTS + FK_RAWS_MAX];
	uint64_t user_remainders[FK_HARDWARE_EVENTS + FK_RAWS_MAX];
	uint64_t user_ns, user_ns_remainder; /* of its time on a CPU */
	int cpu;                             /* where it runs, or -1 */
	int last_cpu;                        /* where it ran last, or -1 */
	enum fk_state state;                 /* now ... */
	uint64_t state_ns;                   /* ... and since when */
	uint64_t state_times[FK_STATES];     /* before that, ns */
	uint64_t queued_ns;                  /* in a run queue, up to its last switch-in */
	uint64_t moved_ns;                /* when it was moved while it is queued; 0: it was not */
	uint64_t counted_ns;              /* since when its sleep counts as that; 0: it does not */
	uint64_t moves;                   /* by fk_move_asleep() */
	enum fk_state leaves;             /* its state after its next switch ... */
	const struct fk_wait *leaves_for; /* ... and where it is blocked then; NULL: unknown */
	const struct fk_wait *wait;       /* where it is blocked now; NULL: nowhere, unknown */
	/* Where it was blocked before, and for how long. */
	struct {
		const struct fk_wait *wait;
		uint64_t ns;
	} waits[FK_WAITS];
	bool woken_leaving;  /* it is runnable after that switch */
	bool woken;          /* FK_WOKEN is not the start of a forked task */
	uint64_t *latencies; /* of its wake-ups, ns */
	size_t n_latencies, latencies_capacity;
	uint64_t preempted; /* how often it left while it was runnable */
	bool exiting;       /* its EXIT record is written */
	bool dead;          /* it has been switched away for good */
	enum fk_exit how;
	bool reaped; /* of FK_EXIT_ZOMBIE: its parent has waited for it */
	struct fk_context context;
	const struct fk_place *places; /* fk_places() */
	size_t n_places;
};

/* The address of samples of a task without places. */
#define FK_PLACE_DEFAULT 0x1000u

struct fk_cpu {
	int number;
	bool online;
	bool no_tick;
	bool silent_idle;
	uint64_t answer_ns;       /* what a read of its counters takes */
	const struct fk_pmu *pmu; /* NULL: none */
	unsigned held;            /* counters that other users hold */
	uint64_t rotate_ns;       /* when groups that wait then get their turn; 0: none did */
	unsigned lose;            /* records to lose */
	unsigned garble;          /* records to write without their body */
	uint64_t settled_ns;      /* until when counts are up to date */
	uint64_t counts[FK_KINDS];
	struct fk_task *current;
	struct fk_task idle;
	struct fk_context context;
};

/* The memory of a ring, shared by all events that write there. */
struct fk_ring {
	struct perf_event_mmap_page *page;
	unsigned char *data;
	size_t size; /* the page included */
	uint64_t watermark;
	uint64_t wakeup; /* last multiple of the watermark that woke a reader */
	unsigned events; /* since the last wakeup by wakeup_events */
	uint64_t lost;   /* lost records not yet reported */
	bool poll;       /* a poll returns POLLIN, once */
	int clockid;
	int cpu;
	unsigned maps;
};

/* A perf event. */
struct fk_perf {
	int fd; /* -1: closed, but mapped; or a copy */
	uint64_t id;
	struct perf_event_attr attr;
	int kind;                 /* enum fk_event, FK_MINOR_FAULTS, FK_DUMMY */
	uint64_t config, config1; /* as the counter is programmed, where the PMU has limits */
	int cpu;                  /* -1: wherever the task runs */
	struct fk_task *task;
	const struct fk_pmu *pmu;       /* PMU that counts it; NULL: none */
	const struct fk_device *device; /* its device; NULL: none */
	struct fk_perf *leader;         /* itself, or its group's */
	struct fk_perf **members; /* of a leader: itself, then its siblings as they were opened */
	size_t n_members, members_capacity;

	bool enabled;   /* not OFF; a sibling counts only while its leader is enabled too */
	bool active;    /* counting now */
	bool throttled; /* of a leader: its group does not count, see fk_throttle */
	bool stopped;   /* it alone does not count, see fk_throttle_alone */
	uint64_t turn;  /* when it was put on; the latest event counts software events first */
	bool gone;      /* its CPU went offline or its task exited: it never counts again */
	uint64_t count, enabled_ns, running_ns;

	/* inherit.c; a copy has neither descriptor nor ring, and is not among fk.perfs */
	struct fk_perf *parent;  /* of a copy: what was opened */
	struct fk_perf **copies; /* of the tasks that live */
	size_t n_copies, copies_capacity;
	struct {
		uint64_t count, enabled_ns, running_ns;
	} left;           /* counts of the copies of exited tasks */
	unsigned changes; /* of a leader: how often its group got or lost a member */

	uint64_t period;      /* 0: not sampling */
	uint64_t period_left; /* events, or ns of a clock that is stopped (0: a whole period) */
	uint64_t tick_ns;     /* when its clock fires next; 0: never */
	uint64_t lost_samples;

	struct fk_ring *ring;   /* where its records go */
	struct fk_ring *mapped; /* the ring that was mapped through its descriptor */
};

struct fk_due {
	uint64_t at_ns;
	uint64_t order;
	struct fk_step step;
	void (*fn)(struct fk *fk, void *arg); /* NULL: the step */
	void *arg;
	void *owned; /* freed when done */
};

struct fk_failure {
	enum fk_op op;
	unsigned call; /* 0: every one */
	int error;
};

struct fk_given {
	char *path;
	uint32_t hash; /* of the path */
	char *text;    /* NULL: ENOENT */
};

#define FK_BUCKETS    1024
#define FK_FOUND      (1 << 17)
#define FK_FIRST_FD   1000
#define FK_FIRST_FILE (1 << 28)

/* An opened file. It has the text of the moment when it was opened. */
struct fk_opened {
	char *path; /* NULL: closed */
	char *text;
	size_t size;
};

struct fk {
	struct fk_config config;
	struct fk_pmu *pmus;
	size_t n_pmus;
	uint64_t *tracepoints;
	size_t n_tracepoints, tracepoints_capacity;
	struct fk_cpu *cpus;
	struct fk_task *tasks[FK_BUCKETS];
	struct fk_task *found[FK_FOUND]; /* by tid: the newest, or NULL: to be looked for */
	bool threaded;                   /* some task is not its process's first */
	uint64_t forks;                  /* tasks so far */
	struct fk_task self;             /* pid 0 of perf_event_open: never runs */
	pid_t self_tid;                  /* unless it is this task */

	uint64_t random; /* state of the generator for places */
	uint64_t start_ns;
	uint64_t now_ns;
	uint64_t asked_ns; /* fk_asked_late_ns() */
	uint64_t slept_ns; /* suspended so far */
	bool has_rival;
	struct fk_rival rival;
	uint64_t stolen_ns; /* fk_steal */
	bool watchdog;      /* fk_watchdog */
	bool acting;        /* an action is being done */
	unsigned spins;     /* clock readings since the frozen clock last advanced */
	atomic_bool woken;
	struct fk_due *due; /* binary heap, the earliest first */
	size_t n_due, due_capacity;
	uint64_t due_order;
	unsigned wakers; /* CPUs that woke up a task so far */

	struct fk_perf **perfs; /* in opening order */
	size_t n_perfs, perfs_capacity;
	struct fk_perf **by_fd; /* from FK_FIRST_FD on, none given out again; NULL: closed */
	size_t n_by_fd, by_fd_capacity;
	struct fk_perf **clocks; /* the perfs that can tick */
	size_t n_clocks, clocks_capacity;
	uint64_t next_tick_ns; /* nothing ticks before it; 0: not known */
	uint64_t turns;        /* of events that were put on */
	unsigned fds;
	uint64_t next_id;
	struct fk_ring **rings;
	size_t n_rings, rings_capacity;
	uint64_t lost;

	unsigned calls[FK_OPS];
	struct fk_failure *failures;
	size_t n_failures, failures_capacity;
	struct fk_given *texts;
	size_t n_texts, texts_capacity;
	struct fk_opened *opened; /* from FK_FIRST_FILE on */
	size_t n_opened, opened_capacity;
};

/* Prints the error in the scenario, or the missing feature, and aborts. */
void fk_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Counts the call; -errno when it is to fail. */
int fk_enter(struct fk *fk, enum fk_op op);

/* The data of sched:sched_switch, as fk_switch_format has it. */
struct fk_switch_data {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	char prev_comm[16];
	int32_t prev_pid, prev_prio;
	int64_t prev_state;
	char next_comm[16];
	int32_t next_pid, next_prio;
};

/* The same of sched:sched_waking. */
struct fk_waking_data {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	char woken_comm[16];
	int32_t woken_pid, prio, target_cpu;
};

/* The data of a tracepoint. */
struct fk_trace_data {
	const void *bytes;
	size_t n;
};

/* task.c */
struct fk_cpu *fk_cpu(struct fk *fk, int cpu);     /* aborts when there is none */
struct fk_task *fk_find(struct fk *fk, pid_t tid); /* NULL when there never was */
/* -EINVAL for all existing tasks, as for threads: there are no descriptors of them. */
int fk_pidfd_open(void *ctx, pid_t pid);
void fk_machine_init(struct fk *fk);
void fk_machine_fini(struct fk *fk);

/* counts.c */
/* Brings the counts of a CPU, of its running task and of its events up to date. */
void fk_settle(struct fk *fk, struct fk_cpu *cpu);
void fk_settle_all(struct fk *fk);

/* event.c */
int fk_perf_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		 unsigned long flags);
struct fk_perf *fk_perf_of(struct fk *fk, int fd); /* NULL: EBADF */

/* inherit.c */
bool fk_perf_is_inherited(const struct fk_perf *perf);
/* Copies inherited events to the child. Settle first, as for the others. */
void fk_inherit(const struct fk_task *parent, struct fk_task *child);
void fk_enable_on_exec(struct fk *fk, struct fk_task *task, struct fk_cpu *cpu);
void fk_context_exit(struct fk *fk, struct fk_context *context); /* its task's */
void fk_copies_free(struct fk *fk, struct fk_perf *perf);

/* resolve.c: the event of perf->attr, on perf->cpu: fills kind, pmu and device, or -errno. */
int fk_resolve(const struct fk *fk, struct fk_perf *perf);
/* The event of a raw config on a PMU with limits. */
enum fk_event fk_code_event(const struct fk_pmu *pmu, uint64_t config, uint64_t config1);

/* device.c */
const struct fk_device *fk_device_by_type(const struct fk *fk, uint32_t type); /* or NULL */
/* Whether the device can count an attr: 0 or -errno. */
int fk_device_check(const struct fk_device *device, const struct fk_perf *perf);
/* The count of its event in that time on that CPU. */
uint64_t fk_device_counts(const struct fk *fk, const struct fk_device *device,
			  const struct perf_event_attr *attr, int cpu, uint64_t from_ns,
			  uint64_t to_ns);

/* rates.c: what a task with a seed counts of a raw event in its first ns on a CPU. */
uint64_t fk_seeded_count(const struct fk_spec *spec, const struct fk_pmu *pmu, uint64_t config,
			 uint64_t config1, uint64_t ns);
/* The rate of an event of a device with a seed. */
struct fk_rate fk_seeded_rate(uint64_t seed, uint64_t config, uint64_t config1);

/* schedule.c */
void fk_group_add(struct fk_perf *leader, struct fk_perf *perf);
struct fk_context *fk_perf_context(struct fk *fk, const struct fk_perf *perf);
void fk_context_add(struct fk_context *context, struct fk_perf *leader);
/* Whether Linux thinks that a group and one more event (or that alone: NULL) fit an empty PMU. */
bool fk_group_fits(const struct fk_perf *leader, const struct fk_perf *perf);
/* Decides which groups of the CPU are on; settle first. */
enum fk_anew {
	FK_NOTHING_ANEW, /* some groups stop; groups that wait for counters still wait */
	FK_TASK_ANEW,    /* only the task's that runs there now */
	FK_ALL_ANEW,
};
void fk_schedule(struct fk *fk, struct fk_cpu *cpu, enum fk_anew anew);
void fk_rotate(struct fk *fk, struct fk_cpu *cpu); /* settle first, too */
/*
 * As Linux does where perf was enabled, or opened enabled (ctx_resched()): takes all groups of its
 * PMU off the CPU and puts them on again, one after the other.
 */
void fk_reschedule(struct fk *fk, struct fk_cpu *cpu, const struct fk_perf *perf);
/* Starts an event that was added to, or enabled in, a group that is on already. */
void fk_start_late(struct fk *fk, struct fk_perf *perf);
void fk_perf_set_active(struct fk *fk, struct fk_perf *perf, bool active);
/* Takes an event out of its group and context; a leader leaves its siblings, alone. */
bool fk_perf_is_clock(const struct fk_perf *perf);
void fk_perf_detach(struct fk *fk, struct fk_perf *perf);
void fk_context_stop(struct fk *fk, struct fk_context *context); /* takes all off the CPU */
/* Dissolves the CPU's groups: each event is single and never counts again. */
void fk_perf_kill(struct fk *fk, struct fk_cpu *cpu);
void fk_perf_free(struct fk *fk, struct fk_perf *perf); /* unless still open or mapped */

/* counter.c */
#define FK_VALUES_MAX 256
/*
 * The words of a read of perf, with the times of `times` (the leader's in read(2), the event's own
 * in a sample). Returns the number of u64s.
 */
size_t fk_read_values(const struct fk_perf *perf, const struct fk_perf *times, uint64_t *values);
ssize_t fk_perf_read(void *ctx, int fd, void *buffer, size_t size);
int fk_perf_ioctl(void *ctx, int fd, unsigned long request, uintptr_t argument);
int fk_perf_close(void *ctx, int fd);
/*
 * An event of the running task: software events count and overflow. A tracepoint has its config,
 * and data or NULL.
 */
void fk_software_event(struct fk *fk, struct fk_cpu *cpu, int kind, uint64_t config,
		       const struct fk_trace_data *raw);
/* Whether an exiting task runs, or ran, for the last time. */
bool fk_is_released(const struct fk_task *task);
bool fk_is_unreported(const struct fk_cpu *cpu); /* of the running task */
uint64_t fk_next_tick(struct fk *fk); /* not after the next one; UINT64_MAX: there is none */
void fk_expect_tick(struct fk *fk, uint64_t at_ns); /* there is one now, at that time */
void fk_do_ticks(struct fk *fk);

/* ring.c */
int fk_perf_map(void *ctx, int fd, size_t size, void **address);
int fk_perf_unmap(void *ctx, void *address, size_t size);
int fk_perf_set_output(struct fk *fk, struct fk_perf *perf, int fd);
bool fk_ring_poll(struct fk_ring *ring);
void fk_ring_free(struct fk *fk, struct fk_ring *ring);

/* record.c */
/*
 * The fields that perf_prepare_sample() has filled in for one occurrence of an event. The first
 * event that requests a field sets it for later ones. Empty if each event has its own.
 */
struct fk_prepared {
	uint64_t fields; /* PERF_SAMPLE_* */
	uint64_t id, stream_id, time_ns;
	bool no_numbers;   /* TID: the pid namespace of that event does not have the task */
	size_t more_bytes; /* that a sample is longer by */
	/* RAW: the tracepoint's data. NULL: it has none. */
	const struct fk_trace_data *raw;
};

void fk_record_sample(struct fk *fk, struct fk_perf *perf, struct fk_cpu *cpu, bool user,
		      struct fk_prepared *prepared);
/* As if the event of another program had set the fields first. */
struct fk_prepared fk_prepared_by_rival(const struct fk *fk);
void fk_record_task(struct fk *fk, struct fk_cpu *cpu, uint32_t type, const struct fk_task *task,
		    pid_t ppid, pid_t ptid);
/* THROTTLE or UNTHROTTLE of a group. */
void fk_record_throttle(struct fk *fk, struct fk_perf *perf, struct fk_cpu *cpu, bool on);
void fk_record_comm(struct fk *fk, struct fk_cpu *cpu, const struct fk_task *task, bool exec);
/* SWITCH_CPU_WIDE, written while the CPU runs `current`; other: the next or previous task. */
void fk_record_switch(struct fk *fk, struct fk_cpu *cpu, const struct fk_task *other, bool out);
/* ring.c again: writes a record for perf (after the LOST that is owed), or loses it. */
void fk_ring_write(struct fk *fk, struct fk_perf *perf, struct fk_cpu *cpu, const void *record,
		   size_t size);
/* record.c: the trailer that every record but SAMPLE ends with; returns its size. */
size_t fk_record_trailer(struct fk *fk, const struct fk_perf *perf, const struct fk_cpu *cpu,
			 unsigned char *to);

/* files.c */
void fk_tracefs_init(struct fk *fk);
#define TICK_NS (NS_PER_S / 100)
/* Text that grows up to the reader's buffer and is cut there. */
struct fk_text {
	char *bytes;
	size_t n, size;
};

void fk_text_add(struct fk_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* As fk_file_read(), but not one of its calls. */
ssize_t fk_file_text(struct fk *fk, const char *path, char *buffer, size_t size);
ssize_t fk_file_read(void *ctx, const char *path, char *buffer, size_t size);
ssize_t fk_link_read(void *ctx, const char *path, char *buffer, size_t size);
int fk_file_owner(void *ctx, const char *path, uid_t *owner);
int fk_dir_links(void *ctx, const char *path, uint64_t *links);
int fk_dir_each(void *ctx, const char *path, int (*fn)(void *arg, const char *name), void *arg);

/* opened.c */
int fk_file_open(void *ctx, const char *path);
ssize_t fk_file_pread(void *ctx, int fd, void *buffer, size_t size, uint64_t offset);
int fk_file_status(void *ctx, int fd, struct stat *status);
int fk_file_ioctl(void *ctx, int fd, unsigned long request, void *argument);
int fk_close(void *ctx, int fd); /* of a file or an event */

/* files_machine.c */
int fk_machine_file(struct fk_text *text, struct fk *fk, const char *path);
/* The names in a directory that the machine has. */
void fk_machine_names(const struct fk *fk, const char *path,
		      void (*add)(void *arg, const char *name), void *arg);

static inline bool fk_is_throttled(const struct fk_perf *perf)
{
	return perf->leader->throttled || perf->stopped;
}

#endif
