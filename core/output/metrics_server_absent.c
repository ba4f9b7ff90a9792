// SPDX-License-Identifier: MIT
/*
 * Replaces metrics_server.c in a build without libmicrohttpd (make HTTP=0). A static program needs
 * such a build: libmicrohttpd needs GnuTLS, and Debian has parts of that only as shared libraries.
 */
#include "core/output/metrics_server.h"

#include <errno.h>

bool metrics_server_is_built(void)
{
	return false;
}

int metrics_server_start(struct listen_address *address, const struct metrics_source *source,
			 struct metrics_server **server, struct error *err)
{
	(void)address, (void)source;
	*server = NULL;
	return error_set(err, -EOPNOTSUPP,
			 "This pmctop was built without HTTP (make HTTP=0). Build it with HTTP, or "
			 "write a file for node_exporter: --format openmetrics -o FILE");
}

void metrics_server_stop(struct metrics_server *server)
{
	(void)server;
}
