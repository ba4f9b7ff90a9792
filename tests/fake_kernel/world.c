// SPDX-License-Identifier: MIT
#include "tests/fake_kernel/world.h"

#include "core/base/util.h"
#include "tests/fake_kernel/machines.h"
#include "tests/unit/shared/signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

	struct fk_config config = fk_machine_guest;

	config.tracefs = FK_TRACEFS_MOUNTED;
	world->fk = fk_new(&config);
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
	fk_self_task(world->fk, world->me);
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

bool world_has_first_pids(const struct world *world)
{
	char link[32] = "";

	return world->fk || (readlink("/proc/self/ns/pid", link, sizeof(link) - 1) > 0 &&
			     strcmp(link, "pid:[4026531836]") == 0);
}

int world_open(const struct world *world, struct perf_event_attr attr, int group_fd)
{
	int fd = sys_perf_open(&world->sys, &attr, -1, world->cpu, group_fd, PERF_FLAG_FD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

void world_group(const struct world *world, size_t pages, struct perf_group *group)
{
	struct perf_event_attr leader = attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	perf_group_open(group, &world->sys, world->cpu, pages, &leader, 1);
}

void linux_spins(uint64_t ns)
{
	struct timespec time;
	uint64_t now_ns, until_ns = 0;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
		now_ns = (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
		until_ns = until_ns ? until_ns : now_ns + ns + ns / 10;
	} while (now_ns < until_ns);
}

void me_spins(struct world *world, uint64_t ns)
{
	if (!world->fk)
		return linux_spins(ns);

	uint64_t until = sys_now_ns(&world->sys) + ns;

	while (sys_now_ns(&world->sys) < until)
		;
}

static long linux_sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

void me_sleeps(struct world *world)
{
	if (!world->fk) {
		/* If the time is over already, it does not sleep. */
		for (long sleeps = linux_sleeps(); linux_sleeps() == sleeps;)
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
		return;
	}
	fk_switch(world->fk, world->cpu, 0);
	fk_advance(world->fk, 20000);
	fk_switch(world->fk, world->cpu, world->me);
	fk_advance(world->fk, 3000);
}

void me_is_called(struct world *world, const char *comm)
{
	if (world->fk)
		fk_comm(world->fk, world->me, comm);
	else
		prctl(PR_SET_NAME, comm);
}

pid_t me_forks(struct world *world, bool exec)
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

pid_t me_threads(struct world *world)
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

static void refused(void **state)
{
	(void)state;
	skip();
}

/* Whether this kernel opens the events: 0 or -errno. */
static int probe_real(void)
{
	struct sys sys;
	struct perf_event_attr attr = attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int cpu = sched_getcpu();

	if (sys_linux_init(&sys) < 0)
		return -ENOSYS;
	int fd = sys_perf_open(&sys, &attr, -1, cpu < 0 ? 0 : cpu, -1, 0);
	if (fd >= 0)
		sys_close(&sys, fd);
	sys_linux_fini(&sys);
	return fd < 0 ? fd : 0;
}

/* Each world, as WORLD names it. */
static const struct kernel {
	const char *name, *world;
	int (*setup)(void **state);
} kernels[] = {
	{"fake", "fake", fake_setup},
	{"fake, silent idle", "fake", silent_setup},
	{"Linux", "linux", real_setup},
};

/* The worlds in WORLD; all if it is not set. */
static size_t wanted_kernels(const struct kernel *wanted[ARRAY_SIZE(kernels)])
{
	const char *world = getenv("WORLD");
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		if (!world || strcmp(kernels[i].world, world) == 0)
			wanted[n++] = &kernels[i];
	if (n == 0)
		fprintf(stderr, "Unknown WORLD '%s': it is fake, linux, or not set for both.\n",
			world);
	return n;
}

static void add_tests(const struct kernel *kernel, const struct world_case *cases, size_t n,
		      char (*names)[80], struct CMUnitTest *tests)
{
	int error = kernel->setup == real_setup ? probe_real() : 0;

	if (error)
		fprintf(stderr, "SKIPPED on this kernel: perf_event_open of a CPU: %s\n",
			strerror(-error));
	for (size_t i = 0; i < n; i++) {
		snprintf(names[i], sizeof(names[i]), "%s: %s", kernel->name, cases[i].name);
		tests[i] = (struct CMUnitTest){
			.name = names[i],
			.test_func = error ? refused : cases[i].run,
			.setup_func = error ? NULL : kernel->setup,
			.teardown_func = error ? NULL : teardown,
		};
	}
}

int world_run(const char *name, const struct world_case *cases, size_t n)
{
	const struct kernel *wanted[ARRAY_SIZE(kernels)];
	size_t n_wanted = wanted_kernels(wanted), n_tests = n_wanted * n;

	if (n_wanted == 0)
		return 2;
	signals_restore(); /* tasks of the real kernel are children */
	struct CMUnitTest *tests = xcalloc(n_tests, sizeof(*tests));
	char(*names)[80] = xcalloc(n_tests, sizeof(*names));
	for (size_t i = 0; i < n_wanted; i++)
		add_tests(wanted[i], cases, n, &names[i * n], &tests[i * n]);
	/* The function behind cmocka's macro, which needs an array of constant size. */
	int failed = _cmocka_run_group_tests(name, tests, n_tests, NULL, NULL);
	free(names);
	free(tests);
	return failed;
}
