// SPDX-License-Identifier: MIT
/*
 * Files of a recording: by path below a folder and on this machine, by build id in each layout of
 * perf's cache, debug files alone, and names that must not be opened.
 */
#include "core/code/mapped_file.h"

#include "core/base/util.h"
#include "core/code/code_file.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/elf_image.h"
#include "tests/unit/shared/elf_stub.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/rooted.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID      "abcdefghijklmnopqrst"
#define HEX     "6162636465666768696a6b6c6d6e6f7071727374"
#define BELOW   "61/62636465666768696a6b6c6d6e6f7071727374"
#define OTHER   "ABCDEFGHIJKLMNOPQRST"
#define ID16    "abcdefghijklmnop"
#define BELOW16 "61/62636465666768696a6b6c6d6e6f70"
#define CACHE   "/home/u/.debug"
#define LIBRARY "/usr/lib/a.so"

enum { FILES_MAX = 3 };

struct file {
	const char *path;
	const char *id;   /* NULL: no ELF file */
	const char *link; /* a folder or file that this path is a link to; NULL: a file */
	char tail;
};

struct row {
	const char *name;
	const char *mapped, *id; /* id NULL: none */
	struct file files[FILES_MAX];
	char tail;       /* of the file that is opened; 0: none */
	char debug;      /* of the debug file; 0: none */
	const char *why; /* if none is opened */
	bool no_symfs, no_cache;
	size_t id_bytes; /* 0: strlen(id) */
};

static const struct row rows[] = {
	{"path below the folder", LIBRARY, ID, {{"/sym" LIBRARY, ID, NULL, '1'}}, '1'},
	{"file name in the folder", LIBRARY, ID, {{"/sym/a.so", ID, NULL, '1'}}, '1'},
	{"path on this machine", LIBRARY, ID, {{LIBRARY, ID, NULL, '1'}}, '1'},
	{"the folder comes first",
	 LIBRARY,
	 ID,
	 {{LIBRARY, ID, NULL, '1'}, {"/sym" LIBRARY, ID, NULL, '2'}},
	 '2'},
	{"another build in the folder",
	 LIBRARY,
	 ID,
	 {{LIBRARY, ID, NULL, '1'}, {"/sym" LIBRARY, OTHER, NULL, '2'}},
	 '1'},
	{"another build only",
	 LIBRARY,
	 ID,
	 {{LIBRARY, OTHER, NULL, '1'}, {"/sym" LIBRARY, OTHER, NULL, '2'}},
	 0,
	 0,
	 "not the recorded file"},
	{"no ELF file", LIBRARY, ID, {{LIBRARY, NULL, NULL, '1'}}, 0, 0, "not the recorded file"},
	{"nothing", LIBRARY, ID, {{0}}, 0, 0, "not found"},
	{"no folders", LIBRARY, ID, {{0}}, 0, 0, "not found", true, true},
	{"deleted", LIBRARY " (deleted)", ID, {{"/sym" LIBRARY, ID, NULL, '1'}}, '1'},
	{"deleted, nothing", LIBRARY " (deleted)", ID, {{0}}, 0, 0, "deleted"},
	{"no build id, path below the folder",
	 LIBRARY,
	 NULL,
	 {{"/sym" LIBRARY, OTHER, NULL, '1'}},
	 '1'},
	{"no build id, path on this machine",
	 LIBRARY,
	 NULL,
	 {{LIBRARY, ID, NULL, '1'}},
	 0,
	 0,
	 "not the recorded file"},
	{"zeros are no build id",
	 LIBRARY,
	 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
	 {{"/sym" LIBRARY, OTHER, NULL, '1'}},
	 '1',
	 .id_bytes = 20},
	{"cache", LIBRARY, ID, {{CACHE "/.build-id/" BELOW "/elf", ID, NULL, '1'}}, '1'},
	{"cache, by its link",
	 LIBRARY,
	 ID,
	 {{CACHE LIBRARY "/" HEX "/elf", ID, NULL, '1'},
	  {CACHE "/.build-id/" BELOW, NULL, CACHE LIBRARY "/" HEX}},
	 '1'},
	{"old cache",
	 LIBRARY,
	 ID,
	 {{CACHE LIBRARY "/" HEX, ID, NULL, '1'},
	  {CACHE "/.build-id/" BELOW, NULL, CACHE LIBRARY "/" HEX}},
	 '1'},
	{"cache, its file is another one",
	 LIBRARY,
	 ID,
	 {{CACHE "/.build-id/" BELOW "/elf", OTHER, NULL, '1'}},
	 0,
	 0,
	 "not found"},
	{"cache, no ELF file",
	 LIBRARY,
	 ID,
	 {{CACHE "/.build-id/" BELOW "/elf", NULL, NULL, '1'}},
	 0,
	 0,
	 "not found"},
	{"archive", LIBRARY, ID, {{"/sym/.build-id/" BELOW "/elf", ID, NULL, '1'}}, '1'},
	{"cache in the folder",
	 LIBRARY,
	 ID,
	 {{"/sym/.debug/.build-id/" BELOW "/elf", ID, NULL, '1'}},
	 '1'},
	{"vDSO", "[vdso]", ID, {{CACHE "/.build-id/" BELOW "/vdso", ID, NULL, '1'}}, '1'},
	{"vDSO, by its link",
	 "[vdso]",
	 ID,
	 {{CACHE "/[vdso]/" HEX "/vdso", ID, NULL, '1'},
	  {CACHE "/.build-id/" BELOW, NULL, CACHE "/[vdso]/" HEX}},
	 '1'},
	{"another vDSO", "[vdso]", ID, {{0}}, 0, 0, "not found"},
	{"16 bytes, recorded as 20",
	 LIBRARY,
	 ID16 "\0\0\0",
	 {{CACHE "/.build-id/" BELOW16 "/elf", ID16, NULL, '1'}},
	 '1',
	 .id_bytes = 20},
	{"16 bytes, stored as 20",
	 LIBRARY,
	 ID16,
	 {{CACHE "/.build-id/" BELOW16 "00000000/elf", ID16, NULL, '1'}},
	 '1'},
	{"24 bytes, cut", LIBRARY, ID, {{LIBRARY, ID "uvwx", NULL, '1'}}, '1'},
	{"16 bytes, of 20",
	 LIBRARY,
	 ID16,
	 {{LIBRARY, ID, NULL, '1'}},
	 0,
	 0,
	 "not the recorded file"},
	{"debug file of the folder",
	 LIBRARY,
	 ID,
	 {{LIBRARY, ID, NULL, '1'},
	  {"/sym/usr/lib/debug/.build-id/" BELOW ".debug", ID, NULL, '2'}},
	 '1',
	 '2'},
	{"debug file of the cache",
	 LIBRARY,
	 ID,
	 {{"/sym" LIBRARY, ID, NULL, '1'}, {CACHE "/.build-id/" BELOW "/debug", ID, NULL, '2'}},
	 '1',
	 '2'},
	{"debug file of this machine",
	 LIBRARY,
	 ID,
	 {{"/sym" LIBRARY, ID, NULL, '1'},
	  {"/usr/lib/debug/.build-id/" BELOW ".debug", ID, NULL, '2'}},
	 '1',
	 '2'},
	{"debug file of another build",
	 LIBRARY,
	 ID,
	 {{LIBRARY, ID, NULL, '1'}, {"/usr/lib/debug/.build-id/" BELOW ".debug", OTHER, NULL, '2'}},
	 '1'},
	{"debug file alone",
	 LIBRARY,
	 ID,
	 {{"/usr/lib/debug/.build-id/" BELOW ".debug", ID, NULL, '2'}},
	 '2'},
	{"debug file alone, of the cache",
	 LIBRARY,
	 ID,
	 {{CACHE "/.build-id/" BELOW "/debug", ID, NULL, '2'}},
	 '2'},
	{"no path", "anon_inode:[x]", ID, {{CACHE "/.build-id/" BELOW "/elf", ID, NULL, '1'}}, '1'},
	{"out of the folder",
	 "/../secret",
	 ID,
	 {{"/secret", ID, NULL, '1'}, {"/sym/x", ID, NULL, '2'}},
	 0,
	 0,
	 "not found"},
	{"out of the folder, below",
	 "/usr/../../secret",
	 NULL,
	 {{"/secret", ID, NULL, '1'}, {"/sym/usr/x", ID, NULL, '2'}},
	 0,
	 0,
	 "not found"},
	{"up at the end", "/usr/..", NULL, {{"/sym/usr/x", ID, NULL, '2'}}, 0, 0, "not found"},
	{"a dot", "/./" LIBRARY, ID, {{LIBRARY, ID, NULL, '1'}}, 0, 0, "not found"},
	{"dots in a name", "/..a/b..", NULL, {{"/sym/..a/b..", OTHER, NULL, '1'}}, '1'},
	{"a relative name", "../secret", NULL, {{"/secret", ID, NULL, '1'}}, 0, 0, "not found"},
	{"of the kernel", "/proc/secret", ID, {{"/proc/secret", ID, NULL, '1'}}, 0, 0, "not found"},
	{"of the kernel, two slashes",
	 "//sys/secret",
	 ID,
	 {{"/sys/secret", ID, NULL, '1'}},
	 0,
	 0,
	 "not found"},
	{"of the kernel, below the folder",
	 "/dev/secret",
	 ID,
	 {{"/sym/dev/secret", ID, NULL, '1'}},
	 '1'},
	{"no name", "", ID, {{0}}, 0, 0, "not found"},
};

static void write_files(const struct rooted *rooted, const struct row *row)
{
	for (size_t i = 0; i < FILES_MAX && row->files[i].path; i++) {
		const struct file *file = &row->files[i];
		const char tail[] = {file->tail, '\0'};

		rooted_folders(rooted, file->path);
		if (file->link)
			rooted_link(rooted, file->path, file->link);
		else if (file->id)
			elf_stub_write(&(struct elf_stub){.build_id = file->id, .tail = tail},
				       rooted_path(rooted, file->path));
		else
			rooted_text(rooted, file->path, "no ELF file");
	}
}

static struct code_object *new_object(const char *name, const char *id, size_t id_size)
{
	struct code_object *object = xcalloc(1, sizeof(*object) + strlen(name) + 1);

	object->inode = 12345; /* of another machine */
	if (id) {
		object->build_id.size = (uint8_t)id_size;
		memcpy(object->build_id.bytes, id, id_size);
	}
	memcpy(object->name, name, strlen(name) + 1);
	return object;
}

static char last_byte(int fd)
{
	char byte = '?';
	off_t size = lseek(fd, 0, SEEK_END);

	assert_int_equal(pread(fd, &byte, 1, size - 1), 1);
	return byte;
}

static void a_file_is_found(void **state)
{
	const struct row *row = *state;
	struct mapped_file_descriptors opened;
	struct rooted rooted;

	rooted_init(&rooted);
	write_files(&rooted, row);
	struct mapped_files *files = mapped_files_new(&(struct mapped_files_config){
		.sys = &rooted.sys,
		.recording = true,
		.symfs = row->no_symfs ? NULL : "/sym",
		.build_id_cache = row->no_cache ? NULL : CACHE,
	});
	size_t size = row->id_bytes || !row->id ? row->id_bytes : strlen(row->id);
	struct code_object *object = new_object(row->mapped, row->id, size);
	const struct code_mapping mapping = {0x1000, 0x3000, 0, object};
	struct mapped_file file;
	int rc = mapped_files_open(files, 7, &mapping, 0, &file, &opened);

	if (row->tail) {
		if (rc)
			fail_msg("not opened: %s", strerror(-rc));
		assert_true(file.key != 0);
		assert_int_equal(last_byte(opened.binary), row->tail);
		assert_int_equal(opened.debug >= 0, row->debug != 0);
		if (row->debug)
			assert_int_equal(last_byte(opened.debug), row->debug);
	} else {
		assert_string_equal(code_file_why(rc, row->mapped, true), row->why);
		assert_int_equal(opened.binary, -1);
	}
	mapped_files_close(files, &opened);
	free(files);
	free(object);
	assert_int_equal(rooted.opened, 0);
	rooted_fini(&rooted);
}

/* The segment of the code is at its address in a page, however large pages were. */
struct place_row {
	const char *name;
	uint64_t code_address, code_align, offset, want; /* of the mapping's first byte */
};

static const struct place_row place_rows[] = {
	{"page", 0x1000, 0x1000, 0x1000, 0x1000},
	{"first page", 0, 0x1000, 0, 0},
	{"in a page", 0x401040, 0x1000, 0x1000, 0x401000},
	{"other offset, as lld", 0x202340, 0x1000, 0x1000, 0x202000},
	{"2 MiB", 0x401040, 0x200000, 0x1000, 0x401000},
	{"64 KiB in 4 KiB", 0x21040, 0x10000, 0x1000, 0x21000},
	{"64 KiB in 64 KiB", 0x21040, 0x10000, 0, 0x20000},
	{"no alignment", 0x401040, 0, 0x1000, 0x401000},
};

static void a_debug_file_has_addresses(void **state)
{
	const struct place_row *row = *state;
	const struct code_file file = {.no_offsets = true,
				       .code_address = row->code_address,
				       .code_align = row->code_align};
	const struct code_mapping mapping = {0x7f0000000000, 0x7f0000003000, row->offset, NULL};

	assert_int_equal(code_file_place(&file, &mapping, 0x7f0000000000), row->want);
	assert_int_equal(code_file_place(&file, &mapping, 0x7f0000001234), row->want + 0x1234);
}

/* Opens and closes the file of a mapping. *error is the error of the search. */
static struct mapped_file open_named(const struct rooted *rooted, const char *name, const char *id,
				     const char *symfs, int *error)
{
	struct mapped_files *files = mapped_files_new(&(struct mapped_files_config){
		.sys = &rooted->sys, .recording = true, .symfs = symfs, .build_id_cache = CACHE});
	struct code_object *object = new_object(name, id, id ? strlen(id) : 0);
	const struct code_mapping mapping = {0x1000, 0x3000, 0x1000, object};
	struct mapped_file_descriptors opened;
	struct mapped_file file;

	*error = mapped_files_open(files, 7, &mapping, 0, &file, &opened);
	mapped_files_close(files, &opened);
	free(files);
	free(object);
	return file;
}

static void a_debug_file_alone_has_no_offsets(void **state)
{
	const bool bare[] = {true, false};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bare); i++) {
		const char *path = "/usr/lib/debug/.build-id/" BELOW ".debug";
		struct elf_image image;
		struct rooted rooted;

		rooted_init(&rooted);
		elf_image_init(&image);
		image.is_bare = bare[i];
		elf_image_build_id(&image, ID);
		elf_image_end(&image);
		rooted_folders(&rooted, path);
		elf_image_write(&image, rooted_path(&rooted, path), '1');
		int error;
		struct mapped_file file = open_named(&rooted, LIBRARY, ID, NULL, &error);
		assert_int_equal(error, 0);
		assert_int_equal(file.no_offsets, bare[i]);
		assert_int_equal(file.code_address, bare[i] ? ELF_IMAGE_CODE : 0);
		assert_true(file.size > 1 << 30);
		elf_image_fini(&image);
		rooted_fini(&rooted);
	}
}

/* Neither is opened, and none blocks. */
static void hostile_names_and_files_are_harmless(void **state)
{
	struct rooted rooted;
	char name[5000];
	int error;

	(void)state;
	rooted_init(&rooted);
	rooted_folders(&rooted, "/sym/usr/x");
	assert_int_equal(mkfifo(rooted_path(&rooted, "/sym/usr/fifo"), 0600), 0);
	assert_int_equal(symlink("/dev/zero", rooted_path(&rooted, "/sym/usr/zero")), 0);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	name[0] = '/';
	const char *const names[] = {"/usr/fifo", "/usr/zero", "/usr", "/", "//", name, name + 1};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		open_named(&rooted, names[i], NULL, "/sym", &error);
		assert_true(error < 0);
	}
	/* A name that fits, below a folder whose name is as long. */
	name[4095] = '\0';
	open_named(&rooted, "/usr/a.so", ID, name, &error);
	assert_string_equal(code_file_why(error, "/usr/a.so", true), "not found");
	open_named(&rooted, name, ID, name, &error);
	assert_string_equal(code_file_why(error, name, true), "not found");
	assert_int_equal(rooted.opened, 0);
	rooted_fini(&rooted);
}

int main(void)
{
	const struct cases tables[] = {CASES(a_file_is_found, rows),
				       CASES(a_debug_file_has_addresses, place_rows)};
	const struct CMUnitTest others[] = {
		cmocka_unit_test(a_debug_file_alone_has_no_offsets),
		cmocka_unit_test(hostile_names_and_files_are_harmless),
	};

	return cases_run("mapped_file_recorded", tables, ARRAY_SIZE(tables), others,
			 ARRAY_SIZE(others));
}
