// SPDX-License-Identifier: MIT
/* The names and groups in the argument of -e. */
#include "core/base/util.h"
#include "core/event/event_names.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "name name 1:name", with the number of its braces before a name in a group. */
static void print_names(const struct event_names *list, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i].group)
			n += (size_t)snprintf(text + n, size - n, "%u>", list->items[i].group);
		n += (size_t)snprintf(text + n, size - n, "%s%s", list->items[i].name,
				      i + 1 < list->n ? " " : "");
	}
}

static void test_split(void **state)
{
	static const struct {
		const char *list, *items;
	} rows[] = {
		{"cycles", "cycles"},
		{"cycles,faults:u", "cycles faults:u"},
		{"cpu/event=0x3c,umask=1/u,cycles", "cpu/event=0x3c,umask=1/u cycles"},
		{"cpu/name='a,b'/,c", "cpu/name='a,b'/ c"},
		{"mem:0x10/4:rw,cycles", "mem:0x10/4:rw cycles"},
		{"uprobe:/bin/sh:0x10,cycles", "uprobe:/bin/sh:0x10 cycles"},
		{"{a,b}", "1>a 1>b"},
		{"{a,b:u}:k,c", "1>a:k 1>b:u:k c"},
		{"a,{b},{c,cpu/event=1,umask=2/}:u", "a 1>b 2>c:u 2>cpu/event=1,umask=2/:u"},
		{"{cpu/event=1,umask=2/,mem:0x10/4}:u", "1>cpu/event=1,umask=2/:u 1>mem:0x10/4:u"},
		{"{a},{b}", "1>a 2>b"},
		{" a , b ,{ c , d }:u , e ", "a b 1>c:u 1>d:u e"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event_names list = {0};
		struct error err = {.text = ""};
		char items[256];

		if (event_names_parse(rows[i].list, &list, &err) < 0)
			fail_msg("%s: %s", rows[i].list, err.text);
		print_names(&list, items, sizeof(items));
		assert_string_equal(items, rows[i].items);
		event_names_fini(&list);
	}
}

static void test_refused_lists(void **state)
{
	static const struct {
		const char *list, *text;
	} rows[] = {
		{"", "position 1: expected the name of an event, at ''"},
		{",a", "position 1: expected the name"},
		{"a,,b", "position 3: expected the name"},
		{"a, ,b", "position 4: expected the name"},
		{"a,", "position 3: expected the name"},
		{"{}", "position 2: expected the name"},
		{"{a,}", "position 4: expected the name"},
		{"{a,{b}}", "position 4: groups cannot hold groups"},
		{"{a{b}}", "position 3: expected a comma before the group"},
		{"a,{b,c", "position 3: this brace is not closed"},
		{"a}", "position 2: expected a comma"},
		{"a{b}", "position 2: expected a comma"},
		{"{a}}", "position 4: expected a comma"},
		{"{a}u", "position 4: expected ':' and modifiers"},
		{"{a}/u/", "position 4: expected ':' and modifiers"},
		{"b,cpu/event=1,umask=2", "position 6: these terms have no '/'"},
		{"a\033,{", "position 5: expected the name"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event_names list = {0};
		struct error err = {.text = ""};

		assert_int_equal(event_names_parse("first", &list, &err), 0);
		assert_int_equal(event_names_parse(rows[i].list, &list, &err), -EINVAL);
		if (!strstr(err.text, rows[i].text))
			fail_msg("%s: %s; not %s", rows[i].list, err.text, rows[i].text);
		assert_int_equal(list.n, 1);
		assert_int_equal(list.n_groups, 0);
		event_names_fini(&list);
	}
}

static void test_limits(void **state)
{
	enum { MANY = 10000 };
	struct event_names list = {0};
	struct error err;
	char *text = xcalloc(EVENT_NAMES_MAX_BYTES + 2, 1);

	(void)state;
	for (size_t i = 0; i < MANY; i++)
		memcpy(text + 2 * i, "a,", 2);
	text[2 * MANY - 1] = '\0';
	assert_int_equal(event_names_parse(text, &list, &err), -E2BIG);
	assert_non_null(strstr(err.text, "position 513: more than 256"));
	text[2 * EVENT_NAMES_MAX - 1] = '\0';
	assert_int_equal(event_names_parse(text, &list, &err), 0);
	assert_int_equal(event_names_parse("a", &list, &err), -E2BIG);
	assert_int_equal(list.n, EVENT_NAMES_MAX);
	memset(text, 'a', EVENT_NAMES_MAX_BYTES + 1);
	assert_int_equal(event_names_parse(text, &list, &err), -E2BIG);
	assert_non_null(strstr(err.text, "longer than 65536 bytes"));
	text[2000] = '\0';
	event_names_fini(&list);
	assert_int_equal(event_names_parse(text, &list, &err), -EINVAL);
	assert_non_null(strstr(err.text, "too long"));
	event_names_fini(&list);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_refused_lists),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
