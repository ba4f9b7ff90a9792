// SPDX-License-Identifier: MIT
/*
 * Which file a mapping has: programs, libraries below another root, deleted and replaced ones, what
 * is no regular file, separate debug files.
 */
#include "core/code/mapped_file.h"

#include "core/base/util.h"
#include "core/code/code_file.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/elf_stub.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/rooted.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define ROOT "/inner"

struct scene {
	struct rooted rooted;
	struct mapped_files *files;
	struct code_object *object;
	struct code_mapping mapping;
	struct mapped_file file;
	int error; /* of mapped_files_open() */
	struct mapped_file_descriptors opened;
};

static void begin(struct scene *scene, bool recording)
{
	*scene = (struct scene){.opened = {-1, -1}};
	rooted_init(&scene->rooted);
	rooted_folders(&scene->rooted, ROOT "/usr/lib/x");
	rooted_folders(&scene->rooted, "/proc/7/x");
	rooted_link(&scene->rooted, "/proc/7/root", ROOT);
	scene->files = mapped_files_new(
		&(struct mapped_files_config){.sys = &scene->rooted.sys, .recording = recording});
}

/* A mapping of that name, with the device and inode of a file. */
static void map(struct scene *scene, const char *name, const char *file)
{
	struct stat status = {.st_ino = 0};

	if (file && stat(rooted_path(&scene->rooted, file), &status) != 0)
		fail_msg("no %s", file);
	free(scene->object);
	scene->object = xcalloc(1, sizeof(*scene->object) + strlen(name) + 1);
	scene->object->dev = status.st_dev;
	scene->object->inode = status.st_ino;
	memcpy(scene->object->name, name, strlen(name) + 1);
	scene->mapping = (struct code_mapping){0x1000, 0x3000, 0, scene->object};
}

static void open_mapping(struct scene *scene)
{
	scene->error = mapped_files_open(scene->files, 7, &scene->mapping, 0, &scene->file,
					 &scene->opened);
}

static void end(struct scene *scene)
{
	mapped_files_close(scene->files, &scene->opened);
	free(scene->files);
	assert_int_equal(scene->rooted.opened, 0);
	rooted_fini(&scene->rooted);
	free(scene->object);
}

static const struct elf_stub one = {.build_id = "one-one-one", .tail = "1"},
			     two = {.build_id = "two-two-two", .tail = "2"};

static void expect_opened(const struct scene *scene, const char *tail)
{
	char text[ELF_STUB_BYTES];

	if (scene->error)
		fail_msg("not opened: %s", strerror(-scene->error));
	assert_true(scene->file.key != 0);
	ssize_t n = pread(scene->opened.binary, text, sizeof(text), 0);
	assert_true(n > 0);
	assert_int_equal(text[n - 1], tail[0]);
}

static void expect_why(const struct scene *scene, const char *why)
{
	assert_true(scene->error < 0);
	assert_string_equal(code_file_why(scene->error, scene->object->name, false), why);
	assert_int_equal(scene->opened.binary, -1);
	assert_int_equal(scene->opened.debug, -1);
}

static void a_library_is_below_the_root_of_its_process(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, false);
	elf_stub_write(&one, rooted_path(&scene.rooted, ROOT "/usr/lib/a.so"));
	rooted_folders(&scene.rooted, "/usr/lib/x");
	elf_stub_write(&two, rooted_path(&scene.rooted, "/usr/lib/a.so"));
	map(&scene, "/usr/lib/a.so", ROOT "/usr/lib/a.so");
	open_mapping(&scene);
	expect_opened(&scene, "1");
	/* The same file again is the same one. */
	struct mapped_file_descriptors again;
	struct mapped_file same;
	assert_int_equal(mapped_files_open(scene.files, 7, &scene.mapping, 0, &same, &again), 0);
	assert_true(same.key == scene.file.key);
	mapped_files_close(scene.files, &again);
	end(&scene);
}

static void a_program_is_its_link(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, false);
	/* Below the root of the process there is no such path. */
	elf_stub_write(&one, rooted_path(&scene.rooted, "/inner/usr/prog"));
	rooted_link(&scene.rooted, "/proc/7/exe", "/inner/usr/prog");
	map(&scene, "/inner/usr/prog", "/inner/usr/prog");
	open_mapping(&scene);
	expect_opened(&scene, "1");
	end(&scene);
	begin(&scene, false);
	elf_stub_write(&one, rooted_path(&scene.rooted, "/inner/usr/prog"));
	elf_stub_write(&two, rooted_path(&scene.rooted, "/inner/usr/lib/a.so"));
	rooted_link(&scene.rooted, "/proc/7/exe", "/inner/usr/prog");
	map(&scene, "/usr/lib/a.so", ROOT "/usr/lib/a.so"); /* not the program */
	open_mapping(&scene);
	expect_opened(&scene, "2");
	end(&scene);
}

static void map_files_has_deleted_ones(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, false);
	elf_stub_write(&one, rooted_path(&scene.rooted, "/gone"));
	rooted_folders(&scene.rooted, "/proc/7/map_files/x");
	rooted_link(&scene.rooted, "/proc/7/map_files/1000-3000", "/gone");
	map(&scene, "/usr/lib/a.so (deleted)", "/gone");
	open_mapping(&scene);
	expect_opened(&scene, "1");
	end(&scene);
}

/* What stands at the path, and what the mapping has. */
struct row {
	const char *name;
	const char *mapped; /* its name */
	enum { NOTHING, SAME, SAME_INODE, OTHER, FIFO, FOLDER, DEVICE_LINK } there;
	const char *id;  /* of the record, NULL: none */
	const char *why; /* NULL: it is opened */
};

static const struct row rows[] = {
	{"same", "/usr/lib/a.so", SAME, NULL, NULL},
	{"same, with its build id", "/usr/lib/a.so", SAME, "one-one-one", NULL},
	{"same inode, other build id", "/usr/lib/a.so", SAME, "two-two-two",
	 "replaced by another file"},
	{"other device, as btrfs", "/usr/lib/a.so", SAME_INODE, NULL, NULL},
	{"other inode", "/usr/lib/a.so", OTHER, NULL, "replaced by another file"},
	{"other inode, its build id", "/usr/lib/a.so", OTHER, "one-one-one", NULL},
	{"nothing", "/usr/lib/a.so", NOTHING, NULL, "not found"},
	{"deleted", "/usr/lib/a.so (deleted)", NOTHING, NULL, "deleted"},
	{"deleted, an equal one there", "/usr/lib/a.so (deleted)", OTHER, "one-one-one", NULL},
	{"deleted, another one there", "/usr/lib/a.so (deleted)", OTHER, "two-two-two", "deleted"},
	{"FIFO", "/usr/lib/a.so", FIFO, NULL, "no regular file"},
	{"folder", "/usr/lib/a.so", FOLDER, NULL, "no regular file"},
	{"link to a device", "/usr/lib/a.so", DEVICE_LINK, NULL, "no regular file"},
	{"no path", "anon_inode:[x]", NOTHING, NULL, "not found"},
};

static void put_there(struct scene *scene, const struct row *row)
{
	const char *path = rooted_path(&scene->rooted, ROOT "/usr/lib/a.so");

	if (row->there == SAME || row->there == SAME_INODE || row->there == OTHER)
		elf_stub_write(&one, path);
	else if (row->there == FIFO)
		assert_int_equal(mkfifo(path, 0600), 0);
	else if (row->there == FOLDER)
		assert_int_equal(mkdir(path, 0700), 0);
	else if (row->there == DEVICE_LINK)
		assert_int_equal(symlink("/dev/zero", path), 0);
	map(scene, row->mapped, row->there == NOTHING ? NULL : ROOT "/usr/lib/a.so");
	if (row->there == SAME_INODE)
		scene->object->dev++;
	if (row->there == OTHER || row->there == NOTHING)
		scene->object->inode += 12345;
	if (row->id) {
		scene->object->build_id.size = (uint8_t)strlen(row->id);
		memcpy(scene->object->build_id.bytes, row->id, strlen(row->id));
	}
}

static void a_mapping_has_its_file_or_a_reason(void **state)
{
	const struct row *row = *state;
	struct scene scene;

	begin(&scene, false);
	put_there(&scene, row);
	open_mapping(&scene);
	if (row->why)
		expect_why(&scene, row->why);
	else
		expect_opened(&scene, "1");
	end(&scene);
}

static void an_error_that_passes_is_no_reason(void **state)
{
	static const struct {
		int error;
		const char *why; /* NULL: later */
	} errors[] = {{-EMFILE, NULL},        {-ENFILE, NULL},
		      {-ENOMEM, NULL},        {-EACCES, "permission"},
		      {-EPERM, "permission"}, {-ESRCH, "the process has ended"},
		      {-ELOOP, "not found"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct scene scene;

		begin(&scene, false);
		elf_stub_write(&one, rooted_path(&scene.rooted, ROOT "/usr/lib/a.so"));
		map(&scene, "/usr/lib/a.so", ROOT "/usr/lib/a.so");
		scene.rooted.open_error = errors[i].error;
		open_mapping(&scene);
		if (errors[i].why)
			expect_why(&scene, errors[i].why);
		else
			assert_null(code_file_why(scene.error, scene.object->name, false));
		end(&scene);
	}
}

static void files_of_one_build_are_one(void **state)
{
	static const struct elf_stub none = {.tail = "1"};
	static const struct {
		const struct elf_stub *first, *second;
		bool same;
	} pairs[] = {{&one, &one, true}, {&one, &two, false}, {&none, &none, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct scene scene;
		struct mapped_file_descriptors other;

		begin(&scene, false);
		elf_stub_write(pairs[i].first, rooted_path(&scene.rooted, ROOT "/usr/lib/a.so"));
		elf_stub_write(pairs[i].second, rooted_path(&scene.rooted, ROOT "/usr/lib/b.so"));
		map(&scene, "/usr/lib/a.so", ROOT "/usr/lib/a.so");
		open_mapping(&scene);
		map(&scene, "/usr/lib/b.so", ROOT "/usr/lib/b.so");
		struct mapped_file second;
		assert_int_equal(
			mapped_files_open(scene.files, 7, &scene.mapping, 0, &second, &other), 0);
		assert_int_equal(second.key == scene.file.key, pairs[i].same);
		mapped_files_close(scene.files, &other);
		end(&scene);
	}
}

static void a_file_of_another_user_has_another_key(void **state)
{
	struct scene scene;
	struct mapped_file_descriptors other;

	(void)state;
	need_chown();
	begin(&scene, false);
	elf_stub_write(&one, rooted_path(&scene.rooted, ROOT "/usr/lib/a.so"));
	elf_stub_write(&one, rooted_path(&scene.rooted, ROOT "/usr/lib/b.so"));
	assert_int_equal(chown(rooted_path(&scene.rooted, ROOT "/usr/lib/b.so"), 12345, 54321), 0);
	map(&scene, "/usr/lib/a.so", ROOT "/usr/lib/a.so");
	open_mapping(&scene);
	map(&scene, "/usr/lib/b.so", ROOT "/usr/lib/b.so");
	struct mapped_file second;
	assert_int_equal(mapped_files_open(scene.files, 7, &scene.mapping, 0, &second, &other), 0);
	assert_true(second.key != scene.file.key);
	mapped_files_close(scene.files, &other);
	end(&scene);
}

/* "one-one-one" in hexadecimal. */
#define DEBUG_PATH "/usr/lib/debug/.build-id/6f/6e652d6f6e652d6f6e65.debug"

static const struct debug_row {
	const char *name, *link, *path;
	bool same; /* it has the build id of the binary */
	bool found;
} debug_rows[] = {
	{"none", NULL, "/elsewhere/x", true, false},
	{"of this machine", NULL, DEBUG_PATH, true, true},
	{"of the container", NULL, ROOT DEBUG_PATH, true, true},
	{"of another build", NULL, DEBUG_PATH, false, false},
	{"a link, beside it", "a.debug", ROOT "/usr/lib/a.debug", true, true},
	{"a link, in .debug", "a.debug", ROOT "/usr/lib/.debug/a.debug", true, true},
	{"a link, in /usr/lib/debug", "a.debug", ROOT "/usr/lib/debug/usr/lib/a.debug", true, true},
	{"a link, of another build", "a.debug", ROOT "/usr/lib/a.debug", false, false},
	{"a link to nothing", "a.debug", "/elsewhere/x", true, false},
	{"a link to itself", "a.so", "/elsewhere/x", true, true},
};

static void a_debug_file_has_the_same_build_id(void **state)
{
	const struct debug_row *row = *state;
	const struct elf_stub binary = {
		.build_id = one.build_id, .debug_link = row->link, .tail = "1"};
	struct scene scene;

	begin(&scene, false);
	elf_stub_write(&binary, rooted_path(&scene.rooted, ROOT "/usr/lib/a.so"));
	rooted_folders(&scene.rooted, row->path);
	elf_stub_write(row->same ? &one : &two, rooted_path(&scene.rooted, row->path));
	map(&scene, "/usr/lib/a.so", ROOT "/usr/lib/a.so");
	open_mapping(&scene);
	expect_opened(&scene, "1");
	assert_int_equal(scene.opened.debug >= 0, row->found);
	end(&scene);
}

static void a_recording_needs_the_build(void **state)
{
	static const struct {
		const char *id;
		bool opened;
	} ids[] = {{"one-one-one", true}, {"two-two-two", false}, {NULL, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		struct scene scene;

		begin(&scene, true);
		rooted_folders(&scene.rooted, "/usr/lib/x");
		elf_stub_write(&one, rooted_path(&scene.rooted, "/usr/lib/a.so"));
		map(&scene, "/usr/lib/a.so", "/usr/lib/a.so");
		scene.object->dev += 7; /* of another machine */
		if (ids[i].id) {
			scene.object->build_id.size = (uint8_t)strlen(ids[i].id);
			memcpy(scene.object->build_id.bytes, ids[i].id, strlen(ids[i].id));
		}
		open_mapping(&scene);
		if (ids[i].opened)
			expect_opened(&scene, "1");
		else
			assert_int_equal(scene.error, -ESTALE);
		end(&scene);
	}
}

static void the_vdso_is_that_of_this_process(void **state)
{
	uint64_t address = getauxval(AT_SYSINFO_EHDR);
	struct scene scene;

	(void)state;
	if (!address) {
		print_message("# skipped: this machine has no vDSO\n");
		skip();
	}
	begin(&scene, false);
	map(&scene, "[vdso]", NULL);
	scene.mapping.start = address;
	scene.mapping.end = address + 4096;
	open_mapping(&scene);
	assert_int_equal(scene.error, 0);
	assert_true(scene.file.key != 0);
	char text[4];
	assert_int_equal(pread(scene.opened.binary, text, 4, 0), 4);
	assert_memory_equal(text,
			    "\x7f"
			    "ELF",
			    4);
	/* symbol_message_give() takes no other one. */
	assert_int_equal(fcntl(scene.opened.binary, F_GETFL) & O_ACCMODE, O_RDONLY);
	end(&scene);
}

static void keep_stage(void *ctx, enum mapped_file_stage stage)
{
	unsigned *stages = ctx;

	*stages |= 1u << stage;
}

/* A stage that is skipped is not entered: its mount may hang. */
static void a_skipped_stage_is_not_entered(void **state)
{
	const unsigned here = 1u << MAPPED_FILE_DEBUG_HERE, there = 1u << MAPPED_FILE_THERE;
	const struct {
		unsigned skipped, entered;
		bool debug;
	} rows_of_stages[] = {
		{0, here | there, true},
		{here, there, true},
		{there, here, false},
		{here | there, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows_of_stages); i++) {
		struct scene scene;
		unsigned entered = 0;

		begin(&scene, false);
		free(scene.files);
		scene.files = mapped_files_new(&(struct mapped_files_config){
			.sys = &scene.rooted.sys, .enter = keep_stage, .ctx = &entered});
		elf_stub_write(&one, rooted_path(&scene.rooted, ROOT "/usr/lib/a.so"));
		rooted_folders(&scene.rooted, ROOT DEBUG_PATH);
		elf_stub_write(&one, rooted_path(&scene.rooted, ROOT DEBUG_PATH));
		map(&scene, "/usr/lib/a.so", ROOT "/usr/lib/a.so");
		scene.error =
			mapped_files_open(scene.files, 7, &scene.mapping, rows_of_stages[i].skipped,
					  &scene.file, &scene.opened);
		expect_opened(&scene, "1");
		assert_int_equal(scene.opened.debug >= 0, rows_of_stages[i].debug);
		assert_int_equal(entered, rows_of_stages[i].entered);
		end(&scene);
	}
}

int main(void)
{
	const struct cases tables[] = {CASES(a_mapping_has_its_file_or_a_reason, rows),
				       CASES(a_debug_file_has_the_same_build_id, debug_rows)};
	const struct CMUnitTest others[] = {
		cmocka_unit_test(a_library_is_below_the_root_of_its_process),
		cmocka_unit_test(a_program_is_its_link),
		cmocka_unit_test(map_files_has_deleted_ones),
		cmocka_unit_test(an_error_that_passes_is_no_reason),
		cmocka_unit_test(files_of_one_build_are_one),
		cmocka_unit_test(a_file_of_another_user_has_another_key),
		cmocka_unit_test(a_recording_needs_the_build),
		cmocka_unit_test(a_skipped_stage_is_not_entered),
		cmocka_unit_test(the_vdso_is_that_of_this_process),
	};

	return cases_run("mapped_file", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
