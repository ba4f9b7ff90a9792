// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_SWAP_H
#define PMCTOP_PERFDATA_SWAP_H

#include "core/perfdata/perfdata_events.h"

#include <stddef.h>
#include <stdint.h>

/* Converts from the other byte order, in place. What is cut off is not changed. */
void perfdata_swap_words(uint64_t *words, size_t n);
/* Only the header of a record. */
void perfdata_swap_header(struct perf_event_header *record);
/* What follows the header of a PERFDATA_BUILD_ID. */
void perfdata_swap_build_id(struct perf_event_header *record);
/* A perf_event_attr of n bytes. */
void perfdata_swap_attr(void *attr, size_t n);
/* The n bytes of a feature. */
void perfdata_swap_feature(uint64_t feature, void *bytes, size_t n);
/*
 * A whole record of these events: its header, and the rest of those types that are decoded. Samples
 * up to the call chain.
 */
void perfdata_swap_record(const struct perfdata_events *events, struct perf_event_header *record);

#endif
