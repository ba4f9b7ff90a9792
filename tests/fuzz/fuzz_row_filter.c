// SPDX-License-Identifier: MIT
/* Any filter text against a task with any names. */
#include "tests/fuzz/fuzz.h"

#include "core/base/util.h"
#include "core/snapshot/row_filter.h"
#include "core/sys/cgroup_name.h"

#include <ctype.h>

/* Ignores the case of ASCII letters alone, in any locale. */
static bool contains(const char *text, const char *word, size_t length)
{
	for (; strlen(text) >= length; text++) {
		size_t i = 0;

		while (i < length &&
		       (isascii(text[i]) && isascii(word[i]) ? tolower(text[i]) == tolower(word[i])
							     : text[i] == word[i]))
			i++;
		if (i == length)
			return true;
	}
	return false;
}

/* The rule of the filter, implemented a second time. */
static bool passes(const char *words, const struct row *row, const char *cgroup)
{
	char pid[16], tid[16], name[256] = "";
	const char *const texts[] = {
		row->comm, row->user, row->cmdline ? row->cmdline : "", pid, tid, cgroup, name};

	snprintf(pid, sizeof(pid), "%d", row->pid);
	snprintf(tid, sizeof(tid), "%d", row->tid);
	cgroup_name(cgroup, name, sizeof(name));
	for (;;) {
		words += strspn(words, " \t");
		size_t length = strcspn(words, " \t");
		bool found = false;

		if (length == 0)
			return true;
		for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
			found |= contains(texts[i], words, length);
		if (!found)
			return false;
		words += length;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	struct row_filter_spec spec = {.one_user = false};
	struct row row = {.pid = 1 + fuzz_u8(&bytes) * 257, .tid = 1 + fuzz_u8(&bytes) * 3};
	struct row_filter filter;

	fuzz_read(&bytes, row.comm, sizeof(row.comm) - 1);
	fuzz_read(&bytes, row.user, sizeof(row.user) - 1);

	char *words = fuzz_text(&bytes), *cgroup = fuzz_text(&bytes), *cmdline = fuzz_text(&bytes);
	const struct snapshot snapshot = {.cgroups = &cgroup, .n_cgroups = 1};

	text_copy(spec.text, sizeof(spec.text), words);
	row.cmdline = cmdline[0] ? cmdline : NULL;
	row_filter_init(&spec, &snapshot, &filter);
	fuzz_check(row_filter_passes(&filter, &row) == passes(spec.text, &row, cgroup),
		   "a task passes if each word is in one of its texts");
	fuzz_check(row_filter_is_set(&spec) || row_filter_passes(&filter, &row),
		   "without a filter all tasks pass");
	row_filter_fini(&filter);
	free(words);
	free(cgroup);
	free(cmdline);
	return 0;
}
