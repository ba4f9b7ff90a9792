// SPDX-License-Identifier: MIT
/*
 * One request at a time. The answer is the last step of each: after it nothing is open, so a
 * process that answers does not hang.
 *
 * Any user can start this program by this name. Without no_new_privs, which its starter sets, it
 * would then have the capabilities that its file lends: such a process ends at once.
 */
#include "core/code/opener_worker.h"

#include "core/base/util.h"
#include "core/code/helper_process.h"
#include "core/code/opener_message.h"
#include "core/code/symbol_message.h"
#include "core/code/symbol_sandbox.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { DESCRIPTORS_MAX = 64 };

struct opener {
	struct sys sys;
	struct mapped_files *files; /* NULL: no configuration yet */
	char *symfs, *build_id_cache;
	int link; /* socket of the parser; -1: none */
	struct opener_request request;
	struct opener_reply reply;
};

static void send_reply(struct opener *opener, size_t n)
{
	opener->reply.id = opener->request.id;
	helper_process_send(&opener->reply, offsetof(struct opener_reply, bytes) + n);
}

static void clear_reply(struct opener *opener, uint32_t kind)
{
	memset(&opener->reply, 0, offsetof(struct opener_reply, bytes));
	opener->reply.kind = kind;
}

static void enter_stage(void *ctx, enum mapped_file_stage stage)
{
	struct opener *opener = ctx;

	clear_reply(opener, OPENER_STAGE);
	opener->reply.stage = stage;
	send_reply(opener, 0);
}

/* Copies one of the names, and returns what follows. */
static const char *copy_name(const char *at, bool has, char **name)
{
	*name = has ? xstrdup(at) : NULL;
	return at + strlen(at) + 1;
}

static void configure(struct opener *opener)
{
	const struct opener_request *request = &opener->request;
	const char *end = request->names + request->n, *at = request->names;

	if (opener->files || request->n < 2 || end[-1] != '\0' ||
	    at + strlen(at) + 1 >= end) /* two names */
		_exit(HELPER_BROKEN);
	at = copy_name(at, request->config.has_symfs, &opener->symfs);
	copy_name(at, request->config.has_cache, &opener->build_id_cache);
	opener->files = mapped_files_new(&(struct mapped_files_config){
		.sys = &opener->sys,
		.recording = request->config.recording,
		.random = request->config.random,
		.symfs = opener->symfs,
		.build_id_cache = opener->build_id_cache,
		.enter = enter_stage,
		.ctx = opener,
	});
}

static void open_file(struct opener *opener)
{
	const struct opener_request *request = &opener->request;
	struct code_object *object = xcalloc(1, sizeof(*object) + request->n);
	const struct code_mapping mapping = {
		.start = request->file.start,
		.end = request->file.end,
		.offset = request->file.offset,
		.object = object,
		.past = request->file.past,
	};
	struct mapped_file_descriptors opened;
	struct mapped_file found;
	bool given = false;

	if (request->n == 0 || request->names[request->n - 1] != '\0')
		_exit(HELPER_BROKEN);
	object->dev = request->file.dev;
	object->inode = request->file.inode;
	object->build_id = request->file.build_id;
	memcpy(object->name, request->names, request->n);
	int rc = mapped_files_open(opener->files, request->file.pid, &mapping,
				   request->file.skipped, &found, &opened);
	if (rc == 0 && opener->link >= 0)
		given = symbol_message_give(opener->link, found.key, opened.binary, opened.debug) ==
			0;
	mapped_files_close(opener->files, &opened);
	free(object);
	clear_reply(opener, OPENER_FOUND);
	opener->reply.error = rc;
	opener->reply.file.found = found;
	opener->reply.file.given = given;
	send_reply(opener, 0);
}

static void read_text(struct opener *opener)
{
	const struct opener_request *request = &opener->request;
	struct code_text_status status = {.size = 0};
	ssize_t n = code_text_read(opener->files, &request->text.text, request->text.skipped,
				   request->text.offset, opener->reply.bytes, &status);

	clear_reply(opener, OPENER_FOUND);
	opener->reply.error = n < 0 ? (int)n : 0;
	opener->reply.text.status = status;
	opener->reply.text.n = n < 0 ? 0 : (uint32_t)n;
	send_reply(opener, opener->reply.text.n);
}

/* Waits for a request. Returns the descriptor that came with it, or -1. */
static int receive_request(struct opener *opener)
{
	int fds[HELPER_SENT_MAX];
	size_t n = helper_process_receive(&opener->request, sizeof(opener->request), fds);

	if (n < offsetof(struct opener_request, names) || opener->request.n > OPENER_NAMES_BYTES ||
	    n != opener_request_bytes(&opener->request))
		_exit(HELPER_BROKEN);
	return fds[0];
}

static _Noreturn void serve_requests(struct opener *opener)
{
	for (;;) {
		int fd = receive_request(opener);
		uint32_t kind = opener->request.kind;

		if (kind == OPENER_CONFIG) {
			configure(opener);
		} else if (kind == OPENER_LINK) {
			if (opener->link >= 0)
				close(opener->link);
			opener->link = fd;
		} else if (kind == OPENER_FILE && opener->files) {
			open_file(opener);
		} else if (kind == OPENER_TEXT && opener->files) {
			read_text(opener);
		} else {
			_exit(HELPER_BROKEN);
		}
	}
}

void opener_worker_main(int argc, char **argv)
{
	if (!helper_process_enter(argc, argv, OPENER_WORKER_NAME))
		return;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		_exit(HELPER_BROKEN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	symbol_sandbox_limit(RLIMIT_CORE, 0);
	symbol_sandbox_limit(RLIMIT_NOFILE, DESCRIPTORS_MAX);
	struct opener *opener = xcalloc(1, sizeof(*opener));
	opener->link = -1;
	int rc = sys_linux_init(&opener->sys);
	helper_process_hello(rc ? HELPER_FAILED : HELPER_READY, (uint32_t)-rc);
	if (rc)
		_exit(HELPER_BROKEN);
	serve_requests(opener);
}
