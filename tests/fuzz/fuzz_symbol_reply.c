// SPDX-License-Identifier: MIT
/*
 * Answers of a child process that a hostile file has taken over. The first byte is the number of
 * queries.
 */
#include "tests/fuzz/fuzz.h"

#include "core/code/symbol_client.h"
#include "core/code/symbol_message.h"

struct seen {
	uint32_t queries;
	size_t n, bytes;
};

static void check_answer(void *arg, const struct symbol_answer *answer, const char *name)
{
	struct seen *seen = arg;

	fuzz_check(answer->query < seen->queries, "an answer is that of a query");
	fuzz_check(strlen(name) <= answer->name_bytes && answer->name_bytes < SYMBOL_NAME_BYTES,
		   "a name has its length");
	seen->n++;
	seen->bytes += sizeof(*answer) + answer->name_bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	struct seen seen = {.queries = fuzz_u8(&bytes)};
	struct symbol_reply reply;

	bool whole = symbol_reply_answers(bytes.at, bytes.left, seen.queries, check_answer, &seen);
	fuzz_check(seen.bytes <= bytes.left, "answers are within their message");
	if (!whole)
		return 0;
	memcpy(&reply, bytes.at, sizeof(reply));
	fuzz_check(seen.n == reply.n, "a whole message has all answers");
	fuzz_check(seen.bytes + sizeof(reply) == bytes.left, "nothing follows them");
	return 0;
}
