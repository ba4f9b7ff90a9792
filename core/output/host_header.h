// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HOST_HEADER_H
#define PMCTOP_HOST_HEADER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Names of this machine, besides localhost. */
struct host_names {
	char own[HOST_NAME_MAX + 1]; /* "": none */
	const char *const *others;   /* borrowed */
	size_t n_others;
};

/*
 * Whether a text is a host name (RFC 1123, 2.1) without a port: 1 to 253 characters, which are
 * labels of 1 to 63 letters, digits, - and _, separated by dots. A final dot is allowed.
 */
bool host_name_is_valid(const char *name);

/*
 * Whether a Host header (RFC 9110, 7.2: a name or address, and an optional port) is an IP address,
 * localhost, or one of the names. A web page can let its own name resolve to 127.0.0.1 (DNS
 * rebinding): a browser then lets it read the answers of this server, but sends that name.
 */
bool host_header_is_ours(const char *host, const struct host_names *names);

#endif
