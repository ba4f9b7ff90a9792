// SPDX-License-Identifier: MIT
#ifndef PMCTOP_MAPPED_FILE_INTERNAL_H
#define PMCTOP_MAPPED_FILE_INTERNAL_H

#include "core/code/elf_build_id.h"
#include "core/code/mapped_file.h"

#include <sys/stat.h>

/* What the files of mapped_file share. */

struct mapped_files {
	struct mapped_files_config config;
	const struct sys *sys;
	bool no_map_files; /* not allowed */
	unsigned skipped;  /* stages of this search: 1 << stage */
	enum mapped_file_stage stage;
	enum mapped_file_stage binary_stage; /* in which the file itself was found */
};

/* A file that was opened, and what identifies it. */
struct file_identity {
	struct stat status;
	uint8_t id[ELF_BUILD_ID_BYTES];
	int id_size;     /* <= 0: none */
	bool debug_only; /* it is the debug file of a missing binary */
	/* See struct mapped_file. */
	bool no_offsets;
	uint64_t code_address, code_align;
};

/* mapped_file.c */

/* Whether the search may enter a stage, which it has entered then. */
bool files_enter(struct mapped_files *files, enum mapped_file_stage stage);
int files_read_identity(const struct mapped_files *files, int fd, struct file_identity *identity);
/*
 * The path of the debug file below `root` for a build id in hexadecimal digits. Returns its length,
 * which is MAPPED_FILE_PATH_BYTES or more if it was cut.
 */
int files_debug_path(const char *root, const char *hex, char path[MAPPED_FILE_PATH_BYTES]);
/*
 * The debug file that the binary names, searched around the mapping's name below `root`; or -1. It
 * has a stage for the mapping's folder, and one for usr/lib/debug.
 */
int files_find_by_link(struct mapped_files *files, const char *root,
		       const struct code_mapping *mapping, const struct file_identity *binary,
		       int fd, enum mapped_file_stage beside, enum mapped_file_stage apart);
/* Copies this process's vDSO if it may be the mapped one. Returns a descriptor, or -errno. */
int files_open_vdso(struct mapped_files *files, const struct code_mapping *mapping,
		    struct file_identity *identity);
/* The name without " (deleted)". False: it has no such end. */
bool files_strip_deleted(const char *name, char *path, size_t size);

/* mapped_file_recorded.c */

enum {
	FILE_FOLDERS_MAX = 3, /* as in perf's cache */
	FILE_TEXTS_MAX = 3,   /* of a build id */
	FILE_HEX_BYTES = 2 * CODE_BUILD_ID_MAX + 1,
};

/* Lists folders with the layout of perf's cache. Returns how many. */
size_t files_list_caches(const struct mapped_files *files,
			 char folders[FILE_FOLDERS_MAX][MAPPED_FILE_PATH_BYTES]);
/*
 * The forms of a build id in names of files, in hexadecimal digits: as it was recorded; with zeros
 * up to 20 bytes, as a perf writes it that does not know its size; and without such zeros, as 16 or
 * 8 bytes. Returns how many. Each has more than two characters.
 */
size_t files_list_texts(const struct code_build_id *id, char texts[FILE_TEXTS_MAX][FILE_HEX_BYTES]);

/* How a file shows that it is the mapped one. */
enum file_proof { BY_BUILD_ID, BY_INODE, BY_FOLDER_OF_USER };

/* The search for a file of a recording. */
struct file_search {
	struct mapped_files *files;
	const struct code_mapping *mapping;
	struct file_identity *identity;
	const struct code_build_id *id; /* NULL: unknown */
	int error;                      /* why the files of its name are not used */
};

/* The stage of a folder of files_list_caches(), by its index. */
enum mapped_file_stage files_stage_of_cache(const struct mapped_files *files, size_t folder);
/*
 * The path in such a folder: of the build id with these hexadecimal digits, and of that name there
 * ("/elf"). Returns as files_debug_path().
 */
int files_cached_path(const char *folder, const char *hex, const char *leaf,
		      char path[MAPPED_FILE_PATH_BYTES]);

/* Each returns a descriptor, or -errno; -ESTALE: another file. */
/* FOLDER NAME. Keeps the first error that is not of a missing file. */
int files_open_named(struct file_search *search, enum file_proof proof, const char *folder,
		     const char *name);
/* A copy with the build id in a cache, that has one of these names there ("/elf"). */
int files_open_in_caches(const struct file_search *search, const char *const *leaves,
			 size_t n_leaves);

/* Opens the file of a recording's mapping. A descriptor, or -errno; -ESTALE: it is another one. */
int files_open_recorded(struct mapped_files *files, const struct code_mapping *mapping,
			struct file_identity *identity);
/* The debug file of a recording's file: a descriptor, or -1. */
int files_find_recorded_debug(struct mapped_files *files, const struct code_mapping *mapping,
			      const struct file_identity *binary, int fd);

/* mapped_file_kernel.c */

int files_open_kernel(struct file_search *search);
/* Sets the segments of a kernel's file. */
void files_read_segments(struct mapped_file *file, int fd);

#endif
