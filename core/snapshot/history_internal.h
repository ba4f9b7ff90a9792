// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HISTORY_INTERNAL_H
#define PMCTOP_HISTORY_INTERNAL_H

#include "core/base/figure.h"
#include "core/snapshot/history_bucket.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the files of history's buckets share. */

enum {
	HISTORY_UNKNOWN = 0x7fc0, /* a NaN */
	HISTORY_KNOWN_ALL = UINT16_MAX,
};

uint16_t history_pack(struct figure figure);
float history_unpack(uint16_t value);
int history_key_compare(const void *a, const void *b);

/* Room for so many keys, with what is known of them or without. */
void history_bucket_room(struct history_bucket *bucket, size_t n, size_t n_metrics, bool known);
/* How many keys a bucket may have. */
size_t history_bucket_most(size_t n_metrics, bool known);
/* For how long there was something of the key at that place. */
double history_bucket_known(const struct history_bucket *bucket, size_t place);

/* A row, and how long it ran. */
struct history_pick {
	uint64_t ran_ns;
	size_t index;
};

/* Moves those that ran longest, so many, to the front: Hoare's selection. */
void history_select(struct history_pick *picks, size_t n, size_t most);

#endif
