// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SYMBOL_MESSAGE_H
#define PMCTOP_SYMBOL_MESSAGE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Messages between symbol_client.c and symbol_worker.c, on a SOCK_SEQPACKET socket: each is one
 * message of the socket. The first one is a struct helper_hello. Both ends are the same program, so
 * values have its byte order. The client trusts no reply: a file may have taken over the child
 * (the parser).
 *
 * Requests are answered in order: FIND, LOCATE and DEMANGLE by FOUND or MISSING. ADD comes from
 * opener_worker.c, which has a copy of the client's end of the socket; it has no answer, and
 * neither has DROPPED a request. New kinds of requests, such as for lines, are added here.
 */
enum symbol_request_kind {
	SYMBOL_ADD = 1, /* with one or two descriptors: the binary, and its debug file */
	SYMBOL_FIND,
	SYMBOL_LOCATE,   /* the address of the symbol with that name */
	SYMBOL_DEMANGLE, /* the readable form of a name; it needs no file */
};

enum {
	SYMBOL_OFFSETS_MAX = 256,      /* of a request */
	SYMBOL_TEXT_BYTES = 1024,      /* of a name in a request, without NUL */
	SYMBOL_REPLY_BYTES = 16 << 10, /* of a message */
};

struct symbol_request {
	uint32_t kind;
	uint32_t n; /* ADD: descriptors. FIND: offsets. LOCATE, DEMANGLE: bytes of the name */
	uint64_t id;
	uint64_t key;
	/* Only n are sent. */
	union {
		uint64_t offsets[SYMBOL_OFFSETS_MAX];
		char name[SYMBOL_TEXT_BYTES];
	};
};

static inline size_t symbol_request_bytes(uint32_t kind, uint32_t n)
{
	size_t item = kind == SYMBOL_FIND                                ? sizeof(uint64_t)
		      : kind == SYMBOL_LOCATE || kind == SYMBOL_DEMANGLE ? 1
									 : 0;

	return offsetof(struct symbol_request, offsets) + n * item;
}

/*
 * Gives a child a file: descriptors of the binary and of its separate debug file (-1: none), both
 * of regular files and of the same build. They stay the caller's. `socket` is the client's end. 0
 * or -errno: -EINVAL for what is no regular file or is not O_RDONLY, -EAGAIN for a full queue, or a
 * child that has ended.
 */
int symbol_message_give(int socket, uint64_t key, int binary, int debug);

enum symbol_reply_kind {
	/*
	 * key: the file that was not used for longest. n: 1 before its descriptors are closed,
	 * which may take forever; 0 when they are.
	 */
	SYMBOL_DROPPED = 1,
	/*
	 * FIND: n answers; another message may have more. LOCATE: one, SYMBOL_BOUNDED if
	 * found. DEMANGLE: one; its name is "" if the given one is not mangled.
	 */
	SYMBOL_FOUND,
	SYMBOL_MISSING, /* the child does not have the file */
};

struct symbol_reply {
	uint32_t kind;
	uint32_t n;
	uint64_t id, key; /* of the request */
	uint32_t last;    /* FOUND: no more messages for this request */
	uint32_t unused;
	/* Followed by n answers. */
};

struct symbol_answer {
	uint64_t address;
	uint64_t start, end; /* offsets with the same answer */
	uint32_t query;      /* index in the request's offsets */
	uint16_t name_bytes; /* 0: none. The name follows, without a NUL */
	uint16_t flags;
};

enum symbol_answer_flag {
	SYMBOL_BOUNDED = 1,
	SYMBOL_UNSURE = 2,   /* the name has "+0x123?" behind it */
	SYMBOL_NAMELESS = 4, /* the file has no name at all */
};

/*
 * Calls fn for each answer of a FOUND message of n bytes with its name, which ends with a NUL and
 * may have any other bytes. `queries` is the number of offsets in its request. False: the message
 * is broken. Then fn was called for the answers before the fault.
 */
bool symbol_reply_answers(const void *message, size_t n, uint32_t queries,
			  void (*fn)(void *arg, const struct symbol_answer *answer,
				     const char *name),
			  void *arg);

static_assert(sizeof(struct symbol_request) == 24 + 8 * SYMBOL_OFFSETS_MAX, "no holes");
static_assert(sizeof(struct symbol_reply) == 32, "no holes");
static_assert(sizeof(struct symbol_answer) == 32, "no holes");

/* Name (argv[0]) by which the program finds that it is the child. */
#define SYMBOL_WORKER_NAME "pmctop-symbols"

#endif
