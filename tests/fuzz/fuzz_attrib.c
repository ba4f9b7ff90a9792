// SPDX-License-Identifier: MIT
/*
 * Any records in any order, with cuts between them, on two CPUs with two groups each. At each
 * cut_interval the counts of tasks, idle and unattributed must add up to the counts of the CPUs.
 */
#include "tests/fuzz/fuzz.h"

#include "core/attrib/attrib.h"
#include "core/base/util.h"

#include <errno.h>

enum { N_CPUS = 2, N_GROUPS = 2, VALUES_MAX = 4, STEPS_MAX = 4096 };
enum { CYCLES = TALLY_FIRST_COUNTED, FAULTS, N_EVENTS };

static const int counter_of[] = {CYCLES, -1, -2, FAULTS};
static const int other_counter_of[] = {FAULTS, -1, -2};
static const struct attrib_layout layouts[N_GROUPS] = {
	{.n_values = 4,
	 .n_hardware = 1,
	 .switch_value = 1,
	 .counter_of = counter_of,
	 .clock = true},
	{.n_values = 3,
	 .n_hardware = 1,
	 .switch_value = 1,
	 .counter_of = other_counter_of,
	 .group = 1},
};

enum step_kind {
	STEP_SAMPLE,
	STEP_SAMPLE_RAW, /* with any readings */
	STEP_SWITCH,
	STEP_COMM,
	STEP_FORK,
	STEP_EXIT,
	STEP_LOST,
	STEP_FOREIGN, /* a sample with an unknown id */
	STEP_TIME,
	STEP_HIDDEN,
	STEP_CUT,
	STEP_CUT_REOPEN,
	STEP_PAUSE, /* the second group's turn ends; flag: with a runner */
	STEP_RESUME,
	STEP_KINDS,
};

/* The first byte of a step. */
struct step {
	enum step_kind kind;
	size_t cpu, group;
	bool flag;
};

struct bench {
	uint64_t now_ns, cut_ns;
	uint64_t alive; /* tids that /proc has, as a bit mask */
	struct sys sys;
	struct tasks *tasks;
	struct interval interval;
	struct attrib *attrib;
	uint64_t readings[N_CPUS][N_GROUPS][READING_VALUES + VALUES_MAX];
};

static uint64_t now_ns(void *ctx)
{
	struct bench *bench = ctx;

	return bench->now_ns += NS_PER_US;
}

static bool is_alive(const struct bench *bench, int tid)
{
	return tid > 0 && tid < 64 && bench->alive >> tid & 1;
}

static ssize_t file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	int tid = 0;

	if (sscanf(path, "/proc/%d/stat", &tid) != 1 || !is_alive(ctx, tid))
		return -ENOENT;
	return snprintf(buffer, size, "%d (task) S 1 1 1 0 -1 64 1 0 1 0 1 1 0 0 20 0 1 0 5 0",
			tid);
}

static int file_owner(void *ctx, const char *path, uid_t *owner)
{
	(void)ctx, (void)path;
	*owner = 1000;
	return 0;
}

static int dir_each(void *ctx, const char *path, int (*fn)(void *arg, const char *name), void *arg)
{
	char name[16];

	(void)path;
	for (int tid = 1; tid < 64; tid++) {
		snprintf(name, sizeof(name), "%d", tid);
		if (is_alive(ctx, tid))
			fn(arg, name);
	}
	return 0;
}

/* Existing tasks are threads: they have no pidfd. */
static int pidfd_open(void *ctx, pid_t pid)
{
	return is_alive(ctx, pid) ? -EINVAL : -ESRCH;
}

static const struct sys_ops ops = {
	.now_ns = now_ns,
	.file_read = file_read,
	.file_owner = file_owner,
	.dir_each = dir_each,
	.pidfd_open = pidfd_open,
};

static uint64_t switch_id(size_t cpu, size_t group)
{
	return 1 + cpu * N_GROUPS + group;
}

static uint64_t tick_id(size_t cpu, size_t group)
{
	return 100 + switch_id(cpu, group);
}

static void open_cpu(struct bench *bench, size_t cpu)
{
	for (size_t group = 0; group < N_GROUPS; group++)
		attrib_open(bench->attrib,
			    &(struct attrib_stream){cpu, tick_id(cpu, group), &layouts[group]},
			    bench->now_ns, NULL);
	attrib_resume(bench->attrib, cpu, 1, bench->now_ns, ATTRIB_WEIGHT_ONE);
	memset(bench->readings[cpu], 0, sizeof(bench->readings[cpu]));
}

/* -128 to 127, so that tids repeat. Only 1 to 63 can be alive. */
static pid_t read_tid(struct fuzz_bytes *bytes)
{
	return (int8_t)fuzz_u8(bytes);
}

/* As engine_snapshot(), without the snapshot. */
static void cut_interval(struct bench *bench)
{
	struct interval *interval = &bench->interval;
	uint64_t begin_ns = bench->cut_ns;
	uint64_t cpus[N_EVENTS + N_GROUPS + 1];

	for (size_t cpu = 0; cpu < N_CPUS; cpu++)
		attrib_cut(bench->attrib, cpu);
	interval_sum_cpus(interval);
	memcpy(cpus, interval->totals, sizeof(cpus));
	memset(interval->totals, 0, sizeof(cpus));
	interval_sum_parts(interval);
	fuzz_check(memcmp(cpus, interval->totals, sizeof(cpus)) == 0,
		   "tasks + idle + unattributed = CPUs");

	for (size_t i = 0; i < interval->n_ran; i++) {
		struct task *task = interval->ran[i];
		tasks_read_proc(bench->tasks, task);
		fuzz_check(task->slot == i && task->interval == interval->sequence,
			   "every task that ran has a slot of its own");
		fuzz_check(memchr(task->comm, '\0', sizeof(task->comm)), "comm ends with a NUL");
	}
	bench->cut_ns = now_ns(bench);
	interval_reset(interval);
	tasks_free_exited(bench->tasks, begin_ns);
	tasks_maintain(bench->tasks, 5 * NS_PER_MS);
}

static void sample(struct bench *bench, struct step step, struct record *record,
		   struct fuzz_bytes *bytes)
{
	const struct attrib_layout *layout = &layouts[step.group];
	uint64_t *reading = bench->readings[step.cpu][step.group];
	size_t n = READING_VALUES + layout->n_values;

	record->kind = RECORD_SAMPLE;
	record->id = step.flag ? tick_id(step.cpu, step.group) : switch_id(step.cpu, step.group);
	if (step.kind == STEP_FOREIGN)
		record->id += 1000;
	if (step.kind == STEP_SAMPLE_RAW) {
		fuzz_read(bytes, reading, n * sizeof(*reading));
	} else {
		uint64_t ran_ns = fuzz_u8(bytes), off_ns = fuzz_u8(bytes);
		reading[READING_ENABLED_NS] += ran_ns + (off_ns < 240 ? 0 : off_ns);
		reading[READING_RUNNING_NS] += ran_ns;
		for (size_t i = READING_VALUES; i < n; i++)
			reading[i] += fuzz_u8(bytes) % 16;
	}
	record->sample.reading = reading;
	record->sample.n_values = layout->n_values;
	attrib_record(bench->attrib, step.cpu, record);
}

/* All groups count during that time. */
static void pass_time(struct bench *bench, uint64_t ns)
{
	bench->now_ns += ns;
	for (size_t cpu = 0; cpu < N_CPUS; cpu++) {
		for (size_t group = 0; group < N_GROUPS; group++) {
			bench->readings[cpu][group][READING_ENABLED_NS] += ns;
			bench->readings[cpu][group][READING_RUNNING_NS] += ns;
		}
	}
}

static void run_step(struct bench *bench, struct step step, struct fuzz_bytes *bytes)
{
	struct record record = {0};

	switch (step.kind) {
	case STEP_TIME:
		pass_time(bench, fuzz_u8(bytes) * 10 * NS_PER_MS);
		return;
	case STEP_HIDDEN:
		interval_hidden_to_idle(&bench->interval, step.cpu, 0, fuzz_u8(bytes));
		return;
	case STEP_CUT_REOPEN:
		cut_interval(bench);
		attrib_close(bench->attrib, step.cpu);
		if (step.flag)
			open_cpu(bench, step.cpu);
		return;
	case STEP_CUT:
		cut_interval(bench);
		return;
	case STEP_PAUSE: {
		const struct attrib_runner runner = {read_tid(bytes), read_tid(bytes)};
		attrib_pause(bench->attrib, step.cpu, 1, bench->readings[step.cpu][1],
			     step.flag ? &runner : NULL);
		return;
	}
	case STEP_RESUME:
		attrib_resume(bench->attrib, step.cpu, 1, bench->now_ns, ATTRIB_WEIGHT_ONE);
		return;
	case STEP_SAMPLE:
	case STEP_SAMPLE_RAW:
	case STEP_SWITCH:
	case STEP_COMM:
	case STEP_FORK:
	case STEP_EXIT:
	case STEP_LOST:
	case STEP_FOREIGN:
	case STEP_KINDS:
		break;
	}

	/* Rings are read one after the other, so times are near now, but not in order. */
	record.time_ns = bench->now_ns + fuzz_u8(bytes);
	record.tid = read_tid(bytes);
	record.pid = step.flag ? record.tid : record.tid / 2;
	record.id = switch_id(step.cpu, step.group);
	switch (step.kind) {
	case STEP_SAMPLE:
	case STEP_SAMPLE_RAW:
	case STEP_FOREIGN:
		sample(bench, step, &record, bytes);
		return;
	case STEP_SWITCH:
		record.kind = RECORD_SWITCH;
		record.change.other_tid = read_tid(bytes);
		record.change.other_pid = record.change.other_tid;
		record.change.out = step.flag;
		break;
	case STEP_COMM:
		record.kind = RECORD_COMM;
		record.comm.text[0] = (char)fuzz_u8(bytes);
		record.comm.exec = step.flag;
		break;
	case STEP_FORK:
		record.kind = RECORD_FORK;
		record.fork.ptid = record.fork.ppid = read_tid(bytes);
		break;
	case STEP_EXIT:
		record.kind = RECORD_EXIT;
		break;
	case STEP_LOST:
		record.kind = RECORD_LOST;
		record.lost.records = fuzz_u8(bytes);
		break;
	case STEP_TIME:
	case STEP_HIDDEN:
	case STEP_CUT:
	case STEP_CUT_REOPEN:
	case STEP_PAUSE:
	case STEP_RESUME:
	case STEP_KINDS:
		return;
	}
	attrib_record(bench->attrib, step.cpu, &record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int cpus[N_CPUS] = {0, 1};
	const struct tally_shape shape = {N_EVENTS, N_GROUPS, 1};
	struct fuzz_bytes bytes = {data, size};
	struct bench bench = {.now_ns = 1000 * NS_PER_S};

	bench.alive = fuzz_u64(&bytes);
	bench.sys = (struct sys){.ops = &ops, .ctx = &bench};
	bench.tasks = tasks_new(&bench.sys);
	interval_init(&bench.interval, &shape, cpus, N_CPUS);
	bench.attrib = attrib_new(bench.tasks, &bench.interval);
	for (size_t cpu = 0; cpu < N_CPUS; cpu++)
		open_cpu(&bench, cpu);
	for (size_t i = 0; i < STEPS_MAX && bytes.left > 0; i++) {
		uint8_t first = fuzz_u8(&bytes);
		run_step(&bench,
			 (struct step){.kind = (enum step_kind)((first & 15) % STEP_KINDS),
				       .cpu = first >> 4 & 1,
				       .group = first >> 5 & 1,
				       .flag = first >> 6 & 1},
			 &bytes);
	}
	cut_interval(&bench);
	attrib_free(bench.attrib);
	interval_fini(&bench.interval);
	tasks_free(bench.tasks);
	return 0;
}
