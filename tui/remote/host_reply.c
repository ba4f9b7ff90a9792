// SPDX-License-Identifier: MIT
/*
 * A login shell's file may print a text without a line end before the token, so the token is
 * searched in the line. A line that is too long keeps only its last bytes until the token is found.
 */
#include "tui/remote/host_reply.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static const char *const keys[] = {
	[HOST_BEGIN] = "begin",     [HOST_MACHINE] = "machine",     [HOST_KERNEL] = "kernel",
	[HOST_CPU] = "cpu",         [HOST_INSTALLED] = "installed", [HOST_FACTS] = "facts",
	[HOST_REFUSED] = "refused", [HOST_NOWHERE] = "nowhere",     [HOST_FOLDER] = "folder",
	[HOST_SUM] = "sum",         [HOST_RUNS] = "runs",           [HOST_READY] = "ready",
	[HOST_UNUSED] = "unused",
};

void host_reader_init(struct host_reader *reader, const char *token)
{
	*reader = (struct host_reader){0};
	text_copy(reader->token, sizeof(reader->token), token);
}

/* "KEY VALUE" or "KEY". */
static int parse_reply(const char *text, struct host_reply *reply)
{
	size_t length = strcspn(text, " ");

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strlen(keys[i]) != length || strncmp(text, keys[i], length) != 0)
			continue;
		reply->key = (enum host_key)i;
		text += length + (text[length] == ' ');
		if (strlen(text) >= sizeof(reply->value))
			return -EPROTO;
		text_copy(reply->value, sizeof(reply->value), text);
		for (char *c = reply->value; *c; c++)
			if (*c < ' ' || *c > '~')
				*c = '?';
		return 1;
	}
	return -EPROTO;
}

/* The text after "TOKEN " in the line so far; NULL: no token. */
static const char *text_after_token(const struct host_reader *reader)
{
	const char *found = strstr(reader->line, reader->token);

	return found && found[HOST_TOKEN_DIGITS] == ' ' ? found + HOST_TOKEN_DIGITS + 1 : NULL;
}

/* Keeps the bytes of a long line in which a token may begin. */
static int shorten_line(struct host_reader *reader)
{
	const size_t kept = HOST_TOKEN_DIGITS + 1;

	if (text_after_token(reader) && reader->line != strstr(reader->line, reader->token)) {
		/* What is before the token makes it too long. */
		const char *token = strstr(reader->line, reader->token);
		size_t length = strlen(token);

		memmove(reader->line, token, length + 1);
		reader->n = length;
		return 0;
	}
	if (text_after_token(reader))
		return -EPROTO;
	memmove(reader->line, reader->line + reader->n - kept, kept + 1);
	reader->n = kept;
	return 0;
}

static int take_line(struct host_reader *reader, struct host_reply *reply)
{
	const char *text = text_after_token(reader);
	/* A token alone: something sends the script back. */
	int result = text                                  ? parse_reply(text, reply)
		     : strstr(reader->line, reader->token) ? -EPROTO
							   : 0;

	reader->n = 0;
	reader->line[0] = '\0';
	if (result > 0)
		reader->skipped = 0;
	return result;
}

int host_reader_take(struct host_reader *reader, const char *bytes, size_t n, size_t *used,
		     struct host_reply *reply)
{
	int result = 0;

	for (*used = 0; *used < n && result == 0;) {
		char c = bytes[(*used)++];

		if (++reader->skipped > HOST_SKIPPED_MAX)
			return -EPROTO;
		if (c == '\n') {
			result = take_line(reader, reply);
			continue;
		}
		if (reader->n + 1 == sizeof(reader->line) && shorten_line(reader) < 0)
			return -EPROTO;
		reader->line[reader->n++] = c ? c : '?';
		reader->line[reader->n] = '\0';
	}
	return result;
}

bool host_folder_is_valid(const char *path, const char *name)
{
	static const char safe[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
	const char *last = strrchr(path, '/');
	size_t length = strlen(path), tail = strlen(name);

	return path[0] == '/' && strspn(path, safe) == length && !strstr(path, "..") &&
	       strncmp(last + 1, "pmctop-ssh-", strlen("pmctop-ssh-")) == 0 && length > tail &&
	       path[length - tail - 1] == '-' && strcmp(path + length - tail, name) == 0;
}

bool host_sum_parse(const char *value, struct host_sum *sum)
{
	uint64_t first = 0, second = 0;
	size_t used = text_u64(value, &first);

	*sum = (struct host_sum){0};
	if (used == 0)
		return false;
	value += used;
	used = text_u64(value, &second);
	value += used;
	if (value[strspn(value, " ")])
		return false;
	sum->known = used > 0;
	if (sum->known && first > UINT32_MAX)
		return false;
	sum->crc = sum->known ? (uint32_t)first : 0;
	sum->bytes = sum->known ? second : first;
	return true;
}

/* "0.1.0", and what is behind it. */
struct version_parts {
	uint64_t release[3];
	uint64_t commits; /* since the tag */
	bool tagged;      /* commits is valid: "0.1.0", "0.1.0+12.gda45510" */
};

static bool parse_version(const char *text, struct version_parts *parts)
{
	*parts = (struct version_parts){0};
	for (size_t i = 0; i < ARRAY_SIZE(parts->release); i++) {
		size_t used =
			isdigit((unsigned char)text[0]) ? text_u64(text, &parts->release[i]) : 0;

		if (used == 0 || (i < 2 && text[used] != '.'))
			return false;
		text += used + (i < 2);
	}
	if (!text[0]) {
		parts->tagged = true;
	} else if (text[0] == '+' && isdigit((unsigned char)text[1])) {
		size_t used = text_u64(text + 1, &parts->commits);

		parts->tagged = used > 0 && text[1 + used] == '.';
	}
	return true;
}

/* The parts of the version in "pmctop VERSION". */
static bool parse_line(const char *line, struct version_parts *parts)
{
	static const char name[] = "pmctop ";

	return strncmp(line, name, strlen(name)) == 0 && parse_version(line + strlen(name), parts);
}

static int compare_releases(const struct version_parts *theirs, const struct version_parts *ours)
{
	for (size_t i = 0; i < ARRAY_SIZE(ours->release); i++)
		if (theirs->release[i] != ours->release[i])
			return theirs->release[i] > ours->release[i] ? 1 : -1;
	return 0;
}

bool host_release_fits(const char *line, const char *own)
{
	struct version_parts theirs, ours;

	return parse_line(line, &theirs) && parse_version(own, &ours) &&
	       compare_releases(&theirs, &ours) >= 0;
}

bool host_version_fits(const char *line, const char *own)
{
	struct version_parts theirs, ours;

	if (!host_release_fits(line, own))
		return false;
	if (strcmp(strchr(line, ' ') + 1, own) == 0)
		return true;
	parse_line(line, &theirs);
	parse_version(own, &ours);
	return compare_releases(&theirs, &ours) > 0 ||
	       (theirs.tagged && ours.tagged && theirs.commits >= ours.commits);
}
