// SPDX-License-Identifier: MIT
/*
 * The row that a detail page shows. A snapshot is freed when the next one comes, so the subject has
 * copies of all that the page still shows when the row does not run.
 */
#include "tui/panel/detail_subject.h"

#include "core/base/util.h"
#include "core/sys/cgroup_name.h"

#include <stdio.h>
#include <string.h>

bool detail_subject_is_of_cpus(const struct detail_subject *subject)
{
	return detail_is_of_cpus(&subject->key);
}

bool detail_subject_is_of_tasks(const struct detail_subject *subject)
{
	return subject->key.kind == HISTORY_THREAD || subject->key.kind == HISTORY_PROCESS;
}

/* Copies the texts that the snapshot owns. */
static void copy_texts(struct detail_subject *subject, const struct snapshot *snapshot)
{
	const char *path = snapshot_cgroup(snapshot, &subject->row);

	if (path)
		text_copy(subject->cgroup, sizeof(subject->cgroup), path);
	if (subject->row.cmdline)
		text_copy(subject->cmdline, sizeof(subject->cmdline), subject->row.cmdline);
	subject->row.cmdline = NULL;
}

void detail_subject_init(struct detail_subject *subject, const struct snapshot *snapshot,
			 enum rollup by, const struct row *row)
{
	*subject = (struct detail_subject){
		.key = history_key_of_row(snapshot, by, row),
		.row = *row,
		.ended = row->flags & ROW_EXITED,
	};
	copy_texts(subject, snapshot);
}

void detail_subject_update(struct detail_subject *subject, const struct snapshot *snapshot,
			   const struct detail *detail)
{
	if (detail->sum.n == 0 || detail_subject_is_of_cpus(subject))
		return;

	struct row before = subject->row;

	subject->row = detail->sum.items[0];
	copy_texts(subject, snapshot);
	if (!subject->row.comm[0])
		memcpy(subject->row.comm, before.comm, sizeof(before.comm));
	if (!subject->row.start_ns)
		subject->row.start_ns = before.start_ns;
	if (detail_subject_is_of_tasks(subject) && !subject->key.start)
		subject->key.start = subject->row.start_ns;
	subject->ended = subject->row.flags &
			 ROW_EXITED; /* a replay that goes back shows the row alive again */
}

void detail_subject_title(const struct detail_subject *subject, char *text, size_t size)
{
	const struct row *row = &subject->row;
	char cgroup[128] = "";

	switch (subject->key.kind) {
	case HISTORY_THREAD:
		snprintf(text, size, "thread %d %s", (int)row->tid, row->comm);
		break;
	case HISTORY_PROCESS:
		snprintf(text, size, "process %d %s", (int)row->pid, row->comm);
		break;
	case HISTORY_USER:
		snprintf(text, size, "user %s", row->user[0] ? row->user : "-");
		break;
	case HISTORY_CGROUP:
		cgroup_name(subject->cgroup, cgroup, sizeof(cgroup));
		snprintf(text, size, "cgroup %s", cgroup[0] ? cgroup : "-");
		break;
	case HISTORY_COMMAND:
		snprintf(text, size, "command %s", row->comm[0] ? row->comm : "-");
		break;
	case HISTORY_CPU:
		snprintf(text, size, "CPU %d", (int)subject->key.number);
		break;
	case HISTORY_SOCKET:
		snprintf(text, size, "socket %d", (int)subject->key.number);
		break;
	case HISTORY_NODE:
		snprintf(text, size, "node %d", (int)subject->key.number);
		break;
	case HISTORY_MACHINE:
	case HISTORY_TARGET:
		text_copy(text, size, "");
		break;
	}
}
