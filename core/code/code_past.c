// SPDX-License-Identifier: MIT
/*
 * A program that loads one library after the other has them at the same addresses. Its samples of
 * an interval are resolved at the end, with the mappings of then, so a wrong library would be
 * named. The records have times, as the samples have. What a record replaces is kept with that
 * time. A range without a mapping is kept too if the process was read from /proc: only mappings
 * that have samples were read.
 */
#include "core/code/code_maps_internal.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

/* Whether an address has the same place in both. Memory without a file has other names in /proc. */
static bool is_same_place(const struct code_mapping *mapping, const struct code_mapping *next)
{
	const struct code_object *object = mapping->object, *other = next->object;

	if (!other)
		return false;
	if (!object->inode && !object->build_id.size && !other->inode && !other->build_id.size)
		return true;
	return object == other && mapping->offset - mapping->start == next->offset - next->start;
}

void past_drop(struct code_maps *maps, struct code_process *process, size_t n)
{
	n = size_min(n, process->n_past);
	if (n > 0)
		process->past_lost_ns = process->past[n - 1].until_ns;
	for (size_t i = 0; i < n; i++)
		if (process->past[i].mapping.object)
			maps_put_object(maps, process->past[i].mapping.object);
	process->n_past -= n;
	maps->n_past -= n;
	maps->n_mappings -= n;
	if (process->n_past > 0)
		memmove(process->past, process->past + n, process->n_past * sizeof(*process->past));
}

static void keep_range(struct code_maps *maps, struct code_process *process,
		       const struct code_mapping *mapping, uint64_t time_ns)
{
	if (process->n_past == 0) {
		process->past_low = UINT64_MAX;
		process->past_high = 0;
		maps->changed = array_reserve(maps->changed, &maps->changed_capacity,
					      maps->n_changed + 1, sizeof(*maps->changed));
		maps->changed[maps->n_changed++] = process->pid;
	}
	if (process->n_past >= CODE_MAPS_PAST)
		past_drop(maps, process, CODE_MAPS_PAST / 4);
	process->past = array_reserve(process->past, &process->past_capacity, process->n_past + 1,
				      sizeof(*process->past));
	process->past[process->n_past] = (struct code_past){*mapping, time_ns};
	process->past[process->n_past++].mapping.past = true;
	if (mapping->start < process->past_low)
		process->past_low = mapping->start;
	if (mapping->end > process->past_high)
		process->past_high = mapping->end;
	if (mapping->object)
		mapping->object->refs++;
	maps->n_past++;
	maps->n_mappings++;
}

void past_add(struct code_maps *maps, struct code_process *process, const struct code_mapping *next,
	      uint64_t time_ns)
{
	uint64_t at = next->start;

	for (size_t i = maps_find_index(process, at); at < next->end; i++) {
		bool there = i < process->n && process->mappings[i].start < next->end;
		const struct code_mapping *old = there ? &process->mappings[i] : NULL;
		uint64_t begin = old ? old->start : next->end;

		if (begin > at && maps->config.sys && !process->recorded)
			keep_range(maps, process, &(struct code_mapping){.start = at, .end = begin},
				   time_ns);
		if (!old)
			break;
		if (!is_same_place(old, next))
			keep_range(maps, process, old, time_ns);
		at = old->end;
	}
}

void past_add_all(struct code_maps *maps, struct code_process *process, uint64_t time_ns)
{
	for (size_t i = 0; i < process->n && i < CODE_MAPS_PAST; i++)
		keep_range(maps, process, &process->mappings[i], time_ns);
}

void past_clear(struct code_maps *maps, struct code_process *process)
{
	past_drop(maps, process, process->n_past);
	free(process->past);
	process->past = NULL;
	process->past_capacity = 0;
	process->past_lost_ns = 0;
}

/* The index of the first that ended later than that. */
static size_t first_after(const struct code_process *process, uint64_t time_ns)
{
	size_t low = 0, high = process->n_past;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->past[middle].until_ns > time_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* What a range had before the limit dropped mappings is unknown if it has changed since. */
uint32_t code_maps_past(const struct code_maps *maps, pid_t pid, uint64_t address, uint64_t time_ns)
{
	const struct code_process *process = maps->n_past > 0 ? code_maps_find(maps, pid) : NULL;

	if (!process || address < process->past_low || address >= process->past_high)
		return 0;
	for (size_t i = first_after(process, time_ns); i < process->n_past; i++) {
		const struct code_mapping *past = &process->past[i].mapping;

		if (address >= past->start && address < past->end)
			return time_ns < process->past_lost_ns ? CODE_MAPS_PAST + 1
							       : (uint32_t)i + 1;
	}
	return 0;
}

const struct code_mapping *code_process_past(const struct code_process *process, uint32_t past)
{
	return past > 0 && past <= process->n_past && process->past[past - 1].mapping.object
		       ? &process->past[past - 1].mapping
		       : NULL;
}
