// SPDX-License-Identifier: MIT
/* Mappings of live processes and of records: what replaces what, limits, ages. */
#include "core/code/code_maps.h"

#include "core/base/util.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/unit/shared/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scene {
	struct fk *fk; /* NULL: a recording */
	struct sys sys;
	struct code_maps *maps;
	uint64_t time_ns; /* of records */
	unsigned dropped, forgotten;
};

static void count_drop(void *user, struct code_file *file)
{
	(void)file;
	((struct scene *)user)->dropped++;
}

static void count_process_end(void *user, struct code_process *process)
{
	(void)process;
	((struct scene *)user)->forgotten++;
}

static void begin(struct scene *scene, struct fk *fk, size_t processes, size_t mappings)
{
	*scene = (struct scene){.fk = fk};
	if (fk)
		scene->sys = fk_sys(fk);
	scene->maps = code_maps_new(&(struct code_maps_config){
		.sys = fk ? &scene->sys : NULL,
		.drop_file = count_drop,
		.end_process = count_process_end,
		.user = scene,
		.processes_max = processes,
		.mappings_max = mappings,
	});
}

static void end(struct scene *scene)
{
	code_maps_free(scene->maps);
	if (scene->fk)
		assert_int_equal(fk_open_files(scene->fk), 0);
	fk_free(scene->fk);
}

static void map(struct scene *scene, pid_t pid, uint64_t start, uint64_t stop, uint64_t offset,
		const char *name, bool executable)
{
	code_maps_mmap(scene->maps, pid,
		       &(struct proc_mapping){.start = start,
					      .end = stop,
					      .offset = offset,
					      .dev = 1,
					      .inode = name[0] == '/' ? 5 : 0,
					      .executable = executable,
					      .name = name},
		       NULL, scene->time_ns);
}

/* "START-END OFFSET NAME;" of each mapping, in hexadecimal. */
static void expect_mappings(const struct scene *scene, pid_t pid, const char *want)
{
	const struct code_process *process = code_maps_find(scene->maps, pid);
	char text[1024] = "";

	for (size_t i = 0; process && i < process->n; i++) {
		const struct code_mapping *at = &process->mappings[i];

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%llx-%llx %llx %s;",
			 (unsigned long long)at->start, (unsigned long long)at->end,
			 (unsigned long long)at->offset, at->object->name);
	}
	assert_string_equal(text, want);
}

static void a_record_replaces_what_it_covers(void **state)
{
	static const struct {
		uint64_t start, end;
		bool executable;
		const char *want;
	} rows[] = {
		{0x10, 0x20, true, "10-20 7 /n;100-200 0 /a;300-400 50 /b;"},
		{0x100, 0x200, true, "100-200 7 /n;300-400 50 /b;"},
		{0x80, 0x180, true, "80-180 7 /n;180-200 80 /a;300-400 50 /b;"},
		{0x140, 0x180, true, "100-140 0 /a;140-180 7 /n;180-200 80 /a;300-400 50 /b;"},
		{0x180, 0x380, true, "100-180 0 /a;180-380 7 /n;380-400 d0 /b;"},
		{0x0, 0x1000, true, "0-1000 7 /n;"},
		{0x200, 0x300, true, "100-200 0 /a;200-300 7 /n;300-400 50 /b;"},
		{0x400, 0x500, true, "100-200 0 /a;300-400 50 /b;400-500 7 /n;"},
		{0x140, 0x180, false, "100-140 0 /a;180-200 80 /a;300-400 50 /b;"},
		{0x0, 0x1000, false, ""},
		{0x500, 0x500, true, "100-200 0 /a;300-400 50 /b;"},
		{0x500, 0x400, true, "100-200 0 /a;300-400 50 /b;"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		begin(&scene, NULL, 0, 0);
		map(&scene, 7, 0x100, 0x200, 0, "/a", true);
		map(&scene, 7, 0x300, 0x400, 0x50, "/b", true);
		map(&scene, 7, rows[i].start, rows[i].end, 7, "/n", rows[i].executable);
		expect_mappings(&scene, 7, rows[i].want);
		end(&scene);
	}
}

static void a_change_clears_ids(void **state)
{
	(void)state;
	struct scene scene;

	begin(&scene, NULL, 0, 0);
	map(&scene, 7, 0x100, 0x200, 0, "/a", true);
	struct code_process *process = code_maps_process(scene.maps, 7);
	hash_table_add(&process->ids, 0x100)->number = 3;
	map(&scene, 7, 0x100, 0x200, 0, "/a", true); /* the same */
	assert_int_equal(process->ids.n, 1);
	map(&scene, 7, 0x180, 0x200, 0, "/b", true);
	assert_int_equal(process->ids.n, 0);
	assert_string_equal(code_process_find(process, 0x17f)->object->name, "/a");
	assert_string_equal(code_process_find(process, 0x180)->object->name, "/b");
	assert_null(code_process_find(process, 0xff));
	assert_null(code_process_find(process, 0x200));
	end(&scene);
}

static void a_forked_process_has_the_mappings(void **state)
{
	(void)state;
	struct scene scene;

	begin(&scene, NULL, 0, 0);
	map(&scene, 7, 0x100, 0x200, 0, "/a", true);
	code_maps_fork(scene.maps, 7, 8);
	code_maps_fork(scene.maps, 8, 8); /* a thread */
	expect_mappings(&scene, 8, "100-200 0 /a;");
	code_maps_exec(scene.maps, 8, 0);
	map(&scene, 8, 0x500, 0x600, 0, "/b", true);
	expect_mappings(&scene, 7, "100-200 0 /a;");
	expect_mappings(&scene, 8, "500-600 0 /b;");
	code_maps_exit(scene.maps, 7);
	expect_mappings(&scene, 7, "100-200 0 /a;"); /* its last samples are not resolved yet */
	code_maps_drop_past(scene.maps);
	assert_null(code_maps_find(scene.maps, 7));
	code_maps_fork(scene.maps, 7, 8); /* a later process of that pid; its parent is unknown */
	assert_null(code_maps_find(scene.maps, 8));
	assert_int_equal(code_maps_processes(scene.maps), 0);
	assert_int_equal(code_maps_mappings(scene.maps), 0);
	end(&scene);
}

/* "FILE", "?" for an unknown one, or "" for what is mapped now. */
static const char *past_of(const struct scene *scene, uint64_t address, uint64_t time_ns)
{
	const struct code_process *process = code_maps_find(scene->maps, 7);
	uint32_t past = code_maps_past(scene->maps, 7, address, time_ns);
	const struct code_mapping *mapping = code_process_past(process, past);

	assert_true(!mapping || (mapping->past && address >= mapping->start));
	return past == 0 ? "" : mapping ? mapping->object->name : "?";
}

static void what_a_record_replaces_is_past(void **state)
{
	static const struct {
		uint64_t time_ns, start, end, offset;
		const char *name; /* NULL: an exec */
		bool executable;
	} records[] = {
		{10, 0x100, 0x200, 0, "/a", true},    {20, 0x100, 0x200, 0, "/b", true},
		{22, 0x180, 0x1c0, 0x80, "/b", true}, /* the same place */
		{30, 0x180, 0x300, 0, "/a", true},    {40, 0x100, 0x120, 0, "/x", false},
		{50, 0, 0, 0, NULL, false},           {60, 0x100, 0x200, 0, "/c", true},
		{70, 0x400, 0x500, 0, "", true},      {80, 0x400, 0x500, 0x1000, "//anon", true},
	};
	static const struct {
		uint64_t time_ns, address;
		const char *want;
	} rows[] = {
		{10, 0x100, "/a"}, {19, 0x1ff, "/a"}, {20, 0x100, "/b"}, {25, 0x190, "/b"},
		{29, 0x1ff, "/b"}, {30, 0x180, "/a"}, {35, 0x110, "/b"}, {45, 0x130, "/b"},
		{45, 0x2ff, "/a"}, {49, 0x180, "/a"}, {50, 0x180, ""},   {60, 0x180, ""},
		{15, 0x200, "/a"}, {15, 0x300, ""},   {15, 0xff, ""},    {75, 0x400, ""},
	};

	(void)state;
	struct scene scene;

	begin(&scene, NULL, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		scene.time_ns = records[i].time_ns;
		if (records[i].name)
			map(&scene, 7, records[i].start, records[i].end, records[i].offset,
			    records[i].name, records[i].executable);
		else
			code_maps_exec(scene.maps, 7, scene.time_ns);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(past_of(&scene, rows[i].address, rows[i].time_ns),
				    rows[i].want);
	assert_string_equal(past_of(&scene, 0x100, UINT64_MAX), "");
	code_maps_drop_past(scene.maps);
	assert_string_equal(past_of(&scene, 0x100, 10), "");
	assert_int_equal(code_maps_mappings(scene.maps), 2);
	end(&scene);
}

static void past_mappings_are_bounded(void **state)
{
	enum { N = 3 * CODE_MAPS_PAST };

	(void)state;
	for (size_t most = 4; most <= 2 * CODE_MAPS_PAST; most *= 8) {
		struct scene scene;

		begin(&scene, NULL, 0, most);
		for (scene.time_ns = 1; scene.time_ns <= N; scene.time_ns++) {
			map(&scene, 7, 0x100, 0x200, 0, scene.time_ns % 2 ? "/odd" : "/even", true);
			assert_true(code_maps_mappings(scene.maps) <= most);
		}
		assert_string_equal(past_of(&scene, 0x100, N - 1), N % 2 ? "/even" : "/odd");
		assert_string_equal(past_of(&scene, 0x100, 1), "?");
		assert_string_equal(past_of(&scene, 0x300, 1), "");
		end(&scene);
	}
}

static void the_last_mapping_of_a_file_drops_it(void **state)
{
	(void)state;
	struct scene scene;

	begin(&scene, NULL, 0, 0);
	map(&scene, 7, 0x100, 0x200, 0, "/a", true);
	code_maps_fork(scene.maps, 7, 8);
	struct code_object *object = code_maps_find(scene.maps, 8)->mappings[0].object;
	assert_int_equal(object->refs, 2);
	object->file = (struct code_file *)&scene;
	code_maps_exec(scene.maps, 7, 0);
	assert_int_equal(scene.dropped, 0);
	code_maps_exit(scene.maps, 8);
	code_maps_drop_past(scene.maps);
	assert_int_equal(scene.dropped, 1);
	end(&scene);
}

static void objects_differ_by_device_inode_and_build_id(void **state)
{
	static const struct code_build_id one = {{1, 2}, 2}, other = {{1, 3}, 2};
	static const struct {
		dev_t dev;
		uint64_t inode;
		const struct code_build_id *id;
		const char *name;
		bool same;
	} rows[] = {
		{1, 5, &one, "/a", true},    {2, 5, &one, "/a", false}, {1, 6, &one, "/a", false},
		{1, 5, &other, "/a", false}, {1, 5, NULL, "/a", false}, {1, 5, &one, "/b", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct proc_mapping first = {0x100, 0x200, 0, 1, 5, true, "/a"};
		struct proc_mapping second = {0x300,         0x400, 0,           rows[i].dev,
					      rows[i].inode, true,  rows[i].name};
		struct scene scene;

		begin(&scene, NULL, 0, 0);
		code_maps_mmap(scene.maps, 7, &first, &one, 0);
		code_maps_mmap(scene.maps, 7, &second, rows[i].id, 0);
		const struct code_process *process = code_maps_find(scene.maps, 7);
		assert_int_equal(process->mappings[0].object == process->mappings[1].object,
				 rows[i].same);
		end(&scene);
	}
}

static void limits_drop_what_was_used_longest_ago(void **state)
{
	(void)state;
	struct scene scene;

	begin(&scene, NULL, 3, 4);
	for (pid_t pid = 1; pid <= 3; pid++)
		map(&scene, pid, 0x100, 0x200, 0, "/a", true);
	assert_non_null(code_maps_process(scene.maps, 1));
	map(&scene, 4, 0x100, 0x200, 0, "/a", true);
	assert_null(code_maps_find(scene.maps, 2));
	assert_int_equal(code_maps_processes(scene.maps), 3);
	map(&scene, 4, 0x300, 0x400, 0, "/a", true);
	map(&scene, 4, 0x500, 0x600, 0, "/a", true); /* five mappings: process 3 is dropped */
	assert_null(code_maps_find(scene.maps, 3));
	for (uint64_t i = 4; i < 10; i++)
		map(&scene, 4, i * 0x200, i * 0x200 + 0x100, 0, "/a", true);
	assert_true(code_maps_mappings(scene.maps) <= 4);
	/* A mapping in the middle of another one, with no room for its rest. */
	map(&scene, 4, 4 * 0x200 + 0x10, 4 * 0x200 + 0x20, 0, "/b", true);
	assert_true(code_maps_mappings(scene.maps) <= 4);
	/* Records of the process that was used longest ago drop others, not it. */
	map(&scene, 5, 0x100, 0x200, 0, "/a", true);
	assert_non_null(code_maps_find(scene.maps, 5));
	end(&scene);
	begin(&scene, NULL, 3, 4);
	for (pid_t pid = 1; pid <= 3; pid++)
		map(&scene, pid, 0x100, 0x200, 0, "/a", true);
	map(&scene, 1, 0x300, 0x400, 0, "/a", true);
	map(&scene, 1, 0x500, 0x600, 0, "/a", true);
	assert_int_equal(code_maps_find(scene.maps, 1)->n, 3);
	assert_int_equal(code_maps_mappings(scene.maps), 4);
	end(&scene);
}

static const char maps_of_7[] = "1000-2000 r-xp 00000000 08:01 9 /bin/a\n"
				"2000-3000 rw-p 00001000 08:01 9 /bin/a\n"
				"5000-8000 r-xp 00004000 08:01 10 /lib/b.so\n";

static struct fk *machine(bool query)
{
	struct fk *fk = fk_new(&(struct fk_config){.procmap_query = query, .frozen_clock = true});

	fk_task(fk, &(struct fk_spec){.tid = 7, .comm = "a"});
	fk_file(fk, "/proc/7/maps", maps_of_7);
	return fk;
}

static void a_live_process_is_read(void **state)
{
	static const struct {
		bool query;
		const char *want;
	} rows[] = {{true, "5000-8000 4000 /lib/b.so;"},
		    {false, "1000-2000 0 /bin/a;5000-8000 4000 /lib/b.so;"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint64_t addresses[] = {0x6000, 0x2800, 0x9000};
		struct scene scene;

		begin(&scene, machine(rows[i].query), 0, 0);
		struct code_process *process = code_maps_process(scene.maps, 7);
		assert_non_null(process);
		assert_int_equal(code_maps_read(scene.maps, process, addresses, 3), 0);
		expect_mappings(&scene, 7, rows[i].want);
		unsigned opens = fk_calls(scene.fk, FK_FILE_OPEN);
		assert_int_equal(code_maps_read(scene.maps, process, addresses, 1), 0);
		assert_int_equal(fk_calls(scene.fk, FK_FILE_OPEN), opens);
		assert_null(code_maps_process(scene.maps, 8));
		assert_null(code_maps_process(scene.maps, 0));
		end(&scene);
	}
}

/* The pid is of an ended thread, which has no mappings. Another thread runs. */
static void another_thread_has_the_mappings(void **state)
{
	static const struct {
		const char *state, *other;
		pid_t reader;
	} rows[] = {{"S", "R", 7}, {"Z", "R", 9}, {"Z", "Z", 7}, {"Z", NULL, 7}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		static const char line[] =
			"%d (a) %s 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 2 0 5 0 0\n";
		const uint64_t address = 0x6000;
		struct scene scene;
		char text[128];

		begin(&scene, machine(false), 0, 0);
		snprintf(text, sizeof(text), line, 7, rows[i].state);
		fk_file(scene.fk, "/proc/7/stat", text);
		fk_file(scene.fk, "/proc/7/task/7/stat", text);
		snprintf(text, sizeof(text), line, 9, rows[i].other ? rows[i].other : "");
		fk_file(scene.fk, "/proc/7/task/9/stat", rows[i].other ? text : NULL);
		fk_file(scene.fk, "/proc/9/maps", "5000-8000 r-xp 00004000 08:01 6 /lib/c.so\n");
		struct code_process *process = code_maps_process(scene.maps, 7);
		assert_int_equal(process->reader, rows[i].reader);
		assert_int_equal(code_maps_read(scene.maps, process, &address, 1), 0);
		assert_string_equal(code_process_find(process, address)->object->name,
				    rows[i].reader == 9 ? "/lib/c.so" : "/lib/b.so");
		end(&scene);
	}
}

static void old_mappings_are_read_again(void **state)
{
	(void)state;
	const uint64_t address = 0x6000;

	for (int query = 0; query < 2; query++) {
		struct scene scene;

		begin(&scene, machine(query), 0, 0);
		struct code_process *process = code_maps_process(scene.maps, 7);
		code_maps_read(scene.maps, process, &address, 1);
		struct code_object *object = code_process_find(process, address)->object;
		fk_file(scene.fk, "/proc/7/maps",
			"5000-8000 r-xp 00004000 08:01 10 /lib/b.so\n"
			"8000-9000 r-xp 00000000 08:01 11 /c\n");
		fk_advance(scene.fk, CODE_MAPS_AGE_NS - NS_PER_S);
		process = code_maps_process(scene.maps, 7);
		assert_non_null(code_process_find(process, address));
		fk_advance(scene.fk, 2 * NS_PER_S);
		process = code_maps_process(scene.maps, 7);
		assert_null(code_process_find(process, address));
		assert_int_equal(code_maps_read(scene.maps, process, &address, 1), 0);
		/* The object has outlived its mappings. */
		assert_ptr_equal(code_process_find(process, address)->object, object);
		assert_int_equal(scene.dropped + scene.forgotten, 0);
		end(&scene);
	}
}

static void an_address_that_is_new_reads_a_whole_file_again(void **state)
{
	(void)state;
	const uint64_t known = 0x6000, new = 0x8800;
	struct scene scene;

	begin(&scene, machine(false), 0, 0);
	struct code_process *process = code_maps_process(scene.maps, 7);
	code_maps_read(scene.maps, process, &known, 1);
	fk_file(scene.fk, "/proc/7/maps", "8000-9000 r-xp 00000000 08:01 11 /c\n");
	code_maps_read(scene.maps, process, &new, 1);
	assert_null(code_process_find(process, new)); /* too soon */
	fk_advance(scene.fk, 2 * NS_PER_S);
	code_maps_read(scene.maps, process, &new, 1);
	assert_string_equal(code_process_find(process, new)->object->name, "/c");
	end(&scene);
}

static void a_later_process_of_a_pid_is_another_one(void **state)
{
	(void)state;
	const uint64_t address = 0x6000;
	struct scene scene;

	begin(&scene, machine(true), 0, 0);
	struct code_process *process = code_maps_process(scene.maps, 7);
	code_maps_read(scene.maps, process, &address, 1);
	char stat[512];
	sys_file_read(&scene.sys, "/proc/7/stat", stat, sizeof(stat));
	/* The same line with another start time. */
	char other[600], *start = strstr(stat, " 0 ");
	uint64_t ticks = process->start_ticks;
	(void)start;
	char number[32];
	snprintf(number, sizeof(number), " %llu ", (unsigned long long)ticks);
	char *at = strstr(stat, number);
	assert_non_null(at);
	snprintf(other, sizeof(other), "%.*s %llu %s", (int)(at - stat), stat,
		 (unsigned long long)ticks + 5, at + strlen(number));
	fk_file(scene.fk, "/proc/7/stat", other);
	fk_advance(scene.fk, CODE_MAPS_AGE_NS + NS_PER_S);
	process = code_maps_process(scene.maps, 7);
	assert_int_equal(scene.forgotten, 1);
	assert_true(process->start_ticks == ticks + 5);
	assert_int_equal(process->n, 0);
	/* One that has ended keeps its mappings. */
	code_maps_read(scene.maps, process, &address, 1);
	fk_file(scene.fk, "/proc/7/stat", NULL);
	fk_advance(scene.fk, CODE_MAPS_AGE_NS + NS_PER_S);
	process = code_maps_process(scene.maps, 7);
	assert_non_null(code_process_find(process, address));
	end(&scene);
}

static void a_range_that_was_not_read_is_unknown(void **state)
{
	(void)state;
	struct scene scene;

	begin(&scene, machine(true), 0, 0);
	scene.time_ns = 20;
	map(&scene, 7, 0x100, 0x200, 0, "/a", true);
	assert_string_equal(past_of(&scene, 0x100, 19), "?");
	assert_string_equal(past_of(&scene, 0x100, 20), "");
	code_maps_exec(scene.maps, 7, 30);
	scene.time_ns = 40; /* after an exec all mappings have records */
	map(&scene, 7, 0x300, 0x400, 0, "/b", true);
	assert_string_equal(past_of(&scene, 0x300, 35), "");
	assert_string_equal(past_of(&scene, 0x100, 25), "/a");
	end(&scene);
}

static void records_of_live_processes_add_few(void **state)
{
	(void)state;
	struct scene scene;

	begin(&scene, machine(true), 0, 0);
	map(&scene, 7, 0x100, 0x200, 0, "/a", false);
	code_maps_fork(scene.maps, 7, 8);
	assert_int_equal(code_maps_processes(scene.maps), 0);
	map(&scene, 8, 0x100, 0x200, 0, "/a", true);
	code_maps_exit(scene.maps, 8);
	code_maps_exec(scene.maps, 9, 0); /* may end before /proc is read */
	map(&scene, 9, 0x100, 0x200, 0, "/a", true);
	code_maps_exit(scene.maps, 9);
	const struct code_process *process = code_maps_process(scene.maps, 9);
	assert_non_null(code_process_find(process, 0x100));
	code_maps_drop_past(scene.maps);
	assert_int_equal(code_maps_processes(scene.maps), 0);
	end(&scene);
}

static void a_refused_file_is_an_error(void **state)
{
	static const struct {
		enum fk_op op;
		int error, want;
	} rows[] = {
		{FK_FILE_OPEN, EACCES, -EACCES},
		{FK_FILE_PREAD, ESRCH, -ESRCH},
		{FK_FILE_IOCTL, ENOTTY, 0},
		{FK_FILE_IOCTL, ESRCH, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint64_t address = 0x6000;
		struct scene scene;

		begin(&scene, machine(rows[i].op == FK_FILE_IOCTL), 0, 0);
		struct code_process *process = code_maps_process(scene.maps, 7);
		fk_fail(scene.fk, rows[i].op, 0, rows[i].error);
		assert_int_equal(code_maps_read(scene.maps, process, &address, 1), rows[i].want);
		fk_fail(scene.fk, rows[i].op, 0, 0);
		/* Without the query the whole file is read. */
		assert_int_equal(process->n, rows[i].error == ENOTTY ? 2 : 0);
		end(&scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_replaces_what_it_covers),
		cmocka_unit_test(a_change_clears_ids),
		cmocka_unit_test(a_forked_process_has_the_mappings),
		cmocka_unit_test(what_a_record_replaces_is_past),
		cmocka_unit_test(a_range_that_was_not_read_is_unknown),
		cmocka_unit_test(past_mappings_are_bounded),
		cmocka_unit_test(the_last_mapping_of_a_file_drops_it),
		cmocka_unit_test(objects_differ_by_device_inode_and_build_id),
		cmocka_unit_test(limits_drop_what_was_used_longest_ago),
		cmocka_unit_test(a_live_process_is_read),
		cmocka_unit_test(another_thread_has_the_mappings),
		cmocka_unit_test(old_mappings_are_read_again),
		cmocka_unit_test(an_address_that_is_new_reads_a_whole_file_again),
		cmocka_unit_test(a_later_process_of_a_pid_is_another_one),
		cmocka_unit_test(records_of_live_processes_add_few),
		cmocka_unit_test(a_refused_file_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
