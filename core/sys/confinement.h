// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CONFINEMENT_H
#define PMCTOP_CONFINEMENT_H

#include "core/sys/sys.h"

/*
 * What stands between this process and the machine: namespaces, and the container that they make.
 * Files that containers leave are hints, as a virtual machine may be made from a container's image:
 * they are believed where the namespaces are not those that the machine booted with.
 */
enum container {
	CONTAINER_NONE,
	CONTAINER_DOCKER,
	CONTAINER_PODMAN,
	CONTAINER_KUBERNETES,
	CONTAINER_LXC,
	CONTAINER_NSPAWN,
	CONTAINER_OTHER, /* a pid or user namespace that nobody signed: unshare, a sandbox */
};

enum confinement_namespace {
	NAMESPACE_UNKNOWN,
	NAMESPACE_HOST, /* the one that the machine booted with */
	NAMESPACE_OWN,
};

struct confinement {
	enum container container;
	enum confinement_namespace pid;  /* OWN: records name no task outside it */
	enum confinement_namespace user; /* OWN: its capabilities are not asked for */
};

void confinement_read(const struct sys *sys, struct confinement *confinement);
/* The pid namespace alone. */
enum confinement_namespace confinement_read_pid(const struct sys *sys);

/* "docker", "a container" ...; NULL for NONE. */
const char *container_name(enum container container);

#endif
