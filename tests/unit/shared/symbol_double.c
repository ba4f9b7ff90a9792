// SPDX-License-Identifier: MIT
#include "tests/unit/shared/symbol_double.h"

#include "core/base/util.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static size_t find_file(const struct symbol_double *symbols, uint64_t key)
{
	size_t i = 0;

	while (i < symbols->n && symbols->files[i].key != key)
		i++;
	return i;
}

static enum symbol_file double_file(void *ctx, uint64_t key)
{
	const struct symbol_double *symbols = ctx;

	assert_true(key != 0);
	if (symbols->refused)
		return SYMBOL_FILE_REFUSED;
	return find_file(symbols, key) < symbols->n ? SYMBOL_FILE_GIVEN : SYMBOL_FILE_WANTED;
}

static void give_file(struct symbol_double *symbols, const struct mapped_file *found,
		      const struct mapped_file_descriptors *opened)
{
	char tail = 0;

	if (symbols->not_given || find_file(symbols, found->key) < symbols->n)
		return;
	assert_true(symbols->n < ARRAY_SIZE(symbols->files));
	struct stat status;
	assert_int_equal(fstat(opened->binary, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_int_equal(pread(opened->binary, &tail, 1, status.st_size - 1), 1);
	symbols->files[symbols->n].key = found->key;
	symbols->files[symbols->n].debug = opened->debug >= 0;
	symbols->files[symbols->n++].tail = tail;
	symbols->adds++;
}

static bool double_answered(void *ctx, const struct code_mapping *mapping)
{
	const struct symbol_double *symbols = ctx;

	return !symbols->hung || strcmp(mapping->object->name, symbols->hung) != 0;
}

static int double_open(void *ctx, pid_t pid, const struct code_mapping *mapping,
		       uint64_t deadline_ns, struct mapped_file *found)
{
	struct symbol_double *symbols = ctx;
	struct mapped_file_descriptors opened;

	(void)deadline_ns;
	symbols->opens++;
	if (symbols->open_error)
		return symbols->open_error;
	if (!double_answered(symbols, mapping)) {
		symbol_double_restart(symbols);
		return -EAGAIN;
	}
	int rc = mapped_files_open(symbols->mapped, pid, mapping, 0, found, &opened);
	if (rc == 0)
		give_file(symbols, found, &opened);
	mapped_files_close(symbols->mapped, &opened);
	return rc;
}

static ssize_t double_text(void *ctx, const struct code_text *text, uint64_t offset,
			   uint64_t deadline_ns, char *buffer, size_t size,
			   struct code_text_status *status)
{
	const struct symbol_double *symbols = ctx;

	if (symbols->text_error)
		return symbols->text_error;
	char *bytes = xmalloc(CODE_TEXT_BYTES);
	ssize_t n = code_text_read(symbols->mapped, text, 0, offset, bytes, status);

	(void)deadline_ns;
	if (n > (ssize_t)size)
		n = (ssize_t)size;
	if (n > 0)
		memcpy(buffer, bytes, (size_t)n);
	free(bytes);
	return n;
}

static size_t double_find(void *ctx, const struct symbol_query *queries, size_t n,
			  uint64_t deadline_ns, symbol_found *found, void *arg)
{
	struct symbol_double *symbols = ctx;
	size_t answers = 0;

	(void)deadline_ns;
	symbols->finds++;
	symbols->queries += (unsigned)n;
	for (size_t i = 0; i < n && !symbols->silent; i++) {
		size_t file = find_file(symbols, queries[i].key);
		char name[32];
		uint64_t start = queries[i].offset & ~0xffull;
		struct symbol symbol = {name, start, true, start, start + 0x100};

		if (file == symbols->n)
			continue;
		snprintf(name, sizeof(name), "%c%llu", symbols->files[file].tail,
			 (unsigned long long)queries[i].offset >> 8);
		if (symbols->nameless || symbols->gaps)
			symbol.name = NULL;
		symbol.nameless = symbols->nameless;
		symbol.unsure = symbols->unsure;
		if (symbols->rangeless)
			symbol.start = symbol.end = 0;
		found(arg, i, &symbol);
		answers++;
	}
	return answers;
}

static int double_locate(void *ctx, uint64_t key, const char *name, uint64_t deadline_ns,
			 uint64_t *address)
{
	const struct symbol_double *symbols = ctx;

	(void)deadline_ns;
	if (symbols->silent || find_file(symbols, key) == symbols->n)
		return -EAGAIN;
	*address = symbols->located;
	return strcmp(name, "_text") == 0 ? 0 : -ENOENT;
}

/* "_Zx" is "x()". */
static int double_demangle(void *ctx, const char *mangled, uint64_t deadline_ns,
			   char name[SYMBOL_NAME_BYTES])
{
	struct symbol_double *symbols = ctx;

	(void)deadline_ns;
	symbols->demangles++;
	if (symbols->silent)
		return -EAGAIN;
	snprintf(name, SYMBOL_NAME_BYTES, "%.64s()", mangled + 2);
	return 0;
}

struct code_helpers symbol_double(struct symbol_double *symbols,
				  const struct mapped_files_config *config)
{
	symbols->mapped = mapped_files_new(config);
	return (struct code_helpers){
		.answered = double_answered,
		.open = double_open,
		.text = double_text,
		.file = double_file,
		.find = double_find,
		.locate = double_locate,
		.demangle = double_demangle,
		.ctx = symbols,
	};
}

void symbol_double_fini(struct symbol_double *symbols)
{
	free(symbols->mapped);
	symbols->mapped = NULL;
}

void symbol_double_restart(struct symbol_double *symbols)
{
	symbols->n = 0;
}
