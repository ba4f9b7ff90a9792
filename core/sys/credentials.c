// SPDX-License-Identifier: MIT
/*
 * Separate from perf_access.c: tests/fuzz/fuzz_proc.c parses texts, and the doctor prints the
 * struct.
 */
#include "core/sys/credentials.h"

#include "core/sys/proc.h"

#include <inttypes.h>
#include <stdio.h>

static unsigned read_unsigned(const char *status, const char *key)
{
	char value[32];
	unsigned number = 0;

	proc_field(status, key, value, sizeof(value));
	return sscanf(value, "%9u", &number) == 1 ? number : 0;
}

void credentials_parse(const char *status, struct credentials *credentials)
{
	char uids[64], capabilities[32];

	*credentials = (struct credentials){0};
	if (!proc_field(status, "Uid", uids, sizeof(uids)) ||
	    sscanf(uids, "%*u %10u", &credentials->uid) != 1 ||
	    !proc_field(status, "CapEff", capabilities, sizeof(capabilities)) ||
	    sscanf(capabilities, "%16" SCNx64, &credentials->capabilities) != 1)
		return;
	credentials->known = true;
	credentials->seccomp = read_unsigned(status, "Seccomp");
	credentials->filters = read_unsigned(status, "Seccomp_filters");
	credentials->no_new_privs = read_unsigned(status, "NoNewPrivs") == 1;
}

void credentials_read(const struct sys *sys, struct credentials *credentials)
{
	struct proc_text status;

	proc_text_read(sys, "/proc/self/status", &status);
	credentials_parse(status.text, credentials);
	proc_text_fini(&status);
}
