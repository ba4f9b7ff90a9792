// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUTPUT_APART_H
#define PMCTOP_OUTPUT_APART_H

#include "core/base/error.h"
#include "tui/options/options.h"

/*
 * Whether what is printed goes elsewhere than the recording that --record writes or replayed, the
 * one that this makes way for, or the configuration, by whatever name: 0, or -EINVAL and a
 * sentence. To be asked before anything is opened; opens nothing.
 */
int output_apart_check(const struct options *options, struct error *err);

#endif
