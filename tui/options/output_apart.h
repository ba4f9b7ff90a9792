// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUTPUT_APART_H
#define PMCTOP_OUTPUT_APART_H

#include "core/base/error.h"
#include "tui/options/options.h"

/*
 * Checks that no path names the same file as -o: the recording that is written or replayed, the
 * previous recording, and the configuration. Returns 0, or -EINVAL and a sentence. Call it before
 * files are opened; it opens none.
 */
int output_apart_check(const struct options *options, struct error *err);

#endif
