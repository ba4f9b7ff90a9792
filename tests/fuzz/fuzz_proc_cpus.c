// SPDX-License-Identifier: MIT
/* Any text as /proc/stat: no more CPUs than lines. If they ascend, each is found again. */
#include "tests/fuzz/fuzz.h"

#include "core/sys/proc_machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);
	struct proc_cpus cpus = {0};
	size_t lines = 1;
	bool ascends = true;

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	for (size_t again = 0; again < 2; again++)
		proc_cpus_parse(text, &cpus);
	fuzz_check(cpus.n <= lines, "no more CPUs than lines");
	for (size_t i = 1; i < cpus.n; i++)
		ascends &= cpus.items[i - 1].cpu < cpus.items[i].cpu;
	for (size_t i = 0; i < cpus.n; i++) {
		const struct proc_cpu *found = proc_cpus_find(&cpus, cpus.items[i].cpu);
		fuzz_check(!found || found->cpu == cpus.items[i].cpu,
			   "the found CPU has the number");
		fuzz_check(found || !ascends, "every CPU is found");
	}
	fuzz_check(!cpus.counts.known ||
			   (strstr(text, "processes ") && strstr(text, "procs_running ") &&
			    strstr(text, "procs_blocked ")),
		   "known counts stand in the text");
	proc_cpus_fini(&cpus);
	free(text);
	return 0;
}
