// SPDX-License-Identifier: MIT
/*
 * The frame is unpacked as a whole, because one frame of all CPUs is a third of one frame for each.
 * The lines of this CPU are kept and cut into texts. Lines that are not understood are left out.
 * The lines of the user's files are in front of them, so equal names sort in that order.
 */
#include "core/event/event_table.h"

#include "core/base/util.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Several times what the built-in frame has. */
#define TEXT_MAX_BYTES ((size_t)32 << 20)
#define ITEMS_MAX      200000 /* a user's files have half of it (core/tables) */
#define TWINS_MAX      256    /* of one name: each is compared with all */

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

/* Returns the next line that begins with "=", or NULL. */
static const char *next_cpu(const char *text)
{
	while ((text = strchr(text, '\n')) && *++text != '=')
		;
	return text;
}

/* Returns the lines of the CPU without the first "=", in a block of their own, or NULL. */
static char *find_cpu(const char *text, const char *id)
{
	const char *at = text;

	while ((at = next_cpu(at))) {
		at++;
		if (!has_id(at, strcspn(at, "\n"), id))
			continue;
		const char *end = next_cpu(at);
		return end ? xstrndup(at, (size_t)(end - 1 - at)) : xstrdup(at);
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

/* Returns the index of a PMU; n_pmus: it is not there. */
static size_t find_pmu(const struct event_table *table, const char *name)
{
	size_t i = 0;

	while (i < table->n_pmus && strcmp(table->pmus[i].name, name) != 0)
		i++;
	return i;
}

/* The lines of a PMU. */
struct section {
	const char *name;
	struct event_table_pmu *pmu; /* NULL: there are too many */
};

static struct section begin_section(struct event_table *table, const char *name)
{
	size_t i = find_pmu(table, name);

	if (i == EVENT_TABLE_PMUS_MAX)
		return (struct section){.name = name};
	if (i == table->n_pmus)
		table->pmus[table->n_pmus++] = (struct event_table_pmu){.name = name};
	return (struct section){.name = name, .pmu = &table->pmus[i]};
}

/* Adds the event of a line, which the texts of the item become a part of. */
static void add_item(struct event_table *table, size_t *capacity, const struct section *section,
		     char *line)
{
	char *terms = next_field(line), *counters = next_field(terms);
	char *flags = next_field(counters), *help = next_field(flags);

	next_field(help);
	if (!section->name[0] || !line[0] || !terms[0] || table->n >= ITEMS_MAX)
		return;
	struct event_table_item item = {
		.name = line,
		.pmu = section->name,
		.terms = terms,
		.counters = strtoull(counters, NULL, 16),
		.alone = strchr(flags, 'a') != NULL,
		.deprecated = strchr(flags, 'o') != NULL,
		.help = help[0] ? help : NULL,
	};
	if (section->pmu)
		section->pmu->counters |= item.counters;
	table->items = array_reserve(table->items, capacity, table->n + 1, sizeof(*table->items));
	table->items[table->n++] = item;
}

/* The same for a metric. */
static void add_metric(struct event_table *table, size_t *capacity, const char *pmu, char *line)
{
	char *unit = next_field(line), *parent = next_field(unit), *domain = next_field(parent);
	char *formula = next_field(domain), *events = next_field(formula);
	char *constants = next_field(events), *threshold = next_field(constants);
	char *help = next_field(threshold);

	next_field(help);
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
		.help = help[0] ? help : NULL,
	};
}

/* The items and metrics under way. */
struct growth {
	size_t items, metrics; /* capacities */
};

/* Adds the lines of a CPU. The first is its origin: name, version, date. */
static void parse_lines(struct event_table *table, struct growth *growth, char *line,
			const char *origin[3])
{
	struct section section = {.name = ""};

	for (size_t i = 0; *line; i++) {
		char *next = line + strcspn(line, "\n");

		if (*next)
			*next++ = '\0';
		if (i == 0) {
			char *version = next_field(line), *date = next_field(version);

			next_field(date);
			origin[0] = line;
			origin[1] = version;
			origin[2] = date;
		} else if (line[0] == '@') {
			section = begin_section(table, line + 1);
		} else if (line[0] == '+') {
			add_metric(table, &growth->metrics, section.name, line + 1);
		} else {
			add_item(table, &growth->items, &section, line);
		}
		line = next;
	}
}

/*
 * Whether an item hides a later one of that name: it is of the files, which are in front of
 * `built_in`, and the other one is not, or is of the same PMU.
 */
static bool hides(const char *name, const char *pmu, const char *other, const char *other_pmu,
		  const char *built_in)
{
	return name < built_in && (other >= built_in || strcmp(pmu, other_pmu) == 0);
}

/* Removes what is hidden by the files, and counts what they have. */
static void remove_hidden_items(struct event_table *table, const char *built_in)
{
	struct event_table_item *items = table->items;
	size_t n = 0, first = 0;

	for (size_t i = 0; i < table->n; i++) {
		const struct event_table_item item = items[i];
		bool hidden = n - first >= TWINS_MAX;

		if (n == 0 || compare_names(item.name, strlen(item.name), items[first].name) != 0) {
			first = n;
			hidden = false;
		}
		for (size_t k = first; k < n && !hidden; k++)
			hidden = hides(items[k].name, items[k].pmu, item.name, item.pmu, built_in);
		if (hidden)
			continue;
		table->n_of_files += item.name < built_in;
		items[n++] = item;
	}
	table->n = n;
}

/* Whether a metric of the files has names in Linux' notation: no list of events. */
static bool is_of_linux(const struct event_table_metric *metric)
{
	return metric->formula[0] == '=' && !metric->events[0];
}

/* The end of the run of metrics that have the name of the one at `first`. */
static size_t end_of_run(const struct event_table *table, size_t first)
{
	const char *name = table->metrics[first].name;
	size_t end = first + 1;

	while (end < table->n_metrics &&
	       compare_names(name, strlen(name), table->metrics[end].name) == 0)
		end++;
	return end;
}

/* The metric of that PMU in a run of equal names, or NULL. */
static struct event_table_metric *metric_on(struct event_table_metric *metrics, size_t n,
					    const char *pmu)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(metrics[i].pmu, pmu) == 0)
			return &metrics[i];
	return NULL;
}

/*
 * Merges a run of equal names to the end of those before it. The files are in front. Returns how
 * many metrics there are then.
 */
static size_t merge_run(struct event_table *table, size_t n, size_t first, size_t end,
			const char *built_in, bool any_built_in)
{
	struct event_table_metric *metrics = table->metrics;
	size_t of_files = first, begin = n;

	while (of_files < end && metrics[of_files].name < built_in)
		of_files++;
	for (size_t i = first; i < end && n - begin < TWINS_MAX; i++) {
		const struct event_table_metric metric = metrics[i];
		struct event_table_metric *other = NULL;

		if (i < of_files)
			other = metric_on(metrics + of_files, size_min(end - of_files, TWINS_MAX),
					  metric.pmu);
		if (other && !other->help)
			other->help = metric.help;
		if (i < of_files && (other || metric_on(metrics + begin, n - begin, metric.pmu) ||
				     (any_built_in && is_of_linux(&metric))))
			continue;
		metrics[n++] = metric;
	}
	return n;
}

/*
 * The built-in metrics stay, because they have repairs of the vendor's formulas, and get the
 * descriptions of the files. Metrics in Linux' notation are shares where the built-in ones are
 * percentages, and name each other, so both are never in one table.
 */
static void merge_metrics(struct event_table *table, const char *built_in)
{
	bool any_built_in = false;
	size_t n = 0, end;

	for (size_t i = 0; i < table->n_metrics; i++)
		any_built_in |= table->metrics[i].name >= built_in;
	for (size_t first = 0; first < table->n_metrics; first = end) {
		end = end_of_run(table, first);
		n = merge_run(table, n, first, end, built_in, any_built_in);
	}
	table->n_metrics = n;
}

/* Takes the text: the lines of the files, a NUL, and the lines of the frame. Both may be "". */
static void parse_text(struct event_table *table, char *text, const char *folder)
{
	const char *files[3] = {0}, *built_in[3] = {0};
	char *at = text + strlen(text) + 1;
	struct growth growth = {0};

	table->text = text;
	parse_lines(table, &growth, text, files);
	parse_lines(table, &growth, at, built_in);
	if (table->n > 0)
		qsort(table->items, table->n, sizeof(*table->items), compare_items);
	if (table->n_metrics > 0)
		qsort(table->metrics, table->n_metrics, sizeof(*table->metrics), compare_metrics);
	remove_hidden_items(table, at);
	merge_metrics(table, at);
	const char *const *origin = built_in[0] ? built_in : files;
	table->cpu = origin[0];
	table->version = origin[1];
	table->date = origin[2];
	table->built_in = built_in[0] != NULL;
	table->folder = folder;
	table->files_cpu = files[0];
	table->files_version = files[1];
	table->files_date = files[2];
}

int event_table_read_over(const void *frame, size_t size, const char *cpu_id,
			  const struct tables_text *files, struct event_table *table,
			  struct error *err)
{
	char *unpacked = unpack(frame, size, err);

	*table = (struct event_table){0};
	if (!unpacked)
		return -EBADMSG;
	char *built_in = find_cpu(unpacked, cpu_id);
	free(unpacked);
	if (!built_in && !files)
		return -ENOENT;
	/* One block, in which addresses have the order of the lines. */
	const char *const parts[] = {files ? files->text : "", built_in ? built_in : "",
				     files ? files->folder : ""};
	size_t lengths[3], total = 0;
	for (size_t i = 0; i < 3; i++)
		total += lengths[i] = strlen(parts[i]) + 1;
	char *text = xmalloc(total), *at = text;
	for (size_t i = 0; i < 3; at += lengths[i], i++)
		memcpy(at, parts[i], lengths[i]);
	free(built_in);
	parse_text(table, text, files ? at - lengths[2] : NULL);
	return 0;
}

int event_table_read(const void *frame, size_t size, const char *cpu_id, struct event_table *table,
		     struct error *err)
{
	return event_table_read_over(frame, size, cpu_id, NULL, table, err);
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
	size_t n_prefix = strlen(prefix);

	if (length > n_prefix && compare_names(name, n_prefix, prefix) == 0) {
		name += n_prefix;
		length -= n_prefix;
	}
	size_t first = find_name(table->metrics, table->n_metrics, sizeof(*table->metrics), name,
				 length, n);
	return *n > 0 ? table->metrics + first : NULL;
}

uint64_t event_table_counters(const struct event_table *table, const char *pmu)
{
	size_t i = find_pmu(table, pmu);

	return i < table->n_pmus ? table->pmus[i].counters : 0;
}
