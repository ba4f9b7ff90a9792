// SPDX-License-Identifier: MIT
/*
 * The mappings of one process, an array in the order of addresses, and the objects that they share
 * with mappings of other processes.
 */
#include "core/code/code_maps_internal.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

/* Objects */

static uint64_t key_of_object(const struct code_maps *maps, const char *name, uint64_t inode)
{
	uint64_t key = hash_bytes(maps->random, name, strlen(name));

	return hash_mix(maps->random, hash_bytes(key, &inode, sizeof(inode)));
}

static bool is_same_object(const struct code_object *object, const struct proc_mapping *mapping,
			   const struct code_build_id *build_id)
{
	return object->inode == mapping->inode && object->dev == mapping->dev &&
	       object->build_id.size == build_id->size &&
	       memcmp(object->build_id.bytes, build_id->bytes, build_id->size) == 0 &&
	       strcmp(object->name, mapping->name) == 0;
}

/* Returns the object with one more reference. */
static struct code_object *object_get(struct code_maps *maps, const struct proc_mapping *mapping,
				      const struct code_build_id *build_id)
{
	static const struct code_build_id none;
	uint64_t key = key_of_object(maps, mapping->name, mapping->inode);
	struct hash_slot *slot = hash_table_slot(&maps->objects, key);

	build_id = build_id && build_id->size <= CODE_BUILD_ID_MAX ? build_id : &none;
	while (slot->item && !is_same_object(slot->item, mapping, build_id))
		slot = hash_table_next(&maps->objects, slot);
	struct code_object *object = slot->item;
	if (!object) {
		size_t length = strlen(mapping->name) + 1;

		object = xcalloc(1, sizeof(*object) + length);
		object->dev = mapping->dev;
		object->inode = mapping->inode;
		object->build_id = *build_id;
		memcpy(object->name, mapping->name, length);
		hash_table_add(&maps->objects, key)->item = object;
	}
	object->refs++;
	return object;
}

void maps_put_object(struct code_maps *maps, struct code_object *object)
{
	if (--object->refs > 0)
		return;
	hash_table_remove_item(&maps->objects, key_of_object(maps, object->name, object->inode),
			       object);
	if (object->file)
		maps->config.drop_file(maps->config.user, object->file);
	free(object);
}

/* Mappings of a process */

void maps_clear_ids(struct code_process *process)
{
	if (process->ids.n > 0)
		hash_table_clear(&process->ids);
}

static void drop_mappings(struct code_maps *maps, struct code_mapping *mappings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		maps_put_object(maps, mappings[i].object);
	maps->n_mappings -= n;
	free(mappings);
}

void maps_set_mappings_aside(struct code_maps *maps, struct code_process *process)
{
	if (process->n > 0) {
		drop_mappings(maps, process->old, process->n_old);
		process->old = process->mappings;
		process->n_old = process->n;
	} else {
		free(process->mappings);
	}
	process->mappings = NULL;
	process->n = process->capacity = 0;
	process->complete = process->recorded = false;
	maps_clear_ids(process);
}

void maps_drop_old_mappings(struct code_maps *maps, struct code_process *process)
{
	drop_mappings(maps, process->old, process->n_old);
	process->old = NULL;
	process->n_old = 0;
}

size_t maps_find_index(const struct code_process *process, uint64_t address)
{
	size_t low = 0, high = process->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->mappings[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct code_mapping *code_process_find(const struct code_process *process, uint64_t address)
{
	size_t i = maps_find_index(process, address);

	return i < process->n && process->mappings[i].start <= address ? &process->mappings[i]
								       : NULL;
}

/* Puts `mapping` in place of n mappings from index i on. n may be 0. */
static void replace_mappings(struct code_maps *maps, struct code_process *process, size_t i,
			     size_t n, const struct code_mapping *mapping)
{
	size_t added = mapping ? 1 : 0;

	for (size_t at = i; at < i + n; at++)
		maps_put_object(maps, process->mappings[at].object);
	process->mappings = array_reserve(process->mappings, &process->capacity, process->n + added,
					  sizeof(*process->mappings));
	struct code_mapping *at = process->mappings ? process->mappings + i : NULL;
	if (at && i + n < process->n)
		memmove(at + added, at + n, (process->n - i - n) * sizeof(*at));
	if (at && mapping)
		*at = *mapping;
	process->n = process->n + added - n;
	maps->n_mappings = maps->n_mappings + added - n;
}

static size_t most_of(const struct code_maps *maps)
{
	return size_min(CODE_MAPS_OF_PROCESS, maps->config.mappings_max);
}

/* Ends the mapping i at `end`; what it had behind `behind` is a mapping of its own. */
static void cut_mapping(struct code_maps *maps, struct code_process *process, size_t i,
			uint64_t end, uint64_t behind)
{
	struct code_mapping rest = process->mappings[i];

	process->mappings[i].end = end;
	if (rest.end <= behind || process->n >= most_of(maps))
		return;
	rest.offset += behind - rest.start;
	rest.start = behind;
	rest.object->refs++;
	replace_mappings(maps, process, i + 1, 0, &rest);
}

/* Makes the range free. Returns the index of the first mapping behind it. */
static size_t make_free(struct code_maps *maps, struct code_process *process, uint64_t start,
			uint64_t end)
{
	size_t i = maps_find_index(process, start), n = 0;

	if (i < process->n && process->mappings[i].start < start) {
		cut_mapping(maps, process, i, start, end);
		i++;
	}
	while (i + n < process->n && process->mappings[i + n].end <= end)
		n++;
	if (n > 0)
		replace_mappings(maps, process, i, n, NULL);
	if (i < process->n && process->mappings[i].start < end) {
		process->mappings[i].offset += end - process->mappings[i].start;
		process->mappings[i].start = end;
	}
	return i;
}

static bool is_same_mapping(const struct code_process *process, const struct code_mapping *mapping)
{
	size_t i = maps_find_index(process, mapping->start);
	const struct code_mapping *there = i < process->n ? &process->mappings[i] : NULL;

	return there && there->start == mapping->start && there->end == mapping->end &&
	       there->offset == mapping->offset && there->object == mapping->object;
}

void maps_add_mapping(struct code_maps *maps, struct code_process *process,
		      const struct proc_mapping *from, const struct code_build_id *build_id,
		      uint64_t time_ns)
{
	struct code_mapping mapping = {from->start, from->end, from->offset, NULL, false};

	if (from->end <= from->start)
		return;
	if (!from->executable) {
		size_t before = process->n;

		if (time_ns > 0)
			past_add(maps, process, &mapping, time_ns);
		make_free(maps, process, from->start, from->end);
		if (process->n != before)
			maps_clear_ids(process);
		return;
	}
	mapping.object = object_get(maps, from, build_id);
	if (is_same_mapping(process, &mapping)) {
		maps_put_object(maps, mapping.object);
		return;
	}
	if (time_ns > 0)
		past_add(maps, process, &mapping, time_ns);
	size_t i = make_free(maps, process, from->start, from->end);
	if (process->n < most_of(maps))
		replace_mappings(maps, process, i, 0, &mapping);
	else
		maps_put_object(maps, mapping.object);
	maps_clear_ids(process);
}
