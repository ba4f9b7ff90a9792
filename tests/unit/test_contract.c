// SPDX-License-Identifier: MIT
/*
 * What the core relies on in perf_event_open, checked on two kernels: the fake one of
 * tests/fake_kernel and the one this test runs on (software events only, so any machine will do).
 * Each case runs on both through struct sys, so that the fake cannot drift from Linux. The real
 * half is skipped, aloud, where the kernel refuses per-CPU events.
 */
#include "core/sys.h"
#include "core/util.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/fake_kernel/reader.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define TICK_OFF_NS (1000 * NS_PER_S)
#define RECORDS     4096
/* header, id, pid and tid, time, CPU, nr, enabled, running: then the counts */
#define SAMPLE_BYTES (8 * 8 + 8 * MEMBERS)

/* ---- one machine, real or fake, with a task "me" that runs on `cpu` */

struct world {
	struct sys sys;
	struct fk *fk; /* NULL: the real one */
	int cpu;
	pid_t me;
	pid_t next_tid;   /* of the fake */
	unsigned version; /* of the kernel: major << 8 | minor */
	bool silent_idle; /* the idle task makes no records (or it is not known that it does) */
	cpu_set_t affinity;
	size_t page_size;
};

static unsigned kernel_version(void)
{
	struct utsname name;
	unsigned major = 0, minor = 0;

	uname(&name);
	sscanf(name.release, "%u.%u", &major, &minor);
	return major << 8 | minor;
}

static int real_setup(void **state)
{
	struct world *world = xcalloc(1, sizeof(*world));
	cpu_set_t one;

	assert_int_equal(sys_linux_init(&world->sys), 0);
	world->version = kernel_version();
	world->page_size = (size_t)sysconf(_SC_PAGESIZE);
	world->me = getpid();
	world->silent_idle = true; /* not known */
	sched_getaffinity(0, sizeof(world->affinity), &world->affinity);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &world->affinity))
			world->cpu = cpu;
	CPU_ZERO(&one);
	CPU_SET(world->cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	*state = world;
	return 0;
}

static int make_fake(void **state, bool silent_idle)
{
	struct world *world = xcalloc(1, sizeof(*world));

	world->fk = fk_new(&(struct fk_config){.cpus = 2, .no_pmu = true});
	fk_silent_idle(world->fk, 1, silent_idle);
	world->silent_idle = silent_idle;
	world->sys = fk_sys(world->fk);
	world->version = 6 << 8 | 18;
	world->page_size = (size_t)sysconf(_SC_PAGESIZE);
	world->cpu = 1;
	world->me = 500;
	world->next_tid = 600;
	fk_task(world->fk, &(struct fk_spec){.tid = world->me, .comm = "me"});
	fk_switch(world->fk, 1, world->me);
	*state = world;
	return 0;
}

static int fake_setup(void **state)
{
	return make_fake(state, false);
}

static int silent_setup(void **state)
{
	return make_fake(state, true);
}

static int teardown(void **state)
{
	struct world *world = *state;

	if (world->fk) {
		assert_int_equal(fk_open_fds(world->fk), 0);
		assert_int_equal(fk_mapped(world->fk), 0);
		fk_free(world->fk);
	} else {
		sched_setaffinity(0, sizeof(world->affinity), &world->affinity);
		sys_linux_fini(&world->sys);
	}
	free(world);
	return 0;
}

/* ---- what "me" can do there */

static void me_spins(struct world *world, uint64_t ns)
{
	uint64_t until = sys_now_ns(&world->sys) + ns;

	while (sys_now_ns(&world->sys) < until)
		;
}

/* Off the CPU and on again. */
static void me_sleeps(struct world *world)
{
	if (!world->fk) {
		nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
		return;
	}
	fk_switch(world->fk, world->cpu, 0);
	fk_advance(world->fk, 20000);
	fk_switch(world->fk, world->cpu, world->me);
	fk_advance(world->fk, 3000);
}

static void me_is_called(struct world *world, const char *comm)
{
	if (world->fk)
		fk_comm(world->fk, world->me, comm);
	else
		prctl(PR_SET_NAME, comm);
}

/* A child process that execs (or not) and exits; returns its pid, reaped. */
static pid_t me_forks(struct world *world, bool exec)
{
	int status;
	pid_t child;

	if (!world->fk) {
		child = fork();
		if (!child) {
			if (exec)
				execl("/bin/true", "true", (char *)NULL);
			_exit(0);
		}
		waitpid(child, &status, 0);
		return child;
	}
	child = world->next_tid++;
	fk_fork(world->fk, world->me, child);
	fk_switch(world->fk, world->cpu, child);
	fk_advance(world->fk, 5000);
	if (exec)
		fk_exec(world->fk, child, "true");
	fk_exit(world->fk, child, FK_EXIT_ZOMBIE);
	fk_advance(world->fk, 1000);
	fk_switch(world->fk, world->cpu, world->me);
	return child;
}

static void *thread_main(void *arg)
{
	*(pid_t *)arg = gettid();
	return NULL;
}

/* A thread that exits at once; returns its tid. */
static pid_t me_threads(struct world *world)
{
	pid_t tid = 0;
	pthread_t thread;

	if (!world->fk) {
		assert_int_equal(pthread_create(&thread, NULL, thread_main, &tid), 0);
		pthread_join(thread, NULL);
		me_sleeps(world); /* it has certainly left the CPU then */
		return tid;
	}
	tid = world->next_tid++;
	fk_thread(world->fk, world->me, tid);
	fk_switch(world->fk, world->cpu, tid);
	fk_advance(world->fk, 1000);
	fk_exit(world->fk, tid, FK_EXIT_THREAD);
	fk_advance(world->fk, 1000);
	fk_switch(world->fk, world->cpu, world->me);
	return tid;
}

/* ---- events */

static struct perf_event_attr counting(uint64_t config)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.read_format = READER_READ_FORMAT,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static struct perf_event_attr sampling(uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = counting(config);

	attr.sample_type = READER_SAMPLE_TYPE;
	attr.sample_period = period;
	attr.sample_id_all = 1;
	attr.watermark = 1;
	return attr;
}

/* Opens on the CPU of "me", or fails the test. */
static int open_event(struct world *world, struct perf_event_attr attr, int group)
{
	int fd = sys_perf_open(&world->sys, &attr, -1, world->cpu, group, PERF_FLAG_FD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* The group that pmctop opens where there are no counters: switches, and the tick. */
enum { LEADER, SWITCHES, TICK, MEMBERS };

struct group {
	struct world *world;
	int fds[MEMBERS];
	uint64_t ids[MEMBERS];
	struct perf_event_mmap_page *page;
	size_t size;
};

static void group_open(struct world *world, size_t pages, struct group *group)
{
	struct perf_event_attr leader = counting(PERF_COUNT_SW_DUMMY);
	struct perf_event_attr switches = sampling(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
	struct perf_event_attr tick = sampling(PERF_COUNT_SW_CPU_CLOCK, TICK_OFF_NS);
	void *address;

	leader.disabled = 1;
	switches.comm = switches.comm_exec = switches.task = 1;
	*group = (struct group){.world = world, .size = (1 + pages) * world->page_size};
	group->fds[LEADER] = open_event(world, leader, -1);
	group->fds[SWITCHES] = open_event(world, switches, group->fds[LEADER]);
	group->fds[TICK] = open_event(world, tick, group->fds[LEADER]);
	assert_int_equal(sys_perf_map(&world->sys, group->fds[SWITCHES], group->size, &address), 0);
	group->page = address;
	assert_int_equal(sys_perf_ioctl(&world->sys, group->fds[TICK], PERF_EVENT_IOC_SET_OUTPUT,
					(uintptr_t)group->fds[SWITCHES]),
			 0);
	for (int i = 0; i < MEMBERS; i++)
		assert_int_equal(sys_perf_ioctl(&world->sys, group->fds[i], PERF_EVENT_IOC_ID,
						(uintptr_t)&group->ids[i]),
				 0);
}

static void group_enable(struct group *group)
{
	assert_int_equal(
		sys_perf_ioctl(&group->world->sys, group->fds[LEADER], PERF_EVENT_IOC_ENABLE, 0),
		0);
}

static void group_close(struct group *group)
{
	if (group->page)
		sys_perf_unmap(&group->world->sys, group->page, group->size);
	for (int i = MEMBERS; i-- > 0;)
		if (group->fds[i] >= 0)
			sys_close(&group->world->sys, group->fds[i]);
}

static void group_period(struct group *group, uint64_t ns)
{
	assert_int_equal(sys_perf_ioctl(&group->world->sys, group->fds[TICK], PERF_EVENT_IOC_PERIOD,
					(uintptr_t)&ns),
			 0);
}

/* A group read: nr, enabled, running, values. */
struct reading {
	uint64_t nr, enabled_ns, running_ns, values[8];
};

static struct reading read_event(struct world *world, int fd)
{
	struct reading reading = {0};
	ssize_t size = sys_perf_read(&world->sys, fd, &reading, sizeof(reading));

	assert_true(size > 0);
	assert_int_equal(size, 24 + 8 * reading.nr);
	return reading;
}

/* ---- errnos of perf_event_open */

struct open_case {
	const char *name;
	int error;
	uint32_t type;
	uint64_t config;
	pid_t pid;
	int cpu;   /* -2: my CPU */
	int group; /* 0: none, 1: a leader, 2: a sibling, 3: no such descriptor, 4: task's leader */
	void (*change)(struct perf_event_attr *attr);
};

static void no_clockid(struct perf_event_attr *attr)
{
	attr->use_clockid = 0;
	attr->clockid = 0;
}

static void bad_clockid(struct perf_event_attr *attr)
{
	attr->clockid = 99;
}

static void small(struct perf_event_attr *attr)
{
	attr->size = 8;
}

static void huge_period(struct perf_event_attr *attr)
{
	attr->sample_period = 1ull << 63;
}

static void bad_sample_type(struct perf_event_attr *attr)
{
	attr->sample_type = 1ull << 40;
}

static void bad_read_format(struct perf_event_attr *attr)
{
	attr->read_format = 1ull << 20;
}

static void pinned(struct perf_event_attr *attr)
{
	attr->pinned = 1;
}

#define SW PERF_TYPE_SOFTWARE
static const struct open_case open_cases[] = {
	{"fine", 0, SW, PERF_COUNT_SW_DUMMY, -1, -2, 0, NULL},
	{"of a task", 0, SW, PERF_COUNT_SW_DUMMY, 0, -1, 0, NULL},
	{"of a task on a CPU", 0, SW, PERF_COUNT_SW_DUMMY, 0, -2, 0, NULL},
	{"sibling", 0, SW, PERF_COUNT_SW_DUMMY, -1, -2, 1, NULL},
	{"no hardware", -ENOENT, PERF_TYPE_HARDWARE, 0, -1, -2, 0, NULL},
	{"no cache", -ENOENT, PERF_TYPE_HW_CACHE, 0, -1, -2, 0, NULL},
	{"no raw", -ENOENT, PERF_TYPE_RAW, 0x3c, -1, -2, 0, NULL},
	{"no such type", -ENOENT, 99, 0, -1, -2, 0, NULL},
	{"no such software event", -ENOENT, SW, 99, -1, -2, 0, NULL},
	{"no such process", -ESRCH, SW, 0, 4194303, -1, 0, NULL},
	{"neither task nor CPU", -EINVAL, SW, 0, -1, -1, 0, NULL},
	{"no such CPU", -EINVAL, SW, 0, -1, 100000, 0, NULL},
	{"no such CPU for unknown event", -EINVAL, 99, 0, -1, 100000, 0, NULL},
	{"sibling of a sibling", -EINVAL, SW, 0, -1, -2, 2, NULL},
	{"group is no descriptor", -EBADF, SW, 0, -1, -2, 3, NULL},
	{"group of a task", -EINVAL, SW, 0, -1, -2, 4, NULL},
	{"sibling with another clock", -EINVAL, SW, 0, -1, -2, 1, no_clockid},
	{"another clock", 0, SW, 0, -1, -2, 0, no_clockid},
	{"no such clock", -EINVAL, SW, 0, -1, -2, 0, bad_clockid},
	{"pinned sibling", -EINVAL, SW, 0, -1, -2, 1, pinned},
	{"attr too small", -E2BIG, SW, 0, -1, -2, 0, small},
	{"period of 2^63", -EINVAL, SW, 0, -1, -2, 0, huge_period},
	{"unknown sample_type", -EINVAL, SW, 0, -1, -2, 0, bad_sample_type},
	{"unknown read_format", -EINVAL, SW, 0, -1, -2, 0, bad_read_format},
};

/* The real machine may have a PMU. */
static bool has_pmu(struct world *world)
{
	struct perf_event_attr attr = counting(PERF_COUNT_HW_CPU_CYCLES);

	attr.type = PERF_TYPE_HARDWARE;
	int fd = sys_perf_open(&world->sys, &attr, -1, world->cpu, -1, 0);
	if (fd >= 0)
		sys_close(&world->sys, fd);
	return fd >= 0;
}

static void opening_has_errnos(void **state)
{
	struct world *world = *state;
	struct perf_event_attr dummy = counting(PERF_COUNT_SW_DUMMY);
	int leader = open_event(world, dummy, -1);
	int sibling = open_event(world, dummy, leader);
	int of_task = sys_perf_open(&world->sys, &dummy, 0, -1, -1, 0);
	const int groups[] = {-1, leader, sibling, 1 << 20, of_task};
	bool pmu = has_pmu(world);

	for (size_t i = 0; i < ARRAY_SIZE(open_cases); i++) {
		const struct open_case *row = &open_cases[i];
		struct perf_event_attr attr = counting(row->config);

		if (pmu && (row->type == PERF_TYPE_HARDWARE || row->type == PERF_TYPE_HW_CACHE ||
			    row->type == PERF_TYPE_RAW))
			continue;
		attr.type = row->type;
		if (row->change)
			row->change(&attr);
		int fd = sys_perf_open(&world->sys, &attr, row->pid,
				       row->cpu == -2 ? world->cpu : row->cpu, groups[row->group],
				       0);
		if (fd >= 0)
			assert_int_equal(sys_close(&world->sys, fd), 0);
		if ((fd < 0 ? fd : 0) != row->error)
			fail_msg("%s: %d instead of %d", row->name, fd, row->error);
		if (row->error == -E2BIG && attr.size < PERF_ATTR_SIZE_VER0)
			fail_msg("%s: the kernel does not say its size", row->name);
	}
	sys_close(&world->sys, of_task);
	sys_close(&world->sys, sibling);
	sys_close(&world->sys, leader);
	assert_int_equal(sys_close(&world->sys, leader), -EBADF);
}

/* ---- errnos of ioctl and mmap */

static void ioctls_have_errnos(void **state)
{
	struct world *world = *state;
	struct group group;
	struct perf_event_attr lone_attr = sampling(PERF_COUNT_SW_DUMMY, 1);
	struct perf_event_attr local_attr = lone_attr;
	uint64_t zero = 0, huge = 1ull << 63, one = 1;

	group_open(world, 1, &group);
	no_clockid(&local_attr);
	int lone = open_event(world, lone_attr, -1);
	int bare = open_event(world, lone_attr, -1);
	int local = open_event(world, local_attr, -1);
	const struct {
		const char *name;
		int fd;
		unsigned long request;
		uintptr_t argument;
		int error;
	} rows[] = {
		{"period 0", lone, PERF_EVENT_IOC_PERIOD, (uintptr_t)&zero, -EINVAL},
		{"period 2^63", lone, PERF_EVENT_IOC_PERIOD, (uintptr_t)&huge, -EINVAL},
		{"period 1", lone, PERF_EVENT_IOC_PERIOD, (uintptr_t)&one, 0},
		{"period NULL", lone, PERF_EVENT_IOC_PERIOD, 0, -EFAULT},
		{"period of a counter", group.fds[LEADER], PERF_EVENT_IOC_PERIOD, (uintptr_t)&one,
		 -EINVAL},
		{"no such ioctl", lone, _IO('$', 99), 0, -ENOTTY},
		{"no such type", lone, _IO('x', 0), 0, -ENOTTY},
		{"bad descriptor", 1 << 20, PERF_EVENT_IOC_ENABLE, 0, -EBADF},
		{"output to no ring", lone, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)bare, -EINVAL},
		{"output to itself", lone, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)lone, -EINVAL},
		{"output to nothing", lone, PERF_EVENT_IOC_SET_OUTPUT, 1 << 20, -EBADF},
		{"output of another clock", local, PERF_EVENT_IOC_SET_OUTPUT,
		 (uintptr_t)group.fds[SWITCHES], -EINVAL},
		{"output of a mapped one", group.fds[SWITCHES], PERF_EVENT_IOC_SET_OUTPUT,
		 (uintptr_t)bare, -EINVAL},
		{"output to a ring", lone, PERF_EVENT_IOC_SET_OUTPUT,
		 (uintptr_t)group.fds[SWITCHES], 0},
		{"output by way of another", bare, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)lone, 0},
		{"output to none", lone, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)-1, 0},
		{"enable twice", group.fds[LEADER], PERF_EVENT_IOC_ENABLE, 0, 0},
		{"enable twice", group.fds[LEADER], PERF_EVENT_IOC_ENABLE, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int result =
			sys_perf_ioctl(&world->sys, rows[i].fd, rows[i].request, rows[i].argument);

		if (result != rows[i].error)
			fail_msg("%s: %d instead of %d", rows[i].name, result, rows[i].error);
	}
	sys_close(&world->sys, local);
	sys_close(&world->sys, bare);
	sys_close(&world->sys, lone);
	group_close(&group);
}

static void maps_have_errnos(void **state)
{
	struct world *world = *state;
	struct perf_event_attr attr = sampling(PERF_COUNT_SW_DUMMY, 1);
	struct group group;
	void *address, *again;

	group_open(world, 4, &group);
	int fd = open_event(world, attr, -1);
	const struct {
		const char *name;
		int fd;
		size_t pages;
		int error;
	} rows[] = {
		{"3 data pages", fd, 4, -EINVAL},
		{"6 data pages", fd, 7, -EINVAL},
		{"redirected, another size", group.fds[TICK], 3, -EINVAL},
		{"mapped, another size", group.fds[SWITCHES], 3, -EINVAL},
		{"bad descriptor", 1 << 20, 2, -EBADF},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int result = sys_perf_map(&world->sys, rows[i].fd, rows[i].pages * world->page_size,
					  &address);

		if (result != rows[i].error)
			fail_msg("%s: %d instead of %d", rows[i].name, result, rows[i].error);
	}
	assert_int_equal(sys_perf_map(&world->sys, group.fds[SWITCHES], group.size, &again), 0);
	assert_int_equal(sys_perf_unmap(&world->sys, again, group.size), 0);
	assert_int_equal(sys_perf_map(&world->sys, fd, world->page_size, &address), 0);
	assert_int_equal(sys_perf_unmap(&world->sys, address, world->page_size), 0);
	sys_close(&world->sys, fd);
	assert_int_equal(group.page->data_offset, world->page_size);
	assert_int_equal(group.page->data_size, 4 * world->page_size);
	group_close(&group);
}

/* ---- reading */

static void reads_have_the_layout_that_was_asked_for(void **state)
{
	struct world *world = *state;
	static const struct {
		const char *name;
		uint64_t format;
		size_t words; /* of a leader with one sibling */
	} rows[] = {
		{"value", 0, 1},
		{"enabled", PERF_FORMAT_TOTAL_TIME_ENABLED, 2},
		{"times", READER_READ_FORMAT & ~PERF_FORMAT_GROUP, 3},
		{"times and id", (READER_READ_FORMAT & ~PERF_FORMAT_GROUP) | PERF_FORMAT_ID, 4},
		{"group", PERF_FORMAT_GROUP, 3},
		{"group and times", READER_READ_FORMAT, 5},
		{"group, times and ids", READER_READ_FORMAT | PERF_FORMAT_ID, 7},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = counting(PERF_COUNT_SW_CPU_CLOCK);
		uint64_t values[16] = {0}, id;

		attr.read_format = rows[i].format;
		int leader = open_event(world, attr, -1);
		int sibling = open_event(world, attr, leader);
		me_spins(world, 50000);
		ssize_t size = sys_perf_read(&world->sys, leader, values, sizeof(values));
		if (size != (ssize_t)(rows[i].words * 8))
			fail_msg("%s: %zd bytes", rows[i].name, size);
		assert_int_equal(sys_perf_read(&world->sys, leader, values, (size_t)size - 8),
				 -ENOSPC);
		bool group = rows[i].format & PERF_FORMAT_GROUP;
		assert_true(group ? values[0] == 2 : values[0] >= 50000);
		sys_perf_ioctl(&world->sys, leader, PERF_EVENT_IOC_ID, (uintptr_t)&id);
		if (rows[i].format & PERF_FORMAT_ID)
			assert_int_equal(values[group ? 4 : 3], id);
		/* A sibling that asks for the group gets it whole. */
		assert_int_equal(sys_perf_read(&world->sys, sibling, values, sizeof(values)), size);
		sys_close(&world->sys, sibling);
		sys_close(&world->sys, leader);
	}
}

static void a_leader_switches_its_group_on_and_off(void **state)
{
	struct world *world = *state;
	struct group group;

	group_open(world, 4, &group);
	me_sleeps(world);
	struct reading off = read_event(world, group.fds[LEADER]);
	assert_int_equal(off.nr, MEMBERS);
	assert_int_equal(off.enabled_ns, 0);
	assert_int_equal(off.values[SWITCHES], 0);

	group_enable(&group);
	me_sleeps(world);
	me_spins(world, 100000);
	struct reading on = read_event(world, group.fds[LEADER]);
	assert_true(on.enabled_ns >= 100000);
	assert_int_equal(on.running_ns, on.enabled_ns);
	assert_true(on.values[SWITCHES] >= 2);
	assert_true(on.values[TICK] >= 100000);

	sys_perf_ioctl(&world->sys, group.fds[LEADER], PERF_EVENT_IOC_DISABLE, 0);
	struct reading then = read_event(world, group.fds[LEADER]);
	me_sleeps(world);
	struct reading later = read_event(world, group.fds[LEADER]);
	assert_memory_equal(&then, &later, sizeof(then));

	sys_perf_ioctl(&world->sys, group.fds[LEADER], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	struct reading reset = read_event(world, group.fds[LEADER]);
	assert_int_equal(reset.values[SWITCHES], 0);
	assert_int_equal(reset.values[TICK], 0);
	assert_int_equal(reset.enabled_ns, later.enabled_ns);
	group_close(&group);
}

/*
 * A sibling that is opened in, or enabled in, a group that counts already: where the group is of
 * software events it starts only if its kind of event is its leader's (Linux 6.2 and later).
 */
static void late_siblings_start_with_their_group(void **state)
{
	struct world *world = *state;
	static const uint64_t configs[] = {PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK,
					   PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_DUMMY};

	if (world->version < (6 << 8 | 2))
		skip();
	for (size_t l = 0; l < 4; l++) {
		for (size_t s = 0; s < 6; s++) {
			struct perf_event_attr attr = counting(configs[l]);
			struct perf_event_attr late = counting(configs[s % 3]);
			bool same = configs[s % 3] == configs[l] || (s % 3 == 2 && l == 3);
			int sibling;

			attr.disabled = 1;
			late.disabled = s >= 3;
			int leader = open_event(world, attr, -1);
			if (late.disabled)
				sibling = open_event(world, late, leader);
			sys_perf_ioctl(&world->sys, leader, PERF_EVENT_IOC_ENABLE, 0);
			if (!late.disabled)
				sibling = open_event(world, late, leader);
			else
				sys_perf_ioctl(&world->sys, sibling, PERF_EVENT_IOC_ENABLE, 0);
			me_sleeps(world);
			me_spins(world, 20000);
			if ((read_event(world, leader).values[1] > 0) != same)
				fail_msg("leader %zu, sibling %zu: counts %s", l, s,
					 same ? "not" : "unexpectedly");
			sys_perf_ioctl(&world->sys, leader, PERF_EVENT_IOC_DISABLE, 0);
			sys_perf_ioctl(&world->sys, leader, PERF_EVENT_IOC_ENABLE, 0);
			me_sleeps(world);
			me_spins(world, 20000);
			assert_true(read_event(world, leader).values[1] > 0);
			sys_close(&world->sys, sibling);
			sys_close(&world->sys, leader);
		}
	}
}

/* ---- records */

static void every_switch_makes_a_record(void **state)
{
	struct world *world = *state;
	struct reader_record *records = xcalloc(RECORDS, sizeof(*records));
	struct group group;
	size_t mine = 0, from_idle = 0;
	uint64_t switches = 0, gaps = 0;

	group_open(world, 16, &group);
	group_enable(&group);
	uint64_t start_ns = sys_now_ns(&world->sys);
	for (int i = 0; i < 100; i++)
		me_sleeps(world);
	struct reading end = read_event(world, group.fds[LEADER]);
	size_t n = reader_all(group.page, records, RECORDS);
	uint64_t end_ns = sys_now_ns(&world->sys);

	assert_in_range(n, 100, RECORDS);
	for (size_t i = 0; i < n; i++) {
		const struct reader_record *record = &records[i];

		if (record->type != PERF_RECORD_SAMPLE)
			continue; /* others live here too */
		assert_int_equal(record->size, SAMPLE_BYTES);
		assert_int_equal(record->id, group.ids[SWITCHES]);
		assert_int_equal(record->cpu, world->cpu);
		assert_int_equal(record->misc, PERF_RECORD_MISC_KERNEL);
		assert_int_equal(record->nr, MEMBERS);
		assert_true(record->values[SWITCHES] > switches);
		gaps += record->values[SWITCHES] - switches - 1;
		switches = record->values[SWITCHES];
		assert_in_range(record->time_ns, start_ns, end_ns);
		assert_true(record->running_ns <= record->enabled_ns);
		if (i) {
			assert_true(record->time_ns >= records[i - 1].time_ns);
			assert_true(record->values[TICK] >= records[i - 1].values[TICK]);
		}
		mine += record->tid == world->me && record->pid == world->me;
		from_idle += record->tid == 0 && record->pid == 0;
	}
	assert_true(mine >= 100);
	/* On one kernel idle tells of every switch, on another of none (fk_silent_idle). */
	assert_true(from_idle == 0 || gaps == 0);
	if (world->fk)
		assert_int_equal(from_idle, world->silent_idle ? 0 : 100);
	/* The read names the record that it comes after. */
	assert_true(end.values[SWITCHES] <= switches + 1);
	assert_true(end.values[SWITCHES] >= 200);
	group_close(&group);
	free(records);
}

/* The first record from *at on of that type that says so of the task; *at is left behind it. */
static const struct reader_record *find(const struct reader_record *records, size_t n, size_t *at,
					uint32_t type, pid_t pid, pid_t tid)
{
	for (; *at < n; ++*at) {
		const struct reader_record *record = &records[*at];
		bool sample = type == PERF_RECORD_SAMPLE;

		if (record->type == type && (sample ? record->pid : record->task_pid) == pid &&
		    (sample ? record->tid : record->task_tid) == tid) {
			++*at;
			return record;
		}
	}
	fail_msg("no record of type %u for %d/%d", type, (int)pid, (int)tid);
	return NULL;
}

static void tasks_tell_of_themselves(void **state)
{
	struct world *world = *state;
	struct reader_record *records = xcalloc(RECORDS, sizeof(*records));
	const struct reader_record *record;
	struct group group;
	size_t at = 0;

	group_open(world, 16, &group);
	/* The group is not enabled yet, but its sibling is: it hears already. */
	me_is_called(world, "sevench");
	me_is_called(world, "fifteen letters");
	group_enable(&group);
	pid_t child = me_forks(world, false);
	pid_t execed = me_forks(world, true);
	pid_t thread = me_threads(world);
	size_t n = reader_all(group.page, records, RECORDS);

	assert_in_range(n, 10, RECORDS);
	record = find(records, n, &at, PERF_RECORD_COMM, world->me, world->me);
	assert_string_equal(record->comm, "sevench");
	assert_int_equal(record->size, 8 + 8 + 8 + 32);
	assert_int_equal(record->misc, 0);
	assert_int_equal(record->id, group.ids[SWITCHES]);
	assert_int_equal(record->tid, world->me);
	record = find(records, n, &at, PERF_RECORD_COMM, world->me, world->me);
	assert_string_equal(record->comm, "fifteen letters");
	assert_int_equal(record->size, 8 + 8 + 16 + 32);

	record = find(records, n, &at, PERF_RECORD_FORK, child, child);
	assert_int_equal(record->task_ppid, world->me);
	assert_int_equal(record->task_ptid, world->me);
	assert_int_equal(record->pid, world->me);
	assert_int_equal(record->tid, world->me);
	assert_int_equal(record->cpu, world->cpu);
	assert_true(record->task_time_ns <= record->time_ns + NS_PER_MS);
	record = find(records, n, &at, PERF_RECORD_EXIT, child, child);
	assert_int_equal(record->task_ppid, world->me);
	assert_int_equal(record->tid, child);
	find(records, n, &at, PERF_RECORD_SAMPLE, child, child);

	find(records, n, &at, PERF_RECORD_FORK, execed, execed);
	record = find(records, n, &at, PERF_RECORD_COMM, execed, execed);
	assert_string_equal(record->comm, "true");
	assert_int_equal(record->misc, PERF_RECORD_MISC_COMM_EXEC);
	find(records, n, &at, PERF_RECORD_EXIT, execed, execed);

	record = find(records, n, &at, PERF_RECORD_FORK, world->me, thread);
	assert_int_equal(record->task_ppid, world->me);
	assert_int_equal(record->task_ptid, world->me);
	record = find(records, n, &at, PERF_RECORD_EXIT, world->me, thread);
	assert_int_equal(record->task_ppid, record->task_ptid);
	/* Its last switch has a process, but no thread any more. */
	find(records, n, &at, PERF_RECORD_SAMPLE, world->me, -1);
	group_close(&group);
	free(records);
}

static void the_tick_says_who_runs_now(void **state)
{
	struct world *world = *state;
	struct reader_record *records = xcalloc(RECORDS, sizeof(*records));
	struct group group;
	static const struct {
		const char *name;
		uint64_t period_ns, spin_ns, at_least_ns;
	} rows[] = {
		{"10 us", 10000, 95000, 10000},
		{"30 us", 30000, 95000, 30000},
		{"1 ns is 10 us", 1, 95000, 10000},
	};

	group_open(world, 16, &group);
	group_enable(&group);
	me_sleeps(world);
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		size_t ticks = 0;
		uint64_t last_n = 0, armed_ns;

		reader_all(group.page, records, RECORDS);
		last_n = read_event(world, group.fds[LEADER]).values[SWITCHES];
		armed_ns = sys_now_ns(&world->sys);
		group_period(&group, rows[r].period_ns);
		me_spins(world, rows[r].spin_ns);
		group_period(&group, TICK_OFF_NS);
		size_t n = reader_all(group.page, records, RECORDS);
		for (size_t i = 0; i < n; i++) {
			const struct reader_record *record = &records[i];

			if (record->type != PERF_RECORD_SAMPLE)
				continue;
			if (record->id == group.ids[SWITCHES]) {
				assert_int_equal(record->values[SWITCHES], ++last_n);
				continue;
			}
			assert_int_equal(record->id, group.ids[TICK]);
			assert_int_equal(record->nr, MEMBERS);
			assert_int_equal(record->values[SWITCHES], last_n);
			ticks += record->tid == world->me;
			/* A timer is never early. */
			assert_true(record->time_ns >= armed_ns + rows[r].at_least_ns);
		}
		if (!ticks || ticks > rows[r].spin_ns / rows[r].at_least_ns + 5)
			fail_msg("%s: %zu ticks", rows[r].name, ticks);
		/* Off means off. */
		me_spins(world, 50000);
		n = reader_all(group.page, records, RECORDS);
		for (size_t i = 0; i < n; i++)
			assert_true(records[i].type != PERF_RECORD_SAMPLE ||
				    records[i].id == group.ids[SWITCHES]);
	}
	/* A tick that is pending when its group goes off fires when what is left has passed. */
	uint64_t n_before = read_event(world, group.fds[LEADER]).values[TICK];
	group_period(&group, 200000);
	me_spins(world, 50000);
	sys_perf_ioctl(&world->sys, group.fds[LEADER], PERF_EVENT_IOC_DISABLE, 0);
	me_spins(world, 300000);
	size_t n = reader_all(group.page, records, RECORDS);
	for (size_t i = 0; i < n; i++)
		assert_true(records[i].id != group.ids[TICK]);
	group_enable(&group);
	me_spins(world, 170000);
	n = reader_all(group.page, records, RECORDS);
	size_t ticks = 0;
	for (size_t i = 0; i < n; i++)
		ticks += records[i].type == PERF_RECORD_SAMPLE && records[i].id == group.ids[TICK];
	assert_true(ticks >= 1);
	assert_true(read_event(world, group.fds[LEADER]).values[TICK] > n_before);
	group_close(&group);
	free(records);
}

static void a_full_ring_loses_and_says_how_many(void **state)
{
	struct world *world = *state;
	struct reader_record record;
	struct group group;
	uint64_t last = 0, lost = 0, gaps = 0;
	size_t losts = 0;

	group_open(world, 1, &group);
	group_enable(&group);
	for (int round = 0; round < 3; round++) {
		while (reader_used(group.page) + SAMPLE_BYTES < group.page->data_size)
			me_sleeps(world);
		for (int i = 0; i < 20; i++)
			me_sleeps(world);
		/* One byte stays free, and the ring never passes its tail. */
		assert_true(reader_used(group.page) < group.page->data_size);
		while (reader_next(group.page, &record)) {
			if (record.type == PERF_RECORD_LOST) {
				assert_int_equal(record.size, 24 + 32);
				assert_int_equal(record.lost_id, group.ids[SWITCHES]);
				assert_int_equal(record.id, group.ids[SWITCHES]);
				lost += record.lost;
				losts++;
			} else if (record.type == PERF_RECORD_SAMPLE) {
				gaps += record.values[SWITCHES] - last - 1;
				last = record.values[SWITCHES];
			}
		}
		me_sleeps(world);
	}
	/* Those of the last round are told by the next record; side-band is lost as well. */
	assert_true(losts >= 2);
	assert_true(lost >= 2 * 20);
	if (!world->silent_idle)
		assert_true(gaps <= lost);
	if (world->fk && !world->silent_idle)
		assert_int_equal(gaps, lost);
	group_close(&group);
}

static void a_poll_wakes_once_past_the_watermark(void **state)
{
	struct world *world = *state;
	struct perf_event_attr switches = sampling(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
	struct perf_event_attr dummy = counting(PERF_COUNT_SW_DUMMY);
	size_t size = 5 * world->page_size;
	void *address;
	uint64_t used_before = 0;

	switches.wakeup_watermark = (uint32_t)world->page_size;
	int fd = open_event(world, switches, -1);
	int bare = open_event(world, dummy, -1);
	assert_int_equal(sys_perf_map(&world->sys, fd, size, &address), 0);
	struct perf_event_mmap_page *page = address;
	struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
	struct pollfd no_ring = {.fd = bare, .events = POLLIN};

	assert_int_equal(sys_wait(&world->sys, &no_ring, 1, UINT64_MAX), 1);
	assert_int_equal(no_ring.revents, POLLHUP);
	for (int i = 0; i < 10000; i++) {
		int ready = sys_wait(&world->sys, fds, 2, 0);

		assert_int_equal(fds[1].revents, 0);
		if (ready) {
			assert_int_equal(fds[0].revents, POLLIN);
			break;
		}
		used_before = reader_used(page);
		me_sleeps(world);
	}
	assert_int_equal(fds[0].revents, POLLIN);
	assert_true(reader_used(page) > world->page_size);
	assert_true(used_before <= world->page_size + 4096);
	/* Nothing was read, and yet it does not poll again. */
	assert_int_equal(sys_wait(&world->sys, fds, 2, 0), 0);

	sys_perf_unmap(&world->sys, address, size);
	assert_int_equal(sys_wait(&world->sys, fds, 2, 0), 1);
	assert_int_equal(fds[0].revents, POLLHUP);
	sys_close(&world->sys, bare);
	sys_close(&world->sys, fd);
}

static void waits_end_at_their_deadline_or_when_woken(void **state)
{
	struct world *world = *state;
	uint64_t start_ns = sys_now_ns(&world->sys);

	assert_int_equal(sys_wait(&world->sys, NULL, 0, start_ns + 2 * NS_PER_MS), 0);
	assert_true(sys_now_ns(&world->sys) >= start_ns + 2 * NS_PER_MS);
	assert_int_equal(sys_wait(&world->sys, NULL, 0, 0), 0);
	sys_wake(&world->sys);
	sys_wake(&world->sys);
	start_ns = sys_now_ns(&world->sys);
	assert_int_equal(sys_wait(&world->sys, NULL, 0, start_ns + 1000 * NS_PER_S), 0);
	assert_true(sys_now_ns(&world->sys) < start_ns + 100 * NS_PER_S);
	/* Two wakes are one. */
	start_ns = sys_now_ns(&world->sys);
	assert_int_equal(sys_wait(&world->sys, NULL, 0, start_ns + NS_PER_MS), 0);
	assert_true(sys_now_ns(&world->sys) >= start_ns + NS_PER_MS);
	assert_true(sys_realtime_ns(&world->sys) > 1600000000ull * NS_PER_S);
}

/* ---- lifetimes */

static void closing_a_leader_frees_its_siblings(void **state)
{
	struct world *world = *state;
	struct reader_record record;
	struct group group;

	group_open(world, 4, &group);
	group_enable(&group);
	me_sleeps(world);
	sys_close(&world->sys, group.fds[LEADER]);
	group.fds[LEADER] = -1;
	struct reading before = read_event(world, group.fds[SWITCHES]);
	assert_int_equal(before.nr, 1);
	reader_all(group.page, NULL, 0);
	me_sleeps(world);
	struct reading after = read_event(world, group.fds[SWITCHES]);
	assert_true(after.values[0] >= before.values[0] + 2);
	assert_true(after.running_ns > before.running_ns);
	assert_true(reader_next(group.page, &record));
	assert_int_equal(record.nr, 1);

	/* A ring keeps its event at work after the descriptor is closed. */
	sys_close(&world->sys, group.fds[SWITCHES]);
	group.fds[SWITCHES] = -1;
	reader_all(group.page, NULL, 0);
	me_sleeps(world);
	assert_true(reader_next(group.page, &record));
	group_close(&group);
}

static void unmapping_a_ring_ends_the_output_of_all(void **state)
{
	struct world *world = *state;
	struct group group;
	void *address;

	group_open(world, 4, &group);
	group_enable(&group);
	sys_perf_unmap(&world->sys, group.page, group.size);
	group.page = NULL;
	uint64_t before = read_event(world, group.fds[LEADER]).values[SWITCHES];
	me_sleeps(world);
	assert_true(read_event(world, group.fds[LEADER]).values[SWITCHES] >= before + 2);
	/* The tick, which wrote to that ring, can have its own now. */
	assert_int_equal(sys_perf_map(&world->sys, group.fds[TICK], group.size, &address), 0);
	group.page = address;
	assert_int_equal(reader_used(group.page), 0);
	group_close(&group);
}

static void counters_of_a_task_count_that_task(void **state)
{
	struct world *world = *state;
	struct perf_event_attr attr = counting(PERF_COUNT_SW_TASK_CLOCK);
	struct perf_event_attr switches = counting(PERF_COUNT_SW_CONTEXT_SWITCHES);
	pid_t pid = world->fk ? world->me : 0;

	attr.disabled = 1;
	int leader = sys_perf_open(&world->sys, &attr, pid, -1, -1, 0);
	int sibling = sys_perf_open(&world->sys, &switches, pid, -1, leader, 0);
	assert_true(leader >= 0 && sibling >= 0);
	sys_perf_ioctl(&world->sys, leader, PERF_EVENT_IOC_ENABLE, 0);
	struct reading start = read_event(world, leader);
	me_spins(world, 100000);
	struct reading spun = read_event(world, leader);
	assert_true(spun.values[0] - start.values[0] >= 100000);
	for (int i = 0; i < 50; i++)
		me_sleeps(world);
	struct reading slept = read_event(world, leader);
	assert_true(slept.values[1] >= spun.values[1] + 50);
	/* Asleep, neither the clock nor the time enabled goes on: 50 x 20 us did not count. */
	assert_true(slept.enabled_ns - spun.enabled_ns < 50 * 20000);
	sys_close(&world->sys, sibling);
	sys_close(&world->sys, leader);
}

/* ---- running all that twice */

#define CASE(name)          \
	{                   \
#name, name \
	}
static const struct {
	const char *name;
	void (*run)(void **state);
} cases[] = {
	CASE(opening_has_errnos),
	CASE(ioctls_have_errnos),
	CASE(maps_have_errnos),
	CASE(reads_have_the_layout_that_was_asked_for),
	CASE(a_leader_switches_its_group_on_and_off),
	CASE(late_siblings_start_with_their_group),
	CASE(every_switch_makes_a_record),
	CASE(tasks_tell_of_themselves),
	CASE(the_tick_says_who_runs_now),
	CASE(a_full_ring_loses_and_says_how_many),
	CASE(a_poll_wakes_once_past_the_watermark),
	CASE(waits_end_at_their_deadline_or_when_woken),
	CASE(closing_a_leader_frees_its_siblings),
	CASE(unmapping_a_ring_ends_the_output_of_all),
	CASE(counters_of_a_task_count_that_task),
};

static void refused(void **state)
{
	(void)state;
	skip();
}

/* Whether this kernel lets us: 0 or -errno. */
static int probe_real(void)
{
	struct sys sys;
	struct perf_event_attr attr = counting(PERF_COUNT_SW_DUMMY);
	int cpu = sched_getcpu();

	if (sys_linux_init(&sys) < 0)
		return -ENOSYS;
	int fd = sys_perf_open(&sys, &attr, -1, cpu < 0 ? 0 : cpu, -1, 0);
	if (fd >= 0)
		sys_close(&sys, fd);
	sys_linux_fini(&sys);
	return fd < 0 ? fd : 0;
}

int main(void)
{
	enum { KERNELS = 3, CASES = ARRAY_SIZE(cases) };
	static const struct {
		const char *name;
		int (*setup)(void **state);
	} kernels[KERNELS] = {
		{"fake", fake_setup}, {"fake, silent idle", silent_setup}, {"Linux", real_setup}};
	struct CMUnitTest tests[KERNELS * CASES];
	char names[KERNELS * CASES][80];
	int error = probe_real();

	if (error)
		fprintf(stderr, "SKIPPED on this kernel: perf_event_open of a CPU: %s\n",
			strerror(-error));
	for (size_t i = 0; i < KERNELS * CASES; i++) {
		size_t kernel = i / CASES, k = i % CASES;
		bool run = !error || kernels[kernel].setup != real_setup;

		snprintf(names[i], sizeof(names[i]), "%s: %s", kernels[kernel].name, cases[k].name);
		tests[i] = (struct CMUnitTest){
			.name = names[i],
			.test_func = run ? cases[k].run : refused,
			.setup_func = run ? kernels[kernel].setup : NULL,
			.teardown_func = run ? teardown : NULL,
		};
	}
	return cmocka_run_group_tests_name("contract", tests, NULL, NULL);
}
