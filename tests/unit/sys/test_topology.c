// SPDX-License-Identifier: MIT
/* Sockets and nodes of CPUs, also of CPUs that go offline. */
#include "core/base/util.h"
#include "core/sys/topology.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define CPU "/sys/devices/system/cpu/cpu"

static void test_find(void **state)
{
	static const struct {
		const char *name, *socket;
		const char *node; /* a file below it */
		int want_socket, want_node;
	} rows[] = {
		{"socket and node", "1\n", "/node2/cpulist", 1, 2},
		{"no NUMA", "0\n", NULL, 0, -1},
		{"no socket", NULL, "/node0/cpulist", -1, 0},
		{"no topology", NULL, NULL, -1, -1},
		{"not known to the firmware", "-1\n", "/node0/cpulist", -1, 0},
		{"no number", "x\n", "/nodes/x", -1, -1},
		{"a name that begins like a node's", "7", "/node1x/x", 7, -1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(NULL);
		struct sys sys = fk_sys(fk);
		struct topology topology;
		char path[96];

		fk_file(fk, CPU "3/topology/physical_package_id", rows[i].socket);
		snprintf(path, sizeof(path), CPU "3%s", rows[i].node ? rows[i].node : "/online");
		fk_file(fk, path, "");
		topology_init(&topology, &sys);
		struct topology_cpu cpu = topology_find(&topology, 3, true);
		if (cpu.socket != rows[i].want_socket || cpu.node != rows[i].want_node)
			fail_msg("%s: socket %d, node %d", rows[i].name, cpu.socket, cpu.node);
		topology_fini(&topology);
		fk_free(fk);
	}
}

/* An offline CPU has no topology in sysfs. Its values stay, and are read again when it returns. */
static void test_read_once_while_online(void **state)
{
	static const struct {
		bool online;
		const char *file;
		int want;
	} steps[] = {
		{false, "0\n", -1}, {true, "1\n", 1}, {true, "2\n", 1},
		{false, NULL, 1},   {false, NULL, 1}, {true, "3\n", 3},
	};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct topology topology;

	(void)state;
	topology_init(&topology, &sys);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		fk_file(fk, CPU "0/topology/physical_package_id", steps[i].file);
		assert_int_equal(topology_find(&topology, 0, steps[i].online).socket,
				 steps[i].want);
	}
	topology_fini(&topology);
	fk_free(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_read_once_while_online),
	};

	return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
