// SPDX-License-Identifier: MIT
/*
 * The file has one line a mapping, up to 65,530 by default (vm.max_map_count), and the kernel
 * returns at most a page a read. Between two reads the process may map and unmap: the kernel goes
 * on behind the last address that it printed, where a mapping may have grown over that address.
 */
#include "core/sys/proc_maps.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/sys/file_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Reads hexadecimal digits and the character behind them. Returns what follows, or NULL. */
static char *parse_hex(char *at, char end, uint64_t *number)
{
	unsigned digits = 0;

	for (*number = 0; digits < 16; digits++) {
		char c = at[digits];
		unsigned value = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
							: 16;

		if (value == 16)
			break;
		*number = *number << 4 | value;
	}
	return digits > 0 && at[digits] == end ? at + digits + 1 : NULL;
}

/* "\012" becomes a newline, the one character that the kernel escapes. */
static void unescape_newlines(char *name)
{
	char *to = name;

	for (const char *from = name; *from; to++) {
		bool newline = strncmp(from, "\\012", 4) == 0;

		*to = newline ? '\n' : *from;
		from += newline ? 4 : 1;
	}
	*to = '\0';
}

int proc_mapping_parse(char *line, struct proc_mapping *mapping)
{
	uint64_t device_major, device_minor, inode = 0;
	char *at = parse_hex(line, '-', &mapping->start);

	at = at ? parse_hex(at, ' ', &mapping->end) : NULL;
	if (!at || mapping->end <= mapping->start || strnlen(at, 5) < 5 || at[4] != ' ')
		return -EBADMSG;
	mapping->executable = at[2] == 'x';
	at = parse_hex(at + 5, ' ', &mapping->offset);
	at = at ? parse_hex(at, ':', &device_major) : NULL;
	at = at ? parse_hex(at, ' ', &device_minor) : NULL;
	size_t digits = at ? text_u64(at, &inode) : 0;
	if (digits == 0 || device_major > UINT32_MAX || device_minor > UINT32_MAX)
		return -EBADMSG;
	mapping->dev = makedev((unsigned)device_major, (unsigned)device_minor);
	mapping->inode = inode;
	at += digits;
	/* The kernel pads with blanks; a name that begins with a blank does not exist. */
	at += strspn(at, " ");
	unescape_newlines(at);
	mapping->name = at;
	return 0;
}

int proc_maps_open(const struct sys *sys, pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	return sys_file_open(sys, path);
}

struct reader {
	uint64_t end; /* of the mapping before */
	int (*fn)(void *arg, const struct proc_mapping *mapping);
	void *arg;
};

/* Passes a line on, without what earlier lines have covered. */
static int pass_line(void *arg, char *line)
{
	struct reader *reader = arg;
	struct proc_mapping mapping;

	if (proc_mapping_parse(line, &mapping) != 0 || mapping.end <= reader->end)
		return 0;
	if (mapping.start < reader->end) {
		mapping.offset += mapping.inode ? reader->end - mapping.start : 0;
		mapping.start = reader->end;
	}
	reader->end = mapping.end;
	return reader->fn(reader->arg, &mapping);
}

int proc_maps_each(const struct sys *sys, int fd, size_t most,
		   int (*fn)(void *arg, const struct proc_mapping *mapping), void *arg)
{
	struct reader reader = {.fn = fn, .arg = arg};

	return file_lines_each(sys, fd, most, pass_line, &reader);
}

int proc_maps_query(const struct sys *sys, int fd, uint64_t address, char *name,
		    struct proc_mapping *mapping)
{
	struct procmap_query query = {
		.size = sizeof(query),
		.query_addr = address,
		.vma_name_size = PROC_MAPS_NAME,
		.vma_name_addr = (uintptr_t)name,
	};
	int rc = sys_file_ioctl(sys, fd, PROCMAP_QUERY, &query);

	if (rc)
		return rc;
	if (address < query.vma_start || address >= query.vma_end)
		return -EBADMSG;
	name[query.vma_name_size > 0 ? size_min(query.vma_name_size, PROC_MAPS_NAME) - 1 : 0] =
		'\0';
	*mapping = (struct proc_mapping){
		.start = query.vma_start,
		.end = query.vma_end,
		.offset = query.vma_offset,
		.dev = makedev(query.dev_major, query.dev_minor),
		.inode = query.inode,
		.executable = query.vma_flags & PROCMAP_QUERY_EXECUTABLE,
		.name = name,
	};
	return 0;
}

int proc_maps_build_id(const struct sys *sys, int fd, uint64_t address,
		       uint8_t id[PROC_MAPS_BUILD_ID])
{
	struct procmap_query query = {
		.size = sizeof(query),
		.query_addr = address,
		.build_id_size = PROC_MAPS_BUILD_ID,
		.build_id_addr = (uintptr_t)id,
	};
	int rc = sys_file_ioctl(sys, fd, PROCMAP_QUERY, &query);

	if (rc)
		return rc;
	return query.build_id_size > 0 ? (int)size_min(query.build_id_size, PROC_MAPS_BUILD_ID)
				       : -ENOENT;
}
