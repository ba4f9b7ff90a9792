// SPDX-License-Identifier: MIT
/*
 * FILE has structures of numbers and texts, FILE2 messages of protocol buffers (simpleperf/
 * record_file.proto). Both have the path of a file, its kind, its symbols by address, and what
 * makes such an address of one in memory.
 */
#include "core/perfdata/simpleperf_symbols.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

enum file_kind {
	KIND_KERNEL,
	KIND_MODULE,
	KIND_ELF,
	KIND_DEX,
	KIND_MAP, /* symbols of a JIT, by their addresses in memory */
	KIND_UNKNOWN,
};

struct entry {
	uint64_t start;
	uint32_t size;
	uint32_t name; /* offset in the names */
};

struct simpleperf_file {
	char *path; /* owned */
	enum file_kind kind;
	uint64_t min_vaddr;
	uint64_t min_offset; /* of min_vaddr: in an ELF file, in the memory of a module */
	bool has_offset;
	struct entry *entries; /* owned, ascending */
	size_t n, capacity;
	bool unsorted;
};

void simpleperf_symbols_fini(struct simpleperf_symbols *symbols)
{
	for (size_t i = 0; i < symbols->n; i++) {
		free(symbols->files[i].path);
		free(symbols->files[i].entries);
	}
	free(symbols->files);
	free(symbols->names);
	*symbols = (struct simpleperf_symbols){0};
}

/* False: the limit is reached. */
static bool reserve_bytes(struct simpleperf_symbols *symbols, size_t n)
{
	if (n > SIMPLEPERF_SYMBOLS_BYTES - symbols->bytes)
		return false;
	symbols->bytes += n;
	return true;
}

static bool add_entry(struct simpleperf_symbols *symbols, struct simpleperf_file *file,
		      uint64_t start, uint32_t size, const char *name, size_t length)
{
	if (!reserve_bytes(symbols, length + 1 + sizeof(*file->entries)))
		return false;
	symbols->names = array_reserve(symbols->names, &symbols->names_capacity,
				       symbols->names_bytes + length + 1, 1);
	memcpy(symbols->names + symbols->names_bytes, name, length);
	symbols->names[symbols->names_bytes + length] = '\0';
	file->entries =
		array_reserve(file->entries, &file->capacity, file->n + 1, sizeof(*file->entries));
	file->unsorted |= file->n > 0 && file->entries[file->n - 1].start > start;
	file->entries[file->n++] = (struct entry){start, size, (uint32_t)symbols->names_bytes};
	symbols->names_bytes += length + 1;
	return true;
}

/* The unread bytes of a file. */
struct bytes {
	const unsigned char *at, *end;
};

static bool read_number(struct bytes *bytes, void *to, size_t n)
{
	if ((size_t)(bytes->end - bytes->at) < n)
		return false;
	memcpy(to, bytes->at, n);
	bytes->at += n;
	return true;
}

/* A text with its NUL. */
static bool read_text(struct bytes *bytes, const char **text, size_t *length)
{
	size_t left = (size_t)(bytes->end - bytes->at);

	*text = (const char *)bytes->at;
	*length = left > 0 ? strnlen(*text, left) : 0;
	if (*length == left)
		return false;
	bytes->at += *length + 1;
	return true;
}

static bool set_path(struct simpleperf_symbols *symbols, struct simpleperf_file *file,
		     const char *path, size_t length)
{
	if (file->path || !reserve_bytes(symbols, length + 1))
		return false;
	file->path = xstrndup(path, length);
	return true;
}

static void set_kind(struct simpleperf_file *file, uint64_t kind)
{
	file->kind = kind < KIND_UNKNOWN ? (enum file_kind)kind : KIND_UNKNOWN;
}

static void parse_struct(struct simpleperf_symbols *symbols, struct simpleperf_file *file,
			 struct bytes *bytes)
{
	const char *text;
	size_t length;
	uint32_t kind, n, n_offsets, size;
	uint64_t start;

	if (!read_text(bytes, &text, &length) || !set_path(symbols, file, text, length) ||
	    !read_number(bytes, &kind, sizeof(kind)))
		return;
	set_kind(file, kind);
	if (!read_number(bytes, &file->min_vaddr, sizeof(file->min_vaddr)) ||
	    !read_number(bytes, &n, sizeof(n)))
		return;
	for (; n > 0; n--)
		if (!read_number(bytes, &start, sizeof(start)) ||
		    !read_number(bytes, &size, sizeof(size)) || !read_text(bytes, &text, &length) ||
		    !add_entry(symbols, file, start, size, text, length))
			return;
	if (file->kind == KIND_DEX) /* offsets of the dex files in it, which nothing needs */
		read_number(bytes, &n_offsets, sizeof(n_offsets));
	else if (file->kind == KIND_ELF || file->kind == KIND_MODULE)
		file->has_offset = read_number(bytes, &file->min_offset, sizeof(file->min_offset));
}

enum wire {
	WIRE_NUMBER = 0,
	WIRE_8 = 1,
	WIRE_BYTES = 2,
	WIRE_4 = 5,
};

struct field {
	uint64_t number; /* of the field */
	enum wire wire;
	uint64_t value;
	struct bytes bytes;
};

static bool read_varint(struct bytes *bytes, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && bytes->at < bytes->end; shift += 7) {
		unsigned char byte = *bytes->at++;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* False: there is none, or it is invalid. */
static bool read_field(struct bytes *bytes, struct field *field)
{
	uint64_t tag, n;

	*field = (struct field){0};
	if (bytes->at == bytes->end || !read_varint(bytes, &tag))
		return false;
	field->number = tag >> 3;
	field->wire = (enum wire)(tag & 7);
	switch (tag & 7) {
	case WIRE_NUMBER:
		return read_varint(bytes, &field->value);
	case WIRE_8:
		return read_number(bytes, &field->value, 8);
	case WIRE_4:
		return read_number(bytes, &field->value, 4);
	case WIRE_BYTES:
		if (!read_varint(bytes, &n) || n > (size_t)(bytes->end - bytes->at))
			return false;
		field->bytes = (struct bytes){bytes->at, bytes->at + n};
		bytes->at += n;
		return true;
	}
	return false;
}

static bool is_field(const struct field *field, uint64_t number, enum wire wire)
{
	return field->number == number && field->wire == wire;
}

/* Symbol: 1 vaddr, 2 len, 3 name */
static bool parse_symbol(struct simpleperf_symbols *symbols, struct simpleperf_file *file,
			 struct bytes *bytes)
{
	struct field field;
	uint64_t start = 0, size = 0;
	struct bytes name = {0};

	while (read_field(bytes, &field)) {
		if (is_field(&field, 1, WIRE_NUMBER))
			start = field.value;
		else if (is_field(&field, 2, WIRE_NUMBER))
			size = field.value;
		else if (is_field(&field, 3, WIRE_BYTES))
			name = field.bytes;
	}
	size_t length = (size_t)(name.end - name.at);
	if (length == 0)
		return true;
	length = strnlen((const char *)name.at, length);
	return add_entry(symbols, file, start, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
			 (const char *)name.at, length);
}

/* FileFeature: 1 path, 2 type, 3 min_vaddr, 4 symbols; 6 of ELF, 7 of a module: 1 the offset */
static void parse_message(struct simpleperf_symbols *symbols, struct simpleperf_file *file,
			  struct bytes *bytes)
{
	struct field field, inner;

	while (read_field(bytes, &field)) {
		if (is_field(&field, 1, WIRE_BYTES)) {
			size_t length = (size_t)(field.bytes.end - field.bytes.at);
			const char *path = (const char *)field.bytes.at;
			length = length > 0 ? strnlen(path, length) : 0;
			if (!set_path(symbols, file, path, length))
				return;
		} else if (is_field(&field, 2, WIRE_NUMBER)) {
			set_kind(file, field.value);
		} else if (is_field(&field, 3, WIRE_NUMBER)) {
			file->min_vaddr = field.value;
		} else if (is_field(&field, 4, WIRE_BYTES)) {
			if (!parse_symbol(symbols, file, &field.bytes))
				return;
		} else if (is_field(&field, 6, WIRE_BYTES) || is_field(&field, 7, WIRE_BYTES)) {
			/* A number that is 0 is left out. */
			file->has_offset = true;
			while (read_field(&field.bytes, &inner))
				if (is_field(&inner, 1, WIRE_NUMBER))
					file->min_offset = inner.value;
		}
	}
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;

	return (one->start > other->start) - (one->start < other->start);
}

void simpleperf_symbols_add(struct simpleperf_symbols *symbols, const unsigned char *bytes,
			    size_t n, bool message)
{
	struct simpleperf_file file = {0};
	struct bytes left = {bytes, bytes + n};

	if (!reserve_bytes(symbols, sizeof(file)))
		return;
	if (message)
		parse_message(symbols, &file, &left);
	else
		parse_struct(symbols, &file, &left);
	if (!file.path || file.n == 0) {
		free(file.path);
		free(file.entries);
		return;
	}
	file.entries = xreallocarray(file.entries, file.n, sizeof(*file.entries));
	if (file.unsorted)
		qsort(file.entries, file.n, sizeof(*file.entries), compare_entries);
	symbols->files = array_reserve(symbols->files, &symbols->capacity, symbols->n + 1,
				       sizeof(*symbols->files));
	symbols->files[symbols->n++] = file;
}

static int compare_files(const void *a, const void *b)
{
	const struct simpleperf_file *one = a, *other = b;

	return strcmp(one->path, other->path);
}

/* Index of the first file that is not before that path. */
static size_t find_file(const struct simpleperf_symbols *symbols, const char *path)
{
	size_t low = 0, high = symbols->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(symbols->files[middle].path, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The file in which simpleperf collects the code of ART's JIT has the addresses in memory. */
static bool is_jit(const char *path)
{
	return strstr(path, "jit_app_cache:") || strstr(path, "jit_zygote_cache:");
}

/* The address in the file's symbols. Wraps if the place is in another mapping of the file. */
static uint64_t address_in(const struct simpleperf_file *file, const struct simpleperf_place *place)
{
	uint64_t distance = place->address - place->start;

	switch (file->kind) {
	case KIND_MODULE:
		return distance - file->min_offset + file->min_vaddr;
	case KIND_ELF:
		if (is_jit(file->path))
			break;
		/* Before it wrote an offset, a file had one mapping of code. */
		if (!file->has_offset || file->min_offset == UINT64_MAX)
			return distance + file->min_vaddr;
		return distance + place->offset - file->min_offset + file->min_vaddr;
	case KIND_DEX:
		return distance + place->offset;
	case KIND_KERNEL:
	case KIND_MAP:
	case KIND_UNKNOWN:
		break;
	}
	return place->address;
}

static const struct entry *find_entry(const struct simpleperf_file *file, uint64_t address)
{
	size_t low = 0, high = file->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (file->entries[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	const struct entry *entry = &file->entries[low - 1];
	return address - entry->start < entry->size ? entry : NULL;
}

bool simpleperf_symbols_find(struct simpleperf_symbols *symbols,
			     const struct simpleperf_place *place, struct simpleperf_symbol *symbol)
{
	if (symbols->n_sorted < symbols->n) {
		qsort(symbols->files, symbols->n, sizeof(*symbols->files), compare_files);
		symbols->n_sorted = symbols->n;
	}
	for (size_t i = find_file(symbols, place->path);
	     i < symbols->n && strcmp(symbols->files[i].path, place->path) == 0; i++) {
		uint64_t address = address_in(&symbols->files[i], place);
		const struct entry *entry = find_entry(&symbols->files[i], address);
		if (!entry)
			continue;
		symbol->name = symbols->names + entry->name;
		symbol->offset = address - entry->start;
		return true;
	}
	return false;
}
