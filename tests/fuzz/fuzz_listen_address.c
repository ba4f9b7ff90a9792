// SPDX-License-Identifier: MIT
/* The argument of --listen: a valid address, which is equal when written and read again, or an
 * error. */
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

	fuzz_check(rc == 0 || (rc == -EINVAL && err.text[0]), "0, or -EINVAL and a text");
	if (rc == 0) {
		listen_address_text(&address, first);
		fuzz_check(listen_address_parse(first, &address, &err) == 0,
			   "a written address is valid");
		listen_address_text(&address, second);
		fuzz_check(strcmp(first, second) == 0, "a written address is equal");
	}
	free(text);
	return 0;
}
