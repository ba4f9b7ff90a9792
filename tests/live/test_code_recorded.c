// SPDX-License-Identifier: MIT
/*
 * Names of a recording of the installed perf, after its program and library were moved away: below
 * another folder, in perf's cache, in an archive of `perf archive`, as debug files alone. Each
 * sample must have the name that perf script had when they were at their place. Functions of the
 * kernel and of libc too, but for a few addresses with several names. A user without the right to
 * sample the kernel has too few of these to judge.
 *
 * BUILD is the build directory.
 */
#include "core/base/util.h"
#include "core/code/code_resolver.h"
#include "tests/unit/shared/files.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAPS_MAX = 256, SAMPLES_MAX = 20000, IDS_MAX = 64, NAME_BYTES = 256 };

struct map {
	pid_t pid; /* -1: the kernel */
	uint64_t start, bytes, offset, inode;
	unsigned major, minor;
	char name[NAME_BYTES];
};

struct sample {
	pid_t pid;
	uint64_t address;
	char name[NAME_BYTES];
};

static struct recording {
	bool can;        /* perf is installed, and may sample */
	bool has_kernel; /* it may sample the kernel */
	char folder[64], build[PATH_MAX];
	struct map maps[MAPS_MAX];
	size_t n_maps;
	struct sample samples[SAMPLES_MAX];
	size_t n_samples;
	struct {
		char name[NAME_BYTES];
		struct code_build_id id;
	} ids[IDS_MAX];
	size_t n_ids;
} recording;

/* Runs a line of the shell, in which $D is the folder and $B the build. False: it failed. */
static bool run_shell(const char *line)
{
	setenv("D", recording.folder, 1);
	setenv("B", recording.build, 1);
	return system(line) == 0;
}

/* Reading what perf prints */

static void add_map(const char *line)
{
	struct map *map = &recording.maps[recording.n_maps];
	const char *record = strstr(line, "PERF_RECORD_MMAP"), *name = strrchr(line, ' ');
	unsigned long long start = 0, bytes = 0, offset = 0, inode = 0;
	int pid = 0;

	assert_true(recording.n_maps < MAPS_MAX);
	*map = (struct map){.pid = 0};
	record += strcspn(record, " ");
	const char *range = strchr(record, '[');
	if (!name || !range || sscanf(record, " %d/", &pid) != 1 ||
	    sscanf(range, "[%llx(%llx) @ %llx", &start, &bytes, &offset) != 3)
		fail_msg("not a mapping: %s", line);
	const char *at = strchr(range, '@');
	if (sscanf(at + 2, "%*s %x:%x %llu", &map->major, &map->minor, &inode) != 3)
		inode = 0;
	map->pid = pid;
	map->start = start;
	map->bytes = bytes;
	map->offset = offset;
	map->inode = inode;
	text_copy(map->name, sizeof(map->name), name + 1);
	recording.n_maps++;
}

static bool is_of_kernel(const struct sample *sample)
{
	return sample->address >> 63;
}

static void add_sample(const char *line)
{
	struct sample *sample = &recording.samples[recording.n_samples];
	unsigned long long address;
	int pid;

	if (sscanf(line, " %d %llx %255[^\n]", &pid, &address, sample->name) != 3)
		return;
	assert_true(recording.n_samples < SAMPLES_MAX);
	sample->pid = pid;
	sample->address = address;
	recording.has_kernel |= is_of_kernel(sample);
	recording.n_samples++;
}

static void add_line(const char *line)
{
	if (strstr(line, "PERF_RECORD_MMAP"))
		add_map(line);
	else
		add_sample(line);
}

static void add_id(const char *line)
{
	struct code_build_id *id = &recording.ids[recording.n_ids].id;
	unsigned byte;

	for (id->size = 0; id->size < CODE_BUILD_ID_MAX && sscanf(line, "%2x", &byte) == 1;
	     line += 2)
		id->bytes[id->size++] = (uint8_t)byte;
	if (recording.n_ids < IDS_MAX - 1 && line[0] == ' ')
		text_copy(recording.ids[recording.n_ids++].name, NAME_BYTES, line + 1);
}

static void read_lines(const char *path, void (*add)(const char *line))
{
	char *line = NULL, full[PATH_MAX];
	size_t size = 0;
	ssize_t n;

	snprintf(full, sizeof(full), "%s/%s", recording.folder, path);
	FILE *file = fopen(full, "r");
	assert_non_null(file);
	while ((n = getline(&line, &size, file)) > 0) {
		line[n - 1] = '\0';
		add(line);
	}
	fclose(file);
	free(line);
}

static int begin_recording(void **state)
{
	const char *build = getenv("BUILD");

	(void)state;
	recording.can =
		system("perf record -q -e cpu-clock -o /dev/null true >/dev/null 2>&1") == 0;
	if (!recording.can)
		return 0;
	strcpy(recording.folder, "/tmp/pmctop-recorded-XXXXXX");
	if (!mkdtemp(recording.folder) || !realpath(build ? build : "build", recording.build))
		return -1;
	if (!run_shell(
		    "mkdir $D/bin && cp $B/load/hotspots $B/load/libhotspots.so $D/bin && cd $D &&"
		    " perf --buildid-dir $D/cache record -q -g"
		    " -e cpu-clock -o p.data sh -c 'bin/hotspots library 1; bin/hotspots kernel 1'"
		    " >log 2>&1 && perf script -i p.data --show-mmap-events -G -F pid,ip,sym"
		    " >script 2>>log && perf buildid-list -i p.data >ids 2>>log"
		    " && perf --buildid-dir $D/cache archive p.data >>log 2>&1"
		    " && mkdir old && mv bin/* old/ && mv cache old/"))
		return -1;
	read_lines("script", add_line);
	read_lines("ids", add_id);
	return 0;
}

static int end_recording(void **state)
{
	(void)state;
	if (recording.can)
		remove_tree(recording.folder);
	return 0;
}

/* Names */

static const struct code_build_id *find_id(const char *name)
{
	static const struct code_build_id none = {.size = 0};

	for (size_t i = 0; i < recording.n_ids; i++)
		if (strncmp(recording.ids[i].name, name, strlen(recording.ids[i].name)) == 0)
			return &recording.ids[i].id;
	return &none;
}

static void add_maps(struct code_names *names, pid_t pid)
{
	for (size_t i = 0; i < recording.n_maps; i++) {
		const struct map *map = &recording.maps[i];
		const struct proc_mapping mapping = {
			.start = map->start,
			.end = map->start + map->bytes,
			.offset = map->offset,
			.inode = map->inode,
			.executable = true,
			.name = map->name,
		};

		if (map->pid == -1)
			code_names_map_kernel(names, &mapping, find_id(map->name));
		else if (map->pid == pid)
			code_maps_mmap(code_names_maps(names), pid, &mapping, find_id(map->name),
				       0);
	}
}

static bool is_of_folder(const struct sample *sample)
{
	for (size_t i = recording.n_maps; i > 0; i--) {
		const struct map *map = &recording.maps[i - 1];

		if (map->pid == sample->pid && sample->address - map->start < map->bytes)
			return strncmp(map->name, recording.folder, strlen(recording.folder)) == 0;
	}
	return false;
}

struct result {
	unsigned moved, moved_equal; /* samples in what was moved */
	unsigned other, other_equal;
};

static void compare(struct code_names *names, const struct sample *sample, struct result *result)
{
	struct code_place place = {
		.pid = sample->pid, .kernel = is_of_kernel(sample), .address = sample->address};

	while (code_names_resolve(names, &place, 1, monotonic_ns() + 10 * NS_PER_S) == 0)
		;
	const struct code_function *function = code_names_function(names, place.id);
	bool equal = strcmp(function->name, sample->name) == 0;
	bool moved = is_of_folder(sample);
	*(moved ? &result->moved : &result->other) += 1;
	*(moved ? &result->moved_equal : &result->other_equal) += equal;
	if (!equal)
		print_message("# %llx: %s, perf has %s\n", (unsigned long long)sample->address,
			      function->name, sample->name);
}

static struct result compare_all(const char *symfs, const char *cache)
{
	char folders[2][PATH_MAX];
	struct result result = {0};
	struct sys sys;

	assert_int_equal(sys_linux_init(&sys), 0);
	snprintf(folders[0], PATH_MAX, "%s/%s", recording.folder, symfs ? symfs : "");
	snprintf(folders[1], PATH_MAX, "%s/%s", recording.folder, cache ? cache : "");
	struct code_resolver *resolver = code_resolver_new(
		&(struct code_names_config){
			.sys = &sys,
			.recording = true,
			.symfs = symfs ? folders[0] : NULL,
			.build_id_cache = cache ? folders[1] : NULL,
		},
		NULL);
	struct code_names *names = code_resolver_names(resolver);
	pid_t pid = -1;
	for (size_t i = 0; i < recording.n_samples; i++) {
		const struct sample *sample = &recording.samples[i];

		if (sample->pid != pid) /* the same mappings again change nothing */
			add_maps(names, sample->pid);
		pid = sample->pid;
		compare(names, sample, &result);
	}
	code_resolver_free(resolver);
	sys_linux_fini(&sys);
	return result;
}

static const struct row {
	const char *name;
	const char *put; /* shell: where the files are */
	const char *symfs, *cache;
	bool found;
} rows[] = {
	{"at their place", "cp $D/old/hot* $D/old/lib* $D/bin", NULL, NULL, true},
	{"nowhere", "true", NULL, NULL, false},
	{"by path", "mkdir -p $D/sym/$D/bin && cp $D/old/hot* $D/old/lib* $D/sym/$D/bin", "sym",
	 NULL, true},
	{"by file name", "mkdir $D/sym && cp $D/old/hot* $D/old/lib* $D/sym", "sym", NULL, true},
	{"perf's cache", "cp -a $D/old/cache $D", NULL, "cache", true},
	{"folder as perf's cache", "cp -a $D/old/cache $D/sym", "sym", NULL, true},
	{"archive", "mkdir $D/sym && tar xf $D/p.data.tar.bz2 -C $D/sym", "sym", NULL, true},
	{"debug files alone",
	 "F=$D/sym/usr/lib/debug/.build-id; for f in hotspots libhotspots.so; do"
	 " I=$(readelf -n $D/old/$f | sed -n 's/.*Build ID: //p'); T=${I#??}; H=${I%$T};"
	 " mkdir -p $F/$H && objcopy --only-keep-debug $D/old/$f $F/$H/$T.debug; done",
	 "sym", NULL, true},
	{"stripped, with debug files",
	 "F=$D/sym/usr/lib/debug/.build-id; for f in hotspots libhotspots.so; do"
	 " I=$(readelf -n $D/old/$f | sed -n 's/.*Build ID: //p'); T=${I#??}; H=${I%$T};"
	 " mkdir -p $F/$H && objcopy --only-keep-debug $D/old/$f $F/$H/$T.debug &&"
	 " strip -o $D/sym/$f $D/old/$f; done",
	 "sym", NULL, true},
	{"another build",
	 "mkdir $D/sym && for f in hotspots libhotspots.so; do"
	 " objcopy --remove-section .note.gnu.build-id $D/old/$f $D/sym/$f; done",
	 "sym", NULL, false},
};

static void names_are_those_of_perf(void **state)
{
	const struct row *row = *state;

	if (!recording.can) {
		print_message("# skipped: no perf, or no right to sample\n");
		skip();
	}
	assert_true(run_shell("rm -rf $D/sym $D/cache $D/bin/*"));
	assert_true(run_shell(row->put));
	struct result result = compare_all(row->symfs, row->cache);
	print_message("# moved: %u of %u samples equal; others: %u of %u\n", result.moved_equal,
		      result.moved, result.other_equal, result.other);
	assert_true(result.moved > 100);
	assert_int_equal(result.moved_equal, row->found ? result.moved : 0);
	if (!recording.has_kernel) {
		print_message("# no right to sample the kernel: others are not compared\n");
		return;
	}
	assert_true(result.other > 100);
	assert_true(result.other_equal * 100 >= result.other * 98);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_SIZE(rows)];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		tests[i] = (struct CMUnitTest){.name = rows[i].name,
					       .test_func = names_are_those_of_perf,
					       .initial_state = (void *)(uintptr_t)&rows[i]};
	return cmocka_run_group_tests(tests, begin_recording, end_recording);
}
