// SPDX-License-Identifier: MIT
/*
 * Why the thread is blocked now. One look is a chance hit, so the page shows the reason that most
 * of the latest looks have at which it was blocked, and their number. What the kernel refuses is
 * named with the right that is missing.
 */
#include "tui/panel/detail_looks.h"

#include "core/base/util.h"
#include "core/event/event_wait.h"
#include "core/metric/metric.h"
#include "core/sys/syscall_name.h"
#include "tui/panel/detail_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_WIDTH = 12 };

/* Known time of a thread in waits that have a reason, in ns. */
static uint64_t reasoned_ns(const struct snapshot *snapshot, size_t row)
{
	static const enum event_wait waits[] = {WAIT_UNINTERRUPTIBLE, WAIT_LOCK, WAIT_DISK,
						WAIT_PAGING};
	const struct columns *columns = snapshot->columns;
	const uint64_t *tally = rows_tally(columns, &snapshot->threads, row);
	struct wait_places places;
	uint64_t ns = 0;

	wait_places_find(&places, columns->plan, &columns->events);
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		if (places.counts[waits[i]] >= 0)
			ns += tally[places.counts[waits[i]]];
	return ns;
}

/* A living thread other than the main thread: `before` if it is one, else the first; 0: none. */
static pid_t other_thread(const struct snapshot *snapshot, const struct detail *detail,
			  pid_t before)
{
	pid_t first = 0;

	for (size_t i = 0; i < detail->n_threads; i++) {
		const struct row *row = &snapshot->threads.items[detail->threads[i].row];

		if (row->tid == row->pid || row->flags & ROW_EXITED)
			continue;
		if (row->tid == before)
			return before;
		first = first ? first : row->tid;
	}
	return first;
}

/*
 * The thread of a process that waited most for a reason; its main thread if none did, or another
 * one if that has ended. `before` is kept if it waited at least half as much, so that looks add up.
 */
static pid_t waiting_thread(const struct snapshot *snapshot, const struct detail *detail, pid_t pid,
			    pid_t before, bool main_ended)
{
	uint64_t most_ns = 0, before_ns = 0;
	pid_t other = main_ended ? other_thread(snapshot, detail, before) : 0;
	/* Without a row of another thread the one before may still live. */
	pid_t tid = other ? other : main_ended && before ? before : pid;

	for (size_t i = 0; i < detail->n_threads; i++) {
		size_t row = detail->threads[i].row;
		uint64_t ns = reasoned_ns(snapshot, row);
		if (snapshot->threads.items[row].tid == before)
			before_ns = ns;
		if (ns <= most_ns || (snapshot->threads.items[row].flags & ROW_EXITED))
			continue;
		most_ns = ns;
		tid = snapshot->threads.items[row].tid;
	}
	return before_ns > 0 && before_ns >= most_ns / 2 ? before : tid;
}

void detail_looks_choose(struct detail_looks *looks, const struct detail_subject *subject,
			 const struct snapshot *snapshot, const struct detail *detail)
{
	pid_t pid = 0, tid = 0;
	bool main_ended;

	for (size_t i = 0; i < looks->n && looks->tid == looks->pid; i++)
		looks->main_ended |=
			looks->items[i].result == 0 && looks->items[i].blocked.state == 'Z';
	main_ended = looks->main_ended && looks->pid == subject->row.pid;
	if (detail_subject_is_of_tasks(subject) && !subject->ended) {
		pid = subject->row.pid;
		tid = subject->key.kind == HISTORY_THREAD
			      ? subject->row.tid
			      : waiting_thread(snapshot, detail, pid, looks->tid, main_ended);
	}
	if (pid != looks->pid || tid != looks->tid)
		*looks = (struct detail_looks){.pid = pid, .tid = tid, .main_ended = main_ended};
}

void detail_looks_add(struct detail_looks *looks, const struct reply *reply)
{
	if (!looks->tid || reply->tid != looks->tid)
		return;
	looks->items[looks->next] =
		(struct detail_look){reply->blocked_result, reply->reason, reply->blocked};
	looks->next = (looks->next + 1) % DETAIL_LOOKS;
	if (looks->n < DETAIL_LOOKS)
		looks->n++;
}

const struct detail_look *detail_looks_usual(const struct detail_looks *looks, size_t *n)
{
	const struct detail_look *usual = NULL;
	size_t counts[BLOCKED_REASONS] = {0}, most = 0, known = 0;

	for (size_t i = 0; i < looks->n; i++) {
		known += looks->items[i].result == 0;
		counts[looks->items[i].reason] += looks->items[i].result == 0;
	}
	if (counts[BLOCKED_NOT] < known)
		counts[BLOCKED_NOT] = 0;
	/* From the newest look on. */
	for (size_t back = 1; back <= looks->n; back++) {
		const struct detail_look *look =
			&looks->items[(looks->next + DETAIL_LOOKS - back) % DETAIL_LOOKS];
		if (look->result != 0 || counts[look->reason] <= most)
			continue;
		most = counts[look->reason];
		usual = look;
	}
	*n = most;
	return usual;
}

static void draw_line(struct detail_pen *pen, const char *label, enum style style, const char *text)
{
	unsigned x = pen->rect.x;

	detail_pen_left(pen, &x, LABEL_WIDTH, STYLE_LABEL, label);
	detail_pen_left(pen, &x, pen->rect.width, style, text);
	pen->y++;
}

static enum style style_of_reason(enum blocked_reason reason)
{
	bool waits = reason == BLOCKED_LOCK || reason == BLOCKED_DISK || reason == BLOCKED_PAGE ||
		     reason == BLOCKED_VFORK || reason == BLOCKED_FREEZER;

	return waits ? STYLE_WARN : STYLE_PLAIN;
}

static void draw_reason(struct detail_pen *pen, const struct detail_look *look, size_t n)
{
	const struct detail_looks *looks = pen->page->looks;
	const char *reason = blocked_reason_name(look->reason);
	char text[192];

	if (look->blocked.state == 'Z' || look->blocked.state == 'X')
		reason = "has ended";
	else if (look->reason == BLOCKED_NOT)
		reason = "runs, or waits for a CPU";
	else if (look->reason == BLOCKED_UNKNOWN)
		reason = "unknown";
	snprintf(text, sizeof(text), "%s, state %c, in %zu of %zu looks%s", reason,
		 look->blocked.state, n, looks->n,
		 pen->page->subject->key.kind == HISTORY_THREAD ? "" : " at thread ");
	if (pen->page->subject->key.kind != HISTORY_THREAD)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d", (int)looks->tid);
	draw_line(pen, "reason", style_of_reason(look->reason), text);
}

static void draw_function(struct detail_pen *pen, const struct detail_look *look)
{
	switch (look->blocked.wchan_result) {
	case 0:
		draw_line(pen, "function", STYLE_NAME, look->blocked.wchan);
		break;
	case -EACCES:
		draw_line(pen, "function", STYLE_DIM,
			  "shown only with CAP_SYS_PTRACE: run as root");
		break;
	case -EAGAIN:
		draw_line(pen, "function", STYLE_DIM, "unknown: perhaps CAP_SYS_PTRACE is missing");
		break;
	default:
		break;
	}
}

static void draw_syscall(struct detail_pen *pen, const struct detail_look *look)
{
	const struct blocked_syscall *call = &look->blocked.syscall;
	const char *name = call->kind == BLOCKED_CALL ? syscall_name(call->number) : NULL;
	char number[24];

	snprintf(number, sizeof(number), "number %ld", call->number);
	if (look->blocked.syscall_result == -EACCES)
		draw_line(pen, "system call", STYLE_DIM,
			  "shown only with CAP_SYS_PTRACE: run as root");
	else if (look->blocked.syscall_result == -EBUSY)
		draw_line(pen, "system call", STYLE_NAME, "execve");
	else if (look->blocked.syscall_result == 0 && call->kind == BLOCKED_CALL)
		draw_line(pen, "system call", STYLE_NAME, name ? name : number);
	else if (look->blocked.syscall_result == 0 && call->kind == BLOCKED_CALL_NONE)
		draw_line(pen, "system call", STYLE_DIM,
			  "none: a signal, a page fault, or a kernel thread");
}

static void draw_stack(struct detail_pen *pen, const struct detail_look *look)
{
	const struct blocked_stack *stack = &look->blocked.stack;
	char text[1024] = "";
	size_t length = 0;

	if (look->blocked.stack_result != 0 || stack->n == 0)
		return;
	for (size_t i = 0; i < stack->n && length < sizeof(text) - BLOCKED_FUNCTION - 4; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s",
					   i ? " < " : "", stack->functions[i]);
	draw_line(pen, "kernel stack", STYLE_PLAIN, text);
}

void detail_draw_looks(struct detail_pen *pen)
{
	const struct detail_looks *looks = pen->page->looks;
	size_t n;

	if (!looks || looks->n == 0)
		return;
	const struct detail_look *look = detail_looks_usual(looks, &n);
	if (!look)
		return;
	detail_pen_heading(pen, "Now", "what the latest looks found");
	draw_reason(pen, look, n);
	if (look->reason != BLOCKED_NOT) {
		draw_function(pen, look);
		draw_syscall(pen, look);
		draw_stack(pen, look);
	}
	pen->y++;
}
