// SPDX-License-Identifier: MIT
/* JSON an entry at a time: what is read, and the line of each fault. */
#include "core/base/util.h"
#include "core/tables/table_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "section.key:line=value" of each entry, and "!line why" of each fault. */
struct seen {
	char text[2048];
	size_t length;
};

static void see(struct seen *seen, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void see(struct seen *seen, const char *format, ...)
{
	va_list args;

	if (seen->length > 0)
		seen->text[seen->length++] = '\n';
	va_start(args, format);
	seen->length += (size_t)vsnprintf(seen->text + seen->length,
					  sizeof(seen->text) - seen->length, format, args);
	va_end(args);
	assert_true(seen->length + 1 < sizeof(seen->text));
}

static enum table_json_part part_of(void *arg, const char *section)
{
	(void)arg;
	switch (section[0]) {
	case 'w':
		return TABLE_JSON_WHOLE;
	case 'e':
	case '\0':
		return TABLE_JSON_EACH;
	case 's':
		return TABLE_JSON_STOP;
	default:
		return TABLE_JSON_NONE;
	}
}

static void see_entry(void *arg, const struct table_json_entry *entry)
{
	char *value = json_dumps(entry->value, JSON_COMPACT | JSON_ENCODE_ANY);

	see(arg, "%s.%s:%zu=%s", entry->section, entry->key, entry->line, value);
	free(value);
}

static void see_fault(void *arg, size_t line, const char *why)
{
	/* Of jansson's sentences only what all its versions have. */
	see(arg, "!%zu %.*s", line, (int)(strstr(why, " near ") ? strstr(why, " near ") - why : 99),
	    why);
}

static void read_json(struct seen *seen, const char *text, size_t length)
{
	const struct table_json_reader reader = {part_of, see_entry, see_fault, seen};

	*seen = (struct seen){.length = 0};
	table_json_read(text, length, &reader);
}

static void test_rows(void **state)
{
	static const struct {
		const char *text, *seen;
	} rows[] = {
		{"[{\"a\":1},\n{\"b\":2}]", ".:1={\"a\":1}\n.:2={\"b\":2}"},
		{"\xEF\xBB\xBF [] ", ""},
		{"{}", ""},
		{"{\"w\": [1, 2],\n \"x\": [[[\"]\"]]],\n\"e\": {\"k\": 3,\n\"l\":\"\\\"\"}}",
		 "w.:1=[1,2]\ne.k:3=3\ne.l:4=\"\\\"\""},
		{"{\"e\": 7, \"e2\": []}", ""},
		{"{\"e\": [1], \"s\": 2, \"e\": [3]", "e.:1=1"},
		/* An entry is bad, the others are used. */
		{"[1,\ntru,\n3]", ".:1=1\n!2 invalid token\n.:3=3"},
		{"[{\"a\":1,\n\"a\":2}, 3]", "!2 duplicate object key\n.:2=3"},
		{"[\"\xFF\", 1]", "!1 unable to decode byte 0xff\n.:1=1"},
		{"[99999999999999999999, 1]", "!1 too big integer\n.:1=1"},
		{"[1e999, 1]", "!1 real number overflow\n.:1=1"},
		/* Cut off. */
		{"", "!1 the file is empty"},
		{"text", "!1 this is not JSON"},
		{"[1,\n2,\n{\"a\":\n", ".:1=1\n.:2=2\n!3 the file ends within an entry, which "
				       "began here"},
		{"[1,\n2", ".:1=1\n.:2=2\n!2 the file ends here, without its last part"},
		{"[1,\n\"ab\n", ".:1=1\n!2 the file ends within a string"},
		{"[1,", ".:1=1\n!1 the file ends within an entry, which began here"},
		{"{\"e\": [1]", "e.:1=1\n!1 the file ends here, without its last part"},
		{"{\"e\"", "!1 a colon is missing"},
		{"{\"e\": {", "!1 the file ends within an object"},
		{"{e: 1}", "!1 the name of a member is missing"},
		{"[1 2]", ".:1=1\n!1 a comma is missing"},
		{"[1,]", ".:1=1\n!1 a value is missing"},
		{"[]\n[]", "!2 text follows the last value"},
	};
	struct seen seen;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		read_json(&seen, rows[i].text, strlen(rows[i].text));
		if (strcmp(seen.text, rows[i].seen) != 0)
			fail_msg("%s\ngives\n%s\ninstead of\n%s", rows[i].text, seen.text,
				 rows[i].seen);
	}
	read_json(&seen, "[1,\0]", 5);
	assert_string_equal(seen.text, ".:1=1\n!1 a value is missing");
}

/* Neither the stack nor the memory depends on the depth. */
static void test_depth(void **state)
{
	enum { DEPTH = 1000000 };
	char *text = xmalloc(DEPTH + 8);
	struct seen seen;

	(void)state;
	memset(text, '[', DEPTH);
	read_json(&seen, text, DEPTH);
	assert_string_equal(seen.text, "!1 values are nested too deep");
	memcpy(text, "{\"x\": ", 6);
	memset(text + 6, '[', DEPTH);
	read_json(&seen, text, DEPTH + 6);
	assert_string_equal(seen.text, "!1 values are nested too deep");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
