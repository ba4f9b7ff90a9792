// SPDX-License-Identifier: MIT
/*
 * One request at a time. A file costs two descriptors, and an index from its first question on. If
 * there are too many files, or too much memory, the file that was not used for longest goes.
 *
 * Whatever fails here ends the process: its parent starts another one.
 */
#include "core/code/symbol_worker.h"

#include "core/base/util.h"
#include "core/code/demangle.h"
#include "core/code/helper_process.h"
#include "core/code/symbol_client.h"
#include "core/code/symbol_index.h"
#include "core/code/symbol_message.h"
#include "core/code/symbol_sandbox.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FILES_MAX = 256,
	DESCRIPTORS_MAX = 2 * FILES_MAX + 8,
	/* Of all indexes. The largest one, and the inflation of another, fit on top of it. */
	INDEX_BYTES = 12 << 20,
	MEMORY_BYTES = 80 << 20,
	MAPPED_BYTES = 128 << 10, /* blocks from this size on return to the kernel when freed */
};

struct worker_file {
	uint64_t key;
	uint64_t used; /* number of the last request for it */
	int binary, debug;
	struct symbol_index *index; /* NULL: not made yet, or no ELF file */
	bool refused;               /* no ELF file */
};

struct worker {
	struct demangler *demangler;
	struct worker_file files[FILES_MAX];
	unsigned n_files;
	uint64_t requests;
	struct symbol_request request;
	int sent[HELPER_SENT_MAX]; /* descriptors with the request; -1: none */
	struct symbol_place place;
	char name[SYMBOL_NAME_BYTES];
	union {
		struct symbol_reply reply;
		uint8_t bytes[SYMBOL_REPLY_BYTES];
	};
	size_t used; /* bytes of the reply */
};

static void send_simple(uint32_t kind, uint32_t n, uint64_t id, uint64_t key)
{
	const struct symbol_reply reply = {.kind = kind, .n = n, .id = id, .key = key};

	helper_process_send(&reply, sizeof(reply));
}

/* Waits for a request. Ends the process at the end of the socket. */
static void receive_request(struct worker *worker)
{
	struct symbol_request *request = &worker->request;
	size_t n = helper_process_receive(request, sizeof(*request), worker->sent);

	if (n < symbol_request_bytes(0, 0) ||
	    (request->kind == SYMBOL_FIND && request->n > SYMBOL_OFFSETS_MAX) ||
	    ((request->kind == SYMBOL_LOCATE || request->kind == SYMBOL_DEMANGLE) &&
	     request->n > SYMBOL_TEXT_BYTES) ||
	    n != symbol_request_bytes(request->kind, request->n))
		_exit(HELPER_BROKEN);
	worker->requests++;
}

static struct worker_file *find_file(struct worker *worker, uint64_t key)
{
	for (unsigned i = 0; i < worker->n_files; i++)
		if (worker->files[i].key == key)
			return &worker->files[i];
	return NULL;
}

static void drop_file(struct worker *worker, struct worker_file *file)
{
	uint64_t key = file->key;

	symbol_index_free(file->index);
	send_simple(SYMBOL_DROPPED, 1, 0, key);
	close(file->binary);
	if (file->debug >= 0)
		close(file->debug);
	send_simple(SYMBOL_DROPPED, 0, 0, key);
	*file = worker->files[--worker->n_files];
}

/* The file that was not used for longest; only among those with an index. NULL: none. */
static struct worker_file *find_oldest(struct worker *worker, bool indexed,
				       const struct worker_file *except)
{
	struct worker_file *oldest = NULL;

	for (unsigned i = 0; i < worker->n_files; i++) {
		struct worker_file *file = &worker->files[i];

		if (file != except && (file->index || !indexed) &&
		    (!oldest || file->used < oldest->used))
			oldest = file;
	}
	return oldest;
}

static void add_file(struct worker *worker)
{
	const struct symbol_request *request = &worker->request;
	struct worker_file *file = find_file(worker, request->key);

	if (worker->sent[0] < 0)
		_exit(HELPER_BROKEN);
	if (file) { /* of another name, or of another process */
		close(worker->sent[0]);
		if (worker->sent[1] >= 0)
			close(worker->sent[1]);
		return;
	}
	if (worker->n_files == FILES_MAX && (file = find_oldest(worker, false, NULL)))
		drop_file(worker, file);
	worker->files[worker->n_files++] = (struct worker_file){
		.key = request->key,
		.used = worker->requests,
		.binary = worker->sent[0],
		.debug = worker->sent[1],
	};
}

static size_t index_bytes(const struct worker *worker, const struct worker_file *except)
{
	size_t sum = 0;

	for (unsigned i = 0; i < worker->n_files; i++)
		if (worker->files[i].index && &worker->files[i] != except)
			sum += symbol_index_bytes(worker->files[i].index);
	return sum;
}

/* Other indexes are dropped, the descriptors of their files are not. */
static void bound_indexes(struct worker *worker, const struct worker_file *file, size_t bytes)
{
	struct worker_file *oldest;

	while (index_bytes(worker, file) + bytes > INDEX_BYTES &&
	       (oldest = find_oldest(worker, true, file))) {
		symbol_index_free(oldest->index);
		oldest->index = NULL;
	}
}

static void make_index(struct worker *worker, struct worker_file *file)
{
	struct elf_source binary, debug;
	bool has_debug = file->debug >= 0 && elf_source_open(&debug, file->debug) == 0;

	if (file->index || file->refused)
		return;
	file->refused = elf_source_open(&binary, file->binary) ||
			symbol_index_new(&binary, has_debug ? &debug : NULL, &file->index);
	if (file->index)
		bound_indexes(worker, file, symbol_index_bytes(file->index));
}

/* Makes the name to show, with "@plt" behind a called function's, "+0x123?" if it is unsure. */
static size_t make_name(struct worker *worker)
{
	const struct symbol_place *place = &worker->place;
	size_t n;

	if (demangle(worker->demangler, place->name, worker->name, sizeof(worker->name)))
		n = strlen(worker->name);
	else
		n = text_copy(worker->name, sizeof(worker->name), place->name);
	if (place->plt && n > 0)
		n += text_copy(worker->name + n, sizeof(worker->name) - n, "@plt");
	if (place->unsure == 0 || n == 0)
		return n;
	char offset[40];
	size_t length = (size_t)snprintf(offset, sizeof(offset), "+0x%" PRIx64 "?", place->unsure);
	n = size_min(n, sizeof(worker->name) - length - 1);
	return n + text_copy(worker->name + n, sizeof(worker->name) - n, offset);
}

static void begin_found(struct worker *worker)
{
	worker->reply = (struct symbol_reply){
		.kind = SYMBOL_FOUND,
		.id = worker->request.id,
		.key = worker->request.key,
	};
	worker->used = sizeof(worker->reply);
}

static void append_answer(struct worker *worker, uint32_t query, unsigned flags)
{
	struct symbol_answer answer = {
		.query = query,
		.address = worker->place.address,
		.start = worker->place.start,
		.end = worker->place.end,
		.name_bytes = (uint16_t)make_name(worker),
		.flags = (uint16_t)(flags | (worker->place.bounded ? SYMBOL_BOUNDED : 0) |
				    (worker->place.unsure ? SYMBOL_UNSURE : 0)),
	};

	if (worker->used + sizeof(answer) + answer.name_bytes > sizeof(worker->bytes)) {
		helper_process_send(worker->bytes, worker->used);
		begin_found(worker);
	}
	memcpy(worker->bytes + worker->used, &answer, sizeof(answer));
	memcpy(worker->bytes + worker->used + sizeof(answer), worker->name, answer.name_bytes);
	worker->used += sizeof(answer) + answer.name_bytes;
	worker->reply.n++;
}

/* An answer without a name. */
static void clear_place(struct worker *worker, uint64_t address)
{
	worker->place.address = address;
	worker->place.bounded = worker->place.plt = false;
	worker->place.unsure = worker->place.start = worker->place.end = 0;
	worker->place.name[0] = '\0';
}

static void copy_text(const struct symbol_request *request, char text[SYMBOL_TEXT_BYTES + 1])
{
	memcpy(text, request->name, request->n);
	text[request->n] = '\0';
}

static void locate_symbol(struct worker *worker, const struct symbol_index *index)
{
	char name[SYMBOL_TEXT_BYTES + 1];

	copy_text(&worker->request, name);
	clear_place(worker, 0);
	worker->place.bounded = index && symbol_index_locate(index, name, &worker->place.address);
	append_answer(worker, 0, 0);
}

static void find_functions(struct worker *worker, const struct symbol_index *index)
{
	const struct symbol_request *request = &worker->request;
	bool nameless = !index || !symbol_index_has_names(index);

	for (uint32_t i = 0; i < request->n; i++) {
		if (!index || !symbol_index_find(index, request->offsets[i], &worker->place))
			clear_place(worker, request->offsets[i]);
		append_answer(worker, i, nameless ? SYMBOL_NAMELESS : 0);
	}
}

/* The name of the answer is made readable as any other. */
static void demangle_text(struct worker *worker)
{
	clear_place(worker, 0);
	copy_text(&worker->request, worker->place.name);
	begin_found(worker);
	append_answer(worker, 0, 0);
	worker->reply.last = 1;
	helper_process_send(worker->bytes, worker->used);
}

static void answer_request(struct worker *worker)
{
	const struct symbol_request *request = &worker->request;
	struct worker_file *file = find_file(worker, request->key);

	if (!file) {
		send_simple(SYMBOL_MISSING, 0, request->id, request->key);
		return;
	}
	file->used = worker->requests;
	make_index(worker, file);
	begin_found(worker);
	if (request->kind == SYMBOL_LOCATE)
		locate_symbol(worker, file->index);
	else
		find_functions(worker, file->index);
	worker->reply.last = 1;
	helper_process_send(worker->bytes, worker->used);
}

static _Noreturn void serve_requests(struct worker *worker)
{
	for (;;) {
		receive_request(worker);
		if (worker->request.kind == SYMBOL_ADD)
			add_file(worker);
		else if (worker->request.kind == SYMBOL_FIND ||
			 worker->request.kind == SYMBOL_LOCATE)
			answer_request(worker);
		else if (worker->request.kind == SYMBOL_DEMANGLE)
			demangle_text(worker);
		else
			_exit(HELPER_BROKEN);
	}
}

void symbol_worker_main(int argc, char **argv)
{
	if (!helper_process_enter(argc, argv, SYMBOL_WORKER_NAME))
		return;
	int rc = symbol_sandbox_drop();
	if (rc) {
		helper_process_hello(HELPER_FAILED, (uint32_t)-rc);
		_exit(HELPER_BROKEN);
	}
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	struct worker *worker = xcalloc(1, sizeof(*worker));
	worker->demangler = demangler_new();
	if (!worker->demangler) {
		helper_process_hello(HELPER_FAILED, ENOSYS);
		_exit(HELPER_BROKEN);
	}
	bool filtered = symbol_sandbox_enter(MEMORY_BYTES, DESCRIPTORS_MAX);
	helper_process_hello(HELPER_READY, filtered);
	serve_requests(worker);
}
