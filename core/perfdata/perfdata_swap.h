// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_SWAP_H
#define PMCTOP_PERFDATA_SWAP_H

#include "core/perfdata/perfdata_events.h"

#include <stddef.h>
#include <stdint.h>

/* From the other byte order into this machine's, in place; what is cut off is left as it is. */
void perfdata_swap_words(uint64_t *words, size_t n);
/* The header of a record alone. */
void perfdata_swap_header(struct perf_event_header *record);
/* A perf_event_attr of n bytes. */
void perfdata_swap_attr(void *attr, size_t n);
/* What a feature says. */
void perfdata_swap_feature(uint64_t feature, void *bytes, size_t n);
/*
 * A whole record, of those events: its header, and of those that anything is made of here the rest
 * too. Of samples nothing behind READ.
 */
void perfdata_swap_record(const struct perfdata_events *events, struct perf_event_header *record);

#endif
