// SPDX-License-Identifier: MIT
/*
 * Symbols of the kernel of a recording. A text of its /proc/kallsyms comes first, because it has
 * the modules too. perf's cache has it as [kernel.kallsyms]/BUILDID/kallsyms, to which
 * .build-id/ab/cdef is a link; before Linux 4.12 BUILDID was the file itself.
 */
#include "core/code/mapped_file_internal.h"

#include "core/base/util.h"
#include "core/code/elf_header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAMES_MAX = 256, /* of a folder that are tried */
};

/* Texts of /proc/kallsyms */

static int open_folder_text(const struct mapped_files *files, unsigned i)
{
	static const char *const names[] = {"/proc/kallsyms", "/kallsyms"};
	char path[MAPPED_FILE_PATH_BYTES];

	if (!files->config.symfs || snprintf(path, sizeof(path), "%s%s", files->config.symfs,
					     names[i]) >= (int)sizeof(path))
		return -ENOENT;
	return sys_file_open(files->sys, path);
}

static int open_cached_text(struct mapped_files *files, const struct code_build_id *id,
			    unsigned form)
{
	char folders[FILE_FOLDERS_MAX][MAPPED_FILE_PATH_BYTES];
	char texts[FILE_TEXTS_MAX][FILE_HEX_BYTES], path[MAPPED_FILE_PATH_BYTES];
	size_t n_folders = files_list_caches(files, folders), n_texts = files_list_texts(id, texts);
	int fd = -ENOENT;

	for (size_t i = 0; i < n_folders * n_texts && fd < 0; i++) {
		const char *folder = folders[i / n_texts], *text = texts[i % n_texts];
		int n;

		if (!files_enter(files, files_stage_of_cache(files, i / n_texts)))
			continue;
		if (form == 0)
			n = snprintf(path, sizeof(path), "%s/[kernel.kallsyms]/%s/kallsyms", folder,
				     text);
		else if (form == 1)
			n = files_cached_path(folder, text, "/kallsyms", path);
		else
			n = snprintf(path, sizeof(path), "%s/[kernel.kallsyms]/%s", folder, text);
		if (n < (int)sizeof(path))
			fd = sys_file_open(files->sys, path);
	}
	return fd;
}

int mapped_files_open_kallsyms(struct mapped_files *files, const struct code_build_id *id,
			       unsigned number, unsigned skipped)
{
	files->skipped = skipped;
	files->stage = MAPPED_FILE_SELF;
	if (number < MAPPED_FILE_TEXTS_OF_USER)
		return files_enter(files, MAPPED_FILE_SYMFS) ? open_folder_text(files, number)
							     : -ENOENT;
	return code_build_id_is_known(id)
		       ? open_cached_text(files, id, number - MAPPED_FILE_TEXTS_OF_USER)
		       : -ENOENT;
}

/* ELF files */

/* Where packages of kernels put them; "*" is a name in the folder before it. */
struct image_place {
	const char *folder, *before, *behind;
};

static const struct image_place image_places[] = {
	{"/boot", "vmlinux", ""},
	{"/usr/lib/debug/boot", "vmlinux", ""},
	{"/usr/lib/debug/lib/modules", "", "/vmlinux"},
	{"/lib/modules", "", "/build/vmlinux"},
	{"/lib/modules", "", "/vmlinux"},
};

struct image_search {
	struct file_search *search;
	const struct image_place *place;
	const char *root;
	enum file_proof proof;
	unsigned names;
	int fd;
};

/* 1: a file was opened, or there are too many names. */
static int open_image(void *arg, const char *name)
{
	struct image_search *images = arg;
	const struct image_place *place = images->place;
	char path[MAPPED_FILE_PATH_BYTES];

	if (strncmp(name, place->before, strlen(place->before)) != 0)
		return 0;
	if (snprintf(path, sizeof(path), "%s/%s%s", place->folder, name, place->behind) <
	    (int)sizeof(path))
		images->fd = files_open_named(images->search, images->proof, images->root, path);
	return images->fd >= 0 || ++images->names >= NAMES_MAX;
}

static int open_images(struct file_search *search, const char *root, enum file_proof proof)
{
	const struct sys *sys = search->files->sys;
	int fd = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(image_places) && fd < 0; i++) {
		struct image_search images = {search, &image_places[i], root, proof, 0, -ENOENT};
		char folder[MAPPED_FILE_PATH_BYTES];

		if (snprintf(folder, sizeof(folder), "%s%s", root, image_places[i].folder) >=
		    (int)sizeof(folder))
			continue;
		sys_dir_each(sys, folder, open_image, &images);
		fd = images.fd;
	}
	return fd;
}

int files_open_kernel(struct file_search *search)
{
	static const char *const leaves[] = {"/vmlinux", "/elf"};
	const char *symfs = search->files->config.symfs;
	enum file_proof proof = search->id ? BY_BUILD_ID : BY_FOLDER_OF_USER;
	int fd = -ENOENT;

	if (symfs && files_enter(search->files, MAPPED_FILE_SYMFS)) {
		fd = files_open_named(search, proof, symfs, "/vmlinux");
		if (fd < 0)
			fd = open_images(search, symfs, proof);
	}
	if (fd < 0 && search->id)
		fd = files_open_in_caches(search, leaves, ARRAY_SIZE(leaves));
	if (fd < 0 && search->id && files_enter(search->files, MAPPED_FILE_HERE))
		fd = open_images(search, "", proof);
	return fd;
}

/* Code without bytes is in a debug file: elf_file.h. */
void files_read_segments(struct mapped_file *file, int fd)
{
	struct elf_header header;
	struct elf_program_header segment;

	file->n_segments = 0;
	if (elf_header_init(&header, fd) != 0)
		return;
	for (unsigned i = 0; i < MAPPED_FILE_SEGMENTS && elf_header_segment(&header, i, &segment);
	     i++) {
		bool bare = segment.size == 0;

		if (segment.type == PT_LOAD && segment.flags & PF_X && segment.memory_size > 0)
			file->segments[file->n_segments++] = (struct code_file_segment){
				.address = segment.address,
				.offset = bare ? segment.address : segment.offset,
				.bytes = bare ? segment.memory_size : segment.size,
			};
	}
}
