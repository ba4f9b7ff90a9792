// SPDX-License-Identifier: MIT
/*
 * Descriptors of files: their text at the time of the open, and PROCMAP_QUERY from the text of
 * /proc/PID/maps.
 */
#include "core/base/hash_table.h"
#include "core/base/util.h"
#include "core/sys/proc_maps.h"
#include "tests/fake_kernel/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

enum { TEXT_BYTES_FIRST = 1 << 12 };

static struct fk_opened *opened(struct fk *fk, int fd)
{
	size_t i = fd >= FK_FIRST_FILE ? (size_t)(fd - FK_FIRST_FILE) : fk->n_opened;

	return i < fk->n_opened && fk->opened[i].path ? &fk->opened[i] : NULL;
}

static ssize_t whole_text(struct fk *fk, const char *path, char **text)
{
	size_t size = TEXT_BYTES_FIRST;
	ssize_t n;

	for (*text = NULL;; size *= 2) {
		free(*text);
		*text = xmalloc(size);
		n = fk_file_text(fk, path, *text, size);
		if (n < 0 || (size_t)n < size - 1)
			break;
	}
	if (n < 0)
		free(*text);
	return n;
}

int fk_file_open(void *ctx, const char *path)
{
	struct fk *fk = ctx;
	int error = fk_enter(fk, FK_FILE_OPEN);
	char *text;

	if (error)
		return error;
	ssize_t n = whole_text(fk, path, &text);
	if (n < 0)
		return (int)n;
	fk->opened = array_reserve(fk->opened, &fk->opened_capacity, fk->n_opened + 1,
				   sizeof(*fk->opened));
	fk->opened[fk->n_opened] =
		(struct fk_opened){.path = xstrdup(path), .text = text, .size = (size_t)n};
	return FK_FIRST_FILE + (int)fk->n_opened++;
}

ssize_t fk_file_pread(void *ctx, int fd, void *buffer, size_t size, uint64_t offset)
{
	struct fk *fk = ctx;
	const struct fk_opened *file = opened(fk, fd);
	int error = fk_enter(fk, FK_FILE_PREAD);

	if (error)
		return error;
	if (!file)
		return -EBADF;
	if (offset >= file->size)
		return 0;
	/* At most a page, as files of /proc. */
	size_t n = size_min(size_min(size, file->size - offset), 4096);
	memcpy(buffer, file->text + offset, n);
	return (ssize_t)n;
}

int fk_file_status(void *ctx, int fd, struct stat *status)
{
	struct fk *fk = ctx;
	const struct fk_opened *file = opened(fk, fd);
	int error = fk_enter(fk, FK_FILE_STATUS);

	if (error)
		return error;
	if (!file)
		return -EBADF;
	*status = (struct stat){.st_mode = S_IFREG | 0444,
				.st_nlink = 1,
				.st_ino = (ino_t)hash_text(file->path),
				.st_size = (off_t)file->size};
	return 0;
}

/* The mapping with the address. Its name points into a line that the caller frees. */
static char *find_mapping(const struct fk_opened *file, uint64_t address,
			  struct proc_mapping *mapping)
{
	for (const char *at = file->text; *at;) {
		size_t length = strcspn(at, "\n");
		char *line = xstrndup(at, length);

		if (proc_mapping_parse(line, mapping) == 0 && address >= mapping->start &&
		    address < mapping->end)
			return line;
		free(line);
		at += length + (at[length] == '\n');
	}
	return NULL;
}

static int procmap_query(const struct fk_opened *file, struct procmap_query *query)
{
	struct proc_mapping mapping;

	if (query->size < sizeof(*query) || query->query_flags)
		fk_die("this PROCMAP_QUERY is not modelled");
	char *line = find_mapping(file, query->query_addr, &mapping);
	if (!line)
		return -ENOENT;
	size_t length = mapping.name[0] ? strlen(mapping.name) + 1 : 0;
	int error = length > query->vma_name_size ? -ENAMETOOLONG : 0;
	query->vma_start = mapping.start;
	query->vma_end = mapping.end;
	query->vma_offset = mapping.offset;
	query->vma_flags = mapping.executable ? PROCMAP_QUERY_EXECUTABLE : 0;
	query->inode = mapping.inode;
	query->dev_major = major(mapping.dev);
	query->dev_minor = minor(mapping.dev);
	query->vma_name_size = (uint32_t)length;
	query->build_id_size = 0;
	if (!error && length > 0) /* the address of the caller's buffer */
		memcpy((void *)(uintptr_t)query->vma_name_addr, mapping.name, length);
	free(line);
	return error;
}

int fk_file_ioctl(void *ctx, int fd, unsigned long request, void *argument)
{
	struct fk *fk = ctx;
	const struct fk_opened *file = opened(fk, fd);
	int error = fk_enter(fk, FK_FILE_IOCTL);

	if (error)
		return error;
	if (!file)
		return -EBADF;
	size_t length = strlen(file->path);
	if (request != PROCMAP_QUERY || !fk->config.procmap_query || length < 5 ||
	    strcmp(file->path + length - 5, "/maps") != 0)
		return -ENOTTY;
	return procmap_query(file, argument);
}

int fk_close(void *ctx, int fd)
{
	struct fk *fk = ctx;
	struct fk_opened *file = opened(fk, fd);

	if (!file)
		return fk_perf_close(ctx, fd);
	int error = fk_enter(fk, FK_CLOSE);
	if (error)
		return error;
	free(file->path);
	free(file->text);
	*file = (struct fk_opened){0};
	return 0;
}

unsigned fk_open_files(const struct fk *fk)
{
	unsigned n = 0;

	for (size_t i = 0; i < fk->n_opened; i++)
		n += fk->opened[i].path != NULL;
	return n;
}
