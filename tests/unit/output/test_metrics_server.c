// SPDX-License-Identifier: MIT
/*
 * The server over sockets that need no network, with a text and a clock of the test's own. What a
 * test waits for it waits for without a limit.
 */
#include "core/output/metrics_server.h"

#include "core/base/util.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

enum { CROWD = 300, FDS_NEEDED = CROWD + METRICS_SERVER_CLIENTS + 32 };

static atomic_uint requested;
static _Atomic uint64_t clock_ns = NS_PER_S;

static uint64_t clock_now(void)
{
	return atomic_load(&clock_ns);
}

static char *text_of(void *arg, enum metrics_export_dialect dialect, size_t *size)
{
	const char *text = dialect == METRICS_EXPORT_OPENMETRICS ? "open 1\n# EOF\n" : "old 1\n";

	atomic_fetch_add(&requested, 1);
	(void)arg;
	*size = strlen(text);
	return xstrdup(text);
}

static const struct metrics_source source = {.text = text_of, .now_ns = clock_now};

struct served {
	struct metrics_server *server;
	struct listen_address address;
	char directory[32];
};

/* Of a Unix socket, which is a file. */
static const char *path_of(const struct served *served)
{
	return ((const struct sockaddr_un *)&served->address.where)->sun_path;
}

static int start_server_with(void **state, const struct metrics_source *with)
{
	struct served *served = xcalloc(1, sizeof(*served));
	struct sockaddr_un *where = (struct sockaddr_un *)&served->address.where;
	struct error err = {0};

	*state = served;
	text_copy(served->directory, sizeof(served->directory), "/tmp/pmctop-served-XXXXXX");
	if (!mkdtemp(served->directory))
		return -1;
	where->sun_family = AF_UNIX;
	snprintf(where->sun_path, sizeof(where->sun_path), "%s/socket", served->directory);
	served->address.size = sizeof(*where);
	return metrics_server_start(&served->address, with, &served->server, &err);
}

static int start_server(void **state)
{
	return start_server_with(state, &source);
}

/* As on a loopback address. */
static int start_guarded_server(void **state)
{
	static const struct host_names names = {.own = "box"};
	struct metrics_source guarded = source;

	guarded.hosts = &names;
	return start_server_with(state, &guarded);
}

static int stop_server(void **state)
{
	struct served *served = *state;

	metrics_server_stop(served->server);
	unlink(path_of(served));
	rmdir(served->directory);
	free(served);
	return 0;
}

/* -1: there is no way there. */
static int try_to_connect(const struct served *served)
{
	int fd = socket(served->address.where.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	if (connect(fd, (const struct sockaddr *)&served->address.where, served->address.size) == 0)
		return fd;
	close(fd);
	return -1;
}

static int connect_to(const struct served *served)
{
	int fd = try_to_connect(served);

	assert_true(fd >= 0);
	return fd;
}

static void send_text(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* All that comes until the other side closes, or there is `until`. */
static void receive_text(int fd, const char *until, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	while (n + 1 < size && !(until && strstr(text, until))) {
		ssize_t got = recv(fd, text + n, size - 1 - n, 0);
		if (got <= 0)
			break; /* it may be reset */
		n += (size_t)got;
		text[n] = '\0';
	}
}

static void requests(void **state)
{
	static const struct {
		const char *name, *request, *want, *want_too;
	} rows[] = {
		{"metrics", "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		 "HTTP/1.1 200 OK\r\n", "\r\n\r\nold 1\n"},
		{"with a query",
		 "GET /metrics?a=b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		 "HTTP/1.1 200 OK\r\n", "text/plain; version=0.0.4; charset=utf-8\r\n"},
		{"OpenMetrics",
		 "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: application/openmetrics-text\r\n"
		 "Connection: close\r\n\r\n",
		 "application/openmetrics-text; version=1.0.0; charset=utf-8\r\n",
		 "\r\n\r\nopen 1\n# EOF\n"},
		{"HTTP/1.0", "GET /metrics HTTP/1.0\r\n\r\n", " 200 OK\r\n", "\r\n\r\nold 1\n"},
		{"the way there", "GET / HTTP/1.0\r\n\r\n", " 200 OK\r\n", "at /metrics.\n"},
		{"elsewhere", "GET /favicon.ico HTTP/1.0\r\n\r\n", " 404 ", "at /metrics.\n"},
		{"up and down", "GET /../metrics HTTP/1.0\r\n\r\n", " 404 ", "at /metrics.\n"},
		{"what is not done", "POST /metrics HTTP/1.0\r\nContent-Length: 99\r\n\r\n",
		 " 405 ", "Allow: GET, HEAD\r\n"},
		{"nor this", "BREW / HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "Only GET and HEAD"},
		{"a body", "GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n", " 413 ",
		 "must not have a body"},
		{"no Host", "GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n", " 400 ", "Host"},
		{"two of them",
		 "GET /metrics HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n",
		 " 400 ", "Host"},
		{"a body without an end",
		 "GET /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", " 413 ",
		 "must not have a body"},
	};
	char text[4096];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int fd = connect_to(*state);

		print_message("# %s\n", rows[i].name);
		send_text(fd, rows[i].request);
		receive_text(fd, NULL, text, sizeof(text));
		assert_non_null(strstr(text, rows[i].want));
		assert_non_null(strstr(text, rows[i].want_too));
		close(fd);
	}
}

static void hosts(void **state)
{
	static const struct {
		const char *name, *request, *want, *want_too;
	} rows[] = {
		{"ours", "GET /metrics HTTP/1.1\r\nHost: Box:80\r\nConnection: close\r\n\r\n",
		 " 200 OK\r\n", "\r\n\r\nold 1\n"},
		{"a page's", "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", " 421 ",
		 "--listen-name NAME.\n"},
		{"of any path", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", " 421 ", ""},
		{"of any method", "POST / HTTP/1.1\r\nHost: evil.example\r\n\r\n", " 421 ", ""},
		{"an empty one", "GET /metrics HTTP/1.1\r\nHost:\r\n\r\n", " 421 ", ""},
		{"one of two, then ours",
		 "GET /metrics HTTP/1.1\r\nHost: evil.example\r\nHost: box\r\n\r\n", " 400 ",
		 "Host"},
		{"ours, then another",
		 "GET /metrics HTTP/1.1\r\nHost: box\r\nhost: evil.example\r\n\r\n", " 400 ",
		 "Host"},
		{"twice ours", "GET /metrics HTTP/1.1\r\nHost: box\r\nHost: box\r\n\r\n", " 400 ",
		 "Host"},
		{"none in HTTP/1.1", "GET /metrics HTTP/1.1\r\nAccept: */*\r\n\r\n", " 400 ",
		 "Host"},
		{"none in HTTP/1.0", "GET /metrics HTTP/1.0\r\n\r\n", " 200 OK\r\n",
		 "\r\n\r\nold 1\n"},
		{"a page's in HTTP/1.0", "GET /metrics HTTP/1.0\r\nHost: evil.example\r\n\r\n",
		 " 421 ", ""},
	};
	char text[4096];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int fd = connect_to(*state);

		send_text(fd, rows[i].request);
		receive_text(fd, NULL, text, sizeof(text));
		if (!strstr(text, rows[i].want) || !strstr(text, rows[i].want_too))
			fail_msg("%s: %s", rows[i].name, text);
		close(fd);
	}
}

static void head(void **state)
{
	char text[4096];
	int fd = connect_to(*state);

	send_text(fd, "HEAD /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	receive_text(fd, NULL, text, sizeof(text));
	assert_non_null(strstr(text, " 200 OK\r\n"));
	assert_non_null(strstr(text, "Content-Length: 6\r\n"));
	assert_null(strstr(text, "old"));
	close(fd);
}

/* One behind the other, before the first answer was read. */
static void pipelined(void **state)
{
	static const char one[] = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
	char text[8192], *at = text;
	int fd = connect_to(*state);

	for (int i = 0; i < 9; i++)
		send_text(fd, one);
	send_text(fd, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	receive_text(fd, NULL, text, sizeof(text));
	for (int i = 0; i < 9; i++) {
		at = strstr(at, "\r\n\r\nold 1\n");
		assert_non_null(at);
		at++;
	}
	assert_non_null(strstr(at, "They are at"));
	close(fd);
}

static void rubbish(void **state)
{
	static const struct {
		const char *name, *bytes;
		size_t times;
	} rows[] = {
		{"no HTTP", "\x16\x03\x01\x02\r\n\r\n", 1},
		{"a line that does not end", "GET /aaaaaaaaaaaaaaaa", 4096},
		{"a head that does not end",
		 "X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n", 4096},
		{"control characters", "\x01\x01\x01\x01\r\n", 4096},
	};
	char text[4096];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int fd = connect_to(*state);

		print_message("# %s\n", rows[i].name);
		if (rows[i].bytes[0] == 'X')
			send_text(fd, "GET /metrics HTTP/1.1\r\n");
		for (size_t k = 0; k < rows[i].times; k++)
			if (send(fd, rows[i].bytes, strlen(rows[i].bytes), MSG_NOSIGNAL) < 0)
				break; /* it was closed */
		shutdown(fd, SHUT_WR);
		receive_text(fd, NULL, text, sizeof(text));
		assert_null(strstr(text, " 200 "));
		close(fd);
	}
}

static void await_closed(int fd)
{
	char byte;

	while (recv(fd, &byte, 1, 0) > 0)
		;
}

/* Whether the other side has closed it by now. */
static bool is_closed(int fd)
{
	char byte;
	ssize_t got = recv(fd, &byte, 1, MSG_DONTWAIT);

	return got == 0 || (got < 0 && errno != EAGAIN);
}

static void get_metrics(int fd)
{
	char text[4096];

	send_text(fd, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
	receive_text(fd, "old 1\n", text, sizeof(text));
	assert_non_null(strstr(text, " 200 OK\r\n"));
}

/* Skips the test where so many descriptors may not be open. */
static void need_descriptors(void)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_max < FDS_NEEDED) {
		print_message("# skipped: %d open files are needed\n", FDS_NEEDED);
		skip();
	}
	if (limit.rlim_cur < FDS_NEEDED) {
		limit.rlim_cur = FDS_NEEDED;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	}
}

/* Hundreds of clients send half a request and wait: a complete request is answered at once. */
static void crowd(void **state)
{
	int fds[CROWD];

	need_descriptors();
	for (size_t i = 0; i < CROWD; i++) {
		fds[i] = connect_to(*state);
		(void)!send(fds[i], "GET /met", 8, MSG_NOSIGNAL);
	}
	int fd = connect_to(*state);
	get_metrics(fd);
	close(fd);

	/* The first were the first to go, and the last is there: no time has passed. */
	for (size_t i = 0; i < CROWD - METRICS_SERVER_CLIENTS; i++)
		await_closed(fds[i]);
	assert_false(is_closed(fds[CROWD - 1]));
	for (size_t i = 0; i < CROWD; i++)
		close(fds[i]);
}

/* A client that begins a request and does not end it goes when its time is over, and not before. */
static void patience(void **state)
{
	int slow = connect_to(*state), other = connect_to(*state);

	get_metrics(slow);
	send_text(slow, "GET /met");
	get_metrics(other); /* the previous answer is done, and its time read */
	atomic_fetch_add(&clock_ns, METRICS_SERVER_PATIENCE_S * NS_PER_S - 1);
	get_metrics(other);
	get_metrics(other); /* the server has read its clock */
	assert_false(is_closed(slow));
	atomic_fetch_add(&clock_ns, 1);
	get_metrics(other); /* wakes the server */
	await_closed(slow);
	get_metrics(other);
	close(slow);
	close(other);
}

/* The connection is the same, however many come and wait meanwhile. */
static void kept(void **state)
{
	int idle[METRICS_SERVER_CLIENTS];

	need_descriptors();
	int fd = connect_to(*state);
	for (size_t i = 0; i < ARRAY_SIZE(idle); i++) {
		get_metrics(fd);
		idle[i] = connect_to(*state);
	}
	for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
		close(idle[i]);
	close(fd);
}

/* Loopback, where there is one: a new network namespace has it down. */
static void over_loopback(void **state)
{
	struct metrics_server *second;
	struct served served = {0};
	struct error err;

	(void)state;
	assert_int_equal(listen_address_parse(":0", &served.address, &err), 0);
	int rc = metrics_server_start(&served.address, &source, &served.server, &err);
	int fd = rc ? -1 : try_to_connect(&served);
	if (fd < 0) {
		print_message("# skipped: there is no loopback\n");
		metrics_server_stop(served.server);
		skip();
	}
	get_metrics(fd);
	close(fd);
	struct listen_address address = served.address;
	assert_int_equal(metrics_server_start(&address, &source, &second, &err), -EADDRINUSE);
	assert_null(second);
	assert_non_null(strstr(err.text, "Choose another port"));
	metrics_server_stop(second);
	metrics_server_stop(served.server);
}

/* Stops with connections that wait, and with one that does not read its answer. */
static void stopped(void **state)
{
	struct served *served = *state;
	int fd = connect_to(served), waiting = connect_to(served);

	get_metrics(fd);
	send_text(waiting, "GET /");
	metrics_server_stop(served->server);
	served->server = NULL;
	unsigned before = atomic_load(&requested);
	await_closed(fd);
	await_closed(waiting);
	assert_int_equal(before, atomic_load(&requested));
	close(fd);
	close(waiting);
}

static void not_built(void **state)
{
	struct listen_address address;
	struct metrics_server *server;
	struct error err;

	(void)state;
	assert_int_equal(listen_address_parse(":0", &address, &err), 0);
	assert_int_equal(metrics_server_start(&address, &source, &server, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "built without HTTP"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(requests, start_server, stop_server),
		cmocka_unit_test_setup_teardown(hosts, start_guarded_server, stop_server),
		cmocka_unit_test_setup_teardown(head, start_server, stop_server),
		cmocka_unit_test_setup_teardown(pipelined, start_server, stop_server),
		cmocka_unit_test_setup_teardown(rubbish, start_server, stop_server),
		cmocka_unit_test_setup_teardown(crowd, start_server, stop_server),
		cmocka_unit_test_setup_teardown(patience, start_server, stop_server),
		cmocka_unit_test_setup_teardown(kept, start_server, stop_server),
		cmocka_unit_test(over_loopback),
		cmocka_unit_test_setup_teardown(stopped, start_server, stop_server),
	};
	const struct CMUnitTest without[] = {
		cmocka_unit_test(not_built),
	};

	if (!metrics_server_is_built())
		return cmocka_run_group_tests(without, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
