// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OWN_CONTAINER_H
#define PMCTOP_OWN_CONTAINER_H

#include "core/sys/sys.h"

/*
 * The namespaces of this process, and the container that they belong to. A file that names a
 * container manager is only a hint, because a virtual machine may be made from a container's image.
 * It counts only if a namespace is not the booted machine's.
 */
enum container_kind {
	CONTAINER_NONE,
	CONTAINER_DOCKER,
	CONTAINER_PODMAN,
	CONTAINER_KUBERNETES,
	CONTAINER_LXC,
	CONTAINER_NSPAWN,
	CONTAINER_OTHER, /* a pid or user namespace of an unknown manager: unshare, a sandbox */
};

enum namespace_kind {
	NAMESPACE_UNKNOWN,
	NAMESPACE_HOST, /* the booted machine's */
	NAMESPACE_OWN,
};

struct container {
	enum container_kind kind;
	enum namespace_kind pid;  /* OWN: records have no numbers of tasks outside it */
	enum namespace_kind user; /* OWN: perf_event_open ignores its capabilities */
};

/* Reads all; what cannot be read is UNKNOWN or NONE. */
void own_container_read(const struct sys *sys, struct container *container);
/* Only the pid namespace. */
enum namespace_kind own_container_read_pid_namespace(const struct sys *sys);
/*
 * Whether a container manager has put a file of its own over /proc/stat, as lxcfs does: it has the
 * container's times and CPUs, not the machine's.
 */
bool own_container_replaces_stat(const struct sys *sys);

/* "docker", "a container" ...; NULL for NONE. */
const char *own_container_name(enum container_kind container);

#endif
