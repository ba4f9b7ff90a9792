// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SAME_PROFILE_H
#define PMCTOP_TESTS_SAME_PROFILE_H

#include "core/code/code_profile.h"

/* Fails the test unless both profiles have the same entries, with the same names. */
void same_profile(const struct code_profile *a, const struct code_profile *b);

#endif
