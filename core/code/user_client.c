// SPDX-License-Identifier: MIT
/* The other end of user_worker.c. Replies are checked again: the process is not trusted. */
#include "core/code/user_client.h"

#include "core/base/text.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Whether a reply is one to the request. */
static bool is_asked(const struct user_request *request, const struct user_reply *reply)
{
	if (request->name[0])
		return strcmp(request->name, reply->name) == 0;
	return user_request_has(request, reply->uid);
}

/* A server's name is refused if another user in /etc/passwd has it. */
static void accept_name(const struct user_client *client, const struct user_reply *reply,
			struct users *users)
{
	uid_t other;

	if (!memchr(reply->name, '\0', sizeof(reply->name)) || !is_asked(&client->request, reply) ||
	    !user_name_is_valid(reply->name) || reply->uid == UINT32_MAX)
		return;
	if (users_find(users, reply->name, &other) == 0 && other != reply->uid)
		return;
	users_learn(users, (uid_t)reply->uid, reply->name);
}

static void read_replies(struct user_client *client, struct users *users)
{
	union {
		struct helper_hello hello;
		struct user_reply reply;
	} message;
	ssize_t got;

	while (!client->answered && client->process.socket >= 0) {
		got = recv(client->process.socket, &message, sizeof(message), MSG_DONTWAIT);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		if (got != sizeof(message.reply)) /* the hello */
			continue;
		if (message.reply.ends)
			client->answered = true;
		else
			accept_name(client, &message.reply, users);
	}
}

static void kill_process(struct user_client *client)
{
	if (!client->killed)
		helper_process_kill(&client->process);
	client->killed = true;
}

/* Returns whether a process is there: it works, or hangs and is abandoned. */
static bool is_busy(struct user_client *client, struct users *users)
{
	uint64_t patience_ns = client->patience_ns ? client->patience_ns : USER_PATIENCE_NS;
	int status;

	if (!client->begun)
		return false;
	if (!client->killed)
		read_replies(client, users);
	if (client->answered || monotonic_ns() - client->start_ns >= patience_ns)
		kill_process(client);
	if (!helper_process_ended(&client->process, &status))
		return true;
	read_replies(client, users);
	helper_process_close(&client->process);
	/* One that has answered may be followed by the next at once. */
	if (client->answered)
		client->ends = 0;
	else
		client->resume_ns =
			helper_process_resume_ns(&client->ends, client->start_ns, HELPER_PAUSE_NS);
	client->begun = false;
	return false;
}

static int start_request(struct user_client *client)
{
	client->start_ns = monotonic_ns();
	client->answered = client->killed = false;
	text_copy(client->request.getent, sizeof(client->request.getent), client->getent);
	int rc = helper_process_start(&client->process, client->executable, USER_WORKER_NAME,
				      getuid() == 0 ? USER_WORKER_RIGHTS : 0);
	client->begun = rc == 0;
	if (rc)
		client->resume_ns =
			helper_process_resume_ns(&client->ends, client->start_ns, HELPER_PAUSE_NS);
	else if (send(client->process.socket, &client->request, sizeof(client->request),
		      MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		kill_process(client);
	return rc;
}

void user_client_poll(struct user_client *client, struct users *users)
{
	uid_t uids[USER_ASKED_MAX];

	if (!client->getent || is_busy(client, users) || monotonic_ns() < client->resume_ns)
		return;
	size_t n = users_nameless(users, uids, USER_ASKED_MAX);
	if (n == 0)
		return;
	client->request = (struct user_request){.n = (uint32_t)n};
	for (size_t i = 0; i < n; i++)
		client->request.uids[i] = uids[i];
	start_request(client);
}

int user_client_find(struct user_client *client, struct users *users, const char *name,
		     uint64_t deadline_ns)
{
	uid_t uid;

	if (!client->getent || strlen(name) >= USER_NAME_BYTES || !user_name_is_valid(name) ||
	    name[0] == '-')
		return -ENOENT;
	client->request = (struct user_request){.n = 0};
	text_copy(client->request.name, sizeof(client->request.name), name);
	if (start_request(client))
		return -ENOENT;
	while (is_busy(client, users) && !client->answered && !client->killed) {
		struct pollfd poll = {.fd = client->process.socket, .events = POLLIN};
		uint64_t now_ns = monotonic_ns();

		if (now_ns >= deadline_ns)
			break;
		const struct timespec time = {
			.tv_sec = (time_t)((deadline_ns - now_ns) / NS_PER_S),
			.tv_nsec = (long)((deadline_ns - now_ns) % NS_PER_S),
		};
		ppoll(&poll, 1, &time, NULL);
	}
	if (users_find(users, name, &uid) == 0)
		return 0;
	return client->answered || !client->begun ? -ENOENT : -ETIMEDOUT;
}

void user_client_fini(struct user_client *client)
{
	int status;

	if (!client->begun)
		return;
	kill_process(client);
	helper_process_ended(&client->process, &status);
	helper_process_close(&client->process);
	client->begun = false;
}
