// SPDX-License-Identifier: MIT
/*
 * Names are as of `uname -m`. A 32-bit system on a 64-bit kernel has the kernel's name, and runs
 * the static program of the kernel too.
 */
#include "tui/remote/static_program.h"

#include "core/base/bounded_read.h"
#include "core/base/util.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PROGRAM_BYTES_MAX = 64 << 20, SEGMENTS_MAX = 64 };

static const struct {
	const char *machine, *debian;
	uint16_t elf;
} machines[] = {
	{"x86_64", "amd64", EM_X86_64},   {"aarch64", "arm64", EM_AARCH64},
	{"ppc64le", "ppc64el", EM_PPC64}, {"s390x", "s390x", EM_S390},
	{"riscv64", "riscv64", EM_RISCV},
};

static const char *debian_name(const char *machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (strcmp(machines[i].machine, machine) == 0)
			return machines[i].debian;
	return NULL;
}

bool static_program_is_for(const char *bytes, size_t n, const char *machine)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (n < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(segment) ||
	    header.e_phnum == 0 || header.e_phnum > SEGMENTS_MAX ||
	    header.e_phoff > n - sizeof(header) ||
	    header.e_phnum * sizeof(segment) > n - header.e_phoff)
		return false;
	for (size_t i = 0; i < header.e_phnum; i++) {
		memcpy(&segment, bytes + header.e_phoff + i * sizeof(segment), sizeof(segment));
		if (segment.p_type == PT_INTERP)
			return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (strcmp(machines[i].machine, machine) == 0)
			return header.e_machine == machines[i].elf;
	return false;
}

/* Loads a file if it is the static program of that machine. */
static bool try_file(const char *path, const char *machine, struct static_program *program)
{
	if (bounded_read(path, 0, PROGRAM_BYTES_MAX, &program->bytes, &program->n))
		return false;
	if (static_program_is_for(program->bytes, program->n, machine))
		return true;
	static_program_fini(program);
	return false;
}

/*
 * Where packages, `make static` and `make static-ARCH` put it, from the folder of this program;
 * then itself.
 */
static bool try_usual_files(const char *machine, const char *debian, struct static_program *program)
{
	static const struct {
		const char *before, *after; /* the architecture is between, or after is NULL */
	} places[] = {
		{"../lib/pmctop/pmctop-static-", ""},
		{"static/pmctop", NULL},
		{"", "/static/pmctop"},
		{"../static/pmctop", NULL},
		{"../", "/static/pmctop"},
	};
	char own[PATH_MAX], path[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (length <= 0)
		return false;
	own[length] = '\0';
	char *name = strrchr(own, '/');
	if (!name)
		return false;
	name[1] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), "%s%s%s%s", own, places[i].before,
			 places[i].after ? debian : "", places[i].after ? places[i].after : "");
		if (try_file(path, machine, program))
			return true;
	}
	return try_file("/proc/self/exe", machine, program);
}

/* The end of the target's name, after "make static". */
static const char *make_suffix(const char *machine)
{
	struct utsname own;

	if (uname(&own) || strcmp(own.machine, machine) == 0)
		return "";
	return strcmp(machine, "aarch64") == 0  ? "-arm64"
	       : strcmp(machine, "x86_64") == 0 ? "-amd64"
						: "";
}

int static_program_load(const char *named, const char *machine, struct static_program *program,
			struct error *err)
{
	const char *debian = debian_name(machine);

	*program = (struct static_program){0};
	if (named) {
		int rc = bounded_read(named, 0, PROGRAM_BYTES_MAX, &program->bytes, &program->n);

		if (rc)
			return error_set(err, rc, "'%.120s' (--static) cannot be read: %s.", named,
					 error_why(rc));
		if (static_program_is_for(program->bytes, program->n, machine))
			return 0;
		static_program_fini(program);
		return error_set(
			err, -ENOEXEC,
			"'%.100s' is no static program for %.20s. Build one there, or with "
			"a cross compiler: make static CROSS=...",
			named, machine);
	}
	if (debian && try_usual_files(machine, debian, program))
		return 0;
	return error_set(err, -ENOENT,
			 "No static program for %.20s is installed here. Build it (make static%s), "
			 "and name it: --static FILE.",
			 machine, make_suffix(machine));
}

void static_program_fini(struct static_program *program)
{
	free(program->bytes);
	*program = (struct static_program){0};
}
