// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_TEXT_H
#define PMCTOP_CODE_TEXT_H

#include "core/code/code_maps.h"
#include "core/code/mapped_file.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * Texts with functions that are read in parts, each time by their names: their mounts may hang, so
 * the process that opens files (opener_worker.h) keeps none open.
 */
enum code_text_kind {
	/*
	 * /tmp/perf-PID.map below the root of a process, by its own pid. Any user can write such a
	 * file for any process, so it is one of the process's user or of root. Of a recording:
	 * SYMFS/tmp/perf-PID.map, of any user.
	 */
	CODE_TEXT_PERF_MAP,
	CODE_TEXT_KALLSYMS, /* of a recording: mapped_files_open_kallsyms() */
};

struct code_text {
	enum code_text_kind kind;
	pid_t pid;               /* PERF_MAP */
	unsigned number;         /* KALLSYMS */
	struct code_build_id id; /* KALLSYMS */
};

struct code_text_status {
	uint64_t dev, inode, size;
};

enum { CODE_TEXT_BYTES = 64 << 10 };

/*
 * Reads at most CODE_TEXT_BYTES from `offset` on. Returns the bytes, 0 at the end, or -errno.
 * `skipped` as in mapped_files_open().
 */
ssize_t code_text_read(struct mapped_files *files, const struct code_text *text, unsigned skipped,
		       uint64_t offset, char *buffer, struct code_text_status *status);

/* Where a text is read from, whatever it is. */
struct code_text_reader {
	/* Returns the bytes, 0 at the end, or -errno. */
	ssize_t (*read)(void *ctx, char *buffer, size_t size, uint64_t offset);
	void *ctx;
};

#endif
