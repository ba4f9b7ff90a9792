// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_HINT_H
#define PMCTOP_CODE_HINT_H

#include "core/code/code_profile.h"

/*
 * Returns how the functions of an interpreter or a just-in-time compiler get names, as a sentence
 * of at most 80 columns, if a tenth of the samples of an event lack them. NULL: they do not. The
 * functions are as in code_together.h.
 */
const char *code_hint(const struct code_profile *profile, unsigned event);

#endif
