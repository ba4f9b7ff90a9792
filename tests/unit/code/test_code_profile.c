// SPDX-License-Identifier: MIT
/* Sums of samples, sums of these, and their limits. */
#include "core/code/code_profile_internal.h"

#include "core/base/util.h"
#include "tests/unit/shared/cases.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct code_event clock_event = {"cpu-clock", 0}, cycles_event = {"cycles", 2};

/* Adds a sample of a stack of functions, written "inner outer": each letter is a function. */
static void add_sample(struct code_profile_builder *builder, const struct code_event *event,
		       pid_t tid, int cpu, const char *stack, uint64_t weight)
{
	uint32_t frames[16], depth = 0;

	for (; stack[depth]; depth++) {
		char name[2] = {stack[depth]};

		frames[depth] = code_profile_function(
			builder, &(struct code_function){name, "a.out", CODE_USER});
	}
	struct code_entry entry = {
		.task = code_profile_task(builder, &(struct code_task){tid, tid, 5}),
		.event = code_profile_event(builder, event),
		.cpu = cpu,
		.depth = depth,
		.samples = 1,
		.weight = weight,
		.squares = (double)weight * (double)weight,
	};
	code_profile_add(builder, &entry, frames);
}

/* "tid event cpu stack samples weight squares", one line an entry. */
static void write_profile(const struct code_profile *profile, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < profile->n_entries; i++) {
		const struct code_entry *entry = &profile->entries[i];

		at += (size_t)snprintf(text + at, size - at, "%d %s %d ",
				       profile->tasks[entry->task].tid,
				       profile->events[entry->event].name, entry->cpu);
		for (uint32_t k = 0; k < entry->depth; k++)
			at += (size_t)snprintf(
				text + at, size - at, "%s",
				profile->functions[profile->frames[entry->frame + k]].name);
		at += (size_t)snprintf(text + at, size - at, " %d %d %g\n", (int)entry->samples,
				       (int)entry->weight, entry->squares);
	}
}

static void expect_profile(const struct code_profile *profile, const char *want)
{
	char text[1024];

	write_profile(profile, text, sizeof(text));
	assert_string_equal(text, want);
}

static void adds_up(void **state)
{
	struct code_profile_builder *builder = code_profile_builder_new();

	(void)state;
	add_sample(builder, &clock_event, 9, 0, "fm", 10);
	add_sample(builder, &clock_event, 7, 0, "fm", 10);
	add_sample(builder, &clock_event, 7, 1, "fm", 10);
	add_sample(builder, &cycles_event, 7, 0, "fm", 3);
	add_sample(builder, &clock_event, 7, 0, "f", 10);
	add_sample(builder, &clock_event, 7, 0, "fm", 20);
	code_profile_add_lost(builder, 4);
	struct code_profile *profile = code_profile_end(builder);
	expect_profile(profile, "7 cpu-clock 0 fm 2 30 500\n"
				"7 cpu-clock 1 fm 1 10 100\n"
				"7 cpu-clock 0 f 1 10 100\n"
				"7 cycles 0 fm 1 3 9\n"
				"9 cpu-clock 0 fm 1 10 100\n");
	assert_int_equal(profile->n_frames, 3);
	assert_int_equal(profile->n_functions, 2);
	assert_int_equal(profile->lost, 4);
	code_profile_free(code_profile_ref(profile));
	assert_string_equal(profile->functions[0].name, "f");
	code_profile_free(profile);
}

/* Indices of functions, tasks and events differ from profile to profile. */
static void sums_profiles(void **state)
{
	struct code_profile_builder *builder = code_profile_builder_new();
	struct code_profile *parts[2];

	(void)state;
	add_sample(builder, &clock_event, 7, 0, "fm", 10);
	code_profile_add_lost(builder, 1);
	parts[0] = code_profile_end(builder);
	builder = code_profile_builder_new();
	code_profile_event(builder, &cycles_event); /* without a sample */
	add_sample(builder, &clock_event, 5, 0, "xm", 10);
	add_sample(builder, &clock_event, 7, 0, "fm", 20);
	code_profile_add_lost(builder, 2);
	parts[1] = code_profile_end(builder);
	struct code_profile *sum = code_profile_sum(parts[0], parts[1]);
	expect_profile(sum, "5 cpu-clock 0 xm 1 10 100\n"
			    "7 cpu-clock 0 fm 2 30 500\n");
	assert_int_equal(sum->n_events, 2);
	assert_int_equal(sum->events[1].counted, 2);
	assert_int_equal(sum->lost, 3);
	code_profile_free(sum);
	sum = code_profile_sum(NULL, parts[1]);
	expect_profile(sum, "5 cpu-clock 0 xm 1 10 100\n"
			    "7 cpu-clock 0 fm 1 20 400\n");
	assert_null(code_profile_sum(NULL, NULL));
	assert_true(code_profile_bytes(sum) > sizeof(*sum));
	assert_int_equal(code_profile_bytes(NULL), 0);
	code_profile_free(sum);
	code_profile_free(parts[0]);
	code_profile_free(parts[1]);
}

struct limit_case {
	const char *name;
	int tasks, functions, cpus; /* all combinations are added */
	size_t n_tasks, n_functions, n_entries;
};

/* All samples stay, and memory does not. */
static void stays_bounded(void **state)
{
	const struct limit_case *limit = *state;
	struct code_profile_builder *builder = code_profile_builder_new();
	uint64_t samples = 0;
	char name[16];

	for (int task = 0; task < limit->tasks; task++)
		for (int function = 0; function < limit->functions; function++)
			for (int cpu = 0; cpu < limit->cpus; cpu++, samples++) {
				snprintf(name, sizeof(name), "f%d", function);
				uint32_t frame = code_profile_function(
					builder, &(struct code_function){name, "", CODE_USER});
				struct code_entry entry = {
					.task = code_profile_task(
						builder, &(struct code_task){task, task, 0}),
					.event = code_profile_event(builder, &clock_event),
					.cpu = cpu,
					.depth = 1,
					.samples = 1,
				};
				code_profile_add(builder, &entry, &frame);
			}
	struct code_profile *profile = code_profile_end(builder);
	for (size_t i = 0; i < profile->n_entries; i++)
		samples -= profile->entries[i].samples;
	assert_int_equal(samples, 0);
	assert_int_equal(profile->n_tasks, limit->n_tasks);
	assert_int_equal(profile->n_functions, limit->n_functions);
	assert_int_equal(profile->n_entries, limit->n_entries);
	code_profile_free(profile);
}

static const struct limit_case limits[] = {
	{"tasks", CODE_PROFILE_TASKS + 9, 1, 1, CODE_PROFILE_TASKS + 1, 1, CODE_PROFILE_TASKS + 1},
	{"functions", 1, CODE_PROFILE_FUNCTIONS + 9, 1, 1, CODE_PROFILE_FUNCTIONS + 1,
	 CODE_PROFILE_FUNCTIONS + 1},
	{"of entries beyond the limit, those that differ in the CPU are one", 4, (1 << 15) + 8, 2,
	 4, (1 << 15) + 9, CODE_PROFILE_ENTRIES + 32},
	{"later those that differ in the function, too", 9, 1 << 15, 2, 9, (1 << 15) + 1,
	 CODE_PROFILE_ENTRIES / 2 * 3 + 2},
	{"at last those that differ in the task", (1 << 13) + (1 << 15) + (1 << 14) + 99, 4, 8,
	 (1 << 13) + (1 << 15) + (1 << 14) + 100, 5, 2 * (size_t)CODE_PROFILE_ENTRIES + 1},
};

/* Adds a sample of f<number>, which has the same callers as the others. */
static void add_deep(struct code_profile_builder *builder, unsigned number, uint32_t depth)
{
	uint32_t frames[128];
	char name[16];

	snprintf(name, sizeof(name), "f%u", number);
	frames[0] = code_profile_function(builder, &(struct code_function){name, "", CODE_USER});
	for (uint32_t i = 1; i < depth; i++)
		frames[i] = code_profile_function(builder,
						  &(struct code_function){"main", "", CODE_USER});
	struct code_entry entry = {
		.task = code_profile_task(builder, &(struct code_task){7, 7, 5}),
		.event = code_profile_event(builder, &clock_event),
		.cpu = 3,
		.depth = depth,
		.samples = 1,
		.weight = 10,
	};
	code_profile_add(builder, &entry, frames);
}

static void callers_are_dropped_before_functions(void **state)
{
	enum { DEPTH = 128, FIT = CODE_PROFILE_FRAMES / DEPTH };
	struct code_profile_builder *builder = code_profile_builder_new();

	(void)state;
	for (unsigned i = 0; i < FIT; i++)
		add_deep(builder, i, DEPTH);
	add_deep(builder, FIT, DEPTH);
	add_deep(builder, FIT, DEPTH - 1);
	add_deep(builder, 0, DEPTH);
	struct code_profile *profile = code_profile_end(builder);
	const struct code_entry *last = &profile->entries[FIT];

	assert_int_equal(profile->n_entries, FIT + 1);
	assert_int_equal(profile->entries[0].samples, 2);
	assert_int_equal(profile->entries[0].depth, DEPTH);
	assert_int_equal(profile->entries[0].cpu, 3);
	assert_int_equal(last->samples, 2);
	assert_int_equal(last->weight, 20);
	assert_int_equal(last->depth, 1);
	assert_int_equal(last->cpu, -1);
	assert_string_equal(profile->functions[profile->frames[last->frame]].name, "f32768");
	code_profile_free(profile);
}

/* Returns how far the entries of a table are from their homes at most. */
static size_t longest_search(const struct hash_table *table)
{
	size_t longest = 0;

	for (size_t i = 0; i < table->n_slots; i++) {
		if (!table->slots[i].number)
			continue;
		size_t home = hash_table_home(table, table->slots[i].key);
		size_t far = (i - home) & (table->n_slots - 1);
		longest = far > longest ? far : longest;
	}
	return longest;
}

/* Of a table whose keys cannot be chosen; half of its slots are taken. */
enum { SEARCH_MOST = 256 };

/*
 * Starts of tasks that a recording may have: without a random number, the keys of all tasks would
 * have home 0 in a table of any size.
 */
static void tasks_are_spread(void **state)
{
	struct code_profile_builder *builder = code_profile_builder_new();
	const uint64_t golden = 0x9e3779b97f4a7c15ull;
	uint64_t inverse = 1;

	(void)state;
	for (unsigned i = 0; i < 6; i++) /* Newton's method, modulo 2^64 */
		inverse *= 2 - golden * inverse;
	assert_int_equal(golden * inverse, 1);
	for (uint32_t i = 1; i <= CODE_PROFILE_TASKS; i++) {
		const struct code_task task = {(pid_t)i, (pid_t)i,
					       ((uint64_t)i << 32 | i) ^ i * inverse};

		assert_int_equal(code_profile_task(builder, &task), i - 1);
	}
	assert_in_range(longest_search(&builder->tasks), 0, SEARCH_MOST);
	code_profile_free(code_profile_end(builder));
}

/* The same for names. Keys with home 0 in a table that all of them fill are found by trying. */
static void functions_are_spread(void **state)
{
	enum { FUNCTIONS = 1500, BITS = 12 };
	struct code_profile_builder *builder = code_profile_builder_new();
	char name[16];

	(void)state;
	for (unsigned i = 0, n = 0; n < FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		uint64_t key = hash_bytes(HASH_BEGIN, name, strlen(name) + 1);
		if (key * 0x9e3779b97f4a7c15ull >> (64 - BITS) != 0)
			continue;
		code_profile_function(builder, &(struct code_function){name, "", CODE_USER});
		n++;
	}
	assert_int_equal(builder->functions.n_slots, 1 << BITS);
	assert_in_range(longest_search(&builder->functions), 0, SEARCH_MOST);
	code_profile_free(code_profile_end(builder));
}

/* Sums of weights from a recording do not begin anew at 0. */
static void sums_have_an_end(void **state)
{
	struct code_profile_builder *builder = code_profile_builder_new();

	(void)state;
	add_sample(builder, &clock_event, 7, 0, "f", UINT64_MAX - 1);
	add_sample(builder, &clock_event, 7, 0, "f", 3);
	code_profile_add_lost(builder, UINT64_MAX);
	code_profile_add_lost(builder, 1);
	struct code_profile *profile = code_profile_end(builder);
	assert_int_equal(profile->n_entries, 1);
	assert_int_equal(profile->entries[0].weight, UINT64_MAX);
	assert_int_equal(profile->lost, UINT64_MAX);
	code_profile_free(profile);
}

int main(void)
{
	static const struct cases tables[] = {CASES(stays_bounded, limits)};
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(adds_up),
		cmocka_unit_test(sums_profiles),
		cmocka_unit_test(tasks_are_spread),
		cmocka_unit_test(functions_are_spread),
		cmocka_unit_test(sums_have_an_end),
		cmocka_unit_test(callers_are_dropped_before_functions),
	};

	return cases_run("code_profile", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
