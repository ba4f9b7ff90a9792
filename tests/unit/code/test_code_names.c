// SPDX-License-Identifier: MIT
/* Functions of addresses: of files, of the kernel, of compilers, and what stands for the others. */
#include "core/code/code_names.h"

#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/elf_stub.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/rooted.h"
#include "tests/unit/shared/symbol_double.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define NEVER UINT64_MAX

static const char kallsyms[] = "ffffffff81000000 T do_a\n"
			       "ffffffff81000100 T do_b\n"
			       "ffffffffc0200000 t ext4_ioctl\t[ext4]\n";

struct scene {
	struct rooted rooted;
	struct symbol_double symbols;
	struct code_names *names;
};

/* One line of /proc/PID/maps for a file of this root. */
static void add_file_line(const struct scene *scene, FILE *to, const char *range, const char *file,
			  const char *name)
{
	struct stat status;

	if (stat(rooted_path(&scene->rooted, file), &status) != 0)
		fail_msg("no %s", file);
	fprintf(to, "%s r-xp 00000000 %x:%x %llu %s\n", range, major(status.st_dev),
		minor(status.st_dev), (unsigned long long)status.st_ino, name);
}

/* /usr/a.so and /usr/b.so at 10000 and 20000, a compiler's memory, the stack. */
static void add_process(struct scene *scene, pid_t pid)
{
	char path[64], *text;
	size_t size;
	FILE *to = xopen_memstream(&text, &size);

	add_file_line(scene, to, "10000-12000", "/usr/a.so", "/usr/a.so");
	add_file_line(scene, to, "20000-22000", "/usr/b.so", "/usr/b.so");
	fprintf(to, "30000-31000 rwxp 00000000 00:00 0 \n"
		    "40000-41000 rwxp 00000000 00:00 0 //anon\n"
		    "50000-51000 r-xp 00000000 08:01 77 /usr/gone.so (deleted)\n"
		    "60000-61000 rwxp 00000000 00:00 0 [stack]\n");
	fclose(to);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	rooted_text(&scene->rooted, path, text);
	free(text);
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	rooted_text(&scene->rooted, path,
		    "7 (a) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 4096000 100 1 0\n");
	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	rooted_link(&scene->rooted, path, "/.");
}

static void begin(struct scene *scene)
{
	*scene = (struct scene){.rooted = {.now_ns = 0}};
	rooted_init(&scene->rooted);
	scene->rooted.now_ns = 1000 * NS_PER_S;
	rooted_folders(&scene->rooted, "/usr/x");
	elf_stub_write(&(struct elf_stub){.build_id = "a", .tail = "a", .build_id_bytes = 1},
		       rooted_path(&scene->rooted, "/usr/a.so"));
	elf_stub_write(&(struct elf_stub){.build_id = "bb", .tail = "b"},
		       rooted_path(&scene->rooted, "/usr/b.so"));
	rooted_text(&scene->rooted, "/proc/kallsyms", kallsyms);
	add_process(scene, 7);
	scene->names = code_names_new(&(struct code_names_config){
		.sys = &scene->rooted.sys,
		.helpers = symbol_double(&scene->symbols,
					 &(struct mapped_files_config){.sys = &scene->rooted.sys}),
	});
}

static void end(struct scene *scene)
{
	code_names_free(scene->names);
	symbol_double_fini(&scene->symbols);
	assert_int_equal(scene->rooted.opened, 0);
	rooted_fini(&scene->rooted);
}

/* "module name" of one address; "?" if it is not known. */
static const char *resolve(struct scene *scene, pid_t pid, uint64_t address, bool kernel)
{
	static char text[512];
	struct code_place place = {.pid = pid, .kernel = kernel, .address = address};
	size_t known = code_names_resolve(scene->names, &place, 1, NEVER);
	const struct code_function *function = code_names_function(scene->names, place.id);

	assert_int_equal(known, place.id != 0);
	if (!function)
		return "?";
	snprintf(text, sizeof(text), "%s %s", function->module, function->name);
	return text;
}

static void an_address_has_a_function(void **state)
{
	static const struct {
		pid_t pid;
		bool kernel;
		uint64_t address;
		const char *want, *why;
		enum code_kind kind;
	} rows[] = {
		{7, false, 0x10123, "a.so a1", "", CODE_USER},
		{7, false, 0x10200, "a.so a2", "", CODE_USER},
		{7, false, 0x20123, "b.so b1", "", CODE_USER},
		{7, false, 0x21fff, "b.so b.so+0x1fff", "truncated", CODE_UNNAMED},
		{7, false, 0x50010, "gone.so gone.so+0x10", "deleted", CODE_UNNAMED},
		{7, false, 0x30010, "[anon] [unknown]", CODE_WHY_COMPILED, CODE_UNNAMED},
		{7, false, 0x40010, "[anon] [unknown]", CODE_WHY_COMPILED, CODE_UNNAMED},
		{7, false, 0x60010, "[stack] [stack]+0x10", "no symbols", CODE_UNNAMED},
		{7, false, 0x99999, " [unknown]", NULL, CODE_UNNAMED},
		{8, false, 0x10123, " [unknown]", NULL, CODE_UNNAMED},
		{0, false, 0x10123, " [unknown]", NULL, CODE_UNNAMED},
		{7, true, 0xffffffff81000010, "[kernel] do_a", "", CODE_KERNEL},
		{0, true, 0xffffffffc0200001, "[ext4] ext4_ioctl", "", CODE_KERNEL},
		{0, true, 0xfffffffff0200001, "[kernel] [kernel]", "not in /proc/kallsyms",
		 CODE_UNNAMED},
	};
	struct scene scene;

	(void)state;
	begin(&scene);
	for (unsigned again = 0; again < 2; again++)
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			assert_string_equal(
				resolve(&scene, rows[i].pid, rows[i].address, rows[i].kernel),
				rows[i].want);
			uint32_t id = code_names_find(scene.names, rows[i].pid, rows[i].address,
						      rows[i].kernel);
			if (!id)
				continue; /* of a process that does not exist */
			assert_int_equal(code_names_function(scene.names, id)->kind, rows[i].kind);
			if (rows[i].why)
				assert_string_equal(code_names_why(scene.names, id), rows[i].why);
		}
	assert_int_equal(scene.symbols.adds, 2);    /* each file once */
	assert_int_equal(scene.symbols.queries, 3); /* each function once */
	assert_null(code_names_function(scene.names, 0));
	assert_null(code_names_function(scene.names, 1000));
	end(&scene);
}

static void many_places_are_one_request(void **state)
{
	struct scene scene;
	struct code_place places[200];

	(void)state;
	begin(&scene);
	add_process(&scene, 8);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		places[i] = (struct code_place){.pid = i % 2 ? 7 : 8,
						.address = (i % 4 < 2 ? 0x10000 : 0x20000) +
							   0x100 * (i % 5) + i % 3};
	assert_int_equal(code_names_resolve(scene.names, places, ARRAY_SIZE(places), NEVER),
			 ARRAY_SIZE(places));
	assert_int_equal(scene.symbols.finds, 1);
	assert_int_equal(scene.symbols.queries, 2 * 5 * 3); /* places of two processes are one */
	assert_int_equal(code_names_functions(scene.names), 10);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char want[8];

		snprintf(want, sizeof(want), "%c%zu", i % 4 < 2 ? 'a' : 'b', i % 5);
		assert_string_equal(code_names_function(scene.names, places[i].id)->name, want);
		assert_int_equal(
			code_names_find(scene.names, places[i].pid, places[i].address, false),
			places[i].id);
	}
	/* Known places open and request nothing, also when the mappings are read again. */
	code_names_resolve(scene.names, places, ARRAY_SIZE(places), NEVER);
	scene.rooted.now_ns += CODE_MAPS_AGE_NS + NS_PER_S;
	code_names_resolve(scene.names, places, ARRAY_SIZE(places), NEVER);
	assert_int_equal(scene.symbols.finds, 1);
	assert_int_equal(scene.symbols.adds, 2);
	end(&scene);
}

/* A new address of a function needs no request, also of another process, until ids begin anew. */
static void a_known_function_needs_no_request(void **state)
{
	static const struct {
		pid_t pid;
		uint64_t address;
		const char *want;
		unsigned queries, rangeless_queries;
	} rows[] = {
		{7, 0x10123, "a.so a1", 1, 1}, {7, 0x10100, "a.so a1", 1, 2},
		{8, 0x101ff, "a.so a1", 1, 3}, {7, 0x101ff, "a.so a1", 1, 3},
		{7, 0x10200, "a.so a2", 2, 4}, {7, 0x100ff, "a.so a0", 3, 5},
		{8, 0x20123, "b.so b1", 4, 6}, {7, 0x20124, "b.so b1", 4, 7},
	};

	(void)state;
	for (unsigned rangeless = 0; rangeless < 2; rangeless++) {
		struct scene scene;

		begin(&scene);
		add_process(&scene, 8);
		scene.symbols.rangeless = rangeless;
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			assert_string_equal(resolve(&scene, rows[i].pid, rows[i].address, false),
					    rows[i].want);
			assert_int_equal(scene.symbols.queries,
					 rangeless ? rows[i].rangeless_queries : rows[i].queries);
		}
		scene.symbols.silent = true;
		assert_string_equal(resolve(&scene, 7, 0x10145, false),
				    rangeless ? "?" : "a.so a1");
		end(&scene);
	}
}

static void a_silent_child_leaves_places_for_later(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.symbols.silent = true;
	assert_string_equal(resolve(&scene, 7, 0x10123, false), "?");
	const struct code_place place = {.pid = 7, .address = 0x10123};
	uint32_t id = code_names_unresolved(scene.names, &place);
	assert_string_equal(code_names_function(scene.names, id)->name, "[unknown]");
	assert_string_equal(code_names_function(scene.names, id)->module, "a.so");
	scene.symbols.silent = false;
	assert_string_equal(resolve(&scene, 7, 0x10123, false), "a.so a1");
	end(&scene);
}

static void a_new_child_gets_the_file_again(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.symbols.not_given = true; /* there is no child now */
	assert_string_equal(resolve(&scene, 7, 0x10123, false), "?");
	assert_int_equal(scene.symbols.opens, 1);
	scene.symbols.not_given = false;
	assert_string_equal(resolve(&scene, 7, 0x10123, false), "a.so a1");
	symbol_double_restart(&scene.symbols);
	assert_string_equal(resolve(&scene, 7, 0x10123, false), "a.so a1"); /* known */
	assert_int_equal(scene.symbols.n, 0);
	assert_string_equal(resolve(&scene, 7, 0x10523, false), "a.so a5");
	assert_int_equal(scene.symbols.n, 1);
	/* The file was overwritten. */
	symbol_double_restart(&scene.symbols);
	elf_stub_write(&(struct elf_stub){.build_id = "cc", .tail = "c"},
		       rooted_path(&scene.rooted, "/usr/a.so"));
	assert_string_equal(resolve(&scene, 7, 0x10623, false), "a.so c6");
	assert_int_equal(scene.symbols.n, 1);
	/* It was removed. */
	symbol_double_restart(&scene.symbols);
	assert_int_equal(unlink(rooted_path(&scene.rooted, "/usr/a.so")), 0);
	assert_string_equal(resolve(&scene, 7, 0x10723, false), "a.so a.so+0x723");
	end(&scene);
}

/* Nothing waits for it, other files have names, and it has one when it answers. */
static void a_file_that_does_not_answer_is_left_for_later(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.symbols.open_error = -EAGAIN;
	assert_string_equal(resolve(&scene, 7, 0x10123, false), "?");
	scene.symbols.open_error = 0;
	assert_string_equal(resolve(&scene, 7, 0x20123, false), "b.so b1");
	scene.symbols.open_error = -ETIMEDOUT; /* it is left alone */
	assert_string_equal(resolve(&scene, 7, 0x10123, false), "a.so a.so+0x123");
	assert_string_equal(
		code_names_why(scene.names, code_names_find(scene.names, 7, 0x10123, false)),
		"the file does not answer");
	scene.symbols.open_error = 0;
	assert_string_equal(resolve(&scene, 7, 0x10223, false), "a.so a.so+0x223");
	scene.rooted.now_ns += 11 * NS_PER_S;
	assert_string_equal(resolve(&scene, 7, 0x10223, false), "a.so a2");
	end(&scene);
}

/* It takes the child with it, so all other files have names first. */
static void a_file_that_may_not_answer_is_opened_last(void **state)
{
	struct code_place places[] = {
		{.pid = 7, .address = 0x10123},
		{.pid = 7, .address = 0x20123},
		{.kernel = true, .address = 0xffffffff81000010},
	};
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.symbols.hung = "/usr/b.so";
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(code_names_resolve(scene.names, places, ARRAY_SIZE(places), NEVER),
				 2);
		assert_int_equal(places[1].id, 0);
	}
	scene.symbols.hung = NULL;
	assert_int_equal(code_names_resolve(scene.names, places, ARRAY_SIZE(places), NEVER), 3);
	end(&scene);
}

/* A new child needs the file again, which answers late. */
static void known_functions_keep_their_names_meanwhile(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	assert_string_equal(resolve(&scene, 7, 0x10123, false), "a.so a1");
	symbol_double_restart(&scene.symbols);
	scene.symbols.open_error = -EAGAIN;
	assert_string_equal(resolve(&scene, 7, 0x10223, false), "?");
	assert_string_equal(resolve(&scene, 7, 0x10145, false), "a.so a1");
	scene.symbols.open_error = 0;
	assert_string_equal(resolve(&scene, 7, 0x10223, false), "a.so a2");
	end(&scene);
}

static void a_file_that_is_refused_or_nameless_has_offsets(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.symbols.nameless = true;
	assert_string_equal(resolve(&scene, 7, 0x10123, false), "a.so a.so+0x100");
	assert_string_equal(
		code_names_why(scene.names, code_names_find(scene.names, 7, 0x10123, false)),
		"no symbols");
	scene.symbols.refused = true;
	assert_string_equal(resolve(&scene, 7, 0x20123, false), "b.so b.so+0x123");
	assert_string_equal(
		code_names_why(scene.names, code_names_find(scene.names, 7, 0x20123, false)),
		"cannot be parsed");
	end(&scene);
}

/* Which addresses can be shown as one, with which reason. */
static void addresses_without_bounds_have_their_reason(void **state)
{
	static const struct {
		const char *name;
		bool nameless, gaps, unsure, refused;
		const char *want;
		enum code_kind kind;
		const char *why; /* of the function; NULL: none */
	} rows[] = {
		{"named", false, false, false, false, "a.so a1", CODE_USER, NULL},
		{"a file without names", true, false, false, false, "a.so a.so+0x100", CODE_UNNAMED,
		 "no symbols"},
		{"a place without one", false, true, false, false, "a.so a.so+0x100", CODE_UNNAMED,
		 NULL},
		{"a symbol without a size", false, false, true, false, "a.so a1", CODE_UNNAMED,
		 "after a symbol without a size"},
		{"not parsed", false, false, false, true, "a.so a.so+0x123", CODE_UNNAMED,
		 "cannot be parsed"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		print_message("%s\n", rows[i].name);
		begin(&scene);
		scene.symbols.nameless = rows[i].nameless;
		scene.symbols.gaps = rows[i].gaps;
		scene.symbols.unsure = rows[i].unsure;
		scene.symbols.refused = rows[i].refused;
		assert_string_equal(resolve(&scene, 7, 0x10123, false), rows[i].want);
		const struct code_function *function = code_names_function(
			scene.names, code_names_find(scene.names, 7, 0x10123, false));
		assert_int_equal(function->kind, rows[i].kind);
		assert_string_equal(function->why ? function->why : "",
				    rows[i].why ? rows[i].why : "");
		end(&scene);
	}
}

static void the_deadline_leaves_places_for_later(void **state)
{
	struct scene scene;
	struct code_place places[] = {
		{.pid = 7, .address = 0x10123},
		{.kernel = true, .address = 0xffffffff81000000},
	};

	(void)state;
	begin(&scene);
	assert_int_equal(code_names_resolve(scene.names, places, 2, scene.rooted.now_ns), 1);
	assert_int_equal(places[0].id, 0);
	assert_true(places[1].id > 0);
	assert_int_equal(code_names_resolve(scene.names, places, 2, NEVER), 2);
	/* What is known needs no time. */
	assert_int_equal(code_names_resolve(scene.names, places, 2, scene.rooted.now_ns), 2);
	/* Nor do other places of a known function. */
	uint32_t id = places[0].id;
	places[0].address = 0x10145;
	assert_int_equal(code_names_resolve(scene.names, places, 2, scene.rooted.now_ns), 2);
	assert_int_equal(places[0].id, id);
	places[0].address = 0x10223;
	assert_int_equal(code_names_resolve(scene.names, places, 2, scene.rooted.now_ns), 1);
	assert_int_equal(code_names_resolve(scene.names, NULL, 0, NEVER), 0);
	end(&scene);
}

static void compiled_code_has_names_of_its_map(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	rooted_text(&scene.rooted, "/tmp/perf-7.map", "30000 80 Lhot;\n");
	assert_string_equal(resolve(&scene, 7, 0x30010, false), "[jit] Lhot;");
	assert_string_equal(resolve(&scene, 7, 0x30090, false), "[anon] [unknown]");
	rooted_text(&scene.rooted, "/tmp/perf-7.map", "30000 80 Lhot;\n30080 80 Lnew;\n");
	scene.rooted.now_ns += 2 * NS_PER_S;
	assert_string_equal(resolve(&scene, 7, 0x30090, false), "[jit] Lnew;");
	code_maps_exit(code_names_maps(scene.names), 7);
	code_maps_drop_past(code_names_maps(scene.names)); /* frees the map */
	end(&scene);
}

static void a_late_map_names_compiled_code_later(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	rooted_text(&scene.rooted, "/tmp/perf-7.map", "30000 80 Lhot;\n");
	scene.symbols.text_error = -EAGAIN;
	assert_string_equal(resolve(&scene, 7, 0x30010, false), "[anon] [unknown]");
	scene.symbols.text_error = 0;
	assert_string_equal(resolve(&scene, 7, 0x30010, false), "[jit] Lhot;");
	end(&scene);
}

static void hidden_processes_are_unknown(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.rooted.open_error = -EACCES;
	assert_string_equal(resolve(&scene, 7, 0x10123, false), " [unknown]");
	scene.rooted.open_error = 0; /* it is tried again */
	assert_string_equal(resolve(&scene, 7, 0x10123, false), "a.so a1");
	end(&scene);
}

static void too_many_functions_begin_anew(void **state)
{
	enum { PLACES = CODE_NAMES_FUNCTIONS + 100 };
	struct scene scene;
	struct code_place *places = xcalloc(PLACES, sizeof(*places));

	(void)state;
	begin(&scene);
	char *text;
	size_t size;
	FILE *to = xopen_memstream(&text, &size);
	for (unsigned i = 0; i < PLACES; i++) {
		fprintf(to, "%016llx t function_%u\n", 0xffffffff81000000ull + i * 16, i);
		places[i] = (struct code_place){.kernel = true,
						.address = 0xffffffff81000000ull + i * 16};
	}
	fclose(to);
	rooted_text(&scene.rooted, "/proc/kallsyms", text);
	free(text);
	assert_int_equal(code_names_resolve(scene.names, places, PLACES, NEVER), PLACES);
	assert_true(code_names_functions(scene.names) <= CODE_NAMES_FUNCTIONS + 1);
	assert_string_equal(code_names_function(scene.names, places[PLACES - 1].id)->name,
			    "[unknown]");
	assert_string_equal(resolve(&scene, 0, places[PLACES - 1].address, true),
			    "[kernel] function_65635");
	assert_int_equal(code_names_functions(scene.names), 1);
	assert_int_equal(code_names_find(scene.names, 0, places[0].address, true), 0);
	free(places);
	end(&scene);
}

static void a_recording_reads_no_process(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	code_names_free(scene.names);
	symbol_double_fini(&scene.symbols);
	scene.names = code_names_new(&(struct code_names_config){
		.sys = &scene.rooted.sys,
		.recording = true,
		.helpers = symbol_double(
			&scene.symbols,
			&(struct mapped_files_config){.sys = &scene.rooted.sys, .recording = true}),
	});
	assert_string_equal(resolve(&scene, 7, 0x10123, false), " [unknown]");
	assert_string_equal(resolve(&scene, 7, 0xffffffff81000000, true), "[kernel] [kernel]");
	code_maps_mmap(code_names_maps(scene.names), 7,
		       &(struct proc_mapping){.start = 0x10000,
					      .end = 0x11000,
					      .inode = 1,
					      .executable = true,
					      .name = "/usr/b.so"},
		       &(struct code_build_id){.bytes = "bb", .size = 2}, 0);
	assert_string_equal(resolve(&scene, 7, 0x10123, false), "b.so b1");
	kernel_symbols_record(code_names_kernel(scene.names), 0xffffffff81000000, 16, "bpf_x");
	assert_string_equal(resolve(&scene, 7, 0xffffffff81000000, true), "[bpf] bpf_x");
	end(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_has_a_function),
		cmocka_unit_test(many_places_are_one_request),
		cmocka_unit_test(a_known_function_needs_no_request),
		cmocka_unit_test(a_silent_child_leaves_places_for_later),
		cmocka_unit_test(a_new_child_gets_the_file_again),
		cmocka_unit_test(a_file_that_does_not_answer_is_left_for_later),
		cmocka_unit_test(a_file_that_may_not_answer_is_opened_last),
		cmocka_unit_test(known_functions_keep_their_names_meanwhile),
		cmocka_unit_test(a_file_that_is_refused_or_nameless_has_offsets),
		cmocka_unit_test(addresses_without_bounds_have_their_reason),
		cmocka_unit_test(the_deadline_leaves_places_for_later),
		cmocka_unit_test(compiled_code_has_names_of_its_map),
		cmocka_unit_test(a_late_map_names_compiled_code_later),
		cmocka_unit_test(hidden_processes_are_unknown),
		cmocka_unit_test(too_many_functions_begin_anew),
		cmocka_unit_test(a_recording_reads_no_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
