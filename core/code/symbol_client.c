// SPDX-License-Identifier: MIT
/*
 * The child answers requests in order, so the first one without an answer is the one at which it
 * ended or stands still, and the file of this request is suspected. Before a question is sent, all
 * others are answered, so an old question delays the next one, but costs no memory.
 *
 * A child stands still if the first request is old, and several calls waited for it. Time alone
 * does not prove it: after Ctrl-Z, pmctop itself stood still.
 */
#include "core/code/symbol_client.h"

#include "core/base/hash_table.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/code/symbol_message.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

enum {
	PENDING_MAX = 64,
	MESSAGES_MAX = 4096, /* of the child that one call reads */
	WAITS_MIN = 3,       /* calls that waited for a child that stands still */
	DEATHS_MAX = 2,      /* children that end at a file before it is refused */
	SUSPECTS_MAX = 1024, /* files at which one child ended; with more, all are cleared */
};
#define PATIENCE_NS (10 * NS_PER_S)
#define LEAVING_NS  (20 * NS_PER_MS) /* from the end of the socket to the end of the process */

/* Stands for a file in requests that need none. Keys of files are odd, or chosen at random. */
#define DEMANGLER_KEY UINT64_C(2)

/* A file in client->files, as a number that is not 0. */
enum {
	FILE_KNOWN = 1,
	FILE_GIVEN = 2,
	FILE_DEATH = 4, /* one for each child that ended */
};

struct pending {
	uint64_t id, key;
	uint64_t sent_ns;
	unsigned waits;
	uint32_t queries, n; /* offsets of FIND, and those without an answer */
};

struct symbol_client {
	char *executable;
	uint64_t patience_ns, pause_ns;
	struct helper_process child;
	bool killed;        /* its end is not seen yet */
	bool begun;         /* it has sent a message */
	uint64_t start_ns;  /* of the child */
	uint64_t resume_ns; /* no child is started before */
	unsigned ends;      /* children that ended without a steady one between */
	unsigned starts;    /* of children */
	int error, wait_status;
	bool filtered;
	unsigned restarts, refused, suspects;
	struct hash_table files;
	struct pending pending[PENDING_MAX]; /* a ring */
	unsigned first, n_pending;
	uint64_t closing; /* file that the child is closing; 0: none */
	uint64_t suspect; /* file at which the last child ended, or was killed; 0: none */
	struct helper_progress progress;
	uint64_t id;
	union {
		struct symbol_reply reply;
		uint8_t bytes[SYMBOL_REPLY_BYTES];
	};
	char name[SYMBOL_NAME_BYTES];
};

/* The call that waits for answers. */
struct search {
	const struct symbol_query *queries;
	uint64_t id;  /* of its request; 0: none */
	size_t first; /* query of its first offset */
	size_t answered;
	symbol_found *found;
	void *arg;
};

struct symbol_client *symbol_client_new(const struct symbol_client_config *config)
{
	struct symbol_client *client = xcalloc(1, sizeof(*client));

	client->executable = config->executable ? xstrdup(config->executable) : NULL;
	client->patience_ns = config->patience_ns ? config->patience_ns : PATIENCE_NS;
	client->pause_ns = config->pause_ns ? config->pause_ns : HELPER_PAUSE_NS;
	client->child = HELPER_NONE;
	hash_table_init(&client->files, 64);
	return client;
}

void symbol_client_abandon(struct symbol_client *client, struct helper_process *left)
{
	helper_process_kill(&client->child);
	*left = client->child;
	hash_table_fini(&client->files);
	free(client->executable);
	free(client);
}

static size_t file_number(const struct symbol_client *client, uint64_t key)
{
	return hash_table_slot(&client->files, key)->number;
}

static void set_file_number(struct symbol_client *client, uint64_t key, size_t number)
{
	struct hash_slot *slot = hash_table_slot(&client->files, key);

	if (number <= FILE_KNOWN) {
		if (slot->number)
			hash_table_remove(&client->files, slot);
		return;
	}
	if (!slot->number)
		slot = hash_table_add(&client->files, key);
	slot->number = number;
}

static bool is_refused(size_t number)
{
	return number >= FILE_DEATH * DEATHS_MAX;
}

enum symbol_file symbol_client_file(const struct symbol_client *client, uint64_t key)
{
	size_t number = file_number(client, key);

	if (is_refused(number))
		return SYMBOL_FILE_REFUSED;
	return number & FILE_GIVEN ? SYMBOL_FILE_GIVEN : SYMBOL_FILE_WANTED;
}

/* The next child has no files. The suspicions stay, unless there are too many. */
static void clear_given(struct symbol_client *client)
{
	bool clears = client->suspects > SUSPECTS_MAX;

	for (size_t i = 0; i < client->files.n_slots;) {
		struct hash_slot *slot = &client->files.slots[i];

		if (!slot->number) {
			i++;
			continue;
		}
		slot->number &= ~(size_t)FILE_GIVEN;
		if (slot->number < FILE_DEATH || (clears && !is_refused(slot->number)))
			hash_table_remove(&client->files, slot); /* examines the slot again */
		else
			i++;
	}
	if (clears)
		client->suspects = 0;
}

static void suspect_file(struct symbol_client *client)
{
	client->suspect = 0;
	if (client->n_pending == 0 && !client->closing)
		return;
	uint64_t key = client->closing ? client->closing : client->pending[client->first].key;
	client->suspect = key;
	size_t number = (file_number(client, key) | FILE_KNOWN) + FILE_DEATH;

	set_file_number(client, key, number);
	if (is_refused(number))
		client->refused++;
	else
		client->suspects++;
}

/* No child any more: it has ended, or is being killed. */
static void note_end(struct symbol_client *client)
{
	client->resume_ns =
		helper_process_resume_ns(&client->ends, client->start_ns, client->pause_ns);
	client->filtered = false;
	suspect_file(client);
	client->n_pending = 0;
	client->closing = 0;
	clear_given(client);
}

static void kill_child(struct symbol_client *client)
{
	if (client->killed)
		return;
	helper_process_kill(&client->child);
	client->killed = true;
	note_end(client);
}

static void read_messages(struct symbol_client *client, struct search *search);

/*
 * The process has ended. No file is the cause of signal 9. It comes from outside, from a user or
 * from a kernel without memory: the child cannot send it itself.
 */
static void note_ended(struct symbol_client *client)
{
	if (!client->killed && WIFSIGNALED(client->wait_status) &&
	    WTERMSIG(client->wait_status) == SIGKILL) {
		client->n_pending = 0;
		client->closing = 0;
	}
	kill_child(client);
	helper_process_close(&client->child);
	client->killed = false;
}

/* The socket has ended, so the process should end now. One that does not is killed. */
static void end_child(struct symbol_client *client)
{
	const struct timespec moment = {.tv_nsec = (long)NS_PER_MS / 4};
	uint64_t until = monotonic_ns() + LEAVING_NS;

	while (!helper_process_ended(&client->child, &client->wait_status)) {
		if (monotonic_ns() >= until) {
			kill_child(client);
			return;
		}
		nanosleep(&moment, NULL);
	}
	note_ended(client);
}

/* Whether there is a child that answers. */
static bool has_child(struct symbol_client *client)
{
	if (client->child.pid == 0)
		return false;
	if (!helper_process_ended(&client->child, &client->wait_status))
		return !client->killed;
	/* Its last message may be the reason why it did not start. */
	read_messages(client, NULL);
	if (client->child.socket >= 0 || client->killed)
		note_ended(client);
	return false;
}

static int start_child(struct symbol_client *client)
{
	uint64_t now = monotonic_ns();

	if (client->killed || now < client->resume_ns)
		return -EAGAIN;
	int rc = helper_process_start(&client->child, client->executable, SYMBOL_WORKER_NAME, 0);
	client->start_ns = now;
	client->begun = false;
	client->error = rc;
	if (rc) {
		note_end(client);
		return rc;
	}
	client->restarts += client->starts > 0;
	client->starts++;
	client->progress = (struct helper_progress){.slices = 0};
	return 0;
}

static struct pending *first_pending(struct symbol_client *client)
{
	return client->n_pending ? &client->pending[client->first] : NULL;
}

static void end_pending(struct symbol_client *client)
{
	client->first = (client->first + 1) % PENDING_MAX;
	client->n_pending--;
}

/* Sends a request. 0, or -EAGAIN. */
static int send_request(struct symbol_client *client, struct symbol_request *request)
{
	if (client->n_pending == PENDING_MAX)
		return -EAGAIN;
	request->id = ++client->id;
	/* An error is a full queue, or a child that has ended, which the next call finds. */
	if (send(client->child.socket, request, symbol_request_bytes(request->kind, request->n),
		 MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -EAGAIN;
	if (client->n_pending == 0)
		client->progress.since_ns = 0;
	client->pending[(client->first + client->n_pending++) % PENDING_MAX] = (struct pending){
		.id = request->id,
		.key = request->key,
		.sent_ns = monotonic_ns(),
		.queries = request->kind == SYMBOL_FIND ? request->n : 1,
		.n = request->kind == SYMBOL_FIND ? request->n : 1,
	};
	return 0;
}

/* Where an answer goes. */
struct receiver {
	struct symbol_client *client;
	struct search *search; /* NULL: the call that searched has returned */
};

static void pass_answer(void *arg, const struct symbol_answer *answer, const char *name)
{
	struct receiver *receiver = arg;
	struct symbol_client *client = receiver->client;
	struct search *search = receiver->search;

	if (!search)
		return;
	text_printable(client->name, sizeof(client->name), name, UINT_MAX);
	size_t query = search->first + answer->query;
	uint64_t offset = search->queries[query].offset;
	bool ranged = answer->start <= offset && offset < answer->end;
	const struct symbol symbol = {
		.name = client->name[0] ? client->name : NULL,
		.address = answer->address,
		.bounded = answer->flags & SYMBOL_BOUNDED,
		.start = ranged ? answer->start : 0,
		.end = ranged ? answer->end : 0,
		.unsure = answer->flags & SYMBOL_UNSURE,
		.nameless = answer->flags & SYMBOL_NAMELESS,
	};
	search->answered++;
	search->found(search->arg, query, &symbol);
}

/*
 * Passes on the answers of a FOUND message. False: it is broken. Each offset has one answer, and
 * each message at least one, so the messages to a request have an end.
 */
static bool read_answers(struct symbol_client *client, size_t n, struct pending *pending,
			 struct search *search)
{
	struct receiver receiver = {
		.client = client,
		.search = search && search->id == pending->id ? search : NULL,
	};
	uint32_t answers = client->reply.n, queries = pending->queries;

	if (answers == 0 || answers > pending->n)
		return false;
	pending->n -= answers;
	return symbol_reply_answers(client->bytes, n, queries, pass_answer, &receiver);
}

/* The first message of a child. False: it has none, or could not start. */
static bool handle_hello(struct symbol_client *client, size_t n)
{
	struct helper_hello hello;

	if (n != sizeof(hello))
		return false;
	memcpy(&hello, client->bytes, sizeof(hello));
	client->begun = true;
	client->filtered = hello.kind == HELPER_READY && hello.n == 1;
	if (hello.kind == HELPER_READY)
		return true;
	client->error = hello.n > 0 && hello.n < 4096 ? -(int)hello.n : -EPROTO;
	client->n_pending = 0; /* no file is the cause */
	return false;
}

/* Handles a message of n bytes. False: it is not one that the child should send now. */
static bool handle_message(struct symbol_client *client, size_t n, struct search *search)
{
	const struct symbol_reply *reply = &client->reply;
	struct pending *pending = first_pending(client);
	bool answers = pending && reply->id == pending->id && reply->key == pending->key;

	if (!client->begun)
		return handle_hello(client, n);
	if (n < sizeof(*reply) || (reply->kind != SYMBOL_FOUND && n != sizeof(*reply)))
		return false;
	switch (reply->kind) {
	case SYMBOL_DROPPED:
		client->closing = reply->n ? reply->key : 0;
		if (!is_refused(file_number(client, reply->key)))
			set_file_number(client, reply->key,
					(file_number(client, reply->key) | FILE_KNOWN) &
						~(size_t)FILE_GIVEN);
		return true;
	case SYMBOL_MISSING:
		if (!answers)
			return false;
		set_file_number(client, reply->key,
				file_number(client, reply->key) & ~(size_t)FILE_GIVEN);
		end_pending(client);
		return true;
	case SYMBOL_FOUND:
		if (!answers || !read_answers(client, n, pending, search))
			return false;
		if (reply->last)
			end_pending(client);
		return true;
	default:
		return false;
	}
}

/* Reads what the child has sent. */
static void read_messages(struct symbol_client *client, struct search *search)
{
	for (unsigned i = 0; i < MESSAGES_MAX && client->child.socket >= 0; i++) {
		ssize_t got = recv(client->child.socket, client->bytes, sizeof(client->bytes),
				   MSG_DONTWAIT | MSG_TRUNC);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return;
		if (got <= 0) {
			end_child(client);
			return;
		}
		if ((size_t)got > sizeof(client->bytes) ||
		    !handle_message(client, (size_t)got, search)) {
			kill_child(client);
			return;
		}
	}
}

/* Waits until the socket has something to read. False: the deadline has come. */
static bool wait_message(struct symbol_client *client, uint64_t deadline_ns)
{
	struct pollfd poll = {.fd = client->child.socket, .events = POLLIN};
	uint64_t now = monotonic_ns();

	if (now >= deadline_ns)
		return false;
	uint64_t left = deadline_ns - now;
	const struct timespec time = {
		.tv_sec = (time_t)(left / NS_PER_S),
		.tv_nsec = (long)(left % NS_PER_S),
	};
	return ppoll(&poll, 1, &time, NULL) > 0;
}

/* A call did not get the answer to the first request. */
static void note_wait(struct symbol_client *client)
{
	struct pending *pending = first_pending(client);

	if (pending && ++pending->waits >= WAITS_MIN &&
	    monotonic_ns() - pending->sent_ns > client->patience_ns)
		kill_child(client);
}

/* Reads messages until all requests are answered. False: the deadline has come, or no child is. */
static bool read_all_replies(struct symbol_client *client, uint64_t deadline_ns,
			     struct search *search)
{
	while (has_child(client)) {
		read_messages(client, search);
		if (client->n_pending == 0)
			return client->child.socket >= 0;
		if (client->child.socket >= 0 && !wait_message(client, deadline_ns)) {
			/* Signals end a wait early, too. */
			if (monotonic_ns() < deadline_ns)
				continue;
			note_wait(client);
			return false;
		}
	}
	return false;
}

/* Reads the messages of the child, and starts one if there is none. */
static int ensure_child(struct symbol_client *client)
{
	if (has_child(client)) {
		read_messages(client, NULL);
		note_wait(client);
	}
	return has_child(client) ? 0 : start_child(client);
}

int symbol_client_socket(struct symbol_client *client, unsigned *number)
{
	int rc = ensure_child(client);

	*number = client->starts;
	return rc ? rc : client->child.socket;
}

void symbol_client_given(struct symbol_client *client, uint64_t key)
{
	size_t number = file_number(client, key);

	if (!is_refused(number))
		set_file_number(client, key, number | FILE_KNOWN | FILE_GIVEN);
}

size_t symbol_client_find(struct symbol_client *client, const struct symbol_query *queries,
			  size_t n, uint64_t deadline_ns, symbol_found *found, void *arg)
{
	struct symbol_request request = {.kind = SYMBOL_FIND};
	struct search search = {.queries = queries, .found = found, .arg = arg};

	has_child(client); /* one that has ended is noted, also if no file was given */
	for (size_t i = 0; i < n; i = search.first + request.n) {
		search.first = i;
		request.key = queries[i].key;
		request.n = 0;
		while (i + request.n < n && request.n < SYMBOL_OFFSETS_MAX &&
		       queries[i + request.n].key == request.key) {
			request.offsets[request.n] = queries[i + request.n].offset;
			request.n++;
		}
		if (symbol_client_file(client, request.key) != SYMBOL_FILE_GIVEN)
			continue;
		search.id = 0;
		if (!read_all_replies(client, deadline_ns, &search) ||
		    symbol_client_file(client, request.key) != SYMBOL_FILE_GIVEN)
			continue;
		if (send_request(client, &request))
			break;
		search.id = request.id;
		if (!read_all_replies(client, deadline_ns, &search) && client->child.socket >= 0)
			break;
	}
	return search.answered;
}

/* The answer to a request that has a text. */
struct text_answer {
	uint64_t address;
	bool bounded;
	char *name; /* NULL: not wanted */
	size_t size;
};

static void keep_text_answer(void *arg, size_t query, const struct symbol *symbol)
{
	struct text_answer *answer = arg;

	(void)query;
	answer->address = symbol->address;
	answer->bounded = symbol->bounded;
	if (answer->name)
		text_copy(answer->name, answer->size, symbol->name ? symbol->name : "");
}

/* Sends a text, and waits for the answer. 0, -ENOENT if the text is too long, or -EAGAIN. */
static int send_text(struct symbol_client *client, uint32_t kind, uint64_t key, const char *text,
		     uint64_t deadline_ns, struct text_answer *answer)
{
	const struct symbol_query query = {.key = key};
	struct symbol_request request = {.kind = kind, .key = key};
	struct search search = {.queries = &query, .found = keep_text_answer, .arg = answer};
	size_t n = strlen(text);

	if (n > sizeof(request.name))
		return -ENOENT;
	request.n = (uint32_t)n;
	memcpy(request.name, text, n);
	if (!read_all_replies(client, deadline_ns, &search) || send_request(client, &request))
		return -EAGAIN;
	search.id = request.id;
	read_all_replies(client, deadline_ns, &search);
	return search.answered > 0 ? 0 : -EAGAIN;
}

int symbol_client_locate(struct symbol_client *client, uint64_t key, const char *name,
			 uint64_t deadline_ns, uint64_t *address)
{
	struct text_answer answer = {.bounded = false};

	has_child(client);
	if (symbol_client_file(client, key) != SYMBOL_FILE_GIVEN)
		return -EAGAIN;
	int rc = send_text(client, SYMBOL_LOCATE, key, name, deadline_ns, &answer);
	if (rc)
		return rc;
	*address = answer.address;
	return answer.bounded ? 0 : -ENOENT;
}

int symbol_client_demangle(struct symbol_client *client, const char *mangled, uint64_t deadline_ns,
			   char name[SYMBOL_NAME_BYTES])
{
	struct text_answer answer = {.name = name, .size = SYMBOL_NAME_BYTES};

	if (symbol_client_file(client, DEMANGLER_KEY) == SYMBOL_FILE_REFUSED)
		return -ENOENT;
	int rc = ensure_child(client);
	return rc ? rc
		  : send_text(client, SYMBOL_DEMANGLE, DEMANGLER_KEY, mangled, deadline_ns,
			      &answer);
}

void symbol_client_status(const struct symbol_client *client, struct symbol_status *status)
{
	bool running = client->child.pid > 0 && !client->killed;

	*status = (struct symbol_status){
		.state = running          ? SYMBOL_RUNNING
			 : client->error  ? SYMBOL_FAILED
			 : client->starts ? SYMBOL_WAITING
					  : SYMBOL_IDLE,
		.restarts = client->restarts,
		.refused = client->refused,
		.waits = client->n_pending ? client->pending[client->first].waits : 0,
		.pid = running ? client->child.pid : 0,
		.error = client->error,
		.wait_status = client->wait_status,
		.filtered = client->filtered,
	};
}

uint64_t symbol_client_stands_ns(struct symbol_client *client, const struct sys *sys, uint64_t *key)
{
	if (has_child(client))
		read_messages(client, NULL); /* the answer may be there since */
	if (client->child.pid == 0 || (client->n_pending == 0 && !client->killed))
		return 0;
	*key = client->killed    ? client->suspect
	       : client->closing ? client->closing
				 : client->pending[client->first].key;
	return helper_process_stands_ns(&client->child, sys, &client->progress);
}
