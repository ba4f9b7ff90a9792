// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HOST_REPLY_H
#define PMCTOP_HOST_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What host_setup.sh prints on the host: lines "TOKEN KEY VALUE". The token is a random number of
 * this run. All other output is skipped: a message of the day, the output of a login shell's files.
 * The host may be hostile, so everything is bounded. Pure.
 */
enum host_key {
	HOST_BEGIN,     /* the script runs, or the output of a command follows */
	HOST_MACHINE,   /* `uname -m` */
	HOST_KERNEL,    /* `uname -sr` */
	HOST_CPU,       /* of /proc/cpuinfo, what cpu_kind_parse_id() needs; ; ends a line */
	HOST_INSTALLED, /* first line of `pmctop --version` there; "": none */
	HOST_FACTS,     /* the end of these facts */
	HOST_REFUSED,   /* "REASON PLACE": a place that was not chosen */
	HOST_NOWHERE,   /* no place was chosen */
	HOST_FOLDER,    /* the new folder */
	HOST_SUM,       /* of a received file: host_sum_parse() */
	HOST_RUNS,      /* first line of --version of the program in the folder */
	HOST_READY,     /* the program can be started */
	HOST_UNUSED,    /* at the end: the program has not read its parcel */
};

enum {
	HOST_TOKEN_DIGITS = 32,
	HOST_VALUE_BYTES = 512,
	HOST_LINE_BYTES = HOST_TOKEN_DIGITS + HOST_VALUE_BYTES + 32,
	HOST_SKIPPED_MAX = 1 << 20, /* bytes before the next reply */
};

struct host_reply {
	enum host_key key;
	char value[HOST_VALUE_BYTES]; /* printable ASCII; other bytes became '?' */
};

struct host_reader {
	char token[HOST_TOKEN_DIGITS + 1];
	char line[HOST_LINE_BYTES]; /* the line so far, or its last bytes */
	size_t n;
	size_t skipped;
};

void host_reader_init(struct host_reader *reader, const char *token);

/*
 * Takes bytes up to the end of the next reply; *used is their number. Returns 1 if *reply has a
 * reply, 0 if all bytes were used without one, or -EPROTO: the reply is unknown or too long, the
 * script itself comes back, or there is too much else before the reply.
 */
int host_reader_take(struct host_reader *reader, const char *bytes, size_t n, size_t *used,
		     struct host_reply *reply);

/*
 * Whether the path is a folder that host_setup.sh makes for a run with this name: absolute, of
 * letters, digits and "/._-", without "..". No shell changes such a word.
 */
bool host_folder_is_valid(const char *path, const char *name);

/* The CRC and the length that cksum(1) prints; only a length if the host has no cksum. */
struct host_sum {
	bool known; /* crc is valid */
	uint32_t crc;
	uint64_t bytes;
};

/* False if the value is no sum. */
bool host_sum_parse(const char *value, struct host_sum *sum);

/*
 * Whether the pmctop that prints this line for --version understands what this one sends: it has
 * the same version or a newer one. Versions between two releases are compared only if git has
 * counted the commits since a tag ("0.1.0+12.gda45510").
 */
bool host_version_fits(const char *line, const char *own);
/* Whether it has the same release ("0.1.0") or a newer one: enough for a program that is copied. */
bool host_release_fits(const char *line, const char *own);

#endif
