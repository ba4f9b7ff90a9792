// SPDX-License-Identifier: MIT
#include "core/attrib/task_table.h"

#include "core/base/util.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 1024 };

void task_table_init(struct task_table *table)
{
	*table = (struct task_table){
		.slots = xcalloc(FIRST_SLOTS, sizeof(*table->slots)),
		.n_slots = FIRST_SLOTS,
	};
}

void task_table_fini(struct task_table *table)
{
	free(table->slots);
	*table = (struct task_table){0};
}

static void resize(struct task_table *table, size_t n_slots)
{
	struct task_slot *old = table->slots;
	size_t n_old = table->n_slots;

	table->n_slots = n_slots;
	table->slots = xcalloc(n_slots, sizeof(*table->slots));
	for (size_t i = 0; i < n_old; i++)
		if (old[i].newest)
			*task_table_slot(table, old[i].tid) = old[i];
	free(old);
}

static void empty(struct task_table *table, struct task_slot *slot)
{
	/* Close the gap, so that no search stops short: every later tid of the run that may move
	 * nearer to its home does. */
	size_t mask = table->n_slots - 1;
	size_t gap = (size_t)(slot - table->slots), next = gap;

	for (;;) {
		next = (next + 1) & mask;
		if (!table->slots[next].newest)
			break;
		size_t home = task_table_home(table, table->slots[next].tid);
		if (((next - home) & mask) >= ((next - gap) & mask)) {
			table->slots[gap] = table->slots[next];
			gap = next;
		}
	}
	table->slots[gap] = (struct task_slot){0};
}

bool task_table_set(struct task_table *table, pid_t tid, struct task *newest)
{
	struct task_slot *slot = task_table_slot(table, tid);
	bool grows = newest && !slot->newest && table->n * 2 >= table->n_slots;

	if (grows) {
		resize(table, table->n_slots * 2);
		slot = task_table_slot(table, tid);
	}
	table->n += (newest != NULL) - (slot->newest != NULL);
	if (newest)
		*slot = (struct task_slot){newest, tid};
	else if (slot->newest)
		empty(table, slot);
	return grows;
}

bool task_table_shrink(struct task_table *table)
{
	if (!array_is_sparse(table->n_slots, table->n))
		return false;
	resize(table, table->n_slots / 2);
	return true;
}
