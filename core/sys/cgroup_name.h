// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CGROUP_NAME_H
#define PMCTOP_CGROUP_NAME_H

#include <stddef.h>

/*
 * Writes a short name for a cgroup, made from its path alone:
 *
 *	/system.slice/docker-0123456789ab....scope        docker:0123456789ab
 *	/kubepods.slice/.../kubepods-burstable-pod1a2b3c4d_....slice/cri-containerd-9876543210ab....scope
 *	                                                  k8s:pod 1a2b3c4d/9876543210ab (burstable)
 *	/machine.slice/machine-web\x2d1.scope/payload     machine:web-1/payload
 *	/lxc.payload.db/system.slice/cron.service         lxc:db/cron.service
 *	/system.slice/nginx.service                       nginx.service
 *	/user.slice/user-1000.slice/session-3.scope       session 3 of user 1000
 *	/user.slice/user-1000.slice/user@1000.service/app.slice/foo.service
 *	                                                  foo.service of user 1000
 *	/system.slice/web.service/libpod-payload-0123456789ab....
 *	                                                  web.service/podman:0123456789ab
 *
 * Nested containers are joined by '/'. Other cgroups lose the slices at the front, and systemd's
 * \x2d becomes its character. The path comes from outside, so the name may have any bytes too.
 */
void cgroup_name(const char *path, char *name, size_t size);

#endif
