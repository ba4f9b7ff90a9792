// SPDX-License-Identifier: MIT
/* The names of cgroups of systemd, containers and machines, from their paths. */
#include "core/sys/cgroup_name.h"

#include "core/base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ID  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD "1a2b3c4d_1111_2222_3333_444455556666"

static void names_of_paths(void **state)
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

static void names_are_cut_to_their_buffer(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_paths),
		cmocka_unit_test(names_are_cut_to_their_buffer),
	};

	return cmocka_run_group_tests_name("cgroup_name", tests, NULL, NULL);
}
