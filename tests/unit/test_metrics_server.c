// SPDX-License-Identifier: MIT
/* The server over real sockets on loopback, with a text of the test's own. */
#include "core/metrics_server.h"

#include "core/util.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { SECOND_MS = 1000, LONG_MS = 60 * SECOND_MS };

static atomic_uint asked;

static char *text_of(void *arg, enum exposition_dialect dialect, size_t *size)
{
	const char *text = dialect == EXPOSITION_OPENMETRICS ? "open 1\n# EOF\n" : "old 1\n";

	atomic_fetch_add(&asked, 1);
	(void)arg;
	*size = strlen(text);
	return xstrdup(text);
}

static const struct metrics_source source = {.text = text_of};

struct served {
	struct metrics_server *server;
	struct listen_address address;
};

static int begin(void **state)
{
	struct served *served = calloc(1, sizeof(*served));
	struct error err = {0};

	*state = served;
	if (listen_address_parse(":0", &served->address, &err))
		return -1;
	return metrics_server_start(&served->address, &source, &served->server, &err);
}

static int end(void **state)
{
	struct served *served = *state;

	metrics_server_stop(served->server);
	free(served);
	return 0;
}

static int connect_to(const struct served *served)
{
	int fd = socket(served->address.where.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(
		connect(fd, (const struct sockaddr *)&served->address.where, served->address.size),
		0);
	return fd;
}

static void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* All that comes until the other side closes, or there is `until`. */
static void hear(int fd, const char *until, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	while (n + 1 < size && !(until && strstr(text, until))) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};

		assert_int_equal(poll(&ready, 1, LONG_MS), 1);
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
		 "no body"},
		{"a body without an end",
		 "GET /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", " 413 ",
		 "no body"},
	};
	char text[4096];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int fd = connect_to(*state);

		print_message("# %s\n", rows[i].name);
		say(fd, rows[i].request);
		hear(fd, NULL, text, sizeof(text));
		assert_non_null(strstr(text, rows[i].want));
		assert_non_null(strstr(text, rows[i].want_too));
		close(fd);
	}
}

static void head(void **state)
{
	char text[4096];
	int fd = connect_to(*state);

	say(fd, "HEAD /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	hear(fd, NULL, text, sizeof(text));
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
		say(fd, one);
	say(fd, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	hear(fd, NULL, text, sizeof(text));
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
			say(fd, "GET /metrics HTTP/1.1\r\n");
		for (size_t k = 0; k < rows[i].times; k++)
			if (send(fd, rows[i].bytes, strlen(rows[i].bytes), MSG_NOSIGNAL) < 0)
				break; /* it was closed */
		shutdown(fd, SHUT_WR);
		hear(fd, NULL, text, sizeof(text));
		assert_null(strstr(text, " 200 "));
		close(fd);
	}
}

/* Whether the other side has closed it. */
static bool is_closed(int fd, int wait_ms)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	char byte;

	return poll(&ready, 1, wait_ms) == 1 && recv(fd, &byte, 1, 0) <= 0;
}

/* Hundreds who say half a word and wait: whoever comes with a request is served at once. */
static void crowd(void **state)
{
	enum { CROWD = 300 };
	int fds[CROWD];
	char text[4096];
	struct timespec began, now;

	for (size_t i = 0; i < CROWD; i++) {
		clock_gettime(CLOCK_MONOTONIC, &began);
		fds[i] = connect_to(*state);
		(void)!send(fds[i], "GET /met", 8, MSG_NOSIGNAL);
	}
	int fd = connect_to(*state);
	say(fd, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
	hear(fd, "old 1\n", text, sizeof(text));
	assert_non_null(strstr(text, " 200 OK\r\n"));
	close(fd);

	/* The first were the first to go, and the last is there, if it was not too long ago. */
	for (size_t i = 0; i < CROWD - METRICS_SERVER_CLIENTS; i++)
		assert_true(is_closed(fds[i], LONG_MS));
	bool closed = is_closed(fds[CROWD - 1], 0);
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert_true(!closed || now.tv_sec - began.tv_sec >= METRICS_SERVER_PATIENCE_S);
	for (size_t i = 0; i < CROWD; i++)
		close(fds[i]);
}

/* The connection is the same, however many come and wait meanwhile. */
static void kept(void **state)
{
	int idle[METRICS_SERVER_CLIENTS];
	char text[4096];
	int fd = connect_to(*state);

	for (size_t i = 0; i < ARRAY_SIZE(idle); i++) {
		say(fd, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
		hear(fd, "old 1\n", text, sizeof(text));
		assert_non_null(strstr(text, " 200 OK\r\n"));
		idle[i] = connect_to(*state);
	}
	for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
		close(idle[i]);
	close(fd);
}

static void in_use(void **state)
{
	struct served *first = *state;
	struct listen_address address = first->address;
	struct metrics_server *second;
	struct error err;

	assert_int_equal(metrics_server_start(&address, &source, &second, &err), -EADDRINUSE);
	assert_null(second);
	assert_non_null(strstr(err.text, "name another port"));
	metrics_server_stop(second);
}

/* Stops with connections that wait, and with one that reads nothing of what it asked for. */
static void stopped(void **state)
{
	struct served *served = *state;
	char text[4096];
	int fd = connect_to(served), waiting = connect_to(served);

	say(fd, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
	hear(fd, "old 1\n", text, sizeof(text));
	say(waiting, "GET /");
	metrics_server_stop(served->server);
	served->server = NULL;
	unsigned before = atomic_load(&asked);
	assert_true(is_closed(fd, LONG_MS));
	assert_true(is_closed(waiting, LONG_MS));
	assert_int_equal(before, atomic_load(&asked));
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
		cmocka_unit_test_setup_teardown(requests, begin, end),
		cmocka_unit_test_setup_teardown(head, begin, end),
		cmocka_unit_test_setup_teardown(pipelined, begin, end),
		cmocka_unit_test_setup_teardown(rubbish, begin, end),
		cmocka_unit_test_setup_teardown(crowd, begin, end),
		cmocka_unit_test_setup_teardown(kept, begin, end),
		cmocka_unit_test_setup_teardown(in_use, begin, end),
		cmocka_unit_test_setup_teardown(stopped, begin, end),
	};
	const struct CMUnitTest without[] = {
		cmocka_unit_test(not_built),
	};

	if (!metrics_server_is_built())
		return cmocka_run_group_tests(without, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
