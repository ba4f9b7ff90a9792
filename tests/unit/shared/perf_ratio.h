// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_PERF_RATIO_H
#define PMCTOP_TESTS_PERF_RATIO_H

#include "tests/unit/shared/counted.h"
#include "tests/unit/shared/sample.h"

#include "core/base/text.h"
#include "core/metric/metric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/*
 * Computes a ratio that perf stat printed ("0.52 insn per cycle") by pmctop's formula, and returns
 * it. Fails unless it is the same to the last printed digit. `machine` is for messages.
 */
struct figure perf_ratio_check(const struct counted *counted, const char *machine,
			       const char *event, const char *printed);

#endif
