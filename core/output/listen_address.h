// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LISTEN_ADDRESS_H
#define PMCTOP_LISTEN_ADDRESS_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/*
 * Where a server listens: a numeric address and a port. Names are not resolved, since that hangs on
 * just the machines that one looks at; and what names no address means this machine alone.
 */
struct listen_address {
	struct sockaddr_storage where; /* IPv4 or IPv6 */
	socklen_t size;
};

enum { LISTEN_ADDRESS_TEXT = 64 }; /* bytes of any address as a text */

/*
 * "9105", ":9105" and "localhost:9105" are of 127.0.0.1; else "192.0.2.7:9105", "0.0.0.0:9105",
 * "[::1]:9105". Port 0 is any that is free. 0, or -EINVAL and a sentence.
 */
int listen_address_parse(const char *text, struct listen_address *address, struct error *err);

/* Whether only this machine reaches it. */
bool listen_address_is_loopback(const struct listen_address *address);

/* As it is parsed. */
void listen_address_text(const struct listen_address *address, char text[LISTEN_ADDRESS_TEXT]);

/*
 * A socket that listens there, which the caller owns; *address gets the port that it has. Never
 * blocks. 0, or -errno and a sentence.
 */
int listen_address_open(struct listen_address *address, int *fd, struct error *err);

#endif
