// SPDX-License-Identifier: MIT
/*
 * Files of a recording. Its names and build ids come from another machine, or were made up to
 * open a file that the reader of the recording may read and its author may not. So a name leads to
 * a file only if the build id or the inode agrees, or below the folder that the user has named for
 * it; and neither a name with ".." nor one of a pseudo file system is opened.
 *
 * The layouts of perf's cache (tools/perf/util/build-id.c), below its folder, for the build id
 * "abcdef": .build-id/ab/cdef is a link to PATH/abcdef, which is a folder with "elf", "debug" or
 * "vdso", and was the file itself before Linux 4.12. `perf archive` packs such a tree.
 */
#include "core/code/mapped_file_internal.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/code/elf_header.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool has_proof(const struct file_search *search, enum file_proof proof)
{
	const struct code_object *object = search->mapping->object;
	const struct stat *status = &search->identity->status;

	switch (proof) {
	case BY_BUILD_ID:
		return search->identity->id_size > 0 &&
		       code_build_id_is(search->id, search->identity->id,
					(size_t)search->identity->id_size);
	case BY_INODE:
		return object->inode != 0 && status->st_ino == object->inode &&
		       status->st_dev == object->dev;
	case BY_FOLDER_OF_USER:
		return true;
	}
	return false;
}

/* A descriptor, or -errno; -ESTALE: another file. */
static int open_with_proof(const struct file_search *search, enum file_proof proof,
			   const char *path)
{
	int fd = sys_file_open(search->files->sys, path);

	if (fd < 0)
		return fd;
	int rc = files_read_identity(search->files, fd, search->identity);
	if (rc == 0 && !has_proof(search, proof))
		rc = -ESTALE;
	if (rc == 0)
		return fd;
	sys_close(search->files->sys, fd);
	return rc;
}

/* Files of the mapping's name */

int files_open_named(struct file_search *search, enum file_proof proof, const char *folder,
		     const char *name)
{
	char path[MAPPED_FILE_PATH_BYTES];

	if (snprintf(path, sizeof(path), "%s%s", folder, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	int fd = open_with_proof(search, proof, path);
	if (fd < 0 && error_is_absent(search->error) && !error_is_absent(fd))
		search->error = fd;
	return fd;
}

/* Absolute, and without a part "." or "..". */
static bool is_path(const char *name)
{
	for (const char *at = name; *at == '/'; at += strcspn(at, "/")) {
		at++;
		size_t dots = strspn(at, ".");

		if ((dots == 1 || dots == 2) && (at[dots] == '/' || at[dots] == '\0'))
			return false;
	}
	return name[0] == '/';
}

/* Opening or reading a file there may have an effect. */
static bool is_of_kernel(const char *name)
{
	static const char *const folders[] = {"/proc/", "/sys/", "/dev/"};

	name += strspn(name, "/") - 1;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (strncmp(name, folders[i], strlen(folders[i])) == 0)
			return true;
	return false;
}

static int open_path(struct file_search *search, const char *name)
{
	const char *symfs = search->files->config.symfs;
	int fd = -ENOENT;

	if (!is_path(name))
		return -ENOENT;
	if (symfs && files_enter(search->files, MAPPED_FILE_SYMFS)) {
		enum file_proof proof = search->id ? BY_BUILD_ID : BY_FOLDER_OF_USER;

		fd = files_open_named(search, proof, symfs, name);
		if (fd < 0)
			fd = files_open_named(search, proof, symfs, strrchr(name, '/'));
	}
	if (fd < 0 && !is_of_kernel(name) && files_enter(search->files, MAPPED_FILE_HERE))
		fd = files_open_named(search, search->id ? BY_BUILD_ID : BY_INODE, "", name);
	return fd;
}

static int open_by_name(struct file_search *search)
{
	const char *name = search->mapping->object->name;
	char stripped[MAPPED_FILE_PATH_BYTES];
	int fd = open_path(search, name);

	if (fd < 0 && files_strip_deleted(name, stripped, sizeof(stripped)))
		fd = open_path(search, stripped);
	return fd;
}

/* Files of the build id */

size_t files_list_caches(const struct mapped_files *files,
			 char folders[FILE_FOLDERS_MAX][MAPPED_FILE_PATH_BYTES])
{
	const char *symfs = files->config.symfs, *cache = files->config.build_id_cache;
	size_t n = 0;

	if (cache)
		text_copy(folders[n++], MAPPED_FILE_PATH_BYTES, cache);
	if (symfs) {
		text_copy(folders[n++], MAPPED_FILE_PATH_BYTES, symfs);
		snprintf(folders[n++], MAPPED_FILE_PATH_BYTES, "%.4096s/.debug", symfs);
	}
	return n;
}

size_t files_list_texts(const struct code_build_id *id, char texts[FILE_TEXTS_MAX][FILE_HEX_BYTES])
{
	static const size_t shorter[] = {16, 8};
	static const uint8_t zeros[CODE_BUILD_ID_MAX];
	uint8_t bytes[CODE_BUILD_ID_MAX] = {0};
	size_t n = 0;

	if (id->size > 1)
		text_hex(texts[n++], id->bytes, id->size);
	memcpy(bytes, id->bytes, id->size);
	if (id->size < CODE_BUILD_ID_MAX)
		text_hex(texts[n++], bytes, sizeof(bytes));
	for (size_t i = 0; i < ARRAY_SIZE(shorter); i++)
		if (id->size > shorter[i] && n < FILE_TEXTS_MAX &&
		    memcmp(id->bytes + shorter[i], zeros, id->size - shorter[i]) == 0)
			text_hex(texts[n++], bytes, shorter[i]);
	return n;
}

int files_cached_path(const char *folder, const char *hex, const char *leaf,
		      char path[MAPPED_FILE_PATH_BYTES])
{
	return snprintf(path, MAPPED_FILE_PATH_BYTES, "%s/.build-id/%.2s/%s%s", folder, hex,
			hex + 2, leaf);
}

enum mapped_file_stage files_stage_of_cache(const struct mapped_files *files, size_t folder)
{
	return files->config.build_id_cache && folder == 0 ? MAPPED_FILE_CACHE : MAPPED_FILE_SYMFS;
}

static int open_in_cache(const struct file_search *search, const char *folder, const char *hex,
			 const char *leaf)
{
	char path[MAPPED_FILE_PATH_BYTES];

	if (files_cached_path(folder, hex, leaf, path) >= MAPPED_FILE_PATH_BYTES)
		return -ENOENT;
	return open_with_proof(search, BY_BUILD_ID, path);
}

int files_open_in_caches(const struct file_search *search, const char *const *leaves,
			 size_t n_leaves)
{
	char folders[FILE_FOLDERS_MAX][MAPPED_FILE_PATH_BYTES],
		texts[FILE_TEXTS_MAX][FILE_HEX_BYTES];
	size_t n_folders = files_list_caches(search->files, folders);
	size_t n_texts = files_list_texts(search->id, texts);
	int fd = -ENOENT;

	for (size_t i = 0; i < n_folders * n_texts * n_leaves && fd < 0; i++) {
		size_t folder = i / n_leaves / n_texts;

		if (files_enter(search->files, files_stage_of_cache(search->files, folder)))
			fd = open_in_cache(search, folders[folder], texts[i / n_leaves % n_texts],
					   leaves[i % n_leaves]);
	}
	return fd;
}

static int open_binary(const struct file_search *search)
{
	static const char *const leaves[] = {"/elf", "/vdso", ""};

	return files_open_in_caches(search, leaves, ARRAY_SIZE(leaves));
}

/* This process's own vDSO. */
static int open_own_vdso(const struct file_search *search)
{
	if (strcmp(search->mapping->object->name, "[vdso]") != 0)
		return -ENOENT;
	int fd = files_open_vdso(search->files, search->mapping, search->identity);
	if (fd < 0 || has_proof(search, BY_BUILD_ID))
		return fd;
	sys_close(search->files->sys, fd);
	return -ENOENT;
}

/* Separate debug files */

static int open_debug_folder(const struct file_search *search, const char *root)
{
	char path[MAPPED_FILE_PATH_BYTES], texts[FILE_TEXTS_MAX][FILE_HEX_BYTES];
	size_t n = files_list_texts(search->id, texts);
	int fd = -ENOENT;

	for (size_t i = 0; i < n && fd < 0; i++)
		if (files_debug_path(root, texts[i], path) < MAPPED_FILE_PATH_BYTES)
			fd = open_with_proof(search, BY_BUILD_ID, path);
	return fd;
}

/* A debug file with the build id. */
static int open_debug_by_id(const struct file_search *search)
{
	static const char *const leaves[] = {"/debug"};
	const char *symfs = search->files->config.symfs;
	int fd = files_open_in_caches(search, leaves, ARRAY_SIZE(leaves));

	if (fd < 0 && symfs && files_enter(search->files, MAPPED_FILE_SYMFS))
		fd = open_debug_folder(search, symfs);
	if (fd < 0 && files_enter(search->files, MAPPED_FILE_DEBUG_HERE))
		fd = open_debug_folder(search, "");
	return fd;
}

/*
 * Tools that make a debug file of a binary leave no bytes of its code, and objcopy(1) no offsets
 * either. Then the place of an address follows from the place of its segment.
 */
static void find_code_segment(int fd, struct file_identity *identity)
{
	struct elf_header file;
	struct elf_program_header segment;

	if (elf_header_init(&file, fd) != 0)
		return;
	for (unsigned i = 0; i < MAPPED_FILE_SEGMENTS && elf_header_segment(&file, i, &segment);
	     i++) {
		if (segment.type != PT_LOAD || !(segment.flags & PF_X))
			continue;
		if (segment.size > 0) {
			identity->no_offsets = false;
			return;
		}
		if (identity->no_offsets)
			continue;
		identity->no_offsets = true;
		identity->code_address = segment.address;
		identity->code_align = segment.alignment;
	}
}

int files_open_recorded(struct mapped_files *files, const struct code_mapping *mapping,
			struct file_identity *identity)
{
	struct file_search search = {
		.files = files,
		.mapping = mapping,
		.identity = identity,
		.id = code_build_id_is_known(&mapping->object->build_id)
			      ? &mapping->object->build_id
			      : NULL,
		.error = -ENOENT,
	};
	bool kernel = strcmp(mapping->object->name, CODE_FILE_KERNEL) == 0;
	int fd = kernel ? files_open_kernel(&search) : open_by_name(&search);

	if (fd >= 0)
		return fd;
	if (search.id)
		fd = open_binary(&search);
	if (fd < 0 && search.id)
		fd = open_own_vdso(&search);
	if (fd < 0 && search.id) {
		fd = open_debug_by_id(&search);
		identity->debug_only = fd >= 0;
		if (fd >= 0)
			find_code_segment(fd, identity);
	}
	return fd < 0 ? search.error : fd;
}

int files_find_recorded_debug(struct mapped_files *files, const struct code_mapping *mapping,
			      const struct file_identity *binary, int fd)
{
	const char *name = mapping->object->name, *symfs = files->config.symfs;
	struct code_build_id id = {.size = 0};
	struct file_identity identity;
	const struct file_search search = {files, mapping, &identity, &id, -ENOENT};

	if (binary->debug_only || binary->id_size <= 1)
		return -1;
	id.size = (uint8_t)size_min((size_t)binary->id_size, CODE_BUILD_ID_MAX);
	memcpy(id.bytes, binary->id, id.size);
	int debug = open_debug_by_id(&search);
	if (debug < 0 && is_path(name) && symfs)
		debug = files_find_by_link(files, symfs, mapping, binary, fd, MAPPED_FILE_SYMFS,
					   MAPPED_FILE_SYMFS);
	if (debug < 0 && is_path(name) && !is_of_kernel(name))
		debug = files_find_by_link(files, "", mapping, binary, fd, MAPPED_FILE_HERE,
					   MAPPED_FILE_DEBUG_HERE);
	return debug < 0 ? -1 : debug;
}

int mapped_files_open_recorded_map(struct mapped_files *files, pid_t pid, unsigned skipped)
{
	char path[MAPPED_FILE_PATH_BYTES];

	files->skipped = skipped;
	files->stage = MAPPED_FILE_SELF;
	if (!files->config.symfs || !files_enter(files, MAPPED_FILE_SYMFS) ||
	    snprintf(path, sizeof(path), "%s/tmp/perf-%d.map", files->config.symfs, pid) >=
		    (int)sizeof(path))
		return -ENOENT;
	return sys_file_open(files->sys, path);
}
