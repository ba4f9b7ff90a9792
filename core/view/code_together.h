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
 * Returns a profile that is the caller's, or NULL if nothing changes. Its events have the same
 * indices.
 */
struct code_profile *code_together(const struct code_profile *profile);

#endif
