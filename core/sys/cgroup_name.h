// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CGROUP_NAME_H
#define PMCTOP_CGROUP_NAME_H

#include <stddef.h>

/*
 * What people call a cgroup, from its path alone:
 *
 *	/system.slice/docker-0123456789ab....scope        docker:0123456789ab
 *	/kubepods.slice/.../kubepods-burstable-pod1a2b3c4d_....slice/cri-containerd-9876543210ab....scope
 *	                                                  k8s:pod 1a2b3c4d/9876543210ab (burstable)
 *	/machine.slice/machine-web\x2d1.scope/payload     machine:web-1/payload
 *	/lxc.payload.db/system.slice/cron.service         lxc:db/cron.service
 *	/system.slice/nginx.service                       nginx.service
 *	/user.slice/user-1000.slice/session-3.scope       session 3 of user 1000
 *
 * Containers within containers are joined by '/'. Of what is no container the slices at the front
 * go, and systemd's \x2d is a character again. The bytes may be as hostile as those of the path.
 */
void cgroup_name(const char *path, char *name, size_t size);

#endif
