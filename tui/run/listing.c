// SPDX-License-Identifier: MIT
/*
 * A list is a sequence of lines with a name, a text and perhaps a word and a group. print_line()
 * formats all of them, for a terminal or for a pipe, so a list only has to produce its lines.
 */
#include "tui/run/listing.h"

#include "core/base/figure_mark.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/event/event_table_cache.h"
#include "core/metric/catalog.h"
#include "core/metric/metric_def.h"
#include "core/metric/metric_vendor.h"
#include "core/perf/perf_open_error.h"
#include "core/perf/probe.h"
#include "core/sys/cpu_facts.h"
#include "core/sys/cpu_kind.h"
#include "core/view/verdict.h"
#include "tui/options/choice.h"
#include "tui/run/output_buffer.h"
#include "tui/run/rights.h"
#include "tui/run/run.h"
#include "tui/term/theme_load.h"
#include "tui/term/variables.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAME_WIDTH = 30, /* on a terminal; a longer name has a line of its own */
	NAME_WIDTH_PIPED = 40,
	WORD_WIDTH = 8,
	TEXT_WIDTH_MIN = 20,
};

struct printer {
	const struct listing *listing;
	const struct event_context *context;
	struct perf_access access; /* of a list of presets */
	FILE *file;
	char group[128]; /* group of the present heading */
	int printed;
	int denied; /* error of the first denied entry */
};

struct line {
	const char *name, *word, *group, *text; /* word, group: NULL if the list has none */
};

static void print_padding(FILE *file, unsigned columns)
{
	fprintf(file, "%*s", (int)columns, "");
}

/* Prints the text in lines that begin at column `indent`; the cursor is at that column. */
static void print_text(const struct printer *printer, const char *text, unsigned indent)
{
	unsigned width = printer->listing->width;

	width = width > indent + TEXT_WIDTH_MIN ? width - indent : TEXT_WIDTH_MIN;
	for (bool first = true; first || *text; first = false) {
		size_t length = text_first_line(text, width);

		if (!first)
			print_padding(printer->file, indent);
		fprintf(printer->file, "%.*s\n", (int)length, text);
		text += length;
		text += strspn(text, " ");
	}
}

static void print_for_terminal(struct printer *printer, const struct line *line)
{
	unsigned indent = 2 + NAME_WIDTH + 1 + (line->word ? WORD_WIDTH + 1 : 0);
	unsigned name_width = text_width(line->name);

	if (line->group && strcmp(printer->group, line->group) != 0) {
		fprintf(printer->file, "%s%s:\n", printer->printed ? "\n" : "", line->group);
		text_copy(printer->group, sizeof(printer->group), line->group);
	}
	fprintf(printer->file, "  %s", line->name);
	if (name_width > NAME_WIDTH) {
		fputc('\n', printer->file);
		print_padding(printer->file, 2);
		name_width = 0;
	}
	print_padding(printer->file, NAME_WIDTH - name_width + 1);
	if (line->word)
		fprintf(printer->file, "%-*s ", WORD_WIDTH, line->word);
	print_text(printer, line->text, indent);
}

static void print_for_pipe(const struct printer *printer, const struct line *line)
{
	unsigned name_width = text_width(line->name);

	fputs(line->name, printer->file);
	print_padding(printer->file,
		      name_width < NAME_WIDTH_PIPED ? NAME_WIDTH_PIPED - name_width : 0);
	if (line->word)
		fprintf(printer->file, " %-*s", WORD_WIDTH, line->word);
	if (line->group)
		fprintf(printer->file, " %-12s", line->group);
	fprintf(printer->file, "%s%s\n", line->text[0] ? " " : "", line->text);
}

/*
 * Prints a line. Unprintable characters are replaced, because names may be any user's. Returns 0,
 * or nonzero after a write error.
 */
static int print_line(struct printer *printer, const struct line *line)
{
	size_t size = 3 * strlen(line->text) + 1; /* formulas are long */
	char name[1024], group[128], *text = xmalloc(size);
	struct line printable = {.name = name,
				 .word = line->word,
				 .group = line->group ? group : NULL,
				 .text = text};

	text_printable(name, sizeof(name), line->name, UINT_MAX);
	text_printable(text, size, line->text, UINT_MAX);
	if (line->group)
		text_printable(group, sizeof(group), line->group, UINT_MAX);
	if (printer->listing->width > 0)
		print_for_terminal(printer, &printable);
	else
		print_for_pipe(printer, &printable);
	free(text);
	printer->printed++;
	return ferror(printer->file);
}

/* The same, if name or text matches the pattern. */
static int print_matching(struct printer *printer, const struct line *line)
{
	return catalog_matches(printer->listing->pattern, line->name, line->text)
		       ? print_line(printer, line)
		       : 0;
}

static const char *state_word(struct printer *printer, enum figure_state state, int answer)
{
	if (state == FIGURE_DENIED && !printer->denied)
		printer->denied = answer;
	return state == FIGURE_VALID ? "ok" : state == FIGURE_DENIED ? "denied" : "n/a";
}

static int print_event(void *arg, const struct catalog_entry *entry)
{
	struct printer *printer = arg;

	return print_line(
		printer,
		&(struct line){
			.name = entry->name,
			.word = entry->example ? "-"
					       : state_word(printer, entry->state, entry->answer),
			.group = entry->pmu,
			.text = entry->help,
		});
}

static int print_metric(void *arg, const struct catalog_metric *entry)
{
	struct printer *printer = arg;
	const struct metric_def *def = entry->def;
	const char *word =
		printer->listing->cpu_model ? "-" : state_word(printer, entry->state, -EACCES);
	char *text = NULL;
	size_t size;
	FILE *file = xopen_memstream(&text, &size);

	fprintf(file, "%s: %s", entry->title, def->help);
	if (def->unit[0])
		fprintf(file, " (%s)", def->unit);
	if (def->better != METRIC_NEUTRAL)
		fprintf(file, "; warn %g, bad %g", def->warn, def->bad);
	if (entry->why)
		fprintf(file, ". %s", entry->why);
	if (entry->expression[0])
		fprintf(file, " = %s", entry->expression);
	fclose(file);
	int result = print_line(printer, &(struct line){
						 .name = def->name,
						 .word = word,
						 .group = def->group ? def->group : "own",
						 .text = text,
					 });
	free(text);
	return result;
}

/* Whether a metric can be counted, or an event of a user's preset. */
static bool counts(void *arg, const char *name)
{
	struct printer *printer = arg;
	const struct engine_config *engine = printer->listing->engine;
	const struct metric_def *def =
		metric_def_lookup(engine->user_metrics, engine->n_user_metrics, name);
	struct catalog_answer answer;
	struct metric_def vendor = {0};

	if (!def && metric_vendor_find(printer->context, name, &vendor) < 0)
		return catalog_probe(printer->context, name, false) == FIGURE_VALID;
	catalog_probe_metric(printer->context, &printer->access, def ? def : &vendor, false,
			     &answer);
	metric_def_fini(&vendor);
	return answer.state == FIGURE_VALID;
}

static const char *extent_word(enum preset_extent extent)
{
	switch (extent) {
	case PRESET_WHOLE:
		return "ok";
	case PRESET_PARTLY:
		return "partly";
	case PRESET_NOTHING:
		return "n/a";
	}
	return "";
}

static int print_preset(struct printer *printer, const struct preset *preset)
{
	char text[2048];
	size_t length = (size_t)snprintf(text, sizeof(text), "%s", preset->help);

	if (!catalog_matches(printer->listing->pattern, preset->name, preset->help))
		return 0;
	for (const char *const *name = preset->metrics; *name && length < sizeof(text); name++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s",
					   name == preset->metrics ? ": " : ", ", *name);
	return print_line(printer,
			  &(struct line){
				  .name = preset->name,
				  .word = extent_word(preset_extent(preset, counts, printer)),
				  .text = text,
			  });
}

static void print_presets(struct printer *printer)
{
	const struct listing *listing = printer->listing;
	int result = 0;

	perf_access_probe(printer->context->sys, &printer->access);
	for (size_t i = 0; i < listing->n_presets && !result; i++)
		result = print_preset(printer, &listing->presets[i]);
	for (size_t i = 0; i < preset_table_n && !result; i++)
		result = print_preset(printer, &preset_table[i]);
	if (!result)
		print_preset(printer, &preset_none);
}

static void print_themes(struct printer *printer)
{
	struct theme_list themes;
	int result = 0;

	theme_list_read(printer->listing->themes, &themes);
	for (size_t i = 0; i < themes.n && !result; i++)
		result = print_matching(printer, &(struct line){.name = themes.items[i].name,
								.text = themes.items[i].about});
	theme_list_fini(&themes);
}

/* Actions by their names in a configuration. */
static void print_keys(struct printer *printer)
{
	int result = 0;

	for (size_t i = 0; i < key_table_n && !result; i++) {
		const struct key_row *row = &key_table[i];
		char keys[64], text[256];

		keymap_keys(printer->listing->keymap, row->action, keys, sizeof(keys));
		snprintf(text, sizeof(text), "%s: %s", keys[0] ? keys : "no key", row->help);
		result = print_matching(printer, &(struct line){.name = row->name, .text = text});
	}
}

static int print_column(void *arg, const char *name, const char *help)
{
	struct printer *printer = arg;

	return print_matching(printer, &(struct line){.name = name, .text = help});
}

/* The formulas for all CPUs, in the order in which they are tried. */
static int print_formulas(struct printer *printer, const struct metric_def *def)
{
	int result = 0;

	if (!catalog_matches(printer->listing->pattern, def->name, def->help))
		return 0;
	for (size_t i = 0; i < METRIC_FORMS_MAX && def->forms[i].expression && !result; i++) {
		const struct metric_form *form = &def->forms[i];
		char cpus[128], text[4096];

		cpu_kinds_name(form->where, cpus, sizeof(cpus));
		snprintf(text, sizeof(text), "%s%s%s%s: %s", cpus, form->title ? " (as " : "",
			 form->title ? form->title : "", form->title ? ")" : "", form->expression);
		result = print_line(
			printer,
			&(struct line){.name = def->name, .word = def->title, .text = text});
	}
	return result;
}

static void print_all_formulas(struct printer *printer)
{
	const struct engine_config *engine = printer->listing->engine;
	int result = 0;

	for (size_t i = 0; i < engine->n_user_metrics && !result; i++)
		result = print_formulas(printer, &engine->user_metrics[i]);
	for (size_t i = 0; i < metric_table_n && !result; i++)
		result = print_formulas(printer, &metric_table[i]);
}

/* The rules in the order of their tiers. */
static void print_verdicts(struct printer *printer)
{
	int result = 0;

	for (size_t i = 0; i < verdict_rules_n && !result; i++) {
		const struct verdict_rule rule = verdict_rule_at(i);
		char tier[16], text[256];

		snprintf(tier, sizeof(tier), "tier %u", rule.tier);
		snprintf(text, sizeof(text), "%s: %s", verdict_name(rule.verdict), rule.conditions);
		result = print_matching(printer, &(struct line){.name = verdict_label(rule.verdict),
								.word = tier,
								.text = text});
	}
}

static void print_marks(struct printer *printer)
{
	int result = 0;

	for (size_t i = 0; i < figure_marks_n && !result; i++) {
		char text[128];

		snprintf(text, sizeof(text), "%s: %s", figure_marks[i].name,
			 figure_marks[i].meaning);
		result = print_matching(printer,
					&(struct line){.name = figure_marks[i].text, .text = text});
	}
}

static void print_palette(struct printer *printer)
{
	int result = 0;

	for (size_t i = 0; i < theme_keys_n && !result; i++)
		result = print_matching(printer, &(struct line){.name = theme_keys[i].name,
								.text = theme_keys[i].meaning});
}

static void print_variables(struct printer *printer)
{
	int result = 0;

	for (size_t i = 0; i < variable_table_n && !result; i++)
		result = print_matching(printer, &(struct line){.name = variable_table[i].name,
								.text = variable_table[i].help});
}

/* "0-3,8" */
static void format_cpus(const struct cpu_list *cpus, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0, end; i < cpus->n && length < size; i = end) {
		for (end = i + 1; end < cpus->n; end++)
			if (cpus->numbers[end] != cpus->numbers[end - 1] + 1)
				break;
		length += (size_t)snprintf(text + length, size - length, "%s%d", i ? "," : "",
					   cpus->numbers[i]);
		if (end - i > 1 && length < size)
			length += (size_t)snprintf(text + length, size - length, "-%d",
						   cpus->numbers[end - 1]);
	}
}

static int print_pmu(void *arg, const struct catalog_pmu *entry)
{
	struct printer *printer = arg;
	const struct pmu *pmu = entry->pmu;
	char cpus[256], counters[64] = "", text[512];

	format_cpus(&pmu->cpus, cpus, sizeof(cpus));
	if (pmu->kind == PMU_CORE && entry->answer == 0)
		snprintf(counters, sizeof(counters), ", %u counters", entry->counters);
	else if (pmu->kind == PMU_CORE)
		snprintf(counters, sizeof(counters), ", %s",
			 state_word(printer, probe_state(entry->answer), entry->answer));
	snprintf(text, sizeof(text), "type %u, %zu events%s%s%s", pmu->type, entry->n_events,
		 cpus[0] ? ", CPUs " : "", cpus, counters);
	return print_line(printer, &(struct line){
					   .name = pmu->name[0] ? pmu->name : "(none)",
					   .word = catalog_pmu_kind(pmu->kind),
					   .text = pmu->name[0] ? text : "no PMU on these CPUs",
				   });
}

static int print_of_table(void *arg, const char *name, const char *pmu, const char *text)
{
	return print_line(arg, &(struct line){name, "-", pmu, text});
}

/* The events or metrics of another CPU. */
static void print_table(struct printer *printer)
{
	const struct listing *listing = printer->listing;
	struct event_table_cache *tables = printer->context->tables;
	const struct event_table *table = event_table_cache_get(tables);

	if (table && listing->list == OPTIONS_LIST_EVENTS)
		catalog_table_events(table, listing->pattern, print_of_table, printer);
	else if (table)
		catalog_table_metrics(tables, listing->pattern, print_metric, printer);
}

static void print_list(struct printer *printer)
{
	const struct listing *listing = printer->listing;

	switch (listing->list) {
	case OPTIONS_LIST_EVENTS:
		catalog_events(printer->context, listing->pattern, print_event, printer);
		break;
	case OPTIONS_LIST_METRICS:
		catalog_metrics(printer->context, listing->engine->user_metrics,
				listing->engine->n_user_metrics, listing->pattern, print_metric,
				printer);
		break;
	case OPTIONS_LIST_PRESETS:
		print_presets(printer);
		break;
	case OPTIONS_LIST_COLUMNS:
		choice_each_column(listing->engine, print_column, printer);
		break;
	case OPTIONS_LIST_THEMES:
		print_themes(printer);
		break;
	case OPTIONS_LIST_KEYS:
		print_keys(printer);
		break;
	case OPTIONS_LIST_FORMULAS:
		print_all_formulas(printer);
		break;
	case OPTIONS_LIST_VERDICTS:
		print_verdicts(printer);
		break;
	case OPTIONS_LIST_MARKS:
		print_marks(printer);
		break;
	case OPTIONS_LIST_PALETTE:
		print_palette(printer);
		break;
	case OPTIONS_LIST_VARIABLES:
		print_variables(printer);
		break;
	case OPTIONS_LIST_PMUS:
		catalog_pmus(printer->context, listing->pattern, print_pmu, printer);
		break;
	}
}

/* Why nothing was printed, or what the list does not have. */
static void set_remark(const struct printer *printer, struct error *remark)
{
	const struct listing *listing = printer->listing;
	const struct event_context *context = printer->context;

	*remark = (struct error){0};
	if (listing->cpu_model && !event_table_cache_get(context->tables))
		error_set(remark, -ENOENT,
			  "No table of events for '%.60s' (examples: GenuineIntel-6-AD-1, "
			  "AuthenticAMD-26-2-1, ARM-41-D4F).",
			  listing->cpu_model);
	else if (printer->printed == 0 && listing->cpu_model && !listing->pattern)
		error_set(remark, -ENOENT, "The tables have no %s of %.60s.",
			  listing->list == OPTIONS_LIST_EVENTS ? "events" : "metrics",
			  listing->cpu_model);
	else if (printer->printed == 0)
		error_set(remark, -ENOENT, "No match for '%.80s'.",
			  listing->pattern ? listing->pattern : "");
	else if (listing->cpu_model)
		error_set(remark, -ENODEV, "%s of %.60s, not probed on this machine.",
			  listing->list == OPTIONS_LIST_EVENTS ? "Events" : "Metrics",
			  listing->cpu_model);
	else if (printer->denied)
		perf_open_error(context->sys, printer->denied, NULL, remark);
}

int listing_print(const struct listing *listing, const struct sys *sys, FILE *file,
		  struct notes *notes, struct error *remark)
{
	struct pmu_set pmus;
	struct cpu_facts cpu;
	const struct event_context context = {
		.sys = sys, .pmus = &pmus, .cpu = &cpu, .tables = event_table_cache_new(sys)};
	struct printer printer = {.listing = listing, .context = &context, .file = file};

	event_table_cache_set(context.tables, &listing->engine->tables, listing->cpu_model);
	pmu_set_read(sys, &pmus);
	cpu_facts_init(&cpu, sys, &pmus);
	if (listing->cpu_model)
		print_table(&printer);
	else
		print_list(&printer);
	set_remark(&printer, remark);
	notes_add_all(notes, event_table_cache_notes(context.tables));
	event_table_cache_free(context.tables);
	pmu_set_fini(&pmus);
	return printer.printed;
}

enum run_status run_list(const struct listing *listing, const struct options *options,
			 const struct rights *rights, struct notes *notes, struct error *err)
{
	const struct rights_need need = rights_need_of(options, false);
	struct error remark, unwritten;
	struct output_buffer buffer;
	struct sys sys;

	if (rights_drop(rights, &need, err))
		return RUN_FAILED;
	int rc = sys_linux_init(&sys);
	if (rc) {
		error_set_no_descriptor(err, rc);
		return RUN_FAILED;
	}
	output_buffer_open(&buffer);
	int printed = listing_print(listing, &sys, buffer.file, notes, &remark);
	sys_linux_fini(&sys);
	rc = output_buffer_print(&buffer, NULL, &unwritten);
	*err = rc ? unwritten : remark;
	return rc || printed == 0 ? RUN_FAILED : RUN_OK;
}
