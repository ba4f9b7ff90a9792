// SPDX-License-Identifier: MIT
/*
 * Addresses of the kernel. A recording has addresses of another boot, and mostly of another kernel.
 * The symbols of this machine's kernel are used only if the build ids agree, and are moved by as
 * much as the recorded address of a reference symbol differs.
 */
#include "core/code/code_names_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/code/elf_build_id.h"
#include "core/sys/file_lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	KERNEL_IDS_MAX = 1 << 16,
	NOTES_BYTES = 4096,
	MODULES_BYTES_MAX = 1 << 20,
	KERNEL_BYTES_MAX = 1 << 30,
};
#define KERNEL_IDS_AGE_NS (10 * NS_PER_S)

void names_check_kernel_ids(struct code_names *names)
{
	uint64_t now_ns = names_clock_ns(names);
	unsigned changes = kernel_symbols_changes(names->kernel);

	if (changes == names->kernel_changes && names->kernel_ids.n <= KERNEL_IDS_MAX &&
	    now_ns - names->kernel_ids_ns < KERNEL_IDS_AGE_NS)
		return;
	hash_table_clear(&names->kernel_ids);
	names->kernel_changes = changes;
	names->kernel_ids_ns = now_ns;
}

void code_names_map_kernel(struct code_names *names, const struct proc_mapping *mapping,
			   const struct code_build_id *build_id)
{
	if (kernel_maps_add(&names->kernel_maps, mapping, build_id))
		names->kernel_loaded = false;
	names->kernel_mapped++;
	hash_table_clear(&names->kernel_ids);
}

/* The symbols of a recording's kernel */

static void set_why(struct code_names *names, int error)
{
	char id[2 * CODE_BUILD_ID_MAX + 1] = "unknown", why[256];
	const struct code_build_id *build_id = &names->kernel_maps.build_id;

	if (build_id->size > 0)
		text_hex(id, build_id->bytes, build_id->size);
	if (error == -EACCES)
		snprintf(why, sizeof(why),
			 "Functions of the kernel have no names: the copy of its /proc/kallsyms "
			 "has no addresses. Only root can make one.");
	else if (error == -ESRCH)
		snprintf(why, sizeof(why),
			 "Functions of the kernel have no names: the recording does not state "
			 "where the kernel was. Record as root.");
	else
		snprintf(why, sizeof(why),
			 "Functions of the kernel have no names: its symbols are not here (build "
			 "id %s). Copy its /proc/kallsyms, as root, to DIR/kallsyms, and add "
			 "--symfs DIR",
			 id);
	kernel_symbols_clear(names->kernel, why);
}

/* Whether this machine has the kernel of the recording. */
static bool is_this_kernel(const struct code_names *names)
{
	char notes[NOTES_BYTES];
	uint8_t id[ELF_BUILD_ID_BYTES];
	ssize_t n = sys_file_read(names->config.sys, "/sys/kernel/notes", notes, sizeof(notes));
	int size = n > 0 ? elf_notes_build_id(notes, (size_t)n, id) : -ENOENT;

	return size > 0 && code_build_id_is_known(&names->kernel_maps.build_id) &&
	       code_build_id_is(&names->kernel_maps.build_id, id, (size_t)size);
}

static bool is_this_release(const struct code_names *names)
{
	char release[128] = "";
	ssize_t n = sys_file_read(names->config.sys, "/proc/sys/kernel/osrelease", release,
				  sizeof(release) - 1);

	release[n > 0 ? n : 0] = '\0';
	release[strcspn(release, "\n")] = '\0';
	return names->config.release && release[0] && strcmp(release, names->config.release) == 0;
}

/* The modules of this machine among the modules of a recording. */
struct modules_compared {
	const struct kernel_maps *maps;
	size_t same, others; /* at the recorded address, at another one */
};

/* "ext4 1105920 1 - Live 0xffffffffc0201000" */
static int compare_module(void *arg, char *line)
{
	struct modules_compared *compared = arg;
	const struct kernel_maps *maps = compared->maps;
	char name[KERNEL_MODULE_BYTES] = "[", *bracketed = name + 1;
	unsigned long long start;

	if (sscanf(line, "%60s %*s %*s %*s %*s %18llx", bracketed, &start) != 2)
		return 0;
	text_copy(name + strlen(name), sizeof(name) - strlen(name), "]");
	for (size_t i = 0; i < maps->n_modules; i++)
		if (strcmp(maps->modules[i].name, name) == 0) {
			bool same = maps->modules[i].mapping.start == start;

			compared->same += same;
			compared->others += !same;
		}
	return 0;
}

/* Modules that are not loaded any more say nothing. */
static struct modules_compared compare_modules(const struct code_names *names)
{
	const struct sys *sys = names->config.sys;
	struct modules_compared compared = {.maps = &names->kernel_maps};
	int fd = names->kernel_maps.n_modules > 0 ? sys_file_open(sys, "/proc/modules") : -ENOENT;

	if (fd < 0)
		return compared;
	file_lines_each(sys, fd, MODULES_BYTES_MAX, compare_module, &compared);
	sys_close(sys, fd);
	return compared;
}

/* Returns the end of the recorded kernel; 0: perf before 5.2 records the end of all addresses. */
static uint64_t recorded_end(const struct kernel_maps *maps)
{
	uint64_t end = maps->end;

	if (end - maps->reference.address > KERNEL_BYTES_MAX)
		return 0;
	for (size_t i = 0; i < maps->n_modules; i++)
		if (maps->modules[i].mapping.start == end)
			return 0;
	return end;
}

/*
 * A recording has no build id of its kernel after perf record -B, -z or through a pipe. Without
 * KASLR all kernels begin at the same address, so their ends and modules are compared too.
 */
static bool may_be_this_kernel(const struct code_names *names, struct modules_compared *modules)
{
	const struct kernel_maps *maps = &names->kernel_maps;

	if (code_build_id_is_known(&maps->build_id) || !maps->reference.name ||
	    !is_this_release(names))
		return false;
	*modules = compare_modules(names);
	return modules->others == 0 && (modules->same > 0 || maps->n_modules == 0);
}

static void note_same_kernel(struct code_names *names, const struct modules_compared *modules)
{
	char text[64] = "";

	if (modules->same > 0)
		snprintf(text, sizeof(text), " and of %zu module%s", modules->same,
			 modules->same == 1 ? "" : "s");
	snprintf(names->kernel_note, sizeof(names->kernel_note),
		 "The build id of the recorded kernel is unknown. Functions of the kernel have the "
		 "names of this machine's: the release (%.64s) and the addresses of the kernel%s "
		 "are the same.",
		 names->config.release, text);
}

const char *code_names_kernel_note(const struct code_names *names)
{
	return names->kernel_note[0] ? names->kernel_note : NULL;
}

struct own_text {
	const struct sys *sys;
	int fd;
};

static ssize_t read_own(void *ctx, char *buffer, size_t size, uint64_t offset)
{
	const struct own_text *text = ctx;

	return sys_file_pread(text->sys, text->fd, buffer, size, offset);
}

/* The kernel's own file of this machine, which cannot hang. */
static int load_own_text(struct code_names *names, const struct kernel_reference *reference)
{
	struct own_text text = {names->config.sys, -ENOENT};
	const struct code_text_reader reader = {read_own, &text};
	struct modules_compared modules = {.maps = NULL};
	bool known = is_this_kernel(names), alike = !known && may_be_this_kernel(names, &modules);

	if (known || alike)
		text.fd = sys_file_open(text.sys, "/proc/kallsyms");
	if (text.fd < 0)
		return text.fd;
	int rc = kernel_symbols_load(names->kernel, &reader, reference);
	sys_close(text.sys, text.fd);
	if (rc || known)
		return rc;
	if (!kernel_symbols_are_unmoved(names->kernel, recorded_end(&names->kernel_maps))) {
		kernel_symbols_clear(names->kernel, "");
		return -ENOENT;
	}
	note_same_kernel(names, &modules);
	return 0;
}

struct other_text {
	const struct code_names *names;
	struct code_text text;
};

static ssize_t read_other(void *ctx, char *buffer, size_t size, uint64_t offset)
{
	const struct other_text *other = ctx;
	const struct code_helpers *helpers = &other->names->config.helpers;
	struct code_text_status status;

	return helpers->text(helpers->ctx, &other->text, offset, other->names->deadline_ns, buffer,
			     size, &status);
}

static int load_other_text(struct code_names *names, unsigned number,
			   const struct kernel_reference *reference)
{
	struct other_text other = {
		.names = names,
		.text = {.kind = CODE_TEXT_KALLSYMS,
			 .number = number,
			 .id = names->kernel_maps.build_id},
	};
	const struct code_text_reader reader = {read_other, &other};

	return kernel_symbols_load(names->kernel, &reader, reference);
}

/*
 * Reads the first text that has the functions of the recorded kernel. Without the address of a
 * symbol only the user's texts are used. -EAGAIN: it has not answered yet.
 */
static int load_text(struct code_names *names)
{
	static const struct kernel_reference unmoved = {.name = NULL};
	const struct kernel_maps *maps = &names->kernel_maps;
	const struct kernel_reference *reference =
		maps->reference.name ? &maps->reference : &unmoved;
	int error = -ENOENT;

	for (unsigned i = 0; i <= MAPPED_FILE_TEXTS; i++) {
		int rc = i < MAPPED_FILE_TEXTS ? load_other_text(names, i, reference)
					       : load_own_text(names, reference);

		if (rc == 0 && i >= MAPPED_FILE_TEXTS_OF_USER && !maps->reference.name) {
			kernel_symbols_clear(names->kernel, "");
			rc = -ESRCH;
		}
		if (rc == 0 || rc == -EAGAIN)
			return rc;
		if (error == -ENOENT)
			error = rc;
	}
	return error;
}

/* Whether there is an ELF file of the recording's kernel. */
static bool open_image(struct code_names *names)
{
	const struct code_mapping *image = &names->kernel_maps.image;

	if (!image->object)
		return false;
	names_open_file(names, 0, image);
	return image->object->file && image->object->file->key;
}

/* After open_image(): the file has not been opened yet, so it is not known whether there is one. */
static bool is_image_late(const struct code_names *names)
{
	const struct code_object *object = names->kernel_maps.image.object;

	return object && !object->file;
}

static void load_recorded(struct code_names *names)
{
	if (names->kernel_loaded || names->kernel_pass == names->pass)
		return;
	names->kernel_pass = names->pass;
	names->kernel_loaded = true;
	names->kernel_note[0] = '\0';
	kernel_symbols_clear(names->kernel, "");
	int rc = load_text(names);
	names->kernel_image = rc && rc != -EAGAIN && open_image(names);
	if (rc == -EAGAIN || (rc && is_image_late(names))) {
		names->kernel_loaded = false;
		return;
	}
	if (rc && !names->kernel_image)
		set_why(names, rc);
	names->kernel_changes = kernel_symbols_changes(names->kernel);
}

/* The text may have the modules of another boot. */
static bool is_recorded_module(const struct code_names *names, uint64_t address,
			       const struct kernel_symbol *symbol)
{
	const struct kernel_maps *maps = &names->kernel_maps;
	const struct kernel_module *module = kernel_maps_find(maps, address);

	if (symbol->recorded)
		return true;
	if (module)
		return strcmp(module->name, symbol->module) == 0;
	return maps->n_modules == 0 || strcmp(symbol->module, "[kernel]") == 0 ||
	       strcmp(symbol->module, "[bpf]") == 0;
}

/* Finds the link address of the reference. False: not now, or never. */
static bool locate_reference(struct code_names *names)
{
	const struct code_helpers *helpers = &names->config.helpers;
	struct kernel_maps *maps = &names->kernel_maps;
	uint64_t address;

	if (maps->image.offset != 0)
		return true;
	int rc = helpers->locate(helpers->ctx, maps->image.object->file->key, maps->reference.name,
				 names->deadline_ns, &address);
	if (rc == 0)
		maps->image.offset = address;
	if (rc == -ENOENT) {
		names->kernel_image = false;
		set_why(names, -ESRCH);
	}
	return rc == 0;
}

static uint32_t resolve_in_image(struct code_names *names, const struct file_address *at)
{
	if (!open_image(names))
		return is_image_late(names) ? 0 : names_add_nameless(names, at, NO_KERNEL_SYMBOLS);
	if (locate_reference(names))
		return names_resolve_in_file(names, at);
	return names->kernel_image ? 0 : names_add_nameless(names, at, NO_KERNEL_SYMBOLS);
}

static uint32_t resolve_recorded(struct code_names *names, uint64_t address, size_t place)
{
	static struct code_object kernel = {.name = CODE_FILE_KERNEL};
	static const struct code_mapping unknown = {.object = &kernel};
	const struct kernel_maps *maps = &names->kernel_maps;
	const struct kernel_module *module = kernel_maps_find(maps, address);
	struct kernel_symbol symbol;

	load_recorded(names);
	if (!names->kernel_loaded)
		return 0;
	if (kernel_symbols_find(names->kernel, address, &symbol) &&
	    is_recorded_module(names, address, &symbol))
		return names_add_function(names, symbol.name, symbol.module, CODE_KERNEL, "");
	const struct file_address at = {
		.mapping = module               ? &module->mapping
			   : maps->image.object ? &maps->image
						: &unknown,
		.address = address,
		.offset = module ? address - module->mapping.start : address,
		.module = module ? module->name : "[kernel]",
		.kernel = true,
		.place = place,
	};
	if (module && module->mapping.object->name[0] == '/')
		return names_resolve_in_file(names, &at);
	return !module && names->kernel_image ? resolve_in_image(names, &at)
					      : names_add_nameless(names, &at, NO_KERNEL_SYMBOLS);
}

static uint32_t resolve_live(struct code_names *names, uint64_t address)
{
	struct kernel_symbol symbol;

	if (kernel_symbols_find(names->kernel, address, &symbol))
		return names_add_function(names, symbol.name, symbol.module, CODE_KERNEL, "");
	return names_add_function(names, "[kernel]", "[kernel]", CODE_UNNAMED,
				  kernel_symbols_why(names->kernel) ? "hidden by the kernel"
								    : "not in /proc/kallsyms");
}

uint32_t names_resolve_kernel(struct code_names *names, uint64_t address, size_t place)
{
	uint32_t id = names_find_id(names, &names->kernel_ids, address);

	if (id)
		return id;
	id = names->config.recording ? resolve_recorded(names, address, place)
				     : resolve_live(names, address);
	if (id)
		names_keep_id(names, &names->kernel_ids, address, id);
	return id;
}
