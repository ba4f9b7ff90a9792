// SPDX-License-Identifier: MIT
/*
 * The vendors write numbers as texts, in several ways. A number that is not understood is a fault
 * and never 0, because the event would count something else.
 */
#include "core/tables/table_fields.h"

#include "core/base/util.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *table_member(const json_t *entry, const char *name)
{
	return json_string_value(json_object_get(entry, name));
}

/* Decimal digits or 0x, up to a comma or the end, with blanks around. */
static bool parse_number(const char *text, uint64_t *number)
{
	bool hex;
	char *end;

	text += strspn(text, " \t");
	hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	text += hex ? 2 : 0;
	size_t digits = strspn(text, hex ? "0123456789abcdefABCDEF" : "0123456789");
	while (digits > 1 && *text == '0')
		text++, digits--;
	if (digits == 0 || digits > (hex ? 16 : 19))
		return false;
	*number = strtoull(text, &end, hex ? 16 : 10);
	end += strspn(end, " \t");
	return *end == '\0' || *end == ',';
}

bool table_number(struct table_reading *reading, const struct table_json_entry *entry,
		  const char *name, uint64_t *number)
{
	const json_t *member = json_object_get(entry->value, name);
	const char *text = json_string_value(member);

	*number = 0;
	if (!member)
		return true;
	if (json_is_integer(member) && json_integer_value(member) >= 0) {
		*number = (uint64_t)json_integer_value(member);
		return true;
	}
	if (text && parse_number(text, number))
		return true;
	table_reading_fault(reading, entry->line, "'%s' is not a number of 64 bits", name);
	return false;
}

uint64_t table_counters(const char *text)
{
	static const char fixed[] = "fixed counter ";
	uint64_t mask = 0;

	if (!text)
		return 0;
	text += strspn(text, " ");
	if (strncasecmp(text, fixed, strlen(fixed)) == 0 && isdigit((unsigned char)text[14]))
		return atoi(text + 14) < 32 ? 1ull << (32 + atoi(text + 14)) : 0;
	for (const char *at = text; *at;) {
		char *end;
		unsigned long counter = strtoul(at, &end, 10);

		if (!isdigit((unsigned char)*at) || counter >= 32)
			return 0;
		mask |= 1ull << counter;
		at = end + strspn(end, " ,");
	}
	return mask;
}

bool table_pmu_of_unit(const char *unit, char *pmu, size_t size)
{
	/* The units whose PMU in Linux is not "uncore_" and the unit. */
	static const char *const units[][2] = {
		{"cbo", "uncore_cbox"},   {"hac_cbo", "uncore_hac_cbox"},
		{"sbo", "uncore_sbox"},   {"qpi ll", "uncore_qpi"},
		{"upi ll", "uncore_upi"}, {"imc_dclk", "uncore_imc"},
		{"ncu", "uncore_clock"},  {"imph-u", "uncore_arb"},
		{"l3pmc", "amd_l3"},      {"dfpmc", "amd_df"},
		{"umcpmc", "amd_umc"},    {"cpu_core", "cpu_core"},
		{"cpu_atom", "cpu_atom"}, {"cpu_lowpower", "cpu_lowpower"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcasecmp(units[i][0], unit) == 0)
			return text_copy(pmu, size, units[i][1]) > 0;
	int length = snprintf(pmu, size, "uncore_%s", unit);
	for (char *c = pmu; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return length < (int)size && unit[0];
}

static bool is_set(const json_t *entry, const char *name)
{
	const char *text = table_member(entry, name);

	return text && text[0] && strcmp(text, "0") != 0 && strcmp(text, "NA") != 0;
}

void table_flags(const json_t *entry, char flags[8])
{
	static const struct {
		char letter;
		const char *name;
	} rows[] = {{'a', "TakenAlone"},
		    {'d', "Data_LA"},
		    {'o', "Deprecated"},
		    {'p', "PEBS"},
		    {'p', "Precise"}};
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (is_set(entry, rows[i].name) && (n == 0 || flags[n - 1] != rows[i].letter))
			flags[n++] = rows[i].letter;
	flags[n] = '\0';
}

const char *table_register(uint64_t index)
{
	switch (index) {
	case 0x1A6:
	case 0x1A7:
		return "offcore_rsp";
	case 0x3F6:
		return "ldlat";
	case 0x3F7:
		return "frontend";
	}
	return NULL;
}

const char *table_fixed_terms(const char *name)
{
	static const char *const rows[][2] = {
		{"INST_RETIRED.ANY", "event=0xc0"},
		{"CPU_CLK_UNHALTED.THREAD", "event=0x3c"},
		{"CPU_CLK_UNHALTED.CORE", "event=0x3c"},
		{"CPU_CLK_UNHALTED.THREAD_ANY", "event=0x3c,any=1"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcasecmp(rows[i][0], name) == 0)
			return rows[i][1];
	return NULL;
}

void table_terms_add(struct table_terms *terms, const char *term, uint64_t value)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "%s%s=0x%llx", terms->length ? "," : "", term,
			      (unsigned long long)value);

	/* The length is kept, so that shorter terms that follow do not fill the text again. */
	if (terms->length + (size_t)length >= sizeof(terms->text)) {
		terms->text[0] = '\0';
		return;
	}
	memcpy(terms->text + terms->length, text, (size_t)length + 1);
	terms->length += (size_t)length;
}
