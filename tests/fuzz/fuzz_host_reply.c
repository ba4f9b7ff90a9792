// SPDX-License-Identifier: MIT
/*
 * Anything that a host may print. A reply is printable, the reader takes all bytes or stops, and
 * the size of the pieces changes nothing. No folder that a shell would change is accepted.
 */
#include "tests/fuzz/fuzz.h"

#include "tui/remote/host_reply.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

struct replies {
	unsigned n;
	int end;
	struct host_reply last;
};

static struct replies read_all(const char *bytes, size_t size, size_t step)
{
	struct replies replies = {0};
	struct host_reader reader;

	host_reader_init(&reader, TOKEN);
	for (size_t at = 0, used; at < size && replies.end >= 0; at += used) {
		size_t n = size - at < step ? size - at : step;

		replies.end = host_reader_take(&reader, bytes + at, n, &used, &replies.last);
		fuzz_check(used <= n && (used == n || replies.end != 0), "all bytes are taken");
		replies.n += replies.end > 0;
	}
	return replies;
}

static void check_value(const char *value)
{
	struct host_sum sum;

	for (const char *c = value; *c; c++)
		fuzz_check(*c >= ' ' && *c <= '~', "a value is printable");
	if (host_folder_is_valid(value, "abc"))
		fuzz_check(value[0] == '/' && !strpbrk(value, " $`\"'\\;&|<>()*?[]#~!{}="),
			   "no shell changes a folder");
	if (host_sum_parse(value, &sum))
		fuzz_check(sum.known || sum.crc == 0, "an unknown sum is 0");
	host_version_fits(value, "0.1.0+12.gda45510");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	struct replies whole = read_all(bytes, size, size + 1), parts = read_all(bytes, size, 3);

	fuzz_check(whole.n == parts.n && (whole.end < 0) == (parts.end < 0),
		   "pieces are read as the whole");
	if (whole.n > 0 && whole.end >= 0)
		check_value(whole.last.value);
	return 0;
}
