// SPDX-License-Identifier: MIT
/*
 * libmicrohttpd parses HTTP. The loop around it is pmctop's, for two rules that the library does
 * not have. The library's timeout begins again with each byte, so a client that sends a byte now
 * and then keeps its connection forever. When all connections are in use, the library lets new
 * clients wait. Here a connection has a fixed time for a request and its answer, and the slowest
 * connection is closed to make room.
 *
 * Clients are in the order of their last answer, or of their arrival if they have had none: the
 * first is the next to be closed. shutdown() closes it, which libmicrohttpd reads as the end of the
 * client's data.
 */
#include "core/output/metrics_server.h"

#include "core/base/thread.h"
#include "core/base/util.h"
#include "core/output/accept_header.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* libmicrohttpd accepts ten connections before the loop can close one, so some places stay free. */
enum {
	CLIENTS_KEPT = METRICS_SERVER_CLIENTS - 12,
	CLIENT_BYTES = 8 << 10, /* of a request and the head of its answer */
	WAIT_MOST_MS = 1000,    /* the longest wait of the thread */
};

/* The pause after a wait that failed. */
#define FAILED_WAIT_NS (10 * NS_PER_MS)

#define PATIENCE_NS (METRICS_SERVER_PATIENCE_S * NS_PER_S)

/* A connection. After shutdown() it is in no list: libmicrohttpd will close it soon. */
struct client {
	TAILQ_ENTRY(client) link;
	int fd;
	uint64_t since_ns;
	bool shut;
};

struct metrics_server {
	struct metrics_source source;
	struct MHD_Daemon *daemon;
	TAILQ_HEAD(clients, client) clients;
	size_t n_clients; /* of that list */
	atomic_bool stops;
	int stop_fd; /* eventfd: wakes the thread, which reads `stops` */
	pthread_t thread;
};

static uint64_t now_ns(const struct metrics_server *server)
{
	return server->source.now_ns ? server->source.now_ns() : monotonic_ns();
}

static void shut_client(struct metrics_server *server, struct client *client)
{
	TAILQ_REMOVE(&server->clients, client, link);
	server->n_clients--;
	client->shut = true;
	shutdown(client->fd, SHUT_RDWR);
}

static void begin_wait(struct metrics_server *server, struct client *client)
{
	client->since_ns = now_ns(server);
	TAILQ_INSERT_TAIL(&server->clients, client, link);
}

/* Closes connections whose time is over. Returns the ms until the next one, or -1. */
static int dismiss_late(struct metrics_server *server)
{
	uint64_t now = now_ns(server);
	struct client *first;

	while ((first = TAILQ_FIRST(&server->clients)) != NULL) {
		uint64_t end_ns = first->since_ns + PATIENCE_NS;

		if (server->n_clients <= CLIENTS_KEPT && end_ns > now)
			return (int)((end_ns - now) / NS_PER_MS) + 1;
		shut_client(server, first);
	}
	return -1;
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	struct metrics_server *server = arg;
	struct client *client = *context;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		client = xcalloc(1, sizeof(*client));
		client->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
				     ->connect_fd;
		begin_wait(server, client);
		server->n_clients++;
		*context = client;
	} else {
		if (!client->shut) {
			TAILQ_REMOVE(&server->clients, client, link);
			server->n_clients--;
		}
		free(client);
		*context = NULL;
	}
}

static void on_answered(void *arg, struct MHD_Connection *connection, void **context,
			enum MHD_RequestTerminationCode how)
{
	struct client *client =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
			->socket_context;
	struct metrics_server *server = arg;

	(void)context;
	if (how != MHD_REQUEST_TERMINATED_COMPLETED_OK || !client || client->shut)
		return;
	TAILQ_REMOVE(&server->clients, client, link);
	begin_wait(server, client);
}

/* Takes ownership of the response. */
static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, const char *type,
			      struct MHD_Response *response)
{
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	enum MHD_Result queued = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return queued;
}

static enum MHD_Result answer_line(struct MHD_Connection *connection, unsigned status,
				   const char *text)
{
	/* A copy, because the argument of libmicrohttpd is not const. */
	char *bytes = xstrdup(text);

	return answer(connection, status, "text/plain; charset=utf-8",
		      MHD_create_response_from_buffer(strlen(bytes), bytes, MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result answer_metrics(struct metrics_server *server,
				      struct MHD_Connection *connection)
{
	enum metrics_export_dialect dialect = accept_header_dialect(
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT));
	size_t size;
	char *text = server->source.text(server->source.arg, dialect, &size);

	return answer(connection, MHD_HTTP_OK, accept_header_type(dialect),
		      MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result note_body_header(void *arg, enum MHD_ValueKind kind, const char *name,
					const char *value)
{
	bool *found = arg;

	(void)kind;
	if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0 ||
	    (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0 &&
	     (!value || strcmp(value, "0") != 0)))
		*found = true;
	return MHD_YES;
}

/* Whether a header announces a body. libmicrohttpd reads only the first of several such headers. */
static bool has_body(struct MHD_Connection *connection)
{
	bool found = false;

	MHD_get_connection_values(connection, MHD_HEADER_KIND, note_body_header, &found);
	return found;
}

struct host_headers {
	const char *last;
	unsigned n;
};

static enum MHD_Result note_host(void *arg, enum MHD_ValueKind kind, const char *name,
				 const char *value)
{
	struct host_headers *headers = arg;

	(void)kind;
	if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) {
		headers->last = value ? value : "";
		headers->n++;
	}
	return MHD_YES;
}

struct refusal {
	unsigned status;
	const char *text;
};

/*
 * Returns the reason why the Host headers forbid an answer; NULL: they allow it. A request must
 * have one (RFC 9112, 3.2). A request of HTTP/1.0 may have none: browsers send no such requests, so
 * no web page can read the answer (host_header.h).
 */
static const struct refusal *refusal_by_host(const struct host_names *hosts,
					     struct MHD_Connection *connection, const char *version)
{
	static const struct refusal not_one = {MHD_HTTP_BAD_REQUEST,
					       "A request needs one Host header.\n"};
	static const struct refusal not_ours = {
		MHD_HTTP_MISDIRECTED_REQUEST, "Host: not a name of this machine. Use its address, "
					      "or start pmctop with --listen-name NAME.\n"};
	struct host_headers headers = {0};

	MHD_get_connection_values(connection, MHD_HEADER_KIND, note_host, &headers);
	if (headers.n == 0 && strcmp(version, MHD_HTTP_VERSION_1_0) == 0)
		return NULL;
	if (headers.n != 1)
		return &not_one;
	return !hosts || host_header_is_ours(headers.last, hosts) ? NULL : &not_ours;
}

/* Paths are compared as they were sent: a decoded %00 would end one too early. */
static size_t keep_escapes(void *arg, struct MHD_Connection *connection, char *text)
{
	(void)arg, (void)connection;
	return strlen(text);
}

/*
 * Called after the headers of a request, and again after its end. An answer in the first call
 * closes the connection without reading the rest, so only refusals are sent there.
 */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *path,
				  const char *method, const char *version, const char *body,
				  size_t *body_size, void **context)
{
	struct metrics_server *server = arg;

	(void)body;
	if (!*context) {
		*context = server;
		const struct refusal *refusal =
			refusal_by_host(server->source.hosts, connection, version);
		if (refusal)
			return answer_line(connection, refusal->status, refusal->text);
		if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
		    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
			return answer_line(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
					   "Only GET and HEAD are answered here.\n");
		if (has_body(connection))
			return answer_line(connection, 413, "A request must not have a body.\n");
		return MHD_YES;
	}
	if (*body_size > 0)
		return MHD_NO;
	if (strcmp(path, "/metrics") == 0)
		return answer_metrics(server, connection);
	if (strcmp(path, "/") == 0)
		return answer_line(connection, MHD_HTTP_OK,
				   "pmctop: hardware performance counters, for Prometheus.\n"
				   "They are at /metrics.\n");
	return answer_line(connection, MHD_HTTP_NOT_FOUND,
			   "Not found. The metrics are at /metrics.\n");
}

/* Milliseconds that the thread may wait: at most a second, so that it stops if nothing wakes it. */
static int patience_ms(struct metrics_server *server)
{
	int late_ms = dismiss_late(server), ms = WAIT_MOST_MS;
	MHD_UNSIGNED_LONG_LONG library_ms;

	if (late_ms >= 0 && late_ms < ms)
		ms = late_ms;
	if (MHD_get_timeout(server->daemon, &library_ms) == MHD_YES && library_ms < (unsigned)ms)
		ms = (int)library_ms;
	return ms;
}

static void *serve_clients(void *arg)
{
	struct metrics_server *server = arg;
	struct pollfd fds[] = {
		{.fd = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
		 .events = POLLIN},
		{.fd = server->stop_fd, .events = POLLIN},
	};

	while (!atomic_load(&server->stops)) {
		MHD_run(server->daemon);
		if (poll(fds, ARRAY_SIZE(fds), patience_ms(server)) < 0)
			nanosleep(&(struct timespec){.tv_nsec = FAILED_WAIT_NS}, NULL);
	}
	return NULL;
}

/* If this succeeds, libmicrohttpd owns the socket. */
static struct MHD_Daemon *start_daemon(struct metrics_server *server, int fd)
{
	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, server,
				MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
				(unsigned)METRICS_SERVER_CLIENTS,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CLIENT_BYTES,
				MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
				MHD_OPTION_NOTIFY_CONNECTION, on_connection, server,
				MHD_OPTION_NOTIFY_COMPLETED, on_answered, server, MHD_OPTION_END);
}

bool metrics_server_is_built(void)
{
	return true;
}

int metrics_server_start(struct listen_address *address, const struct metrics_source *source,
			 struct metrics_server **out, struct error *err)
{
	struct metrics_server *server = xcalloc(1, sizeof(*server));
	int fd, code;

	TAILQ_INIT(&server->clients);
	server->source = *source;
	server->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (server->stop_fd < 0) {
		code = error_set_no_descriptor(err, -errno);
		goto fail_fd;
	}
	code = listen_address_open(address, &fd, err);
	if (code)
		goto fail_listen;
	server->daemon = start_daemon(server, fd);
	if (!server->daemon) {
		close(fd);
		code = error_set(
			err, -EMFILE,
			"The HTTP server has no memory or no file descriptor left. Raise the "
			"limit: ulimit -n");
		goto fail_listen;
	}
	code = thread_start(&server->thread, serve_clients, server);
	if (code) {
		error_set_not_started(err, code, "The HTTP server's thread");
		goto fail_thread;
	}
	*out = server;
	return 0;

fail_thread:
	MHD_stop_daemon(server->daemon);
fail_listen:
	close(server->stop_fd);
fail_fd:
	free(server);
	*out = NULL;
	return code;
}

void metrics_server_stop(struct metrics_server *server)
{
	if (!server)
		return;
	atomic_store(&server->stops, true);
	ssize_t ignored = write(server->stop_fd, &(uint64_t){1}, sizeof(uint64_t));
	(void)ignored;
	pthread_join(server->thread, NULL);
	MHD_stop_daemon(server->daemon);
	close(server->stop_fd);
	free(server);
}
