// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_INPUT_H
#define PMCTOP_REPLAY_INPUT_H

#include "core/base/error.h"
#include "core/perfdata/perfdata_read.h"
#include "core/replay/replay_directory.h"

#include <stdbool.h>

/* Whether the working directory has a recording with perf's name. */
bool replay_input_is_here(void);

/*
 * Bytes of a recording from a file, a pipe, or the files of a directory
 * (core/replay/replay_directory.h), one open at a time. A read never blocks.
 */
struct replay_input;

/*
 * "-" is standard input. 0, or -errno with *err filled. No file of a directory is open yet:
 * replay_input_next() opens the first.
 */
int replay_input_open(const char *path, struct replay_input **input, struct error *err);
void replay_input_close(struct replay_input *input); /* NULL is fine */

/*
 * Borrowed, valid for the life of `input`. After a call of replay_input_next() they are the bytes
 * of that file, so a reader of them is rewound.
 */
const struct perfdata_input *replay_input_bytes(const struct replay_input *input);
/* Readable when there is more, or at the end. */
int replay_input_fd(const struct replay_input *input);

/* The directory, or NULL. */
const struct replay_directory *replay_input_directory(const struct replay_input *input);
/* Goes back: replay_input_next() opens the first file of a directory again. */
void replay_input_restart(struct replay_input *input);
/*
 * Opens the next file of a directory: 1; 0: there is none, and the last one stays open; or -errno
 * with *err filled: it cannot be read, and the call after this one opens the file behind it.
 */
int replay_input_next(struct replay_input *input, struct error *err);
/* Name of the file in the directory that the last call opened or failed to open. */
const char *replay_input_name(const struct replay_input *input);

#endif
