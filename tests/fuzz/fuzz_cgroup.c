// SPDX-License-Identifier: MIT
/* Any bytes as /proc/PID/cgroup, then the name of the path in it. */
#include "tests/fuzz/fuzz.h"

#include "core/sys/cgroup_name.h"
#include "core/sys/cgroup_path.h"

static void check_name(const char *path)
{
	char name[200], small[8], again[200];

	cgroup_name(path, name, sizeof(name));
	cgroup_name(path, small, sizeof(small));
	fuzz_check(strlen(name) < sizeof(name), "a name fits");
	fuzz_check(strncmp(name, small, sizeof(small) - 1) == 0, "a cut name is the same name");
	fuzz_check(!path[0] == !name[0], "a path has a name");
	cgroup_name(path, again, sizeof(again));
	fuzz_check(strcmp(name, again) == 0, "a name depends on the path alone");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);
	char path[4097], small[4];

	check_name(text);
	if (cgroup_parse(text, path, sizeof(path))) {
		fuzz_check(path[0] == '/', "a path begins at the root");
		fuzz_check(!strchr(path, '\n'), "a path is one line");
		fuzz_check(cgroup_parse(text, small, sizeof(small)) &&
				   strncmp(path, small, sizeof(small) - 1) == 0,
			   "a cut path is the same path");
		check_name(path);
	}
	if (cgroup_parse_controller(text, "cpu", path, sizeof(path))) {
		fuzz_check(path[0] == '/' && !strchr(path, '\n'), "a path of one line");
		fuzz_check(strstr(text, "cpu"), "a controller stands in the text");
	}
	free(text);
	return 0;
}
