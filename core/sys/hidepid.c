// SPDX-License-Identifier: MIT
/* The contract is in hidepid.h. /proc/self/mountinfo has the option after " - proc ". */
#include "core/sys/hidepid.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOUNTS_BYTES = 64 << 10 };

void hidepid_read(const struct sys *sys, char *value, size_t size)
{
	char *text = xmalloc(MOUNTS_BYTES);

	value[0] = '\0';
	if (sys_file_read(sys, "/proc/self/mountinfo", text, MOUNTS_BYTES) < 0)
		text[0] = '\0';
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		char *mount = xstrndup(line, (size_t)(end - line));
		const char *option = strstr(mount, "hidepid=");

		/* The last mount on /proc hides those before. */
		if (strstr(mount, " /proc ") && strstr(mount, " - proc "))
			snprintf(value, size, "%.*s", option ? (int)strcspn(option + 8, ",") : 0,
				 option ? option + 8 : "");
		free(mount);
	}
	free(text);
}

bool hidepid_hides(const char *value)
{
	return value[0] && strcmp(value, "0") != 0 && strcmp(value, "off") != 0;
}

bool hidepid_hides_here(const struct sys *sys)
{
	struct proc_stat first;
	char value[16];

	hidepid_read(sys, value, sizeof(value));
	return hidepid_hides(value) && proc_thread_brief(sys, 1, 1, &first) < 0;
}
