// SPDX-License-Identifier: MIT
/* What the features of a recording state about the machine and the program that recorded. */
#include "core/replay/replay_facts.h"
#include "tests/unit/shared/perfdata_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void parse(struct replay_facts *facts, const struct image *image, size_t n)
{
	/* In memory of its own: a read past the record's end is one past the block's. */
	struct perf_event_header *copy = xmalloc(n);

	memcpy(copy, image->bytes, n);
	copy->size = (uint16_t)n;
	assert_true(replay_facts_parse(facts, copy));
	free(copy);
}

/* Parses the feature, cut off anywhere and whole. */
static void parse_feature(struct replay_facts *facts, unsigned feature, const struct image *bytes)
{
	struct image image = {0};
	size_t begin = image_begin(&image, PERFDATA_FEATURE, 0);

	image_u64(&image, feature);
	image_bytes(&image, bytes->bytes, bytes->n);
	image_end(&image, begin);
	for (size_t n = sizeof(struct perf_event_header); n < image.n; n++) {
		struct replay_facts cut = {0};
		parse(&cut, &image, n);
		replay_facts_fini(&cut);
	}
	parse(facts, &image, image.n);
	image_fini(&image);
}

static void features_name_the_program_and_the_machine(void **state)
{
	static const struct {
		unsigned feature;
		const char *text;
	} rows[] = {
		{PERFDATA_HOSTNAME, "box"},
		{PERFDATA_VERSION, "6.1.99"},
		{PERFDATA_OSRELEASE, "6.1.0-13-amd64"},
		{PERFDATA_ARCH, "x86_64"},
	};
	struct replay_facts facts = {0};
	struct image bytes;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bytes = (struct image){0};
		image_string(&bytes, rows[i].text);
		parse_feature(&facts, rows[i].feature, &bytes);
		image_fini(&bytes);
	}
	assert_string_equal(facts.host, "box");
	assert_string_equal(facts.version, "6.1.99");
	assert_string_equal(facts.release, "6.1.0-13-amd64");
	assert_string_equal(facts.arch, "x86_64");
	assert_false(facts.simpleperf);
	replay_facts_fini(&facts);
}

static void the_command_is_bounded(void **state)
{
	static const char *const words[] = {"/usr/bin/perf", "record", "-a", "--", "sleep", "1"};
	struct replay_facts facts = {0};
	struct image bytes = {0};

	(void)state;
	image_u32(&bytes, ARRAY_SIZE(words));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		image_string(&bytes, words[i]);
	parse_feature(&facts, PERFDATA_CMDLINE, &bytes);
	assert_string_equal(facts.command, "/usr/bin/perf record -a -- sleep 1");
	image_fini(&bytes);

	bytes = (struct image){0};
	image_u32(&bytes, 300);
	for (size_t i = 0; i < 300; i++)
		image_string(&bytes, "a word of 31 characters, or so.");
	parse_feature(&facts, PERFDATA_CMDLINE, &bytes);
	assert_int_equal(strlen(facts.command), REPLAY_COMMAND_MAX / 32 * 32 - 1);
	image_fini(&bytes);
	replay_facts_fini(&facts);
}

static void simpleperf_has_its_own_facts(void **state)
{
	static const struct {
		const char *meta, *host, *version;
		size_t n;
	} rows[] = {
#define META(meta, host, version) \
	{                         \
		meta,             \
		host,             \
		version,          \
		sizeof(meta),     \
	}
		META("simpleperf_version\0001.build.5\0product_props\0Maker:Phone 7:phone",
		     "Maker Phone 7", "1.build.5"),
		META("product_props\0Maker::", "Maker", ""),
		META("product_props\0:Phone", "Phone", ""),
		META("product_props\0Maker", "Maker", ""),
		META("product_props\0::", "", ""),
		META("product_props", "", ""),
		META("other\0value", "", ""),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct replay_facts facts = {0};
		struct image bytes = {0};
		image_bytes(&bytes, rows[i].meta, rows[i].n);
		parse_feature(&facts, PERFDATA_META_INFO, &bytes);
		assert_true(facts.simpleperf);
		assert_string_equal(facts.host, rows[i].host);
		assert_string_equal(facts.version, rows[i].version);
		image_fini(&bytes);
		replay_facts_fini(&facts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(features_name_the_program_and_the_machine),
		cmocka_unit_test(the_command_is_bounded),
		cmocka_unit_test(simpleperf_has_its_own_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
