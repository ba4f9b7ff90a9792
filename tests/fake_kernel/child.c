// SPDX-License-Identifier: MIT
#include "tests/fake_kernel/child.h"

#include "core/base/util.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum order_kind { SPIN, FAULT, FORK, THREAD, RUN, EXEC, EXIT };

struct order {
	enum order_kind kind;
	uint64_t n;
};

static void *real_fault(void *arg)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = *(const uint64_t *)arg * page;
	volatile char *memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(1);
	madvise((void *)(uintptr_t)memory, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += page)
		memory[i] = 1;
	munmap((void *)(uintptr_t)memory, size);
	return NULL;
}

static void real_fork(uint64_t pages)
{
	pid_t pid = fork();

	if (!pid) {
		real_fault(&pages);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void real_thread(uint64_t pages)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, real_fault, &pages) != 0)
		_exit(1);
	pthread_join(thread, NULL);
}

static void real_run(int fd, int number)
{
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(number, &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	while (poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0) == 0)
		;
}

static void __attribute__((noreturn)) real_main(int fd)
{
	struct order order;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(fd, &order, sizeof(order)) == sizeof(order)) {
		switch (order.kind) {
		case SPIN:
			linux_spins(order.n);
			break;
		case FAULT:
			real_fault(&order.n);
			break;
		case FORK:
			real_fork(order.n);
			break;
		case THREAD:
			real_thread(order.n);
			break;
		case RUN:
			real_run(fd, (int)order.n);
			continue;
		case EXEC:
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		case EXIT:
			_exit(0);
		}
		if (write(fd, "", 1) != 1)
			break;
	}
	_exit(1);
}

static void fake_fault(const struct child *child, uint64_t pages)
{
	for (uint64_t i = 0; i < pages; i++)
		fk_fault(child->world->fk, child->world->cpu, false);
	fk_advance(child->world->fk, 1000);
}

static void fake_heir(const struct child *child, uint64_t pages, bool thread)
{
	struct world *world = child->world;
	pid_t heir = world->next_tid++;

	(thread ? fk_thread : fk_fork)(world->fk, child->pid, heir);
	fk_switch(world->fk, world->cpu, heir);
	fake_fault(child, pages);
	fk_exit(world->fk, heir, thread ? FK_EXIT_THREAD : FK_EXIT_REAPED);
	fk_advance(world->fk, 1000);
	fk_switch(world->fk, world->cpu, child->pid);
}

static void fake_do(const struct child *child, struct order order)
{
	struct world *world = child->world;
	struct fk *fk = world->fk;

	fk_switch(fk, world->cpu, child->pid);
	switch (order.kind) {
	case SPIN:
		fk_advance(fk, order.n);
		break;
	case FAULT:
		fake_fault(child, order.n);
		break;
	case FORK:
	case THREAD:
		fake_heir(child, order.n, order.kind == THREAD);
		break;
	case RUN:
		fk_switch(fk, world->cpu, world->me);
		return fk_switch(fk, (int)order.n, child->pid);
	case EXEC:
		fk_exec(fk, child->pid, "true");
		fake_fault(child, 1);
		fk_exit(fk, child->pid, FK_EXIT_REAPED);
		break;
	case EXIT:
		fk_exit(fk, child->pid, FK_EXIT_REAPED);
		break;
	}
	fk_advance(fk, 1000);
	fk_switch(fk, world->cpu, world->me);
}

/* Its activity before the sleep must not be counted later. */
static void child_falls_asleep(const struct child *child)
{
	char path[32], text[512], state = '?';

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child->pid);
	while (state != 'S') {
		me_sleeps(child->world);
		assert_true(sys_file_read(&child->world->sys, path, text, sizeof(text)) > 0);
		state = strrchr(text, ')')[2];
	}
}

static void child_replies(const struct child *child)
{
	char reply;

	assert_int_equal(read(child->fd, &reply, 1), 1);
	child_falls_asleep(child);
}

static void child_does(const struct child *child, enum order_kind kind, uint64_t n)
{
	struct order order = {kind, n};

	if (child->world->fk)
		return fake_do(child, order);
	assert_int_equal(write(child->fd, &order, sizeof(order)), sizeof(order));
	if (kind < RUN)
		child_replies(child);
}

void child_begin(struct child *child, struct world *world)
{
	int fds[2];

	*child = (struct child){.world = world, .fd = -1};
	if (world->fk) {
		child->pid = world->next_tid++;
		return fk_fork(world->fk, world->me, child->pid);
	}
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	child->pid = fork();
	assert_true(child->pid >= 0);
	if (!child->pid)
		real_main(fds[1]);
	close(fds[1]);
	child->fd = fds[0];
	child_does(child, SPIN, 0);
}

void child_spins(const struct child *child, uint64_t ns)
{
	child_does(child, SPIN, ns);
}

void child_faults(const struct child *child, unsigned pages)
{
	child_does(child, FAULT, pages);
}

void child_forks(const struct child *child, unsigned pages)
{
	child_does(child, FORK, pages);
}

void child_threads(const struct child *child, unsigned pages)
{
	child_does(child, THREAD, pages);
}

bool child_runs(const struct child *child)
{
	struct world *world = child->world;
	int cpu = 0;

	while (cpu < CPU_SETSIZE && (cpu == world->cpu || !CPU_ISSET(cpu, &world->affinity)))
		cpu++;
	if (world->fk)
		cpu = world->cpu - 1;
	if (cpu == CPU_SETSIZE)
		return false;
	child_does(child, RUN, (uint64_t)cpu);
	return true;
}

void child_stops(const struct child *child)
{
	if (child->world->fk)
		fk_switch(child->world->fk, child->world->cpu - 1, 0);
	else
		child_does(child, SPIN, 0);
}

static void child_ends(struct child *child, enum order_kind how)
{
	child_does(child, how, 0);
	if (child->world->fk)
		return;
	assert_int_equal(waitpid(child->pid, NULL, 0), child->pid);
	close(child->fd);
}

void child_execs(struct child *child)
{
	child_ends(child, EXEC);
}

void child_exits(struct child *child)
{
	child_ends(child, EXIT);
}
