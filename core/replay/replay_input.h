// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_INPUT_H
#define PMCTOP_REPLAY_INPUT_H

#include "core/base/error.h"
#include "core/perfdata/perfdata_read.h"

/* A recording in a file, or one that comes through a pipe: it is never waited for. */
struct replay_input;

/* "-": standard input. 0, or -errno and a sentence. */
int replay_input_open(const char *path, struct replay_input **input, struct error *err);
void replay_input_close(struct replay_input *input); /* NULL is fine */

/* Lives as long as it does. */
const struct perfdata_input *replay_input_bytes(const struct replay_input *input);
/* Readable when there is more, or the end. */
int replay_input_fd(const struct replay_input *input);

#endif
