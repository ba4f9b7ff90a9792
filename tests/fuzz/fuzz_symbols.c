// SPDX-License-Identifier: MIT
/*
 * Functions of a hostile ELF file, as the child process finds them: any place has an answer, and
 * names are readable. The last byte decides whether the file is its own debug file.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/text.h"
#include "core/code/demangle.h"
#include "core/code/symbol_index.h"

#include <limits.h>

static void check_place(const struct symbol_index *index, uint64_t offset,
			struct demangler *demangler)
{
	static struct symbol_place place;
	char name[ELF_SYMBOL_NAME_BYTES], shown[ELF_SYMBOL_NAME_BYTES];

	if (!symbol_index_find(index, offset, &place))
		return;
	fuzz_check(memchr(place.name, '\0', sizeof(place.name)) != NULL, "a name ends");
	fuzz_check(place.bounded || place.name[0] == '\0', "a name has a function");
	fuzz_check(place.end == 0 || (place.start <= offset && offset < place.end),
		   "a range has its place");
	if (!demangle(demangler, place.name, name, sizeof(name)))
		fuzz_check(name[0] == '\0', "what is not mangled has no readable name");
	fuzz_check(memchr(name, '\0', sizeof(name)) != NULL, "a readable name ends");
	text_printable(shown, sizeof(shown), name, UINT_MAX);
	fuzz_check(fuzz_is_printable(shown), "a name that is shown is printable");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct elf_source source = {.fd = -1, .bytes = data, .size = size};
	bool own_debug = size > 0 && data[size - 1] & 1;
	struct symbol_index *index;

	if (!data || symbol_index_new(&source, own_debug ? &source : NULL, &index))
		return 0;
	struct demangler *demangler = demangler_new();
	fuzz_check(demangler != NULL, "there is a timer");
	fuzz_check(symbol_index_functions(index) * 8 <= symbol_index_bytes(index),
		   "each function has its bytes");
	for (uint64_t offset = 0; offset < size + 4096; offset += 256)
		check_place(index, offset, demangler);
	check_place(index, UINT64_MAX, demangler);
	check_place(index, INT64_MAX, demangler);
	uint64_t address;
	symbol_index_locate(index, "main", &address);
	fuzz_check(!symbol_index_locate(index, "", &address), "each symbol has a name");
	demangler_free(demangler);
	symbol_index_free(index);
	return 0;
}
