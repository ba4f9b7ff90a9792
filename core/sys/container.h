// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CONTAINER_H
#define PMCTOP_CONTAINER_H

#include "core/sys/sys.h"

/*
 * What stands between this process and the machine: namespaces, and the container that they make.
 * Files that containers leave are hints, as a virtual machine may be made from a container's image:
 * they are believed where the namespaces are not those that the machine booted with.
 */
enum container_kind {
	CONTAINER_NONE,
	CONTAINER_DOCKER,
	CONTAINER_PODMAN,
	CONTAINER_KUBERNETES,
	CONTAINER_LXC,
	CONTAINER_NSPAWN,
	CONTAINER_OTHER, /* a pid or user namespace that nobody signed: unshare, a sandbox */
};

enum namespace_kind {
	NAMESPACE_UNKNOWN,
	NAMESPACE_HOST, /* the one that the machine booted with */
	NAMESPACE_OWN,
};

struct container {
	enum container_kind kind;
	enum namespace_kind pid;  /* OWN: records name no task outside it */
	enum namespace_kind user; /* OWN: its capabilities are not asked for */
};

void container_read(const struct sys *sys, struct container *container);
/* The pid namespace alone. */
enum namespace_kind container_read_pid_namespace(const struct sys *sys);

/* "docker", "a container" ...; NULL for NONE. */
const char *container_name(enum container_kind container);

#endif
