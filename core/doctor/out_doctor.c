// SPDX-License-Identifier: MIT
/*
 * The findings as a text page in three columns (section, level, name and text), or as one JSON
 * object.
 */
#include "core/doctor/out_doctor.h"

#include "core/base/json_string.h"
#include "core/base/text.h"

#include <limits.h>
#include <string.h>

enum {
	SECTION_WIDTH = 8,
	LEVEL_WIDTH = 5,
	NAME_WIDTH = 14,
	TEXT_AT = SECTION_WIDTH + LEVEL_WIDTH + NAME_WIDTH,
	REMEDY_AT = SECTION_WIDTH + LEVEL_WIDTH,
	TEXT_LEAST = 20, /* columns, on any terminal */
};

struct page {
	FILE *out;
	unsigned width;
	bool color;
};

static void print_wrapped(const struct page *page, const char *foreign)
{
	char text[1024];
	const char *at = text;
	unsigned width = UINT_MAX;

	text_printable(text, sizeof(text), foreign, UINT_MAX);
	if (page->width > 0)
		width = page->width > TEXT_AT + TEXT_LEAST ? page->width - TEXT_AT : TEXT_LEAST;
	do {
		size_t length = text_first_line(at, width);

		fprintf(page->out, "%*s%.*s\n", at == text ? 0 : TEXT_AT, "", (int)length, at);
		at += length;
		at += strspn(at, " ");
	} while (*at);
}

static void print_level(const struct page *page, enum doctor_level level)
{
	static const char *const colors[] = {
		[DOCTOR_OK] = "\33[32m",
		[DOCTOR_WARN] = "\33[33m",
		[DOCTOR_BAD] = "\33[31m",
	};
	const char *word = doctor_level_name(level);

	fprintf(page->out, "%s%s%s%*s", page->color ? colors[level] : "", word,
		page->color ? "\33[m" : "", LEVEL_WIDTH - (int)strlen(word), "");
}

/* Whether an earlier finding has the remedy. */
static bool is_repeated(const struct doctor *doctor, size_t finding, const char *remedy)
{
	for (size_t i = 0; i < finding; i++)
		for (size_t k = 0; k < doctor->items[i].n_remedies; k++)
			if (strcmp(doctor->items[i].remedies[k], remedy) == 0)
				return true;
	return false;
}

static void print_remedies(const struct page *page, const struct doctor *doctor, size_t index)
{
	const struct finding *finding = &doctor->items[index];

	for (size_t i = 0; i < finding->n_remedies; i++) {
		char text[1024];

		if (is_repeated(doctor, index, finding->remedies[i]))
			continue;
		text_printable(text, sizeof(text), finding->remedies[i], UINT_MAX);
		fprintf(page->out, "%*s%s %s\n", REMEDY_AT, "", i == 0 ? "->" : "or", text);
	}
}

void out_doctor_text(const struct doctor *doctor, unsigned width, bool color, FILE *out)
{
	const struct page page = {out, width, color};

	fprintf(out, "%spmctop: %s.%s\n", color ? "\33[1m" : "", doctor->verdict,
		color ? "\33[m" : "");
	for (size_t i = 0; i < doctor->n; i++) {
		const struct finding *finding = &doctor->items[i];
		bool begins = i == 0 || finding->section != doctor->items[i - 1].section;

		fprintf(out, "%-*s", SECTION_WIDTH,
			begins ? doctor_section_name(finding->section) : "");
		print_level(&page, finding->level);
		fprintf(out, "%-*s", NAME_WIDTH, finding->name);
		print_wrapped(&page, finding->text);
		print_remedies(&page, doctor, i);
	}
}

static const char *level_word(enum perf_access_level level)
{
	switch (level) {
	case PERF_ACCESS_NONE:
		break;
	case PERF_ACCESS_USER:
		return "user";
	case PERF_ACCESS_TASK:
		return "task";
	case PERF_ACCESS_SYSTEM:
		return "system";
	}
	return "none";
}

static void print_can(FILE *out, const struct doctor *doctor)
{
	const struct {
		const char *name;
		bool is;
	} rows[] = {
		{"system", doctor->level == PERF_ACCESS_SYSTEM},
		{"own_tasks", doctor->level >= PERF_ACCESS_USER},
		{"kernel", doctor->level >= PERF_ACCESS_TASK},
		{"other_tasks", doctor->other_tasks},
		{"hardware", doctor->hardware},
		{"software", doctor_can_count(doctor)},
		{"tracepoints", doctor->tracepoints},
	};

	fprintf(out, ",\"can\":{\"level\":\"%s\"", level_word(doctor->level));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fprintf(out, ",\"%s\":%s", rows[i].name, rows[i].is ? "true" : "false");
	fputc('}', out);
}

static void print_finding(FILE *out, const struct finding *finding)
{
	fprintf(out, "{\"section\":\"%s\",\"name\":", doctor_section_name(finding->section));
	json_put_string(out, finding->name);
	fprintf(out, ",\"level\":\"%s\",\"text\":", doctor_level_name(finding->level));
	json_put_string(out, finding->text);
	fputs(",\"remedies\":[", out);
	for (size_t i = 0; i < finding->n_remedies; i++) {
		fputs(i > 0 ? "," : "", out);
		json_put_string(out, finding->remedies[i]);
	}
	fputs("]}", out);
}

void out_doctor_json(const struct doctor *doctor, FILE *out)
{
	fputs("{\"schema\":\"pmctop-doctor/1\",\"verdict\":", out);
	json_put_string(out, doctor->verdict);
	print_can(out, doctor);
	fputs(",\"findings\":[", out);
	for (size_t i = 0; i < doctor->n; i++) {
		fputs(i > 0 ? "," : "", out);
		print_finding(out, &doctor->items[i]);
	}
	fputs("]}\n", out);
}
