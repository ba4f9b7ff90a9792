// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORDER_CODE_H
#define PMCTOP_RECORDER_CODE_H

#include "core/code/code_maps.h"
#include "core/code/code_profile.h"
#include "core/code/code_sample.h"
#include "core/perf/code_record.h"
#include "core/perfdata/recorder.h"

#include <stddef.h>
#include <sys/types.h>

/*
 * What a recording has of sampled code. For perf: an attr of each sampled event, the samples, the
 * mappings in which their addresses are, the kernel and its modules. For a replay: the profile of
 * each interval, with the names that were found live, so that it shows the same functions on any
 * machine, and reads no file of it.
 *
 * Mappings are recorded when an address is in them first, with a time before the first
 * sample of their process in that interval. A file that follows another has them again.
 */

/* The events that sample from now on, between two intervals. No effect if they are the same. */
void recorder_code_events(struct recorder *recorder, const struct code_event *events, size_t n);
/* `event` is an index in these. */
void recorder_code_sample(struct recorder *recorder, const struct code_sample *sample);
/* KSYMBOL, and EXEC, FORK and EXIT: the mappings of their process are recorded again. */
void recorder_code_record(struct recorder *recorder, const struct code_record *record);
/* A mapping with an address of a sample. Most calls find that it is recorded already. */
void recorder_code_mapping(struct recorder *recorder, pid_t pid,
			   const struct code_mapping *mapping);

#endif
