// SPDX-License-Identifier: MIT
/*
 * Functions of a recording: which text of /proc/kallsyms its kernel has and how far it is moved,
 * modules, names that the recording itself has, maps of compilers.
 */
#include "core/code/code_names.h"

#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/elf_image.h"
#include "tests/unit/shared/elf_stub.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/rooted.h"
#include "tests/unit/shared/symbol_double.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define NEVER UINT64_MAX
#define ID    "abcdefghijklmnopqrst"
#define HEX   "6162636465666768696a6b6c6d6e6f7071727374"
#define BELOW "61/62636465666768696a6b6c6d6e6f7071727374"
#define CACHE "/home/u/.debug"

/* The build id of /sys/kernel/notes behind a note of another kind. */
#define NOTES_BEFORE "\4\0\0\0\4\0\0\0\1\1\0\0Xen\0\0\0\0\0\4\0\0\0\24\0\0\0\3\0\0\0GNU\0"

static const char text[] = "ffffffff81000000 T _text\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000100 T do_a\n"
			   "ffffffff81000200 T do_b\n"
			   "ffffffffc0200000 t ext4_ioctl\t[ext4]\n"
			   "ffffffffc0300000 t bpf_prog_1\t[bpf]\n";
/* The same kernel in another boot. */
static const char moved[] = "ffffffff91000000 T _text\n"
			    "ffffffff91000000 T _stext\n"
			    "ffffffff91000100 T do_a\n"
			    "ffffffff91000200 T do_b\n"
			    "ffffffffc0200000 t ext4_ioctl\t[ext4]\n";
static const char hidden[] = "0000000000000000 T _text\n0000000000000000 t do_a\n";

struct scene {
	struct rooted rooted;
	struct symbol_double symbols;
	struct code_names *names;
};

static void begin(struct scene *scene)
{
	*scene = (struct scene){.rooted = {.now_ns = 0}};
	rooted_init(&scene->rooted);
}

static void begin_names(struct scene *scene, const struct code_recorded_names *recorded)
{
	scene->names = code_names_new(&(struct code_names_config){
		.sys = &scene->rooted.sys,
		.recording = true,
		.symfs = "/sym",
		.build_id_cache = CACHE,
		.recorded = recorded ? *recorded : (struct code_recorded_names){.find = NULL},
		.helpers = symbol_double(&scene->symbols,
					 &(struct mapped_files_config){
						 .sys = &scene->rooted.sys,
						 .recording = true,
						 .symfs = "/sym",
						 .build_id_cache = CACHE,
					 }),
	});
}

static void end(struct scene *scene)
{
	code_names_free(scene->names);
	symbol_double_fini(&scene->symbols);
	assert_int_equal(scene->rooted.opened, 0);
	rooted_fini(&scene->rooted);
}

static void map_kernel(const struct scene *scene, const char *name, uint64_t start, uint64_t end,
		       uint64_t offset, const char *id)
{
	struct code_build_id build_id = {.size = 0};

	if (id) {
		build_id.size = (uint8_t)strlen(id);
		memcpy(build_id.bytes, id, strlen(id));
	}
	code_names_map_kernel(
		scene->names,
		&(struct proc_mapping){.start = start, .end = end, .offset = offset, .name = name},
		&build_id);
}

static uint32_t resolve(const struct scene *scene, pid_t pid, uint64_t address, bool kernel)
{
	struct code_place place = {.pid = pid, .kernel = kernel, .address = address};

	code_names_resolve(scene->names, &place, 1, NEVER);
	return place.id;
}

/* "module name" of one address. */
static void expect(const struct scene *scene, pid_t pid, uint64_t address, bool kernel,
		   const char *want)
{
	const struct code_function *function =
		code_names_function(scene->names, resolve(scene, pid, address, kernel));
	char name[512];

	assert_non_null(function);
	snprintf(name, sizeof(name), "%s %s", function->module, function->name);
	assert_string_equal(name, want);
}

/* The kernel */

struct kernel_row {
	const char *name;
	const char *path, *content;
	const char *id, *reference; /* of the recording */
	uint64_t at;                /* address of the reference */
	uint64_t address;
	const char *want;
	const char *own_id; /* of this machine's kernel; NULL: ID */
	const char *why;    /* a part of the note; NULL: none */
};

#define TEXT_AT 0xffffffff81000000

static const struct kernel_row kernel_rows[] = {
	{"folder, proc", "/sym/proc/kallsyms", text, ID, "_text", TEXT_AT, 0xffffffff81000110,
	 "[kernel] do_a"},
	{"folder", "/sym/kallsyms", text, ID, "_stext", TEXT_AT, 0xffffffff81000110,
	 "[kernel] do_a"},
	{"folder, no build id", "/sym/kallsyms", text, NULL, "_text", TEXT_AT, 0xffffffff81000110,
	 "[kernel] do_a"},
	{"folder, no reference", "/sym/kallsyms", text, NULL, "", 0, 0xffffffff81000110,
	 "[kernel] do_a"},
	{"folder, moved", "/sym/kallsyms", moved, ID, "_text", TEXT_AT, 0xffffffff81000110,
	 "[kernel] do_a"},
	{"moved up", "/sym/kallsyms", text, ID, "_text", 0xffffffff91000000, 0xffffffff91000210,
	 "[kernel] do_b"},
	{"another reference", "/sym/kallsyms", text, ID, "_start", TEXT_AT, 0xffffffff81000110,
	 "[kernel] [kernel]", NULL, "does not state"},
	{"cache", CACHE "/[kernel.kallsyms]/" HEX "/kallsyms", text, ID, "_text", TEXT_AT,
	 0xffffffff81000110, "[kernel] do_a"},
	{"old cache", CACHE "/[kernel.kallsyms]/" HEX, text, ID, "_text", TEXT_AT,
	 0xffffffff81000110, "[kernel] do_a"},
	{"cache, by its link", CACHE "/.build-id/" BELOW "/kallsyms", text, ID, "_text", TEXT_AT,
	 0xffffffff81000110, "[kernel] do_a"},
	{"archive", "/sym/[kernel.kallsyms]/" HEX "/kallsyms", text, ID, "_text", TEXT_AT,
	 0xffffffff81000110, "[kernel] do_a"},
	{"cache in the folder", "/sym/.debug/.build-id/" BELOW "/kallsyms", text, ID, "_text",
	 TEXT_AT, 0xffffffff81000110, "[kernel] do_a"},
	{"cache, moved", CACHE "/[kernel.kallsyms]/" HEX "/kallsyms", moved, ID, "_text", TEXT_AT,
	 0xffffffff81000110, "[kernel] do_a"},
	{"cache, no reference", CACHE "/[kernel.kallsyms]/" HEX "/kallsyms", text, ID, "", 0,
	 0xffffffff81000110, "[kernel] [kernel]", NULL, "does not state"},
	{"cache of another build", CACHE "/[kernel.kallsyms]/" HEX "/kallsyms", text,
	 "ABCDEFGHIJKLMNOPQRST", "_text", TEXT_AT, 0xffffffff81000110, "[kernel] [kernel]", NULL,
	 "build id 4142434445464748494a4b4c4d4e4f5051525354"},
	{"this machine", "/proc/kallsyms", text, ID, "_text", TEXT_AT, 0xffffffff81000110,
	 "[kernel] do_a"},
	{"this machine, moved", "/proc/kallsyms", moved, ID, "_text", TEXT_AT, 0xffffffff81000110,
	 "[kernel] do_a"},
	{"this machine, another kernel", "/proc/kallsyms", text, ID, "_text", TEXT_AT,
	 0xffffffff81000110, "[kernel] [kernel]", "ABCDEFGHIJKLMNOPQRST", "build id 6162"},
	{"this machine, no build id", "/proc/kallsyms", text, NULL, "_text", TEXT_AT,
	 0xffffffff81000110, "[kernel] [kernel]", NULL, "build id unknown"},
	{"hidden", "/sym/kallsyms", hidden, ID, "_text", TEXT_AT, 0xffffffff81000110,
	 "[kernel] [kernel]", NULL, "has no addresses"},
	{"no text", "/sym/kallsyms", "\177ELF\1\2\3", ID, "_text", TEXT_AT, 0xffffffff81000110,
	 "[kernel] [kernel]", NULL, "not here"},
	{"module", "/sym/kallsyms", text, ID, "_text", TEXT_AT, 0xffffffffc0200010,
	 "[ext4] ext4_ioctl"},
	{"module of another boot", "/sym/kallsyms", moved, ID, "_text", TEXT_AT, 0xffffffffc0200010,
	 "[kernel] [kernel]"},
	{"BPF", "/sym/kallsyms", text, ID, "_text", TEXT_AT, 0xffffffffc0300010,
	 "[bpf] bpf_prog_1"},
};

static void write_notes(const struct rooted *rooted, const char *id)
{
	char bytes[sizeof(NOTES_BEFORE) - 1 + 20];

	memcpy(bytes, NOTES_BEFORE, sizeof(NOTES_BEFORE) - 1);
	memcpy(bytes + sizeof(NOTES_BEFORE) - 1, id, 20);
	rooted_text(rooted, "/sys/kernel/notes", "");
	int fd = open(rooted_path(rooted, "/sys/kernel/notes"), O_WRONLY);
	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	close(fd);
}

static void a_kernel_has_its_own_symbols(void **state)
{
	const struct kernel_row *row = *state;
	struct scene scene;
	char name[64];

	begin(&scene);
	rooted_text(&scene.rooted, row->path, row->content);
	write_notes(&scene.rooted, row->own_id ? row->own_id : ID);
	begin_names(&scene, NULL);
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", row->reference);
	map_kernel(&scene, name, row->at, row->at + 0x1000000, row->at, row->id);
	expect(&scene, 7, row->address, true, row->want);
	const char *why = kernel_symbols_why(code_names_kernel(scene.names));
	if (row->why) {
		assert_non_null(why);
		if (!strstr(why, row->why))
			fail_msg("no '%s' in: %s", row->why, why);
	} else {
		assert_null(why);
	}
	end(&scene);
}

/* A recording without a build id of its kernel: when this machine's file is the same. */
#define END_AT 0xffffffff81200b08

static const char with_end[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000100 T do_a\n"
			       "ffffffff81000200 T do_b\n"
			       "ffffffff81200b08 T _etext\n"
			       "ffffffffc0200000 t ext4_ioctl\t[ext4]\n"
			       "ffffffffc0200100 t _etext\t[ext4]\n";

static const char two_modules[] = "ext4 4096 1 - Live 0xffffffffc0200000\n"
				  "nf_nat 4096 0 - Live 0xffffffffc0300000 (OE)\n";

struct unidentified_row {
	const char *name;
	const char *release; /* of the recording */
	uint64_t moved;      /* by how much its kernel is */
	uint64_t end;        /* of its kernel */
	const char *loaded;  /* /proc/modules; NULL: there is none */
	struct {
		const char *name;
		uint64_t start;
	} modules[2];         /* recorded */
	const char *kallsyms; /* NULL: with_end */
	const char *note;     /* a part of it; NULL: the kernel has no names */
};

static const struct unidentified_row unidentified_rows[] = {
	{"the same",
	 "6.1.0",
	 0,
	 END_AT,
	 NULL,
	 {{0}},
	 NULL,
	 "(6.1.0) and the addresses of the kernel are"},
	{"another release", "6.1.1", 0, END_AT, NULL, {{0}}, NULL, NULL},
	{"a longer release", "6.1.0-1", 0, END_AT, NULL, {{0}}, NULL, NULL},
	{"no release", "", 0, END_AT, NULL, {{0}}, NULL, NULL},
	{"a release that is not read", NULL, 0, END_AT, NULL, {{0}}, NULL, NULL},
	{"another boot", "6.1.0", 0x200000, END_AT + 0x200000, NULL, {{0}}, NULL, NULL},
	{"another build", "6.1.0", 0, END_AT + 0x40, NULL, {{0}}, NULL, NULL},
	{"the end of a module", "6.1.0", 0, 0xffffffffc0200100, NULL, {{0}}, NULL, NULL},
	{"all addresses, of an old perf", "6.1.0", 0, UINT64_MAX, NULL, {{0}}, NULL, "(6.1.0)"},
	{"modules",
	 "6.1.0",
	 0,
	 END_AT,
	 two_modules,
	 {{"/lib/modules/6.1.0/kernel/ext4.ko.xz", 0xffffffffc0200000},
	  {"/lib/modules/6.1.0/kernel/nf-nat.ko", 0xffffffffc0300000}},
	 NULL,
	 "kernel and of 2 modules are"},
	{"a module that is not loaded now",
	 "6.1.0",
	 0,
	 END_AT,
	 two_modules,
	 {{"[ext4]", 0xffffffffc0200000}, {"[gone]", 0xffffffffc0400000}},
	 NULL,
	 "and of 1 module are"},
	{"a module elsewhere",
	 "6.1.0",
	 0,
	 END_AT,
	 two_modules,
	 {{"[ext4]", 0xffffffffc0200000}, {"[nf_nat]", 0xffffffffc0400000}},
	 NULL,
	 NULL},
	{"no module of these",
	 "6.1.0",
	 0,
	 END_AT,
	 two_modules,
	 {{"[gone]", 0xffffffffc0400000}},
	 NULL,
	 NULL},
	{"no module now", "6.1.0", 0, END_AT, NULL, {{"[ext4]", 0xffffffffc0200000}}, NULL, NULL},
	{"hidden modules",
	 "6.1.0",
	 0,
	 END_AT,
	 "ext4 4096 1 - Live 0x0000000000000000\n",
	 {{"[ext4]", 0xffffffffc0200000}},
	 NULL,
	 NULL},
	{"up to the first module, of an old perf",
	 "6.1.0",
	 0,
	 0xffffffffc0200000,
	 two_modules,
	 {{"[ext4]", 0xffffffffc0200000}},
	 NULL,
	 "and of 1 module are"},
	{"hidden", "6.1.0", 0, END_AT, NULL, {{0}}, hidden, NULL},
};

static void a_kernel_without_build_id_may_be_this_one(void **state)
{
	const struct unidentified_row *row = *state;
	struct code_names_config config = {.recording = true, .release = row->release};
	struct scene scene;

	begin(&scene);
	rooted_text(&scene.rooted, "/proc/kallsyms", row->kallsyms ? row->kallsyms : with_end);
	rooted_text(&scene.rooted, "/proc/sys/kernel/osrelease", "6.1.0\n");
	if (row->loaded)
		rooted_text(&scene.rooted, "/proc/modules", row->loaded);
	write_notes(&scene.rooted, ID);
	config.sys = &scene.rooted.sys;
	config.helpers = symbol_double(
		&scene.symbols,
		&(struct mapped_files_config){.sys = &scene.rooted.sys, .recording = true});
	scene.names = code_names_new(&config);
	map_kernel(&scene, "[kernel.kallsyms]_text", TEXT_AT + row->moved, row->end,
		   TEXT_AT + row->moved, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(row->modules) && row->modules[i].name; i++)
		map_kernel(&scene, row->modules[i].name, row->modules[i].start,
			   row->modules[i].start + 0x1000, 0, NULL);
	expect(&scene, 7, TEXT_AT + row->moved + 0x110, true,
	       row->note ? "[kernel] do_a" : "[kernel] [kernel]");
	const char *note = code_names_kernel_note(scene.names);
	const char *why = kernel_symbols_why(code_names_kernel(scene.names));
	if (row->note) {
		assert_non_null(note);
		if (!strstr(note, row->note))
			fail_msg("no '%s' in: %s", row->note, note);
		assert_null(why);
	} else {
		assert_null(note);
		assert_non_null(why);
	}
	/* By these alone, a file with a build id is not this machine's. */
	map_kernel(&scene, "[kernel.kallsyms]_text", TEXT_AT + row->moved, row->end,
		   TEXT_AT + row->moved, "ABCDEFGHIJKLMNOPQRST");
	expect(&scene, 7, TEXT_AT + row->moved + 0x110, true, "[kernel] [kernel]");
	assert_null(code_names_kernel_note(scene.names));
	end(&scene);
}

static void unknown_addresses_of_the_kernel_are_one(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	rooted_text(&scene.rooted, "/proc/kallsyms", text);
	begin_names(&scene, NULL);
	uint32_t id = resolve(&scene, 7, 0xffffffff81000110, true);
	assert_int_equal(resolve(&scene, 8, 0xffffffff81200110, true), id);
	assert_string_equal(code_names_function(scene.names, id)->name, "[kernel]");
	assert_string_equal(code_names_why(scene.names, id), "no symbols of this kernel");
	kernel_symbols_record(code_names_kernel(scene.names), 0xffffffffc0000000, 16, "bpf_x");
	expect(&scene, 7, 0xffffffffc0000004, true, "[bpf] bpf_x");
	end(&scene);
}

/* Records of BPF programs come before and after the first sample, and before and after the kernel.
 */
static void records_name_functions_of_the_kernel(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	rooted_text(&scene.rooted, "/sym/kallsyms", text);
	begin_names(&scene, NULL);
	struct kernel_symbols *kernel = code_names_kernel(scene.names);
	kernel_symbols_record(kernel, 0xffffffffc0300000, 0x100, "bpf_prog_2");
	map_kernel(&scene, "[kernel.kallsyms]_text", TEXT_AT, TEXT_AT + 1, TEXT_AT, ID);
	map_kernel(&scene, "[ext4]", 0xffffffffc0200000, 0xffffffffc0800000, 0, NULL);
	expect(&scene, 7, 0xffffffffc0300010, true, "[bpf] bpf_prog_2");
	expect(&scene, 7, 0xffffffffc0200010, true, "[ext4] ext4_ioctl");
	kernel_symbols_record(kernel, 0xffffffffc0400000, 0x100, "bpf_prog_3");
	expect(&scene, 7, 0xffffffffc0400010, true, "[bpf] bpf_prog_3");
	map_kernel(&scene, "[kernel.kallsyms]_text", TEXT_AT, TEXT_AT + 1, TEXT_AT, "another");
	expect(&scene, 7, 0xffffffffc0300010, true, "[bpf] bpf_prog_2");
	/* Its samples are resolved later. */
	kernel_symbols_record(kernel, 0xffffffffc0300000, 0x100, NULL);
	expect(&scene, 7, 0xffffffffc0300010, true, "[bpf] bpf_prog_2");
	kernel_symbols_record(kernel, 0xffffffffc02fff00, 0x200, "bpf_prog_4");
	expect(&scene, 7, 0xffffffffc0300010, true, "[bpf] bpf_prog_4");
	kernel_symbols_record(kernel, 0xffffffffc02fff00, 0x200, NULL);
	expect(&scene, 7, 0xffffffffc0300010, true, "[bpf] bpf_prog_4");
	end(&scene);
}

/* The ELF file of a kernel */

struct image_row {
	const char *name;
	const char *path;
	const char *id, *reference; /* of the recording */
	uint64_t moved;             /* by that much */
	bool bare;                  /* a debug file */
	bool named;                 /* the function is found */
};

/* The code of the image has the function "v17" 0x100 behind its beginning: see symbol_double.h. */
static const struct image_row image_rows[] = {
	{"folder", "/sym/vmlinux", ID, "_text", 0, false, true},
	{"moved", "/sym/vmlinux", ID, "_text", 0x1e00000, false, true},
	{"moved down", "/sym/vmlinux", ID, "_text", -(uint64_t)0x100000, false, true},
	{"folder, no build id", "/sym/vmlinux", NULL, "_text", 0, false, true},
	{"another reference", "/sym/vmlinux", ID, "_stext", 0, false, false},
	{"no reference", "/sym/vmlinux", ID, "", 0, false, false},
	{"another build", "/sym/vmlinux", "ABCDEFGHIJKLMNOPQRST", "_text", 0, false, false},
	{"packages", "/sym/boot/vmlinux-6.1", ID, "_text", 0, false, true},
	{"packages of this machine", "/usr/lib/debug/boot/vmlinux-6.1", ID, "_text", 0, false,
	 true},
	{"no kernel's name", "/usr/lib/debug/boot/linux-6.1", ID, "_text", 0, false, false},
	{"modules", "/usr/lib/debug/lib/modules/6.1/vmlinux", ID, "_text", 0, false, true},
	{"sources", "/lib/modules/6.1/build/vmlinux", ID, "_text", 0, false, true},
	{"this machine, no build id", "/lib/modules/6.1/build/vmlinux", NULL, "_text", 0, false,
	 false},
	{"cache", CACHE "/.build-id/" BELOW "/vmlinux", ID, "_text", 0, false, true},
	{"cache, as any file", CACHE "/.build-id/" BELOW "/elf", ID, "_text", 0, false, true},
	{"archive", "/sym/.build-id/" BELOW "/elf", ID, "_text", 0, false, true},
	{"debug file", "/usr/lib/debug/.build-id/" BELOW ".debug", ID, "_text", 0x100000, true,
	 true},
	{"debug file in the folder", "/sym/usr/lib/debug/.build-id/" BELOW ".debug", ID, "_text", 0,
	 true, true},
};

static void write_image(const struct rooted *rooted, const char *path, bool bare, bool module)
{
	const struct elf_image_symbol symbols[] = {
		{"f", module ? 0 : ELF_IMAGE_CODE, 16, STT_FUNC, STB_GLOBAL}};
	struct elf_image image;

	elf_image_init(&image);
	image.is_bare = bare;
	image.is_module = module;
	elf_image_build_id(&image, ID);
	elf_image_symbols(&image, SHT_SYMTAB, symbols, ARRAY_SIZE(symbols));
	elf_image_end(&image);
	rooted_folders(rooted, path);
	elf_image_write(&image, rooted_path(rooted, path), 'v');
	elf_image_fini(&image);
}

static void an_elf_file_names_the_kernel(void **state)
{
	const struct image_row *row = *state;
	uint64_t start = ELF_IMAGE_CODE + row->moved, address = start + 0x110;
	const char *found = row->bare ? "[kernel] v16417" : "[kernel] v17";
	struct scene scene;
	char name[64];

	begin(&scene);
	write_image(&scene.rooted, row->path, row->bare, false);
	begin_names(&scene, NULL);
	scene.symbols.located = ELF_IMAGE_CODE;
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", row->reference);
	map_kernel(&scene, name, start, start + 0x10000, start, row->id);
	expect(&scene, 7, address, true, row->named ? found : "[kernel] [kernel]");
	if (row->named) {
		assert_null(kernel_symbols_why(code_names_kernel(scene.names)));
		assert_int_equal(code_names_find(scene.names, 7, address, true),
				 resolve(&scene, 7, address, true));
		assert_int_equal(scene.symbols.finds, 1);
		/* No segment has it. */
		expect(&scene, 7, address + 0x100000, true, "[kernel] [kernel]");
		expect(&scene, 7, address + 4, true, found);
	} else {
		assert_non_null(kernel_symbols_why(code_names_kernel(scene.names)));
	}
	end(&scene);
}

/* A child that does not answer leaves addresses for later, before the reference and behind it. */
static void a_late_child_names_the_kernel_later(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	write_image(&scene.rooted, "/sym/vmlinux", false, false);
	begin_names(&scene, NULL);
	scene.symbols.located = ELF_IMAGE_CODE;
	scene.symbols.silent = true;
	map_kernel(&scene, "[kernel.kallsyms]_text", ELF_IMAGE_CODE, UINT64_MAX, ELF_IMAGE_CODE,
		   ID);
	assert_int_equal(resolve(&scene, 7, ELF_IMAGE_CODE + 0x110, true), 0);
	scene.symbols.silent = false;
	expect(&scene, 7, ELF_IMAGE_CODE + 0x110, true, "[kernel] v17");
	scene.symbols.silent = true;
	assert_int_equal(resolve(&scene, 7, ELF_IMAGE_CODE + 0x210, true), 0);
	scene.symbols.silent = false;
	expect(&scene, 7, ELF_IMAGE_CODE + 0x210, true, "[kernel] v18");
	symbol_double_restart(&scene.symbols);
	expect(&scene, 7, ELF_IMAGE_CODE + 0x310, true, "[kernel] v19");
	end(&scene);
}

/* An ELF file that is opened late is no missing one. */
static void a_late_opener_names_the_kernel_later(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	write_image(&scene.rooted, "/sym/vmlinux", false, false);
	begin_names(&scene, NULL);
	scene.symbols.located = ELF_IMAGE_CODE;
	scene.symbols.open_error = -EAGAIN;
	map_kernel(&scene, "[kernel.kallsyms]_text", ELF_IMAGE_CODE, UINT64_MAX, ELF_IMAGE_CODE,
		   ID);
	assert_int_equal(resolve(&scene, 7, ELF_IMAGE_CODE + 0x110, true), 0);
	scene.symbols.open_error = 0;
	expect(&scene, 7, ELF_IMAGE_CODE + 0x110, true, "[kernel] v17");
	symbol_double_restart(&scene.symbols);
	scene.symbols.open_error = -EAGAIN;
	assert_int_equal(resolve(&scene, 7, ELF_IMAGE_CODE + 0x310, true), 0);
	scene.symbols.open_error = 0;
	expect(&scene, 7, ELF_IMAGE_CODE + 0x310, true, "[kernel] v19");
	end(&scene);
}

/* A module that the text does not have, and its file. */
static void a_file_names_a_module(void **state)
{
	static const char path[] = "/lib/modules/6.1/kernel/net/wg-x.ko";
	struct scene scene;

	(void)state;
	begin(&scene);
	rooted_text(&scene.rooted, "/sym/kallsyms", moved);
	write_image(&scene.rooted, path, false, true);
	begin_names(&scene, NULL);
	map_kernel(&scene, "[kernel.kallsyms]_text", TEXT_AT, TEXT_AT + 1, TEXT_AT, ID);
	map_kernel(&scene, path, 0xffffffffc0200000, 0xffffffffc0203000, 0, ID);
	expect(&scene, 7, 0xffffffff81000110, true, "[kernel] do_a");
	expect(&scene, 7, 0xffffffffc0200310, true, "[wg_x] v3");
	end(&scene);
}

/* A record of another kernel, as in the next file of a recording. */
static void a_kernel_is_replaced(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	rooted_text(&scene.rooted, CACHE "/[kernel.kallsyms]/" HEX "/kallsyms", text);
	begin_names(&scene, NULL);
	map_kernel(&scene, "[kernel.kallsyms]_text", TEXT_AT, TEXT_AT + 1, TEXT_AT, "another");
	expect(&scene, 7, 0xffffffff81000110, true, "[kernel] [kernel]");
	map_kernel(&scene, "[kernel.kallsyms]_text", TEXT_AT, TEXT_AT + 1, TEXT_AT, ID);
	expect(&scene, 7, 0xffffffff81000110, true, "[kernel] do_a");
	map_kernel(&scene, "[kernel.kallsyms]_text", TEXT_AT, TEXT_AT + 1, TEXT_AT + 0x100, ID);
	expect(&scene, 7, 0xffffffff81000210, true, "[kernel] do_a");
	map_kernel(&scene, "[kernel.kallsyms]_text", TEXT_AT, TEXT_AT + 1, TEXT_AT, "another");
	expect(&scene, 7, 0xffffffff81000210, true, "[kernel] [kernel]");
	end(&scene);
}

static void a_module_ends_where_the_next_one_begins(void **state)
{
	static const struct {
		const char *name;
		uint64_t start, end;
	} modules[] = {
		{"[b]", 0x2000, 0x9000}, {"[a]", 0x1000, 0x3000}, {"[d]", 0x6000, 0x7000},
		{"[c]", 0x4000, 0x5000}, {"[c]", 0x4000, 0x5000}, {"[e]", 0x6000, 0x6800},
	};
	static const struct {
		uint64_t address;
		const char *want;
	} rows[] = {
		{0x0fff, "[kernel] [kernel]"}, {0x1000, "[a] [a]"}, {0x1fff, "[a] [a]"},
		{0x2000, "[b] [b]"},           {0x3fff, "[b] [b]"}, {0x4fff, "[c] [c]"},
		{0x5000, "[kernel] [kernel]"}, {0x6000, "[e] [e]"}, {0x67ff, "[e] [e]"},
		{0x6800, "[kernel] [kernel]"},
	};
	const uint64_t at = 0xffffffffc0000000;
	struct scene scene;

	(void)state;
	begin(&scene);
	begin_names(&scene, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++)
		map_kernel(&scene, modules[i].name, at + modules[i].start, at + modules[i].end, 0,
			   NULL);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect(&scene, 7, at + rows[i].address, true, rows[i].want);
	end(&scene);
}

/* A function of a module must be in the recorded mapping of this module. */
static void modules_are_those_of_the_recording(void **state)
{
	static const struct {
		const char *mapped;
		uint64_t start;
		const char *want;
	} rows[] = {
		{"/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz", 0xffffffffc0200000,
		 "[ext4] ext4_ioctl"},
		{"[ext4]", 0xffffffffc0200000, "[ext4] ext4_ioctl"},
		{"/lib/modules/6.1/kernel/fs/nfs-layout.ko", 0xffffffffc0200000,
		 "[nfs_layout] [nfs_layout]"},
		{"[ext4]", 0xffffffffc0500000, "[kernel] [kernel]"},
		{"[guest.kernel.kallsyms.7]_text", 0xffffffffc0200000, "[ext4] ext4_ioctl"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		begin(&scene);
		rooted_text(&scene.rooted, "/sym/kallsyms", text);
		begin_names(&scene, NULL);
		map_kernel(&scene, "[kernel.kallsyms]_text", TEXT_AT, TEXT_AT + 1, TEXT_AT, ID);
		map_kernel(&scene, rows[i].mapped, rows[i].start, rows[i].start + 0x1000, 0, NULL);
		expect(&scene, 7, 0xffffffffc0200010, true, rows[i].want);
		end(&scene);
	}
}

/* Names of the recording itself */

static const char *find_recorded(void *ctx, const char *path, uint64_t offset)
{
	static char name[128];

	++*(unsigned *)ctx;
	if (strstr(path, "mangled"))
		return "_Zx";
	if (strstr(path, "none"))
		return offset % 2 ? NULL : "";
	snprintf(name, sizeof(name), "%s@%llx", path, (unsigned long long)offset);
	return name;
}

static void map(const struct scene *scene, uint64_t start, const char *name, const char *id)
{
	struct code_build_id build_id = {.size = id ? (uint8_t)strlen(id) : 0};

	if (id)
		memcpy(build_id.bytes, id, build_id.size);
	code_maps_mmap(code_names_maps(scene->names), 7,
		       &(struct proc_mapping){.start = start,
					      .end = start + 0x2000,
					      .offset = 0x100,
					      .executable = true,
					      .name = name},
		       &build_id, 0);
}

static void a_recording_names_what_no_file_does(void **state)
{
	unsigned calls = 0;
	const struct code_recorded_names recorded = {find_recorded, &calls};
	struct scene scene;

	(void)state;
	begin(&scene);
	rooted_folders(&scene.rooted, "/sym/usr/x");
	elf_stub_write(&(struct elf_stub){.build_id = ID, .tail = "a"},
		       rooted_path(&scene.rooted, "/sym/usr/a.so"));
	begin_names(&scene, &recorded);
	map(&scene, 0x10000, "/usr/a.so", ID);
	map(&scene, 0x20000, "/usr/gone.so", ID);
	map(&scene, 0x30000, "/usr/none.so", NULL);
	map(&scene, 0x40000, "[anon:dalvik]", NULL);
	map(&scene, 0x50000, "jit_app_cache:1", NULL);
	map(&scene, 0x60000, "[none]", NULL);
	map(&scene, 0x70000, "/usr/mangled.so", NULL);
	map_kernel(&scene, "[kernel.kallsyms]", 0, UINT64_MAX, 0, NULL);
	map_kernel(&scene, "/vendor/wlan.ko", 0xffffffffc0200000, 0xffffffffc0201000, 0, NULL);
	expect(&scene, 7, 0x10010, false, "a.so a1"); /* of the file */
	expect(&scene, 7, 0x20010, false, "gone.so /usr/gone.so@110");
	expect(&scene, 7, 0x30010, false, "none.so none.so+0x110");
	expect(&scene, 7, 0x40010, false, "[anon:dalvik] [anon:dalvik]@110");
	expect(&scene, 7, 0x50010, false, "jit_app_cache:1 jit_app_cache:1@110");
	expect(&scene, 7, 0x60010, false, "[none] [none]+0x110");
	expect(&scene, 7, 0xffffffff81000110, true, "[kernel] [kernel.kallsyms]@ffffffff81000110");
	expect(&scene, 7, 0xffffffffc0200010, true, "[wlan] /vendor/wlan.ko@10");
	scene.symbols.silent = true;
	expect(&scene, 7, 0x70010, false, "mangled.so _Zx");
	scene.symbols.silent = false;
	expect(&scene, 7, 0x70110, false, "mangled.so x()");
	assert_int_equal(scene.symbols.demangles, 2);
	scene.symbols.nameless = true;
	expect(&scene, 7, 0x10210, false, "a.so /usr/a.so@310");
	unsigned before = calls;
	expect(&scene, 7, 0x20010, false, "gone.so /usr/gone.so@110");
	assert_int_equal(calls, before); /* it is kept */
	end(&scene);
}

/* A map of this machine belongs to another process. */
static void maps_of_compilers_are_below_the_folder(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	rooted_text(&scene.rooted, "/sym/tmp/perf-7.map", "10000 100 fib\n");
	rooted_text(&scene.rooted, "/tmp/perf-8.map", "10000 100 fib\n");
	begin_names(&scene, NULL);
	for (pid_t pid = 7; pid <= 8; pid++)
		code_maps_mmap(code_names_maps(scene.names), pid,
			       &(struct proc_mapping){.start = 0x10000,
						      .end = 0x20000,
						      .executable = true,
						      .name = "//anon"},
			       &(struct code_build_id){.size = 0}, 0);
	expect(&scene, 7, 0x10010, false, "[jit] fib");
	expect(&scene, 8, 0x10010, false, "[anon] [unknown]");
	end(&scene);
}

/* A text of 1 GB has no end within the limit, and no lines. */
static void a_huge_text_is_bounded(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	rooted_text(&scene.rooted, "/sym/kallsyms", text);
	assert_int_equal(truncate(rooted_path(&scene.rooted, "/sym/kallsyms"), 1 << 30), 0);
	begin_names(&scene, NULL);
	map_kernel(&scene, "[kernel.kallsyms]_text", TEXT_AT, TEXT_AT + 1, TEXT_AT, ID);
	expect(&scene, 7, 0xffffffff81000110, true, "[kernel] do_a");
	end(&scene);
}

int main(void)
{
	const struct cases tables[] = {
		CASES(a_kernel_without_build_id_may_be_this_one, unidentified_rows),
		CASES(a_kernel_has_its_own_symbols, kernel_rows),
		CASES(an_elf_file_names_the_kernel, image_rows)};
	const struct CMUnitTest others[] = {
		cmocka_unit_test(unknown_addresses_of_the_kernel_are_one),
		cmocka_unit_test(records_name_functions_of_the_kernel),
		cmocka_unit_test(a_kernel_is_replaced),
		cmocka_unit_test(a_late_child_names_the_kernel_later),
		cmocka_unit_test(a_late_opener_names_the_kernel_later),
		cmocka_unit_test(a_file_names_a_module),
		cmocka_unit_test(a_module_ends_where_the_next_one_begins),
		cmocka_unit_test(modules_are_those_of_the_recording),
		cmocka_unit_test(a_recording_names_what_no_file_does),
		cmocka_unit_test(maps_of_compilers_are_below_the_folder),
		cmocka_unit_test(a_huge_text_is_bounded),
	};

	return cases_run("code_names_recorded", tables, ARRAY_SIZE(tables), others,
			 ARRAY_SIZE(others));
}
