// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TABLE_JSON_H
#define PMCTOP_TABLE_JSON_H

#include <jansson.h>
#include <stddef.h>

/*
 * A file of JSON, an entry at a time. A file that is cut off or damaged gives the entries before
 * that place, and memory is needed for one entry only.
 *
 * The file is an array of entries, or an object of sections. A section is read as one entry, as an
 * entry for each of its elements or members, or not at all.
 */
enum {
	TABLE_JSON_DEPTH_MAX = 32, /* of an entry, and of what is left out */
	TABLE_JSON_NAME_MAX = 255, /* bytes of the name of a section or member */
	/* Of an entry, names of members included: each needs some hundred bytes of memory. */
	TABLE_JSON_VALUES_MAX = 20000,
};

enum table_json_part {
	TABLE_JSON_NONE,
	TABLE_JSON_WHOLE,
	TABLE_JSON_EACH,
	TABLE_JSON_STOP, /* the rest of the file is not needed */
};

struct table_json_entry {
	const char *section; /* "" in an array at the top */
	const char *key;     /* name of the member; "": an element, or the section as a whole */
	size_t line;         /* in the file, from 1 on */
	size_t n_values;     /* that it consists of, at most TABLE_JSON_VALUES_MAX */
	json_t *value;       /* borrowed: json_incref() keeps it */
};

struct table_json_reader {
	/* What is needed of a section; "" is an array at the top. */
	enum table_json_part (*part)(void *arg, const char *section);
	void (*entry)(void *arg, const struct table_json_entry *entry);
	/* An entry is not JSON, or the file is not from that line on. `why` has no full stop. */
	void (*fault)(void *arg, size_t line, const char *why);
	void *arg;
};

/* Reads any bytes. Names are as in the file: escapes are not decoded. */
void table_json_read(const char *text, size_t length, const struct table_json_reader *reader);

#endif
