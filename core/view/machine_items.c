// SPDX-License-Identifier: MIT
/*
 * A value is compared with a threshold, which is a number, a number for each CPU, or a share of
 * another value. An idle machine and a healthy server are below all of them.
 */
#include "core/view/machine_items.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <stdio.h>
#include <string.h>

enum { INTERRUPT_WEIGHT = 75 };

enum format {
	FORMAT_LOAD,    /* three load averages */
	FORMAT_NUMBER,  /* "12" */
	FORMAT_USED,    /* "3.1G of 8.0G", used; or "0.2G free of 8.0G" where it speaks */
	FORMAT_BYTES,   /* "2.0G" */
	FORMAT_PERCENT, /* "12.5%" */
	FORMAT_RATE,    /* "530/s" */
};

static const struct rule {
	const char *label;
	enum machine_value value;
	enum format format;
	unsigned weight;
	double from;           /* it speaks from this value on; 0: never by itself */
	enum machine_value of; /* `from` is multiplied by this; MACHINE_VALUES: by 1 */
	bool below;            /* it speaks up to that value instead */
	const char *warning;   /* a sentence about the value; NULL: no task loses time by it */
} rules[] = {
	/* More threads than CPUs, or threads in state D, over the last minute. */
	{"load", MACHINE_LOAD_1M, FORMAT_LOAD, 60, 1, MACHINE_CPUS},
	/* Some wait for a CPU now: less than two for each CPU pass with every burst. */
	{"runnable", MACHINE_RUNNABLE, FORMAT_NUMBER, 55, 2, MACHINE_CPUS},
	/* The kernel reclaims before it is full. With a tenth left, the page cache is small. */
	{"memory", MACHINE_MEMORY_AVAILABLE, FORMAT_USED, 90, 0.1, MACHINE_MEMORY, true,
	 "memory is nearly full: %s"},
	{"cache", MACHINE_MEMORY_CACHE, FORMAT_BYTES, 58, 0, MACHINE_VALUES},
	/* Used swap alone is harmless. Without any left, the next step is the OOM killer. */
	{"swap", MACHINE_SWAP_FREE, FORMAT_USED, 79, 0.2, MACHINE_SWAP, true,
	 "swap is nearly full: %s"},
	/* Two busy CPUs with -j2 and some daemons reach 10 to 20. */
	{"cpu pressure", MACHINE_CPU_PRESSURE, FORMAT_PERCENT, 70, 25, MACHINE_VALUES},
	/* A tenth of the time some task waits for a device. */
	{"io pressure", MACHINE_IO_PRESSURE, FORMAT_PERCENT, 80, 10, MACHINE_VALUES, false,
	 "some task waits for a device %s of the time (io pressure)"},
	/* With enough memory no task waits for it. */
	{"memory pressure", MACHINE_MEMORY_PRESSURE, FORMAT_PERCENT, 95, 1, MACHINE_VALUES, false,
	 "some task waits for memory %s of the time (memory pressure)"},
	/* As the note about stolen time. */
	{"steal", MACHINE_STEAL, FORMAT_PERCENT, 92, 5, MACHINE_VALUES, false,
	 "the hypervisor takes %s of the CPUs' time (steal)"},
	/* As io pressure: a tenth of the CPU time. */
	{"iowait", MACHINE_IOWAIT, FORMAT_PERCENT, 50, 10, MACHINE_VALUES},
	/* A start costs 0.5 to 1 ms: 5 to 10 % of a CPU. */
	{"forks", MACHINE_FORKS, FORMAT_RATE, 65, 100, MACHINE_VALUES},
};

static void put_bytes(double bytes, char *text, size_t size)
{
	static const char units[] = "KMGT";
	double scaled = bytes / 1024;
	size_t unit = 0;

	if (bytes <= 0) {
		text_copy(text, size, "0");
		return;
	}
	while (scaled >= 1000 && unit + 2 < sizeof(units)) {
		scaled /= 1024;
		unit++;
	}
	size_t length = text_fixed(text, size - 1, scaled, scaled < 100);
	text[length] = units[unit];
	text[length + 1] = '\0';
}

static void put_load(const struct snapshot_machine *machine, char *text, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < 3; i++) {
		if (i > 0)
			length += text_copy(text + length, size - length, " ");
		length += text_fixed(text + length, size - length,
				     machine->values[MACHINE_LOAD_1M + i], 2);
	}
}

static void put_value(const struct rule *rule, const struct snapshot_machine *machine, bool speaks,
		      char *text, size_t size)
{
	double value = machine->values[rule->value];
	char number[24], whole[24];

	switch (rule->format) {
	case FORMAT_LOAD:
		put_load(machine, text, size);
		return;
	case FORMAT_NUMBER:
		text_fixed(text, size, value, 0);
		return;
	case FORMAT_USED:
		put_bytes(speaks ? value : machine->values[rule->of] - value, number,
			  sizeof(number));
		put_bytes(machine->values[rule->of], whole, sizeof(whole));
		snprintf(text, size, speaks ? "%s free of %s" : "%s of %s", number, whole);
		return;
	case FORMAT_BYTES:
		put_bytes(value, text, size);
		return;
	case FORMAT_PERCENT:
		text_percent(text, size, value / 100);
		return;
	case FORMAT_RATE:
		text_fixed(number, sizeof(number), value, 0);
		snprintf(text, size, "%s/s", number);
		return;
	}
}

/* Whether the value and what it is compared with are known. No swap has no free swap. */
static bool is_shown(const struct rule *rule, const struct snapshot_machine *machine)
{
	if (!machine->known[rule->value])
		return false;
	if (rule->format != FORMAT_USED)
		return true;
	return machine->known[rule->of] && machine->values[rule->of] > 0;
}

static bool speaks(const struct rule *rule, const struct snapshot_machine *machine)
{
	double value = machine->values[rule->value], from = rule->from;

	if (!is_shown(rule, machine) || from <= 0)
		return false;
	if (rule->of != MACHINE_VALUES) {
		if (!machine->known[rule->of])
			return false;
		from *= machine->values[rule->of];
	}
	return rule->below ? value <= from : value >= from;
}

/* The files have a count of each, and the time of all together. */
static void put_interrupt(const struct machine_interrupt *interrupt, struct machine_item *item)
{
	char percent[24];

	*item = (struct machine_item){.weight = INTERRUPT_WEIGHT, .speaks = true};
	snprintf(item->label, sizeof(item->label), "CPU %d", interrupt->cpu);
	text_percent(percent, sizeof(percent), interrupt->percent / 100);
	int length = snprintf(item->text, sizeof(item->text), "spends %s in %s", percent,
			      interrupt->soft ? "softirqs" : "interrupts");
	if (interrupt->name[0])
		snprintf(item->text + length, sizeof(item->text) - (size_t)length, " (most: %s)",
			 interrupt->name);
	snprintf(item->sentence, sizeof(item->sentence), "%s %s", item->label, item->text);
}

/* The text of the value in the place of "%s". */
static void put_sentence(const char *warning, struct machine_item *item)
{
	const char *place = strstr(warning, "%s");

	snprintf(item->sentence, sizeof(item->sentence), "%.*s%s%s", (int)(place - warning),
		 warning, item->text, place + 2);
}

size_t machine_items(const struct snapshot_machine *machine,
		     struct machine_item items[MACHINE_ITEMS])
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		const struct rule *rule = &rules[i];

		if (!is_shown(rule, machine))
			continue;
		struct machine_item *item = &items[n++];
		*item = (struct machine_item){.weight = rule->weight};
		text_copy(item->label, sizeof(item->label), rule->label);
		item->kept = rule->format == FORMAT_USED;
		item->usual =
			item->kept || rule->format == FORMAT_BYTES || rule->format == FORMAT_LOAD;
		item->speaks = speaks(rule, machine);
		item->warns = item->speaks && rule->warning;
		put_value(rule, machine, item->speaks, item->text, sizeof(item->text));
		if (item->warns)
			put_sentence(rule->warning, item);
	}
	for (size_t i = 0; i < machine->n_interrupts; i++)
		put_interrupt(&machine->interrupts[i], &items[n++]);
	return n;
}
