// SPDX-License-Identifier: MIT
/*
 * Of a program that is linked without a version of its own: a test, which is not made anew, and
 * does not print anything else, because there is another commit.
 */
#include "core/base/version.h"

const char version[] = "0";
const char version_build[] = "a test";
