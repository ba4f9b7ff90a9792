// SPDX-License-Identifier: MIT
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tui/remote/parcel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void test_round_trip(void **state)
{
	struct parcel sent = {.utf8 = true}, got;
	char *bytes;
	size_t n;
	struct error err;

	(void)state;
	sent.term = xstrdup("xterm");
	sent.no_color = xstrdup("");
	sent.config_path = xstrdup("/home/me/pmctop.conf");
	sent.config = xstrdup("[pmctop]\ndelay = 2\n");
	parcel_add_theme(&sent, "dark", "# dark\n");
	parcel_add_theme(&sent, "/home/me/a\nb", "");
	parcel_add_word(&sent, "pmctop");
	parcel_add_word(&sent, "--metric=a b='c\"\n");
	parcel_add_word(&sent, "");
	assert_int_equal(parcel_pack(&sent, &bytes, &n, &err), 0);
	assert_int_equal(parcel_unpack(bytes, n, &got, &err), 0);
	assert_int_equal(got.n_words, 3);
	for (size_t i = 0; i < got.n_words; i++)
		assert_string_equal(got.words[i], sent.words[i]);
	assert_null(got.words[3]);
	assert_string_equal(got.term, "xterm");
	assert_string_equal(got.no_color, "");
	assert_string_equal(got.config, sent.config);
	assert_string_equal(got.config_path, sent.config_path);
	assert_null(got.theme);
	assert_int_equal(got.n_themes, 2);
	assert_string_equal(got.themes[0].text, "# dark\n");
	assert_string_equal(got.themes[1].name, "/home/me/a\nb");
	assert_null(got.record);
	assert_true(got.utf8);
	/* Each cut is refused. */
	for (size_t i = 0; i < n; i++) {
		struct parcel cut;

		assert_int_equal(parcel_unpack(bytes, i, &cut, &err), -EINVAL);
		assert_int_equal(cut.n_words, 0);
	}
	free(bytes);
	parcel_fini(&sent);
	parcel_fini(&got);
}

static void test_too_many_themes(void **state)
{
	struct parcel parcel = {0}, got;
	struct error err;
	char *bytes;
	size_t n;

	(void)state;
	parcel_add_word(&parcel, "pmctop");
	for (size_t i = 0; i <= PARCEL_THEMES_MAX; i++)
		parcel_add_theme(&parcel, "t", "x");
	assert_int_equal(parcel_pack(&parcel, &bytes, &n, &err), 0);
	assert_int_equal(parcel_unpack(bytes, n, &got, &err), -EINVAL);
	assert_null(got.themes);
	free(bytes);
	parcel_fini(&parcel);
}

static void test_too_long(void **state)
{
	struct parcel parcel = {0};
	struct error err;
	char *bytes;
	size_t n;

	(void)state;
	parcel_add_word(&parcel, "pmctop");
	parcel.config_path = xstrdup("f");
	parcel.config = xmalloc(PARCEL_BYTES_MAX + 1);
	memset(parcel.config, 'x', PARCEL_BYTES_MAX);
	parcel.config[PARCEL_BYTES_MAX] = '\0';
	assert_int_equal(parcel_pack(&parcel, &bytes, &n, &err), -E2BIG);
	assert_non_null(strstr(err.text, "too long"));
	parcel_fini(&parcel);
}

struct refused {
	const char *name;
	const char *bytes;
	size_t n;
};

#define REFUSED(name, text)              \
	{                                \
		name, text, sizeof(text) \
	}

static void run_refused(void **state)
{
	const struct refused *row = *state;
	struct parcel parcel;
	struct error err;

	assert_int_equal(parcel_unpack(row->bytes, row->n, &parcel, &err), -EINVAL);
	assert_int_equal(parcel.n_words, 0);
	assert_null(parcel.words);
	assert_null(parcel.term);
}

static const struct refused refused_rows[] = {
	REFUSED("nothing", ""),
	REFUSED("another format", "pmctop-parcel-2\0word\0pmctop\0end"),
	REFUSED("no words", "pmctop-parcel-1\0TERM\0xterm\0end"),
	REFUSED("an unknown key", "pmctop-parcel-1\0word\0pmctop\0LD_PRELOAD\0x\0end"),
	REFUSED("a key twice", "pmctop-parcel-1\0word\0pmctop\0TERM\0a\0TERM\0b\0end"),
	REFUSED("no end", "pmctop-parcel-1\0word\0pmctop"),
	REFUSED("more behind the end", "pmctop-parcel-1\0word\0pmctop\0end\0x"),
	REFUSED("a configuration without a name",
		"pmctop-parcel-1\0word\0pmctop\0config\0[keys]\0end"),
};

int main(void)
{
	const struct cases tables[] = {CASES(run_refused, refused_rows)};
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_too_many_themes),
	};

	return cases_run("parcel", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
