// SPDX-License-Identifier: MIT
/* CPU lists of the kernel: ascending numbers within the limit. Written and read again they are
 * equal. */
#include "tests/fuzz/fuzz.h"

#include "core/sys/cpus.h"

#include <errno.h>

static void check_written(const struct cpu_list *list)
{
	size_t size = 8 * list->n + 1, length = 0;
	char *text = malloc(size);
	struct cpu_list again;

	if (!text)
		abort();
	for (size_t i = 0; i < list->n; i++)
		length += (size_t)snprintf(text + length, size - length, "%s%d", i ? "," : "",
					   list->numbers[i]);
	fuzz_check(cpu_list_parse(text, &again) == 0, "a written list is valid");
	fuzz_check(again.n == list->n && memcmp(again.numbers, list->numbers,
						list->n * sizeof(*list->numbers)) == 0,
		   "a written list is equal");
	cpu_list_fini(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);
	struct cpu_list list;
	int result = cpu_list_parse(text, &list);

	fuzz_check(result == 0 || result == -EINVAL || result == -ERANGE, "0, -EINVAL or -ERANGE");
	if (result == 0) {
		fuzz_check(list.n > 0 && list.n <= CPUS_MAX, "a list has 1 to CPUS_MAX CPUs");
		for (size_t i = 0; i < list.n; i++) {
			fuzz_check(list.numbers[i] >= 0 && list.numbers[i] < CPUS_MAX,
				   "numbers are within the limit");
			fuzz_check(i == 0 || list.numbers[i] > list.numbers[i - 1],
				   "numbers ascend");
		}
		check_written(&list);
	}
	fuzz_check(result == 0 || !list.numbers, "a refused list is empty");
	cpu_list_fini(&list);
	free(text);
	return 0;
}
