// SPDX-License-Identifier: MIT
/*
 * Both files begin with a line of CPUs. The lines below have an id, a count for each of these CPUs
 * and, in /proc/interrupts, a text. A line with fewer counts ("ERR:") is of the whole machine.
 */
#include "core/sys/interrupts.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	COLUMNS_MAX = 8192,     /* CPUs that Linux can have */
	FIRST_BYTES = 64 << 10, /* most machines have less */
	READ_FACTOR = 32,
};

/* The columns of the file, and where a count is kept: an index of counts, or -1. */
struct columns {
	signed char at[COLUMNS_MAX];
	size_t n;
};

static int index_of(const int *cpus, size_t n, int cpu)
{
	for (size_t i = 0; i < n; i++)
		if (cpus[i] == cpu)
			return (int)i;
	return -1;
}

/* Parses "CPU0  CPU2 ...". Returns the text behind the line; NULL if it has no end. */
static const char *parse_columns(const char *text, const int *cpus, size_t n_cpus,
				 struct columns *columns, struct interrupts *interrupts)
{
	const char *end = strchr(text, '\n');

	while (end && (text = strstr(text, "CPU")) && text < end) {
		uint64_t cpu;
		text += 3;
		if (!isdigit((unsigned char)*text) || !text_u64(text, &cpu) ||
		    columns->n == COLUMNS_MAX)
			return NULL;
		bool wanted = cpu < COLUMNS_MAX && interrupts->n_cpus < INTERRUPT_CPUS_MAX &&
			      index_of(cpus, n_cpus, (int)cpu) >= 0;
		columns->at[columns->n++] = wanted ? (signed char)interrupts->n_cpus : -1;
		if (wanted)
			interrupts->cpus[interrupts->n_cpus++] = (int)cpu;
	}
	return end ? end + 1 : NULL;
}

static void copy_bytes(char *to, size_t size, const char *from, const char *end)
{
	size_t length = size_min((size_t)(end - from), size - 1);

	memcpy(to, from, length);
	to[length] = '\0';
}

/*
 * The line of a number has behind its counts the interrupt controller, its pin and trigger, padded
 * with blanks, and the devices behind two blanks: "IO-APIC   4-edge      ttyS0". Without a device
 * the line ends in a blank.
 */
static void set_name(struct interrupt *line, const char *text, const char *end)
{
	const char *name = text;

	while (name < end && *name == ' ')
		name++;
	if (!isdigit((unsigned char)line->id[0])) {
		copy_bytes(line->name, sizeof(line->name), name, end);
		if (!line->name[0])
			text_copy(line->name, sizeof(line->name), line->id);
		return;
	}
	if (name == end || end[-1] == ' ') {
		snprintf(line->name, sizeof(line->name), "irq %s", line->id);
		return;
	}
	for (const char *at = name; at + 2 < end; at++)
		if (at[0] == ' ' && at[1] == ' ')
			name = at + 2;
	copy_bytes(line->name, sizeof(line->name), name, end);
}

/* Parses one line. False if it has no id or too few counts. */
static bool parse_line(const char *text, const char *end, const struct columns *columns,
		       struct interrupt *line)
{
	text += strspn(text, " ");
	const char *colon = memchr(text, ':', text < end ? (size_t)(end - text) : 0);

	if (!colon || colon == text)
		return false;
	*line = (struct interrupt){0};
	copy_bytes(line->id, sizeof(line->id), text, colon);
	text = colon + 1;
	for (size_t i = 0; i < columns->n; i++) {
		uint64_t count;
		size_t length = text_u64(text, &count);
		if (length == 0)
			return false;
		if (columns->at[i] >= 0)
			line->counts[columns->at[i]] = count;
		text += length;
	}
	set_name(line, text, end);
	return true;
}

void interrupts_parse(const char *text, const int *cpus, size_t n_cpus,
		      struct interrupts *interrupts)
{
	struct columns columns = {.n = 0};

	*interrupts = (struct interrupts){.n_cpus = 0};
	text = parse_columns(text, cpus, n_cpus, &columns, interrupts);
	for (const char *end; text && columns.n && (end = strchr(text, '\n')); text = end + 1) {
		struct interrupt line;
		if (!parse_line(text, end, &columns, &line))
			continue;
		if (interrupts->n == INTERRUPT_LINES_MAX)
			break;
		interrupts->lines = array_reserve(interrupts->lines, &interrupts->capacity,
						  interrupts->n + 1, sizeof(*interrupts->lines));
		interrupts->lines[interrupts->n++] = line;
	}
}

/* Reads the whole file, which the caller frees. NULL, and *code, if that fails. */
static char *read_file(const struct sys *sys, const char *path, int *code)
{
	for (size_t size = FIRST_BYTES; size <= INTERRUPT_BYTES_MAX; size *= READ_FACTOR) {
		char *text = xmalloc(size);
		ssize_t length = sys_file_read(sys, path, text, size);

		if (length >= 0 && (size_t)length < size - 1)
			return text;
		free(text);
		*code = length < 0 ? (int)length : -EFBIG;
		if (length < 0)
			return NULL;
	}
	return NULL;
}

int interrupts_read(const struct sys *sys, enum interrupts_kind kind, const int *cpus,
		    size_t n_cpus, struct interrupts *interrupts)
{
	int code = 0;
	char *text = read_file(sys, kind == INTERRUPTS_HARD ? "/proc/interrupts" : "/proc/softirqs",
			       &code);

	interrupts_parse(text ? text : "", cpus, n_cpus, interrupts);
	if (text)
		code = interrupts->n > 0 ? 0 : -EBADMSG;
	free(text);
	return code;
}

void interrupts_fini(struct interrupts *interrupts)
{
	free(interrupts->lines);
	*interrupts = (struct interrupts){.n_cpus = 0};
}

/* The line of an id: at the same index, unless interrupts were added or removed. */
static const struct interrupt *find_line(const struct interrupts *interrupts, const char *id,
					 size_t index)
{
	for (size_t i = 0; i < interrupts->n; i++) {
		const struct interrupt *line = &interrupts->lines[(index + i) % interrupts->n];
		if (strcmp(line->id, id) == 0)
			return line;
	}
	return NULL;
}

enum { WRAP_MOST = 1 << 28 }; /* more do not come in one interval */

/* The kernel counts in 32 bits. A count that fell without an overflow has begun again at 0. */
static uint64_t growth(uint64_t before, uint64_t now)
{
	uint32_t wrapped = (uint32_t)(now - before);

	if (now >= before)
		return now - before;
	return before <= UINT32_MAX && wrapped <= WRAP_MOST ? wrapped : 0;
}

const struct interrupt *interrupts_most(const struct interrupts *before,
					const struct interrupts *now, int cpu, uint64_t *times)
{
	int was = index_of(before->cpus, before->n_cpus, cpu);
	int is = index_of(now->cpus, now->n_cpus, cpu);
	const struct interrupt *most = NULL;

	*times = 0;
	for (size_t i = 0; was >= 0 && is >= 0 && i < now->n; i++) {
		const struct interrupt *line = &now->lines[i];
		const struct interrupt *old = find_line(before, line->id, i);
		uint64_t grown = growth(old ? old->counts[was] : 0, line->counts[is]);
		if (grown <= *times)
			continue;
		*times = grown;
		most = line;
	}
	return most;
}
