// SPDX-License-Identifier: MIT
/* Readable names, and the limits of their size and time. */
#include "core/base/util.h"
#include "core/code/demangle.h"
#include "tests/unit/shared/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct mangled {
	const char *name, *mangled, *want; /* NULL: stays as it is */
} mangleds[] = {
	{"C", "main", NULL},
	{"C with an underscore", "_start", NULL},
	{"C++", "_ZN3foo3barEi", "foo::bar"},
	{"C++ template", "_ZNSt6vectorIiSaIiEE9push_backERKi",
	 "std::vector<int, std::allocator<int> >::push_back"},
	{"C++ operator", "_ZplRK1AS1_", "operator+"},
	{"C++ part of a function", "_ZN3foo3barEi.cold", "foo::bar"},
	{"C++ constructor of a file", "_GLOBAL__sub_I_main", NULL},
	{"Rust before version 0", "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
	 "core::fmt::Formatter::write_str"},
	{"Rust with signs",
	 "_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Write$GT$"
	 "9write_str17h0123456789abcdefE",
	 "<alloc::string::String as core::fmt::Write>::write_str"},
	{"Rust version 0", "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
	{"Rust letters", "_RNvC6_123foou30____7hkackfecea1cbdathfdh9hlq6y",
	 "123foo::\u10e1\u10d0\u10ed\u10db\u10d4\u10da\u10d0\u10d3_"
	 "\u10d2\u10d4\u10db\u10e0\u10d8\u10d4\u10da\u10d8_\u10e1\u10d0\u10d3\u10d8\u10da\u10d8"},
	{"not quite C++", "_Zqq", NULL},
	{"not quite Rust", "_Rust", NULL},
	{"Go", "main.(*T).Run", NULL},
	{"nothing", "", NULL},
	{"only the beginning", "_Z", NULL},
	{"a length that overflows", "_Z99999999999999999999foo", NULL},
};

static void test_name(void **state)
{
	const struct mangled *row = *state;
	struct demangler *demangler = demangler_new();
	char to[256];

	assert_non_null(demangler);
	bool done = demangle(demangler, row->mangled, to, sizeof(to));
	assert_string_equal(to, row->want ? row->want : "");
	assert_int_equal(done, row->want != NULL);
	demangler_free(demangler);
}

/* Names that would be large are cut at the size. */
static void test_size(void **state)
{
	struct demangler *demangler = demangler_new();
	char mangled[1024] = "_ZN", to[4096], small[8];
	size_t at = 3;

	(void)state;
	for (unsigned i = 0; i < 60; i++)
		at += (size_t)snprintf(mangled + at, sizeof(mangled) - at, "%s", "9namespace");
	snprintf(mangled + at, sizeof(mangled) - at, "1fEv");
	assert_true(demangle(demangler, mangled, to, sizeof(to)));
	assert_int_equal(strlen(to), 60 * strlen("namespace::") + 1);
	assert_true(demangle(demangler, mangled, small, sizeof(small)));
	assert_string_equal(small, "namespa");
	/* And it works as before. */
	assert_true(demangle(demangler, "_ZN3foo3barEi", to, sizeof(to)));
	assert_string_equal(to, "foo::bar");
	demangler_free(demangler);
}

/* A name of 350 bytes with more than 2^30 letters: each argument has the one before twice. */
static void test_size_bomb(void **state)
{
	struct demangler *demangler = demangler_new();
	char mangled[512], to[4096];

	(void)state;
	size_t n = (size_t)snprintf(mangled, sizeof(mangled), "_Z1fI1AIiiE");
	for (char i = 0; i < 30; i++) {
		char before = (char)(i < 9 ? '1' + i : 'A' + i - 9);

		n += (size_t)snprintf(mangled + n, sizeof(mangled) - n, "S0_IS%c_S%c_E", before,
				      before);
	}
	snprintf(mangled + n, sizeof(mangled) - n, "Evv");
	assert_true(demangle(demangler, mangled, to, sizeof(to)));
	assert_int_equal(strlen(to), sizeof(to) - 1);
	assert_memory_equal(to, "f<A<int, int>, A<A<int, int>, A<int, int> >", 40);
	demangler_free(demangler);
}

/*
 * A name that libiberty parses for years before it prints anything: behind a conversion to a
 * template parameter it tries the arguments twice, at each of 40 levels.
 */
static void test_time_bomb(void **state)
{
	struct demangler *demangler = demangler_new();
	char mangled[1024] = "1f", inner[1024], to[4096];

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		strcpy(inner, mangled);
		snprintf(mangled, sizeof(mangled), "N1AcvT_IL_Z%.900sEEE", inner);
	}
	snprintf(inner, sizeof(inner), "_Z%.1000s", mangled);
	for (unsigned i = 0; i < 3; i++) {
		assert_false(demangle(demangler, inner, to, sizeof(to)));
		assert_string_equal(to, "");
		assert_true(demangle(demangler, "_ZN3foo3barEi", to, sizeof(to)));
		assert_string_equal(to, "foo::bar");
	}
	demangler_free(demangler);
}

int main(void)
{
	const struct cases tables[] = {CASES(test_name, mangleds)};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_size_bomb),
		cmocka_unit_test(test_time_bomb),
	};

	return cases_run("demangle", tables, ARRAY_SIZE(tables), tests, ARRAY_SIZE(tests));
}
