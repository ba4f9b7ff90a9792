// SPDX-License-Identifier: MIT
/*
 * The contract is in listen_address.h. Most of this file is error messages: each quotes the typed
 * text, and says what to type or do instead.
 */
#include "core/output/listen_address.h"

#include "core/base/util.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PORT_MAX = 65535,
	BACKLOG = 128, /* connections that may wait to be accepted */
};

static bool read_port(const char *text, in_port_t *port)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	*port = htons((uint16_t)number);
	return isdigit((unsigned char)text[0]) && !*end && number <= PORT_MAX;
}

static int refuse_host(const char *text, const char *host, struct error *err)
{
	if (strcmp(host, "*") == 0)
		return error_set(err, -EINVAL,
				 "'%.40s': write 0.0.0.0 for every address of this machine.", text);
	if (strchr(host, ':'))
		return error_set(err, -EINVAL,
				 "'%.60s': write an IPv6 address in brackets, as in [::1]:9105.",
				 text);
	return error_set(err, -EINVAL,
			 "'%.60s' is not a numeric address, and host names are not resolved "
			 "(examples: 127.0.0.1:9105, [::1]:9105).",
			 text);
}

/* Parses the part before the port; "" means that only this machine can connect. */
static bool read_host(const char *host, in_port_t port, struct listen_address *address)
{
	struct sockaddr_in *four = (struct sockaddr_in *)&address->where;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address->where;
	size_t length = strlen(host);
	char inner[INET6_ADDRSTRLEN];

	*address = (struct listen_address){0};
	if (host[0] == '[' && host[length - 1] == ']' && length - 2 < sizeof(inner)) {
		memcpy(inner, host + 1, length - 2);
		inner[length - 2] = '\0';
		six->sin6_family = AF_INET6;
		six->sin6_port = port;
		address->size = sizeof(*six);
		return inet_pton(AF_INET6, inner, &six->sin6_addr) == 1;
	}
	four->sin_family = AF_INET;
	four->sin_port = port;
	address->size = sizeof(*four);
	if (!host[0] || strcmp(host, "localhost") == 0)
		host = "127.0.0.1";
	return inet_pton(AF_INET, host, &four->sin_addr) == 1;
}

int listen_address_parse(const char *text, struct listen_address *address, struct error *err)
{
	const char *colon = strrchr(text, ':');
	bool alone = !colon && !text[strspn(text, "0123456789")]; /* a port */
	char host[INET6_ADDRSTRLEN + 2] = "";
	in_port_t port;

	if (!alone && (!colon || text[strlen(text) - 1] == ']'))
		return error_set(err, -EINVAL, "'%.60s' has no port (example: 127.0.0.1:9105).",
				 text);
	if (!alone && (size_t)(colon - text) >= sizeof(host))
		return refuse_host(text, "", err);
	if (!alone)
		text_copy(host, (size_t)(colon - text) + 1, text);
	if (!read_port(alone ? text : colon + 1, &port))
		return error_set(
			err, -EINVAL,
			"'%.60s': a port is a number from 1 to %d, or 0 for any free port.", text,
			PORT_MAX);
	return read_host(host, port, address) ? 0 : refuse_host(text, host, err);
}

bool listen_address_is_loopback(const struct listen_address *address)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)&address->where;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address->where;

	if (address->where.ss_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) ||
		       (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr) &&
			six->sin6_addr.s6_addr[12] == IN_LOOPBACKNET);
	return address->where.ss_family == AF_INET &&
	       ntohl(four->sin_addr.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
}

void listen_address_text(const struct listen_address *address, char text[LISTEN_ADDRESS_TEXT])
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)&address->where;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address->where;
	char host[INET6_ADDRSTRLEN] = "";

	if (address->where.ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof(host));
		snprintf(text, LISTEN_ADDRESS_TEXT, "[%s]:%u", host, ntohs(six->sin6_port));
	} else {
		inet_ntop(AF_INET, &four->sin_addr, host, sizeof(host));
		snprintf(text, LISTEN_ADDRESS_TEXT, "%s:%u", host, ntohs(four->sin_port));
	}
}

static int refuse_open(const struct listen_address *address, int code, struct error *err)
{
	char text[LISTEN_ADDRESS_TEXT];
	const char *port;

	listen_address_text(address, text);
	port = strrchr(text, ':') + 1;
	switch (-code) {
	case EADDRINUSE:
		return error_set(err, code,
				 "Another program listens on %s. Choose another port. To see the "
				 "program: ss -ltnp sport = %s",
				 text, port);
	case EACCES:
		return error_set(err, code,
				 "Listening on %s needs root or CAP_NET_BIND_SERVICE. Choose a "
				 "port from 1024 on.",
				 text);
	case EADDRNOTAVAIL:
		return error_set(err, code,
				 "%s is not an address of this machine. To list them: ip address",
				 text);
	default:
		return error_set(err, code, "Cannot listen on %s: %s.", text, error_why(code));
	}
}

int listen_address_open(struct listen_address *address, int *out, struct error *err)
{
	struct sockaddr *where = (struct sockaddr *)&address->where;
	int fd = socket(where->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int yes = 1, code;

	if (fd < 0)
		return refuse_open(address, -errno, err);
	/* Otherwise a restart fails while connections of the last run are in TIME_WAIT. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
	    bind(fd, where, address->size) == 0 && listen(fd, BACKLOG) == 0 &&
	    getsockname(fd, where, &address->size) == 0) {
		*out = fd;
		return 0;
	}
	code = -errno;
	close(fd);
	return refuse_open(address, code, err);
}
