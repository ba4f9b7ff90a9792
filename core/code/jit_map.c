// SPDX-License-Identifier: MIT
/*
 * The functions are sorted by address when one is searched. A compiler that discards code uses its
 * memory again, so later lines come before earlier ones of the same place. A file that shrank, or
 * is another one, is read from its beginning.
 */
#include "core/code/jit_map.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	PIECE_BYTES = CODE_TEXT_BYTES,
	NAME_BYTES_MAX = 1024, /* longer ones are cut */
	COST_SHARE = 100,      /* reading takes at most 1/100 of the time */
	OVERLAPS_MAX = 16,     /* functions before an address that are examined */
};

struct jit_function {
	uint64_t start;
	uint32_t size;
	uint32_t name; /* offset in the names: greater is newer */
};

struct jit_map {
	const struct sys *sys;
	const struct code_helpers *helpers;
	pid_t pid;
	bool recording;
	bool may_exist, sorted;
	bool skip; /* the rest of a line that is too long */
	uint64_t next_ns;
	uint64_t dev, inode;
	uint64_t offset; /* read so far, up to the end of a line */
	struct jit_function *functions;
	size_t n, capacity;
	char *names;
	size_t names_bytes, names_capacity;
};

struct jit_map *jit_map_new(const struct sys *sys, const struct code_helpers *helpers, pid_t pid,
			    bool recording)
{
	struct jit_map *map = xcalloc(1, sizeof(*map));

	map->sys = sys;
	map->helpers = helpers;
	map->pid = pid;
	map->recording = recording;
	map->may_exist = true;
	return map;
}

void jit_map_free(struct jit_map *map)
{
	if (!map)
		return;
	free(map->functions);
	free(map->names);
	free(map);
}

/* Reads hexadecimal digits, with or without "0x", and blanks behind them. NULL: none. */
static char *parse_number(char *at, uint64_t *number)
{
	char *end;

	if (*at == ' ' || *at == '-' || *at == '+')
		return NULL;
	*number = strtoull(at, &end, 16);
	return end > at && *end == ' ' ? end + strspn(end, " ") : NULL;
}

static void add_line(struct jit_map *map, char *line)
{
	uint64_t start, size;
	char *at = parse_number(line, &start);

	at = at ? parse_number(at, &size) : NULL;
	if (!at || !*at || size == 0 || size > UINT32_MAX || start + size < start)
		return;
	size_t length = strnlen(at, NAME_BYTES_MAX);
	if (map->n >= JIT_MAP_FUNCTIONS || map->names_bytes + length + 1 > JIT_MAP_NAMES_BYTES)
		return;
	map->functions =
		array_reserve(map->functions, &map->capacity, map->n + 1, sizeof(*map->functions));
	map->names =
		array_reserve(map->names, &map->names_capacity, map->names_bytes + length + 1, 1);
	map->functions[map->n++] =
		(struct jit_function){start, (uint32_t)size, (uint32_t)map->names_bytes};
	memcpy(map->names + map->names_bytes, at, length);
	map->names[map->names_bytes + length] = '\0';
	map->names_bytes += length + 1;
	map->sorted = false;
}

/* Adds the complete lines. Returns their bytes. */
static size_t add_lines(struct jit_map *map, char *text, size_t n)
{
	size_t used = 0;
	char *newline;

	while ((newline = memchr(text + used, '\n', n - used))) {
		*newline = '\0';
		if (!map->skip)
			add_line(map, text + used);
		map->skip = false;
		used = (size_t)(newline - text) + 1;
	}
	return used;
}

/* Adds the lines of a piece of n bytes. False: no complete line has come yet. */
static bool add_piece(struct jit_map *map, char *text, size_t n)
{
	size_t used = add_lines(map, text, n);

	if (used == 0 && n < PIECE_BYTES)
		return false;
	if (used == 0) {
		map->skip = true;
		used = PIECE_BYTES;
	}
	map->offset += used;
	return true;
}

static ssize_t read_piece(const struct jit_map *map, char *text, uint64_t deadline_ns,
			  struct code_text_status *status)
{
	const struct code_helpers *helpers = map->helpers;
	const struct code_text which = {.kind = CODE_TEXT_PERF_MAP, .pid = map->pid};

	return helpers->text(helpers->ctx, &which, map->offset, deadline_ns, text, PIECE_BYTES,
			     status);
}

static bool is_same_file(const struct jit_map *map, const struct code_text_status *status)
{
	return status->inode == map->inode && status->dev == map->dev &&
	       status->size >= map->offset;
}

/* Reads on. -EAGAIN: the file has not answered yet. */
static ssize_t read_part(struct jit_map *map, char *text, uint64_t deadline_ns)
{
	uint64_t most = map->recording ? JIT_MAP_BYTES : JIT_MAP_PART_BYTES, begin = map->offset;
	struct code_text_status status;
	ssize_t n = read_piece(map, text, deadline_ns, &status);

	if (n >= 0 && !is_same_file(map, &status)) {
		map->n = map->names_bytes = 0;
		map->offset = begin = 0;
		map->skip = false;
		map->inode = status.inode;
		map->dev = status.dev;
		n = read_piece(map, text, deadline_ns, &status);
	}
	if (n != -EAGAIN)
		map->may_exist = n >= 0;
	while (n > 0 && is_same_file(map, &status) && map->offset < JIT_MAP_BYTES &&
	       add_piece(map, text, (size_t)n) && map->offset - begin < most)
		n = read_piece(map, text, deadline_ns, &status);
	return n;
}

static void read_growth(struct jit_map *map, uint64_t deadline_ns)
{
	uint64_t begin_ns = sys_now_ns(map->sys);

	if (begin_ns < map->next_ns)
		return;
	char *text = xmalloc(PIECE_BYTES);
	ssize_t n = read_part(map, text, deadline_ns);
	free(text);
	if (n == -EAGAIN)
		return;
	uint64_t end_ns = sys_now_ns(map->sys), wait_ns = COST_SHARE * (end_ns - begin_ns);
	map->next_ns = end_ns + (wait_ns > NS_PER_S ? wait_ns : NS_PER_S);
}

static int compare_functions(const void *a, const void *b)
{
	const struct jit_function *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return (left->name > right->name) - (left->name < right->name);
}

static const struct jit_function *find_newest(const struct jit_map *map, uint64_t address)
{
	const struct jit_function *newest = NULL;
	size_t low = 0, high = map->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = 0; i < OVERLAPS_MAX && i < low; i++) {
		const struct jit_function *at = &map->functions[low - 1 - i];

		if (address - at->start < at->size && (!newest || at->name > newest->name))
			newest = at;
	}
	return newest;
}

const char *jit_map_find(struct jit_map *map, uint64_t address, uint64_t deadline_ns)
{
	read_growth(map, deadline_ns);
	if (!map->sorted && map->n > 0)
		qsort(map->functions, map->n, sizeof(*map->functions), compare_functions);
	map->sorted = true;
	const struct jit_function *found = find_newest(map, address);
	return found ? map->names + found->name : NULL;
}

bool jit_map_may_exist(const struct jit_map *map)
{
	return map->may_exist;
}

size_t jit_map_bytes(const struct jit_map *map)
{
	return sizeof(*map) + map->capacity * sizeof(*map->functions) + map->names_capacity;
}
