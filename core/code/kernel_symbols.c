// SPDX-License-Identifier: MIT
/*
 * The index is an array of functions in the order of addresses, and their names one behind the
 * other. The size of a function is not in the file: it ends where the next one begins. Of several
 * names of one address the first one in the file is kept, as long as it is no local label.
 *
 * Reading 120,000 lines costs the kernel 50 ms, and 15 ms here. So it is read in pieces while the
 * first samples arrive, and an unknown address reads it again only after a thousand times as long.
 */
#include "core/code/kernel_symbols.h"

#include "core/base/error.h"
#include "core/base/util.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PIECE_BYTES = 64 << 10,
	FILE_BYTES_MAX = 256 << 20,
	FUNCTIONS_MAX = 4 << 20,
	NAMES_BYTES_MAX = 256 << 20,
	NAME_BYTES_MAX = 512, /* KSYM_NAME_LEN; longer ones are cut */
	MODULES_MAX = 4096,
	FUNCTION_BYTES_MAX = 1 << 20, /* a longer gap belongs to no function */
	AGAIN_S = 10,
	COST_SHARE = 1000,
};

struct function {
	uint64_t start;
	uint32_t name;   /* offset in the names */
	uint16_t module; /* index in the modules; 0: the kernel */
	bool removed;
};

/* Of a record. */
struct added {
	uint64_t start, end;
	char *name; /* NULL: free */
	bool removed;
};

struct kernel_symbols {
	const struct sys *sys; /* NULL: no file is read but by kernel_symbols_load() */
	int fd;
	bool read; /* at least once */
	bool zero; /* the addresses are hidden */
	int error; /* -errno of the last reading */
	uint64_t read_ns, cost_ns;
	unsigned changes;
	char why[256];
	/* While it is read: the functions are not sorted yet. */
	char *text; /* PIECE_BYTES + 1; NULL: it is not being read */
	uint64_t offset;
	size_t held; /* bytes of an incomplete line */
	struct kernel_reference reference;
	uint64_t reference_found; /* its address in the file; 0: none yet */
	uint64_t moved;           /* from there */
	uint64_t ends[2];         /* _etext, _edata; 0: none yet */

	struct function *functions;
	size_t n_functions, functions_capacity;
	char *names;
	size_t names_bytes, names_capacity;
	char **modules;
	size_t n_modules, modules_capacity;

	struct added *added; /* KERNEL_SYMBOLS_ADDED; NULL: no record yet */
	size_t next_added;
	char found[NAME_BYTES_MAX]; /* of a record */
};

struct kernel_symbols *kernel_symbols_new(const struct sys *sys)
{
	struct kernel_symbols *symbols = xcalloc(1, sizeof(*symbols));

	symbols->sys = sys;
	symbols->fd = -1;
	return symbols;
}

static void clear_index(struct kernel_symbols *symbols)
{
	for (size_t i = 0; i < symbols->n_modules; i++)
		free(symbols->modules[i]);
	symbols->n_modules = symbols->n_functions = symbols->names_bytes = 0;
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	if (!symbols)
		return;
	if (symbols->fd >= 0)
		sys_close(symbols->sys, symbols->fd);
	clear_index(symbols);
	for (size_t i = 0; symbols->added && i < KERNEL_SYMBOLS_ADDED; i++)
		free(symbols->added[i].name);
	free(symbols->added);
	free(symbols->text);
	free(symbols->functions);
	free(symbols->names);
	free(symbols->modules);
	free(symbols);
}

/* Reading */

/* "[ext4]" as the file has it. Code that the kernel makes for itself is of the kernel. */
static uint16_t module_index(struct kernel_symbols *symbols, const char *name, size_t length)
{
	static const char builtin[] = "[__builtin__";

	if (length == 0 || strncmp(name, builtin, strlen(builtin)) == 0)
		return 0;
	for (size_t i = symbols->n_modules; i > 0; i--) /* lines of a module follow each other */
		if (strncmp(symbols->modules[i - 1], name, length) == 0 &&
		    symbols->modules[i - 1][length] == '\0')
			return (uint16_t)i;
	if (symbols->n_modules >= MODULES_MAX)
		return 0;
	symbols->modules = array_reserve(symbols->modules, &symbols->modules_capacity,
					 symbols->n_modules + 1, sizeof(*symbols->modules));
	symbols->modules[symbols->n_modules++] = xstrndup(name, length);
	return (uint16_t)symbols->n_modules;
}

/* Returns what follows the digits, or NULL. */
static const char *parse_address(const char *line, uint64_t *address)
{
	unsigned digits = 0;

	for (*address = 0; digits < 16; digits++) {
		char c = line[digits];

		if (c >= '0' && c <= '9')
			*address = *address << 4 | (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*address = *address << 4 | (unsigned)(c - 'a' + 10);
		else
			break;
	}
	return digits > 0 ? line + digits : NULL;
}

static bool is_function(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/*
 * Marks of linker scripts and alignment, and "$x", which states on arm64 that code begins. With
 * CONFIG_CALL_PADDING "__pfx_NAME" is the padding in front of each function of x86-64, which never
 * runs: half of all lines. A name is at most as long as the line.
 */
static bool is_label(const char *name)
{
	return name[0] == '$' || name[0] == '.' || name[0] == '\0' ||
	       strncmp(name, "__pfx_", 6) == 0;
}

/* Symbols of the same name in a module are others. */
static void find_reference(struct kernel_symbols *symbols, const char *name, uint64_t address)
{
	static const char *const ends[] = {"_etext", "_edata"};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (!symbols->ends[i] && name[0] == '_' && strcmp(name, ends[i]) == 0)
			symbols->ends[i] = address;
	if (!symbols->reference_found && symbols->reference.name &&
	    strcmp(name, symbols->reference.name) == 0)
		symbols->reference_found = address;
}

/* "ffffffffc0201000 t ext4_iget\t[ext4]" */
static void add_line(struct kernel_symbols *symbols, const char *line)
{
	uint64_t address;
	const char *at = parse_address(line, &address);

	if (!at || at[0] != ' ' || at[1] == '\0' || at[2] != ' ')
		return;
	find_reference(symbols, at + 3, address);
	if (!is_function(at[1]) || is_label(at + 3))
		return;
	if (address == 0) {
		symbols->zero = true;
		return;
	}
	const char *name = at + 3, *tab = name + strcspn(name, "\t ");
	size_t length = size_min((size_t)(tab - name), NAME_BYTES_MAX - 1);
	const char *module = tab + strspn(tab, "\t ");

	if (length == 0 || symbols->n_functions >= FUNCTIONS_MAX ||
	    symbols->names_bytes + length + 1 > NAMES_BYTES_MAX)
		return;
	symbols->functions = array_reserve(symbols->functions, &symbols->functions_capacity,
					   symbols->n_functions + 1, sizeof(*symbols->functions));
	symbols->names = array_reserve(symbols->names, &symbols->names_capacity,
				       symbols->names_bytes + length + 1, 1);
	symbols->functions[symbols->n_functions++] = (struct function){
		.start = address,
		.name = (uint32_t)symbols->names_bytes,
		.module = module_index(symbols, module, strcspn(module, " \t")),
	};
	memcpy(symbols->names + symbols->names_bytes, name, length);
	symbols->names[symbols->names_bytes + length] = '\0';
	symbols->names_bytes += length + 1;
}

/* Adds the complete lines. Returns their bytes. */
static size_t add_lines(struct kernel_symbols *symbols, char *text, size_t n)
{
	size_t used = 0;
	char *newline;

	while ((newline = memchr(text + used, '\n', n - used))) {
		*newline = '\0';
		add_line(symbols, text + used);
		used = (size_t)(newline - text) + 1;
	}
	return used;
}

/* Reads a piece. 1; 0: the file has ended; or -errno. */
static int read_piece(struct kernel_symbols *symbols, const struct code_text_reader *reader)
{
	char *text = symbols->text;
	size_t held = symbols->held;

	if (symbols->offset >= FILE_BYTES_MAX)
		return 0;
	ssize_t n = reader->read(reader->ctx, text + held, PIECE_BYTES - held, symbols->offset);
	if (n <= 0)
		return (int)n;
	symbols->offset += (uint64_t)n;
	held += (size_t)n;
	size_t used = add_lines(symbols, text, held);
	/* A line of 64 KiB is none of the kernel's. */
	held = used > 0 || held < PIECE_BYTES ? held - used : 0;
	memmove(text, text + used, held);
	symbols->held = held;
	return 1;
}

/* By address, then in the order of the file. */
static int compare_functions(const void *a, const void *b)
{
	const struct function *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return (left->name > right->name) - (left->name < right->name);
}

/* Names of omitted functions stay: these are few. */
static void sort_functions(struct kernel_symbols *symbols)
{
	struct function *functions = symbols->functions;
	size_t kept = 0;

	if (symbols->n_functions == 0)
		return;
	qsort(functions, symbols->n_functions, sizeof(*functions), compare_functions);
	for (size_t i = 0; i < symbols->n_functions; i++)
		if (kept == 0 || functions[i].start != functions[kept - 1].start)
			functions[kept++] = functions[i];
	symbols->n_functions = kept;
	symbols->functions = xreallocarray(functions, kept, sizeof(*functions));
	symbols->functions_capacity = kept;
	symbols->names = xreallocarray(symbols->names, symbols->names_bytes, 1);
	symbols->names_capacity = symbols->names_bytes;
}

static void set_why(struct kernel_symbols *symbols)
{
	long restricted = 0;

	symbols->why[0] = '\0';
	if (symbols->n_functions > 0)
		return;
	if (symbols->error && symbols->error != -ENOENT)
		snprintf(symbols->why, sizeof(symbols->why),
			 "Functions of the kernel have no names: /proc/kallsyms cannot be read "
			 "(%s). Run pmctop as root, outside of containers.",
			 error_why(symbols->error));
	else if (!symbols->zero)
		text_copy(symbols->why, sizeof(symbols->why),
			  "Functions of the kernel have no names: /proc/kallsyms has none. They "
			  "need a kernel with CONFIG_KALLSYMS=y, and /proc.");
	else if (proc_number(symbols->sys, "/proc/sys/kernel/kptr_restrict", &restricted) == 0 &&
		 restricted >= 2)
		text_copy(symbols->why, sizeof(symbols->why),
			  "Functions of the kernel have no names: kernel.kptr_restrict is 2. As "
			  "root: sysctl kernel.kptr_restrict=1");
	else
		text_copy(symbols->why, sizeof(symbols->why),
			  "Functions of the kernel have no names: their addresses are hidden. Run "
			  "pmctop as root, or as root: sysctl kernel.kptr_restrict=0 "
			  "kernel.perf_event_paranoid=1");
}

static void begin_text(struct kernel_symbols *symbols)
{
	clear_index(symbols);
	symbols->zero = false;
	symbols->text = xmalloc(PIECE_BYTES + 1);
	symbols->offset = symbols->held = 0;
}

static void end_text(struct kernel_symbols *symbols)
{
	free(symbols->text);
	symbols->text = NULL;
	sort_functions(symbols);
	symbols->read = true;
	symbols->changes++;
}

static void begin_index(struct kernel_symbols *symbols)
{
	if (symbols->fd < 0)
		symbols->fd = sys_file_open(symbols->sys, "/proc/kallsyms");
	symbols->error = symbols->fd < 0 ? symbols->fd : 0;
	symbols->fd = symbols->fd < 0 ? -1 : symbols->fd;
	begin_text(symbols);
	symbols->cost_ns = 0;
}

static void end_index(struct kernel_symbols *symbols)
{
	end_text(symbols);
	set_why(symbols);
	symbols->read_ns = sys_now_ns(symbols->sys);
}

static ssize_t read_file(void *ctx, char *buffer, size_t size, uint64_t offset)
{
	const struct kernel_symbols *symbols = ctx;

	return sys_file_pread(symbols->sys, symbols->fd, buffer, size, offset);
}

/* Reads a piece, or all that is left. */
static void read_index(struct kernel_symbols *symbols, bool all)
{
	const struct code_text_reader reader = {read_file, symbols};
	uint64_t begin_ns = sys_now_ns(symbols->sys);
	int rc;

	if (!symbols->text)
		begin_index(symbols);
	do
		rc = symbols->error ? symbols->error : read_piece(symbols, &reader);
	while (rc > 0 && all);
	if (rc <= 0) {
		symbols->error = rc;
		end_index(symbols);
	}
	symbols->cost_ns += sys_now_ns(symbols->sys) - begin_ns;
}

/* The kernel of the file began elsewhere. Modules are not moved by as much as it is. */
static void move_functions(struct kernel_symbols *symbols, uint64_t by)
{
	struct function *functions = symbols->functions;
	size_t kept = 0;

	for (size_t i = 0; by != 0 && i < symbols->n_functions; i++)
		if (functions[i].module == 0) {
			functions[kept] = functions[i];
			functions[kept++].start += by;
		}
	if (by != 0)
		symbols->n_functions = kept;
}

int kernel_symbols_load(struct kernel_symbols *symbols, const struct code_text_reader *reader,
			const struct kernel_reference *reference)
{
	int rc;

	begin_text(symbols);
	symbols->reference = *reference;
	symbols->reference_found = 0;
	memset(symbols->ends, 0, sizeof(symbols->ends));
	while ((rc = read_piece(symbols, reader)) > 0)
		;
	if (rc == 0 && symbols->n_functions == 0)
		rc = symbols->zero ? -EACCES : -ENOENT;
	if (rc == 0 && reference->name && !symbols->reference_found)
		rc = -ESRCH;
	symbols->moved = reference->name ? reference->address - symbols->reference_found : 0;
	if (rc)
		clear_index(symbols);
	else
		move_functions(symbols, symbols->moved);
	end_text(symbols);
	symbols->reference = (struct kernel_reference){.name = NULL};
	symbols->why[0] = '\0';
	return rc;
}

bool kernel_symbols_are_unmoved(const struct kernel_symbols *symbols, uint64_t end)
{
	return symbols->reference_found && symbols->moved == 0 &&
	       (!end || symbols->ends[0] == end || symbols->ends[1] == end);
}

void kernel_symbols_clear(struct kernel_symbols *symbols, const char *why)
{
	clear_index(symbols);
	text_copy(symbols->why, sizeof(symbols->why), why);
	symbols->read = true;
	symbols->changes++;
}

void kernel_symbols_prepare(struct kernel_symbols *symbols, bool begin)
{
	if (symbols->sys && !symbols->read && (begin || symbols->text))
		read_index(symbols, false);
}

/* Finding */

static struct function *find_function(const struct kernel_symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->n_functions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	struct function *found = low > 0 ? &symbols->functions[low - 1] : NULL;
	return found && !found->removed && address - found->start < FUNCTION_BYTES_MAX ? found
										       : NULL;
}

static bool find_in_index(const struct kernel_symbols *symbols, uint64_t address,
			  struct kernel_symbol *symbol)
{
	const struct function *found = find_function(symbols, address);

	if (!found)
		return false;
	symbol->name = symbols->names + found->name;
	symbol->module = found->module ? symbols->modules[found->module - 1] : "[kernel]";
	symbol->start = found->start;
	symbol->recorded = false;
	return true;
}

static const char *module_of_added(const char *name)
{
	return strncmp(name, "bpf_", 4) == 0 ? "[bpf]" : "[kernel]";
}

/* The newest that has the address. */
static bool find_in_added(struct kernel_symbols *symbols, uint64_t address, bool removed,
			  struct kernel_symbol *symbol)
{
	for (size_t i = 1; symbols->added && i <= KERNEL_SYMBOLS_ADDED; i++) {
		size_t at = (symbols->next_added + KERNEL_SYMBOLS_ADDED - i) % KERNEL_SYMBOLS_ADDED;
		const struct added *added = &symbols->added[at];

		if (!added->name || added->removed != removed || address < added->start ||
		    address >= added->end)
			continue;
		text_copy(symbols->found, sizeof(symbols->found), added->name);
		*symbol = (struct kernel_symbol){symbols->found, module_of_added(added->name),
						 added->start, true};
		return true;
	}
	return false;
}

/* Whether the file may have another content than the index. */
static bool is_due(const struct kernel_symbols *symbols)
{
	uint64_t wait_ns = COST_SHARE * symbols->cost_ns;

	if (!symbols->sys)
		return false;
	if (!symbols->read)
		return true;
	if (wait_ns < AGAIN_S * NS_PER_S)
		wait_ns = AGAIN_S * NS_PER_S;
	return sys_now_ns(symbols->sys) - symbols->read_ns >= wait_ns;
}

bool kernel_symbols_find(struct kernel_symbols *symbols, uint64_t address,
			 struct kernel_symbol *symbol)
{
	if (find_in_added(symbols, address, false, symbol) ||
	    find_in_added(symbols, address, true, symbol))
		return true;
	if (!symbols->text && find_in_index(symbols, address, symbol))
		return true;
	if (!symbols->text && !is_due(symbols))
		return false;
	read_index(symbols, true);
	return find_in_index(symbols, address, symbol);
}

const char *kernel_symbols_why(const struct kernel_symbols *symbols)
{
	return symbols->read && symbols->why[0] ? symbols->why : NULL;
}

/* Records */

static void remove_function(struct kernel_symbols *symbols, uint64_t start)
{
	struct function *found = find_function(symbols, start);

	if (found && found->start == start && found->module)
		found->removed = true;
	for (size_t i = 0; symbols->added && i < KERNEL_SYMBOLS_ADDED; i++) {
		struct added *added = &symbols->added[i];

		if (!added->name || added->start != start)
			continue;
		/* The file has what stands there now. A recording has nothing else. */
		if (!symbols->sys) {
			added->removed = true;
			continue;
		}
		free(added->name);
		*added = (struct added){0};
	}
}

void kernel_symbols_record(struct kernel_symbols *symbols, uint64_t start, uint32_t size,
			   const char *name)
{
	symbols->changes++;
	if (!name) {
		remove_function(symbols, start);
		return;
	}
	if (!symbols->added)
		symbols->added = xcalloc(KERNEL_SYMBOLS_ADDED, sizeof(*symbols->added));
	struct added *added = &symbols->added[symbols->next_added];
	free(added->name);
	*added = (struct added){
		.start = start,
		.end = start + size < start ? UINT64_MAX : start + size,
		.name = name[0] ? xstrndup(name, strnlen(name, NAME_BYTES_MAX - 1)) : NULL,
	};
	symbols->next_added = (symbols->next_added + 1) % KERNEL_SYMBOLS_ADDED;
}

unsigned kernel_symbols_changes(const struct kernel_symbols *symbols)
{
	return symbols->changes;
}

size_t kernel_symbols_bytes(const struct kernel_symbols *symbols)
{
	size_t bytes = sizeof(*symbols) +
		       symbols->functions_capacity * sizeof(*symbols->functions) +
		       symbols->names_capacity;

	if (symbols->added)
		bytes += KERNEL_SYMBOLS_ADDED * sizeof(*symbols->added);
	return bytes;
}
