// SPDX-License-Identifier: MIT
/*
 * The functions are sorted by address when one is searched. A compiler that discards code uses its
 * memory again, so later lines come before earlier ones of the same place. A file that shrank, or
 * is another one, is read from its beginning.
 */
#include "core/code/jit_map.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PIECE_BYTES = 64 << 10,
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
	pid_t pid;
	const char *symfs; /* NULL: the process runs */
	bool exists, sorted;
	bool skip; /* the rest of a line that is too long */
	uint64_t next_ns;
	dev_t dev;
	ino_t inode;
	uint64_t offset; /* read so far, up to the end of a line */
	struct jit_function *functions;
	size_t n, capacity;
	char *names;
	size_t names_bytes, names_capacity;
};

struct jit_map *jit_map_new(const struct sys *sys, pid_t pid, const char *symfs)
{
	struct jit_map *map = xcalloc(1, sizeof(*map));

	map->sys = sys;
	map->pid = pid;
	map->symfs = symfs;
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

/* The pid that the process itself has: the last one of NSpid. */
static pid_t own_pid(const struct sys *sys, pid_t pid)
{
	char path[32], value[256];
	struct proc_text status;
	pid_t own = pid;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (proc_text_read(sys, path, &status) == 0 &&
	    proc_field(status.text, "NSpid", value, sizeof(value))) {
		const char *last = strrchr(value, '\t');

		own = proc_pid(last ? last + 1 : value);
	}
	proc_text_fini(&status);
	return own > 0 ? own : pid;
}

/* A descriptor, or -1. */
static int open_recorded_map(const struct jit_map *map, struct stat *status)
{
	char path[4096 + 64];

	if (snprintf(path, sizeof(path), "%s/tmp/perf-%d.map", map->symfs, map->pid) >=
	    (int)sizeof(path))
		return -1;
	int fd = sys_file_open(map->sys, path);
	if (fd < 0)
		return -1;
	if (sys_file_status(map->sys, fd, status) == 0)
		return fd;
	sys_close(map->sys, fd);
	return -1;
}

/* A descriptor, or -1. */
static int open_running_map(const struct jit_map *map, struct stat *status)
{
	char path[96], process[32];
	uid_t user = 0;

	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", map->pid,
		 own_pid(map->sys, map->pid));
	snprintf(process, sizeof(process), "/proc/%d", map->pid);
	int fd = sys_file_open(map->sys, path);
	if (fd < 0)
		return -1;
	if (sys_file_status(map->sys, fd, status) == 0 && S_ISREG(status->st_mode) &&
	    sys_file_owner(map->sys, process, &user) == 0 &&
	    (status->st_uid == user || status->st_uid == 0))
		return fd;
	sys_close(map->sys, fd);
	return -1;
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

static void read_part(struct jit_map *map, int fd)
{
	char *text = xmalloc(PIECE_BYTES);
	uint64_t most = map->symfs ? JIT_MAP_BYTES : JIT_MAP_PART_BYTES;

	for (uint64_t part = 0; part < most && map->offset < JIT_MAP_BYTES;) {
		ssize_t n = sys_file_pread(map->sys, fd, text, PIECE_BYTES, map->offset);
		size_t used = n > 0 ? add_lines(map, text, (size_t)n) : 0;

		if (used == 0 && n < PIECE_BYTES)
			break; /* the end, with the beginning of a line or without */
		if (used == 0) {
			map->skip = true;
			used = PIECE_BYTES;
		}
		map->offset += used;
		part += used;
	}
	free(text);
}

static void read_growth(struct jit_map *map)
{
	uint64_t begin_ns = sys_now_ns(map->sys);
	struct stat status;

	if (begin_ns < map->next_ns)
		return;
	int fd = map->symfs ? open_recorded_map(map, &status) : open_running_map(map, &status);
	map->exists = fd >= 0;
	if (fd >= 0) {
		if (status.st_ino != map->inode || status.st_dev != map->dev ||
		    (uint64_t)status.st_size < map->offset) {
			map->n = map->names_bytes = 0;
			map->offset = 0;
			map->skip = false;
		}
		map->inode = status.st_ino;
		map->dev = status.st_dev;
		read_part(map, fd);
		sys_close(map->sys, fd);
	}
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

const char *jit_map_find(struct jit_map *map, uint64_t address)
{
	read_growth(map);
	if (!map->sorted && map->n > 0)
		qsort(map->functions, map->n, sizeof(*map->functions), compare_functions);
	map->sorted = true;
	const struct jit_function *found = find_newest(map, address);
	return found ? map->names + found->name : NULL;
}

bool jit_map_exists(const struct jit_map *map)
{
	return map->exists;
}

size_t jit_map_bytes(const struct jit_map *map)
{
	return sizeof(*map) + map->capacity * sizeof(*map->functions) + map->names_capacity;
}
