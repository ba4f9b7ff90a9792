// SPDX-License-Identifier: MIT
/*
 * Any text as /etc/passwd, and another one at the next read. Each uid has a name that fits, or its
 * number.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/util.h"
#include "core/sys/users.h"

struct machine {
	char *passwd[2]; /* before and after the change */
	uint64_t now_ns;
};

static ssize_t file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	const struct machine *machine = ctx;

	(void)path;
	return (ssize_t)text_copy(buffer, size, machine->passwd[machine->now_ns > 0]);
}

static uint64_t now_ns(void *ctx)
{
	const struct machine *machine = ctx;

	return machine->now_ns;
}

static const struct sys_ops ops = {.file_read = file_read, .now_ns = now_ns};

/* Whether a line is NAME:...UID...: an independent check, which parses less than users.c. */
static bool has_line(const char *passwd, const char *name, const char *number)
{
	size_t length = strlen(name);

	for (const char *line = passwd, *end; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (strncmp(line, name, length) == 0 &&
		    memmem(line, (size_t)(end - line), number, strlen(number)))
			return true;
	}
	return false;
}

static void check_names(struct users *users, const struct machine *machine)
{
	static const uid_t uids[] = {0, 1, 7, 1000, 65534, (uid_t)-2};
	char name[24], number[24], small[2];

	for (size_t i = 0; i < ARRAY_SIZE(uids); i++) {
		users_name(users, uids[i], name, sizeof(name));
		users_name(users, uids[i], small, sizeof(small));
		snprintf(number, sizeof(number), "%u", uids[i]);
		fuzz_check(name[0] && small[0] == name[0] && !small[1], "a name fits");
		fuzz_check(!strcmp(name, number) || has_line(machine->passwd[0], name, number) ||
				   has_line(machine->passwd[1], name, number),
			   "a name and its number are in one line");
	}
	users_name(users, (uid_t)-1, name, sizeof(name));
	fuzz_check(!name[0], "-1 has no name");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	struct machine machine = {{fuzz_text(&bytes), fuzz_text(&bytes)}, 0};
	const struct sys sys = {.ops = &ops, .ctx = &machine};
	struct users *users = users_new(&sys);

	check_names(users, &machine);
	machine.now_ns = 11 * NS_PER_S;
	check_names(users, &machine);
	users_free(users);
	free(machine.passwd[0]);
	free(machine.passwd[1]);
	return 0;
}
