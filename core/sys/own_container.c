// SPDX-License-Identifier: MIT
/*
 * The namespaces of the booted machine have fixed inode numbers: enum init_ns_ino of
 * <linux/nsfs.h>, the same since Linux 3.8. Without /proc/self/ns they are recognised by what only
 * they have: task 2 is kthreadd, and every uid maps to itself.
 */
#include "core/sys/own_container.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 64 << 10 };

#define FIRST_USER "user:[4026531837]"
#define FIRST_PID  "pid:[4026531836]"

/* Namespaces that each container manager makes by default. */
static const char *const first_of_containers[] = {
	"uts:[4026531838]",
	"ipc:[4026531839]",
	"cgroup:[4026531835]",
};

static enum namespace_kind read_namespace(const struct sys *sys, const char *first)
{
	char path[64], link[64];

	snprintf(path, sizeof(path), "/proc/self/ns/%.*s", (int)strcspn(first, ":"), first);
	if (sys_link_read(sys, path, link, sizeof(link)) < 0)
		return NAMESPACE_UNKNOWN;
	return strcmp(link, first) == 0 ? NAMESPACE_HOST : NAMESPACE_OWN;
}

static enum namespace_kind guess_pid(const struct sys *sys)
{
	struct proc_stat stat;
	int result = proc_stat_read(sys, 2, &stat);

	if (result == 0 && stat.kernel)
		return NAMESPACE_HOST;
	/* hidepid hides task 2 as well. */
	return result == 0 ? NAMESPACE_OWN : NAMESPACE_UNKNOWN;
}

static enum namespace_kind guess_user(const struct sys *sys)
{
	unsigned long inside, outside, n;
	char map[4096];

	if (sys_file_read(sys, "/proc/self/uid_map", map, sizeof(map)) < 0 ||
	    sscanf(map, "%lu %lu %lu", &inside, &outside, &n) != 3)
		return NAMESPACE_UNKNOWN;
	return inside == 0 && outside == 0 && n == UINT32_MAX ? NAMESPACE_HOST : NAMESPACE_OWN;
}

bool own_container_replaces_stat(const struct sys *sys)
{
	int code = 0;
	char *text = proc_long_text(sys, "/proc/self/mountinfo", &code);
	bool replaced = text && strstr(text, " /proc/stat ");

	free(text);
	return replaced;
}

/* Whether hints count: a namespace is not the machine's, or all are unknown. */
static bool may_be_container(const struct sys *sys)
{
	bool any = false, known = false;

	for (size_t i = 0; i < ARRAY_SIZE(first_of_containers); i++) {
		enum namespace_kind of = read_namespace(sys, first_of_containers[i]);

		any |= of == NAMESPACE_OWN;
		known |= of != NAMESPACE_UNKNOWN;
	}
	return any || !known;
}

struct hint {
	const char *text;
	enum container_kind kind;
};

/* Kubernetes first: its containers also have the files of docker or podman. */
static const struct hint paths[] = {
	{"/run/secrets/kubernetes.io", CONTAINER_KUBERNETES},
	{"/var/run/secrets/kubernetes.io", CONTAINER_KUBERNETES},
	{"/run/.containerenv", CONTAINER_PODMAN},
	{"/.dockerenv", CONTAINER_DOCKER},
	{"/dev/lxd", CONTAINER_LXC},
};

/* The values of "container=", which managers set. */
static const struct hint names[] = {
	{"kube", CONTAINER_KUBERNETES}, {"podman", CONTAINER_PODMAN}, {"docker", CONTAINER_DOCKER},
	{"lxc", CONTAINER_LXC},         {"nspawn", CONTAINER_NSPAWN}, {NULL, CONTAINER_NONE},
};

static const struct hint cgroups[] = {
	{"kubepods", CONTAINER_KUBERNETES}, {"libpod", CONTAINER_PODMAN},
	{"/docker", CONTAINER_DOCKER},      {"lxc.payload", CONTAINER_LXC},
	{"/lxc/", CONTAINER_LXC},           {NULL, CONTAINER_NONE},
};

static const struct hint mounts[] = {
	{"/kubelet/pods/", CONTAINER_KUBERNETES},
	{"/overlay-containers/", CONTAINER_PODMAN},
	{"/docker/containers/", CONTAINER_DOCKER},
	{NULL, CONTAINER_NONE},
};

static const struct {
	const char *path;
	const struct hint *hints;
	bool environment;
} files[] = {
	{"/run/systemd/container", names}, {"/run/host/container-manager", names},
	{"/proc/1/environ", names, true},  {"/proc/self/cgroup", cgroups},
	{"/proc/self/mountinfo", mounts},
};

static enum container_kind find_word(const char *text, const struct hint *hints)
{
	while (hints->text && !strstr(text, hints->text))
		hints++;
	return hints->kind;
}

/* The value of "container=" in an environment of NUL-terminated variables, or NULL. */
static const char *find_variable(char *text, size_t length)
{
	static const char name[] = "container=";

	for (size_t at = 0; at < length; at += strlen(text + at) + 1)
		if (strncmp(text + at, name, sizeof(name) - 1) == 0)
			return text + at + sizeof(name) - 1;
	return "";
}

static enum container_kind find_container(const struct sys *sys)
{
	enum container_kind found = CONTAINER_NONE;
	uid_t owner;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (sys_file_owner(sys, paths[i].text, &owner) == 0)
			return paths[i].kind;
	char *text = xmalloc(TEXT_BYTES);
	for (size_t i = 0; i < ARRAY_SIZE(files) && found == CONTAINER_NONE; i++) {
		ssize_t length = sys_file_read(sys, files[i].path, text, TEXT_BYTES);

		if (length > 0)
			found = find_word(files[i].environment ? find_variable(text, (size_t)length)
							       : text,
					  files[i].hints);
	}
	free(text);
	return found;
}

enum namespace_kind own_container_read_pid_namespace(const struct sys *sys)
{
	enum namespace_kind pid = read_namespace(sys, FIRST_PID);

	return pid == NAMESPACE_UNKNOWN ? guess_pid(sys) : pid;
}

void own_container_read(const struct sys *sys, struct container *container)
{
	*container = (struct container){
		.pid = own_container_read_pid_namespace(sys),
		.user = read_namespace(sys, FIRST_USER),
	};
	if (container->user == NAMESPACE_UNKNOWN)
		container->user = guess_user(sys);
	if (may_be_container(sys))
		container->kind = find_container(sys);
	if (container->kind == CONTAINER_NONE &&
	    (container->pid == NAMESPACE_OWN || container->user == NAMESPACE_OWN))
		container->kind = CONTAINER_OTHER;
}

const char *own_container_name(enum container_kind container)
{
	switch (container) {
	case CONTAINER_NONE:
		break;
	case CONTAINER_DOCKER:
		return "docker";
	case CONTAINER_PODMAN:
		return "podman";
	case CONTAINER_KUBERNETES:
		return "kubernetes";
	case CONTAINER_LXC:
		return "lxc";
	case CONTAINER_NSPAWN:
		return "systemd-nspawn";
	case CONTAINER_OTHER:
		return "a container";
	}
	return NULL;
}
