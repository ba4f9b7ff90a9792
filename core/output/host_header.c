// SPDX-License-Identifier: MIT
/*
 * Parses the Host header of a request, which is untrusted. Separate from metrics_server.c because a
 * fuzzer runs it, and because the options check host names with it.
 */
#include "core/output/host_header.h"

#include "core/base/util.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

enum {
	NAME_MAX_LENGTH = 253, /* of DNS */
	LABEL_MAX_LENGTH = 63,
	NAME_SIZE = NAME_MAX_LENGTH + 2, /* with a dot and a NUL at the end */
};

/* Length of a name without its final dot. */
static size_t length_without_dot(const char *name)
{
	size_t length = strlen(name);

	return length > 0 && name[length - 1] == '.' ? length - 1 : length;
}

bool host_name_is_valid(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_";
	size_t left = length_without_dot(name), label;

	if (left > NAME_MAX_LENGTH)
		return false;
	while ((label = strspn(name, letters)) > 0 && label <= LABEL_MAX_LENGTH) {
		if (label == left)
			return true;
		if (name[label] != '.')
			return false;
		name += label + 1;
		left -= label + 1;
	}
	return false;
}

static bool is_same_name(const char *name, const char *wanted)
{
	size_t length = length_without_dot(wanted);

	return length > 0 && length == strlen(name) && strncasecmp(name, wanted, length) == 0;
}

static bool is_own_name(const char *name, const struct host_names *names)
{
	if (is_same_name(name, "localhost") || is_same_name(name, names->own))
		return true;
	for (size_t i = 0; i < names->n_others; i++)
		if (is_same_name(name, names->others[i]))
			return true;
	return false;
}

/* Empty, or a colon and digits; then blanks. */
static bool is_port(const char *text)
{
	if (*text == ':')
		text += 1 + strspn(text + 1, "0123456789");
	return !text[strspn(text, " \t")];
}

bool host_header_is_ours(const char *host, const struct host_names *names)
{
	bool bracket = host[0] == '[';
	struct in6_addr address;
	char name[NAME_SIZE];

	host += bracket;
	size_t length = strcspn(host, bracket ? "]" : ": \t");
	if (length >= sizeof(name) || (bracket && !host[length]) ||
	    !is_port(host + length + bracket))
		return false;
	text_copy(name, length + 1, host);
	if (bracket)
		return inet_pton(AF_INET6, name, &address) == 1;
	name[length_without_dot(name)] = '\0';
	return inet_pton(AF_INET, name, &address) == 1 || is_own_name(name, names);
}
