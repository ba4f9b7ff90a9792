// SPDX-License-Identifier: MIT
#include "core/code/kernel_maps.h"

#include "core/base/util.h"
#include "core/code/code_file.h"

#include <stdlib.h>
#include <string.h>

static const char kernel_name[] = CODE_FILE_KERNEL;

static struct code_object *new_object(const char *name, const struct code_build_id *build_id)
{
	size_t name_bytes = strlen(name) + 1;
	struct code_object *object = xcalloc(1, sizeof(*object) + name_bytes);

	object->refs = 1;
	object->build_id = *build_id;
	memcpy(object->name, name, name_bytes);
	return object;
}

static void free_object(const struct kernel_maps *maps, struct code_object *object)
{
	if (object && object->file)
		maps->drop_file(maps->user, object->file);
	free(object);
}

void kernel_maps_fini(struct kernel_maps *maps)
{
	for (size_t i = 0; i < maps->n_modules; i++)
		free_object(maps, maps->modules[i].mapping.object);
	free_object(maps, maps->image.object);
	free(maps->modules);
	*maps = (struct kernel_maps){.drop_file = maps->drop_file, .user = maps->user};
}

/* The kernel */

static bool is_same_id(const struct code_build_id *a, const struct code_build_id *b)
{
	return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* perf 2.6 and simpleperf have no symbol behind the name. */
static bool set_kernel(struct kernel_maps *maps, const struct proc_mapping *mapping,
		       const struct code_build_id *build_id)
{
	const char *name = mapping->name + strlen(kernel_name);
	uint64_t address = name[0] ? mapping->offset : 0;
	bool known = maps->reference.name != NULL;

	if (strlen(name) >= sizeof(maps->reference_name) || address == 0)
		name = "";
	if (is_same_id(build_id, &maps->build_id) && known == (name[0] != '\0') &&
	    strcmp(name, maps->reference_name) == 0 && address == maps->reference.address &&
	    mapping->end == maps->end)
		return false;
	maps->end = mapping->end;
	maps->build_id = *build_id;
	text_copy(maps->reference_name, sizeof(maps->reference_name), name);
	maps->reference = (struct kernel_reference){name[0] ? maps->reference_name : NULL, address};
	free_object(maps, maps->image.object);
	maps->image = (struct code_mapping){.start = address, .end = UINT64_MAX};
	if (maps->reference.name)
		maps->image.object = new_object(kernel_name, build_id);
	return true;
}

/* Modules */

/* The index of the first module that ends behind the address. */
static size_t find_index(const struct kernel_maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->n_modules;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->modules[middle].mapping.end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct kernel_module *kernel_maps_find(const struct kernel_maps *maps, uint64_t address)
{
	size_t i = find_index(maps, address);

	return i < maps->n_modules && maps->modules[i].mapping.start <= address ? &maps->modules[i]
										: NULL;
}

/* "[ext4]" as /proc/kallsyms has it: a file name may have '-' where the module has '_'. */
static void set_name(struct kernel_module *module, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n;

	if (!slash) {
		text_copy(module->name, sizeof(module->name), path);
		return;
	}
	module->name[0] = '[';
	n = 1 + text_copy(module->name + 1, sizeof(module->name) - 2, slash + 1);
	char *suffix = strstr(module->name, ".ko");
	if (suffix)
		n = (size_t)(suffix - module->name);
	for (size_t i = 1; i < n; i++)
		if (module->name[i] == '-')
			module->name[i] = '_';
	module->name[n] = ']';
	module->name[n + 1] = '\0';
}

/* Ends the module before an address there. Returns where one at the address belongs. */
static size_t end_before(struct kernel_maps *maps, uint64_t address)
{
	size_t at = find_index(maps, address);

	if (at < maps->n_modules && maps->modules[at].mapping.start < address)
		maps->modules[at++].mapping.end = address;
	return at;
}

static bool is_known_module(const struct kernel_maps *maps, const struct proc_mapping *mapping,
			    const struct code_build_id *build_id)
{
	const struct kernel_module *known = kernel_maps_find(maps, mapping->start);

	return known && known->mapping.start == mapping->start &&
	       known->recorded_end == mapping->end &&
	       strcmp(known->mapping.object->name, mapping->name) == 0 &&
	       is_same_id(&known->mapping.object->build_id, build_id);
}

/*
 * From Linux 6.4 on the parts of a module are apart. perf has the sum of their sizes, so a mapping
 * reaches into those behind it: it ends where the next one begins.
 */
static void add_module(struct kernel_maps *maps, const struct proc_mapping *mapping,
		       const struct code_build_id *build_id)
{
	if (mapping->start >= mapping->end || is_known_module(maps, mapping, build_id))
		return;
	size_t at = end_before(maps, mapping->start);
	bool there = at < maps->n_modules && maps->modules[at].mapping.start == mapping->start;
	if (!there && maps->n_modules >= KERNEL_MODULES_MAX)
		return;
	if (there) {
		free_object(maps, maps->modules[at].mapping.object);
	} else {
		maps->modules = array_reserve(maps->modules, &maps->modules_capacity,
					      maps->n_modules + 1, sizeof(*maps->modules));
		memmove(maps->modules + at + 1, maps->modules + at,
			(maps->n_modules - at) * sizeof(*maps->modules));
		maps->n_modules++;
	}
	uint64_t next = at + 1 < maps->n_modules ? maps->modules[at + 1].mapping.start : UINT64_MAX;
	maps->modules[at] = (struct kernel_module){
		.mapping = {.start = mapping->start,
			    .end = mapping->end < next ? mapping->end : next,
			    .object = new_object(mapping->name, build_id)},
		.recorded_end = mapping->end,
	};
	set_name(&maps->modules[at], mapping->name);
}

bool kernel_maps_add(struct kernel_maps *maps, const struct proc_mapping *mapping,
		     const struct code_build_id *build_id)
{
	static const struct code_build_id none = {.size = 0};

	if (!build_id)
		build_id = &none;
	if (strncmp(mapping->name, kernel_name, strlen(kernel_name)) == 0)
		return set_kernel(maps, mapping, build_id);
	if (mapping->name[0] == '/' ||
	    (mapping->name[0] == '[' && strncmp(mapping->name, "[guest", strlen("[guest")) != 0))
		add_module(maps, mapping, build_id);
	return false;
}
