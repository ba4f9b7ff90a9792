// SPDX-License-Identifier: MIT
#include "core/code/code_file.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct code_files {
	struct hash_table by_key;
};

struct code_files *code_files_new(void)
{
	struct code_files *files = xcalloc(1, sizeof(*files));

	hash_table_init(&files->by_key, 0);
	return files;
}

void code_files_free(struct code_files *files)
{
	if (!files)
		return;
	hash_table_fini(&files->by_key);
	free(files);
}

void code_file_put(struct code_files *files, struct code_file *file)
{
	if (--file->refs > 0)
		return;
	if (file->key)
		hash_table_remove_item(&files->by_key, file->key, file);
	free(file->segments);
	hash_table_fini(&file->ids);
	code_ranges_fini(&file->ranges);
	free(file);
}

static struct code_file *new_file(uint64_t key)
{
	struct code_file *file = xcalloc(1, sizeof(*file));

	file->refs = 1;
	file->key = key;
	hash_table_init(&file->ids, 0);
	return file;
}

static void set_segments(struct code_file *file, const struct mapped_file *found)
{
	free(file->segments);
	file->segments = NULL;
	file->n_segments = (unsigned)size_min(found->n_segments, MAPPED_FILE_SEGMENTS);
	if (file->n_segments == 0)
		return;
	file->segments = xcalloc(file->n_segments, sizeof(*file->segments));
	memcpy(file->segments, found->segments, file->n_segments * sizeof(*file->segments));
}

struct code_file *code_files_keep(struct code_files *files, const struct mapped_file *found)
{
	struct code_file *file = hash_table_find(&files->by_key, found->key);

	if (file) {
		file->refs++;
	} else {
		file = new_file(found->key);
		hash_table_add(&files->by_key, found->key)->item = file;
	}
	file->size = found->size;
	file->no_offsets = found->no_offsets;
	file->by_segment = found->by_segment;
	file->code_address = found->code_address;
	file->code_align = found->code_align;
	set_segments(file, found);
	return file;
}

struct code_file *code_files_keep_unopened(const char *why, uint64_t next_ns)
{
	struct code_file *file = new_file(0);

	file->why = why;
	file->next_ns = next_ns;
	return file;
}

const char *code_file_why(int error, const char *name, bool recording)
{
	switch (-error) {
	case EMFILE:
	case ENFILE:
	case ENOMEM:
	case EAGAIN:
	case EINTR:
		return NULL;
	case EACCES:
	case EPERM:
		return "permission";
	case ESTALE:
		return recording ? "not the recorded file" : "replaced by another file";
	case EINVAL:
		return "no regular file";
	case ESRCH:
		return "the process has ended";
	case ETIMEDOUT:
		return "the file does not answer";
	default:
		return text_ends_with(name, " (deleted)") ? "deleted" : "not found";
	}
}

/* The place of a link address. */
static uint64_t find_segment(const struct code_file *file, uint64_t address)
{
	for (unsigned i = 0; i < file->n_segments; i++) {
		const struct code_file_segment *segment = &file->segments[i];

		if (address - segment->address < segment->bytes)
			return address - segment->address + segment->offset;
	}
	return CODE_FILE_NOWHERE;
}

/*
 * The segment of the code begins in the first page of its mapping. Its offset and its
 * address differ by a multiple of its alignment; the size of pages is not recorded.
 */
uint64_t code_file_place(const struct code_file *file, const struct code_mapping *mapping,
			 uint64_t address)
{
	static const uint64_t pages[] = {4 << 10, 16 << 10, 64 << 10};
	uint64_t begin = file->code_address & ~(pages[0] - 1), align = file->code_align;

	if (file->by_segment)
		return find_segment(file, address - mapping->start + mapping->offset);
	if (!file->no_offsets)
		return address - mapping->start + mapping->offset;
	for (size_t i = 0; i < ARRAY_SIZE(pages) && pages[i] <= align; i++) {
		begin = file->code_address & ~(pages[i] - 1);
		if (begin % align == mapping->offset % align)
			break;
	}
	return address - mapping->start + begin;
}
