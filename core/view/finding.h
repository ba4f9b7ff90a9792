// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FINDING_H
#define PMCTOP_FINDING_H

#include "core/snapshot/snapshot.h"
#include "core/view/verdict.h"

#include <stddef.h>
#include <sys/types.h>

/*
 * What a snapshot shows of the machine, or of the target, in sentences. First the verdicts that
 * cost most (verdict_loss.c), each with its main task: "postgres (4121) is memory-bound: 1.9 of 8
 * CPUs' time (IPC 0.31, caMPKI 24.10)". A verdict must cost a tenth of what ran, a wait also 0.2
 * CPUs. Without such a loss, the verdict of the sum of all rows; it begins with "the target is", or
 * with "your tasks are" if only the user's tasks are counted.
 *
 * Then what the machine lacks: memory, swap, CPUs that spend their time in interrupts. Then what
 * uses the CPUs and is in no sentence yet: each process that used half a CPU, the ancestor of many
 * short ones: "make (27771) and 312 descendants use 1.9 of 2 CPUs", and tasks outside of this pid
 * namespace. A second finding about a process comes behind the findings about others.
 *
 * Last comes what does not run and costs nothing: zombies, of each parent that does not wait for
 * them, and stopped tasks.
 *
 * If rows are too low (snapshot_rows_too_low), there is one sentence, about that. A profile has one
 * with its hottest function.
 */
enum { FINDINGS_MAX = 8 };

enum finding_kind {
	FINDING_OF_VERDICT,
	FINDING_OF_USE, /* of the CPUs */
	/* Of its memory, pressure or interrupts (core/view/machine_items.h), or of zombies. */
	FINDING_OF_MACHINE,
	FINDING_OF_GAPS, /* rows are too low */
	FINDING_OF_PROFILE,
	FINDING_KINDS,
};

struct finding {
	enum finding_kind kind;
	enum verdict verdict; /* VERDICT_NONE: another kind */
	/*
	 * Of a verdict about running, CPUs' time that is lost; of waits, threads that wait; of use,
	 * CPUs that are used. Means of the interval; 0 if it is no loss.
	 */
	double cpus;
	enum figure_state state; /* of cpus: VALID, SCALED or LOST */
	pid_t pid, tid;          /* of its main task, or of the parent of zombies; 0: none */
	char subject[24];  /* of no process alone: "memory", "CPU 3", "outside", "zombies"; or "" */
	uint64_t since_ns; /* wall-clock time at which its first interval began; 0: unknown */
	char text[256];    /* printable */
};

struct findings {
	enum verdict verdict; /* the greatest loss, or that of the sum; or VERDICT_NONE */
	uint64_t sequence;    /* of the snapshot; 0: of none */
	size_t n;
	struct finding items[FINDINGS_MAX];
};

/* Returns the verdict of the findings without their sentences. */
enum verdict findings_verdict(const struct snapshot *snapshot);
void findings_of_snapshot(const struct snapshot *snapshot, struct findings *findings);
/*
 * Sets since when each of them has been found. `before` are those of the last shown snapshot: if
 * that is not the one before this one, all begin now.
 */
void findings_follow(struct findings *findings, const struct findings *before,
		     const struct snapshot *snapshot);
/*
 * For scripts: "lock" or another verdict, "use", "machine", "unattributed" or "profile". Each has a
 * number below FINDING_WORDS; "" has no finding.
 */
enum { FINDING_WORDS = VERDICTS + FINDING_KINDS };
unsigned finding_number(const struct finding *finding);
const char *finding_word(unsigned number);

#endif
