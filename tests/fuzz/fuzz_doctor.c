// SPDX-License-Identifier: MIT
/*
 * The doctor on any machine. The input is a list of paths and texts of files, each ended by a NUL.
 * The file "open" has the answer of perf_event_open. The page must be printable, and the JSON one
 * line of UTF-8.
 */
#include "tests/fuzz/fuzz.h"

#include "core/doctor/doctor.h"
#include "core/doctor/out_doctor.h"

#include <errno.h>

enum { FILES_MAX = 48 };

struct files {
	char *paths[FILES_MAX], *texts[FILES_MAX];
	size_t n;
	int answer;
};

static const char *find_text(const struct files *files, const char *path)
{
	for (size_t i = 0; i < files->n; i++)
		if (strcmp(files->paths[i], path) == 0)
			return files->texts[i];
	return NULL;
}

static ssize_t file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	const char *text = find_text(ctx, path);

	buffer[0] = '\0';
	if (!text)
		return -ENOENT;
	return snprintf(buffer, size, "%s", text) < (int)size ? (ssize_t)strlen(buffer)
							      : (ssize_t)size - 1;
}

static int file_owner(void *ctx, const char *path, uid_t *owner)
{
	*owner = 0;
	return find_text(ctx, path) ? 0 : -ENOENT;
}

/* Each word of a text is a name in the directory. */
static int dir_each(void *ctx, const char *path, int (*fn)(void *arg, const char *name), void *arg)
{
	const char *text = find_text(ctx, path);

	if (!text)
		return -ENOENT;
	for (size_t n = 0; *text; text += n) {
		char name[64];

		text += strspn(text, " \n");
		n = strcspn(text, " \n");
		snprintf(name, sizeof(name), "%.*s", (int)n, text);
		if (name[0] && !strchr(name, '/') && fn(arg, name))
			break;
	}
	return 0;
}

static int perf_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags)
{
	const struct files *files = ctx;

	(void)attr, (void)flags;
	if (pid == -1 && cpu == -1)
		return -EINVAL;
	return files->answer > 0                     ? -files->answer
	       : group_fd >= 0 && -files->answer % 2 ? -EINVAL
						     : 3;
}

static ssize_t perf_read(void *ctx, int fd, void *buffer, size_t size)
{
	const struct files *files = ctx;

	(void)fd;
	memset(buffer, files->answer < -9, size);
	return (ssize_t)size;
}

static int stub_close(void *ctx, int fd)
{
	(void)ctx, (void)fd;
	return 0;
}

static uint64_t now_ns(void *ctx)
{
	(void)ctx;
	return 1;
}

static void check_output(const struct doctor *doctor, bool json)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		abort();
	if (json)
		out_doctor_json(doctor, file);
	else
		out_doctor_text(doctor, 80, false, file);
	fclose(file);
	fuzz_check(strlen(text) == size && size > 0 && text[size - 1] == '\n',
		   "the last line ends");
	text[size - 1] = '\0';
	if (json) {
		for (const char *at = text; *at;) {
			long c = fuzz_utf8(&at);

			fuzz_check(c >= 0x20 && c != 0x7F, "JSON is one line of UTF-8");
		}
	} else {
		for (char *at = text; *at; at++)
			if (*at == '\n')
				*at = ' ';
		fuzz_check(fuzz_is_printable(text), "the page is printable");
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct sys_ops ops = {
		.perf_open = perf_open,
		.perf_read = perf_read,
		.close = stub_close,
		.now_ns = now_ns,
		.file_read = file_read,
		.link_read = file_read,
		.file_owner = file_owner,
		.dir_each = dir_each,
	};
	struct fuzz_bytes bytes = {data, size};
	struct files files = {.n = 0};
	struct doctor doctor;

	for (; bytes.left > 0 && files.n < FILES_MAX; files.n++) {
		files.paths[files.n] = fuzz_text(&bytes);
		files.texts[files.n] = fuzz_text(&bytes);
	}
	const char *answer = find_text(&files, "open");
	files.answer = answer ? atoi(answer) % 128 : 0;

	doctor_examine(&(struct sys){&ops, &files}, NULL, &doctor);
	for (size_t i = 1; i < doctor.n; i++)
		fuzz_check(doctor.items[i - 1].section <= doctor.items[i].section,
			   "findings are ordered by section");
	fuzz_check(doctor.verdict[0] != '\0', "the verdict has a text");
	check_output(&doctor, false);
	check_output(&doctor, true);
	doctor_fini(&doctor);
	for (size_t i = 0; i < files.n; i++) {
		free(files.paths[i]);
		free(files.texts[i]);
	}
	return 0;
}
