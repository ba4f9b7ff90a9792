// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_NAMES_H
#define PMCTOP_CODE_NAMES_H

#include "core/code/code_function.h"
#include "core/code/code_helpers.h"
#include "core/code/code_maps.h"
#include "core/code/kernel_symbols.h"
#include "core/code/symbol_client.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Functions of addresses. The sources of a name: the symbols of the mapping's file, from the
 * parser; perf maps of just-in-time compilers; /proc/kallsyms and KSYMBOL records. What has no name
 * is a function too, so shares add up to 100 %: "libfoo.so+0x1234" (a file without symbols, or that
 * cannot be opened), "[kernel]", "[unknown]".
 *
 * Functions have ids from 1 on. Functions with equal module and name are one, also of two builds or
 * processes. One thread uses it.
 */
struct code_names;

/*
 * Names that a recording itself has, as the feature FILE of simpleperf. They are used where no file
 * has a name.
 */
struct code_recorded_names {
	/*
	 * Returns the function at an offset of the file that has this path in records, or at an
	 * address of "[kernel.kallsyms]". NULL: none. It may be mangled. Borrowed until the next
	 * call.
	 */
	const char *(*find)(void *ctx, const char *path, uint64_t offset);
	void *ctx;
};

struct code_names_config {
	const struct sys *sys;
	bool recording; /* mappings come from records; /proc of this machine is not read */
	/*
	 * Of a recording, each may be NULL: a folder with files of its machine, by their paths or
	 * as an archive of `perf archive` has them; perf's cache ("/home/user/.debug", or
	 * PERF_BUILDID_DIR). Borrowed. See mapped_file.h.
	 */
	const char *symfs, *build_id_cache;
	/* The release of a recording's kernel, "" as long as it is unknown; NULL: never. Borrowed.
	 */
	const char *release;
	struct code_recorded_names recorded; /* of a recording; find NULL: none */
	struct code_helpers helpers;
};

struct code_names *code_names_new(const struct code_names_config *config);
void code_names_free(struct code_names *names);

/* For records of mappings, exec, fork and exit, and of the kernel's code. */
struct code_maps *code_names_maps(struct code_names *names);
struct kernel_symbols *code_names_kernel(struct code_names *names);

/*
 * Returns a number that differs after each record that may give an address of the process, or of
 * the kernel, another function.
 */
uint64_t code_names_change(const struct code_names *names, pid_t pid);

/*
 * A mapping of a recording's kernel, or of a module of it: a record MMAP of pid -1 and misc KERNEL.
 * kernel_maps.h has their names. `build_id` NULL or of size 0: unknown.
 *
 * The symbols of the kernel come from a text of its /proc/kallsyms (mapped_files_open_kallsyms(),
 * or this machine's text if it runs the same kernel), else from an ELF file (mapped_file.h). They
 * are moved such that the symbol in the mapping's name has its recorded address. Without this
 * address only `symfs`/proc/kallsyms and `symfs`/kallsyms are used.
 *
 * Without a build id, this machine runs the recorded kernel if the release, and the addresses of
 * that symbol, of the kernel's end and of its modules are the same. code_names_kernel_note() states
 * this.
 */
void code_names_map_kernel(struct code_names *names, const struct proc_mapping *mapping,
			   const struct code_build_id *build_id);

/* Returns a sentence with the facts by which this machine runs the recorded kernel, or NULL. */
const char *code_names_kernel_note(const struct code_names *names);

struct code_place {
	pid_t pid; /* of the process; ignored for addresses of the kernel */
	bool kernel;
	uint64_t address; /* of a caller: the return address - 1 */
	uint32_t past;    /* from code_maps_past(); 0: what is mapped there now */
	uint32_t id;      /* out */
};

/*
 * Sets the ids of all places; 0: not known before deadline_ns (sys_now_ns()), resolve it again
 * later. Ids of earlier calls are valid until this call. Places may be in any order, but many of
 * one call cost less than as many calls. Returns how many are known.
 */
size_t code_names_resolve(struct code_names *names, struct code_place *places, size_t n,
			  uint64_t deadline_ns);

/*
 * Returns the id of what stands for a place that is not known yet: the "[unknown]" of its file. It
 * is not kept, so a later code_names_resolve() can find the function.
 */
uint32_t code_names_unresolved(struct code_names *names, const struct code_place *place);

/* Returns the id of an address that was resolved before, without a system call; 0: none. */
uint32_t code_names_find(const struct code_names *names, pid_t pid, uint64_t address, bool kernel);

/* Returns the function of an id; owned by `names`, valid as long as the id. */
const struct code_function *code_names_function(const struct code_names *names, uint32_t id);
/*
 * Returns why a CODE_UNNAMED function has no name, as a static text; "" for others. The reasons:
 *
 *  - of a file: "permission", "deleted", "not found", "replaced by another file", "no regular
 *    file", "not the recorded file", "the file does not answer" (code_lanes.h), "truncated" (an
 *    offset behind its end), "cannot be parsed" (the parser ended at it), "no symbols",
 *    CODE_WHY_COMPILED, "after a symbol without a size".
 *  - of a process: "permission", "the process has ended", "not mapped".
 *  - of the kernel: "hidden by the kernel", "not in /proc/kallsyms", "no symbols of this kernel"
 *    (of a recording).
 *  - "not yet known": not before the deadline. "too many functions": CODE_NAMES_FUNCTIONS.
 */
const char *code_names_why(const struct code_names *names, uint32_t id);

/* Functions that are kept; when there are more, all ids begin anew. */
enum { CODE_NAMES_FUNCTIONS = 1 << 16 };
size_t code_names_functions(const struct code_names *names);

#endif
