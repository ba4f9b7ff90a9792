// SPDX-License-Identifier: MIT
#include "tests/unit/shared/same_profile.h"

#include "tests/unit/shared/same_snapshot.h"

static void same_name(const char *a, const char *b)
{
	if (strcmp(a, b) != 0)
		fail_msg("a name differs: '%s', '%s'", a, b);
}

static void same_function(const struct code_function *a, const struct code_function *b)
{
	same_name(a->name, b->name);
	same_name(a->module, b->module);
	SAME(a->kind, b->kind, a->name);
	same_name(a->why ? a->why : "", b->why ? b->why : "");
}

static void same_entry(const struct code_profile *a, const struct code_entry *left,
		       const struct code_profile *b, const struct code_entry *right)
{
	SAME(a->tasks[left->task].pid, b->tasks[right->task].pid, "pid of an entry");
	SAME(a->tasks[left->task].tid, b->tasks[right->task].tid, "tid of an entry");
	SAME(a->tasks[left->task].start_ns, b->tasks[right->task].start_ns, "start of a task");
	same_name(a->events[left->event].name, b->events[right->event].name);
	SAME(left->cpu, right->cpu, "CPU of an entry");
	SAME(left->samples, right->samples, "samples of an entry");
	SAME(left->weight, right->weight, "weight of an entry");
	assert_true(left->squares == right->squares);
	SAME(left->depth, right->depth, "depth of an entry");
	for (uint32_t i = 0; i < left->depth; i++)
		same_function(&a->functions[a->frames[left->frame + i]],
			      &b->functions[b->frames[right->frame + i]]);
}

void same_profile(const struct code_profile *a, const struct code_profile *b)
{
	SAME(a != NULL, b != NULL, "whether there is a profile");
	if (!a)
		return;
	SAME(a->lost, b->lost, "lost samples");
	SAME(a->n_events, b->n_events, "number of sampled events");
	for (size_t i = 0; i < a->n_events; i++) {
		same_name(a->events[i].name, b->events[i].name);
		SAME(a->events[i].counted, b->events[i].counted, a->events[i].name);
	}
	SAME(a->n_functions, b->n_functions, "number of functions");
	SAME(a->n_tasks, b->n_tasks, "number of tasks");
	SAME(a->n_entries, b->n_entries, "number of entries");
	for (size_t i = 0; i < a->n_entries; i++)
		same_entry(a, &a->entries[i], b, &b->entries[i]);
}
