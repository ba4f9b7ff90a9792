// SPDX-License-Identifier: MIT
/* A Host header is accepted only if it is an address or begins with one of the names. */
#include "tests/fuzz/fuzz.h"

#include "core/output/host_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const others[] = {"pmctop.example"};
	static const struct host_names names = {"box", others, 1};
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);

	if (host_header_is_ours(text, &names))
		fuzz_check(strspn(text, "[") == 1 ||
				   strspn(text, "0123456789.: \t") == strlen(text) ||
				   strncasecmp(text, "localhost", 9) == 0 ||
				   strncasecmp(text, "box", 3) == 0 ||
				   strncasecmp(text, "pmctop.example", 14) == 0,
			   "it is an address or begins with a name");
	free(text);
	return 0;
}
