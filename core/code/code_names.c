// SPDX-License-Identifier: MIT
/*
 * An address is resolved in three steps, and each step keeps its results. By process and address:
 * most addresses of an interval were there in the interval before. By file and offset: another
 * process, or the same one after its mappings were read again. Then the parser finds the
 * symbol; the queries of a call are sorted, so that each file is one request.
 *
 * Ids of addresses are kept in tables whose keys come from other users. They are multiplied by a
 * random odd number, so that addresses cannot be chosen that all have one place in the table.
 */
#include "core/code/code_names_internal.h"

#include "core/base/util.h"
#include "core/code/jit_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drop_file(void *user, struct code_file *file)
{
	code_file_put(((struct code_names *)user)->files, file);
}

static void end_process(void *user, struct code_process *process)
{
	(void)user;
	jit_map_free(process->jit);
	process->jit = NULL;
}

struct code_names *code_names_new(const struct code_names_config *config)
{
	struct code_names *names = xcalloc(1, sizeof(*names));

	names->config = *config;
	names->maps = code_maps_new(&(struct code_maps_config){
		.sys = config->recording ? NULL : config->sys,
		.drop_file = drop_file,
		.end_process = end_process,
		.user = names,
	});
	names->files = code_files_new();
	names->kernel = kernel_symbols_new(config->recording ? NULL : config->sys);
	names->kernel_maps = (struct kernel_maps){.drop_file = drop_file, .user = names};
	function_table_init(&names->functions);
	hash_table_init(&names->kernel_ids, 0);
	names->era = 1;
	names->odd = hash_random_odd();
	return names;
}

void code_names_free(struct code_names *names)
{
	if (!names)
		return;
	code_maps_free(names->maps);
	kernel_maps_fini(&names->kernel_maps);
	code_files_free(names->files);
	kernel_symbols_free(names->kernel);
	function_table_fini(&names->functions);
	hash_table_fini(&names->kernel_ids);
	free(names->pending);
	free(names->addresses);
	free(names);
}

struct code_maps *code_names_maps(struct code_names *names)
{
	return names->maps;
}

struct kernel_symbols *code_names_kernel(struct code_names *names)
{
	return names->kernel;
}

uint64_t code_names_change(const struct code_names *names, pid_t pid)
{
	const struct code_process *process = code_maps_find(names->maps, pid);
	uint32_t kernel = names->kernel_mapped + kernel_symbols_changes(names->kernel);

	return (uint64_t)kernel << 32 | (process ? process->change : 0);
}

uint64_t names_clock_ns(const struct code_names *names)
{
	return names->config.sys ? sys_now_ns(names->config.sys) : monotonic_ns();
}

/* Functions */

static uint32_t add_function(struct code_names *names, struct code_function function,
			     const char *why)
{
	if (names->functions.n >= CODE_NAMES_FUNCTIONS) {
		function = (struct code_function){"[unknown]", "", CODE_UNNAMED};
		why = "too many functions";
	}
	return function_table_add(&names->functions, &function, why);
}

uint32_t names_add_function(struct code_names *names, const char *name, const char *module,
			    enum code_kind kind, const char *why)
{
	return add_function(names, (struct code_function){name, module, kind, NULL}, why);
}

static uint32_t add_unknown(struct code_names *names, const char *module, const char *why)
{
	return names_add_function(names, "[unknown]", module, CODE_UNNAMED, why);
}

uint32_t names_add_unnamed(struct code_names *names, const char *module, uint64_t address,
			   bool bounded, const char *why)
{
	char name[MODULE_BYTES + 32];

	snprintf(name, sizeof(name), "%s+0x%llx", module, (unsigned long long)address);
	return add_function(
		names, (struct code_function){name, module, CODE_UNNAMED, bounded ? NULL : why},
		why);
}

uint32_t names_add_unsure(struct code_names *names, const char *name, const char *module)
{
	static const char why[] = "after a symbol without a size";

	return add_function(names, (struct code_function){name, module, CODE_UNNAMED, why}, why);
}

/* The file name of a mapping's name, or what stands for one. */
static void copy_module(const char *name, char module[MODULE_BYTES])
{
	static const char mark[] = " (deleted)";
	const char *slash = strrchr(name, '/');
	bool anonymous = !name[0] || strncmp(name, "//anon", strlen("//anon")) == 0;

	if (anonymous)
		name = "[anon]";
	else if (name[0] == '/' && slash[1])
		name = slash + 1;
	size_t length = text_copy(module, MODULE_BYTES, name);
	if (length > strlen(mark) && strcmp(module + length - strlen(mark), mark) == 0)
		module[length - strlen(mark)] = '\0';
}

/* Ids of addresses */

uint32_t names_find_id(const struct code_names *names, const struct hash_table *ids,
		       uint64_t address)
{
	return (uint32_t)hash_table_slot(ids, address * names->odd)->number;
}

void names_keep_id(const struct code_names *names, struct hash_table *ids, uint64_t address,
		   uint32_t id)
{
	struct hash_slot *slot = hash_table_slot(ids, address * names->odd);

	if (!slot->number)
		slot = hash_table_add(ids, address * names->odd);
	slot->number = id;
}

struct hash_table *names_of_process(const struct code_names *names, struct code_process *process)
{
	if (process->era != names->era)
		hash_table_clear(&process->ids);
	process->era = names->era;
	return &process->ids;
}

static void begin_anew(struct code_names *names)
{
	function_table_clear(&names->functions);
	hash_table_clear(&names->kernel_ids);
	names->era++;
}

/* Memory that a compiler may have written code to. */
static bool may_be_compiled(const struct code_object *object)
{
	static const char *const begins[] = {"//anon", "[anon", "/memfd:", "/dev/zero", "/SYSV"};

	if (!object->name[0])
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (strncmp(object->name, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static const char *find_compiled(const struct code_names *names, struct code_process *process,
				 uint64_t address)
{
	const struct code_names_config *config = &names->config;

	if (config->recording && !config->symfs)
		return NULL;
	if (!process->jit)
		process->jit =
			jit_map_new(config->sys, &config->helpers, process->pid, config->recording);
	return jit_map_find(process->jit, address, names->deadline_ns);
}

/* Sets *keep to false if the address may get a name later. */
static uint32_t resolve_compiled(struct code_names *names, struct code_process *process,
				 const struct code_mapping *mapping, uint64_t address, bool *keep)
{
	char module[MODULE_BYTES];
	const char *name = find_compiled(names, process, address);

	if (name)
		return names_add_function(names, name, "[jit]", CODE_USER, "");
	name = names_find_recorded(names, mapping->object->name,
				   address - mapping->start + mapping->offset);
	copy_module(mapping->object->name, module);
	if (name)
		return names_add_function(names, name, module, CODE_USER, "");
	*keep = !process->jit || !jit_map_may_exist(process->jit);
	return add_function(
		names, (struct code_function){"[unknown]", module, CODE_UNNAMED, CODE_WHY_COMPILED},
		CODE_WHY_COMPILED);
}

static const char *why_unmapped(int error)
{
	return error == -EACCES || error == -EPERM ? "permission"
	       : error                             ? "the process has ended"
						   : "not mapped";
}

static const struct code_mapping *find_mapping(const struct code_process *process,
					       const struct code_place *place)
{
	return place->past ? code_process_past(process, place->past)
			   : code_process_find(process, place->address);
}

static uint32_t resolve_mapped(struct code_names *names, struct code_process *process,
			       const struct code_place *at, size_t place, int error, bool *keep)
{
	const struct code_mapping *mapping = find_mapping(process, at);
	const struct code_object *object = mapping ? mapping->object : NULL;
	uint64_t address = at->address;
	char module[MODULE_BYTES];

	if (!mapping && at->past)
		return add_unknown(names, "", "mapped for a moment");
	if (!mapping)
		return add_unknown(names, "", why_unmapped(error));
	if (may_be_compiled(object)) {
		uint32_t id = resolve_compiled(names, process, mapping, address, keep);

		/* The memory of a recording is not a file any more. */
		if (object->inode == 0 || (names->config.recording && object->build_id.size == 0) ||
		    function_table_find(&names->functions, id)->function.kind == CODE_USER)
			return id;
	}
	copy_module(object->name, module);
	const struct file_address in_file = {
		.pid = process->reader,
		.mapping = mapping,
		.address = address,
		.offset = address - mapping->start + mapping->offset,
		.module = module,
		.place = place,
	};
	if (object->inode > 0 || object->build_id.size > 0 || object->name[0] == '/' ||
	    strcmp(object->name, "[vdso]") == 0)
		return names_resolve_in_file(names, &in_file);
	return names_add_nameless(names, &in_file, "no symbols");
}

/* Places of one process, whose indices in `places` are order[0..n - 1]. */
static void resolve_process(struct code_names *names, struct code_place *places,
			    const size_t *order, size_t n)
{
	struct code_process *process = code_maps_process(names->maps, places[order[0]].pid);
	size_t missing = 0;

	if (!process) {
		for (size_t i = 0; i < n; i++)
			places[order[i]].id = add_unknown(names, "", "the process has ended");
		return;
	}
	struct hash_table *ids = names_of_process(names, process);
	names->addresses = array_reserve(names->addresses, &names->addresses_capacity, n,
					 sizeof(*names->addresses));
	for (size_t i = 0; i < n; i++) {
		struct code_place *place = &places[order[i]];

		if (!place->past)
			place->id = names_find_id(names, ids, place->address);
		if (!place->past && !place->id)
			names->addresses[missing++] = place->address;
	}
	int error =
		missing > 0 ? code_maps_read(names->maps, process, names->addresses, missing) : 0;
	for (size_t i = 0; i < n; i++) {
		struct code_place *place = &places[order[i]];
		bool keep = true;

		if (place->id)
			continue;
		place->id = resolve_mapped(names, process, place, order[i], error, &keep);
		if (place->id && keep && error == 0 && !place->past)
			names_keep_id(names, ids, place->address, place->id);
	}
}

/* By process; places of the kernel come last. */
static int compare_places(const void *a, const void *b, void *arg)
{
	const struct code_place *places = arg;
	size_t i = *(const size_t *)a, j = *(const size_t *)b;

	if (places[i].kernel != places[j].kernel)
		return places[i].kernel ? 1 : -1;
	if (!places[i].kernel && places[i].pid != places[j].pid)
		return places[i].pid < places[j].pid ? -1 : 1;
	return (i > j) - (i < j);
}

/* Returns how many of the first places are of one process; 0: they are of the kernel. */
static size_t same_process(const struct code_place *places, const size_t *order, size_t n)
{
	size_t same = 0;

	while (same < n && !places[order[same]].kernel &&
	       places[order[same]].pid == places[order[0]].pid)
		same++;
	return same;
}

/* The id of another address in a function of a file that has a name; 0: none. */
static uint32_t find_known_function(struct code_names *names, const struct code_place *place)
{
	const struct code_process *process = code_maps_find(names->maps, place->pid);
	const struct code_mapping *mapping =
		process ? code_process_find(process, place->address) : NULL;

	return mapping && !may_be_compiled(mapping->object)
		       ? names_find_in_file(names, mapping, place->address)
		       : 0;
}

/* Sets the ids that are known without a system call. */
static void find_known(struct code_names *names, struct code_place *places, const size_t *order,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct code_place *place = &places[order[i]];

		if (place->past)
			continue;
		place->id = code_names_find(names, place->pid, place->address, false);
		if (!place->id)
			place->id = find_known_function(names, place);
	}
}

/*
 * Addresses of the kernel come last: its symbols are read at the first one, which may take longer
 * than the deadline allows, and processes should not wait for them. A known index costs little, so
 * the deadline is not checked for these.
 */
static void resolve_sorted(struct code_names *names, struct code_place *places, const size_t *order,
			   size_t n, uint64_t deadline_ns)
{
	bool late = false;
	size_t i = 0, same;

	for (; (same = same_process(places, order + i, n - i)) > 0; i += same) {
		late = late || names_clock_ns(names) >= deadline_ns;
		if (late)
			find_known(names, places, order + i, same);
		else
			resolve_process(names, places, order + i, same);
	}
	names_find_pending(names, places, deadline_ns);
	if (i < n)
		names_check_kernel_ids(names);
	for (; i < n; i++)
		places[order[i]].id =
			names_resolve_kernel(names, places[order[i]].address, order[i]);
	names_find_pending(names, places, deadline_ns);
}

static size_t count_known(const struct code_place *places, size_t n)
{
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		known += places[i].id != 0;
	return known;
}

size_t code_names_resolve(struct code_names *names, struct code_place *places, size_t n,
			  uint64_t deadline_ns)
{
	const struct code_helpers *helpers = &names->config.helpers;
	size_t *order = xcalloc(n, sizeof(*order)), known;

	names->pass++;
	names->deadline_ns = deadline_ns;
	if (names->functions.n >= CODE_NAMES_FUNCTIONS)
		begin_anew(names);
	for (size_t i = 0; i < n; i++) {
		order[i] = i;
		places[i].id = 0;
	}
	if (n > 0)
		qsort_r(order, n, sizeof(*order), compare_places, places);
	names->careful = true;
	names->left_out = false;
	resolve_sorted(names, places, order, n, deadline_ns);
	names->careful = false;
	/* A file that does not answer may take the rest of the time, and the parser with it. */
	if (names->left_out) {
		names->pass++;
		resolve_sorted(names, places, order, n, deadline_ns);
	}
	known = count_known(places, n);
	/* A live system comes back at the next cut, a recording does not. */
	while (names->config.recording && known < n && helpers->wait &&
	       helpers->wait(helpers->ctx, deadline_ns)) {
		names->pass++;
		resolve_sorted(names, places, order, n, deadline_ns);
		known = count_known(places, n);
	}
	free(order);
	return known;
}

uint32_t code_names_find(const struct code_names *names, pid_t pid, uint64_t address, bool kernel)
{
	if (kernel)
		return names_find_id(names, &names->kernel_ids, address);
	const struct code_process *process = code_maps_find(names->maps, pid);
	return process && process->era == names->era ? names_find_id(names, &process->ids, address)
						     : 0;
}

uint32_t code_names_unresolved(struct code_names *names, const struct code_place *place)
{
	const struct code_process *process =
		place->kernel ? NULL : code_maps_find(names->maps, place->pid);
	const struct code_mapping *mapping = process ? find_mapping(process, place) : NULL;
	char module[MODULE_BYTES] = "";

	if (place->kernel)
		return names_add_function(names, "[kernel]", "[kernel]", CODE_UNNAMED,
					  "not yet known");
	if (mapping)
		copy_module(mapping->object->name, module);
	return add_unknown(names, module, "not yet known");
}

const struct code_function *code_names_function(const struct code_names *names, uint32_t id)
{
	const struct named_function *found = function_table_find(&names->functions, id);

	return found ? &found->function : NULL;
}

const char *code_names_why(const struct code_names *names, uint32_t id)
{
	const struct named_function *found = function_table_find(&names->functions, id);

	return found ? found->why : "";
}

size_t code_names_functions(const struct code_names *names)
{
	return names->functions.n;
}
