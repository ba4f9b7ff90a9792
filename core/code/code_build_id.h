// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_BUILD_ID_H
#define PMCTOP_CODE_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The build id of a file in a record. */
enum { CODE_BUILD_ID_MAX = 20 };

struct code_build_id {
	uint8_t bytes[CODE_BUILD_ID_MAX];
	uint8_t size; /* 0: none, or unknown */
};

/* perf writes 20 bytes of zeros for an unknown build id. */
bool code_build_id_is_known(const struct code_build_id *id);
/*
 * Returns whether a recorded build id is the build id of a file, `size` bytes at `bytes`. Recorded
 * 20 bytes may be a longer build id that was cut, or a shorter one with zeros.
 */
bool code_build_id_is(const struct code_build_id *recorded, const uint8_t *bytes, size_t size);

#endif
