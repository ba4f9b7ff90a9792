// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ENDING_H
#define PMCTOP_ENDING_H

#include "core/base/error.h"
#include "core/base/unwritten.h"
#include "tui/run/launch.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Ends the process ENDING_PATIENCE_NS after the user has requested it, by q or a signal, even if
 * another thread, main() too, stands in a system call that does not return: a file of a network
 * that is gone, a disk that does not answer. The terminal is restored first.
 *
 * If an output file has data left, a sentence names it, and a second q or signal is needed. A file
 * whose data is written meanwhile is complete. If nothing is written for ENDING_STALLED_NS, it is
 * given up too.
 *
 * One limit remains, and it is the kernel's. exit(2) ends a thread that waits killably: for most
 * requests of NFS, for a lock of memory, for a request that a FUSE server has not read. A thread
 * that waits uninterruptibly stays, and with it the process, until the file answers. exit(2) also
 * closes the files, which waits in the same way: for dirty pages of NFS, and for FLUSH of FUSE even
 * if the file was only read. The sentence says so.
 */
struct ending;

#define ENDING_PATIENCE_NS (850 * NS_PER_MS)
#define ENDING_STALLED_NS  (60 * NS_PER_S)

/* The output files, each with its state for the thread that writes it. */
enum ending_file {
	ENDING_OUTPUT,    /* of -o */
	ENDING_RECORDING, /* of --record, or of the key o */
	ENDING_FILES
};

struct ending_config {
	/* Prints a sentence to standard error. Called on the thread of the ending; takes no lock.
	 */
	void (*note)(const char *sentence);
	struct launch *launch; /* the command, which gets SIGTERM; NULL: none */
	bool keys;             /* a q on the terminal is a second one, too */
};

/*
 * Starts the thread. It alone handles the signals that end the program (signals_ends()): they are
 * blocked in the caller until ending_free(). Handlers are installed by others. Borrows what config
 * points to. Returns 0, or -errno and a sentence.
 */
int ending_new(const struct ending_config *config, struct ending **ending, struct error *err);
/* Ends the thread and unblocks the signals. Call it when all is closed. NULL is fine. */
void ending_free(struct ending *ending);

struct unwritten *ending_unwritten(struct ending *ending, enum ending_file file);

/* The user has requested the end. A signal does the same by itself. No effect the second time. */
void ending_begin(struct ending *ending);
/* If the end has begun: limits it to more_ns and ENDING_PATIENCE_NS from now on. */
void ending_allow(struct ending *ending, uint64_t more_ns);
/* The user has requested the end, or it has begun: limits it to `ns` from now on. */
void ending_limit(struct ending *ending, uint64_t ns);
/* The files are closed, and no time limit is needed. Another signal begins again. */
void ending_over(struct ending *ending);

#endif
