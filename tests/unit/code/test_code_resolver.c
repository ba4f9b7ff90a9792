// SPDX-License-Identifier: MIT
/* From samples to a profile: stacks of kernel and process, callers, limits, what has no name. */
#include "core/code/code_resolver.h"

#include "core/base/util.h"
#include "core/code/symbol_client.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/elf_stub.h"
#include "tests/unit/shared/rooted.h"
#include "tests/unit/shared/symbol_double.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NEVER  UINT64_MAX
#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER   ((uint64_t)PERF_CONTEXT_USER)
#define GUEST  ((uint64_t)PERF_CONTEXT_GUEST_KERNEL)
#define DO_A   0xffffffff81000010ull
#define DO_B   0xffffffff81000110ull

static const struct code_event events[] = {{"cpu-clock", 0}, {"cycles", 2}};

struct scene {
	struct rooted rooted;
	struct symbol_double symbols;
	struct code_helpers helpers;
	struct code_resolver *resolver;
};

/* Process 7 has /usr/a.so at 10000, with functions a0, a1 ... of 0x100 bytes. */
static void begin(struct scene *scene)
{
	char maps[256];
	struct stat status;

	*scene = (struct scene){.rooted = {.now_ns = 0}};
	rooted_init(&scene->rooted);
	scene->rooted.now_ns = 1000 * NS_PER_S;
	rooted_folders(&scene->rooted, "/usr/x");
	elf_stub_write(&(struct elf_stub){.build_id = "aa", .tail = "a"},
		       rooted_path(&scene->rooted, "/usr/a.so"));
	assert_int_equal(stat(rooted_path(&scene->rooted, "/usr/a.so"), &status), 0);
	snprintf(maps, sizeof(maps), "10000-12000 r-xp 00000000 %x:%x %llu /usr/a.so\n",
		 major(status.st_dev), minor(status.st_dev), (unsigned long long)status.st_ino);
	rooted_text(&scene->rooted, "/proc/7/maps", maps);
	rooted_text(&scene->rooted, "/proc/7/stat",
		    "7 (a) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 4096000 100 1 0\n");
	rooted_link(&scene->rooted, "/proc/7/root", "/.");
	rooted_text(&scene->rooted, "/proc/kallsyms",
		    "ffffffff81000000 T do_a\nffffffff81000100 T do_b\n");
	scene->helpers = symbol_double(&scene->symbols,
				       &(struct mapped_files_config){.sys = &scene->rooted.sys});
	scene->resolver = code_resolver_new(
		&(struct code_names_config){.sys = &scene->rooted.sys, .helpers = scene->helpers},
		NULL);
}

static void end(struct scene *scene)
{
	code_resolver_free(scene->resolver);
	symbol_double_fini(&scene->symbols);
	assert_int_equal(scene->rooted.opened, 0);
	rooted_fini(&scene->rooted);
}

#define REUSED_NS 1000000 /* each tid belongs to another task from then on */

static uint64_t start_of(void *arg, pid_t tid, uint64_t time_ns)
{
	(void)arg;
	return time_ns < REUSED_NS ? (uint64_t)tid * 100 : REUSED_NS;
}

static struct code_profile *cut(struct scene *scene, uint64_t deadline_ns)
{
	return code_resolver_cut(scene->resolver, events, 2, start_of, NULL, deadline_ns);
}

/* "tid event cpu samples weight: FUNCTION FUNCTION;" of each entry. */
static void expect(struct code_profile *profile, const char *want)
{
	char text[4096] = "";
	size_t n = 0;

	for (size_t i = 0; i < profile->n_entries; i++) {
		const struct code_entry *entry = &profile->entries[i];

		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%d %s %d %llu %llu:", profile->tasks[entry->task].tid,
				      profile->events[entry->event].name, entry->cpu,
				      (unsigned long long)entry->samples,
				      (unsigned long long)entry->weight);
		for (uint32_t f = 0; f < entry->depth; f++) {
			const struct code_function *function =
				&profile->functions[profile->frames[entry->frame + f]];

			n += (size_t)snprintf(text + n, sizeof(text) - n, " %s", function->name);
		}
		n += (size_t)snprintf(text + n, sizeof(text) - n, ";");
	}
	assert_string_equal(text, want);
	code_profile_free(profile);
}

struct row {
	const char *name;
	uint64_t ip;
	bool kernel;
	uint64_t chain[8]; /* up to the first 0 */
	const char *want;
};

static const struct row rows[] = {
	{"no chain", 0x10110, false, {0}, "a1"},
	{"kernel, no chain", DO_A, true, {0}, "do_a"},
	{"user", 0x10110, false, {USER, 0x10110, 0x10210, 0x10310}, "a1 a2 a3"},
	/* A return address at the beginning of a function is behind a call at the end of another.
	 */
	{"behind a last call", 0x10110, false, {USER, 0x10110, 0x10300}, "a1 a2"},
	{"at the first instruction", 0x10100, false, {USER, 0x10100, 0x10210}, "a1 a2"},
	{"recursion", 0x10110, false, {USER, 0x10110, 0x10110, 0x10110}, "a1 a1 a1"},
	{"kernel and user",
	 DO_A,
	 true,
	 {KERNEL, DO_A, DO_B, USER, 0x10100, 0x10300},
	 "do_a do_b a1 a2"},
	{"the kernel's chain is left out", DO_A, true, {USER, 0x10100, 0x10310}, "do_a a1 a3"},
	{"marks alone", DO_A, true, {KERNEL, USER}, "do_a"},
	{"a guest", DO_A, true, {KERNEL, DO_A, GUEST, DO_B, USER, 0x10110}, "do_a a1"},
	{"a chain that begins elsewhere", 0x10110, false, {USER, 0x10210, 0x10310}, "a1 a2 a3"},
	{"user before kernel", 0x10110, false, {USER, 0x10110, KERNEL, DO_A}, "a1"},
	{"no mark", 0x10110, false, {0x10110, 0x10210}, "a1"},
	{"a caller that is not mapped", 0x10110, false, {USER, 0x10110, 0x99}, "a1 [unknown]"},
};

static void a_sample_is_a_stack(void **state)
{
	const struct row *row = *state;
	struct scene scene;
	char want[128];
	struct code_sample sample = {.pid = 7,
				     .tid = 9,
				     .cpu = 3,
				     .event = 1,
				     .weight = 5,
				     .ip = row->ip,
				     .kernel = row->kernel,
				     .chain = row->chain};

	while (sample.n_chain < ARRAY_SIZE(row->chain) && row->chain[sample.n_chain])
		sample.n_chain++;
	begin(&scene);
	code_resolver_sample(scene.resolver, &sample);
	snprintf(want, sizeof(want), "9 cycles 3 1 5: %s;", row->want);
	expect(cut(&scene, NEVER), want);
	expect(cut(&scene, NEVER), ""); /* each sample once */
	end(&scene);
}

static void sample_at(struct scene *scene, pid_t tid, unsigned event, uint32_t cpu, uint64_t ip)
{
	code_resolver_sample(scene->resolver, &(struct code_sample){.pid = 7,
								    .tid = tid,
								    .cpu = cpu,
								    .event = event,
								    .weight = 10,
								    .ip = ip,
								    .kernel = ip > UINT32_MAX});
}

static void equal_samples_are_one_entry(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	sample_at(&scene, 8, 0, 1, 0x10110);
	sample_at(&scene, 8, 0, 1, 0x10120); /* the same function */
	sample_at(&scene, 8, 1, 1, 0x10110);
	sample_at(&scene, 8, 0, 2, 0x10110);
	sample_at(&scene, 7, 0, 1, 0x10110);
	sample_at(&scene, 7, 0, 1, DO_A);
	struct code_profile *profile = cut(&scene, NEVER);
	assert_int_equal(profile->n_tasks, 2);
	assert_true(profile->tasks[0].start_ns == 700 && profile->tasks[1].start_ns == 800);
	assert_int_equal(profile->n_events, 2);
	assert_int_equal(profile->events[1].counted, 2);
	expect(profile, "7 cpu-clock 1 1 10: a1;7 cpu-clock 1 1 10: do_a;8 cpu-clock 1 2 20: a1;"
			"8 cpu-clock 2 1 10: a1;8 cycles 1 1 10: a1;");
	end(&scene);
}

/* Callers in user mode that come later belong to all samples with their cookie, and no others. */
static void callers_may_come_later(void **state)
{
	static const uint64_t kernel[] = {KERNEL, DO_A, DO_B}, user[] = {USER, 0x10100, 0x10300};
	struct scene scene;
	struct code_sample sample = {.pid = 7,
				     .tid = 9,
				     .cpu = 3,
				     .event = 1,
				     .weight = 5,
				     .ip = DO_A,
				     .kernel = true,
				     .chain = kernel,
				     .n_chain = ARRAY_SIZE(kernel),
				     .cookie = 77};
	struct code_sample callers = {
		.tid = 9, .cookie = 77, .kernel = true, .chain = user, .n_chain = ARRAY_SIZE(user)};

	(void)state;
	begin(&scene);
	code_resolver_sample(scene.resolver, &sample);
	code_resolver_sample(scene.resolver, &sample);
	sample.tid = 10; /* of another thread */
	code_resolver_sample(scene.resolver, &sample);
	code_resolver_complete(scene.resolver, &callers);
	code_resolver_complete(scene.resolver, &callers); /* twice is once */
	expect(cut(&scene, NEVER), "9 cycles 3 2 10: do_a do_b a1 a2;10 cycles 3 1 5: do_a do_b;");
	end(&scene);
}

static void what_is_late_is_unknown(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.symbols.silent = true;
	sample_at(&scene, 7, 0, 1, 0x10110);
	struct code_profile *profile = cut(&scene, NEVER);
	assert_string_equal(profile->functions[0].module, "a.so");
	assert_int_equal(profile->functions[0].kind, CODE_UNNAMED);
	expect(profile, "7 cpu-clock 1 1 10: [unknown];");
	scene.symbols.silent = false;
	sample_at(&scene, 7, 0, 1, 0x10110);
	expect(cut(&scene, 0), "7 cpu-clock 1 1 10: [unknown];");
	sample_at(&scene, 7, 0, 1, 0x10110);
	expect(cut(&scene, NEVER), "7 cpu-clock 1 1 10: a1;");
	end(&scene);
}

static void a_process_that_has_exited_keeps_its_last_samples(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	sample_at(&scene, 7, 0, 1, 0x10110);
	code_profile_free(cut(&scene, NEVER));
	sample_at(&scene, 7, 0, 1, 0x10210);
	code_maps_exit(code_names_maps(code_resolver_names(scene.resolver)), 7);
	assert_int_equal(unlink(rooted_path(&scene.rooted, "/proc/7/stat")), 0);
	assert_int_equal(unlink(rooted_path(&scene.rooted, "/proc/7/maps")), 0);
	expect(cut(&scene, NEVER), "7 cpu-clock 1 1 10: a2;");
	assert_int_equal(code_maps_processes(code_names_maps(code_resolver_names(scene.resolver))),
			 0);
	end(&scene);
}

/* The samples of an interval are resolved together, after the record of another library there. */
static void a_library_is_named_at_its_time(void **state)
{
	static const uint64_t times_ns[] = {5, 15, 25, 35};
	struct proc_mapping mapping = {
		.start = 0x10000, .end = 0x12000, .executable = true, .name = "/usr/b.so"};
	struct scene scene;
	struct stat status;

	(void)state;
	begin(&scene);
	elf_stub_write(&(struct elf_stub){.build_id = "bb", .tail = "b"},
		       rooted_path(&scene.rooted, "/usr/b.so"));
	assert_int_equal(stat(rooted_path(&scene.rooted, "/usr/b.so"), &status), 0);
	mapping.dev = status.st_dev;
	mapping.inode = status.st_ino;
	struct code_maps *maps = code_names_maps(code_resolver_names(scene.resolver));
	sample_at(&scene, 7, 0, 1, 0x10110); /* the process has mappings from then on */
	expect(cut(&scene, NEVER), "7 cpu-clock 1 1 10: a1;");
	for (size_t i = 0; i < ARRAY_SIZE(times_ns); i++)
		code_resolver_sample(scene.resolver, &(struct code_sample){.pid = 7,
									   .tid = 7,
									   .weight = 10,
									   .ip = 0x10110,
									   .time_ns = times_ns[i]});
	code_maps_mmap(maps, 7, &mapping, NULL, 20);
	expect(cut(&scene, NEVER), "7 cpu-clock 0 2 20: a1;7 cpu-clock 0 2 20: b1;");
	code_resolver_sample(
		scene.resolver,
		&(struct code_sample){.pid = 7, .tid = 7, .ip = 0x10110, .time_ns = 40});
	expect(cut(&scene, NEVER), "7 cpu-clock 0 1 0: b1;");
	end(&scene);
}

static void the_task_of_a_tid_is_that_of_the_time_of_the_sample(void **state)
{
	static const uint64_t times_ns[] = {10, REUSED_NS, REUSED_NS + 10};
	struct scene scene;

	(void)state;
	begin(&scene);
	for (size_t i = 0; i < ARRAY_SIZE(times_ns); i++)
		code_resolver_sample(scene.resolver, &(struct code_sample){.pid = 7,
									   .tid = 7,
									   .weight = 10,
									   .ip = 0x10110,
									   .time_ns = times_ns[i]});
	struct code_profile *profile = cut(&scene, NEVER);
	assert_int_equal(profile->n_tasks, 2);
	assert_int_equal(profile->tasks[0].start_ns, 700);
	assert_int_equal(profile->tasks[1].start_ns, REUSED_NS);
	expect(profile, "7 cpu-clock 0 1 10: a1;7 cpu-clock 0 2 20: a1;");
	end(&scene);
}

static void samples_beyond_the_limits_are_lost(void **state)
{
	enum { CHAIN = 300 };
	struct scene scene;
	uint64_t chain[CHAIN] = {USER};

	(void)state;
	begin(&scene);
	code_resolver_lost(scene.resolver, 7);
	for (size_t i = 0; i < CODE_RESOLVER_SAMPLES + 5; i++) {
		assert_int_equal(code_resolver_is_full(scene.resolver), i >= CODE_RESOLVER_SAMPLES);
		sample_at(&scene, 7, 0, 1, 0x10110);
	}
	struct code_profile *profile = cut(&scene, NEVER);
	assert_false(code_resolver_is_full(scene.resolver));
	assert_int_equal(profile->lost, 12);
	assert_int_equal(profile->entries[0].samples, CODE_RESOLVER_SAMPLES);
	code_profile_free(profile);
	/* A deep chain keeps its innermost frames. */
	for (size_t i = 1; i < CHAIN; i++)
		chain[i] = 0x10110 + i % 2 * 0x100;
	struct code_sample deep = {
		.pid = 7, .tid = 7, .weight = 1, .ip = chain[1], .chain = chain, .n_chain = CHAIN};
	const size_t fit = CODE_RESOLVER_ADDRESSES / CODE_RESOLVER_FRAMES;
	for (size_t i = 0; i < fit + 3; i++)
		code_resolver_sample(scene.resolver, &deep);
	profile = cut(&scene, NEVER);
	assert_int_equal(profile->lost, 3);
	assert_int_equal(profile->n_entries, 1);
	assert_int_equal(profile->entries[0].depth, CODE_RESOLVER_FRAMES);
	code_profile_free(profile);
	/* An event that the caller does not have. */
	sample_at(&scene, 7, 2, 1, 0x10110);
	profile = cut(&scene, NEVER);
	assert_int_equal(profile->lost, 1);
	expect(profile, "");
	end(&scene);
}

/* "a1" at offset 0x100 of /usr/a.so */
static const char *find_recorded(void *ctx, const char *path, uint64_t offset)
{
	char *name = ctx;

	sprintf(name, "%c%d", path[strlen("/usr/")], (int)(offset >> 8));
	return name;
}

static void map_at(struct scene *scene, pid_t pid, const char *path, uint64_t time_ns)
{
	const struct proc_mapping mapping = {
		.start = 0x10000, .end = 0x12000, .executable = true, .name = path, .inode = 1};

	code_maps_mmap(code_names_maps(code_resolver_names(scene->resolver)), pid, &mapping, NULL,
		       time_ns);
}

static void chain_at(struct scene *scene, pid_t pid, uint64_t time_ns)
{
	const uint64_t chain[] = {USER, 0x10110, 0x10210};

	code_resolver_sample(scene->resolver, &(struct code_sample){.pid = pid,
								    .tid = pid,
								    .weight = 10,
								    .ip = chain[1],
								    .time_ns = time_ns,
								    .chain = chain,
								    .n_chain = ARRAY_SIZE(chain)});
}

static void gather(struct scene *scene)
{
	code_resolver_gather(scene->resolver, events, 2, start_of, NULL, NEVER);
}

static void equal_chains_of_a_recording_are_of_the_mappings_of_their_time(void **state)
{
	struct scene scene;
	char name[32];

	(void)state;
	begin(&scene);
	code_resolver_free(scene.resolver);
	scene.resolver = code_resolver_new(
		&(struct code_names_config){
			.sys = &scene.rooted.sys,
			.recording = true,
			.recorded = {find_recorded, name},
			.helpers = scene.helpers,
		},
		NULL);
	assert_null(code_resolver_copy(scene.resolver));
	map_at(&scene, 7, "/usr/a.so", 0);
	map_at(&scene, 8, "/usr/c.so", 0);
	chain_at(&scene, 7, 5);
	chain_at(&scene, 7, 6);
	chain_at(&scene, 8, 7);
	map_at(&scene, 7, "/usr/b.so", 10);
	chain_at(&scene, 7, 15);
	gather(&scene);
	chain_at(&scene, 7, 16); /* of a stack that is known */
	chain_at(&scene, 8, 17);
	map_at(&scene, 7, "/usr/a.so", 20);
	chain_at(&scene, 7, 25);
	expect(code_resolver_copy(scene.resolver),
	       "7 cpu-clock 0 2 20: a1 a2;7 cpu-clock 0 1 10: b1 b2;8 cpu-clock 0 1 10: c1 c2;");
	gather(&scene);
	expect(code_resolver_copy(scene.resolver),
	       "7 cpu-clock 0 3 30: a1 a2;7 cpu-clock 0 2 20: b1 b2;8 cpu-clock 0 2 20: c1 c2;");
	chain_at(&scene, 8, 30);
	expect(cut(&scene, NEVER), "7 cpu-clock 0 3 30: a1 a2;7 cpu-clock 0 2 20: b1 b2;"
				   "8 cpu-clock 0 3 30: c1 c2;");
	chain_at(&scene, 8, 35);
	gather(&scene);
	chain_at(&scene, 8, 36);
	code_resolver_drop(scene.resolver);
	chain_at(&scene, 8, 37);
	expect(cut(&scene, NEVER), "8 cpu-clock 0 1 10: c1 c2;");
	end(&scene);
}

/* A recording whose stacks do not fit: they are resolved anew, and no sample is lost. */
static void stacks_of_a_recording_begin_anew_when_there_are_too_many(void **state)
{
	struct scene scene;
	uint64_t samples = 0;

	(void)state;
	begin(&scene);
	code_resolver_free(scene.resolver);
	scene.resolver = code_resolver_new(&(struct code_names_config){.sys = &scene.rooted.sys,
								       .recording = true,
								       .helpers = scene.helpers},
					   NULL);
	for (size_t i = 0; i < 2 * CODE_RESOLVER_SAMPLES + 5; i++) {
		if (code_resolver_is_full(scene.resolver))
			gather(&scene);
		sample_at(&scene, 7, 0, 1, 0x10000 + i % (CODE_RESOLVER_SAMPLES + 1));
	}
	struct code_profile *profile = cut(&scene, NEVER);
	for (size_t i = 0; i < profile->n_entries; i++)
		samples += profile->entries[i].samples;
	assert_int_equal(samples, 2 * CODE_RESOLVER_SAMPLES + 5);
	assert_int_equal(profile->lost, 0);
	code_profile_free(profile);
	end(&scene);
}

static void hidden_kernel_functions_have_a_note(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	assert_null(code_resolver_note(scene.resolver));
	rooted_text(&scene.rooted, "/proc/kallsyms", "0000000000000000 T do_a\n");
	sample_at(&scene, 7, 0, 1, DO_A);
	struct code_profile *profile = cut(&scene, NEVER);
	assert_int_equal(profile->functions[0].kind, CODE_UNNAMED);
	expect(profile, "7 cpu-clock 1 1 10: [kernel];");
	assert_non_null(strstr(code_resolver_note(scene.resolver), "Run pmctop as root"));
	end(&scene);
}

int main(void)
{
	const struct cases tables[] = {CASES(a_sample_is_a_stack, rows)};
	const struct CMUnitTest others[] = {
		cmocka_unit_test(equal_samples_are_one_entry),
		cmocka_unit_test(callers_may_come_later),
		cmocka_unit_test(what_is_late_is_unknown),
		cmocka_unit_test(a_process_that_has_exited_keeps_its_last_samples),
		cmocka_unit_test(a_library_is_named_at_its_time),
		cmocka_unit_test(the_task_of_a_tid_is_that_of_the_time_of_the_sample),
		cmocka_unit_test(samples_beyond_the_limits_are_lost),
		cmocka_unit_test(equal_chains_of_a_recording_are_of_the_mappings_of_their_time),
		cmocka_unit_test(stacks_of_a_recording_begin_anew_when_there_are_too_many),
		cmocka_unit_test(hidden_kernel_functions_have_a_note),
	};

	return cases_run("code_resolver", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
