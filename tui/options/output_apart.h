// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUTPUT_APART_H
#define PMCTOP_OUTPUT_APART_H

#include "core/base/error.h"
#include "tui/options/options.h"

/*
 * Checks that -o is another file than the recording that is written or replayed, the previous
 * recording, and the configuration, whatever path names it. Returns 0, or -EINVAL and a sentence.
 * Call it before files are opened; it opens none.
 */
int output_apart_check(const struct options *options, struct error *err);

#endif
