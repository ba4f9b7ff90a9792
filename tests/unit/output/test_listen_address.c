// SPDX-License-Identifier: MIT
/* Addresses of --listen, and their errors. */
#include "core/output/listen_address.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void parsed(void **state)
{
	static const struct {
		const char *text, *want; /* an address, or a part of the sentence */
		bool refused;
	} rows[] = {
		{"9105", "127.0.0.1:9105"},
		{":9105", "127.0.0.1:9105"},
		{"0", "127.0.0.1:0"},
		{"localhost:9105", "127.0.0.1:9105"},
		{"127.0.0.1:9105", "127.0.0.1:9105"},
		{"0.0.0.0:80", "0.0.0.0:80"},
		{"192.0.2.7:65535", "192.0.2.7:65535"},
		{"[::1]:9105", "[::1]:9105"},
		{"[::]:0", "[::]:0"},
		{"[2001:db8:0:0::7]:9105", "[2001:db8::7]:9105"},
		{"[::ffff:192.0.2.7]:1", "[::ffff:192.0.2.7]:1"},
		{"", "a port is a number", true},
		{":", "a port is a number", true},
		{"127.0.0.1:", "a port is a number", true},
		{"127.0.0.1", "has no port", true},
		{"[::1]", "has no port", true},
		{"box", "has no port", true},
		{"65536", "from 1 to 65535", true},
		{"18446744073709551617", "from 1 to 65535", true},
		{":+80", "a port is a number", true},
		{": 80", "a port is a number", true},
		{":80x", "a port is a number", true},
		{":http", "a port is a number", true},
		{"box:9105", "host names are not resolved", true},
		{"127.0.0.256:9105", "host names are not resolved", true},
		{"127.1:9105", "host names are not resolved", true},
		{"[]:9105", "host names are not resolved", true},
		{"[:9105", "host names are not resolved", true},
		{"]:9105", "host names are not resolved", true},
		{"[127.0.0.1]:9105", "host names are not resolved", true},
		{"http://127.0.0.1:9105", "brackets", true},
		{"::1:9105", "in brackets, as in", true},
		{"*:9105", "write 0.0.0.0", true},
		{"2001:0db8:0000:0000:0000:0000:0000:0000:0000:0007:9105", "names are not", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct listen_address address;
		char text[LISTEN_ADDRESS_TEXT];
		struct error err = {0};
		int rc = listen_address_parse(rows[i].text, &address, &err);

		print_message("# '%s': %s\n", rows[i].text, err.text);
		if (rows[i].refused) {
			assert_int_equal(rc, -EINVAL);
			assert_non_null(strstr(err.text, rows[i].want));
			continue;
		}
		assert_int_equal(rc, 0);
		listen_address_text(&address, text);
		assert_string_equal(text, rows[i].want);
	}
}

static void loopbacks(void **state)
{
	static const struct {
		const char *text;
		bool loopback;
	} rows[] = {
		{"9105", true},
		{"127.0.0.1:1", true},
		{"127.8.9.10:1", true},
		{"[::1]:1", true},
		{"[::ffff:127.0.0.1]:1", true},
		{"0.0.0.0:1", false},
		{"[::]:1", false},
		{"128.0.0.1:1", false},
		{"192.0.2.7:1", false},
		{"[2001:db8::7]:1", false},
		{"[::ffff:192.0.2.7]:1", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct listen_address address;
		struct error err;

		print_message("# '%s'\n", rows[i].text);
		assert_int_equal(listen_address_parse(rows[i].text, &address, &err), 0);
		assert_int_equal(listen_address_is_loopback(&address), rows[i].loopback);
	}
}

static int open_text(const char *text, struct listen_address *address, int *fd, struct error *err)
{
	assert_int_equal(listen_address_parse(text, address, err), 0);
	return listen_address_open(address, fd, err);
}

static void any_port(void **state)
{
	struct listen_address address;
	char text[LISTEN_ADDRESS_TEXT];
	struct error err;
	int fd, second;

	(void)state;
	if (open_text(":0", &address, &fd, &err) < 0) {
		print_message("# skipped: there is no loopback: %s\n", err.text);
		skip();
	}
	listen_address_text(&address, text);
	assert_memory_equal(text, "127.0.0.1:", 10);
	assert_string_not_equal(text, "127.0.0.1:0");

	assert_int_equal(open_text(text, &address, &second, &err), -EADDRINUSE);
	assert_non_null(strstr(err.text, text));
	assert_non_null(strstr(err.text, "ss -ltnp"));
	close(fd);
	int again = -EADDRINUSE;
	/* Another process may bind the port meanwhile: then another one. */
	for (int i = 0; i < 10 && again == -EADDRINUSE; i++) {
		again = open_text(text, &address, &fd, &err);
		if (again == 0 || open_text(":0", &address, &fd, &err) < 0)
			break;
		listen_address_text(&address, text);
		close(fd);
	}
	assert_int_equal(again, 0);
	close(fd);
}

static void not_ours(void **state)
{
	struct listen_address address;
	struct error err;
	int fd;

	(void)state;
	int rc = open_text("192.0.2.7:0", &address, &fd, &err);
	if (rc == 0) {
		close(fd);
		print_message("# skipped: any address can be listened on here\n");
		skip();
	}
	assert_int_equal(rc, -EADDRNOTAVAIL);
	assert_non_null(strstr(err.text, "192.0.2.7:0 is not an address of this machine"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsed),
		cmocka_unit_test(loopbacks),
		cmocka_unit_test(any_port),
		cmocka_unit_test(not_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
