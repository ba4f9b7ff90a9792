// SPDX-License-Identifier: MIT
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tui/remote/host_reply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define T "0123456789abcdef0123456789abcdef"

/* What a host prints, and the replies that are read from it: "KEY=VALUE|...", "!" is -EPROTO. */
struct transcript {
	const char *name, *text, *expected;
};

static const char *const names[] = {
	[HOST_BEGIN] = "begin",     [HOST_MACHINE] = "machine", [HOST_FACTS] = "facts",
	[HOST_REFUSED] = "refused", [HOST_RUNS] = "runs",
};

static void append_reply(char *text, size_t size, const struct host_reply *reply)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%s=%s", n > 0 ? "|" : "",
		 reply->key < ARRAY_SIZE(names) ? names[reply->key] : "?", reply->value);
}

/* Reads the transcript in pieces of `step` bytes. */
static void check_transcript(const struct transcript *row, size_t step)
{
	struct host_reader reader;
	struct host_reply reply;
	char got[1024] = "";
	size_t length = strlen(row->text), at = 0;
	int rc = 0;

	host_reader_init(&reader, T);
	while (at < length && rc >= 0) {
		size_t used;

		rc = host_reader_take(&reader, row->text + at, size_min(step, length - at), &used,
				      &reply);
		at += used;
		if (rc > 0)
			append_reply(got, sizeof(got), &reply);
	}
	if (rc < 0) {
		assert_int_equal(rc, -EPROTO);
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "!");
	}
	assert_string_equal(got, row->expected);
}

static void run_transcript(void **state)
{
	check_transcript(*state, 1);
	check_transcript(*state, 7);
	check_transcript(*state, 4096);
}

#define TEN     "xxxxxxxxxx"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define LONG    HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED

static const struct transcript transcripts[] = {
	{"an honest host", T " begin\n" T " machine x86_64\n" T " facts\n",
	 "begin=|machine=x86_64|facts="},
	{"a message of the day", "Welcome!\n\nYou have mail.\n" T " begin\n", "begin="},
	{"a text without a line end", "motd" T " begin\n", "begin="},
	{"a long line before the token", LONG LONG T " begin\n", "begin="},
	{"a token in the middle of a long line", LONG LONG T " machine a\n" T " facts\n",
	 "machine=a|facts="},
	{"another token", "ffffffffffffffffffffffffffffffff begin\n", ""},
	{"a value of two words", T " refused noexec /tmp\n", "refused=noexec /tmp"},
	{"no line end", T " begin", ""},
	{"an unknown key", T " open /etc/passwd\n", "!"},
	{"a part of a key", T " mach x\n", "!"},
	{"a token without a key", T " \n", "!"},
	{"a token and something else", T "x begin\n", "!"},
	{"the script comes back", "token=" T "\nname=0\n", "!"},
	{"a value that is too long", T " folder /" LONG "\n", "!"},
	{"a control sequence", T " runs \033[2J\n", "runs=?[2J"},
	{"UTF-8", T " runs \xc3\xa9\n", "runs=??"},
};

static void test_endless(void **state)
{
	static char bytes[4096];
	struct host_reader reader;
	struct host_reply reply;
	size_t used, total = 0;
	int rc = 0;

	(void)state;
	memset(bytes, 'y', sizeof(bytes));
	bytes[100] = '\n';
	host_reader_init(&reader, T);
	while (rc == 0 && total < 2 * HOST_SKIPPED_MAX) {
		rc = host_reader_take(&reader, bytes, sizeof(bytes), &used, &reply);
		total += used;
	}
	assert_int_equal(rc, -EPROTO);
}

static void test_folder(void **state)
{
	static const struct {
		const char *path;
		bool valid;
	} rows[] = {
		{"/tmp/pmctop-ssh-0-12-abc", true},
		{"/home/me.x/a_b//pmctop-ssh-1000-1-abc", true},
		{"/tmp/pmctop-ssh-0-12-abd", false},
		{"/tmp/pmctop-ssh-0-12xabc", false},
		{"/tmp/pmctop-ssh-0-12-abc/", false},
		{"tmp/pmctop-ssh-0-12-abc", false},
		{"/tmp/../etc/pmctop-ssh-0-12-abc", false},
		{"/tmp/x y/pmctop-ssh-0-12-abc", false},
		{"/tmp/;id/pmctop-ssh-0-12-abc", false},
		{"/tmp/$HOME/pmctop-ssh-0-12-abc", false},
		{"/tmp/~/pmctop-ssh-0-12-abc", false},
		{"/etc/abc", false},
		{"-o/pmctop-ssh-0-12-abc", false},
		{"", false},
		{"/", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(host_folder_is_valid(rows[i].path, "abc"), rows[i].valid);
}

static void test_sum(void **state)
{
	static const struct {
		const char *value;
		bool valid;
		struct host_sum sum;
	} rows[] = {
		{"4294967295 0", true, {.known = true, .crc = UINT32_MAX}},
		{"930766865 9", true, {.known = true, .crc = 930766865, .bytes = 9}},
		{"930766865 9 ", true, {.known = true, .crc = 930766865, .bytes = 9}},
		{"9", true, {.bytes = 9}},
		{"4294967296 9", false, {0}},
		{"1 2 3", false, {0}},
		{"x", false, {0}},
		{"", false, {0}},
		{"-1 9", false, {0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct host_sum sum;

		assert_int_equal(host_sum_parse(rows[i].value, &sum), rows[i].valid);
		if (!rows[i].valid)
			continue;
		assert_int_equal(sum.known, rows[i].sum.known);
		assert_int_equal(sum.crc, rows[i].sum.crc);
		assert_int_equal(sum.bytes, rows[i].sum.bytes);
	}
}

static void test_version(void **state)
{
	static const struct {
		const char *line, *own;
		bool fits;
	} rows[] = {
		{"pmctop 0.1.0", "0.1.0", true},
		{"pmctop 0.1.1", "0.1.0", true},
		{"pmctop 1.0.0", "0.9.9", true},
		{"pmctop 0.10.0", "0.9.0", true},
		{"pmctop 0.1.0", "0.1.1", false},
		{"pmctop 0.1.0+12.gda45510", "0.1.0", true},
		{"pmctop 0.1.0", "0.1.0+12.gda45510", false},
		{"pmctop 0.1.0+13.gffffff0", "0.1.0+12.gda45510", true},
		{"pmctop 0.1.0+9.gffffff0", "0.1.0+12.gda45510", false},
		/* Without a tag nothing is known of the order. */
		{"pmctop 0.1.0+gda45510", "0.1.0+gda45510", true},
		{"pmctop 0.1.0+gda45510", "0.1.0+gffffff0", false},
		{"pmctop 0.1.0+g1234567", "0.1.0", false},
		{"pmctop 0.2.0~rc1", "0.2.0", false},
		{"pmctop 99", "0.1.0", false},
		{"pmctop ", "0.1.0", false},
		{"bash: pmctop: not found", "0.1.0", false},
		{"", "0.1.0", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (host_version_fits(rows[i].line, rows[i].own) != rows[i].fits)
			fail_msg("%s, %s", rows[i].line, rows[i].own);
	assert_true(host_release_fits("pmctop 0.1.0+gda45510", "0.1.0+gffffff0"));
	assert_true(host_release_fits("pmctop 0.1.1", "0.1.0+gffffff0"));
	assert_false(host_release_fits("pmctop 0.1.0", "0.1.1"));
	assert_false(host_release_fits("sh: not found", "0.1.1"));
}

int main(void)
{
	const struct cases tables[] = {CASES(run_transcript, transcripts)};
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_endless),
		cmocka_unit_test(test_folder),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_version),
	};

	return cases_run("host_reply", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
