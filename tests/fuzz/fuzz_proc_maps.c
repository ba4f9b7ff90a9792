// SPDX-License-Identifier: MIT
/*
 * Any text as /proc/PID/maps, read in pieces of any size: mappings are ascending and disjoint, here
 * and in the table of a process.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

#include "core/base/util.h"
#include "core/code/code_maps.h"
#include "core/sys/proc_maps.h"

struct maps_file {
	struct fuzz_file file; /* first */
	uint64_t end;          /* of the mapping before */
};

static ssize_t file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	(void)ctx, (void)path;
	return (ssize_t)text_copy(
		buffer, size, "7 (a) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 4096000 100 1 0\n");
}

static uint64_t now_ns(void *ctx)
{
	(void)ctx;
	return NS_PER_S;
}

static int check_mapping(void *arg, const struct proc_mapping *mapping)
{
	struct maps_file *maps = arg;

	fuzz_check(mapping->start >= maps->end, "mappings are ascending");
	fuzz_check(mapping->end > mapping->start, "a mapping is not empty");
	fuzz_check(!strchr(mapping->name, '\n') || strstr(maps->file.text, "\\012"),
		   "a newline was escaped");
	maps->end = mapping->end;
	return 0;
}

static void end_process(void *user, struct code_process *process)
{
	(void)user, (void)process;
}

static void drop_file(void *user, struct code_file *file)
{
	(void)user, (void)file;
}

static void check_process(const struct code_process *process)
{
	for (size_t i = 0; i < process->n; i++) {
		const struct code_mapping *at = &process->mappings[i];

		fuzz_check(at->end > at->start, "a mapping of a process is not empty");
		fuzz_check(i == 0 || at[-1].end <= at->start, "mappings of a process are disjoint");
		fuzz_check(code_process_find(process, at->end - 1) == at, "a mapping is found");
	}
}

/* The same lines as records, in any order. */
static void check_records(const char *text)
{
	struct code_maps *maps =
		code_maps_new(&(struct code_maps_config){.drop_file = drop_file,
							 .end_process = end_process,
							 .processes_max = 3,
							 .mappings_max = 8});
	char *copy = xstrdup(text), *rest = copy, *line;
	struct proc_mapping mapping;
	pid_t pid = 1;
	uint64_t time_ns = 0;

	while ((line = strsep(&rest, "\n"))) {
		if (line[0] == 'e')
			code_maps_exec(maps, pid, ++time_ns);
		else if (line[0] == 'g')
			code_maps_drop_past(maps);
		else if (line[0] == 'f')
			code_maps_fork(maps, pid, pid % 5 + 1);
		else if (line[0] == 'p')
			pid = pid % 5 + 1;
		else if (proc_mapping_parse(line, &mapping) == 0)
			code_maps_mmap(maps, pid, &mapping, NULL, ++time_ns);
		if (code_maps_find(maps, pid))
			check_process(code_maps_find(maps, pid));
		fuzz_check(code_maps_processes(maps) <= 3, "processes are bounded");
		fuzz_check(code_maps_mappings(maps) <= 8, "mappings are bounded");
	}
	free(copy);
	code_maps_free(maps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct sys_ops ops = {.file_open = fuzz_file_open,
					   .file_pread = fuzz_file_pread,
					   .file_read = file_read,
					   .close = fuzz_file_close,
					   .now_ns = now_ns};
	struct fuzz_bytes bytes = {data, size};
	struct maps_file file = {.file.piece = 1 + (size_t)fuzz_u8(&bytes) * 16};
	uint64_t address = fuzz_u64(&bytes);
	char *text = fuzz_text(&bytes);

	file.file.text = text;
	file.file.size = strlen(text);
	const struct sys sys = {&ops, &file};
	fuzz_check(proc_maps_each(&sys, 3, 1 << 20, check_mapping, &file) == 0, "0 at the end");
	struct code_maps *maps = code_maps_new(&(struct code_maps_config){
		.sys = &sys, .drop_file = drop_file, .end_process = end_process});
	struct code_process *process = code_maps_process(maps, 7);
	code_maps_read(maps, process, &address, 1);
	check_process(process);
	code_maps_free(maps);
	check_records(text);
	free(text);
	return 0;
}
