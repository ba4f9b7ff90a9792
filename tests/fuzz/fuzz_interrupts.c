// SPDX-License-Identifier: MIT
/* Two readings of /proc/interrupts: what grew most is a line of the second one. */
#include "tests/fuzz/fuzz.h"

#include "core/sys/interrupts.h"

static void parse(const char *text, struct interrupts *interrupts)
{
	static const int cpus[] = {0, 1, 3, 8191};

	interrupts_parse(text, cpus, sizeof(cpus) / sizeof(cpus[0]), interrupts);
	fuzz_check(interrupts->n_cpus <= INTERRUPT_CPUS_MAX, "no more CPUs than are kept");
	fuzz_check(interrupts->n <= INTERRUPT_LINES_MAX, "no more lines than are kept");
	for (size_t i = 0; i < interrupts->n; i++) {
		const struct interrupt *line = &interrupts->lines[i];
		fuzz_check(line->id[0] && memchr(line->id, '\0', sizeof(line->id)), "an id fits");
		fuzz_check(line->name[0] && memchr(line->name, '\0', sizeof(line->name)),
			   "a name fits");
		fuzz_check(!strchr(line->name, '\n'), "a name is of one line");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *first = fuzz_text(&bytes), *second = fuzz_text(&bytes);
	struct interrupts before, now;
	uint64_t times;

	parse(first, &before);
	parse(second, &now);
	for (int cpu = 0; cpu < 4; cpu++) {
		const struct interrupt *most = interrupts_most(&before, &now, cpu, &times);
		fuzz_check((most != NULL) == (times > 0), "what grew came at least once");
		fuzz_check(!most || (most >= now.lines && most < now.lines + now.n),
			   "it is a line of the second reading");
	}
	interrupts_fini(&before);
	interrupts_fini(&now);
	free(first);
	free(second);
	return 0;
}
