// SPDX-License-Identifier: MIT
/* Any file in the place of a parcel. What is accepted can be packed again, and is the same then. */
#include "tests/fuzz/fuzz.h"

#include "tui/remote/parcel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parcel parcel, again;
	struct error err;
	char *bytes;
	size_t n;

	if (parcel_unpack((const char *)data, size, &parcel, &err)) {
		fuzz_check(err.text[0] && parcel.n_words == 0 && !parcel.words,
			   "a refused parcel is empty");
		return 0;
	}
	fuzz_check(parcel.n_words > 0 && !parcel.words[parcel.n_words], "argv ends by NULL");
	fuzz_check(parcel_pack(&parcel, &bytes, &n, &err) == 0, "it can be packed again");
	fuzz_check(parcel_unpack(bytes, n, &again, &err) == 0, "and unpacked");
	fuzz_check(again.n_words == parcel.n_words && again.utf8 == parcel.utf8, "it is the same");
	fuzz_check(again.n_themes == parcel.n_themes, "and so are its themes");
	for (size_t i = 0; i < parcel.n_words; i++)
		fuzz_check(strcmp(again.words[i], parcel.words[i]) == 0, "a word is the same");
	free(bytes);
	parcel_fini(&parcel);
	parcel_fini(&again);
	return 0;
}
