// SPDX-License-Identifier: MIT
/*
 * Each step sends only what the script waits for. Nothing that the host answers names a file here
 * or becomes a word of a command, except the folder, which is checked.
 */
#include "tui/remote/host_setup.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/base/version.h"
#include "core/sys/cpu_kind.h"
#include "tui/remote/cksum.h"
#include "tui/remote/host_script.h"
#include "tui/remote/static_program.h"
#include "tui/remote/transport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	NOT_FOUND = 127,
	KIB = 1024,
	SENT_TABLES_MAX = 6 << 20,
	CHUNK_BYTES = 16 * KIB,
	REPLIES_MAX = 64,
	HOST_COLUMNS = 30, /* of the line about a copy */
};

#define END_PATIENCE_NS   (2 * NS_PER_S)
#define PROGRESS_AFTER_NS (1 * NS_PER_S)
#define PROGRESS_EACH_NS  (NS_PER_S / 5)

/* What is known of the host. */
struct host_facts {
	char machine[32], kernel[40];
	char cpu[HOST_VALUE_BYTES + 2];   /* lines of /proc/cpuinfo for one CPU */
	char installed[HOST_VALUE_BYTES]; /* first line of --version there */
};

struct dialogue {
	const struct host_setup *setup;
	struct channel *channel;
	struct host_reader reader;
	struct host_facts facts;
	struct static_program program; /* to be copied; empty: the installed one is used */
	char *parcel;                  /* parcel_pack(); owned */
	size_t parcel_bytes;
	bool begun;
	size_t n_replies;
};

/* Sets why the script has ended early: the transport failed, or no /bin/sh answered. */
static int set_ended(struct dialogue *dialogue, struct error *err)
{
	const struct host_setup *setup = dialogue->setup;
	bool ended = channel_wait(dialogue->channel, END_PATIENCE_NS);
	int status = ended ? dialogue->channel->status : 0;
	const char *text;

	if (dialogue->begun)
		text = status == SSH_FAILED && !setup->via
			       ? "the connection broke; ssh's message is above"
			       : "the set-up of pmctop ended early";
	else if (setup->via)
		text = status == NOT_FOUND
			       ? "the command is not installed here, or it ran no /bin/sh there"
		       : status ? "the command failed; its message is above"
				: "the command did not run /bin/sh there with its input "
				  "(docker, podman and kubectl need -it)";
	else if (status == NOT_FOUND)
		text = "ssh is not installed here (openssh-client), or it ran no /bin/sh there";
	else if (status == SSH_FAILED)
		text = "the connection failed; ssh's message is above";
	else
		text = "/bin/sh was not run: a forced command or another login shell has answered";
	return error_set(err, -ECONNREFUSED, "%s: %s.", setup->host, text);
}

static int set_strange(const struct dialogue *dialogue, struct error *err)
{
	return error_set(err, -EPROTO, "%s: the answer is not from pmctop's set-up.",
			 dialogue->setup->host);
}

static int next_reply(struct dialogue *dialogue, struct host_reply *reply, struct error *err)
{
	int rc = channel_reply(dialogue->channel, &dialogue->reader, dialogue->setup->signals,
			       reply);

	if (rc > 0 && ++dialogue->n_replies <= REPLIES_MAX)
		return 0;
	if (rc > 0 || rc == -EPROTO)
		return set_strange(dialogue, err);
	return rc == -EINTR ? rc : set_ended(dialogue, err);
}

/* The reply must have this key. */
static int await_reply(struct dialogue *dialogue, enum host_key key, struct host_reply *reply,
		       struct error *err)
{
	int rc = next_reply(dialogue, reply, err);

	return rc == 0 && reply->key != key ? set_strange(dialogue, err) : rc;
}

/*
 * A host that reads no more is no error yet: its last reply has the reason. Only a signal ends the
 * dialogue here.
 */
static int send_bytes(struct dialogue *dialogue, const void *bytes, size_t n)
{
	int rc = channel_write(dialogue->channel, bytes, n, dialogue->setup->signals);

	return rc == -EINTR ? rc : 0;
}

static int send_script(struct dialogue *dialogue)
{
	char head[160];

	snprintf(head, sizeof(head), "token=%s\nname=%s\n", dialogue->setup->token,
		 dialogue->setup->name);
	int rc = send_bytes(dialogue, head, strlen(head));
	return rc ? rc : send_bytes(dialogue, host_setup_script, strlen(host_setup_script));
}

static void set_cpu(struct host_facts *facts, const char *value)
{
	snprintf(facts->cpu, sizeof(facts->cpu), "%s\n\n", value);
	for (char *end = facts->cpu; (end = strchr(end, ';'));)
		*end = '\n';
}

static int check_kernel(const struct dialogue *dialogue, struct error *err)
{
	const struct host_facts *facts = &dialogue->facts;

	if (!facts->machine[0] || !facts->kernel[0])
		return set_strange(dialogue, err);
	if (strncmp(facts->kernel, "Linux ", strlen("Linux ")) == 0)
		return 0;
	return error_set(err, -ENOSYS, "%s runs %s. pmctop needs Linux there.",
			 dialogue->setup->host, facts->kernel);
}

static int read_facts(struct dialogue *dialogue, struct error *err)
{
	struct host_facts *facts = &dialogue->facts;
	struct host_reply reply;
	int rc = await_reply(dialogue, HOST_BEGIN, &reply, err);

	dialogue->begun = rc == 0;
	while (rc == 0 && (rc = next_reply(dialogue, &reply, err)) == 0) {
		if (reply.key == HOST_FACTS)
			return check_kernel(dialogue, err);
		if (reply.key == HOST_MACHINE)
			text_copy(facts->machine, sizeof(facts->machine), reply.value);
		else if (reply.key == HOST_CPU)
			set_cpu(facts, reply.value);
		else if (reply.key == HOST_INSTALLED)
			text_copy(facts->installed, sizeof(facts->installed), reply.value);
		else if (reply.key == HOST_KERNEL)
			text_copy(facts->kernel, sizeof(facts->kernel), reply.value);
		else
			rc = set_strange(dialogue, err);
	}
	return rc;
}

/* Uses the pmctop there if it is new enough, else loads the program that is copied. */
static int choose_program(struct dialogue *dialogue, struct error *err)
{
	const struct host_setup *setup = dialogue->setup;

	if (!setup->program && host_version_fits(dialogue->facts.installed, version))
		return 0;
	int rc = static_program_load(setup->program, dialogue->facts.machine, &dialogue->program,
				     err);
	return rc && !setup->program ? (err->code = -ENOEXEC) : rc;
}

/*
 * Adds the tables of events for the CPUs there. If the folder here has none for them, an empty name
 * of a folder is sent: the host does not read its own ones instead.
 */
static int pack_parcel(struct dialogue *dialogue, struct error *err)
{
	const struct host_setup *setup = dialogue->setup;
	struct tables_text *tables = &setup->parcel->tables;
	char id[64];

	cpu_kind_parse_id(dialogue->facts.cpu, id, sizeof(id));
	int rc = tables_read(setup->tables, id, tables, setup->why);
	if (rc == 0 && strlen(tables->text) > SENT_TABLES_MAX) {
		notes_add(setup->why,
			  "%.120s: the tables for %s are too long to be sent (at most %d bytes). "
			  "The built-in tables are used.",
			  tables->folder, id, SENT_TABLES_MAX);
		tables_text_fini(tables);
		rc = -ESRCH;
	}
	if (rc == -ESRCH)
		tables->folder = xstrdup("");
	return parcel_pack(setup->parcel, &dialogue->parcel, &dialogue->parcel_bytes, err);
}

static void note_refused(struct dialogue *dialogue, const char *value)
{
	static const struct {
		const char *reason, *text;
	} rows[] = {
		{"noexec ", "no program may be executed there (noexec)"},
		{"full ", "it is full, or a quota is reached"},
		{"denied ", "it cannot be written"},
		{"name ", "its name has characters that a shell may change"},
		{"relative ", "its name does not begin with /"},
		{"long ", "its name is too long"},
		{"others ", "another user may replace it, or a folder that leads to it"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t length = strlen(rows[i].reason);

		if (strncmp(value, rows[i].reason, length) == 0)
			notes_add(dialogue->setup->why, "%s: %.100s: %s.", dialogue->setup->host,
				  value + length, rows[i].text);
	}
}

static int choose_place(struct dialogue *dialogue, char folder[HOST_FOLDER_BYTES],
			struct error *err)
{
	const struct host_setup *setup = dialogue->setup;
	struct host_reply reply;
	char line[64];

	snprintf(line, sizeof(line), "%s %zu %s\n", dialogue->program.n ? "copy" : "link",
		 (dialogue->program.n + dialogue->parcel_bytes) / KIB + 8,
		 setup->recorded ? "yes" : "no");
	int rc = send_bytes(dialogue, line, strlen(line));
	while (rc == 0 && (rc = next_reply(dialogue, &reply, err)) == 0) {
		if (reply.key == HOST_REFUSED)
			note_refused(dialogue, reply.value);
		else
			break;
	}
	if (rc)
		return rc;
	if (reply.key == HOST_NOWHERE)
		return error_set(err, -ENOEXEC,
				 "%s: pmctop can be copied to no place and run there.",
				 setup->host);
	if (reply.key != HOST_FOLDER || strlen(reply.value) >= HOST_FOLDER_BYTES ||
	    !host_folder_is_valid(reply.value, setup->name))
		return set_strange(dialogue, err);
	text_copy(folder, HOST_FOLDER_BYTES, reply.value);
	return 0;
}

/*
 * A line on standard error about a copy that takes longer than a second. It is rewritten in place,
 * and there is none if standard error is no terminal.
 */
struct copy_progress {
	uint64_t due_ns; /* CLOCK_MONOTONIC: when it is shown or rewritten next */
	int columns;     /* of the shown line; 0: none is shown */
};

/* `sent` of `n` bytes were copied to `host` (transport_name()). */
static void show_progress(struct copy_progress *progress, const char *host, size_t sent, size_t n)
{
	char shown[3 * HOST_COLUMNS + 1], line[160];
	uint64_t now_ns = monotonic_ns();

	if (now_ns < progress->due_ns || !isatty(STDERR_FILENO))
		return;
	text_printable(shown, sizeof(shown), host, HOST_COLUMNS);
	progress->due_ns = now_ns + PROGRESS_EACH_NS;
	progress->columns = snprintf(line, sizeof(line), "\r%s: copying pmctop, %.1f of %.1f MB",
				     shown, (double)sent / 1e6, (double)n / 1e6);
	write_all(STDERR_FILENO, line, strlen(line), NULL);
}

static void remove_progress(const struct copy_progress *progress)
{
	char line[168];

	if (progress->columns == 0)
		return;
	snprintf(line, sizeof(line), "\r%*s\r", progress->columns, "");
	write_all(STDERR_FILENO, line, strlen(line), NULL);
}

/* What the transport has taken counts as copied. Of that, up to 2 MB may be on their way. */
static int send_contents(struct dialogue *dialogue, const char *bytes, size_t n,
			 struct copy_progress *progress)
{
	int rc = 0;

	for (size_t sent = 0; rc == 0 && sent < n;) {
		size_t some = n - sent < CHUNK_BYTES ? n - sent : CHUNK_BYTES;

		rc = send_bytes(dialogue, bytes + sent, some);
		sent += some;
		show_progress(progress, dialogue->setup->host, sent, n);
	}
	return rc;
}

static int send_file(struct dialogue *dialogue, const char *bytes, size_t n, const char *folder,
		     struct error *err)
{
	struct copy_progress progress = {.due_ns = monotonic_ns() + PROGRESS_AFTER_NS};
	struct host_reply reply;
	struct host_sum sum;
	char line[32];

	snprintf(line, sizeof(line), "%zu\n", n);
	int rc = send_bytes(dialogue, line, strlen(line));
	if (rc == 0)
		rc = send_contents(dialogue, bytes, n, &progress);
	if (rc == 0)
		rc = await_reply(dialogue, HOST_SUM, &reply, err);
	remove_progress(&progress);
	if (rc)
		return rc;
	if (!host_sum_parse(reply.value, &sum))
		return set_strange(dialogue, err);
	if (sum.bytes == n && (!sum.known || sum.crc == cksum(bytes, n)))
		return 0;
	return error_set(err, -ENOEXEC,
			 sum.bytes < n ? "%s: %.80s took only a part of the copy. Is the disk full?"
				       : "%s: the copy in %.80s is damaged.",
			 dialogue->setup->host, folder);
}

static int check_runs(struct dialogue *dialogue, const char *folder, struct error *err)
{
	struct host_reply reply;
	int rc = await_reply(dialogue, HOST_RUNS, &reply, err);

	if (rc)
		return rc;
	if (host_release_fits(reply.value, version))
		return await_reply(dialogue, HOST_READY, &reply, err);
	if (strncmp(reply.value, "pmctop ", strlen("pmctop ")) == 0)
		return error_set(err, -EINVAL,
				 "The copied program is %.60s, this one is %s. Build both from "
				 "the same sources: make all static.",
				 reply.value, version);
	return error_set(err, -ENOEXEC, "%s (%s): the program in %.80s does not run: %.60s",
			 dialogue->setup->host, dialogue->facts.kernel, folder,
			 reply.value[0] ? reply.value : "it printed nothing.");
}

static int hold_dialogue(struct dialogue *dialogue, char folder[HOST_FOLDER_BYTES],
			 struct error *err)
{
	int rc = send_script(dialogue);

	if (rc == 0)
		rc = read_facts(dialogue, err);
	if (rc == 0)
		rc = choose_program(dialogue, err);
	if (rc == 0)
		rc = pack_parcel(dialogue, err);
	if (rc == 0)
		rc = choose_place(dialogue, folder, err);
	if (rc == 0 && dialogue->program.n > 0)
		rc = send_file(dialogue, dialogue->program.bytes, dialogue->program.n, folder, err);
	if (rc == 0)
		rc = send_file(dialogue, dialogue->parcel, dialogue->parcel_bytes, folder, err);
	return rc ? rc : check_runs(dialogue, folder, err);
}

int host_setup_run(const struct host_setup *setup, struct channel *channel,
		   char folder[HOST_FOLDER_BYTES], struct error *err)
{
	struct dialogue dialogue = {.setup = setup, .channel = channel};

	host_reader_init(&dialogue.reader, setup->token);
	int rc = hold_dialogue(&dialogue, folder, err);
	static_program_fini(&dialogue.program);
	free(dialogue.parcel);
	return rc;
}
