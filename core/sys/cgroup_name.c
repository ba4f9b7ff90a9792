// SPDX-License-Identifier: MIT
/*
 * A path is parsed from its root to its leaf, one part at a time. Each container manager has its
 * own pattern for the cgroups of its containers, one line of the table each. Kubernetes spreads a
 * name over several parts. The parts after the last container are systemd's.
 *
 * Sources of the patterns: runc libcontainer/cgroups/systemd ("PREFIX-ID.scope"; without systemd
 * "PREFIX-ID"), kubelet cm/cgroup_manager_linux.go, podman's libpod/container_internal_linux.go and
 * runtime_pod_linux.go, cri-o's oci_linux.go, liblxc's cgfsng.c, systemd's machined
 * (unit_name_mangle), libvirt's vircgroup.c, Proxmox' LXC/Setup ("ns").
 */
#include "core/sys/cgroup_name.h"

#include "core/base/util.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
	ID_SHORT = 12,  /* shown of a container id, as in docker ps */
	POD_SHORT = 8,  /* shown of a pod's uid */
	ID_FULL = 64,   /* a name of so many hexadecimal digits is a container id */
	PARTS_MAX = 64, /* deeper parts are ignored */
};

/* The bytes of the path between two slashes. */
struct part {
	const char *text;
	size_t length;
};

struct writer {
	char *text;
	size_t size, length;
};

static void put_bytes(struct writer *to, const char *text, size_t length)
{
	length = size_min(length, to->size - 1 - to->length);
	memcpy(to->text + to->length, text, length);
	to->length += length;
	to->text[to->length] = '\0';
}

static void put_text(struct writer *to, const char *text)
{
	put_bytes(to, text, strlen(text));
}

static void put_separator(struct writer *to)
{
	if (to->length > 0)
		put_bytes(to, "/", 1);
}

/* systemd writes a byte that is invalid in a unit's name as \xNN (unit_name_escape). */
static void put_unescaped(struct writer *to, struct part part)
{
	for (size_t i = 0; i < part.length; i++) {
		unsigned byte;

		if (part.length - i >= 4 && part.text[i] == '\\' && part.text[i + 1] == 'x' &&
		    isxdigit((unsigned char)part.text[i + 2]) &&
		    isxdigit((unsigned char)part.text[i + 3]) &&
		    sscanf(part.text + i + 2, "%2x", &byte) == 1 && byte != 0) {
			put_bytes(to, (char[]){(char)byte}, 1);
			i += 3;
		} else {
			put_bytes(to, part.text + i, 1);
		}
	}
}

static bool part_is(struct part part, const char *text)
{
	return part.length == strlen(text) && memcmp(part.text, text, part.length) == 0;
}

static bool ends_in(struct part part, const char *end)
{
	size_t length = strlen(end);

	return part.length >= length && memcmp(part.text + part.length - length, end, length) == 0;
}

/* The bytes between a prefix and a suffix. False if one is missing or no byte is left. */
static bool between(struct part part, const char *begin, const char *end, struct part *middle)
{
	size_t begins = strlen(begin), ends = strlen(end);

	if (part.length <= begins + ends || memcmp(part.text, begin, begins) != 0 ||
	    !ends_in(part, end))
		return false;
	*middle = (struct part){part.text + begins, part.length - begins - ends};
	return true;
}

static bool is_hex(struct part part, size_t least)
{
	for (size_t i = 0; i < part.length; i++)
		if (!isxdigit((unsigned char)part.text[i]))
			return false;
	return part.length >= least;
}

static bool is_number(struct part part)
{
	for (size_t i = 0; i < part.length; i++)
		if (!isdigit((unsigned char)part.text[i]))
			return false;
	return part.length > 0;
}

struct pattern {
	const char *parent; /* the part before it; NULL: any */
	const char *begin, *end;
	const char *label;
	size_t id; /* least number of hexadecimal digits, with or without ".scope"; 0: a name */
	bool in_service; /* the part before it is the service that the user started */
};

static const struct pattern patterns[] = {
	{NULL, "docker-", "", "docker", ID_SHORT, false},
	{"docker", "", "", "docker", ID_SHORT, false},
	{NULL, "libpod-", "", "podman", ID_SHORT, false},
	{NULL, "libpod-payload-", "", "podman", ID_SHORT, true},
	{NULL, "libpod-conmon-", "", "conmon", ID_SHORT, false},
	{NULL, "machine-libpod_pod_", ".slice", "podman-pod", ID_SHORT, false},
	{NULL, "user-libpod_pod_", ".slice", "podman-pod", ID_SHORT, false},
	{"libpod_parent", "", "", "podman-pod", ID_SHORT, false},
	{NULL, "cri-containerd-", "", "containerd", ID_SHORT, false},
	{NULL, "crio-", "", "cri-o", ID_SHORT, false},
	{NULL, "crio-conmon-", "", "conmon", ID_SHORT, false},
	{NULL, "nerdctl-", "", "nerdctl", ID_SHORT, false},
	{NULL, "buildkit-", "", "buildkit", ID_SHORT, false},
	{"buildkit", "", "", "buildkit", 0, false},
	{NULL, "lxc.payload.", "", "lxc", 0, false},
	{NULL, "lxc.monitor.", "", "lxc-monitor", 0, false},
	{"lxc.payload", "", "", "lxc", 0, false},
	{"lxc.monitor", "", "", "lxc-monitor", 0, false},
	{"lxc", "", "", "lxc", 0, false},
	{NULL, "machine-", ".scope", "machine", 0, false},
	{NULL, "systemd-nspawn@", ".service", "machine", 0, false},
	{"machine", "", ".libvirt-qemu", "machine", 0, false},
	{"machine", "", ".libvirt-lxc", "machine", 0, false},
	{NULL, "", "", "container", ID_FULL, false},
};

/* The id or name in the part, which is below `parent`. False if the part is another one's. */
static bool match_pattern(const struct pattern *pattern, struct part parent, struct part part,
			  struct part *id)
{
	if (pattern->parent && !part_is(parent, pattern->parent))
		return false;
	if (!between(part, pattern->begin, pattern->end, id))
		return false;
	if (pattern->id == 0)
		return true;
	between(*id, "", ".scope", id);
	if (!is_hex(*id, pattern->id))
		return false;
	id->length = ID_SHORT;
	return true;
}

static bool put_container(struct writer *to, struct part parent, struct part part)
{
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		const struct pattern *pattern = &patterns[i];
		struct part id;

		if (!match_pattern(pattern, parent, part, &id))
			continue;
		put_separator(to);
		if (pattern->in_service && ends_in(parent, ".service")) {
			put_unescaped(to, parent);
			put_separator(to);
		}
		put_text(to, pattern->label);
		put_bytes(to, ":", 1);
		put_unescaped(to, id);
		return true;
	}
	return false;
}

struct pod {
	const char *qos; /* NULL: not in the path, which is "guaranteed" */
	struct part uid; /* the part that is shown */
	struct part container;
	bool conmon; /* the cgroup of the container's monitor */
};

/* The last word of "cri-containerd-ID.scope", "crio-ID", "podUID.slice:cri-containerd:ID", "ID". */
static bool pod_container(struct pod *pod, struct part part)
{
	size_t word = 0;
	struct part id;

	pod->conmon = between(part, "crio-conmon-", "", &id);
	between(part, "", ".scope", &part);
	for (size_t i = 0; i < part.length; i++)
		if (part.text[i] == '-' || part.text[i] == ':')
			word = i + 1;
	part = (struct part){part.text + word, part.length - word};
	if (!is_hex(part, ID_SHORT))
		return false;
	pod->container = (struct part){part.text, ID_SHORT};
	return true;
}

static bool pod_uid(struct pod *pod, struct part part)
{
	struct part uid;

	if (!between(part, "pod", "", &uid) || uid.length < POD_SHORT)
		return false;
	pod->uid = (struct part){uid.text, POD_SHORT};
	if (memchr(uid.text, ':', uid.length))
		pod_container(pod, uid);
	return is_hex(pod->uid, POD_SHORT);
}

/*
 * Parses one part of a pod's path: "kubepods-burstable-podUID.slice" (systemd driver), or
 * "burstable", "podUID" (cgroupfs driver), then the container.
 */
static bool pod_part(struct pod *pod, struct part part)
{
	static const char *const qos[] = {"besteffort", "burstable", "guaranteed"};
	struct part rest = part;

	while (between(rest, "kubelet-", "", &rest) || between(rest, "kubepods-", "", &rest))
		;
	between(rest, "", ".slice", &rest);
	if (part_is(rest, "kubepods"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(qos); i++) {
		if (part_is(rest, qos[i]) || between(rest, qos[i], "", &rest))
			pod->qos = qos[i];
		if (part_is(rest, qos[i]))
			return true;
	}
	between(rest, "-", "", &rest);
	return pod_uid(pod, rest) || (pod->uid.length > 0 && pod_container(pod, part));
}

static void put_pod(struct writer *to, const struct pod *pod)
{
	put_separator(to);
	put_text(to, "k8s");
	if (pod->uid.length == 0) {
		put_text(to, pod->qos ? ":" : "");
		put_text(to, pod->qos ? pod->qos : "");
		return;
	}
	put_text(to, ":pod ");
	put_bytes(to, pod->uid.text, pod->uid.length);
	if (pod->container.length > 0) {
		put_text(to, pod->conmon ? "/conmon:" : "/");
		put_bytes(to, pod->container.text, pod->container.length);
	}
	put_text(to, " (");
	put_text(to, pod->qos ? pod->qos : "guaranteed");
	put_text(to, ")");
}

static bool begins_pods(struct part part)
{
	struct part rest;

	between(part, "kubelet-", "", &part);
	return part_is(part, "kubepods") || part_is(part, "kubepods.slice") ||
	       between(part, "kubepods-", "", &rest);
}

/* Writes the pod at the front of `parts`. Returns how many parts it has, 0 for none. */
static size_t put_kubernetes(struct writer *to, const struct part *parts, size_t n)
{
	struct pod pod = {0};
	size_t used = 0;

	if (!begins_pods(parts[0]))
		return 0;
	while (used < n && !pod.container.length && pod_part(&pod, parts[used]))
		used++;
	if (used > 0)
		put_pod(to, &pod);
	return used;
}

/* The units without the slices before them, unless the last part is a slice. */
static void put_units(struct writer *to, const struct part *parts, size_t n)
{
	size_t first = 0;

	while (first + 1 < n && ends_in(parts[first], ".slice"))
		first++;
	for (size_t i = first; i < n; i++) {
		if (i > first)
			put_bytes(to, "/", 1);
		put_unescaped(to, parts[i]);
	}
}

/* "user 1000" itself, or a session, or a unit of that user's systemd. False if it is no user's. */
static bool put_user(struct writer *to, const struct part *parts, size_t n)
{
	struct part user, unit;

	if (n == 0)
		return false;
	if (!between(parts[0], "user-", ".slice", &user) || !is_number(user))
		return put_user(to, parts + 1, n - 1);
	parts++;
	if (--n > 1 && between(parts[0], "user@", ".service", &unit)) {
		parts++;
		n--;
	}
	if (n == 1 && between(parts[0], "session-", ".scope", &unit)) {
		put_text(to, "session ");
		put_bytes(to, unit.text, unit.length);
	} else {
		put_units(to, parts, n);
	}
	put_text(to, n > 0 ? " of user " : "user ");
	put_bytes(to, user.text, user.length);
	return true;
}

/* Whether the part is the root of a container's own cgroups: "container" by crun, "ns" by Proxmox.
 */
static bool is_inner_root(struct part part)
{
	return part_is(part, "container") || part_is(part, "ns");
}

static size_t split_path(const char *path, struct part *parts)
{
	size_t n = 0;

	while (n < PARTS_MAX) {
		path += strspn(path, "/");
		size_t length = strcspn(path, "/");
		if (length == 0)
			break;
		parts[n++] = (struct part){path, length};
		path += length;
	}
	return n;
}

void cgroup_name(const char *path, char *name, size_t size)
{
	struct writer to = {name, size, 0};
	struct part parts[PARTS_MAX];
	size_t n = split_path(path, parts);
	size_t plain = 0; /* the first part after the last container */

	name[0] = '\0';
	for (size_t i = 0; i < n;) {
		const struct part before = i > plain ? parts[i - 1] : (struct part){"", 0};
		size_t used = put_kubernetes(&to, &parts[i], n - i);

		if (used == 0)
			used = put_container(&to, before, parts[i]);
		i += used ? used : 1;
		if (used > 0 && i < n && is_inner_root(parts[i]))
			i++;
		if (used > 0)
			plain = i;
	}
	if (plain < n) {
		put_separator(&to);
		if (!put_user(&to, parts + plain, n - plain))
			put_units(&to, parts + plain, n - plain);
	}
	if (n == 0 && path[0])
		put_bytes(&to, "/", 1);
}
