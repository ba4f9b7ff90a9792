// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_LANES_INTERNAL_H
#define PMCTOP_CODE_LANES_INTERNAL_H

#include "core/base/hash_table.h"
#include "core/code/code_lanes.h"
#include "core/code/helper_process.h"
#include "core/code/opener_client.h"

/* What the files of code_lanes share. */

enum {
	LANE_PROCESSES = 2,
	LANE_NAME_SHOWN = 80, /* columns of a name in a note */
};

/*
 * A place is what may hang as a whole: the device of a mapping, or the mount of one stage of a
 * search. The lane of a device works for it when it can. The lane of a stage is only waited for:
 * searches leave this stage out meanwhile.
 */
struct lane {
	uint64_t place; /* 0: a free lane */
	enum mapped_file_stage stage;
	char name[4 * LANE_NAME_SHOWN]; /* what does not answer */
	uint64_t dev;                   /* of the file of a mapping; 0: unknown */
	pid_t pid;                      /* of a process that maps it */
	struct opener_client *opener;   /* both NULL: abandoned */
	struct symbol_client *symbols;
	uint64_t stands_ns; /* for how long it has stood still; 0: it answers */
	/* It does so for so long that a note names it. Stays when it is abandoned. */
	bool silent;
	struct helper_process left[LANE_PROCESSES];
	unsigned tries; /* how often it was abandoned */
	uint64_t resume_ns, used_ns;
};

/* A file that was opened, by its key. */
struct known_file {
	uint64_t place, dev;
	pid_t pid; /* that maps it */
	char name[];
};

struct code_lanes {
	struct code_lanes_config config;
	uint64_t random;
	/* At most CODE_LANES_MAX of `own` have clients. */
	struct lane shared, own[CODE_PLACES_MAX];
	bool hung;    /* a file has not answered at some time */
	bool full;    /* the shared lane stands still, and cannot be left to its place */
	bool crowded; /* `own` has no room for one more place: only known ones are opened */
	uint64_t looked_ns;
	struct hash_table files; /* struct known_file by key */
	/* Places of files that the opener has opened, and of pmctop's own; number: 1. */
	struct hash_table answered;
	char note[768];
};

/* code_lanes.c */

/* Looks at all processes: leaves lanes to places, and abandons them. */
void lanes_look(struct code_lanes *lanes);
/* The same, but at most once in 50 ms. */
void lanes_look_seldom(struct code_lanes *lanes);
/* The lane that all files share, with its clients. */
struct lane *lanes_shared(struct code_lanes *lanes);
/* The lane for the files of a place; NULL: they are left alone. */
struct lane *lanes_of_place(struct code_lanes *lanes, uint64_t place);
/* The same for a file of a mapping that is opened. */
struct lane *lanes_of_file(struct code_lanes *lanes, pid_t pid, const struct code_object *object);
/* The device of a mapping. */
uint64_t lanes_place(const struct code_lanes *lanes, uint64_t dev, const char *name);
/*
 * Whether the place cannot hold the shared lane: it has answered before, or has a lane of its own.
 * True for all as long as each file has answered.
 */
bool lanes_has_answered(struct code_lanes *lanes, uint64_t place);
/* Notes that a file of the place was opened. */
void lanes_note_answer(struct code_lanes *lanes, uint64_t place);
/* The stages that a search for the process leaves out, as bits. */
unsigned lanes_skipped(struct code_lanes *lanes, pid_t pid);
/* Whether a place that was abandoned may be tried again. */
bool lanes_may_resume(struct lane *lane);
void lanes_forget_files(struct code_lanes *lanes);
bool lanes_is_of_device(enum mapped_file_stage stage);

/* code_lanes_helpers.c has the functions of struct code_helpers, code_lanes_note.c the note. */

#endif
