// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SWITCH_EVENT_H
#define PMCTOP_SWITCH_EVENT_H

#include "core/perf/switch_format.h"
#include "core/sys/sys.h"

/*
 * Which event samples the context switches of whole CPUs. The tracepoint sched:sched_switch is
 * preferred: its samples are not shared with other programs' events. They name a thread that has
 * already exited, why it stopped, and the next thread. Otherwise the software event
 * context-switches is used; `choice` has the reason.
 */
enum switch_event_choice {
	SWITCH_EVENT_TRACEPOINT,
	/* The software event, for these reasons: */
	SWITCH_EVENT_NAMESPACE,   /* RAW has numbers of the initial pid namespace */
	SWITCH_EVENT_NOT_MOUNTED, /* enum switch_format_state */
	SWITCH_EVENT_UNREADABLE,
	SWITCH_EVENT_ABSENT,
	SWITCH_EVENT_FORMAT,
	SWITCH_EVENT_DENIED,  /* the kernel grants no RAW samples */
	SWITCH_EVENT_REFUSED, /* the kernel does not open the tracepoint for another reason */
};

/* One choice for all CPUs, made before their groups open. */
struct switch_event {
	enum switch_event_choice choice;
	struct switch_format format; /* of the tracepoint */
	struct switch_texts texts;   /* of the tracepoint; empty: not all can be read */
	int answer;                  /* of perf_event_open: 0, or -errno for DENIED and REFUSED */
	int fd;                      /* the tracepoint, disabled; -1: not open */
	/* sched:sched_waking, which is sampled beside the switches if times of waiting are counted.
	 */
	enum switch_format_state waking_state; /* of waking_format */
	struct waking_format waking_format;
	bool wakings;  /* it is sampled */
	int waking_fd; /* kept open as fd is; -1: not open */
};

/*
 * Chooses, by opening the tracepoint on that CPU. It remains open, because the kernel waits 40 ms
 * (measured) when the last event of a tracepoint is closed, and each plan closes groups and opens
 * them again.
 */
void switch_event_open(struct switch_event *event, const struct sys *sys, int cpu);
void switch_event_close(struct switch_event *event, const struct sys *sys);

/* The format of its samples; NULL: they are the software event's, without a RAW part. */
static inline const struct switch_format *switch_event_format(const struct switch_event *event)
{
	return event && event->choice == SWITCH_EVENT_TRACEPOINT ? &event->format : NULL;
}

/* What a recording with RAW parts needs; NULL: RAW parts are not recorded. */
static inline const struct switch_texts *switch_event_texts(const struct switch_event *event)
{
	return switch_event_format(event) && event->texts.items[0] ? &event->texts : NULL;
}

/*
 * From now on wake-ups are sampled (`on`), or not. Returns 0, -EOPNOTSUPP if the switches are not
 * from the tracepoint or its format is unknown, or the kernel's -errno; then they are not.
 */
int switch_event_sample_wakings(struct switch_event *event, const struct sys *sys, int cpu,
				bool on);

/* The format of these samples; NULL: there are none. */
static inline const struct waking_format *switch_event_wakings(const struct switch_event *event)
{
	return event && event->wakings ? &event->waking_format : NULL;
}

/*
 * The kernel has refused the tracepoint in a group, with that -errno: from now on it is the
 * software event.
 */
void switch_event_refuse(struct switch_event *event, const struct sys *sys, int answer);

#endif
