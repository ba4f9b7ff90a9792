// SPDX-License-Identifier: MIT
#include "core/code/opener_client.h"

#include "core/base/util.h"
#include "core/code/opener_message.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif
static_assert(OPENER_RIGHTS == (UINT64_C(1) << CAP_DAC_READ_SEARCH | UINT64_C(1) << CAP_SYS_PTRACE |
				UINT64_C(1) << CAP_CHECKPOINT_RESTORE),
	      "the numbers of linux/capability.h");

enum progress { IDLE, ASKED, ANSWERED };

struct opener_client {
	struct opener_config config;
	struct helper_process process;
	bool killed; /* its end is not seen yet */
	bool begun;  /* it has sent its first message */
	unsigned ends;
	uint64_t start_ns, resume_ns;
	unsigned linked; /* number of the parser that it has; 0: none */
	int error, wait_status;
	uint64_t id;
	enum progress progress;
	enum mapped_file_stage stage;
	struct helper_progress moves;
	struct opener_request request; /* the last one of FILE or TEXT */
	size_t request_bytes;
	union {
		struct opener_reply reply;
		struct helper_hello hello;
	};
};

struct opener_client *opener_client_new(const struct opener_config *config)
{
	struct opener_client *client = xcalloc(1, sizeof(*client));

	client->config = *config;
	client->process = HELPER_NONE;
	return client;
}

void opener_client_abandon(struct opener_client *client, struct helper_process *left)
{
	helper_process_kill(&client->process);
	*left = client->process;
	free(client);
}

/* No process any more: it has ended, or is being killed. */
static void note_end(struct opener_client *client)
{
	client->resume_ns =
		helper_process_resume_ns(&client->ends, client->start_ns, HELPER_PAUSE_NS);
	client->progress = IDLE;
	client->linked = 0;
}

static void kill_process(struct opener_client *client)
{
	if (client->killed)
		return;
	helper_process_kill(&client->process);
	client->killed = true;
	note_end(client);
}

/* Returns whether the message of n bytes may come now. */
static bool handle_message(struct opener_client *client, size_t n)
{
	const struct opener_reply *reply = &client->reply;
	size_t head = offsetof(struct opener_reply, bytes);

	if (!client->begun) {
		client->begun = n == sizeof(client->hello) && client->hello.kind == HELPER_READY;
		if (n == sizeof(client->hello) && client->hello.kind == HELPER_FAILED)
			client->error = -(int)client->hello.n;
		return client->begun;
	}
	if (n < head || client->progress != ASKED || reply->id != client->request.id)
		return false;
	if (reply->kind == OPENER_STAGE && reply->stage < MAPPED_FILE_STAGES) {
		client->stage = reply->stage;
		return true;
	}
	client->progress = ANSWERED;
	return reply->kind == OPENER_FOUND &&
	       n == head + (client->request.kind == OPENER_TEXT ? reply->text.n : 0);
}

/* Reads what the process has sent. False: it has ended, or is being killed. */
static bool read_messages(struct opener_client *client)
{
	while (client->process.socket >= 0 && client->progress != ANSWERED) {
		ssize_t got = recv(client->process.socket, &client->reply, sizeof(client->reply),
				   MSG_DONTWAIT | MSG_TRUNC);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return true;
		if (got <= 0 || (size_t)got > sizeof(client->reply) ||
		    !handle_message(client, (size_t)got))
			kill_process(client);
	}
	return client->process.socket >= 0;
}

static bool send_request(struct opener_client *client, struct opener_request *request, int fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec part = {request, opener_request_bytes(request)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	request->id = ++client->id;
	/* An error is a process that has ended, which the next call finds. */
	return sendmsg(client->process.socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

/* Appends a name with its NUL. NULL is "". */
static void append_name(struct opener_request *request, const char *name)
{
	request->n += (uint32_t)text_copy(request->names + request->n, MAPPED_FILE_PATH_BYTES,
					  name ? name : "") +
		      1;
}

static void send_config(struct opener_client *client)
{
	const struct opener_config *config = &client->config;
	struct opener_request *request = &client->request;

	memset(request, 0, offsetof(struct opener_request, names));
	request->kind = OPENER_CONFIG;
	request->config.random = config->random;
	request->config.recording = config->recording;
	request->config.has_symfs = config->symfs != NULL;
	request->config.has_cache = config->build_id_cache != NULL;
	append_name(request, config->symfs);
	append_name(request, config->build_id_cache);
	send_request(client, request, -1);
}

/* Notes that the process has ended, if it has. */
static void reap_process(struct opener_client *client)
{
	if (client->process.pid == 0 ||
	    !helper_process_ended(&client->process, &client->wait_status))
		return;
	read_messages(client); /* the last ones */
	if (!client->killed)
		note_end(client);
	helper_process_close(&client->process);
	client->killed = false;
}

/* 0; -EAGAIN: there is no process now; -EBADE. */
static int ensure_process(struct opener_client *client)
{
	uint64_t now_ns = monotonic_ns();

	reap_process(client);
	if (client->process.pid)
		return client->killed ? -EAGAIN : 0;
	if (now_ns < client->resume_ns)
		return client->error ? -EBADE : -EAGAIN;
	int rc = helper_process_start(&client->process, client->config.executable,
				      OPENER_WORKER_NAME, OPENER_RIGHTS);
	client->start_ns = now_ns;
	client->begun = false;
	client->error = rc;
	if (rc) {
		note_end(client);
		return -EBADE;
	}
	send_config(client);
	return 0;
}

static void renew_link(struct opener_client *client, const struct opener_link *link)
{
	struct opener_request *request = &client->request;

	if (link->socket < 0 || client->linked == link->number)
		return;
	memset(request, 0, offsetof(struct opener_request, names));
	request->kind = OPENER_LINK;
	if (send_request(client, request, link->socket))
		client->linked = link->number;
}

/* Waits for the answer. 0: it is in client->reply. */
static int await_answer(struct opener_client *client, uint64_t deadline_ns)
{
	while (read_messages(client) && client->progress == ASKED) {
		struct pollfd poll = {.fd = client->process.socket, .events = POLLIN};
		uint64_t now_ns = monotonic_ns();

		if (now_ns >= deadline_ns)
			return -EAGAIN;
		const struct timespec time = {
			.tv_sec = (time_t)((deadline_ns - now_ns) / NS_PER_S),
			.tv_nsec = (long)((deadline_ns - now_ns) % NS_PER_S),
		};
		ppoll(&poll, 1, &time, NULL);
	}
	return client->progress == ANSWERED ? 0 : -EAGAIN;
}

/* Sends the request, unless the same one is under way. Waits for the answer. */
static int request_answer(struct opener_client *client, const struct opener_request *request,
			  const struct opener_link *link, uint64_t deadline_ns)
{
	int rc = ensure_process(client);

	if (rc)
		return rc;
	read_messages(client);
	size_t n = opener_request_bytes(request),
	       after_id = offsetof(struct opener_request, config);
	bool same = client->progress != IDLE && request->kind == client->request.kind &&
		    request->n == client->request.n &&
		    memcmp((const char *)request + after_id,
			   (const char *)&client->request + after_id, n - after_id) == 0;
	if (!same && client->progress == ASKED && await_answer(client, deadline_ns))
		return -EAGAIN;
	if (!same && client->process.socket >= 0) {
		if (link)
			renew_link(client, link);
		memcpy(&client->request, request, n);
		if (!send_request(client, &client->request, -1))
			return -EAGAIN;
		client->progress = ASKED;
		client->stage = MAPPED_FILE_SELF;
		client->moves = (struct helper_progress){.slices = 0};
	}
	rc = await_answer(client, deadline_ns);
	if (rc == 0)
		client->progress = IDLE;
	return rc;
}

int opener_client_file(struct opener_client *client, const struct opener_file *file,
		       const struct opener_link *link, uint64_t deadline_ns,
		       struct mapped_file *found, bool *given)
{
	const struct code_mapping *mapping = file->mapping;
	struct opener_request request;

	*given = false;
	memset(&request, 0, offsetof(struct opener_request, names));
	request.kind = OPENER_FILE;
	request.file.pid = file->pid;
	request.file.skipped = file->skipped;
	request.file.start = mapping->start;
	request.file.end = mapping->end;
	request.file.offset = mapping->offset;
	request.file.past = mapping->past;
	request.file.dev = mapping->object->dev;
	request.file.inode = mapping->object->inode;
	memcpy(&request.file.build_id, &mapping->object->build_id, sizeof(request.file.build_id));
	append_name(&request, mapping->object->name);
	int rc = request_answer(client, &request, link, deadline_ns);
	if (rc)
		return rc;
	*given = client->reply.file.given;
	*found = client->reply.file.found;
	return client->reply.error;
}

ssize_t opener_client_text(struct opener_client *client, const struct code_text *text,
			   unsigned skipped, uint64_t offset, uint64_t deadline_ns, char *buffer,
			   size_t size, struct code_text_status *status)
{
	struct opener_request request;

	memset(&request, 0, offsetof(struct opener_request, names));
	request.kind = OPENER_TEXT;
	/* Requests are compared by their bytes, also those between members. */
	request.text.text.kind = text->kind;
	request.text.text.pid = text->pid;
	request.text.text.number = text->number;
	memcpy(&request.text.text.id, &text->id, sizeof(text->id));
	request.text.skipped = skipped;
	request.text.offset = offset;
	int rc = request_answer(client, &request, NULL, deadline_ns);
	if (rc)
		return rc;
	*status = client->reply.text.status;
	size_t n = size_min(client->reply.text.n, size);
	memcpy(buffer, client->reply.bytes, n);
	return client->reply.error ? client->reply.error : (ssize_t)n;
}

uint64_t opener_client_stands_ns(struct opener_client *client, const struct sys *sys,
				 struct opener_request_state *state)
{
	const struct opener_request *request = &client->request;
	bool text = request->kind == OPENER_TEXT;

	read_messages(client);
	reap_process(client); /* one that has ended does not stand still */
	if (client->process.pid == 0 || (client->progress != ASKED && !client->killed))
		return 0;
	*state = (struct opener_request_state){
		.stage = client->stage,
		.pid = text ? request->text.text.pid : request->file.pid,
		.dev = text ? 0 : request->file.dev,
		.name = text ? "" : request->names,
		.text = text,
	};
	return helper_process_stands_ns(&client->process, sys, &client->moves);
}

int opener_client_error(const struct opener_client *client)
{
	return client->error;
}

bool opener_client_works(const struct opener_client *client)
{
	return client->process.pid > 0 && client->progress == ASKED;
}
