// SPDX-License-Identifier: MIT
/*
 * A task's events at fork, exec and exit. A fork copies inherited events. Copies of copies belong
 * to the event that was opened, too: its reads add them up, and its close removes them. Linux swaps
 * equal contexts of parent and child, which changes no sum.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/internal.h"

#include <stdlib.h>

bool fk_perf_is_inherited(const struct fk_perf *perf)
{
	return perf->task && perf->attr.inherit;
}

static struct fk_perf *copy_new(struct fk_perf *from, struct fk_task *child, struct fk_perf *leader)
{
	struct fk_perf *parent = from->parent ? from->parent : from;
	struct fk_perf *copy = xmalloc(sizeof(*copy));

	*copy = (struct fk_perf){
		.fd = -1,
		.id = parent->id,
		.attr = parent->attr,
		.kind = parent->kind,
		.cpu = parent->cpu,
		.task = child,
		.pmu = parent->pmu,
		.device = parent->device,
		.parent = parent,
		/* The state of the forking task's event, not attr.disabled. */
		.enabled = from->enabled,
	};
	parent->copies = array_reserve(parent->copies, &parent->copies_capacity,
				       parent->n_copies + 1, sizeof(*parent->copies));
	parent->copies[parent->n_copies++] = copy;
	fk_group_add(leader ? leader : copy, copy);
	return copy;
}

void fk_inherit(const struct fk_task *parent, struct fk_task *child)
{
	for (size_t i = 0; i < parent->context.n; i++) {
		const struct fk_perf *from = parent->context.leaders[i];
		struct fk_perf *leader = NULL;

		for (size_t k = 0; from->attr.inherit && k < from->n_members; k++) {
			struct fk_perf *copy = copy_new(from->members[k], child, leader);

			leader = leader ? leader : copy;
		}
		if (!leader)
			continue;
		leader->changes = from->changes;
		fk_context_add(&child->context, leader);
	}
}

void fk_enable_on_exec(struct fk *fk, struct fk_task *task, struct fk_cpu *cpu)
{
	const struct fk_context *context = &task->context;
	bool any = false;

	for (size_t i = 0; i < context->n; i++) {
		for (size_t k = 0; k < context->leaders[i]->n_members; k++) {
			struct fk_perf *perf = context->leaders[i]->members[k];

			any = any || (perf->attr.enable_on_exec && !perf->enabled);
			perf->enabled = perf->enabled || perf->attr.enable_on_exec;
			perf->attr.enable_on_exec = 0;
		}
	}
	if (!any)
		return;
	fk_context_stop(fk, &task->context);
	fk_schedule(fk, cpu, FK_TASK_ANEW);
}

/* Removes a copy from the event that was opened, which keeps the counts of an exited task. */
static void copy_free(struct fk *fk, struct fk_perf *copy, bool keep_counts)
{
	struct fk_perf *parent = copy->parent;
	size_t kept = 0;

	if (keep_counts) {
		parent->left.count += copy->count;
		parent->left.enabled_ns += copy->enabled_ns;
		parent->left.running_ns += copy->running_ns;
	}
	for (size_t i = 0; i < parent->n_copies; i++)
		if (parent->copies[i] != copy)
			parent->copies[kept++] = parent->copies[i];
	parent->n_copies = kept;
	fk_perf_set_active(fk, copy, false);
	fk_perf_detach(fk, copy);
	free(copy->members);
	free(copy);
}

void fk_copies_free(struct fk *fk, struct fk_perf *perf)
{
	while (perf->n_copies)
		copy_free(fk, perf->copies[perf->n_copies - 1], false);
	free(perf->copies);
	perf->copies = NULL;
}

void fk_context_exit(struct fk *fk, struct fk_context *context)
{
	fk_context_stop(fk, context);
	while (context->n) {
		struct fk_perf *leader = context->leaders[context->n - 1];

		/* A group has only copies, or none. */
		while (leader->parent && leader->n_members > 1)
			copy_free(fk, leader->members[leader->n_members - 1], true);
		if (leader->parent) {
			copy_free(fk, leader, true);
			continue;
		}
		for (size_t i = 0; i < leader->n_members; i++)
			leader->members[i]->gone = true;
		context->n--;
	}
}
