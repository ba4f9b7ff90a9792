// SPDX-License-Identifier: MIT
/* The hypervisor in DMI, the device tree, /sys/hypervisor and /proc/cpuinfo. */
#include "core/sys/hypervisor.h"

#include "core/base/util.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void hypervisors(void **state)
{
	static const struct {
		const char *vendor, *product, *path, *text;
		const char *name; /* NULL: none */
	} rows[] = {
		{"QEMU", "Standard PC (Q35 + ICH9, 2009)", NULL, NULL, "QEMU"},
		{"Microsoft Corporation", "Virtual Machine", NULL, NULL, "Hyper-V"},
		{"Microsoft Corporation", "Surface Laptop", NULL, NULL, NULL},
		{"Amazon EC2", "m7g.large", NULL, NULL, "Amazon EC2"},
		{"Amazon EC2", "m7g.metal", NULL, NULL, NULL},
		{"Dell Inc.", "PowerEdge R650", NULL, NULL, NULL},
		{NULL, NULL, "/sys/firmware/devicetree/base/compatible", "linux,dummy-virt",
		 "QEMU"},
		{NULL, NULL, "/sys/firmware/devicetree/base/hypervisor/compatible", "linux,kvm",
		 "KVM"},
		{NULL, NULL, "/sys/hypervisor/type", "xen\n", "Xen"},
		{NULL, NULL, "/proc/cpuinfo", "flags\t: fpu hypervisor\n", "unknown"},
		{NULL, NULL, "/proc/cpuinfo", "flags\t: fpu\n", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(NULL);
		struct sys sys = fk_sys(fk);
		struct hypervisor got;

		if (rows[i].vendor) {
			fk_file(fk, "/sys/class/dmi/id/sys_vendor", rows[i].vendor);
			fk_file(fk, "/sys/class/dmi/id/product_name", rows[i].product);
		}
		if (rows[i].path)
			fk_file(fk, rows[i].path, rows[i].text);
		hypervisor_read(&sys, &got);
		assert_int_equal(got.present, rows[i].name != NULL);
		if (rows[i].name)
			assert_string_equal(got.name, rows[i].name);
		fk_free(fk);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(hypervisors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
