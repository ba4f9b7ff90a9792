// SPDX-License-Identifier: MIT
/* The path in /proc/PID/cgroup, the name that tables show, and that each path is kept once. */
#include "core/attrib/cgroups.h"
#include "core/base/util.h"
#include "core/sys/cgroup_name.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ID  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD "1a2b3c4d_1111_2222_3333_444455556666"

static void parses(void **state)
{
	static const struct {
		const char *name, *text, *want; /* NULL: no line has a path */
	} rows[] = {
		{"version 2", "0::/system.slice/a.service\n", "/system.slice/a.service"},
		{"its root", "0::/\n", "/"},
		{"no newline", "0::/a", "/a"},
		{"removed under its task", "0::/a/b (deleted)\n", "/a/b"},
		{"a name with (deleted), not removed", "0::/ (deleted)x\n", "/ (deleted)x"},
		{"outside the cgroup namespace", "0::/../b\n", "/../b"},
		{"a colon in a name", "0::/a:b/c:d\n", "/a:b/c:d"},
		{"any bytes", "0::/\x1b[2J\xff\n", "/\x1b[2J\xff"},
		{"hybrid: version 2 has it", "1:name=systemd:/x/y/z\n0::/a\n", "/a"},
		{"hybrid: version 2 is in its root",
		 "4:memory:/deep/er\n2:cpu,cpuacct:/deep\n0::/\n", "/deep/er"},
		{"version 1: systemd's",
		 "3:cpuset:/one/two/three\n1:name=systemd:/a/b\n8:pids:/a\n", "/a/b"},
		{"version 1: a controller of several", "2:cpuacct,cpu:/c\n", "/c"},
		{"version 1: the first of two with one depth", "2:pids:/p\n3:memory:/m\n", "/p"},
		{"a name that only begins like one", "2:cpuset:/c\n3:memoryx:/m\n", NULL},
		{"all in the root", "2:pids:/\n0::/\n", "/"},
		{"nothing", "", NULL},
		{"no path", "0::\n0:\n0\n\n:\n::\n", NULL},
		{"no absolute path", "0::a\n", NULL},
		{"an empty line before", "\n0::/a\n", "/a"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char path[64] = "";
		bool found = cgroup_parse(rows[i].text, path, sizeof(path));

		if (found != (rows[i].want != NULL) || (found && strcmp(path, rows[i].want) != 0))
			fail_msg("%s: \"%s\"", rows[i].name, path);
	}
	char small[4];
	assert_true(cgroup_parse("0::/abcdef\n", small, sizeof(small)));
	assert_string_equal(small, "/ab");
}

static void names(void **state)
{
	static const struct {
		const char *path, *want;
	} rows[] = {
		{"/", "/"},
		{"", ""},
		{"/init.scope", "init.scope"},
		{"/system.slice", "system.slice"},
		{"/system.slice/nginx.service", "nginx.service"},
		{"/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service"},
		{"/system.slice/system-systemd\\x2dfsck.slice", "system-systemd-fsck.slice"},
		{"/system.slice/a\\x2d\\x5c\\x2f.mount", "a-\\/.mount"},
		{"/system.slice/a\\x00\\x2\\xzz.mount", "a\\x00\\x2\\xzz.mount"},
		{"/user.slice/user-1000.slice", "user-1000.slice"},
		{"/user.slice/user-1000.slice/session-3.scope", "session 3 of user 1000"},
		{"/session-3.scope", "session-3.scope"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/foo.scope",
		 "user@1000.service/app.slice/foo.scope"},
		{"/user.slice/user-1000.slice/user@1000.service/init.scope",
		 "user@1000.service/init.scope"},
		/* docker, podman and others */
		{"/system.slice/docker-" ID ".scope", "docker:0123456789ab"},
		{"/docker/" ID, "docker:0123456789ab"},
		{"/docker/" ID "/init.scope", "docker:0123456789ab/init.scope"},
		{"/docker/" ID "/system.slice/cron.service", "docker:0123456789ab/cron.service"},
		{"/docker/" ID "/docker/" ID, "docker:0123456789ab/docker:0123456789ab"},
		{"/docker/buildx", "docker/buildx"},
		{"/docker", "docker"},
		{"/system.slice/docker.service", "docker.service"},
		{"/system.slice/docker-proxy.scope", "docker-proxy.scope"},
		{"/machine.slice/libpod-" ID ".scope", "podman:0123456789ab"},
		{"/machine.slice/libpod-" ID ".scope/container", "podman:0123456789ab/container"},
		{"/machine.slice/libpod-conmon-" ID ".scope", "conmon:0123456789ab"},
		{"/libpod_parent/libpod-" ID, "podman:0123456789ab"},
		{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope",
		 "podman:0123456789ab"},
		{"/system.slice/cri-containerd-" ID ".scope", "containerd:0123456789ab"},
		{"/system.slice/nerdctl-" ID ".scope", "nerdctl:0123456789ab"},
		{"/ecs/task-1/" ID, "container:0123456789ab"},
		/* Kubernetes, by either driver */
		{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD
		 ".slice/cri-containerd-" ID ".scope",
		 "k8s:pod 1a2b3c4d/0123456789ab (burstable)"},
		{"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" POD
		 ".slice/crio-" ID ".scope",
		 "k8s:pod 1a2b3c4d/0123456789ab (besteffort)"},
		{"/kubepods.slice/kubepods-pod" POD ".slice/docker-" ID ".scope",
		 "k8s:pod 1a2b3c4d/0123456789ab (guaranteed)"},
		{"/kubepods/burstable/pod1a2b3c4d-1111-2222-3333-444455556666/" ID,
		 "k8s:pod 1a2b3c4d/0123456789ab (burstable)"},
		{"/kubepods/pod1a2b3c4d-1111-2222-3333-444455556666/" ID "/init",
		 "k8s:pod 1a2b3c4d/0123456789ab (guaranteed)/init"},
		{"/system.slice/containerd.service/kubepods-burstable-pod" POD
		 ".slice:cri-containerd:" ID,
		 "k8s:pod 1a2b3c4d/0123456789ab (burstable)"},
		{"/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" POD
		 ".slice/cri-containerd-" ID ".scope",
		 "k8s:pod 1a2b3c4d/0123456789ab (guaranteed)"},
		{"/docker/" ID "/kubelet/kubepods/besteffort/pod1a2b3c4d-1111/" ID,
		 "docker:0123456789ab/k8s:pod 1a2b3c4d/0123456789ab (besteffort)"},
		{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD ".slice",
		 "k8s:pod 1a2b3c4d (burstable)"},
		{"/kubepods.slice/kubepods-burstable.slice", "k8s:burstable"},
		{"/kubepods", "k8s"},
		{"/kubepods/other", "k8s/other"},
		{"/kubepods/podx", "k8s/podx"},
		/* LXC and systemd-nspawn, libvirt */
		{"/lxc.payload.web", "lxc:web"},
		{"/lxc.payload.db/system.slice/cron.service", "lxc:db/cron.service"},
		{"/lxc.monitor.web", "lxc-monitor:web"},
		{"/lxc/web", "lxc:web"},
		{"/lxc", "lxc"},
		{"/machine.slice/machine-web\\x2d1.scope/payload", "machine:web-1/payload"},
		{"/machine.slice/systemd-nspawn@web.service/payload", "machine:web/payload"},
		{"/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/libvirt/vcpu0",
		 "machine:qemu-1-vm/libvirt/vcpu0"},
		/* unusual paths */
		{"no slash", "no slash"},
		{"//a///b/", "a/b"},
		{"/../x", "../x"},
		{"/a.slice/b.slice/\x1b[31m", "\x1b[31m"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char name[128];

		cgroup_name(rows[i].path, name, sizeof(name));
		if (strcmp(name, rows[i].want) != 0)
			fail_msg("%s: \"%s\"", rows[i].path, name);
	}
}

/* A name is cut to the size of its buffer. */
static void names_fit(void **state)
{
	char deep[4096] = "", name[32];

	(void)state;
	while (strlen(deep) + 3 < sizeof(deep))
		strcat(deep, "/ab");
	for (size_t size = 1; size < sizeof(name); size++) {
		memset(name, '#', sizeof(name));
		cgroup_name(deep, name, size);
		assert_int_equal(strlen(name), size - 1);
		assert_int_equal(name[size], '#');
	}
}

static void are_kept_once(void **state)
{
	enum { N = 1000 };
	struct cgroups *cgroups = cgroups_new();
	struct cgroup *held[N];
	char path[32];

	(void)state;
	for (int i = 0; i < N; i++) {
		snprintf(path, sizeof(path), "/a/%d", i);
		held[i] = cgroups_get(cgroups, path);
		assert_ptr_equal(cgroups_get(cgroups, path), held[i]);
	}
	assert_int_equal(cgroups_count(cgroups), N);
	for (int i = 0; i < N; i++) {
		cgroups_put(cgroups, held[i]);
		snprintf(path, sizeof(path), "/a/%d", i);
		assert_string_equal(held[i]->path, path);
		if (i % 2)
			cgroups_put(cgroups, held[i]);
	}
	assert_int_equal(cgroups_count(cgroups), N / 2);
	cgroups_put(cgroups, NULL);
	cgroups_free(cgroups);
	cgroups_free(NULL);
}

static void are_read(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct cgroups *cgroups = cgroups_new();

	(void)state;
	fk_file(fk, "/proc/7/cgroup", "0::/a\n");
	fk_file(fk, "/proc/8/cgroup", "");
	struct cgroup *cgroup = cgroups_read(cgroups, &sys, 7);
	assert_string_equal(cgroup->path, "/a");
	assert_null(cgroups_read(cgroups, &sys, 8));
	assert_null(cgroups_read(cgroups, &sys, 9));
	cgroups_put(cgroups, cgroup);
	assert_int_equal(cgroups_count(cgroups), 0);
	cgroups_free(cgroups);
	fk_free(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses),    cmocka_unit_test(names),
		cmocka_unit_test(names_fit), cmocka_unit_test(are_kept_once),
		cmocka_unit_test(are_read),
	};

	return cmocka_run_group_tests_name("cgroups", tests, NULL, NULL);
}
