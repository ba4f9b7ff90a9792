// SPDX-License-Identifier: MIT
/*
 * For programs other than pmctop, such as tests: they are not linked again, and print the same,
 * when the commit changes.
 */
#include "core/base/version.h"

const char version[] = "0";
const char version_build[] = "a test";
