// SPDX-License-Identifier: MIT
/*
 * Terms are encoded in two passes. First config, config1 and config2 set whole words. Then all
 * others add bits at the places in the PMU's format files. An event of sysfs is a list of terms,
 * but without events. "?" in it is a value that the user must give. An event of the vendor
 * (event_vendor.c) is a list of terms, too.
 */
#include "core/event/event_term.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 4096 }; /* the most that a file of sysfs has */

struct term {
	const char *name, *value; /* not terminated; value NULL: none */
	size_t n_name, n_value;
};

struct encoding {
	const struct event_context *context;
	const struct pmu *pmu;
	const char *terms; /* of the user */
	size_t length;
	struct event *event;
	struct perf_event_attr attr;
	enum counter_register extra;         /* that a term has set */
	const struct event_table_item *item; /* of the event of the vendor in the terms */
	bool measured; /* the terms had an event of sysfs with a scale or unit */
	bool vendor;   /* the terms are the vendor's, for one of its events */
	bool one_unit; /* and it is counted on the first PMU only */
	struct error *err;
};

static int fail_term(const struct encoding *e, int code, const struct term *term, const char *what)
{
	return error_set(e->err, code, "Term '%s' of PMU %s: %s.",
			 event_quote(term->name, term->n_name).text, e->pmu->name, what);
}

/* The next term of a list, without blanks around it. False at the end. */
static bool next_term(const char **at, const char *end, struct term *term)
{
	const char *text = *at;
	size_t n = 0;
	bool quoted = false;

	if (text >= end)
		return false;
	for (; text + n < end && (quoted || text[n] != ','); n++)
		quoted ^= text[n] == '\'';
	*at = text + n + 1;
	while (n > 0 && strchr(" \t\n", text[n - 1]))
		n--;
	while (n > 0 && strchr(" \t\n", *text)) {
		text++;
		n--;
	}
	const char *equals = memchr(text, '=', n);
	*term = (struct term){.name = text, .n_name = equals ? (size_t)(equals - text) : n};
	if (equals) {
		term->value = equals + 1;
		term->n_value = n - term->n_name - 1;
	}
	return true;
}

static bool is_named(const struct term *term, const char *name)
{
	return strlen(name) == term->n_name && memcmp(term->name, name, term->n_name) == 0;
}

static int term_number(const struct encoding *e, const struct term *term, uint64_t *number)
{
	char text[32];
	const char *end;

	*number = 1;
	if (!term->value)
		return 0;
	size_t n = size_min(term->n_value, sizeof(text) - 1);
	memcpy(text, term->value, n);
	text[n] = '\0';
	if (n < term->n_value || !event_parse_number(text, "", number, &end))
		return fail_term(e, -EINVAL, term,
				 "its value is not a 64-bit number (examples: 12, 0x1f)");
	return 0;
}

static ssize_t read_file(const struct encoding *e, const char *directory, const struct term *term,
			 const char *suffix, char *text, size_t size)
{
	char path[320];

	if (!event_is_word(term->name, term->n_name) || term->n_name > 128)
		return -ENOENT;
	snprintf(path, sizeof(path), PMU_DEVICES "/%s/%s/%.*s%s", e->pmu->name, directory,
		 (int)term->n_name, term->name, suffix);
	ssize_t length = sys_file_read(e->context->sys, path, text, size);
	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
		text[--length] = '\0';
	return length;
}

/* The word of the attr with that name, or NULL. */
static __u64 *word_of(struct perf_event_attr *attr, const char *name, size_t length)
{
	if (length == 6 && memcmp(name, "config", 6) == 0)
		return &attr->config;
	if (length == 7 && memcmp(name, "config1", 7) == 0)
		return &attr->config1;
	if (length == 7 && memcmp(name, "config2", 7) == 0)
		return &attr->config2;
#ifdef PERF_ATTR_SIZE_VER8
	if (length == 7 && memcmp(name, "config3", 7) == 0)
		return &attr->config3;
#endif
	return NULL;
}

/* "config1:0-7,32-35": the word and bits of a term, lowest first. NULL: not supported. */
static __u64 *parse_format(struct perf_event_attr *attr, const char *text, uint64_t *mask)
{
	size_t word = strcspn(text, ":");
	const char *at = text + word;

	*mask = 0;
	if (*at != ':')
		return NULL;
	do {
		uint64_t first, last;

		if (!event_parse_number(at + 1, "-,", &first, &at))
			return NULL;
		last = first;
		if (*at == '-' && !event_parse_number(at + 1, ",", &last, &at))
			return NULL;
		if (first > last || last > 63)
			return NULL;
		*mask |= UINT64_MAX >> (63 - last) & UINT64_MAX << first;
	} while (*at == ',');
	return word_of(attr, text, word);
}

/* Spreads the low bits of a value over the bits of a mask. False if the value has more bits. */
static bool deposit(uint64_t value, uint64_t mask, uint64_t *bits)
{
	*bits = 0;
	for (; mask && value; mask &= mask - 1, value >>= 1)
		if (value & 1)
			*bits |= mask & -mask;
	return value == 0;
}

/* The terms for the registers beside the counters of Intel's core PMUs. */
static enum counter_register register_of(const struct term *term)
{
	static const char *const names[COUNTER_REGISTERS] = {
		[COUNTER_OFFCORE] = "offcore_rsp",
		[COUNTER_FRONTEND] = "frontend",
		[COUNTER_LOAD_LATENCY] = "ldlat",
	};
	enum counter_register extra = COUNTER_REGISTERS;

	while (--extra > COUNTER_NO_REGISTER && !is_named(term, names[extra]))
		;
	return extra;
}

static int encode_format(struct encoding *e, const struct term *term, const char *format)
{
	uint64_t value, mask, bits;
	__u64 *word = parse_format(&e->attr, format, &mask);
	int result = term_number(e, term, &value);

	if (result < 0)
		return result;
	if (!word)
		return fail_term(e, -ENOTSUP, term, "pmctop does not support its format");
	if (!deposit(value, mask, &bits)) {
		char most[64];
		int width = __builtin_popcountll(mask);

		snprintf(most, sizeof(most), "its value has more than %d bit%s", width,
			 width == 1 ? "" : "s");
		return fail_term(e, -ERANGE, term, most);
	}
	*word |= bits;
	if (word == &e->attr.config1 && register_of(term))
		e->extra = register_of(term);
	return 0;
}

/* strtod() depends on the locale. */
static bool parse_scale(const char *text, double *scale)
{
	locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	char *end;

	if (!locale)
		return false;
	*scale = strtod_l(text, &end, locale);
	freelocale(locale);
	return end > text && *end == '\0' && isfinite(*scale) && *scale > 0;
}

static int read_measure(struct encoding *e, const struct term *term)
{
	char scale[64], unit[64];
	bool has_scale = read_file(e, "events", term, ".scale", scale, sizeof(scale)) > 0;
	bool has_unit = read_file(e, "events", term, ".unit", unit, sizeof(unit)) > 0;

	if (!has_scale && !has_unit)
		return 0;
	if (e->measured)
		return fail_term(e, -EINVAL, term,
				 "only one event with a unit can be in these terms");
	e->measured = true;
	e->event->scale = 1;
	if (has_scale && !parse_scale(scale, &e->event->scale))
		return fail_term(e, -EBADMSG, term, "its scale in sysfs is not a number");
	text_printable(e->event->unit, sizeof(e->event->unit), has_unit ? unit : "",
		       sizeof(e->event->unit) - 1);
	return 0;
}

/* The user's term for a name that has "?" in an event of sysfs. */
static bool find_given(const struct encoding *e, const struct term *wanted, struct term *given)
{
	const char *at = e->terms;

	while (next_term(&at, e->terms + e->length, given))
		if (given->value && given->n_name == wanted->n_name &&
		    memcmp(given->name, wanted->name, wanted->n_name) == 0)
			return true;
	return false;
}

static int encode_alias(struct encoding *e, const struct term *alias, const char *terms)
{
	const char *at = terms;
	char format[128];
	struct term term;

	if (alias->value && !(alias->n_value == 1 && alias->value[0] == '1'))
		return fail_term(e, -EINVAL, alias, "it is an event, which takes no value");
	while (next_term(&at, terms + strlen(terms), &term)) {
		__u64 *word = word_of(&e->attr, term.name, term.n_name);
		uint64_t value;
		int result;

		if (term.value && term.n_value == 1 && term.value[0] == '?') {
			struct term given;

			if (!find_given(e, &term, &given))
				return fail_term(e, -EINVAL, &term,
						 "the event needs a value for it");
			continue; /* encoded with the user's terms */
		}
		if (word) {
			result = term_number(e, &term, &value);
			*word |= result == 0 ? value : 0;
		} else if (read_file(e, "format", &term, "", format, sizeof(format)) > 0) {
			result = encode_format(e, &term, format);
		} else {
			result = fail_term(
				e, -EBADMSG, &term,
				"an event in sysfs uses it, but the PMU has no format for it");
		}
		if (result < 0)
			return result;
	}
	return read_measure(e, alias);
}

static int set_name(struct encoding *e, const struct term *term)
{
	const char *value = term->value;
	size_t n = term->n_value;

	if (n >= 2 && value[0] == '\'' && value[n - 1] == '\'') {
		value++;
		n -= 2;
	}
	if (!value || n == 0 || n > EVENT_NAME_MAX_BYTES)
		return fail_term(e, -EINVAL, term, "it is empty");
	free(e->event->label);
	e->event->label = xstrndup(value, n);
	return 0;
}

/* Terms about the sampling of perf, without effect on a count. */
static bool is_about_samples(const struct term *term)
{
	return is_named(term, "period") || is_named(term, "freq");
}

static int fail_unknown(struct encoding *e, const struct term *term)
{
	struct event_aliases list = {.n = 0};
	struct quoted word = event_quote(term->name, term->n_name);
	struct suggest near = {.word = word.text};
	char path[160], hint[96], what[160];

	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), PMU_DEVICES "/%s/%s", e->pmu->name,
			 i ? "events" : "format");
		sys_dir_each(e->context->sys, path, event_alias_add, &list);
	}
	for (size_t i = 0; i < list.n; i++)
		suggest_offer(&near, list.names[i]);
	suggest_text(&near, hint, sizeof(hint));
	text_printable(what, sizeof(what), hint, sizeof(hint));
	int result = error_set(e->err, -ENOENT, "PMU %s has no term '%s'%s.", e->pmu->name,
			       word.text, what);
	event_alias_list_fini(&list);
	return result;
}

static int encode_term(struct encoding *e, const struct term *term);

/* An event of the vendor, with modifiers: "X:c1", which may have "=". */
static int encode_vendor(struct encoding *e, const struct term *term)
{
	const char *end = term->value ? term->value + term->n_value : term->name + term->n_name;
	struct event_vendor_terms own;
	struct term part;
	int result = EVENT_NOT_MINE;

	if (!e->vendor)
		result = event_vendor_terms(e->context, (size_t)(e->pmu - e->context->pmus->items),
					    term->name, (size_t)(end - term->name), &own, e->err);
	if (result == EVENT_NOT_MINE)
		return fail_unknown(e, term);
	const char *at = own.text;
	e->vendor = true;
	while (result == 0 && next_term(&at, own.text + strlen(own.text), &part)) {
		__u64 *word = word_of(&e->attr, part.name, part.n_name);
		uint64_t value = 0;

		result = word ? term_number(e, &part, &value) : encode_term(e, &part);
		if (word)
			*word |= value;
	}
	e->vendor = false;
	e->one_unit |= own.one_unit;
	e->item = own.item;
	if (own.kernel_only || own.user_only) {
		e->attr.exclude_kernel = !own.kernel_only;
		e->attr.exclude_user = !own.user_only;
		e->attr.exclude_hv = 1;
	}
	return result;
}

static int encode_term(struct encoding *e, const struct term *term)
{
	char text[TEXT_BYTES];
	const char *end;
	uint64_t raw;

	if (word_of(&e->attr, term->name, term->n_name) || is_about_samples(term))
		return 0;
	if (is_named(term, "name"))
		return set_name(e, term);
	if (read_file(e, "format", term, "", text, sizeof(text)) > 0)
		return encode_format(e, term, text);
	if (read_file(e, "events", term, "", text, sizeof(text)) > 0)
		return encode_alias(e, term, text);
	if (!term->value && term->name[0] == 'r' &&
	    event_parse_hex(term->name + 1, "/,", &raw, &end) && end == term->name + term->n_name) {
		e->attr.config |= raw;
		return 0;
	}
	return encode_vendor(e, term);
}

/* The first pass: config=0x3c and the like, at any place of the list. */
static int encode_words(struct encoding *e)
{
	const char *at = e->terms;
	struct term term;

	while (next_term(&at, e->terms + e->length, &term)) {
		__u64 *word = word_of(&e->attr, term.name, term.n_name);
		uint64_t value;

		if (!word)
			continue;
		int result = term_number(e, &term, &value);
		if (result < 0)
			return result;
		*word = value;
	}
	return 0;
}

int event_term_encode(const struct event_context *context, size_t pmu, const char *terms,
		      size_t length, struct event *event, struct error *err)
{
	struct encoding e = {
		.context = context,
		.pmu = &context->pmus->items[pmu],
		.terms = terms,
		.length = length,
		.event = event,
		.err = err,
	};
	const char *at = terms;
	struct term term;
	int result = encode_words(&e);

	while (result == 0 && next_term(&at, terms + length, &term))
		result = term.n_name > 0 ? encode_term(&e, &term)
					 : fail_term(&e, -EINVAL, &term, "it is empty");
	if (result < 0)
		return result;
	if (e.one_unit && event->n_codes > 0)
		return 0;
	struct perf_event_attr *attr = event_add_code(
		event, event->kind == EVENT_SOFTWARE ? 0 : pmu, e.pmu->type, e.attr.config);
	attr->config1 = e.attr.config1;
	attr->config2 = e.attr.config2;
	attr->exclude_user = e.attr.exclude_user;
	attr->exclude_kernel = e.attr.exclude_kernel;
	attr->exclude_hv = e.attr.exclude_hv;
	struct counter_constraint *constraint = &event->codes[event->n_codes - 1].constraint;
	if (e.item && pmu < event_core_pmus(context))
		event_vendor_constrain(context, e.item, constraint);
	constraint->extra = e.extra;
#ifdef PERF_ATTR_SIZE_VER8
	attr->config3 = e.attr.config3;
#endif
	return 0;
}

bool event_term_has_alias(const struct event_context *context, const struct pmu *pmu,
			  const char *name, size_t length)
{
	const struct encoding e = {.context = context, .pmu = pmu};
	const struct term term = {.name = name, .n_name = length};
	char text[16];

	return pmu->name[0] && read_file(&e, "events", &term, "", text, sizeof(text)) > 0;
}
