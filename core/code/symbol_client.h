// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SYMBOL_CLIENT_H
#define PMCTOP_SYMBOL_CLIENT_H

#include "core/code/helper_process.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names of functions from ELF files. The parser, a child without rights (symbol_worker.h), reads
 * the files, because a file of another user may be hostile. A child that ends or stands still is
 * replaced; names are missing meanwhile, and nothing else.
 *
 * The caller chooses a key for each file, such as a hash of its build id. The child gets
 * descriptors from the process that opens files (opener_client.h); this process never has them,
 * because closing one may take forever. A new child has no files, and a child drops the file that
 * was not used for longest beyond a limit: give it a file whenever symbol_client_file() is
 * SYMBOL_FILE_WANTED.
 *
 * One thread uses a client. The child ends when this thread does.
 */
struct symbol_client;

struct symbol_client_config {
	/* The program to execute; NULL: this one, by /proc/self/exe. */
	const char *executable;
	/* After this time without an answer a child stands still; 0: 10 s. */
	uint64_t patience_ns;
	/* The pause before the second child; each later one is twice as long. 0: 100 ms. */
	uint64_t pause_ns;
};

/* Starts no child yet. */
struct symbol_client *symbol_client_new(const struct symbol_client_config *config);
/* Kills the child and frees the client. *left is the process, which may not have ended. */
void symbol_client_abandon(struct symbol_client *client, struct helper_process *left);

enum symbol_file {
	SYMBOL_FILE_WANTED, /* the child does not have it: add it, then query */
	SYMBOL_FILE_GIVEN,  /* the child has it */
	/* Two children ended at it, not killed from outside: it is not given again. */
	SYMBOL_FILE_REFUSED,
	/* Its child waits for the file system of the file: code_lanes.h. Not from this client. */
	SYMBOL_FILE_SILENT,
};
enum symbol_file symbol_client_file(const struct symbol_client *client, uint64_t key);

/*
 * Returns the socket to which symbol_message_give() gives the child files, or -errno: -EAGAIN,
 * there is no child now. Others: no child can be started. Starts a child if there is none. *number
 * is the child's; a new child has no files of earlier ones.
 */
int symbol_client_socket(struct symbol_client *client, unsigned *number);
/* The child was given a file. */
void symbol_client_given(struct symbol_client *client, uint64_t key);

struct symbol_query {
	uint64_t key;    /* of a file that was given */
	uint64_t offset; /* in the file: address - start of the mapping + its offset */
};

struct symbol {
	/*
	 * Its name, demangled, printable UTF-8 of at most SYMBOL_NAME_BYTES with its NUL. NULL: the
	 * files have none. Borrowed for the call.
	 */
	const char *name;
	/*
	 * Link address (as in objdump, addr2line) of the function's first instruction. Of
	 * the offset itself if the bounds of the function are unknown.
	 */
	uint64_t address;
	bool bounded; /* a function begins at the address */
	/*
	 * Offsets in the file with the same answer, from start to end. The offset of the query is
	 * one of them. Both 0: unknown.
	 */
	uint64_t start, end;
	bool unsure;   /* the name ends with "+0x123?": the function may have ended before */
	bool nameless; /* there is no name in the file at all */
};

enum { SYMBOL_NAME_BYTES = 4096 };

typedef void symbol_found(void *arg, size_t query, const struct symbol *symbol);

/*
 * Queries the functions of n places, and calls `found` for each that is answered before
 * deadline_ns (CLOCK_MONOTONIC), with the index of its query. Returns the number of answers. The
 * others have no file in the child, or the child is slow: query them again later. Queries of
 * one file should follow each other: they are one request.
 */
size_t symbol_client_find(struct symbol_client *client, const struct symbol_query *queries,
			  size_t n, uint64_t deadline_ns, symbol_found *found, void *arg);

/*
 * Finds the link address of a symbol of a file that was given, before deadline_ns. 0; -ENOENT: the
 * file has none of that name; -EAGAIN: not known now, query it again later.
 */
int symbol_client_locate(struct symbol_client *client, uint64_t key, const char *name,
			 uint64_t deadline_ns, uint64_t *address);

/*
 * Makes a name readable that no file has, before deadline_ns: demangled if it is mangled, and
 * printable. Starts a child if there is none. 0; -ENOENT: it stays as it is; -EAGAIN: not now.
 * Others: no child can be started.
 */
int symbol_client_demangle(struct symbol_client *client, const char *mangled, uint64_t deadline_ns,
			   char name[SYMBOL_NAME_BYTES]);

enum symbol_state {
	SYMBOL_IDLE,    /* no file was given yet */
	SYMBOL_RUNNING, /* there is a child */
	SYMBOL_WAITING, /* the child ended; the next one starts later */
	SYMBOL_FAILED,  /* no child can be started: error */
};

struct symbol_status {
	enum symbol_state state;
	unsigned restarts; /* children that were replaced */
	unsigned refused;  /* files that are not given again */
	unsigned waits;    /* calls since the child has answered, if it should have */
	int pid;           /* of the child; 0: none */
	int error;         /* -errno of the last start; 0: it has not failed */
	int wait_status;   /* of the last child that ended (wait(2)); 0: none did, or unknown */
	bool filtered;     /* the child has a filter of system calls; false without a child */
};
void symbol_client_status(const struct symbol_client *client, struct symbol_status *status);

/*
 * For how long the child has stood still in a request, or after it was killed, in ns; 0: it does
 * not. *key is the key of the file at which it stands. Call it again and again: it compares with
 * the call before.
 */
uint64_t symbol_client_stands_ns(struct symbol_client *client, const struct sys *sys,
				 uint64_t *key);

#endif
