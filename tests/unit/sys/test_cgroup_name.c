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

#define ID    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define POD   "1a2b3c4d_1111_2222_3333_444455556666"

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
		{"/system.slice/systemd-udevd.service/udev", "systemd-udevd.service/udev"},
		/* sessions and users, by logind and the user's systemd */
		{"/user.slice", "user.slice"},
		{"/user.slice/user-1000.slice", "user 1000"},
		{"/user.slice/user-1000.slice/session-3.scope", "session 3 of user 1000"},
		{"/session-3.scope", "session-3.scope"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/foo.scope",
		 "foo.scope of user 1000"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/"
		 "app-dbus\\x2d:1.2\\x2dorg.gnome.Maps.slice/maps.service/a/b",
		 "maps.service/a/b of user 1000"},
		{"/user.slice/user-1000.slice/user@1000.service/session.slice",
		 "session.slice of user 1000"},
		{"/user.slice/user-1000.slice/user@1000.service", "user@1000.service of user 1000"},
		{"/user.slice/user-0.slice/session-c2.scope", "session c2 of user 0"},
		{"/user.slice/user-0.slice/session-4.scope/sub", "session-4.scope/sub of user 0"},
		{"/user.slice/user-x.slice/session-4.scope", "session-4.scope"},
		{"/user.slice/user-1000.slice/user@1000.service/init.scope",
		 "init.scope of user 1000"},
		/* docker, podman and others */
		{"/system.slice/docker-" ID ".scope", "docker:0123456789ab"},
		{"/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope",
		 "docker:0123456789ab"},
		{"/docker/" ID, "docker:0123456789ab"},
		{"/docker/" ID "/init.scope", "docker:0123456789ab/init.scope"},
		{"/docker/" ID "/system.slice/cron.service", "docker:0123456789ab/cron.service"},
		{"/docker/" ID "/docker/" ID, "docker:0123456789ab/docker:0123456789ab"},
		{"/docker/buildx", "docker/buildx"},
		{"/docker", "docker"},
		{"/system.slice/docker.service", "docker.service"},
		{"/system.slice/docker-proxy.scope", "docker-proxy.scope"},
		{"/machine.slice/libpod-" ID ".scope", "podman:0123456789ab"},
		{"/machine.slice/libpod-" ID ".scope/container", "podman:0123456789ab"},
		{"/machine.slice/libpod-" ID ".scope/container/init.scope",
		 "podman:0123456789ab/init.scope"},
		{"/machine.slice/libpod-conmon-" ID ".scope", "conmon:0123456789ab"},
		{"/libpod_parent/libpod-" ID, "podman:0123456789ab"},
		{"/libpod_parent/libpod-" ID "/ctr", "podman:0123456789ab/ctr"},
		{"/libpod_parent/conmon", "libpod_parent/conmon"},
		{"/libpod_parent/" OTHER "/libpod-" ID,
		 "podman-pod:fedcba987654/podman:0123456789ab"},
		{"/parent/libpod-" ID, "podman:0123456789ab"},
		{"/machine.slice/machine-libpod_pod_" OTHER ".slice/libpod-" ID ".scope/container",
		 "podman-pod:fedcba987654/podman:0123456789ab"},
		{"/user.slice/user-1000.slice/user@1000.service/user.slice/user-libpod_pod_" OTHER
		 ".slice/libpod-" ID ".scope",
		 "podman-pod:fedcba987654/podman:0123456789ab"},
		{"/machine.slice/machine-libpod_pod_" OTHER ".slice", "podman-pod:fedcba987654"},
		{"/system.slice/web.service/libpod-payload-" ID, "web.service/podman:0123456789ab"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/my\\x2dapp.service/"
		 "libpod-payload-" ID "/system.slice/dbus.service",
		 "my-app.service/podman:0123456789ab/dbus.service"},
		{"/system.slice/web.service/runtime", "web.service/runtime"},
		{"/user.slice/user-1000.slice/session-3.scope/libpod-payload-" ID,
		 "podman:0123456789ab"},
		{"/user.slice/user-1000.slice/user@1000.service/user.slice/podman-4121.scope",
		 "podman-4121.scope of user 1000"},
		{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope",
		 "podman:0123456789ab"},
		{"/system.slice/cri-containerd-" ID ".scope", "containerd:0123456789ab"},
		{"/system.slice/nerdctl-" ID ".scope", "nerdctl:0123456789ab"},
		{"/default/" ID, "container:0123456789ab"},
		{"/ecs/task-1/" ID, "container:0123456789ab"},
		{"/system.slice/crio-" ID ".scope", "cri-o:0123456789ab"},
		{"/pod_123/crio-" ID, "cri-o:0123456789ab"},
		{"/system.slice/crio-conmon-" ID ".scope", "conmon:0123456789ab"},
		{"/docker/buildkit/n4eu0udvbz9vfzjy71jkvgkwh",
		 "buildkit:n4eu0udvbz9vfzjy71jkvgkwh"},
		{"/system.slice/buildkit-" ID ".scope", "buildkit:0123456789ab"},
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
		{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD
		 ".slice/crio-" ID ".scope/container",
		 "k8s:pod 1a2b3c4d/0123456789ab (burstable)"},
		{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD
		 ".slice/crio-conmon-" ID ".scope",
		 "k8s:pod 1a2b3c4d/conmon:0123456789ab (burstable)"},
		{"/kubepods/burstable/pod1a2b3c4d-1111-2222-3333-444455556666/crio-" ID,
		 "k8s:pod 1a2b3c4d/0123456789ab (burstable)"},
		{"/kubepods/besteffort/pod1a2b3c4d-1111-2222-3333-444455556666/crio-conmon-" ID,
		 "k8s:pod 1a2b3c4d/conmon:0123456789ab (besteffort)"},
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
		{"/lxc.payload/web", "lxc:web"},
		{"/lxc.monitor/101", "lxc-monitor:101"},
		{"/lxc/web", "lxc:web"},
		{"/lxc/php/user.slice/user-0.slice/session-c112.scope",
		 "lxc:php/session c112 of user 0"},
		{"/lxc/101/ns/system.slice/cron.service", "lxc:101/cron.service"},
		{"/lxc/101/ns", "lxc:101"},
		{"/lxc", "lxc"},
		{"/machine.slice/machine-web\\x2d1.scope/payload", "machine:web-1/payload"},
		{"/machine.slice/systemd-nspawn@web.service/payload", "machine:web/payload"},
		{"/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/libvirt/vcpu0",
		 "machine:qemu-1-vm/libvirt/vcpu0"},
		{"/machine/qemu-1-vm.libvirt-qemu/emulator", "machine:qemu-1-vm/emulator"},
		{"/machine/lxc-2-web.libvirt-lxc", "machine:lxc-2-web"},
		{"/machine/other", "machine/other"},
		/* unusual paths */
		{"/ns/container", "ns/container"},
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
