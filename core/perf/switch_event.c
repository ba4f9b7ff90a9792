// SPDX-License-Identifier: MIT
/*
 * The tracepoint is the choice if its format can be read and the kernel opens it. It stays open, so
 * that closing groups does not wait for the kernel.
 */
#include "core/perf/switch_event.h"

#include "core/perf/group.h"
#include "core/sys/own_container.h"

#include <errno.h>

static enum switch_event_choice choose_by_format(const struct sys *sys,
						 struct switch_format *format)
{
	if (own_container_read_pid_namespace(sys) == NAMESPACE_OWN)
		return SWITCH_EVENT_NAMESPACE;
	switch (switch_format_read(sys, format)) {
	case SWITCH_FORMAT_READ:
		break;
	case SWITCH_FORMAT_NOT_MOUNTED:
		return SWITCH_EVENT_NOT_MOUNTED;
	case SWITCH_FORMAT_DENIED:
		return SWITCH_EVENT_UNREADABLE;
	case SWITCH_FORMAT_ABSENT:
		return SWITCH_EVENT_ABSENT;
	case SWITCH_FORMAT_UNKNOWN:
		return SWITCH_EVENT_FORMAT;
	}
	return SWITCH_EVENT_TRACEPOINT;
}

void switch_event_open(struct switch_event *event, const struct sys *sys, int cpu)
{
	*event = (struct switch_event){.fd = -1, .waking_fd = -1};
	event->choice = choose_by_format(sys, &event->format);
	if (event->choice != SWITCH_EVENT_TRACEPOINT)
		return;
	struct perf_event_attr attr = group_switch_attr(event, 0);
	attr.disabled = 1;
	int fd = sys_perf_open(sys, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		switch_event_refuse(event, sys, fd);
	else
		event->fd = fd;
	if (fd < 0)
		return;
	switch_texts_read(sys, &event->texts);
	/* Here, because the right to read it may be given up later. */
	event->waking_state = waking_format_read(sys, &event->waking_format);
}

int switch_event_sample_wakings(struct switch_event *event, const struct sys *sys, int cpu, bool on)
{
	event->wakings = false;
	if (!on)
		return 0;
	if (!switch_event_format(event) || event->waking_state != SWITCH_FORMAT_READ)
		return -EOPNOTSUPP;
	if (event->waking_fd < 0) {
		struct perf_event_attr attr = group_waking_attr(event, 0);
		attr.disabled = 1;
		int fd = sys_perf_open(sys, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0)
			return fd;
		event->waking_fd = fd;
	}
	event->wakings = true;
	return 0;
}

void switch_event_close(struct switch_event *event, const struct sys *sys)
{
	if (event->fd >= 0)
		sys_close(sys, event->fd);
	if (event->waking_fd >= 0)
		sys_close(sys, event->waking_fd);
	event->fd = event->waking_fd = -1;
	event->wakings = false;
	switch_texts_fini(&event->texts);
}

void switch_event_refuse(struct switch_event *event, const struct sys *sys, int answer)
{
	switch_event_close(event, sys);
	event->choice =
		answer == -EPERM || answer == -EACCES ? SWITCH_EVENT_DENIED : SWITCH_EVENT_REFUSED;
	event->answer = answer;
}
