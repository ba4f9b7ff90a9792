// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_HELPERS_H
#define PMCTOP_CODE_HELPERS_H

#include "core/code/code_maps.h"
#include "core/code/code_text.h"
#include "core/code/mapped_file.h"
#include "core/code/symbol_client.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What other processes do to find names: they open, read and parse the files of others.
 * code_lanes.h has the real ones; tests replace them. `ctx` is the first argument of each.
 */
struct code_helpers {
	/*
	 * Whether files of this device have answered before, or no file has failed to. The others
	 * are opened last. May be NULL: all have.
	 */
	bool (*answered)(void *ctx, const struct code_mapping *mapping);
	/*
	 * Opens the file of a mapping (mapped_files_open()), and gives it to the parser. 0 or
	 * -errno: -EAGAIN, not known before the deadline; -ETIMEDOUT, it does not answer.
	 */
	int (*open)(void *ctx, pid_t pid, const struct code_mapping *mapping, uint64_t deadline_ns,
		    struct mapped_file *found);
	/* Reads a part of a text (code_text_read()). The same errors. */
	ssize_t (*text)(void *ctx, const struct code_text *text, uint64_t offset,
			uint64_t deadline_ns, char *buffer, size_t size,
			struct code_text_status *status);
	/* The functions of symbol_client.h. */
	enum symbol_file (*file)(void *ctx, uint64_t key);
	size_t (*find)(void *ctx, const struct symbol_query *queries, size_t n,
		       uint64_t deadline_ns, symbol_found *found, void *arg);
	int (*locate)(void *ctx, uint64_t key, const char *name, uint64_t deadline_ns,
		      uint64_t *address);
	int (*demangle)(void *ctx, const char *mangled, uint64_t deadline_ns,
			char name[SYMBOL_NAME_BYTES]);
	/*
	 * Waits until a file that has not answered so far may have answered, at most until the
	 * deadline. False: there is none, or the deadline has come. May be NULL.
	 */
	bool (*wait)(void *ctx, uint64_t deadline_ns);
	void *ctx;
};

#endif
