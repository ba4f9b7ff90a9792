// SPDX-License-Identifier: MIT
/*
 * A snapshot with any names, counts and functions in each batch format. JSON is valid and one line.
 * All lines of CSV have equally many fields. Both dialects for monitoring have valid lines and
 * unique series. Text is printable.
 */
#include "tests/fuzz/fuzz.h"

#include "core/output/batch.h"
#include "tests/unit/shared/sample.h"

#include <ctype.h>

enum { NESTED_MAX = 16 };

/* A parser of JSON (RFC 8259). Functions return the end of a value, or NULL: invalid. */

static const char *json_string(const char *at)
{
	if (*at++ != '"')
		return NULL;
	while (*at != '"') {
		if (*at == '\\') {
			if (!at[1] || !strchr("\"\\/bfnrtu", at[1]))
				return NULL;
			if (at[1] == 'u' && strspn(at + 2, "0123456789abcdefABCDEF") < 4)
				return NULL;
			at += 2;
		} else if (fuzz_utf8(&at) < 0x20) {
			return NULL;
		}
	}
	return at + 1;
}

static const char *json_number(const char *at)
{
	at += *at == '-';
	if (!isdigit((unsigned char)*at) || (*at == '0' && isdigit((unsigned char)at[1])))
		return NULL;
	at += strspn(at, "0123456789");
	if (*at == '.') {
		size_t digits = strspn(++at, "0123456789");
		if (digits == 0)
			return NULL;
		at += digits;
	}
	if (*at != 'e')
		return at;
	at++;
	at += *at == '-' || *at == '+';
	size_t digits = strspn(at, "0123456789");
	return digits ? at + digits : NULL;
}

static const char *json_value(const char *at, unsigned nested)
{
	static const char *const words[] = {"true", "false", "null"};
	char close = *at == '{' ? '}' : ']';

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strncmp(at, words[i], strlen(words[i])) == 0)
			return at + strlen(words[i]);
	if (*at == '"')
		return json_string(at);
	if (*at != '{' && *at != '[')
		return json_number(at);
	if (nested == NESTED_MAX)
		return NULL;
	if (at[1] == close)
		return at + 2;
	do {
		at++;
		if (close == '}') {
			at = json_string(at);
			if (!at || *at++ != ':')
				return NULL;
		}
		at = json_value(at, nested + 1);
	} while (at && *at == ',');
	return at && *at == close ? at + 1 : NULL;
}

static void check_json(const char *text)
{
	const char *end = json_value(text, 0);

	fuzz_check(end && strcmp(end, "\n") == 0, "JSON is one value on one line");
}

static void check_text(char *text)
{
	for (char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		fuzz_check(end, "a line ends");
		*end = '\0';
		fuzz_check(fuzz_is_printable(line), "a line of text is printable");
	}
}

/* Counts the fields of a line of CSV (RFC 4180). Returns its end, or NULL: invalid. */
static const char *csv_line(const char *at, unsigned *fields)
{
	for (*fields = 1;; at++) {
		if (*at == '"') {
			for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
				if (*at == '\n')
					return NULL;
				at += *at == '"';
			}
			if (*at++ != '"')
				return NULL;
		} else {
			at += strcspn(at, ",\"\n");
		}
		if (*at == '\n')
			return at + 1;
		if (*at != ',')
			return NULL;
		++*fields;
	}
}

static void check_csv(const char *text)
{
	unsigned first, fields;

	for (const char *at = csv_line(text, &first); at && *at;) {
		at = csv_line(at, &fields);
		fuzz_check(at && fields == first, "all lines of CSV have the same fields");
	}
}

static size_t name_length(const char *at)
{
	return strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
}

/* The end of `{a="b",c="d"}`, or NULL: invalid. */
static const char *labels_end(const char *at)
{
	do {
		at++;
		size_t length = name_length(at);
		if (length == 0 || strncmp(at + length, "=\"", 2) != 0)
			return NULL;
		for (at += length + 2; *at && *at != '"'; at++)
			if (*at == '\\' && !strchr("\\\"n", *++at))
				return NULL;
		if (*at++ != '"')
			return NULL;
	} while (*at == ',');
	return *at == '}' ? at + 1 : NULL;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Each line is a comment or `name{labels} number`; name and labels are unique. */
static void check_metrics(char *text, bool openmetrics)
{
	size_t n = 0, capacity = 0;
	char **series = NULL;

	fuzz_check(!openmetrics || strcmp(text + strlen(text) - 6, "# EOF\n") == 0,
		   "the text has its end mark");
	for (char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		fuzz_check(end, "a line ends");
		*end = '\0';
		fuzz_check(fuzz_is_printable(line), "a line of metrics is printable");
		if (line[0] == '#')
			continue;
		const char *at = line + name_length(line);
		if (*at == '{')
			at = labels_end(at);
		fuzz_check(at && at > line && *at == ' ', "a sample is a name with labels");
		fuzz_check(strspn(at + 1, "0123456789.") == strlen(at + 1),
			   "a sample has a number");
		line[at - line] = '\0';
		series = array_reserve(series, &capacity, n + 1, sizeof(*series));
		series[n++] = line;
	}
	qsort(series, n, sizeof(*series), compare_texts);
	for (size_t i = 1; i < n; i++)
		fuzz_check(strcmp(series[i - 1], series[i]) != 0, "series are unique");
	free(series);
}

/* Each line is frames between semicolons, a blank and a number, and each stack is there once. */
static void check_folded(char *text)
{
	const char *before = "";

	for (char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		fuzz_check(end, "a line ends");
		*end = '\0';
		fuzz_check(fuzz_is_printable(line), "a stack is printable");
		char *blank = strchr(line, ' ');
		fuzz_check(blank && blank > line && isdigit((unsigned char)blank[1]) &&
				   strspn(blank + 1, "0123456789") == strlen(blank + 1),
			   "a stack has a number");
		*blank = '\0';
		fuzz_check(line[0] != ';' && blank[-1] != ';' && !strstr(line, ";;"),
			   "a frame has a name");
		fuzz_check(strcmp(before, line) < 0, "stacks are sorted and unique");
		before = line;
	}
}

static void check_format(const struct batch_format *format, char *text)
{
	if (format->finish)
		check_folded(text);
	else if (strcmp(format->name, "json") == 0)
		check_json(text);
	else if (strcmp(format->name, "csv") == 0)
		check_csv(text);
	else if (format->replace)
		check_metrics(text, strcmp(format->name, "openmetrics") == 0);
	else
		check_text(text);
}

static void check_formats(const struct snapshot *snapshot, const struct view_spec *spec)
{
	struct view view;

	view_init(snapshot, spec, &view);
	for (size_t i = 0; i < batch_formats_n; i++) {
		const struct batch_format *format = &batch_formats[i];
		void *kept = format->begin ? format->begin(2) : NULL;
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		if (!out)
			abort();
		if (format->replace)
			format->replace(kept, snapshot, out);
		else
			format->write(kept, &view, out);
		if (format->finish)
			format->finish(kept, out);
		fclose(out);
		fuzz_check(strlen(text) == size, "output has no NUL");
		check_format(format, text);
		free(text);
		if (format->end)
			format->end(kept);
	}
	view_fini(&view);
}

static void read_name(struct fuzz_bytes *bytes, char *name, size_t size)
{
	char *text = fuzz_text(bytes);

	text_copy(name, size, text);
	free(text);
}

/* Samples in functions of any names, by the bytes that are left. */
static struct code_profile *read_profile(struct fuzz_bytes *bytes)
{
	struct code_profile_builder *builder = code_profile_builder_new();
	struct code_event event = {.counted = TALLY_TASK_CLOCK};

	for (size_t stacks = fuzz_u8(bytes) % 8; stacks-- > 0;) {
		uint8_t flags = fuzz_u8(bytes);
		char *name = fuzz_text(bytes), *module = fuzz_text(bytes);
		const struct code_function function = {name[0] ? name : "f", module,
						       (enum code_kind)(flags & 3)};
		uint32_t at = code_profile_function(builder, &function);
		uint32_t frames[] = {at, at, at};
		pid_t pid = flags >> 2 & 3;

		read_name(bytes, event.name, sizeof(event.name));
		event.counted = flags >> 4 & 7;
		code_profile_add(builder,
				 &(struct code_entry){
					 .task = code_profile_task(
						 builder, &(struct code_task){pid, pid, 0}),
					 .event = code_profile_event(builder, &event),
					 .cpu = flags >> 7,
					 .depth = 1 + flags % 3,
					 .samples = 1 + (fuzz_u8(bytes) & 3),
					 .weight = fuzz_u64(bytes) >> 8,
					 .squares = 1,
				 },
				 frames);
		free(name);
		free(module);
	}
	code_profile_add_lost(builder, fuzz_u8(bytes));
	return code_profile_end(builder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	struct columns *columns = sample_columns("overview");
	struct sample_row rows[2] = {0};
	char host[64], pmu[32], *command[] = {host, pmu, NULL};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		read_name(&bytes, rows[i].row.comm, sizeof(rows[i].row.comm));
		read_name(&bytes, rows[i].row.user, sizeof(rows[i].row.user));
		rows[i].row.pid = rows[i].row.tid = (pid_t)i + 1;
		rows[i].row.ppid = rows[i].row.cgroup = (pid_t)i; /* 2 is a child of 1 */
	}
	read_name(&bytes, host, sizeof(host));
	read_name(&bytes, pmu, sizeof(pmu));
	char *note = fuzz_text(&bytes);
	uint8_t flags = fuzz_u8(&bytes);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		rows[i].row.flags = flags >> 2 * i & (ROW_EXITED | ROW_KERNEL);
		fuzz_read(&bytes, rows[i].counts, sizeof(rows[i].counts));
		rows[i].shared = flags >> 4 & 1;
		rows[i].group_1_ns = fuzz_u64(&bytes);
	}

	struct snapshot *snapshot = sample_snapshot(columns, rows, ARRAY_SIZE(rows));
	memcpy(snapshot->host, host, sizeof(host));
	memcpy(snapshot->pmu, pmu, sizeof(pmu));
	snapshot->notes = xcalloc(1, sizeof(char *));
	snapshot->notes[snapshot->n_notes++] = note;
	snapshot->cgroups = xcalloc(1, sizeof(char *));
	snapshot->cgroups[snapshot->n_cgroups++] = xstrdup(note);
	if (bytes.left > 0)
		snapshot->code = read_profile(&bytes);
	if (flags >> 7) { /* of a command with any name */
		snapshot->run = xcalloc(1, sizeof(*snapshot->run));
		*snapshot->run = (struct snapshot_run){
			.command = command,
			.status = (int)(flags & 3) - 1,
			.elapsed_ns = rows[0].group_1_ns,
			.part = 1,
			.parts = 1 + (flags & 1),
		};
	}
	check_formats(snapshot, &(struct view_spec){.by = flags >> 5 & 7,
						    .reverse = flags >> 6 & 1,
						    .top = flags >> 2 & 3});
	check_formats(snapshot, &(struct view_spec){.by = ROLLUP_CPU});
	snapshot_free(snapshot);
	return 0;
}
