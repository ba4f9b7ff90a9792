// SPDX-License-Identifier: MIT
/* Any bytes as an ELF file: the build id and the name of the debug file keep to their limits. */
#include "tests/fuzz/fuzz.h"

#include "core/base/util.h"
#include "core/code/elf_build_id.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t id[ELF_BUILD_ID_BYTES];
	char name[ELF_DEBUG_LINK_BYTES];
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write_all(fd, data, size, NULL) != 0)
		abort();
	int n = elf_build_id(fd, id);
	fuzz_check(n != 0 && n <= ELF_BUILD_ID_BYTES, "a build id fits and is not empty");
	if (elf_debug_link(fd, name) == 0) {
		fuzz_check(memchr(name, '\0', sizeof(name)), "a name fits");
		fuzz_check(name[0] && !strchr(name, '/'), "a name is no path");
	}
	close(fd);
	return 0;
}
