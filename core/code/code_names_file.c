// SPDX-License-Identifier: MIT
/*
 * Addresses in files. The ids of a file are kept by ranges: a sample of a known function has a new
 * address most of the time, and would have no name if it waited for an answer that is late. An
 * offset whose range is unknown is kept by itself.
 *
 * A file is given to the parser when an offset of it is new and the parser does not have it,
 * at most once a call. The queries of a call are sorted by file.
 */
#include "core/code/code_names_internal.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEMANGLE_NS (100 * NS_PER_MS)
#define RETRY_NS    (10 * NS_PER_S)
enum { FILE_IDS_MAX = 1 << 16, FILE_RANGES_MAX = 1 << 16 };

/* Removes the ids if they are of another era, or too many. */
static void check_ids(const struct code_names *names, struct code_file *file)
{
	if (file->era != names->era || file->ids.n > FILE_IDS_MAX ||
	    file->ranges.n > FILE_RANGES_MAX) {
		hash_table_clear(&file->ids);
		code_ranges_clear(&file->ranges);
	}
	file->era = names->era;
}

uint32_t names_find_in_file(const struct code_names *names, const struct code_mapping *mapping,
			    uint64_t address)
{
	struct code_file *file = mapping->object->file;

	if (!file || !file->key)
		return 0;
	uint64_t offset = code_file_place(file, mapping, address);
	check_ids(names, file);
	uint32_t id = code_ranges_find(&file->ranges, offset);
	return id ? id : names_find_id(names, &file->ids, offset);
}

static void keep_in_file(const struct code_names *names, struct code_file *file, uint64_t offset,
			 const struct symbol *symbol, uint32_t id)
{
	const struct code_range range = {symbol->start, symbol->end, id};

	check_ids(names, file);
	if (symbol->start <= offset && offset < symbol->end)
		code_ranges_add(&file->ranges, &range, offset);
	else
		names_keep_id(names, &file->ids, offset, id);
}

/* Whether the parser needs the file. Each file is examined once a call. */
static bool is_wanted(const struct code_names *names, struct code_file *file)
{
	const struct code_helpers *helpers = &names->config.helpers;

	if (!file->key || file->pass == names->pass)
		return false;
	file->pass = names->pass;
	return helpers->file(helpers->ctx, file->key) == SYMBOL_FILE_WANTED;
}

/* The file of a mapping with one more reference; NULL: it is not known now. */
static struct code_file *open_mapping(struct code_names *names, pid_t pid,
				      const struct code_mapping *mapping)
{
	const struct code_helpers *helpers = &names->config.helpers;
	const char *name = mapping->object->name;
	struct mapped_file found;
	int rc = helpers->open(helpers->ctx, pid, mapping, names->deadline_ns, &found);

	if (rc == 0)
		return code_files_keep(names->files, &found);
	const char *why = code_file_why(rc, name, names->config.recording);
	return why ? code_files_keep_unopened(why, names_clock_ns(names) + RETRY_NS) : NULL;
}

/*
 * A file that is opened again may be another one than before: it was overwritten, or cannot be
 * found any more. While that is not known, one that was opened before stays, with its ids.
 */
void names_open_file(struct code_names *names, pid_t pid, const struct code_mapping *mapping)
{
	struct code_object *object = mapping->object;
	struct code_file *before = object->file;

	if (before &&
	    (before->key ? !is_wanted(names, before) : names_clock_ns(names) < before->next_ns))
		return;
	struct code_file *file = open_mapping(names, pid, mapping);
	if (!file && before && before->key)
		return;
	object->file = file;
	if (before)
		code_file_put(names->files, before);
}

static void add_pending(struct code_names *names, const struct file_address *at,
			struct code_file *file, const char *recorded)
{
	names->pending = array_reserve(names->pending, &names->pending_capacity,
				       names->n_pending + 1, sizeof(*names->pending));
	struct pending *pending = &names->pending[names->n_pending++];
	*pending = (struct pending){
		.file = file,
		.offset = code_file_place(file, at->mapping, at->address),
		.place = at->place,
		.kernel = at->kernel,
		.recorded = recorded ? xstrdup(recorded) : NULL,
	};
	text_copy(pending->module, sizeof(pending->module), at->module);
	file->refs++;
}

/*
 * Names of C++ and Rust begin with "_Z" or "_R". A child that works answers at once, also if all
 * others have taken the time of the call.
 */
static const char *demangle_recorded(struct code_names *names, const char *name)
{
	const struct code_helpers *helpers = &names->config.helpers;
	uint64_t soon_ns = names_clock_ns(names) + DEMANGLE_NS;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') ||
	    names->undemangled_pass == names->pass)
		return name;
	int rc = helpers->demangle(helpers->ctx, name,
				   soon_ns > names->deadline_ns ? soon_ns : names->deadline_ns,
				   names->demangled);
	if (rc && rc != -ENOENT)
		names->undemangled_pass = names->pass;
	return rc == 0 && names->demangled[0] ? names->demangled : name;
}

const char *names_find_recorded(struct code_names *names, const char *path, uint64_t offset)
{
	const struct code_recorded_names *recorded = &names->config.recorded;
	const char *name = recorded->find ? recorded->find(recorded->ctx, path, offset) : NULL;

	return name && name[0] ? demangle_recorded(names, name) : NULL;
}

static enum code_kind kind_of(bool kernel)
{
	return kernel ? CODE_KERNEL : CODE_USER;
}

/* What stands for an address without a name. All of the kernel, or of one of its modules, are one.
 */
static uint32_t add_unnamed(struct code_names *names, bool kernel, const char *module,
			    uint64_t address, bool bounded, const char *why)
{
	return kernel ? names_add_function(names, module, module, CODE_UNNAMED, NO_KERNEL_SYMBOLS)
		      : names_add_unnamed(names, module, address, bounded, why);
}

uint32_t names_add_nameless(struct code_names *names, const struct file_address *at,
			    const char *why)
{
	const char *name = names_find_recorded(names, at->mapping->object->name, at->offset);

	return name ? names_add_function(names, name, at->module, kind_of(at->kernel), "")
		    : add_unnamed(names, at->kernel, at->module, at->offset, false, why);
}

/* Why the file has no names; NULL: the parser can have a query for it. */
static const char *why_unnamed(const struct code_names *names, const struct file_address *at)
{
	const struct code_helpers *helpers = &names->config.helpers;
	const struct code_file *file = at->mapping->object->file;

	if (!file->key)
		return file->why;
	if (at->kernel ? code_file_place(file, at->mapping, at->address) == CODE_FILE_NOWHERE
		       : at->offset >= file->size)
		return "truncated";
	switch (helpers->file(helpers->ctx, file->key)) {
	case SYMBOL_FILE_WANTED:
	case SYMBOL_FILE_GIVEN:
		break;
	case SYMBOL_FILE_REFUSED:
		return "cannot be parsed";
	case SYMBOL_FILE_SILENT:
		return code_file_why(-ETIMEDOUT, "", false);
	}
	return NULL;
}

uint32_t names_resolve_in_file(struct code_names *names, const struct file_address *at)
{
	const struct code_helpers *helpers = &names->config.helpers;
	const struct code_mapping *mapping = at->mapping;
	uint32_t id = names_find_in_file(names, mapping, at->address);

	if (id)
		return id;
	if (names->careful && helpers->answered && !helpers->answered(helpers->ctx, mapping)) {
		names->left_out = true;
		return 0;
	}
	names_open_file(names, at->pid, mapping);
	struct code_file *file = mapping->object->file;
	if (!file)
		return 0;
	const char *why = why_unnamed(names, at);
	if (why)
		return names_add_nameless(names, at, why);
	add_pending(names, at, file, names_find_recorded(names, mapping->object->name, at->offset));
	return 0;
}

/* Queries of the parser */

static int compare_pending(const void *a, const void *b)
{
	const struct pending *left = a, *right = b;

	if (left->file != right->file)
		return left->file->key < right->file->key ? -1 : 1;
	return (left->offset > right->offset) - (left->offset < right->offset);
}

static bool is_same_query(const struct pending *a, const struct pending *b)
{
	return a->file == b->file && a->offset == b->offset;
}

struct answers {
	struct code_names *names;
	const size_t *first; /* of each query: index of its first pending address */
	size_t n;
};

static void keep_answer(void *arg, size_t query, const struct symbol *symbol)
{
	const struct answers *answers = arg;
	struct code_names *names = answers->names;

	if (query >= answers->n)
		return;
	struct pending *pending = &names->pending[answers->first[query]];
	if (symbol->unsure && symbol->name && symbol->name[0] && !pending->recorded)
		pending->id = names_add_unsure(names, symbol->name, pending->module);
	else if (!symbol->unsure && symbol->name && symbol->name[0])
		pending->id = names_add_function(names, symbol->name, pending->module,
						 kind_of(pending->kernel), "");
	else if (pending->recorded)
		pending->id = names_add_function(names, pending->recorded, pending->module,
						 kind_of(pending->kernel), "");
	else
		pending->id = add_unnamed(names, pending->kernel, pending->module, symbol->address,
					  !symbol->nameless, "no symbols");
	keep_in_file(names, pending->file, pending->offset, symbol, pending->id);
}

static void keep_place(struct code_names *names, struct code_place *place, uint32_t id)
{
	struct code_process *process =
		place->kernel ? NULL : code_maps_find(names->maps, place->pid);

	place->id = id;
	if (place->kernel && id)
		names_keep_id(names, &names->kernel_ids, place->address, id);
	if (process && id && !place->past)
		names_keep_id(names, names_of_process(names, process), place->address, id);
}

static void query_parser(struct code_names *names, struct code_place *places, uint64_t deadline_ns)
{
	const struct code_helpers *helpers = &names->config.helpers;
	struct pending *pending = names->pending;
	struct symbol_query *queries = xcalloc(names->n_pending, sizeof(*queries));
	size_t *first = xcalloc(names->n_pending, sizeof(*first)), n = 0;

	qsort(pending, names->n_pending, sizeof(*pending), compare_pending);
	for (size_t i = 0; i < names->n_pending; i++) {
		if (i > 0 && is_same_query(&pending[i - 1], &pending[i]))
			continue;
		queries[n] = (struct symbol_query){pending[i].file->key, pending[i].offset};
		first[n++] = i;
	}
	struct answers answers = {names, first, n};
	helpers->find(helpers->ctx, queries, n, deadline_ns, keep_answer, &answers);
	for (size_t i = 0; i < names->n_pending; i++) {
		if (i > 0 && is_same_query(&pending[i - 1], &pending[i]))
			pending[i].id = pending[i - 1].id;
		keep_place(names, &places[pending[i].place], pending[i].id);
	}
	free(queries);
	free(first);
}

void names_find_pending(struct code_names *names, struct code_place *places, uint64_t deadline_ns)
{
	if (names->n_pending > 0)
		query_parser(names, places, deadline_ns);
	for (size_t i = 0; i < names->n_pending; i++) {
		code_file_put(names->files, names->pending[i].file);
		free(names->pending[i].recorded);
	}
	names->n_pending = 0;
}
