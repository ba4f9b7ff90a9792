/* SPDX-License-Identifier: MIT */
#ifndef TESTS_LOAD_HOTSPOTS_LIBRARY_H
#define TESTS_LOAD_HOTSPOTS_LIBRARY_H

#include <stdint.h>

/* Computes for `n` steps. In a shared library beside hotspots. */
uint64_t library_burn(uint64_t n);

#endif
