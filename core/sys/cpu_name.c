// SPDX-License-Identifier: MIT
/* x86 and others have a name in /proc/cpuinfo. Arm has the numbers of asm/cputype.h. */
#include "core/sys/cpu_name.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUINFO_BYTES ((size_t)64 << 10)

struct part {
	unsigned char implementer;
	unsigned short part;
	const char *name;
};

static const struct part parts[] = {
	{0x41, 0xD03, "Cortex-A53"},  {0x41, 0xD04, "Cortex-A35"},  {0x41, 0xD05, "Cortex-A55"},
	{0x41, 0xD07, "Cortex-A57"},  {0x41, 0xD08, "Cortex-A72"},  {0x41, 0xD09, "Cortex-A73"},
	{0x41, 0xD0A, "Cortex-A75"},  {0x41, 0xD0B, "Cortex-A76"},  {0x41, 0xD0D, "Cortex-A77"},
	{0x41, 0xD41, "Cortex-A78"},  {0x41, 0xD44, "Cortex-X1"},   {0x41, 0xD46, "Cortex-A510"},
	{0x41, 0xD47, "Cortex-A710"}, {0x41, 0xD48, "Cortex-X2"},   {0x41, 0xD4D, "Cortex-A715"},
	{0x41, 0xD4E, "Cortex-X3"},   {0x41, 0xD80, "Cortex-A520"}, {0x41, 0xD81, "Cortex-A720"},
	{0x41, 0xD82, "Cortex-X4"},   {0x41, 0xD85, "Cortex-X925"}, {0x41, 0xD87, "Cortex-A725"},
	{0x41, 0xD0C, "Neoverse N1"}, {0x41, 0xD40, "Neoverse V1"}, {0x41, 0xD49, "Neoverse N2"},
	{0x41, 0xD4A, "Neoverse E1"}, {0x41, 0xD4F, "Neoverse V2"}, {0x41, 0xD83, "Neoverse V3AE"},
	{0x41, 0xD84, "Neoverse V3"}, {0x41, 0xD8E, "Neoverse N3"}, {0x46, 0x001, "A64FX"},
	{0x48, 0xD01, "Kunpeng 920"}, {0x51, 0x001, "Oryon"},       {0x61, 0x022, "Apple M1"},
	{0x61, 0x023, "Apple M1"},    {0x61, 0x032, "Apple M2"},    {0x61, 0x033, "Apple M2"},
	{0xC0, 0xAC3, "Ampere-1"},    {0xC0, 0xAC4, "Ampere-1A"},   {0x00, 0x051, "QEMU's max"},
};

static void name_part(unsigned implementer, unsigned number, char *name, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i].implementer == implementer && parts[i].part == number) {
			text_copy(name, size, parts[i].name);
			return;
		}
	}
	snprintf(name, size, "Arm 0x%02x:0x%03x", implementer, number);
}

/* The name in the lines of one CPU. */
static bool name_cpu(const char *lines, char *name, size_t size)
{
	static const char *const keys[] = {"model name", "cpu model", "uarch", "cpu"};
	char implementer[16], number[16];

	/* The model name of 32-bit Arm is too general: "ARMv7 Processor rev 3". */
	if (proc_field(lines, "CPU implementer", implementer, sizeof(implementer)) &&
	    proc_field(lines, "CPU part", number, sizeof(number))) {
		name_part((unsigned)strtoul(implementer, NULL, 0),
			  (unsigned)strtoul(number, NULL, 0), name, size);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (proc_field(lines, keys[i], name, size) && name[0])
			return true;
	return false;
}

void cpu_name_parse(const char *cpuinfo, char *text, size_t size)
{
	char name[96], seen[96] = "";

	text_copy(text, size, "");
	while (*cpuinfo) {
		const char *end = strstr(cpuinfo, "\n\n");
		size_t length = end ? (size_t)(end - cpuinfo) + 1 : strlen(cpuinfo);
		char *lines = xstrndup(cpuinfo, length);

		if (name_cpu(lines, name, sizeof(name)) && strcmp(name, seen) != 0 &&
		    !strstr(text, name)) {
			size_t used = strlen(text);

			snprintf(text + used, size - used, "%s%s", used ? " and " : "", name);
			text_copy(seen, sizeof(seen), name);
		}
		free(lines);
		cpuinfo += length;
		cpuinfo += strspn(cpuinfo, "\n");
	}
}

void cpu_name_read(const struct sys *sys, char *text, size_t size)
{
	char *cpuinfo = xmalloc(CPUINFO_BYTES);

	text_copy(text, size, "");
	if (sys_file_read(sys, "/proc/cpuinfo", cpuinfo, CPUINFO_BYTES) > 0)
		cpu_name_parse(cpuinfo, text, size);
	free(cpuinfo);
}
