// SPDX-License-Identifier: MIT
#include "core/snapshot/run_proof.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

bool run_proof_holds(struct run_proofs *proofs, struct task *task, const struct run_counts *counted,
		     uint64_t length_ns)
{
	struct task_proof before = task->proof;
	struct proc_schedstat stat;

	if (task->start_ns >= proofs->begin_ns)
		before = (struct task_proof){.sequence = proofs->sequence - 1};
	bool ran = task->interval == proofs->sequence;
	task->proof.sequence = 0;
	if (proofs->left == 0 || task->pid <= 0 || task->exit_ns)
		return false;
	proofs->left--;
	if (proc_thread_schedstat(proofs->sys, task->pid, task->tid, &stat) < 0)
		return false;
	task->proof =
		(struct task_proof){proofs->sequence, task->interval, stat.run_ns, stat.slices};
	if (before.sequence == 0)
		return false;
	if (stat.slices == before.slices && stat.run_ns == before.run_ns)
		return true;
	/* All growth is of this interval if the task was not seen between that reading and it. */
	bool only_now = before.sequence + 1 == proofs->sequence ||
			(ran && task->interval_before == before.interval);
	uint64_t grown_ns = u64_growth(before.run_ns, stat.run_ns);
	/* The kernel counts a slice when it begins: it may be the current one. */
	bool all_slices = stat.slices - before.slices <= counted->switches + ran;
	return only_now && all_slices &&
	       (double)u64_growth(counted->ns, grown_ns) <= INTERVAL_UNSEEN * (double)length_ns;
}
