// SPDX-License-Identifier: MIT
/*
 * Opening perf events: what perf_event_open accepts and answers. Errnos and their order follow
 * kernel/events/core.c of 6.18.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct fk_perf *fk_perf_of(struct fk *fk, int fd)
{
	return fd >= FK_FIRST_FD && (size_t)(fd - FK_FIRST_FD) < fk->n_by_fd
		       ? fk->by_fd[fd - FK_FIRST_FD]
		       : NULL;
}

static void append_event(struct fk_perf ***list, size_t *n, size_t *capacity, struct fk_perf *perf)
{
	*list = array_reserve(*list, capacity, *n + 1, sizeof(**list));
	(*list)[(*n)++] = perf;
}

/* perf_copy_attr(): the caller's struct may be older or newer than ours. */
static int attr_copy(struct perf_event_attr *from, struct perf_event_attr *attr)
{
	uint32_t size = from->size ? from->size : PERF_ATTR_SIZE_VER0;

	memset(attr, 0, sizeof(*attr));
	if (size < PERF_ATTR_SIZE_VER0 || size > sizeof(*attr)) {
		from->size = sizeof(*attr);
		return -E2BIG;
	}
	memcpy(attr, from, size);
	attr->size = size;
	if (attr->__reserved_1 || attr->__reserved_2 || attr->__reserved_3)
		return -EINVAL;
	if (attr->sample_type >= PERF_SAMPLE_MAX || attr->read_format >= PERF_FORMAT_MAX)
		return -EINVAL;
	return 0;
}

/* Aborts on attr bits that Linux supports and the fake kernel does not. */
static void attr_must_be_modelled(const struct perf_event_attr *attr, bool of_task)
{
	struct perf_event_attr rest = *attr;

	if (of_task && attr->inherit &&
	    (attr->sample_period || attr->comm || attr->task || attr->context_switch ||
	     attr->type == PERF_TYPE_BREAKPOINT))
		fk_die("inheriting more than counters is not modelled");

	rest.type = rest.size = rest.wakeup_events = 0;
	rest.config = rest.sample_period = rest.sample_type = rest.read_format = 0;
	rest.disabled = rest.exclude_user = rest.exclude_kernel = rest.exclude_hv = 0;
	rest.exclude_idle = rest.exclude_host = 0;
	rest.precise_ip = 0;
	rest.exclude_guest = rest.comm = rest.comm_exec = rest.task = rest.watermark = 0;
	rest.sample_id_all = rest.use_clockid = rest.context_switch = 0;
	rest.mmap = rest.mmap2 = rest.ksymbol = rest.exclude_callchain_kernel = 0;
	rest.clockid = 0;
	rest.inherit = rest.enable_on_exec = 0;
	rest.config1 = rest.config2 = 0;
	if (attr->type == PERF_TYPE_BREAKPOINT)
		rest.bp_type = 0;

	const unsigned char *bytes = (const unsigned char *)&rest;
	for (size_t i = 0; i < sizeof(rest); i++)
		if (bytes[i])
			fk_die("attr byte %zu (0x%x) is not modelled", i, bytes[i]);
	if (attr->sample_type &
	    ~(uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID |
			PERF_SAMPLE_READ | PERF_SAMPLE_RAW | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD |
			PERF_SAMPLE_CALLCHAIN))
		fk_die("sample_type 0x%llx is not modelled", (unsigned long long)attr->sample_type);
	bool tracepoint = attr->type == PERF_TYPE_TRACEPOINT;
	if (attr->sample_type & PERF_SAMPLE_RAW && !tracepoint)
		fk_die("RAW of other than tracepoints is not modelled");
}

/* The first check of kernel.perf_event_paranoid. */
static bool may_open_any(const struct fk_config *config)
{
	return !config->unprivileged || config->paranoid <= 2;
}

static bool may_count_kernel(const struct fk_config *config)
{
	return !config->unprivileged || config->paranoid <= 1;
}

/* The check once the event is known: paranoid for CPUs, the user for tasks. */
static int may_count(const struct fk *fk, const struct fk_task *task)
{
	const struct fk_config *config = &fk->config;

	if (!config->unprivileged)
		return 0;
	if (!task)
		return config->paranoid > 0 ? -EACCES : 0;
	return task != &fk->self && task->spec.uid != config->uid ? -EACCES : 0;
}

/* The PMU that members of the same group must have; NULL: any. */
static const void *owner(const struct fk_perf *perf)
{
	if (perf->device && !perf->device->of_cpus)
		return perf->device;
	return perf->pmu;
}

/* The rules of Linux for an event and its leader; leader NULL: none. */
static int group_check(const struct fk_perf *perf, const struct fk_perf *leader)
{
	if (!leader && perf->pmu && fk_limits_is_metric(perf->pmu->limits, perf->config))
		return -EINVAL;
	if (!leader)
		return fk_group_fits(NULL, perf) ? 0 : -EINVAL;
	if (leader->leader != leader)
		return -EINVAL;
	if (leader->cpu != perf->cpu || leader->task != perf->task)
		return -EINVAL;
	if (leader->attr.use_clockid != perf->attr.use_clockid ||
	    leader->attr.clockid != perf->attr.clockid)
		return -EINVAL;
	if (perf->attr.pinned || perf->attr.exclusive)
		return -EINVAL;
	/* All members have one PMU, except events of the software context. */
	for (size_t i = 0; i < leader->n_members; i++)
		if (owner(perf) && owner(leader->members[i]) &&
		    owner(perf) != owner(leader->members[i]))
			return -EINVAL;
	/* intel_pmu_hw_config(): no metric without slots, which must lead the group. */
	if (perf->pmu && fk_limits_is_metric(perf->pmu->limits, perf->config) &&
	    (perf->attr.sample_period || leader->attr.sample_period ||
	     !fk_limits_is_slots(perf->pmu->limits, leader->config)))
		return -EINVAL;
	/* validate_group(): whether it fits a PMU without other groups. */
	return fk_group_fits(leader, perf) ? 0 : -EINVAL;
}

static int perf_check(struct fk *fk, struct fk_perf *perf, pid_t pid, const struct fk_perf *leader)
{
	int error;

	if (pid > 0) {
		perf->task = fk_find(fk, pid);
		if (!perf->task || perf->task->exiting)
			return -ESRCH;
	} else if (pid == 0) {
		perf->task = fk->self_tid ? fk_find(fk, fk->self_tid) : &fk->self;
	}
	if (perf->cpu >= (int)fk->config.cpus || perf->cpu < -1 || (!perf->task && perf->cpu < 0))
		return -EINVAL;
	if (leader && perf->task && leader->attr.inherit != perf->attr.inherit)
		return -EINVAL;
	/* Since Linux 6.12 samples may distinguish their tasks. */
	if (perf->attr.inherit && perf->attr.sample_type & PERF_SAMPLE_READ &&
	    (fk->config.own_samples || !(perf->attr.sample_type & PERF_SAMPLE_TID)))
		return -EINVAL;
	error = fk_resolve(fk, perf);
	if (error)
		return error;
	/* PERF_PMU_CAP_NO_INTERRUPT */
	if (perf->pmu && perf->pmu->no_interrupts && perf->attr.sample_period)
		return -EOPNOTSUPP;
	if (perf->attr.use_clockid && perf->attr.clockid != CLOCK_MONOTONIC)
		return -EINVAL;
	error = may_count(fk, perf->task);
	if (error)
		return error;
	if (!perf->task && !fk_cpu(fk, perf->cpu)->online)
		return -ENODEV;
	return group_check(perf, leader);
}

int fk_perf_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		 unsigned long flags)
{
	struct fk *fk = ctx;
	struct fk_perf wanted = {.cpu = cpu};
	struct fk_perf *leader = NULL;
	int error = fk_enter(fk, FK_PERF_OPEN);

	if (error)
		return error;
	if (fk->config.denied)
		return -fk->config.denied;
	if (flags & ~0xful)
		return -EINVAL;
	if (flags & ~(unsigned long)PERF_FLAG_FD_CLOEXEC)
		fk_die("perf_event_open flags 0x%lx are not modelled", flags);
	if (!may_open_any(&fk->config))
		return -EACCES;
	error = attr_copy(attr, &wanted.attr);
	if (error)
		return error;
	if (!wanted.attr.exclude_kernel && !may_count_kernel(&fk->config))
		return -EACCES;
	if (wanted.attr.sample_period >> 63)
		return -EINVAL;
	if (fk->fds >= fk->config.fd_limit)
		return -EMFILE;
	if (group_fd != -1) {
		leader = fk_perf_of(fk, group_fd);
		if (!leader)
			return -EBADF;
	}
	error = perf_check(fk, &wanted, pid, leader);
	if (error)
		return error;
	attr_must_be_modelled(&wanted.attr, wanted.task);

	fk_settle_all(fk);
	struct fk_perf *perf = xmalloc(sizeof(*perf));
	*perf = wanted;
	perf->fd = FK_FIRST_FD + (int)fk->n_by_fd;
	perf->id = fk->next_id++;
	perf->enabled = !perf->attr.disabled;
	perf->period = perf->attr.sample_period;
	fk->fds++;
	append_event(&fk->by_fd, &fk->n_by_fd, &fk->by_fd_capacity, perf);
	append_event(&fk->perfs, &fk->n_perfs, &fk->perfs_capacity, perf);
	if (fk_perf_is_clock(perf))
		append_event(&fk->clocks, &fk->n_clocks, &fk->clocks_capacity, perf);
	fk_group_add(leader ? leader : perf, perf);
	if (leader)
		fk_start_late(fk, perf);
	else
		fk_context_add(fk_perf_context(fk, perf), perf);
	for (unsigned i = 0; i < fk->config.cpus; i++)
		if (perf->task ? perf->task->cpu == (int)i : perf->cpu == (int)i)
			fk_reschedule(fk, &fk->cpus[i], perf);
	return perf->fd;
}
