// SPDX-License-Identifier: MIT
#include "tests/unit/shared/symbol_double.h"

#include "core/base/util.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
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

static int double_add(void *ctx, uint64_t key, int binary, int debug)
{
	struct symbol_double *symbols = ctx;
	struct stat status;

	symbols->adds++;
	if (symbols->add_error)
		return symbols->add_error;
	assert_int_equal(find_file(symbols, key), symbols->n); /* not given yet */
	assert_true(symbols->n < ARRAY_SIZE(symbols->files));
	assert_int_equal(fstat(binary, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	symbols->files[symbols->n].key = key;
	symbols->files[symbols->n].debug = debug >= 0;
	assert_int_equal(pread(binary, &symbols->files[symbols->n].tail, 1, status.st_size - 1), 1);
	symbols->n++;
	return 0;
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
		if (symbols->nameless)
			symbol.name = NULL;
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

struct code_symbols symbol_double(struct symbol_double *symbols)
{
	return (struct code_symbols){double_file,   double_add,      double_find,
				     double_locate, double_demangle, symbols};
}

void symbol_double_restart(struct symbol_double *symbols)
{
	symbols->n = 0;
}
