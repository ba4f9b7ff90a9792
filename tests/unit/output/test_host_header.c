// SPDX-License-Identifier: MIT
/* Host headers that name this machine, and headers that may be of a web page elsewhere. */
#include "core/output/host_header.h"

#include "core/base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const others[] = {"pmctop.example", "ends-in-a.dot."};

static void hosts(void **state)
{
	static const struct host_names box = {"box", others, ARRAY_SIZE(others)}, nameless = {""};
	static const struct {
		const char *host;
		const struct host_names *names;
		bool ours;
	} rows[] = {
		{"127.0.0.1", &box, true},
		{"127.0.0.1:9105", &box, true},
		{"192.0.2.7:80", &box, true},
		{"127.0.0.1.", &box, true},
		{"127.0.0.1.evil.example", &box, false},
		{"127.1", &box, false},
		{"0x7f000001", &box, false},
		{"[::1]", &box, true},
		{"[::1]:9105", &box, true},
		{"[2001:DB8::7]", &box, true},
		{"[::1", &box, false},
		{"[::1]9105", &box, false},
		{"[::1].evil.example", &box, false},
		{"[]", &box, false},
		{"[localhost]", &box, false},
		{"[127.0.0.1]", &box, false},
		{"::1", &box, false},
		{"localhost", &box, true},
		{"LocalHost:9105", &box, true},
		{"localhost.", &box, true},
		{"localhost.:9105", &box, true},
		{"localhost..", &box, false},
		{"localhost:", &box, true},
		{"localhost \t", &box, true},
		{"localhost:9105 ", &box, true},
		{"localhost:http", &box, false},
		{"localhost:80:80", &box, false},
		{"localhost 80", &box, false},
		{"localhost@evil.example", &box, false},
		{"localhost.evil.example", &box, false},
		{"localhos", &box, false},
		{"box", &box, true},
		{"BOX.:1", &box, true},
		{"box.evil.example", &box, false},
		{"pmctop.example:9105", &box, true},
		{"PMCTOP.EXAMPLE.", &box, true},
		{"ends-in-a.dot", &box, true},
		{"ends-in-a.dot.", &box, true},
		{"evil.example", &box, false},
		{"evil.example:9105", &box, false},
		{"", &box, false},
		{"", &nameless, false},
		{".", &nameless, false},
		{":9105", &nameless, false},
		{" ", &nameless, false},
		{"localhost", &nameless, true},
	};
	char longest[300];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (host_header_is_ours(rows[i].host, rows[i].names) != rows[i].ours)
			fail_msg("'%s' is%s ours", rows[i].host, rows[i].ours ? " not" : "");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_false(host_header_is_ours(longest, &box));
}

#define TEN   "0123456789"
#define FIFTY TEN TEN TEN TEN TEN
#define LABEL FIFTY TEN "012"                         /* the longest */
#define FOUR  LABEL "." LABEL "." LABEL "." FIFTY TEN /* 252 characters */

static void names(void **state)
{
	static const struct {
		const char *name;
		bool valid;
	} rows[] = {
		{"box", true},
		{"Box_1-a.example", true},
		{"127.0.0.1", true},
		{"box.", true},
		{"box..", false},
		{"", false},
		{".", false},
		{"..", false},
		{".box", false},
		{"a..b", false},
		{"box:80", false},
		{"b x", false},
		{"b\xc3\xb6x", false},
		{"[::1]", false},
		{LABEL, true},
		{LABEL "a", false},
		{"a." LABEL "a", false},
		{FOUR "a", true},
		{FOUR "a.", true},
		{FOUR "ab", false},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct host_names box = {"", &rows[i].name, 1};

		if (host_name_is_valid(rows[i].name) != rows[i].valid)
			fail_msg("'%s' is%s valid", rows[i].name, rows[i].valid ? " not" : "");
		if (rows[i].valid && !host_header_is_ours(rows[i].name, &box))
			fail_msg("'%s' is valid, but not ours", rows[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
