// SPDX-License-Identifier: MIT
/*
 * The frame is unpacked as a whole, because one frame of all CPUs is a third of one frame for each.
 * The lines of this CPU are kept and cut into texts. Lines that are not understood are left out.
 */
#include "core/event/event_table.h"

#include "core/base/util.h"
#include "core/sys/cpu_model.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Several times what the built-in frame has. */
#define TEXT_MAX_BYTES ((size_t)32 << 20)
#define ITEMS_MAX      100000

static const char first_line[] = "pmctop-event-tables 1\n";

/* Returns the text, which the caller frees, or NULL and a sentence. */
static char *unpack(const void *frame, size_t size, struct error *err)
{
	unsigned long long length = ZSTD_getFrameContentSize(frame, size);

	if (length == ZSTD_CONTENTSIZE_UNKNOWN || length == ZSTD_CONTENTSIZE_ERROR ||
	    length > TEXT_MAX_BYTES) {
		error_set(err, -EBADMSG, "The table of events is not a zstd frame.");
		return NULL;
	}
	char *text = xmalloc((size_t)length + 1);
	text[length] = '\0';
	size_t result = ZSTD_decompress(text, (size_t)length, frame, size);
	if (ZSTD_isError(result) || result != length || memchr(text, '\0', (size_t)length) ||
	    strncmp(text, first_line, strlen(first_line)) != 0) {
		free(text);
		error_set(err, -EBADMSG, "The table of events is damaged.");
		return NULL;
	}
	return text;
}

/* Cuts a line off at the next tab and returns what follows it; "" at the end. */
static char *next_field(char *field)
{
	char *tab = field + strcspn(field, "\t");

	if (*tab)
		*tab++ = '\0';
	return tab;
}

/* Whether a pattern matches an id, or the first parts of it: the CPU in any stepping. */
static bool matches_id(const char *pattern, const char *id)
{
	char part[64];

	/* A star would take time that grows with a power of the length. */
	if (strchr(pattern, '*') || strlen(pattern) >= sizeof(part) || strlen(id) >= sizeof(part))
		return false;
	memcpy(part, id, strlen(id) + 1);
	for (;;) {
		if (fnmatch(pattern, part, FNM_NOESCAPE) == 0)
			return true;
		char *dash = strrchr(part, '-');
		if (!dash)
			return false;
		*dash = '\0';
	}
}

/* Whether one of the patterns in the line that begins a CPU matches. */
static bool has_id(const char *line, size_t length, const char *id)
{
	char *copy = xstrndup(line, length);
	bool found = false;
	char *field = copy;

	for (size_t i = 0; *field && !found; i++) {
		char *next = next_field(field);

		found = i >= 3 && matches_id(field, id); /* behind name, version and date */
		field = next;
	}
	free(copy);
	return found;
}

/* Returns the lines of the CPU without the first "=", in a block of their own, or NULL. */
static char *find_cpu(const char *text, const char *id)
{
	const char *at = text;

	while ((at = strstr(at, "\n="))) {
		at += 2;
		if (!has_id(at, strcspn(at, "\n"), id))
			continue;
		const char *end = strstr(at, "\n=");
		return end ? xstrndup(at, (size_t)(end - at)) : xstrdup(at);
	}
	return NULL;
}

static char fold(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == ':' ? '.' : c;
}

/* `a` has n_a bytes. */
static int compare_names(const char *a, size_t n_a, const char *b)
{
	for (size_t i = 0; i < n_a; i++) {
		unsigned char left = (unsigned char)fold(a[i]), right = (unsigned char)fold(b[i]);

		if (left != right)
			return left < right ? -1 : 1;
	}
	return b[n_a] ? -1 : 0;
}

/* Equal names keep the order of their lines. */
static int compare_lines(const char *left, const char *right)
{
	int order = compare_names(left, strlen(left), right);

	return order ? order : left < right ? -1 : left > right;
}

static int compare_items(const void *a, const void *b)
{
	const struct event_table_item *left = a, *right = b;

	return compare_lines(left->name, right->name);
}

static int compare_metrics(const void *a, const void *b)
{
	const struct event_table_metric *left = a, *right = b;

	return compare_lines(left->name, right->name);
}

/* Adds the event of a line, which the texts of the item become a part of. */
static void add_item(struct event_table *table, size_t *capacity, const char *pmu, char *line)
{
	char *terms = next_field(line), *counters = next_field(terms);
	char *flags = next_field(counters);

	next_field(flags);
	if (!pmu[0] || !line[0] || !terms[0] || table->n >= ITEMS_MAX)
		return;
	table->items = array_reserve(table->items, capacity, table->n + 1, sizeof(*table->items));
	table->items[table->n++] = (struct event_table_item){
		.name = line,
		.pmu = pmu,
		.terms = terms,
		.counters = strtoull(counters, NULL, 16),
		.alone = strchr(flags, 'a') != NULL,
		.deprecated = strchr(flags, 'o') != NULL,
	};
}

/* The same for a metric. */
static void add_metric(struct event_table *table, size_t *capacity, const char *pmu, char *line)
{
	char *unit = next_field(line), *parent = next_field(unit), *domain = next_field(parent);
	char *formula = next_field(domain), *events = next_field(formula);
	char *constants = next_field(events), *threshold = next_field(constants);

	next_field(threshold);
	if (!line[0] || !formula[0] || table->n_metrics >= ITEMS_MAX)
		return;
	table->metrics = array_reserve(table->metrics, capacity, table->n_metrics + 1,
				       sizeof(*table->metrics));
	table->metrics[table->n_metrics++] = (struct event_table_metric){
		.name = line,
		.pmu = pmu,
		.unit = unit,
		.parent = parent,
		.domain = domain,
		.formula = formula,
		.events = events,
		.constants = constants,
		.threshold = threshold,
	};
}

static void parse_cpu(struct event_table *table)
{
	const char *pmu = "";
	size_t items_capacity = 0, metrics_capacity = 0;
	char *line = table->text;

	for (size_t i = 0; *line; i++) {
		char *next = line + strcspn(line, "\n");

		if (*next)
			*next++ = '\0';
		if (i == 0) {
			char *version = next_field(line), *date = next_field(version);

			next_field(date);
			table->cpu = line;
			table->version = version;
			table->date = date;
		} else if (line[0] == '@') {
			pmu = line + 1;
		} else if (line[0] == '+') {
			add_metric(table, &metrics_capacity, pmu, line + 1);
		} else {
			add_item(table, &items_capacity, pmu, line);
		}
		line = next;
	}
	if (table->n > 0)
		qsort(table->items, table->n, sizeof(*table->items), compare_items);
	if (table->n_metrics > 0)
		qsort(table->metrics, table->n_metrics, sizeof(*table->metrics), compare_metrics);
}

int event_table_read(const void *frame, size_t size, const char *cpu_id, struct event_table *table,
		     struct error *err)
{
	char *text = unpack(frame, size, err);

	*table = (struct event_table){0};
	if (!text)
		return -EBADMSG;
	table->text = find_cpu(text, cpu_id);
	free(text);
	if (!table->text)
		return -ENOENT;
	parse_cpu(table);
	return 0;
}

void event_table_fini(struct event_table *table)
{
	free(table->items);
	free(table->metrics);
	free(table->text);
	*table = (struct event_table){0};
}

static const char *name_of(const void *elements, size_t i, size_t element_bytes)
{
	return *(const char *const *)((const char *)elements + i * element_bytes);
}

/*
 * The elements of a sorted array that begin with the address of a name, and have this name: the
 * index of the first, and their number.
 */
static size_t find_name(const void *elements, size_t n_elements, size_t element_bytes,
			const char *name, size_t length, size_t *n)
{
	size_t first = 0, last = n_elements;

	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (compare_names(name, length, name_of(elements, middle, element_bytes)) <= 0)
			last = middle;
		else
			first = middle + 1;
	}
	for (*n = 0; first + *n < n_elements; ++*n)
		if (compare_names(name, length, name_of(elements, first + *n, element_bytes)) != 0)
			break;
	return first;
}

const struct event_table_item *event_table_find(const struct event_table *table, const char *name,
						size_t length, size_t *n)
{
	size_t first = find_name(table->items, table->n, sizeof(*table->items), name, length, n);

	return *n > 0 ? table->items + first : NULL;
}

const struct event_table_metric *event_table_find_metric(const struct event_table *table,
							 const char *name, size_t length, size_t *n)
{
	static const char prefix[] = "tma_";
	size_t prefix_length = strlen(prefix);

	if (length > prefix_length && compare_names(name, prefix_length, prefix) == 0) {
		name += prefix_length;
		length -= prefix_length;
	}
	size_t first = find_name(table->metrics, table->n_metrics, sizeof(*table->metrics), name,
				 length, n);
	return *n > 0 ? table->metrics + first : NULL;
}

struct event_table_cache {
	const struct sys *sys;
	struct event_table table;
	int result; /* of event_table_read(); 1: not read yet */
};

struct event_table_cache *event_table_cache_new(const struct sys *sys)
{
	struct event_table_cache *cache = xcalloc(1, sizeof(*cache));

	cache->sys = sys;
	cache->result = 1;
	return cache;
}

void event_table_cache_free(struct event_table_cache *cache)
{
	if (!cache)
		return;
	event_table_fini(&cache->table);
	free(cache);
}

const struct event_table *event_table_cache_get(struct event_table_cache *cache)
{
	char id[64];
	struct error err;

	if (cache->result > 0) {
		cpu_model_id(cache->sys, id, sizeof(id));
		cache->result = -ENOENT;
		if (id[0])
			cache->result = event_table_read(event_table_frame, event_table_frame_bytes,
							 id, &cache->table, &err);
	}
	return cache->result == 0 ? &cache->table : NULL;
}
