// SPDX-License-Identifier: MIT
/*
 * Tables of events. The input is an id of a CPU, a NUL, a name to find, a NUL, and the text of a
 * table, which is packed here, or, if it begins with '!', a frame behind that. A table that is
 * read is sorted and complete, and each of its names is found. Its metrics have a formula or the
 * reason why not.
 */
#include "tests/fuzz/fuzz.h"

#include "core/event/event_table.h"
#include "core/metric/metric_vendor_formula.h"
#include "core/sys/pmu.h"

#include <errno.h>
#include <zstd.h>

static void check_found(const struct event_table *table, const char *name)
{
	size_t n;
	const struct event_table_item *item = event_table_find(table, name, strlen(name), &n);

	fuzz_check(n == 0 ? !item : item >= table->items && item + n <= table->items + table->n,
		   "what is found is in the table");
}

static void check_table(const struct event_table *table)
{

	fuzz_check(table->cpu && table->version && table->date, "a table has its origin");
	for (size_t i = 0; i < table->n; i++) {
		const struct event_table_item *item = &table->items[i];
		size_t n;

		fuzz_check(item->name[0] && item->pmu[0] && item->terms[0],
			   "an item has a name, a PMU and terms");
		event_table_find(table, item->name, strlen(item->name), &n);
		fuzz_check(n > 0, "each name is found");
	}
}

static void check_formulas(const struct event_table *table)
{
	const struct pmu_set pmus = {.n = 0};
	const struct event_context context = {.pmus = &pmus};

	for (size_t i = 0; i < table->n_metrics; i++) {
		struct metric_vendor_threshold threshold;
		struct error why = {.text = ""};
		char *formula = metric_vendor_formula(&context, table, &table->metrics[i], &why);

		fuzz_check(formula || why.text[0], "a formula or the reason");
		free(formula);
		metric_vendor_threshold(&table->metrics[i], &threshold);
		fuzz_check(threshold.text != NULL, "a threshold has a text");
		free(threshold.text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *id = fuzz_text(&bytes), *name = fuzz_text(&bytes);
	const void *frame = bytes.at;
	size_t n = bytes.left;
	void *packed = NULL;
	struct event_table table;
	struct error err = {0};

	if (n > 0 && bytes.at[0] == '!') {
		frame = bytes.at + 1;
		n--;
	} else {
		size_t bound = ZSTD_compressBound(n);

		packed = malloc(bound);
		if (!packed)
			abort();
		n = ZSTD_compress(packed, bound, bytes.at, n, 1);
		frame = packed;
	}
	int result = event_table_read(frame, n, id, &table, &err);
	fuzz_check(result == 0 || result == -ENOENT || (result == -EBADMSG && err.text[0]),
		   "a result of the header");
	if (result == 0) {
		check_table(&table);
		check_formulas(&table);
		check_found(&table, name);
		event_table_fini(&table);
	}
	free(packed);
	free(id);
	free(name);
	return 0;
}
