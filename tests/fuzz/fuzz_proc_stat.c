// SPDX-License-Identifier: MIT
/* Any text as /proc/TID/stat: parsed within its bounds, or refused. */
#include "tests/fuzz/fuzz.h"

#include "core/sys/proc.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);
	struct proc_stat stat;
	int result = proc_stat_parse(text, &stat);

	fuzz_check(result == 0 || result == -EBADMSG, "0 or -EBADMSG");
	if (result == 0) {
		fuzz_check(stat.pid > 0, "a pid is positive");
		fuzz_check(memchr(stat.comm, '\0', sizeof(stat.comm)), "comm ends with a NUL");
		fuzz_check(strstr(text, stat.comm), "comm is part of the line");
		fuzz_check(stat.last_cpu >= -1, "a CPU has a number, or none");
	}
	free(text);
	return 0;
}
