// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RIGHTS_NEED_H
#define PMCTOP_RIGHTS_NEED_H

#include "tui/options/options.h"
#include "tui/run/rights.h"

/* The rights that these options need after the set-up; `draws`: on a terminal. Pure. */
struct rights_need rights_need_of(const struct options *options, bool draws);

#endif
