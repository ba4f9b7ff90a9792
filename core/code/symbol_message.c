// SPDX-License-Identifier: MIT
/* Separate from symbol_client.c, which needs a process: tests/fuzz/fuzz_symbol_reply.c. */
#include "core/code/symbol_message.h"

#include "core/code/symbol_client.h"

#include <string.h>

bool symbol_reply_answers(const void *message, size_t n, uint32_t queries,
			  void (*fn)(void *arg, const struct symbol_answer *answer,
				     const char *name),
			  void *arg)
{
	const uint8_t *bytes = message;
	struct symbol_answer answer;
	struct symbol_reply reply;
	char name[SYMBOL_NAME_BYTES];
	size_t at = sizeof(reply);

	if (n < sizeof(reply))
		return false;
	memcpy(&reply, bytes, sizeof(reply));
	for (uint32_t i = 0; i < reply.n; i++) {
		if (n - at < sizeof(answer))
			return false;
		memcpy(&answer, bytes + at, sizeof(answer));
		at += sizeof(answer);
		if (answer.name_bytes >= sizeof(name) || n - at < answer.name_bytes ||
		    answer.query >= queries)
			return false;
		memcpy(name, bytes + at, answer.name_bytes);
		name[answer.name_bytes] = '\0';
		at += answer.name_bytes;
		fn(arg, &answer, name);
	}
	return at == n;
}
