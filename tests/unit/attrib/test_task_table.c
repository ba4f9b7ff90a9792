// SPDX-License-Identifier: MIT
/* Tids whose searches begin at the same slot, or beside it, and one of them goes. */
#include "core/attrib/task_table.h"
#include "core/base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { TIDS_MAX = 8, TASKS_MAX = 1 << 20 };

/* Whose tid is whose: the table looks at no task. */
static struct task *task_of(pid_t tid)
{
	static char tasks[TASKS_MAX];

	return (struct task *)(void *)&tasks[tid];
}

/* The first tid after `after` that is at home in that slot of an empty table. */
static pid_t tid_at_home(const struct task_table *table, size_t slot, pid_t after)
{
	pid_t tid = after + 1;

	while (task_table_home(table, tid) != slot)
		tid++;
	assert_true(tid < TASKS_MAX);
	return tid;
}

struct hash_case {
	const char *name;
	int homes[TIDS_MAX]; /* of those that come, in order; -1 ends them; 1023: the last slot */
	size_t gone;         /* which of them goes */
};

static const struct hash_case cases[] = {
	{"the first of a run goes", {5, 5, 5, -1}, 0},
	{"one in the middle goes", {5, 5, 5, 5, -1}, 1},
	{"the last goes", {5, 5, 5, -1}, 2},
	{"one at home behind the gap stays, the one behind it moves", {5, 6, 5, -1}, 0},
	{"those pushed out of their home move back by one", {5, 5, 6, 7, -1}, 0},
	{"a run over the end of the table", {1022, 1023, 1022, 1023, 0, -1}, 0},
	{"a gap at the very end of the table", {1023, 1023, 0, 1, -1}, 0},
	{"a gap at its very beginning", {1023, 1023, 0, 1023, -1}, 1},
	{"nobody else is there", {5, -1}, 0},
};

static void test_gap(void **state)
{
	const struct hash_case *this = *state;
	pid_t tids[TIDS_MAX] = {0}, last = 0;
	struct task_table table;
	size_t n = 0;

	task_table_init(&table);
	for (; this->homes[n] >= 0; n++) {
		last = tids[n] = tid_at_home(&table, (size_t)this->homes[n], last);
		assert_false(task_table_set(&table, last, task_of(last)));
	}
	assert_int_equal(table.n, n);
	assert_false(task_table_set(&table, tids[this->gone], NULL));
	assert_int_equal(table.n, n - 1);
	for (size_t i = 0; i < n; i++)
		assert_ptr_equal(task_table_find(&table, tids[i]),
				 i == this->gone ? NULL : task_of(tids[i]));
	task_table_fini(&table);
}

static void test_set_again(void **state)
{
	struct task_table table;

	(void)state;
	task_table_init(&table);
	assert_null(task_table_find(&table, 7));
	assert_false(task_table_set(&table, 7, NULL));
	task_table_set(&table, 7, task_of(7));
	task_table_set(&table, 7, task_of(8));
	assert_int_equal(table.n, 1);
	assert_ptr_equal(task_table_find(&table, 7), task_of(8));
	assert_null(task_table_find(&table, -1));
	assert_null(task_table_find(&table, 0));
	task_table_fini(&table);
}

static void test_grows_and_shrinks(void **state)
{
	enum { N = 100 * 1000, STAY = 10 };
	struct task_table table;
	size_t grown = 0;

	(void)state;
	task_table_init(&table);
	size_t first = table.n_slots;
	assert_false(task_table_shrink(&table));
	for (pid_t tid = 1; tid <= N; tid++) {
		size_t before = table.n_slots;
		bool moved = task_table_set(&table, tid, task_of(tid));
		assert_int_equal(moved, table.n_slots != before);
		grown += moved;
	}
	assert_int_equal(table.n_slots, first << grown);
	assert_in_range(table.n_slots, 2 * N, 4 * N);
	for (pid_t tid = STAY + 1; tid <= N; tid++)
		task_table_set(&table, tid, NULL);
	while (task_table_shrink(&table))
		continue;
	assert_int_equal(table.n_slots, first);
	for (pid_t tid = 1; tid <= N; tid++)
		assert_ptr_equal(task_table_find(&table, tid), tid <= STAY ? task_of(tid) : NULL);
	task_table_fini(&table);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_set_again),
		cmocka_unit_test(test_grows_and_shrinks),
	};
	struct CMUnitTest tests[ARRAY_SIZE(cases) + ARRAY_SIZE(others)];

	/* cmocka hands the state on as it is */
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		tests[i] = (struct CMUnitTest){.name = cases[i].name,
					       .test_func = test_gap,
					       .initial_state = (void *)(uintptr_t)&cases[i]};
	memcpy(tests + ARRAY_SIZE(cases), others, sizeof(others));
	return cmocka_run_group_tests_name("task table", tests, NULL, NULL);
}
