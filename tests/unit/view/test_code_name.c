// SPDX-License-Identifier: MIT
/* Names of functions in few columns: what goes first, and what stays. */
#include "core/view/code_name.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"

#include <stdlib.h>
#include <string.h>

struct name_case {
	const char *name, *function;
	unsigned width;
	const char *shown;
};

static const struct name_case names[] = {
	{"a name that fits", "hash_lookup", 11, "hash_lookup"},
	{"a C name", "hash_lookup", 8, "hash_l.."},
	{"an address keeps its offset", "qemu-system-aarch64+0x75ef90", 20, "qemu-syst..+0x75ef90"},
	{"an offset of all columns", "libfoo.so+0x75ef90", 11, "..+0x75ef90"},
	{"an offset without room", "libfoo.so+0x75ef90", 10, "libfoo.s.."},
	{"no offset", "operator+0xyz_and_more", 10, "operator.."},
	{"no digits", "libfoo.so.1+0x", 10, "libfoo.s.."},
	{"parameters go first", "ns::f(int, char*)", 16, "ns::f()"},
	{"qualifiers of methods stay", "ns::f(int, char*) const", 20, "ns::f() const"},
	{"then arguments of templates", "ns::map<int, char>::at(int)", 20, "ns::map<..>::at()"},
	{"then the front", "ns::map<int, char>::at(int)", 10, "..::at()"},
	{"nested", "a<b<c>, d<e> >::f(g<h>(*)(int))", 15, "a<..>::f()"},
	{"a call operator", "long_class_name::operator()(int) const", 35,
	 "long_class_name::operator()() const"},
	{"an unnamed namespace", "(anonymous namespace)::function(int, int)", 35,
	 "(anonymous namespace)::function()"},
	{"shifts are no brackets", "operator<<(std::ostream&, long_type const&)", 20,
	 "operator<<()"},
	{"a shift of a template", "operator<< <char>(std::ostream&, char)", 18,
	 "operator<< <..>()"},
	{"comparisons are no brackets", "ns::operator<=>(a_type, a_type)", 20, "ns::operator<=>()"},
	{"an arrow is no bracket", "f<fn(u8) -> Vec<u8>>::call", 16, "f<..>::call"},
	{"Rust: the brackets have the name", "<alloc::vec::Vec<T> as core::Drop>::drop", 16,
	 "..::Drop>::drop"},
	{"brackets that do not pair", "f(((a<<b>::cdefgh", 10, "..::cdefgh"},
	{"closing ones alone", "a)b>c)defghijklmnop", 10, "a)b>c)de.."},
	{"nearly no columns", "hash_lookup", 2, "ha"},
	{"no columns", "hash_lookup", 0, ""},
	{"hostile bytes", "a\033[31m\n\xff", 10, "a\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd"},
	{"wide characters", "\xe7\xbc\x96\xe8\xaf\x91\xe5\x99\xa8", 5, "\xe7\xbc\x96.."},
};

static void shortens(void **state)
{
	const struct name_case *row = *state;
	char text[200];

	size_t length = code_name(row->function, row->width, text, sizeof(text));
	assert_string_equal(text, row->shown);
	assert_int_equal(length, strlen(text));
}

static const struct name_case modules[] = {
	{"one that fits", "libstdc++.so.6.0.30", 19, "libstdc++.so.6.0.30"},
	{"without its version", "libstdc++.so.6.0.30", 18, "libstdc++.so"},
	{"without .so", "libpython3.11.so.1.0", 14, "libpython3.11"},
	{"a plugin", "long_plugin_name.so", 18, "long_plugin_name"},
	{"a program stays", "qemu-system-aarch64", 14, "qemu-system-aarch64"},
	{"nothing but .so", ".so", 2, ".so"},
	{"no library", "a.software.b", 8, "a.software.b"},
	{"no columns", "libfoo.so.1", 0, "libfoo"},
	{"the kernel", "[kernel]", 14, "[kernel]"},
	{"hostile bytes", "lib\033.so.1", 5, "lib\xef\xbf\xbd"},
};

static void shortens_modules(void **state)
{
	const struct name_case *row = *state;
	char text[200];

	size_t length = code_module(row->function, row->width, text, sizeof(text));
	assert_string_equal(text, row->shown);
	assert_int_equal(length, strlen(text));
}

/* Any bytes at any width: within the columns, and no byte beyond the text. */
static void fits_every_width(void **state)
{
	static const char bytes[] = "ab:<>()-, *~+0x1\xe7\xbc\x96\033\xffoperator<";
	uint64_t random = 7;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		char name[40], text[64];
		size_t length = u64_random(&random) % (sizeof(name) - 1);
		unsigned width = (unsigned)(u64_random(&random) % 20);

		for (size_t k = 0; k < length; k++)
			name[k] = bytes[u64_random(&random) % (sizeof(bytes) - 1)];
		name[length] = '\0';
		code_name(name, width, text, sizeof(text));
		assert_in_range(text_width(text), 0, width);
	}
}

/* As long as a compiler makes them: cut without an overflow. */
static void cuts_very_long_names(void **state)
{
	size_t size = 100000;
	char *name = malloc(size), text[64];

	(void)state;
	memset(name, '<', size - 1);
	name[size - 1] = '\0';
	code_name(name, 20, text, sizeof(text));
	assert_int_equal(text_width(text), 20);
	for (size_t i = 0; i + 2 < size; i += 2)
		memcpy(name + i, "()", 2);
	code_name(name, 20, text, sizeof(text));
	assert_int_equal(text_width(text), 20);
	free(name);
}

int main(void)
{
	static const struct cases tables[] = {CASES(shortens, names),
					      CASES(shortens_modules, modules)};
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(fits_every_width),
		cmocka_unit_test(cuts_very_long_names),
	};

	return cases_run("code_name", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
