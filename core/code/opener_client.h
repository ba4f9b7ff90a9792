// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OPENER_CLIENT_H
#define PMCTOP_OPENER_CLIENT_H

#include "core/code/code_text.h"
#include "core/code/helper_process.h"
#include "core/code/mapped_file.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Opens and reads files of others in a process (opener_worker.h). This process never opens, closes
 * or has a descriptor of such a file. The opener gives files to the parser by itself.
 *
 * One request is under way at a time. It goes on when a call returns early, and a later call for
 * the same file gets the answer. One thread uses a client. The process ends when this thread does.
 */
struct opener_client;

/*
 * The capabilities that the process has, if the caller has them, by number: CAP_DAC_READ_SEARCH,
 * CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE. After rights_drop() they must be inheritable.
 */
#define OPENER_RIGHTS (UINT64_C(1) << 2 | UINT64_C(1) << 19 | UINT64_C(1) << 40)

struct opener_config {
	const char *executable; /* NULL: this program, by /proc/self/exe */
	/* As for mapped_files_new(). Borrowed. */
	bool recording;
	const char *symfs, *build_id_cache;
	uint64_t random;
};

/* Starts no process yet. */
struct opener_client *opener_client_new(const struct opener_config *config);
/* Ends the process without a wait. *left is the process, which may not have ended. */
void opener_client_abandon(struct opener_client *client, struct helper_process *left);

/*
 * The socket of the parser to which the opener gives files from now on. `number` differs for each
 * parser. socket -1: there is none.
 */
struct opener_link {
	int socket;
	unsigned number;
};

struct opener_file {
	pid_t pid;
	const struct code_mapping *mapping;
	unsigned skipped; /* bits: 1 << enum mapped_file_stage */
};

/*
 * Opens the file of a mapping, and gives it to the parser. Waits for the answer until deadline_ns
 * (CLOCK_MONOTONIC). 0 or an error of mapped_files_open(), or -EAGAIN: not known now, call it again
 * later; -EBADE: the process cannot be started, opener_client_error() has the reason. *given: the
 * parser has the file.
 */
int opener_client_file(struct opener_client *client, const struct opener_file *file,
		       const struct opener_link *link, uint64_t deadline_ns,
		       struct mapped_file *found, bool *given);

/*
 * Reads a part of a text: at most `size` bytes from `offset` on, and at most CODE_TEXT_BYTES.
 * Returns the bytes, 0 at the end, or -errno as above.
 */
ssize_t opener_client_text(struct opener_client *client, const struct code_text *text,
			   unsigned skipped, uint64_t offset, uint64_t deadline_ns, char *buffer,
			   size_t size, struct code_text_status *status);

/* The request that is under way. */
struct opener_request_state {
	enum mapped_file_stage stage;
	pid_t pid;
	uint64_t dev;     /* of the mapping; 0: none, or a text */
	const char *name; /* of the mapping; of a text: "" */
	bool text;
};
/*
 * For how long the process has stood still in a request, or after it was killed in one, in ns; 0:
 * it does not. *state is that request, valid until the next call.
 */
uint64_t opener_client_stands_ns(struct opener_client *client, const struct sys *sys,
				 struct opener_request_state *state);

/* -errno of the last start; 0: it has not failed. */
int opener_client_error(const struct opener_client *client);
/* Whether a request is under way. */
bool opener_client_works(const struct opener_client *client);

#endif
