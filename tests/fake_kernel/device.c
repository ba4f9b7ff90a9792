// SPDX-License-Identifier: MIT
/*
 * PMUs of devices: their events count with time, for any running task. The count between two
 * moments is the difference of the counts up to them, so no rounding error adds up.
 */
#include "tests/fake_kernel/internal.h"

#include <errno.h>
#include <string.h>

const struct fk_device *fk_device_by_type(const struct fk *fk, uint32_t type)
{
	for (size_t i = 0; i < fk->config.n_devices; i++)
		if (fk->config.devices[i]->type == type)
			return fk->config.devices[i];
	return NULL;
}

static const struct fk_device_event *device_event(const struct fk_device *device, uint64_t config)
{
	for (size_t i = 0; i < device->n_events; i++)
		if (device->events[i].config == config)
			return &device->events[i];
	return NULL;
}

int fk_device_check(const struct fk_device *device, const struct fk_perf *perf)
{
	const struct perf_event_attr *attr = &perf->attr;

	if (attr->sample_period || (!device->seed && !device_event(device, attr->config)))
		return -EINVAL;
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv || attr->exclude_idle ||
	    attr->exclude_host || attr->exclude_guest)
		return -EINVAL;
	return perf->task && !device->of_cpus ? -EINVAL : 0;
}

static uint64_t counts_until(const struct fk *fk, const struct fk_device *device,
			     const struct perf_event_attr *attr, int cpu, uint64_t ns)
{
	const struct fk_device_event *event = device_event(device, attr->config);
	unsigned socket = device->socket_cpus ? (unsigned)cpu / device->socket_cpus : 0;
	unsigned __int128 parts = ns - fk->start_ns;
	struct fk_rate rate;

	if (!event && !device->seed)
		fk_die("there is no event 0x%llx of %s", (unsigned long long)attr->config,
		       device->name);
	rate = event ? event->rate : fk_seeded_rate(device->seed, attr->config, attr->config1);
	parts *= (uint64_t)rate.num * (socket + 1);
	return (uint64_t)(parts / (rate.den ? rate.den : 1));
}

uint64_t fk_device_counts(const struct fk *fk, const struct fk_device *device,
			  const struct perf_event_attr *attr, int cpu, uint64_t from_ns,
			  uint64_t to_ns)
{
	return counts_until(fk, device, attr, cpu, to_ns) -
	       counts_until(fk, device, attr, cpu, from_ns);
}

uint64_t fk_truth_device(struct fk *fk, const char *name, uint64_t config, int cpu)
{
	return fk_truth_device_code(fk, name, config, 0, cpu);
}

uint64_t fk_truth_device_code(struct fk *fk, const char *name, uint64_t config, uint64_t config1,
			      int cpu)
{
	const struct perf_event_attr attr = {.config = config, .config1 = config1};

	for (size_t i = 0; i < fk->config.n_devices; i++) {
		const struct fk_device *device = fk->config.devices[i];

		if (!strcmp(device->name, name))
			return fk_device_counts(fk, device, &attr, cpu, fk->start_ns, fk->now_ns);
	}
	fk_die("there is no device %s", name);
}
