// SPDX-License-Identifier: MIT
/* Where to listen: an address that reads the same when written again, or a sentence. */
#include "tests/fuzz/fuzz.h"

#include "core/output/listen_address.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes), first[LISTEN_ADDRESS_TEXT], second[LISTEN_ADDRESS_TEXT];
	struct listen_address address;
	struct error err = {0};
	int rc = listen_address_parse(text, &address, &err);

	fuzz_check(rc == 0 || (rc == -EINVAL && err.text[0]), "0, or -EINVAL and a sentence");
	if (rc == 0) {
		listen_address_text(&address, first);
		fuzz_check(listen_address_parse(first, &address, &err) == 0,
			   "what is written again is an address");
		listen_address_text(&address, second);
		fuzz_check(strcmp(first, second) == 0, "it is the same one");
	}
	free(text);
	return 0;
}
