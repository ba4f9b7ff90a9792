// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_LIBPFM_H
#define PMCTOP_TESTS_LIBPFM_H

#include "core/event/pfm_start.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Skips a test of libpfm4's names where it has none: later versions need /sys. */
static inline void need_libpfm(void)
{
	if (pfm_start())
		return;
	print_message("# skipped: libpfm4 does not work here\n");
	skip();
}

#endif
