// SPDX-License-Identifier: MIT
/*
 * Files that do not answer: which lane they have, what is left alone, and what the note says. The
 * clients of the processes are replaced here.
 */
#include "core/code/code_lanes.h"

#include "core/base/util.h"
#include "core/code/opener_client.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/rooted.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEVICES = 64, DISK = 1, DISK_2 = 2, DISK_3 = 3, DEAD = 5 }; /* minor device numbers */
enum { MAJOR = 4000 };                                             /* no real one */

/* What the world is like. */
static struct world {
	bool hangs[DEVICES];          /* files of the device do not answer */
	enum mapped_file_stage stage; /* at which they hang */
	bool parser_hangs[DEVICES];
	uint64_t stands_ns;  /* a process that hangs has stood still for so long */
	bool immortal;       /* a process that is killed while it hangs does not end */
	pid_t left[DEVICES]; /* such processes */
	unsigned n_left;
	unsigned openers, ended; /* started, abandoned */
	unsigned skipped;        /* of the last request */
	int error;               /* of starting openers */
	struct symbol_status status;
} world;

struct opener_client {
	bool works; /* in the request: */
	struct opener_request_state state;
	char name[64];
};

struct symbol_client {
	uint64_t key; /* at which it hangs; 0: none */
	bool given[2 * DEVICES];
};

static pid_t fork_immortal(void)
{
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	assert_true(pid > 0);
	world.left[world.n_left++] = pid;
	return pid;
}

struct opener_client *opener_client_new(const struct opener_config *config)
{
	(void)config;
	world.openers++;
	return xcalloc(1, sizeof(struct opener_client));
}

void opener_client_abandon(struct opener_client *client, struct helper_process *left)
{
	*left = HELPER_NONE;
	if (client->works && world.immortal)
		left->pid = fork_immortal();
	world.ended++;
	free(client);
}

int opener_client_file(struct opener_client *client, const struct opener_file *file,
		       const struct opener_link *link, uint64_t deadline_ns,
		       struct mapped_file *found, bool *given)
{
	const struct code_object *object = file->mapping->object;
	bool hangs = world.hangs[minor(object->dev)] && !(file->skipped & 1u << world.stage);

	(void)link, (void)deadline_ns;
	world.skipped = file->skipped;
	if (world.error)
		return -EBADE;
	if (client->works && world.hangs[minor(client->state.dev)])
		return -EAGAIN;
	client->works = hangs;
	if (hangs) {
		text_copy(client->name, sizeof(client->name), object->name);
		client->state = (struct opener_request_state){.stage = world.stage,
							      .pid = file->pid,
							      .dev = object->dev,
							      .name = client->name};
		return -EAGAIN;
	}
	*found = (struct mapped_file){.key = 2 * minor(object->dev) + 1, .size = 4096};
	*given = true;
	return 0;
}

ssize_t opener_client_text(struct opener_client *client, const struct code_text *text,
			   unsigned skipped, uint64_t offset, uint64_t deadline_ns, char *buffer,
			   size_t size, struct code_text_status *status)
{
	(void)client, (void)text, (void)offset, (void)deadline_ns, (void)size, (void)status;
	world.skipped = skipped;
	buffer[0] = 'x';
	return 1;
}

bool opener_client_works(const struct opener_client *client)
{
	return client->works;
}

uint64_t opener_client_stands_ns(struct opener_client *client, const struct sys *sys,
				 struct opener_request_state *state)
{
	(void)sys;
	if (client->works && !world.hangs[minor(client->state.dev)])
		client->works = false; /* it has answered */
	if (client->works)
		*state = client->state;
	return client->works ? world.stands_ns : 0;
}

int opener_client_error(const struct opener_client *client)
{
	(void)client;
	return world.error;
}

struct symbol_client *symbol_client_new(const struct symbol_client_config *config)
{
	(void)config;
	return xcalloc(1, sizeof(struct symbol_client));
}

void symbol_client_abandon(struct symbol_client *client, struct helper_process *left)
{
	*left = HELPER_NONE;
	if (client->key && world.immortal)
		left->pid = fork_immortal();
	free(client);
}

int symbol_client_socket(struct symbol_client *client, unsigned *number)
{
	(void)client;
	*number = 1;
	return -EAGAIN;
}

void symbol_client_given(struct symbol_client *client, uint64_t key)
{
	client->given[key / 2] = true;
}

enum symbol_file symbol_client_file(const struct symbol_client *client, uint64_t key)
{
	return client->given[key / 2] ? SYMBOL_FILE_GIVEN : SYMBOL_FILE_WANTED;
}

size_t symbol_client_find(struct symbol_client *client, const struct symbol_query *queries,
			  size_t n, uint64_t deadline_ns, symbol_found *found, void *arg)
{
	const struct symbol symbol = {.name = "f"};
	size_t answers = 0;

	(void)deadline_ns;
	for (size_t i = 0; i < n && !client->key; i++) {
		if (symbol_client_file(client, queries[i].key) != SYMBOL_FILE_GIVEN)
			continue;
		if (world.parser_hangs[queries[i].key / 2])
			client->key = queries[i].key;
		if (client->key)
			continue;
		found(arg, i, &symbol);
		answers++;
	}
	return answers;
}

int symbol_client_locate(struct symbol_client *client, uint64_t key, const char *name,
			 uint64_t deadline_ns, uint64_t *address)
{
	(void)client, (void)key, (void)name, (void)deadline_ns;
	*address = 5;
	return 0;
}

int symbol_client_demangle(struct symbol_client *client, const char *mangled, uint64_t deadline_ns,
			   char name[SYMBOL_NAME_BYTES])
{
	(void)client, (void)mangled, (void)deadline_ns;
	name[0] = '\0';
	return 0;
}

void symbol_client_status(const struct symbol_client *client, struct symbol_status *status)
{
	(void)client;
	*status = world.status;
}

uint64_t symbol_client_stands_ns(struct symbol_client *client, const struct sys *sys, uint64_t *key)
{
	(void)sys;
	if (client->key && !world.parser_hangs[client->key / 2])
		client->key = 0;
	*key = client->key;
	return client->key ? world.stands_ns : 0;
}

struct scene {
	struct rooted rooted;
	struct code_lanes *lanes;
	struct code_helpers helpers;
};

static void begin(struct scene *scene)
{
	world = (struct world){.stage = MAPPED_FILE_SELF, .stands_ns = NS_PER_S};
	rooted_init(&scene->rooted);
	scene->rooted.ops.shared = true;
	scene->lanes = code_lanes_new(&(struct code_lanes_config){
		.sys = &scene->rooted.sys, .symfs = "/sym", .pause_ns = 1});
	scene->helpers = code_lanes_helpers(scene->lanes);
}

static void end_processes(void)
{
	while (world.n_left > 0)
		kill(world.left[--world.n_left], SIGKILL);
}

static void end(struct scene *scene)
{
	end_processes();
	code_lanes_free(scene->lanes);
	rooted_fini(&scene->rooted);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

/* 0 or -errno of a file of the device. */
static int open_file(struct scene *scene, unsigned dev)
{
	char name[32];
	struct code_object *object = xcalloc(1, sizeof(*object) + sizeof(name));
	const struct code_mapping mapping = {0x1000, 0x2000, 0, object};
	struct mapped_file found;

	snprintf(name, sizeof(name), "/mount%u/file", dev);
	object->dev = makedev(MAJOR, dev);
	object->inode = 7;
	strcpy(object->name, name);
	int rc = scene->helpers.open(scene->helpers.ctx, getpid(), &mapping,
				     monotonic_ns() + NS_PER_MS, &found);
	if (rc == 0)
		assert_true(found.key == 2 * dev + 1);
	free(object);
	return rc;
}

/* Whether files of the device have answered before, or no file has failed to. */
static bool has_device_answered(const struct scene *scene, dev_t dev)
{
	struct code_object *object = xcalloc(1, sizeof(*object) + sizeof("/"));
	const struct code_mapping mapping = {0x1000, 0x2000, 0, object};

	object->dev = dev;
	strcpy(object->name, "/");
	bool answered = scene->helpers.answered(scene->helpers.ctx, &mapping);
	free(object);
	return answered;
}

static bool has_answered(const struct scene *scene, unsigned dev)
{
	return has_device_answered(scene, makedev(MAJOR, dev));
}

/* Lets the lanes look at the processes, and returns the note, "" for none. */
static const char *look(struct scene *scene)
{
	const char *note = code_lanes_note(scene->lanes, true);

	return note ? note : "";
}

static void keep_count(void *arg, size_t query, const struct symbol *symbol)
{
	(void)symbol;
	*(unsigned *)arg |= 1u << query;
}

/* The functions of a file of each device. Bits of those that were found. */
static unsigned find_functions(struct scene *scene, unsigned first, unsigned second)
{
	const struct symbol_query queries[] = {{2 * first + 1, 5}, {2 * second + 1, 6}};
	unsigned found = 0;

	scene->helpers.find(scene->helpers.ctx, queries, ARRAY_SIZE(queries),
			    monotonic_ns() + NS_PER_MS, keep_count, &found);
	return found;
}

/* Lanes that never worked have no descriptor that could be closed. */
static void lanes_close_no_descriptor_of_others(void **state)
{
	unsigned before = count_files("/proc/self/fd");
	struct scene scene;

	(void)state;
	begin(&scene);
	assert_int_equal(open_file(&scene, DISK), 0);
	code_lanes_stop(scene.lanes);
	code_lanes_stop(scene.lanes);
	end(&scene);
	assert_int_equal(count_files("/proc/self/fd"), before);
}

static void a_file_that_does_not_answer_has_a_lane_of_its_own(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	assert_int_equal(open_file(&scene, DISK), 0);
	assert_string_equal(look(&scene), "");
	assert_int_equal(world.openers, 1);
	assert_true(has_answered(&scene, DISK_2));
	world.hangs[DEAD] = true;
	assert_int_equal(open_file(&scene, DEAD), -EAGAIN);
	assert_non_null(strstr(look(&scene),
			       "Functions of /mount5/file have no names: the file does "
			       "not answer. Restore"));
	/* All others have a new lane, to which files are given again. */
	assert_int_equal(scene.helpers.file(scene.helpers.ctx, 2 * DISK + 1), SYMBOL_FILE_WANTED);
	assert_int_equal(open_file(&scene, DISK), 0);
	assert_int_equal(scene.helpers.file(scene.helpers.ctx, 2 * DISK + 1), SYMBOL_FILE_GIVEN);
	assert_int_equal(world.openers, 2);
	/* Other files are opened after the files that answered before. */
	assert_true(has_answered(&scene, DISK));
	assert_true(has_answered(&scene, DEAD)); /* in its own lane */
	assert_false(has_answered(&scene, DISK_2));
	/* No other request for this device reaches it. */
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(open_file(&scene, DEAD), -EAGAIN);
		assert_int_equal(open_file(&scene, DISK), 0);
	}
	assert_int_equal(world.openers, 2);
	assert_int_equal(world.ended, 0);
	/* It was only slow: its lane works on. */
	world.hangs[DEAD] = false;
	look(&scene);
	assert_string_equal(look(&scene), "");
	assert_int_equal(open_file(&scene, DEAD), 0);
	assert_int_equal(find_functions(&scene, DISK, DEAD), 3);
	assert_int_equal(world.openers, 2);
	end(&scene);
}

/* The devices that hold the running program and its libraries answer, so they are tried first. */
static void the_devices_of_the_program_have_answered(void **state)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	unsigned devices[2], n = 0;
	unsigned long inode;
	struct scene scene;

	(void)state;
	begin(&scene);
	assert_non_null(maps);
	world.hangs[DEAD] = true;
	open_file(&scene, DEAD);
	look(&scene);
	assert_false(has_answered(&scene, DISK));
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%*s %*s %*s %x:%x %lu", &devices[0], &devices[1], &inode) != 3 ||
		    inode == 0)
			continue;
		assert_true(has_device_answered(&scene, makedev(devices[0], devices[1])));
		n++;
	}
	assert_true(n > 0);
	fclose(maps);
	end(&scene);
}

/* After the first device that hangs, devices that are tried for the first time stop no other. */
static void new_devices_are_tried_in_lanes_of_their_own(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	world.immortal = true;
	assert_int_equal(open_file(&scene, DISK), 0);
	for (unsigned i = 0; i < CODE_LANES_MAX + 3; i++)
		world.hangs[10 + i] = true;
	assert_int_equal(open_file(&scene, 10), -EAGAIN);
	look(&scene);
	world.stands_ns = CODE_LANES_ASIDE_NS - 1;
	for (unsigned i = 1; i < CODE_LANES_MAX + 3; i++) {
		assert_int_equal(open_file(&scene, 10 + i), -EAGAIN);
		assert_int_equal(open_file(&scene, DISK), 0);
		assert_int_equal(find_functions(&scene, DISK, DISK), 3);
	}
	/* Not even more than lanes can wait: the last ones are tried when others are abandoned. */
	assert_int_equal(world.n_left, 0);
	assert_int_equal(world.openers, 1 + CODE_LANES_MAX);
	world.stands_ns = CODE_LANES_DEAD_NS;
	look(&scene);
	assert_int_equal(world.n_left, CODE_LANES_MAX);
	for (unsigned i = 0; i < CODE_LANES_MAX + 3; i++)
		open_file(&scene, 10 + i);
	assert_int_equal(world.openers, 1 + CODE_LANES_MAX + 3);
	assert_non_null(strstr(look(&scene), "The same holds for 10 other file systems."));
	assert_int_equal(open_file(&scene, DISK), 0);
	/* One that answers is known then. */
	assert_false(has_answered(&scene, DISK_2));
	assert_int_equal(open_file(&scene, DISK_2), 0);
	assert_int_equal(find_functions(&scene, DISK_2, DISK), 3);
	assert_true(has_answered(&scene, DISK_2));
	world.immortal = false;
	end(&scene);
}

/* Its device answers, another mount does not: the lane is left to that one. */
static void a_new_device_may_stand_at_another_mount(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	world.hangs[DEAD] = true;
	assert_int_equal(open_file(&scene, DEAD), -EAGAIN);
	look(&scene);
	world.hangs[DISK] = true;
	world.stage = MAPPED_FILE_DEBUG_HERE;
	assert_int_equal(open_file(&scene, DISK), -EAGAIN);
	look(&scene);
	assert_int_equal(open_file(&scene, DISK), 0);
	assert_int_equal(world.skipped, 1u << MAPPED_FILE_DEBUG_HERE);
	end(&scene);
}

static void a_short_halt_has_no_note(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	world.hangs[DEAD] = true;
	world.stands_ns = CODE_LANES_ASIDE_NS - 1;
	assert_int_equal(open_file(&scene, DEAD), -EAGAIN);
	look(&scene);
	assert_int_equal(open_file(&scene, DISK), -EAGAIN); /* in the same lane */
	assert_int_equal(world.openers, 1);
	world.stands_ns = CODE_LANES_SLOW_NS - 1;
	assert_string_equal(look(&scene), "");
	assert_int_equal(open_file(&scene, DISK), 0);
	world.stands_ns = CODE_LANES_SLOW_NS;
	assert_string_not_equal(look(&scene), "");
	end(&scene);
}

static void a_lane_that_stands_still_is_abandoned(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	world.hangs[DEAD] = true;
	world.immortal = true;
	assert_int_equal(open_file(&scene, DEAD), -EAGAIN);
	look(&scene);
	world.stands_ns = CODE_LANES_DEAD_NS;
	look(&scene);
	assert_int_equal(world.ended, 1);
	/* As long as the process exists, it is the only one for the device. */
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(open_file(&scene, DEAD), -ETIMEDOUT);
	assert_non_null(strstr(look(&scene), "/mount5/file"));
	assert_int_equal(open_file(&scene, DISK), 0);
	/* Also when nothing needs names for a while. */
	code_lanes_stop(scene.lanes);
	assert_int_equal(open_file(&scene, DEAD), -ETIMEDOUT);
	assert_int_equal(open_file(&scene, DISK), 0);
	/* It has ended: one more try. */
	unsigned openers = world.openers;
	world.hangs[DEAD] = false;
	end_processes();
	int rc;
	while ((rc = open_file(&scene, DEAD)) == -ETIMEDOUT)
		sched_yield();
	assert_int_equal(rc, 0);
	assert_int_equal(world.openers, openers + 1);
	assert_string_equal(look(&scene), "");
	end(&scene);
}

/* However soon the lanes are stopped. */
static const struct stop_row {
	const char *name;
	uint64_t stands_ns; /* at the stop */
	bool parser;        /* it is what hangs */
	bool seen;          /* the lane was left to the device before */
} stop_rows[] = {
	{"at once", 0, false, false},
	{"after a moment", 1, false, false},
	{"the parser, at once", 0, true, false},
	{"the parser, after a moment", 1, true, false},
	{"a lane of its own", NS_PER_S, false, true},
	{"a lane of its own, the parser", NS_PER_S, true, true},
};

static void a_stop_remembers_the_device_that_hangs(void **state)
{
	const struct stop_row *row = *state;
	struct scene scene;

	begin(&scene);
	world.immortal = true;
	world.stands_ns = row->stands_ns;
	assert_int_equal(open_file(&scene, DISK), 0);
	world.hangs[DEAD] = !row->parser;
	world.parser_hangs[DEAD] = row->parser;
	for (unsigned i = 0; i < 10; i++) {
		int rc = open_file(&scene, DEAD);

		if (i > 0)
			assert_int_equal(rc, -ETIMEDOUT);
		find_functions(&scene, DEAD, DISK);
		if (row->seen)
			look(&scene);
		code_lanes_stop(scene.lanes);
		assert_int_equal(world.n_left, 1);
		assert_int_equal(open_file(&scene, DISK), 0);
	}
	assert_non_null(strstr(look(&scene), "/mount5/file"));
	/* It has ended. */
	world.hangs[DEAD] = world.parser_hangs[DEAD] = false;
	end_processes();
	while (open_file(&scene, DEAD) != 0)
		sched_yield();
	assert_string_equal(look(&scene), "");
	end(&scene);
}

static void a_parser_that_stands_still_is_left_to_its_file(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	assert_int_equal(open_file(&scene, DEAD), 0);
	assert_int_equal(open_file(&scene, DISK), 0);
	world.parser_hangs[DEAD] = true;
	world.immortal = true;
	assert_int_equal(find_functions(&scene, DEAD, DISK), 0);
	assert_non_null(strstr(look(&scene), "/mount5/file"));
	assert_int_equal(open_file(&scene, DISK), 0);
	assert_int_equal(find_functions(&scene, DEAD, DISK), 2);
	world.stands_ns = CODE_LANES_DEAD_NS;
	look(&scene);
	assert_int_equal(scene.helpers.file(scene.helpers.ctx, 2 * DEAD + 1), SYMBOL_FILE_SILENT);
	assert_int_equal(find_functions(&scene, DEAD, DISK), 2);
	end(&scene);
}

/* umount -l while programs of it run: nothing can be unmounted any more. */
static const struct mount_row {
	const char *name, *mounts; /* of the process; NULL: they cannot be read */
	bool parser;               /* it is what hangs */
	const char *remedy;
} mount_rows[] = {
	{"mounted", "30 1 0:4 / / rw - ext4 sda rw\n31 30 4000:5 / /mnt rw - fuse x rw\n", false,
	 "answer. Restore or unmount (umount -f) its file system."},
	{"unmounted", "30 1 0:4 / / rw - ext4 sda rw\n31 30 4000:55 / /mnt rw - fuse x rw\n", false,
	 "answer. Its file system is unmounted, but in use: restore or end its server"},
	{"unknown", NULL, false, "answer. Restore or unmount (umount -f) its file system."},
	{"unmounted, the parser hangs", "30 1 0:4 / / rw - ext4 sda rw\n", true,
	 "answer. Its file system is unmounted, but in use: restore or end its server"},
};

static void the_remedy_knows_what_is_unmounted(void **state)
{
	const struct mount_row *row = *state;
	struct scene scene;
	char path[40];

	begin(&scene);
	snprintf(path, sizeof(path), "/proc/%d/mountinfo", getpid());
	if (row->mounts)
		rooted_text(&scene.rooted, path, row->mounts);
	world.hangs[DEAD] = !row->parser;
	world.parser_hangs[DEAD] = row->parser;
	open_file(&scene, DEAD);
	find_functions(&scene, DEAD, DISK);
	const char *note = look(&scene);
	if (!strstr(note, row->remedy))
		fail_msg("%s", note);
	end(&scene);
}

/* Searches go on without the mount that does not answer. */
static const struct stage_row {
	const char *name;
	enum mapped_file_stage stage;
	const char *note;
} stage_rows[] = {
	{"debug files", MAPPED_FILE_DEBUG_HERE, "files below /usr/lib/debug do not answer"},
	{"another root", MAPPED_FILE_THERE, "/root do not answer"},
	{"symfs", MAPPED_FILE_SYMFS, "files below /sym do not answer"},
	{"cache", MAPPED_FILE_CACHE, "do not answer"},
};

static void a_stage_that_does_not_answer_is_left_out(void **state)
{
	const struct stage_row *row = *state;
	struct scene scene;
	struct code_text_status status;
	char byte[2];

	begin(&scene);
	world.hangs[DISK] = true;
	world.stage = row->stage;
	assert_int_equal(open_file(&scene, DISK), -EAGAIN);
	assert_int_equal(world.skipped, 0);
	assert_non_null(strstr(look(&scene), row->note));
	assert_int_equal(open_file(&scene, DISK), 0);
	assert_int_equal(world.skipped, 1u << row->stage);
	const struct code_text text = {.kind = CODE_TEXT_PERF_MAP, .pid = getpid()};
	assert_int_equal(
		scene.helpers.text(scene.helpers.ctx, &text, 0, UINT64_MAX, byte, 1, &status), 1);
	assert_int_equal(world.skipped, 1u << row->stage);
	/* When it has answered it is used again. */
	world.hangs[DISK] = false;
	look(&scene);
	assert_int_equal(open_file(&scene, DISK), 0);
	assert_int_equal(world.skipped, 0);
	assert_string_equal(look(&scene), "");
	end(&scene);
}

/* More devices hang than lanes can wait: the one that hangs for longest is abandoned. */
static void more_files_than_lanes_do_not_answer(void **state)
{
	struct scene scene;
	unsigned hung = 0;

	(void)state;
	begin(&scene);
	world.immortal = true;
	assert_int_equal(open_file(&scene, DISK), 0);
	for (unsigned i = 0; i < CODE_LANES_MAX + 3; i++) /* they answer at first */
		assert_int_equal(open_file(&scene, 10 + i), 0);
	while (hung < CODE_LANES_MAX + 3) {
		world.hangs[10 + hung] = true;
		assert_int_equal(open_file(&scene, 10 + hung++), -EAGAIN);
		assert_null(strstr(look(&scene), "too many files"));
		assert_int_equal(open_file(&scene, DISK), 0);
		assert_in_range(world.openers - world.ended, 1, CODE_LANES_MAX + 1);
	}
	assert_non_null(strstr(look(&scene), "The same holds for 10 other file systems."));
	/* Each costs one lane, however often its files are used. */
	for (unsigned i = 0; i < 10 * hung; i++) {
		int rc = open_file(&scene, 10 + i % hung);

		assert_true(rc == -EAGAIN || rc == -ETIMEDOUT);
		assert_int_equal(open_file(&scene, DISK), 0);
		look(&scene);
	}
	assert_int_equal(world.openers, hung + 1);
	assert_int_equal(world.n_left, 3);
	/* All answer: they have names again. */
	memset(world.hangs, false, sizeof(world.hangs));
	end_processes();
	for (unsigned i = 0; i < hung; i++)
		while (open_file(&scene, 10 + i) != 0) {
			look(&scene);
			sched_yield();
		}
	assert_string_equal(look(&scene), "");
	assert_in_range(world.openers - world.ended, 1, CODE_LANES_MAX + 1);
	end(&scene);
}

/* Lanes of devices that answer again are ended for others, and their files use the shared one. */
static void lanes_of_devices_that_answer_again_are_free(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	for (unsigned i = 0; i < CODE_LANES_MAX + 3; i++) {
		world.hangs[10 + i] = true;
		assert_int_equal(open_file(&scene, 10 + i), -EAGAIN);
		look(&scene);
		world.hangs[10 + i] = false;
		look(&scene);
	}
	unsigned openers = world.openers, ended = world.ended;
	assert_int_equal(ended, 3);
	for (unsigned i = 0; i < 10 * (CODE_LANES_MAX + 3); i++) {
		assert_int_equal(open_file(&scene, 10 + i % (CODE_LANES_MAX + 3)), 0);
		assert_string_equal(look(&scene), "");
	}
	assert_in_range(world.openers, openers, openers + 1); /* the shared one */
	assert_int_equal(world.ended, ended);
	end(&scene);
}

/* The processes that cannot be killed have a limit. */
static void devices_that_answered_before_have_names_beyond_all_limits(void **state)
{
	struct scene scene;
	const char *note = "";

	(void)state;
	begin(&scene);
	world.immortal = true;
	assert_int_equal(open_file(&scene, DISK), 0);
	assert_int_equal(open_file(&scene, DISK_3), 0);
	for (unsigned i = 0; i < CODE_PLACES_MAX; i++) /* they answer at first */
		assert_int_equal(open_file(&scene, 10 + i), 0);
	for (unsigned i = 0; i < CODE_PLACES_MAX; i++) {
		world.hangs[10 + i] = true;
		assert_int_equal(open_file(&scene, 10 + i), -EAGAIN);
		note = look(&scene);
	}
	assert_non_null(strstr(note, "The same holds for 31 other file systems."));
	assert_non_null(strstr(note, "too many files do not answer"));
	assert_int_equal(world.n_left, CODE_PLACES_MAX - CODE_LANES_MAX);
	assert_int_equal(open_file(&scene, DISK), 0);
	assert_int_equal(world.openers, CODE_PLACES_MAX + 1);
	/* A new device is not opened, so it can stop nothing. */
	world.hangs[DISK_2] = true;
	assert_int_equal(open_file(&scene, DISK_2), -EAGAIN);
	look(&scene);
	assert_int_equal(open_file(&scene, DISK), 0);
	/* One that has answered stops new names until it answers again. */
	world.hangs[DISK_3] = true;
	assert_int_equal(open_file(&scene, DISK_3), -EAGAIN);
	look(&scene);
	assert_int_equal(open_file(&scene, DISK), -EAGAIN);
	world.hangs[DISK_3] = false;
	look(&scene);
	assert_int_equal(open_file(&scene, DISK), 0);
	assert_int_equal(world.openers, CODE_PLACES_MAX + 1);
	/* The others have ended: there is room, and a lane, for the new one. */
	world.immortal = false;
	world.stands_ns = CODE_LANES_DEAD_NS;
	world.hangs[DISK_2] = false;
	end_processes();
	while (open_file(&scene, DISK_2) != 0) {
		look(&scene);
		sched_yield();
	}
	end(&scene);
}

static const struct note_row {
	struct symbol_status status;
	int error;        /* of starting openers */
	bool late;        /* names are missing */
	const char *note; /* "": none */
} note_rows[] = {
	{{.state = SYMBOL_IDLE}, 0, false, ""},
	{{.state = SYMBOL_RUNNING}, 0, true, ""},
	{{.state = SYMBOL_RUNNING, .waits = 1}, 0, true, ""},
	{{.state = SYMBOL_RUNNING, .waits = 2}, 0, true, "does not answer"},
	{{.state = SYMBOL_RUNNING, .waits = 2}, 0, false, ""},
	{{.state = SYMBOL_RUNNING, .restarts = 9, .wait_status = 9}, 0, false, ""},
	{{.state = SYMBOL_WAITING, .wait_status = 9}, 0, true, "ended by signal 9. It starts"},
	{{.state = SYMBOL_WAITING, .wait_status = 9}, 0, false, ""},
	{{.state = SYMBOL_WAITING, .restarts = 3, .wait_status = 9},
	 0,
	 true,
	 "ended 4 times, last by signal 9."},
	{{.state = SYMBOL_WAITING, .restarts = 3, .wait_status = 256},
	 0,
	 true,
	 "ended 4 times. It"},
	{{.state = SYMBOL_RUNNING, .refused = 1}, 0, false, "1 file have no names"},
	{{.state = SYMBOL_RUNNING, .refused = 2}, 0, false, "twice at each"},
	{{.state = SYMBOL_FAILED, .error = -EAGAIN},
	 0,
	 true,
	 "temporarily unavailable). Raise the limit: ulimit -u"},
	{{.state = SYMBOL_FAILED, .error = -EMFILE}, 0, true, "ulimit -n"},
	{{.state = SYMBOL_FAILED, .error = -ENOENT}, 0, true, "Is /proc mounted"},
	/* The child's bytes may be any number. */
	{{.state = SYMBOL_FAILED, .error = -4000}, 0, true, "(unknown error). Start pmctop again."},
	{{.state = SYMBOL_IDLE}, -EAGAIN, true, "opens files cannot be started (resource"},
	{{.state = SYMBOL_IDLE}, -EAGAIN, false, ""},
};

/* No process can be started for the other files. */
static void a_hang_hides_no_failed_start(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	assert_int_equal(open_file(&scene, DISK), 0);
	world.hangs[DEAD] = true;
	assert_int_equal(open_file(&scene, DEAD), -EAGAIN);
	look(&scene);
	world.error = -EAGAIN;
	assert_int_equal(open_file(&scene, DISK), -EAGAIN);
	assert_non_null(strstr(look(&scene), "/mount5/file"));
	assert_non_null(strstr(look(&scene), " Functions have no names: the process that opens "
					     "files cannot be started"));
	assert_non_null(strstr(look(&scene), "ulimit -u"));
	world.error = 0;
	end(&scene);
}

static void processes_that_fail_have_a_note(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	open_file(&scene, DISK);
	for (size_t i = 0; i < ARRAY_SIZE(note_rows); i++) {
		world.status = note_rows[i].status;
		world.error = note_rows[i].error;
		const char *note = code_lanes_note(scene.lanes, note_rows[i].late);

		if (note_rows[i].note[0] == '\0')
			assert_null(note);
		else if (!note || !strcasestr(note, note_rows[i].note))
			fail_msg("row %zu: %s", i, note ? note : "no note");
	}
	world.error = -EAGAIN;
	assert_int_equal(open_file(&scene, DISK), -EAGAIN);
	world.error = 0;
	assert_int_equal(open_file(&scene, DISK), 0);
	end(&scene);
}

int main(void)
{
	const struct cases tables[] = {CASES(a_stop_remembers_the_device_that_hangs, stop_rows),
				       CASES(a_stage_that_does_not_answer_is_left_out, stage_rows),
				       CASES(the_remedy_knows_what_is_unmounted, mount_rows)};
	const struct CMUnitTest others[] = {
		cmocka_unit_test(lanes_close_no_descriptor_of_others),
		cmocka_unit_test(a_file_that_does_not_answer_has_a_lane_of_its_own),
		cmocka_unit_test(the_devices_of_the_program_have_answered),
		cmocka_unit_test(new_devices_are_tried_in_lanes_of_their_own),
		cmocka_unit_test(a_new_device_may_stand_at_another_mount),
		cmocka_unit_test(a_short_halt_has_no_note),
		cmocka_unit_test(a_lane_that_stands_still_is_abandoned),
		cmocka_unit_test(a_parser_that_stands_still_is_left_to_its_file),
		cmocka_unit_test(more_files_than_lanes_do_not_answer),
		cmocka_unit_test(lanes_of_devices_that_answer_again_are_free),
		cmocka_unit_test(devices_that_answered_before_have_names_beyond_all_limits),
		cmocka_unit_test(a_hang_hides_no_failed_start),
		cmocka_unit_test(processes_that_fail_have_a_note),
	};

	return cases_run("code_lanes", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
