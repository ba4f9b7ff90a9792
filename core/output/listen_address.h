// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LISTEN_ADDRESS_H
#define PMCTOP_LISTEN_ADDRESS_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/*
 * Where a server listens: a numeric address and a port. Names are not resolved, since resolving
 * hangs on a machine in trouble. Without an address only this machine can connect.
 */
struct listen_address {
	struct sockaddr_storage where; /* IPv4 or IPv6 */
	socklen_t size;
};

enum { LISTEN_ADDRESS_TEXT = 64 }; /* greatest size of an address as a text */

/*
 * "9105", ":9105" and "localhost:9105" mean 127.0.0.1; others: "192.0.2.7:9105", "0.0.0.0:9105",
 * "[::1]:9105". Port 0 is any free one. 0, or -EINVAL with *err filled.
 */
int listen_address_parse(const char *text, struct listen_address *address, struct error *err);

/* Whether only this machine can connect. */
bool listen_address_is_loopback(const struct listen_address *address);

/* The text that listen_address_parse() accepts. */
void listen_address_text(const struct listen_address *address, char text[LISTEN_ADDRESS_TEXT]);

/*
 * Opens a listening socket, owned by the caller; stores the real port in *address. Never blocks. 0,
 * or -errno with *err filled.
 */
int listen_address_open(struct listen_address *address, int *fd, struct error *err);

#endif
