// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_TOGETHER_H
#define PMCTOP_CODE_TOGETHER_H

#include "core/code/code_profile.h"

/*
 * Addresses without bounds or names, which would be a line each, as one function a file and reason:
 * "libfoo.so+0x..., no symbols". Those behind a symbol without a size are one each symbol:
 * "marker+0x...?, after a symbol without a size". What stands for code of a just-in-time compiler
 * has its reason too: "[unknown], no symbols ...". For the screen and text; other outputs have the
 * addresses.
 *
 * Returns a profile with such functions, or NULL if none changes. It borrows the events, tasks and
 * entries of the given one. Functions have the same indices, but others stand in its frames.
 */
struct code_profile *code_together_new(const struct code_profile *profile);
void code_together_free(struct code_profile *together); /* NULL is fine */

#endif
