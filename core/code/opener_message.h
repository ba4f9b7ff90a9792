// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OPENER_MESSAGE_H
#define PMCTOP_OPENER_MESSAGE_H

#include "core/code/code_text.h"
#include "core/code/mapped_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Messages between opener_client.c and opener_worker.c, on a SOCK_SEQPACKET socket: each is one
 * message of the socket. The first one is a struct helper_hello of the process. Both ends are the
 * same program, so values have its byte order. One request is under way at a time.
 */
enum opener_request_kind {
	OPENER_CONFIG = 1, /* the first request. No answer */
	/* With a descriptor: the socket that gives files to the parser (symbol_message.h). No
	   answer */
	OPENER_LINK,
	OPENER_FILE, /* opens the file of a mapping, and gives it to the parser */
	OPENER_TEXT, /* reads a part of a text */
};

enum { OPENER_NAMES_BYTES = 2 * MAPPED_FILE_PATH_BYTES };

struct opener_request {
	uint32_t kind;
	uint32_t n; /* bytes of `names` that are sent */
	uint64_t id;
	union {
		struct {
			uint64_t random;
			bool recording, has_symfs, has_cache;
		} config; /* names: "SYMFS\0CACHE\0" */
		struct {
			pid_t pid;
			unsigned skipped; /* bits: 1 << enum mapped_file_stage */
			uint64_t start, end, offset, dev, inode;
			struct code_build_id build_id;
			bool past;
		} file; /* names: the mapping's name, with its NUL */
		struct {
			struct code_text text;
			unsigned skipped; /* as above */
			uint64_t offset;
		} text;
	};
	char names[OPENER_NAMES_BYTES];
};

static inline size_t opener_request_bytes(const struct opener_request *request)
{
	return offsetof(struct opener_request, names) + request->n;
}

enum opener_reply_kind {
	OPENER_STAGE = 1, /* the process goes on to a stage of the search. More replies follow */
	OPENER_FOUND,     /* of FILE and TEXT */
};

struct opener_reply {
	uint32_t kind;
	int32_t error; /* 0 or -errno */
	uint64_t id;
	union {
		uint32_t stage;
		struct {
			struct mapped_file found;
			bool given; /* the parser has it */
		} file;
		struct {
			struct code_text_status status;
			uint32_t n; /* bytes that follow */
		} text;
	};
	char bytes[CODE_TEXT_BYTES]; /* only n are sent */
};

/* Name (argv[0]) by which the program finds that it is the opener. */
#define OPENER_WORKER_NAME "pmctop-opener"

#endif
