// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_PERF_RECORDS_H
#define PMCTOP_TESTS_PERF_RECORDS_H

#include "tests/unit/shared/perfdata_image.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Records that streams of perf begin with, and such a stream as the input of a replay. */

/* Begins a stream. */
void image_stream(struct image *image);

/* Two numbers in one word. */
void image_pair(struct image *image, uint32_t first, uint32_t second);

/* The description of an event that has one id. Sets attr.size and sample_id_all. */
void image_event(struct image *image, uint64_t id, const struct perf_event_attr *attr);
void image_event_name(struct image *image, uint64_t id, const char *name);

/* The features with the command line, by words, and with the number of CPUs. */
void image_words(struct image *image, const char *words);
void image_cpus(struct image *image, uint32_t cpus);

/* perf's list of recorded threads, with one; -1: all. */
void image_threads(struct image *image, pid_t tid);

/* For perfdata_input.read: `image` is a struct image. */
ssize_t image_read(void *image, uint64_t at, void *bytes, size_t n);

#endif
