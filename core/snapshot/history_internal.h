// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HISTORY_INTERNAL_H
#define PMCTOP_HISTORY_INTERNAL_H

#include "core/base/figure.h"
#include "core/snapshot/history_bucket.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shared by history_bucket.c and history_merge.c. */

enum {
	HISTORY_UNKNOWN = 0x7fc0, /* a NaN */
	HISTORY_KNOWN_ALL = UINT16_MAX,
};

uint16_t history_pack(struct figure figure);
float history_unpack(uint16_t value);
int history_key_compare(const void *a, const void *b);

/* Allocates n keys, with `known` shares or without. */
void history_bucket_room(struct history_bucket *bucket, size_t n, size_t n_metrics, bool known);
/* Returns how many keys fit into HISTORY_BUCKET_BYTES. */
size_t history_bucket_most(size_t n_metrics, bool known);
/* Returns the ns in which the key at that place was known. */
double history_bucket_known(const struct history_bucket *bucket, size_t place);

/* A row and its CPU time. */
struct history_pick {
	uint64_t ran_ns;
	size_t index;
};

/* Moves the `most` busiest picks to the front (Hoare's selection). */
void history_select(struct history_pick *picks, size_t n, size_t most);

#endif
