// SPDX-License-Identifier: MIT
/*
 * The rules of verdicts, in the order of their tiers. A tier is used only if no rule of an earlier
 * tier fires. Within a tier the figure farthest beyond its limit wins.
 *
 * Waits come first: what a task does while it runs matters little if it hardly runs. A throttled
 * task waits in a run queue too, and one without memory waits for the disk: these two causes come
 * before their effects. Then switches, faults and the kernel, which cause stalls themselves.
 * Top-down measures what miss counts only suggest, and a low IPC alone is the weakest sign.
 *
 * A verdict names a cause, and so excludes others. What it excludes must be counted (`with`), or be
 * less than the cause by arithmetic. Few misses are no evidence of another cause: code that waits
 * for instructions, for L2 or for machine clears has few of them, too. That is VERDICT_STALLED.
 *
 * Limits on counters are the metrics' thresholds (core/metric). Their sources are toplev for
 * top-down and branches, perf for IPC, and rules of thumb for misses, the kernel's share and
 * switches.
 */
#include "core/view/verdict_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <assert.h>
#include <stdio.h>

/* A wait of a quarter of the time makes the same work take a third longer. */
#define WAIT_PERCENT 25
/* A row waits if that is a third of what it wants: one in three of its threads, on average. */
#define WAIT_SHARE (1.0 / 3)
/*
 * Two of three tasks on two CPUs' worth of time wait for a third of it, which is no illness. Two
 * of two tasks on one CPU wait for half of it.
 */
#define RUNQ_SHARE 0.4

const struct rule verdict_rules[] = {
	{0, VERDICT_IDLE, {{"cpu_percent", '<', 1}}, .subject = RULE_OF_CPUS},

	/* A quota is a setting: a tenth of the time matters to its owner. */
	{1,
	 VERDICT_THROTTLED,
	 {{"throttled_percent", '>', 10, .share = 0.1}},
	 .subject = RULE_OF_TASKS,
	 .of_sums = true},

	{2,
	 VERDICT_MEMORY_PRESSURE,
	 {{"paging_percent", '>', WAIT_PERCENT, .share = WAIT_SHARE}},
	 .subject = RULE_OF_TASKS,
	 .of_users = true,
	 .of_sums = true,
	 .of_pressure = true},
	{2,
	 VERDICT_MEMORY_PRESSURE,
	 {{"major_faults_per_s", '>', 100}},
	 .unless = "paging_percent",
	 .subject = RULE_OF_TASKS,
	 .of_sums = true,
	 .of_pressure = true},
	/*
	 * Less than 3 ms of CPU a process. One that only begins and ends takes 1 to 2 ms. With the
	 * processes that a compiler starts, a link takes 5 ms each, and a translation 20 and more.
	 */
	{2,
	 VERDICT_FORKS,
	 {{"forks_per_s", '>', 100},
	  {"forked_percent", '<', 0.3, .sign_of_operands = '/', .operands = {"forks_per_s"}},
	  {"forked_percent", '>', 10}},
	 .subject = RULE_OF_TASKS,
	 .of_sums = true},

	{3,
	 VERDICT_LOCK,
	 {{"lock_percent", '>', WAIT_PERCENT, .share = WAIT_SHARE}},
	 .subject = RULE_OF_TASKS,
	 .of_users = true,
	 .of_sums = true},
	{3,
	 VERDICT_DISK,
	 {{"disk_percent", '>', WAIT_PERCENT, .share = WAIT_SHARE}},
	 .subject = RULE_OF_TASKS,
	 .of_users = true,
	 .of_sums = true},
	/* Pages of a file that are read for the first time. */
	{3,
	 VERDICT_DISK,
	 {{"paging_percent", '>', WAIT_PERCENT, .share = WAIT_SHARE}},
	 .subject = RULE_OF_TASKS,
	 .of_users = true,
	 .of_sums = true},
	{3,
	 VERDICT_DISK,
	 {{"major_faults_per_s", '>', 100}},
	 .unless = "paging_percent",
	 .subject = RULE_OF_TASKS,
	 .of_sums = true},
	{3,
	 VERDICT_BLOCKED,
	 {{"uninterruptible_percent", '>', WAIT_PERCENT, .sign_of_operands = '-',
	   .operands = {"disk_percent", "paging_percent"}, .share = WAIT_SHARE}},
	 .subject = RULE_OF_TASKS,
	 .of_users = true,
	 .of_sums = true},
	{3,
	 VERDICT_RUNQ,
	 {{"runq_percent", '>', WAIT_PERCENT, .share = RUNQ_SHARE}},
	 .subject = RULE_OF_TASKS,
	 .of_sums = true},
	/*
	 * At most 7.5 us of CPU a switch, and most of that is the switch itself. Seen at 7,000 to
	 * 10,000 a second: two processes that only wake each other 5.0 to 6.2 us (up to 9.5 on a
	 * busy machine), a client that waits for each answer 9.3 to 16, its server 37 to 41. 5,000
	 * a second are some percent of a CPU. Workers of the kernel switch as often as their users
	 * want.
	 */
	{3,
	 VERDICT_SWITCHES,
	 {{"cs_per_s", '>', 1333, .sign_of_operands = '/', .operands = {"cpu_percent"}},
	  {"cs_per_s", '>', 5000, .per_cpu = true}},
	 .subject = RULE_OF_TASKS,
	 .of_users = true,
	 .of_sums = true},

	/*
	 * A job of a shell that waits for its user is stopped, too. So the whole interval counts,
	 * whose ends differ a little, and another wait is farther beyond its limit.
	 */
	{3,
	 VERDICT_STOPPED,
	 {{"stopped_percent", '>', 98, .share = 0.98}},
	 .subject = RULE_OF_TASKS,
	 .of_sums = true},

	/* The figures of a task that hardly runs mean little. */
	{4, VERDICT_NONE, {{"cpu_percent", '<', 5}}, .subject = RULE_OF_TASKS},

	/*
	 * 20,000 switches a second: slices of 50 us. A switch costs several us. A healthy server
	 * with its client makes 17,000, so that is a limit for each CPU of the machine.
	 */
	{5, VERDICT_SWITCHES, {{"cs_per_s", '>', 20000, .per_cpu = true}}, .of_sums = true},
	/* A fault takes a microsecond and more: a tenth of the time. */
	{5, VERDICT_FAULTS, {{"faults_per_s", '>', 100000, .per_cpu = true}}, .of_sums = true},
	/*
	 * Switches and faults, which the kernel works for, come before it. With less than half a
	 * CPU the share of the kernel hardly delays what the task does.
	 */
	{6,
	 VERDICT_KERNEL,
	 {{"cpu_percent", '>', 50, .per_cpu = true}, {"kernel_percent", '>', 30}},
	 .of_users = true},

	{7,
	 VERDICT_CPU,
	 {{"topdown_retiring", '>', 70}, {"cpu_percent", '>', 90}},
	 .subject = RULE_OF_TASKS},
	{8, VERDICT_FINE, {{"topdown_retiring", '>', 70}}},
	/* The greater half of the back end's slots. */
	{9,
	 VERDICT_MEMORY,
	 {{"topdown_memory", '>', 0.5, .sign_of_operands = '/', .operands = {"topdown_backend"}},
	  {"topdown_backend", '>', 20}},
	 .with = {"topdown_frontend", "topdown_bad_spec"}},
	{9,
	 VERDICT_CORE,
	 {{"topdown_memory", '<', 0.5, .sign_of_operands = '/', .operands = {"topdown_backend"}},
	  {"topdown_backend", '>', 20}},
	 .with = {"topdown_frontend", "topdown_bad_spec"}},
	/* Half of all slots is more than any other cause can have, counted or not. */
	{9,
	 VERDICT_BACKEND,
	 {{"topdown_backend", '>', 20}},
	 .unless = "topdown_memory",
	 .with = {"topdown_frontend", "topdown_bad_spec"}},
	{9, VERDICT_BACKEND, {{"topdown_backend", '>', 50}}, .unless = "topdown_memory"},
	{9,
	 VERDICT_FRONTEND,
	 {{"topdown_frontend", '>', 15}},
	 .with = {"topdown_backend", "topdown_bad_spec"}},
	{9, VERDICT_FRONTEND, {{"topdown_retiring", '>', 20}, {"topdown_frontend", '>', 40}}},
	{9, VERDICT_FRONTEND, {{"topdown_frontend", '>', 50}}},
	{9,
	 VERDICT_BRANCH,
	 {{"topdown_bad_spec", '>', 15}},
	 .unless = "topdown_mispredict",
	 .with = {"topdown_frontend", "topdown_backend"}},
	{9,
	 VERDICT_BRANCH,
	 {{"topdown_bad_spec", '>', 15}, {"topdown_mispredict", '>', 10}},
	 .with = {"topdown_frontend", "topdown_backend"}},

	/* cache_mpki counts another cache level on each kind of CPU: see its title. */
	{10,
	 VERDICT_MEMORY,
	 {{"ipc", '<', 1}, {"cache_mpki", '>', 10, .title = "caMPKI"}},
	 .unless = "topdown_memory"},
	{10,
	 VERDICT_MEMORY,
	 {{"ipc", '<', 1}, {"cache_mpki", '>', 10, .title = "LLCMPKI"}},
	 .unless = "topdown_memory"},
	{10,
	 VERDICT_MEMORY,
	 {{"ipc", '<', 1}, {"cache_mpki", '>', 10, .title = "L2MPKI"}},
	 .unless = "topdown_memory"},
	{10,
	 VERDICT_MEMORY,
	 {{"ipc", '<', 1}, {"cache_mpki", '>', 20, .title = "L1DMPKI"}},
	 .unless = "topdown_memory"},
	{10, VERDICT_MEMORY, {{"ipc", '<', 1}, {"llc_mpki", '>', 10}}, .unless = "topdown_memory"},
	/* 5 misses of 300 cycles are most of the 2000 that 1000 instructions take at least. */
	{10,
	 VERDICT_MEMORY,
	 {{"ipc", '<', 0.5}, {"cache_mpki", '>', 5, .title = "LLCMPKI"}},
	 .unless = "topdown_memory"},
	{10, VERDICT_MEMORY, {{"ipc", '<', 0.5}, {"llc_mpki", '>', 5}}, .unless = "topdown_memory"},
	{10, VERDICT_MEMORY, {{"ipc", '<', 1}, {"l2_mpki", '>', 10}}, .unless = "topdown_memory"},
	{10, VERDICT_MEMORY, {{"ipc", '<', 1}, {"l1d_mpki", '>', 20}}, .unless = "topdown_memory"},
	{10,
	 VERDICT_FRONTEND,
	 {{"ipc", '<', 1}, {"l1i_mpki", '>', 10}},
	 .unless = "topdown_frontend"},
	/* A miss costs about 15 cycles. A product of 10 is 15 % of all cycles, toplev's limit. */
	{10,
	 VERDICT_BRANCH,
	 {{"branch_mpki", '>', 10, .sign_of_operands = '*', .operands = {"ipc"}}},
	 .unless = "topdown_bad_spec"},
	{11, VERDICT_STALLED, {{"ipc", '<', 1}}},
	{12, VERDICT_CPU, {{"cpu_percent", '>', 90}}, .subject = RULE_OF_TASKS},
	{13, VERDICT_FINE, {{"ipc", '>', 1}}},
	{14, VERDICT_FINE, {{"cpu_percent", '>', 5}}, .subject = RULE_OF_TASKS},
};

const size_t verdict_rules_n = ARRAY_SIZE(verdict_rules);

static_assert(ARRAY_SIZE(verdict_rules) <= VERDICT_RULES_MAX, "a judge has room for all rules");

static void append_operands(const struct condition *condition, char *text, size_t size)
{
	char operand[64];

	for (size_t i = 0; i < VERDICT_OPERANDS_MAX && condition->operands[i]; i++) {
		snprintf(operand, sizeof(operand), " %c %s", condition->sign_of_operands,
			 condition->operands[i]);
		verdict_append(text, size, operand);
	}
}

static void append_condition(const struct condition *condition, char *text, size_t size)
{
	char form[40] = "", share[64] = "", number[40], whole[192];

	verdict_append(text, size, condition->metric);
	append_operands(condition, text, size);
	if (condition->title)
		snprintf(form, sizeof(form), " (as %s)", condition->title);
	if (condition->share > 0) {
		text_trimmed(number, sizeof(number), condition->share, 2);
		snprintf(share, sizeof(share), ", share %s", number);
	}
	text_trimmed(number, sizeof(number), condition->limit, 1);
	snprintf(whole, sizeof(whole), "%s %s %s%s%s", form,
		 condition->sign == '<' ? "<" : ">=", number, condition->per_cpu ? " per CPU" : "",
		 share);
	verdict_append(text, size, whole);
}

struct verdict_rule verdict_rule_at(size_t i)
{
	static const char *const subjects[] = {
		[RULE_OF_ALL] = "",
		[RULE_OF_TASKS] = ", tasks",
		[RULE_OF_CPUS] = ", CPUs",
	};
	const struct rule *rule = &verdict_rules[i];
	struct verdict_rule out = {.tier = rule->tier, .verdict = rule->verdict};
	const size_t size = sizeof(out.conditions);

	for (size_t k = 0; k < VERDICT_CONDITIONS_MAX && rule->conditions[k].metric; k++) {
		verdict_append(out.conditions, size, k > 0 ? " and " : "");
		append_condition(&rule->conditions[k], out.conditions, size);
	}
	verdict_append(out.conditions, size, rule->unless ? ", no " : "");
	verdict_append(out.conditions, size, rule->unless ? rule->unless : "");
	for (size_t k = 0; k < VERDICT_WITH_MAX && rule->with[k]; k++) {
		verdict_append(out.conditions, size, k > 0 ? " and " : ", with ");
		verdict_append(out.conditions, size, rule->with[k]);
	}
	verdict_append(out.conditions, size, rule->of_pressure ? ", memory pressure" : "");
	verdict_append(out.conditions, size, subjects[rule->subject]);
	verdict_append(out.conditions, size, rule->of_users ? ", no kernel thread" : "");
	return out;
}
