// SPDX-License-Identifier: MIT
/*
 * A table of hypervisors and clouds: the words by which DMI or the device tree name them, and how
 * each gives a machine its PMU.
 */
#include "core/sys/hypervisor.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QEMU_REMEDY "host: qemu -cpu host,pmu=on, or libvirt's <pmu state='on'/>"

struct kind {
	const char *word; /* a part of DMI's "VENDOR PRODUCT", or of another file */
	const char *name, *remedy;
};

static const struct kind kinds[] = {
	{"VMware", "VMware", "in the VM's .vmx file: vpmc.enable = \"TRUE\""},
	{"VirtualBox", "VirtualBox", NULL},
	{"Microsoft Corporation Virtual Machine", "Hyper-V",
	 "host: Set-VMProcessor VM -Perfmon @(\"pmu\")"},
	{"Google Compute Engine", "Google Compute Engine",
	 "gcloud: --performance-monitoring-unit=standard (C4 and later)"},
	{"Amazon EC2", "Amazon EC2",
	 "a larger instance: a whole socket or *.metal has all counters"},
	{"Xen", "Xen", "on Xen's command line: vpmu=on"},
	{"xen", "Xen", "on Xen's command line: vpmu=on"},
	{"Parallels", "Parallels", "in the VM's options: enable PMU virtualization"},
	{"Apple Virtualization", "Apple Virtualization", NULL},
	{"BHYVE", "bhyve", NULL},
	{"QEMU", "QEMU", QEMU_REMEDY},
	{"KVM", "KVM", QEMU_REMEDY},
	{"kvm", "KVM", QEMU_REMEDY},
	{"dummy-virt", "QEMU", QEMU_REMEDY},
	{"Bochs", "Bochs", NULL},
	{"OpenStack", "OpenStack", "flavor property: hw:pmu=True"},
	{"oVirt", "oVirt", QEMU_REMEDY},
	{"Alibaba Cloud ECS", "Alibaba Cloud", NULL},
	{"DigitalOcean", "DigitalOcean", NULL},
	{"Hetzner vServer", "Hetzner", NULL},
};

static const struct kind unknown = {"", "unknown", QEMU_REMEDY};

static const struct kind *find_kind(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strstr(text, kinds[i].word))
			return &kinds[i];
	return NULL;
}

/* "VENDOR PRODUCT", or "" without DMI. */
static void read_dmi(const struct sys *sys, char *text, size_t size)
{
	static const char *const names[] = {"sys_vendor", "product_name"};
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[64], value[128];

		snprintf(path, sizeof(path), "/sys/class/dmi/id/%s", names[i]);
		if (sys_file_read(sys, path, value, sizeof(value)) < 0)
			continue;
		value[strcspn(value, "\n")] = '\0';
		length += (size_t)snprintf(text + length, size - length, "%s%s", length ? " " : "",
					   value);
	}
}

/* From Arm's device tree or Xen's file in sysfs. */
static const struct kind *find_elsewhere(const struct sys *sys)
{
	static const char *const paths[] = {
		"/sys/hypervisor/type",
		"/sys/firmware/devicetree/base/hypervisor/compatible",
		"/sys/firmware/devicetree/base/compatible",
	};
	const struct kind *kind = NULL;
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(paths) && !kind; i++)
		if (sys_file_read(sys, paths[i], text, sizeof(text)) > 0)
			kind = find_kind(text);
	return kind;
}

/* Whether the x86 CPU flag is set. */
static bool has_flag(const struct sys *sys)
{
	char *text = xmalloc(16384), flags[8192]; /* the first CPU's lines are enough */
	bool found = false;

	if (sys_file_read(sys, "/proc/cpuinfo", text, 16384) > 0 &&
	    proc_field(text, "flags", flags, sizeof(flags)))
		found = strstr(flags, " hypervisor") != NULL;
	free(text);
	return found;
}

void hypervisor_read(const struct sys *sys, struct hypervisor *hypervisor)
{
	char dmi[300];
	bool flag = has_flag(sys);

	read_dmi(sys, dmi, sizeof(dmi));
	const struct kind *kind = find_kind(dmi);
	/* A bare machine of a cloud has the same vendor in DMI. */
	if (kind && strstr(dmi, "metal") && !flag)
		kind = NULL;
	if (!kind && !dmi[0])
		kind = find_elsewhere(sys);
	if (!kind && flag)
		kind = &unknown;
	*hypervisor = kind ? (struct hypervisor){true, kind->name, kind->remedy}
			   : (struct hypervisor){.present = false};
}
