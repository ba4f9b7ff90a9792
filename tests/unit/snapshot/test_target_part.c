// SPDX-License-Identifier: MIT
/* The part of a task's time in a target of a user and a cgroup, if both have changed. */
#include "core/base/util.h"
#include "core/snapshot/target_part.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define ANN 1000
#define NONE         \
	{            \
		0, 0 \
	}

/* The task changes from this to that; the target is ann in /web. */
static const struct part_case {
	const char *name;
	uid_t from, to;
	const char *left, *entered;
	float user[2], cgroup[2]; /* bounds of the part before each change */
	float least, most;
	bool was_user, was_cgroup;
} cases[] = {
	{"no change", ANN, ANN, "/web", "/web", NONE, NONE, 1, 1},
	{"no change of one outside", 0, 0, "/web", "/web", NONE, NONE, 0, 0},
	{"within the target", ANN, ANN, "/web/a", "/web/b", NONE, {0, 1}, 1, 1},
	{"outside the target", 0, ANN, "/db", "/db", {0, 1}, NONE, 0, 0},
	{"enters by its user", 0, ANN, "/web", "/web", {.25f, .75f}, NONE, .25f, .75f},
	{"leaves by its user", ANN, 0, "/web", "/web", {.25f, .5f}, NONE, .25f, .5f, true},
	{"leaves by its cgroup",
	 ANN,
	 ANN,
	 "/web",
	 "/db",
	 NONE,
	 {.25f, .5f},
	 .25f,
	 .5f,
	 false,
	 true},
	{"enters by both", 0, ANN, "/db", "/web", {.1f, .2f}, {.3f, .4f}, .6f, .7f},
	{"leaves by both", ANN, 0, "/web", "/db", {.5f, .6f}, {.3f, .8f}, .3f, .6f, true, true},
	{"enters, then leaves",
	 0,
	 ANN,
	 "/web",
	 "/db",
	 {.2f, .4f},
	 {.6f, .8f},
	 .2f,
	 .6f,
	 false,
	 true},
	{"leaves before it enters", 0, ANN, "/web", "/db", {.6f, .8f}, {.2f, .4f}, 0, 0},
	{"either", 0, ANN, "/web", "/db", {.2f, .8f}, {.2f, .8f}, 0, .6f, false, true},
	{"enters at the end", 0, ANN, "/web", "/web", {.9999f, 1}, NONE, 0, 0},
	{"enters at the begin", 0, ANN, "/web", "/web", {0, .0005f}, NONE, 1, 1},
};

static void run_case(const struct part_case *of)
{
	const struct target_spec spec = {.user = "ann", .cgroup = "/web"};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 1});
	struct target *target;
	struct error err;

	fk_task(fk, &(struct fk_spec){.tid = 8, .cgroup = "/web"}); /* so that the cgroup exists */
	fk_task(fk, &(struct fk_spec){.tid = 9, .uid = of->from, .cgroup = of->left});
	fk_file(fk, "/etc/passwd", "root:x:0:0::/:\nann:x:1000:1000::/:\n");
	struct sys sys = fk_sys(fk);
	struct users *users = users_new(&sys);
	struct tasks *tasks = tasks_new(&sys);
	assert_int_equal(target_new(&sys, users, &spec, &target, &err), 0);
	struct task *task = tasks_at(tasks, 9, 9, fk_now(fk));
	tasks_read_proc(tasks, task);
	tasks_begin_cut(tasks);
	tasks_end_cut(tasks);

	char cgroup[32];
	snprintf(cgroup, sizeof(cgroup), "0::%s\n", of->entered);
	fk_setuid(fk, 9, of->to);
	fk_file(fk, "/proc/9/cgroup", cgroup);
	tasks_begin_cut(tasks);
	tasks_notice_move(tasks, task, fk_now(fk));
	struct row_before changes = {
		.parts = {[TASK_OWNER_USER] = {of->user[0], of->user[1]},
			  [TASK_OWNER_CGROUP] = {of->cgroup[0], of->cgroup[1]}}};
	const struct target_part part = target_part_find(target, tasks, task, &changes);
	assert_true(fabsf(part.least - of->least) < 1e-6f && fabsf(part.most - of->most) < 1e-6f);
	assert_int_equal(part.was_user, of->was_user);
	assert_int_equal(part.was_cgroup, of->was_cgroup);
	bool divided = of->most > 0 && of->least < 1;
	assert_true((changes.target.most > 0) == divided);
	/* The row of a part has one user and one cgroup. */
	if (divided && of->from != of->to)
		assert_true(changes.parts[TASK_OWNER_USER].most <= 0);

	tasks_end_cut(tasks);
	target_free(target);
	tasks_free(tasks);
	users_free(users);
	fk_free(fk);
}

static void test_parts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		print_message("%s\n", cases[i].name);
		run_case(&cases[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
