// SPDX-License-Identifier: MIT
/*
 * A file is opened anew each time its descriptors are needed: the parser keeps its own, and none
 * are kept here, however many files there are.
 *
 * A separate debug file has the build id of the binary, so one that does not belong to it, or a
 * link that names itself, is never used.
 */
#include "core/code/mapped_file_internal.h"

#include "core/base/hash_table.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/sys/proc_maps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum { VDSO_BYTES_MAX = 1 << 20 };

static const char deleted_mark[] = " (deleted)";

struct mapped_files *mapped_files_new(const struct mapped_files_config *config)
{
	struct mapped_files *files = xcalloc(1, sizeof(*files));

	files->config = *config;
	files->sys = config->sys;
	return files;
}

bool files_enter(struct mapped_files *files, enum mapped_file_stage stage)
{
	if (files->skipped & 1u << stage)
		return false;
	if (files->stage != stage && files->config.enter)
		files->config.enter(files->config.ctx, stage);
	files->stage = stage;
	return true;
}

/* Closing may take forever, too. The last stage is the debug file's, if there is one. */
void mapped_files_close(struct mapped_files *files, struct mapped_file_descriptors *opened)
{
	if (opened->debug >= 0)
		sys_close(files->sys, opened->debug);
	if (opened->binary >= 0) {
		files_enter(files, files->binary_stage);
		sys_close(files->sys, opened->binary);
	}
	*opened = (struct mapped_file_descriptors){-1, -1};
}

/* Identifying */

int files_read_identity(const struct mapped_files *files, int fd, struct file_identity *identity)
{
	*identity = (struct file_identity){.id_size = 0};
	int rc = sys_file_status(files->sys, fd, &identity->status);
	if (rc)
		return rc;
	identity->id_size = elf_build_id(fd, identity->id);
	return 0;
}

static bool has_build_id(const struct file_identity *identity, const uint8_t *id, int size)
{
	return size > 0 && identity->id_size == size && memcmp(identity->id, id, (size_t)size) == 0;
}

/* The build id that the kernel reads from the mapping. Its length, or -errno. */
static int mapped_build_id(const struct mapped_files *files, pid_t pid,
			   const struct code_mapping *mapping, uint8_t id[PROC_MAPS_BUILD_ID])
{
	int fd = proc_maps_open(files->sys, pid);
	if (fd < 0)
		return fd;
	int size = proc_maps_build_id(files->sys, fd, mapping->start, id);
	sys_close(files->sys, fd);
	return size;
}

static bool is_mapped_file(const struct mapped_files *files, pid_t pid,
			   const struct code_mapping *mapping, const struct file_identity *identity)
{
	const struct code_object *object = mapping->object;
	uint8_t id[PROC_MAPS_BUILD_ID];

	if (object->build_id.size > 0)
		return has_build_id(identity, object->build_id.bytes, object->build_id.size);
	bool same_inode = identity->status.st_ino == object->inode;
	if (same_inode && identity->status.st_dev == object->dev)
		return true;
	int size = mapping->past ? -ENOENT : mapped_build_id(files, pid, mapping, id);
	return size > 0 ? has_build_id(identity, id, size) : same_inode;
}

/*
 * Any user can make a file with the build id of another one, so the owner is a part of the key: the
 * names of a library of root never come from the file of a user. A build id cannot be chosen such
 * that both have one key, since that depends on a random number.
 */
static uint64_t key_of(const struct mapped_files *files, const struct file_identity *identity)
{
	const struct stat *status = &identity->status;
	uint64_t key = hash_bytes(files->config.random, &status->st_uid, sizeof(status->st_uid));

	/* A debug file that stands for a binary is not the binary. */
	key = hash_bytes(key, &identity->debug_only, sizeof(identity->debug_only));
	if (identity->id_size > 0)
		return hash_bytes(key, identity->id, (size_t)identity->id_size) | 1;
	key = hash_bytes(key, &status->st_dev, sizeof(status->st_dev));
	key = hash_bytes(key, &status->st_ino, sizeof(status->st_ino));
	key = hash_bytes(key, &status->st_size, sizeof(status->st_size));
	key = hash_bytes(key, &status->st_mtim.tv_sec, sizeof(status->st_mtim.tv_sec));
	return hash_bytes(key, &status->st_mtim.tv_nsec, sizeof(status->st_mtim.tv_nsec)) | 1;
}

/* Opening. Each returns a descriptor of the mapped file, or -errno; -ESTALE: it is another one. */

static int open_checked(const struct mapped_files *files, pid_t pid,
			const struct code_mapping *mapping, const char *path,
			struct file_identity *identity)
{
	int fd = sys_file_open(files->sys, path);

	if (fd < 0)
		return fd;
	int rc = files_read_identity(files, fd, identity);
	if (rc == 0 && !is_mapped_file(files, pid, mapping, identity))
		rc = -ESTALE;
	if (rc == 0)
		return fd;
	sys_close(files->sys, fd);
	return rc;
}

/* Also a program that has no name any more. */
static int open_program(const struct mapped_files *files, pid_t pid,
			const struct code_mapping *mapping, struct file_identity *identity)
{
	char path[64], target[MAPPED_FILE_PATH_BYTES];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (sys_link_read(files->sys, path, target, sizeof(target)) < 0 ||
	    strcmp(target, mapping->object->name) != 0)
		return -ENOENT;
	return open_checked(files, pid, mapping, path, identity);
}

/* Another file has been mapped there meanwhile. */
static bool is_other_inode(const struct code_object *object, const struct stat *status)
{
	return status->st_dev == object->dev && status->st_ino != object->inode;
}

/* The link is to the mapped file, whatever its name is now. It needs CAP_CHECKPOINT_RESTORE. */
static int open_map_file(struct mapped_files *files, pid_t pid, const struct code_mapping *mapping,
			 struct file_identity *identity)
{
	char path[96];

	if (files->no_map_files)
		return -EPERM;
	if (mapping->past)
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid,
		 (unsigned long long)mapping->start, (unsigned long long)mapping->end);
	int fd = sys_file_open(files->sys, path);
	files->no_map_files = fd == -EPERM;
	if (fd < 0)
		return fd;
	int rc = files_read_identity(files, fd, identity);
	if (rc == 0 && is_other_inode(mapping->object, &identity->status))
		rc = -ESTALE;
	if (rc == 0)
		return fd;
	sys_close(files->sys, fd);
	return rc;
}

bool files_strip_deleted(const char *name, char *path, size_t size)
{
	size_t length = text_copy(path, size, name), mark = strlen(deleted_mark);
	bool deleted = length > mark && strcmp(path + length - mark, deleted_mark) == 0;

	if (deleted)
		path[length - mark] = '\0';
	return deleted;
}

static int open_path(const struct mapped_files *files, pid_t pid,
		     const struct code_mapping *mapping, struct file_identity *identity)
{
	char path[MAPPED_FILE_PATH_BYTES], name[MAPPED_FILE_PATH_BYTES], root[32];

	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	if (mapping->object->name[0] != '/' ||
	    snprintf(path, sizeof(path), "%s%s", root, mapping->object->name) >= (int)sizeof(path))
		return -ENOENT;
	int fd = open_checked(files, pid, mapping, path, identity);
	if (fd != -ENOENT || !files_strip_deleted(mapping->object->name, name, sizeof(name)))
		return fd;
	/* An equal file may have taken its place. */
	if (snprintf(path, sizeof(path), "%s%s", root, name) >= (int)sizeof(path))
		return -ENOENT;
	fd = open_checked(files, pid, mapping, path, identity);
	return fd == -ESTALE ? -ENOENT : fd;
}

/* A file of those bytes, in memory. Opened anew, because the parser must not write to it. */
static int memory_file(const struct mapped_files *files, const char *bytes, size_t size)
{
	char path[32];
	int fd = memfd_create("vdso", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	int rc = write_all(fd, bytes, size, NULL);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (rc == 0)
		rc = sys_file_open(files->sys, path);
	close(fd);
	return rc;
}

/* Processes with addresses of the same size have the same vDSO. */
int files_open_vdso(struct mapped_files *files, const struct code_mapping *mapping,
		    struct file_identity *identity)
{
	uint64_t size = mapping->end - mapping->start, address = getauxval(AT_SYSINFO_EHDR);

	/* A program of 32 bits has another one, below 4 GiB. */
	if (!address || size > VDSO_BYTES_MAX ||
	    (address > UINT32_MAX) != (mapping->start > UINT32_MAX))
		return -ENOENT;
	int memory = sys_file_open(files->sys, "/proc/self/mem");
	if (memory < 0)
		return memory;
	char *bytes = xmalloc(size);
	ssize_t n = sys_file_pread(files->sys, memory, bytes, size, address);
	sys_close(files->sys, memory);
	int fd = n == (ssize_t)size ? memory_file(files, bytes, size) : -ENOENT;
	free(bytes);
	int rc = fd < 0 ? fd : files_read_identity(files, fd, identity);
	if (rc == 0)
		return fd;
	if (fd >= 0)
		sys_close(files->sys, fd);
	return rc;
}

static int open_mapped(struct mapped_files *files, pid_t pid, const struct code_mapping *mapping,
		       struct file_identity *identity)
{
	if (files->config.recording)
		return files_open_recorded(files, mapping, identity);
	if (!files_enter(files, MAPPED_FILE_SELF))
		return -ENOENT;
	if (strcmp(mapping->object->name, "[vdso]") == 0)
		return files_open_vdso(files, mapping, identity);
	if (mapping->object->inode == 0 && mapping->object->build_id.size == 0)
		return -ENOENT;
	int fd = open_program(files, pid, mapping, identity);
	if (fd < 0)
		fd = open_map_file(files, pid, mapping, identity);
	return fd < 0 ? open_path(files, pid, mapping, identity) : fd;
}

/* Separate debug files */

/* A descriptor, or -1 if the file has another build id than the binary. */
static int open_debug(const struct mapped_files *files, const char *path,
		      const struct file_identity *binary)
{
	uint8_t id[ELF_BUILD_ID_BYTES];
	int fd = sys_file_open(files->sys, path);

	if (fd < 0)
		return -1;
	if (has_build_id(binary, id, elf_build_id(fd, id)))
		return fd;
	sys_close(files->sys, fd);
	return -1;
}

int files_debug_path(const char *root, const char *hex, char path[MAPPED_FILE_PATH_BYTES])
{
	return snprintf(path, MAPPED_FILE_PATH_BYTES, "%s/usr/lib/debug/.build-id/%.2s/%s.debug",
			root, hex, hex + 2);
}

static int find_by_build_id(const struct mapped_files *files, const char *root,
			    const struct file_identity *binary)
{
	char path[MAPPED_FILE_PATH_BYTES], hex[2 * ELF_BUILD_ID_BYTES + 1];

	text_hex(hex, binary->id, (size_t)binary->id_size);
	if (files_debug_path(root, hex, path) >= MAPPED_FILE_PATH_BYTES)
		return -1;
	return open_debug(files, path, binary);
}

static int open_link(const struct mapped_files *files, const char *root, const char *folder,
		     const char *link, const struct file_identity *binary)
{
	char path[MAPPED_FILE_PATH_BYTES];

	if (snprintf(path, sizeof(path), "%s%s/%s", root, folder, link) >= (int)sizeof(path))
		return -1;
	return open_debug(files, path, binary);
}

int files_find_by_link(struct mapped_files *files, const char *root,
		       const struct code_mapping *mapping, const struct file_identity *binary,
		       int fd, enum mapped_file_stage beside, enum mapped_file_stage apart)
{
	char link[ELF_DEBUG_LINK_BYTES], folder[MAPPED_FILE_PATH_BYTES],
		other[MAPPED_FILE_PATH_BYTES];
	int debug = -1;

	if (elf_debug_link(fd, link) != 0 || mapping->object->name[0] != '/')
		return -1;
	text_copy(folder, sizeof(folder), mapping->object->name);
	*strrchr(folder, '/') = '\0';
	if (files_enter(files, beside)) {
		debug = open_link(files, root, folder, link, binary);
		snprintf(other, sizeof(other), "%.4200s/.debug", folder);
		if (debug < 0)
			debug = open_link(files, root, other, link, binary);
	}
	snprintf(other, sizeof(other), "/usr/lib/debug%.4200s", folder);
	if (debug < 0 && files_enter(files, apart))
		debug = open_link(files, root, other, link, binary);
	return debug;
}

/* This machine's debug files first, because a container seldom has any. */
static int find_debug(struct mapped_files *files, pid_t pid, const struct code_mapping *mapping,
		      const struct file_identity *binary, int fd)
{
	char root[32];

	if (files->config.recording)
		return files_find_recorded_debug(files, mapping, binary, fd);
	if (binary->id_size <= 1 || mapping->object->inode == 0)
		return -1;
	int debug = files_enter(files, MAPPED_FILE_DEBUG_HERE) ? find_by_build_id(files, "", binary)
							       : -1;
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	if (debug < 0 && files_enter(files, MAPPED_FILE_THERE))
		debug = find_by_build_id(files, root, binary);
	return debug < 0 ? files_find_by_link(files, root, mapping, binary, fd, MAPPED_FILE_SELF,
					      MAPPED_FILE_THERE)
			 : debug;
}

int mapped_files_open(struct mapped_files *files, pid_t pid, const struct code_mapping *mapping,
		      unsigned skipped, struct mapped_file *found,
		      struct mapped_file_descriptors *opened)
{
	struct file_identity identity = {.id_size = 0};

	*opened = (struct mapped_file_descriptors){-1, -1};
	memset(found, 0, sizeof(*found));
	files->skipped = skipped;
	files->stage = MAPPED_FILE_SELF;
	int fd = open_mapped(files, pid, mapping, &identity);
	if (fd < 0)
		return fd;
	opened->binary = fd;
	files->binary_stage = files->stage;
	opened->debug = find_debug(files, pid, mapping, &identity, fd);
	found->key = key_of(files, &identity);
	found->size = identity.debug_only ? UINT64_MAX : (uint64_t)identity.status.st_size;
	found->no_offsets = identity.no_offsets;
	found->code_address = identity.code_address;
	found->code_align = identity.code_align;
	found->by_segment =
		files->config.recording && strcmp(mapping->object->name, CODE_FILE_KERNEL) == 0;
	if (found->by_segment)
		files_read_segments(found, fd);
	return 0;
}
