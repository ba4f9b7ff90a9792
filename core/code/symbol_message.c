// SPDX-License-Identifier: MIT
/* Separate from symbol_client.c, which needs a process: tests/fuzz/fuzz_symbol_reply.c. */
#include "core/code/symbol_message.h"

#include "core/code/symbol_client.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* With a right to write, the parser could write into the file. */
static bool is_readable_file(int fd)
{
	struct stat stat;
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY && fstat(fd, &stat) == 0 &&
	       S_ISREG(stat.st_mode);
}

int symbol_message_give(int socket, uint64_t key, int binary, int debug)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = {0};
	const int fds[] = {binary, debug};
	size_t n = debug >= 0 ? 2 : 1;
	struct symbol_request request = {.kind = SYMBOL_ADD, .n = (uint32_t)n, .key = key};
	struct iovec part = {&request, symbol_request_bytes(SYMBOL_ADD, 0)};
	const struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(n * sizeof(int)),
	};

	if (!is_readable_file(binary) || (debug >= 0 && !is_readable_file(debug)))
		return -EINVAL;
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(&control.header), fds, n * sizeof(int));
	return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -EAGAIN : 0;
}

bool symbol_reply_answers(const void *message, size_t n, uint32_t queries,
			  void (*fn)(void *arg, const struct symbol_answer *answer,
				     const char *name),
			  void *arg)
{
	const uint8_t *bytes = message;
	struct symbol_answer answer;
	struct symbol_reply reply;
	char name[SYMBOL_NAME_BYTES];
	size_t at = sizeof(reply);

	if (n < sizeof(reply))
		return false;
	memcpy(&reply, bytes, sizeof(reply));
	for (uint32_t i = 0; i < reply.n; i++) {
		if (n - at < sizeof(answer))
			return false;
		memcpy(&answer, bytes + at, sizeof(answer));
		at += sizeof(answer);
		if (answer.name_bytes >= sizeof(name) || n - at < answer.name_bytes ||
		    answer.query >= queries)
			return false;
		memcpy(name, bytes + at, answer.name_bytes);
		name[answer.name_bytes] = '\0';
		at += answer.name_bytes;
		fn(arg, &answer, name);
	}
	return at == n;
}
