// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_PROFILE_H
#define PMCTOP_CODE_PROFILE_H

#include "core/code/code_function.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The samples of an interval, as sums: for each task, CPU, event and stack of functions, how many
 * samples there were and how much they weigh. Functions, callers, callees and flame graphs are
 * read from these (core/view/code_view.h). Immutable, shared by its owners, any thread.
 */

/* A sampled event. */
struct code_event {
	char name[64]; /* as in the lists of events; "cpu-clock" */
	/* Index in the columns' event set, which has the exact count; UINT_MAX: not counted. */
	unsigned counted;
};

struct code_task {
	pid_t pid, tid;    /* -1: unknown, such as of the tasks beyond CODE_PROFILE_TASKS */
	uint64_t start_ns; /* as in struct row; 0: unknown */
};

/* The samples of one task, event, CPU and stack. */
struct code_entry {
	uint32_t task, event; /* indices */
	int cpu;              /* -1: unknown */
	uint32_t frame;       /* index of the first frame */
	uint32_t depth;       /* frames, at least 1; 1: without a caller */
	uint64_t samples;
	uint64_t weight; /* sum of the weights of the samples */
	double squares;  /* sum of the squares of these weights */
};

/* Every array is an allocation of its own. */
struct code_profile {
	struct code_event *events;
	size_t n_events;
	struct code_function *functions; /* each once; the texts are owned */
	size_t n_functions;
	struct code_task *tasks; /* by pid, tid and start */
	size_t n_tasks;
	uint32_t *frames; /* functions of the stacks, the innermost first */
	size_t n_frames;
	struct code_entry *entries; /* by task */
	size_t n_entries;
	uint64_t lost;   /* samples that the kernel or a limit dropped */
	unsigned shared; /* owners beside the first */
};

/* Adds an owner; NULL is fine. */
struct code_profile *code_profile_ref(struct code_profile *profile);
/* Drops an owner, the last one frees; NULL is fine. */
void code_profile_free(struct code_profile *profile);
/* Returns its memory in bytes; 0 for NULL. */
size_t code_profile_bytes(const struct code_profile *profile);
/* Returns both as one profile, whose only owner is the caller. Either may be NULL, both: NULL. */
struct code_profile *code_profile_sum(const struct code_profile *a, const struct code_profile *b);

/*
 * Makes a profile. Memory is bounded. Stacks beyond CODE_PROFILE_ENTRIES or CODE_PROFILE_FRAMES
 * lose their callers and CPU. Half as many entries later, they become the function "[other]"
 * (CODE_REST) of their task. Tasks beyond CODE_PROFILE_TASKS are one unknown task, functions beyond
 * CODE_PROFILE_FUNCTIONS are "[other]". All samples stay.
 */
enum {
	CODE_PROFILE_ENTRIES = 1 << 18,
	CODE_PROFILE_FRAMES = 1 << 22,
	CODE_PROFILE_FUNCTIONS = 1 << 16,
	CODE_PROFILE_TASKS = 1 << 16,
};
struct code_profile_builder;

struct code_profile_builder *code_profile_builder_new(void);
/* Returns the index of the event of that name, which is added if it is new. */
uint32_t code_profile_event(struct code_profile_builder *builder, const struct code_event *event);
/* Returns the index of the function, whose texts are copied if it is new. */
uint32_t code_profile_function(struct code_profile_builder *builder,
			       const struct code_function *function);
/* Returns the index of the task, which is added if it is new. */
uint32_t code_profile_task(struct code_profile_builder *builder, const struct code_task *task);
/*
 * Adds samples of a stack. `entry` has all but `frame`: task and event are indices as above, as are
 * the `depth` frames, which are copied.
 */
void code_profile_add(struct code_profile_builder *builder, const struct code_entry *entry,
		      const uint32_t *frames);
/* Returns the first frame of a stack, as in entries; UINT32_MAX: no entry has that stack. */
uint32_t code_profile_stack(const struct code_profile_builder *builder, const uint32_t *frames,
			    size_t depth);
/* Adds samples to an entry that is there, with its frame and depth. False: there is none. */
bool code_profile_add_known(struct code_profile_builder *builder, const struct code_entry *entry);
/* Adds samples that were dropped. */
void code_profile_add_lost(struct code_profile_builder *builder, uint64_t samples);
/* Returns a profile of all so far, owned by the caller alone. */
struct code_profile *code_profile_copy(const struct code_profile_builder *builder);
/* Frees it without a profile; NULL is fine. */
void code_profile_builder_free(struct code_profile_builder *builder);
/* Returns the profile, and frees the builder. */
struct code_profile *code_profile_end(struct code_profile_builder *builder);

#endif
