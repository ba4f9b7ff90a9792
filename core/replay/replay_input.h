// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_INPUT_H
#define PMCTOP_REPLAY_INPUT_H

#include "core/base/error.h"
#include "core/perfdata/perfdata_read.h"

/* Bytes of a recording from a file or a pipe. A read never blocks. */
struct replay_input;

/* "-" is standard input. 0, or -errno with *err filled. */
int replay_input_open(const char *path, struct replay_input **input, struct error *err);
void replay_input_close(struct replay_input *input); /* NULL is fine */

/* Borrowed, valid for the life of `input`. */
const struct perfdata_input *replay_input_bytes(const struct replay_input *input);
/* Readable when there is more, or at the end. */
int replay_input_fd(const struct replay_input *input);

#endif
