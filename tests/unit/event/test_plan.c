// SPDX-License-Identifier: MIT
/*
 * Plans of letters (letters.h), printed as a text. The text has the members of each group in their
 * order: a letter for a counter, N for the switch event, t for the tick, + for a pad. "|" is
 * between groups, " / " between domains.
 */
#include "core/base/util.h"
#include "core/event/plan.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/letters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct counters {
	size_t general;
	const char *fixed;   /* letters of events with a counter of their own */
	const char *after_s; /* letters of events that the kernel accepts only after s */
};

enum { PMUS = 2 };

/* What is known of events, by their letters. */
struct known {
	const char *letters;
	struct counter_constraint constraint;
};

struct machine {
	size_t n_core;
	struct counters pmus[PMUS];
	size_t most[PMUS];
	const struct known *known; /* up to one without letters; NULL: nothing */
	bool watchdog;
};

static bool fits_in_counters(void *arg, size_t pmu, const struct event_code *const *codes, size_t n)
{
	const struct machine *machine = arg;
	const struct counters *counters = &machine->pmus[pmu];
	size_t general = 0;

	/* Nothing impossible is tried. */
	assert_true(counter_constraint_fits(codes, n, machine->watchdog));

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(codes[i]->pmu, pmu);
		/* But the watchdog's stand-in, the last one. */
		for (size_t k = 0; k < i && i + machine->watchdog < n; k++)
			assert_true(codes[k]->attr.config != codes[i]->attr.config);
		general += !strchr(counters->fixed, (char)codes[i]->attr.config);
		if (counters->after_s && strchr(counters->after_s, (char)codes[i]->attr.config) &&
		    codes[0]->attr.config != 's')
			return false;
	}
	return general <= counters->general;
}

enum { MANY = 64 };
static const struct machine intel = {1, {{4, "cir"}}, {MANY}};
static const struct machine intel_watched = {1, {{4, "cir"}}, {4}};
static const struct machine icelake = {1, {{4, "cisrbfe", "rbfe"}}, {MANY}};
static const struct machine zen = {1, {{6, ""}}, {MANY}};
static const struct machine neoverse = {1, {{6, "c"}}, {MANY}};
static const struct machine zen_watched = {1, {{6, ""}}, {MANY}, .watchdog = true};
static const struct machine one = {1, {{1, ""}}, {MANY}};
static const struct machine none = {1, {{0, ""}}, {0}};
static const struct machine hybrid = {2, {{4, "ci"}, {2, "c"}}, {MANY, MANY}};

/* Eight general counters: all of them for A and G alone, four of them for small letters. */
#define FIXED(i)  (UINT64_C(1) << (COUNTER_FIRST_FIXED + (i)))
#define METRIC(i) (UINT64_C(1) << (COUNTER_FIRST_METRIC + (i)))
#define CORE      (UINT64_C(0xff) | FIXED(0) | FIXED(1) | FIXED(2) | FIXED(3))
static const struct known core_known[] = {
	{"i", {FIXED(0), CORE}},
	{"c", {FIXED(1), CORE}},
	{"abdefghjklmn", {0xf, CORE}},
	{"HIJKLMNO", {0xff, CORE}},
	{"AG", {0xff, CORE, COUNTER_FRONTEND, .alone = true}},
	{"XYZ", {0xf, CORE, COUNTER_OFFCORE}},
	{"S", {FIXED(3), CORE, .topdown = COUNTER_SLOTS}},
	{"R", {METRIC(0), CORE, .topdown = COUNTER_TOPDOWN_METRIC}},
	{"B", {METRIC(1), CORE, .topdown = COUNTER_TOPDOWN_METRIC}},
	{NULL, {0}},
};
static const struct machine core = {1, {{8, "ciSRB"}}, {MANY}, core_known};
static const struct machine core_watched = {1, {{8, "ciSRB"}}, {MANY}, core_known, true};
static const struct machine core_guest = {1, {{4, "ciSRB"}}, {MANY}, core_known};

static void set_known(const struct machine *machine, struct event_set *set)
{
	for (size_t i = TALLY_FIRST_COUNTED; i < set->n; i++)
		for (const struct known *known = machine->known; known && known->letters; known++) {
			struct event_code *code = &set->items[i].codes[0];

			if (!strchr(known->letters, set->items[i].name[0]))
				continue;
			code->constraint = known->constraint;
			code->attr.config1 = (uint64_t)set->items[i].name[0];
		}
}

static void check_counters(const struct plan *plan, const struct event_set *set)
{
	const struct tally_shape *shape = &plan->shape;

	assert_int_equal(plan->n_events, set->n);
	assert_int_equal(plan->first_counter[set->n], shape->n_counters);
	assert_true(shape->n_counters >= TALLY_FIRST_COUNTED);
	for (unsigned i = 0; i < shape->n_counters; i++) {
		const struct plan_counter *counter = &plan->counters[i];
		const struct event *event = &set->items[counter->event];
		assert_in_range(i, plan->first_counter[counter->event],
				plan->first_counter[counter->event + 1] - 1);
		if (i < TALLY_FIRST_COUNTED) {
			assert_int_equal(counter->event, i);
			continue;
		}
		const struct plan_group *group = &plan->groups[counter->group];
		const struct plan_domain *domain = &plan->domains[group->domain];
		assert_int_equal(plan_counter_in(plan, counter->group, counter->event), i);
		assert_int_equal(event->state, FIGURE_VALID);
		assert_int_equal(event->codes[counter->code].state, FIGURE_VALID);
		if (event->kind != EVENT_SOFTWARE)
			assert_int_equal(event->codes[counter->code].pmu, domain->pmu);
		assert_int_equal(domain->socket, event->kind == EVENT_SOCKET);
	}
	assert_int_equal(plan_counter_in(plan, 0, (unsigned)set->n), -ENOENT);
	assert_int_equal(plan_counter_in(plan, shape->n_groups, TALLY_FIRST_COUNTED), -ENOENT);
}

static void check_group(const struct plan *plan, unsigned index, const struct event_set *set)
{
	const struct plan_group *group = &plan->groups[index];
	const struct attrib_layout *layout = &group->layout;
	const struct plan_domain *domain = &plan->domains[group->domain];
	bool clock = index == domain->first_group;

	assert_int_equal(layout->group, index);
	assert_int_equal(layout->domain, group->domain);
	if (domain->socket) {
		assert_int_equal(group->n_members, 1);
		return;
	}
	assert_int_equal(layout->n_values, group->n_members);
	assert_ptr_equal(layout->counter_of, group->members);
	assert_int_equal(layout->clock, clock);
	assert_int_equal(group->members[layout->switch_value], PLAN_SWITCH);
	for (size_t i = 0; i < group->n_members; i++) {
		int member = group->members[i];
		if (member < 0)
			continue;
		const struct plan_counter *counter = &plan->counters[member];
		bool hardware = set->items[counter->event].kind == EVENT_HARDWARE;
		assert_int_equal(counter->group, index);
		assert_int_equal(hardware, i < layout->n_hardware);
	}
	/* Their samples differ in size from the samples of the clock's group, which is on too. */
	if (!clock)
		assert_int_not_equal(group->n_members, plan->groups[domain->first_group].n_members);
}

static void check_domains(const struct plan *plan, const struct event_set *set, size_t n_core)
{
	unsigned group = 0, most = 1;

	assert_true(plan->shape.n_domains >= n_core);
	for (unsigned i = 0; i < plan->shape.n_domains; i++) {
		const struct plan_domain *domain = &plan->domains[i];
		assert_int_equal(domain->socket, i >= n_core);
		if (i < n_core)
			assert_int_equal(domain->pmu, i);
		assert_int_equal(domain->first_group, group);
		most = domain->n_groups - 1 > most ? domain->n_groups - 1 : most;
		for (; group < domain->first_group + domain->n_groups; group++) {
			assert_int_equal(plan->groups[group].domain, i);
			check_group(plan, group, set);
		}
	}
	assert_int_equal(group, plan->shape.n_groups);
	assert_int_equal(plan_most_turns(plan), most);
}

/* The count of an event is the sum of its counters in all groups. */
static void check_count(const struct plan *plan)
{
	uint64_t *tally = xcalloc(tally_width(&plan->shape), sizeof(*tally));

	for (unsigned i = 0; i < plan->shape.n_counters; i++)
		tally[i] = 1;
	for (size_t event = 0; event < plan->n_events; event++)
		assert_int_equal(plan_count(plan, tally, event),
				 plan->first_counter[event + 1] - plan->first_counter[event]);
	assert_int_equal(plan_count(plan, tally, plan->n_events), 0);
	free(tally);
}

static void print_groups(const struct plan *plan, const struct event_set *set, char *text,
			 size_t size)
{
	static const char marks[] = {'N', 't', '+'};
	size_t used = 0;

	for (unsigned g = 0; g < plan->shape.n_groups; g++) {
		const struct plan_group *group = &plan->groups[g];
		const char *between = !g ? "" : group->domain != group[-1].domain ? " / " : "|";
		used += (size_t)snprintf(text + used, size - used, "%s", between);
		for (size_t i = 0; i < group->n_members && used + 2 < size; i++) {
			int member = group->members[i];
			text[used++] = member < 0
					       ? marks[-1 - member]
					       : set->items[plan->counters[member].event].name[0];
		}
		text[used] = '\0';
	}
}

struct plan_case {
	const char *name;
	const struct machine *machine;
	const char *events, *wants;
	const char *groups;
	bool separate_clock;
};

static const struct plan_case cases[] = {
	{"no events", &intel, "", "", "Nt"},
	{"software needs no counter: it is with the clock", &none, "uv", "u v", "Ntuv"},
	{"all fit: one group, hardware first", &intel, "ucim", "ci mu", "cimNtu"},
	{"four general and two fixed", &intel, "cabdei", "ci abde", "ciabdeNt"},
	{"one more is a group of its own", &intel, "cabdefi", "ci ab d e f", "Nt|ciabdeNt|fNt"},
	{"the clock apart, although all fit", &intel, "ciu", "ci u", "Ntu|ciNt", true},
	{"the watchdog leaves four in all", &intel_watched, "cabdei", "ci ab d e",
	 "Nt|ciabNt|deNt"},
	{"inputs stay together: an event in two groups", &zen, "ciabdefgh", "ci abdefc ghc",
	 "Nt|cighNt|abdefcNt"},
	{"into the group that has most of the want", &zen, "abcdefgh", "abcd efgh eb ef",
	 "Nt|abcdeNt|efghNt"},
	{"an event that is in the group already", &intel, "cim", "cim ci im m c", "cimNt"},
	{"neoverse: six and cycles", &neoverse, "cabdefgh", "c a b d e f g h", "Nt|cabdefgNt|hNt"},
	{"one counter", &one, "ab", "a b", "Nt|aNt|bNt"},
	{"one counter: a want is divided", &one, "ab", "ab", "Nt|aNt|bNt"},
	{"a want that fits no group is divided into few", &zen, "abcdefgh", "abcdefgh",
	 "Nt|abcdefNt|ghNt"},
	{"no counter: a group for each event", &none, "ab", "ab", "Nt|aNt|bNt"},
	{"a want of one event twice", &zen, "ab", "aa ab", "abNt"},
	{"software in a want of hardware", &intel, "cu", "cu", "cNtu"},
	{"sizes must differ: a pad", &one, "abu", "a b u", "Ntu+|aNt|bNt"},
	{"sizes must differ: a pad for each size in use", &intel, "abdefghuvw", "abde fgh uvw",
	 "Ntuvw++|abdeNt|fghNt"},
	{"sizes differ already: no pad", &intel, "abdefghu", "abde fgh", "Ntu|abdeNt|fghNt"},
	{"the leader leads", &intel, "a^sb", "asb", "sabNt"},
	{"the leader leads, in each of its groups", &zen, "abcde^sfgh", "abcdes sfgh",
	 "Nt|sabcdeNt|sfghNt"},
	{"events that count only after their leader", &icelake, "ciadrbfe^s", "ci rbfes ad",
	 "scirbfeadNt"},
	{"the same, in a new group to which the leader comes last", &icelake, "adghrbfe^s",
	 "adgh rs bfes", "sadghrbfeNt"},
	{"unsupported and denied ones are left out", &intel, "c-i!mu", "cim u", "cNtu"},
	{"only unsupported and denied ones: no counter", &intel, "-c!i-u", "ci u", "Nt"},
	{"two PMUs, each with its own budget", &hybrid, "ciab", "ci a b", "ciabNt / Nt|ciaNt|bNt"},
	{"two PMUs, each without an event of the other", &hybrid, "c1a2b", "ca cb", "caNt / cbNt"},
	{"software on two PMUs: in both clocks", &hybrid, "cu", "c u", "cNtu / cNtu"},
	{"an event of the second PMU alone", &hybrid, "2a", "a", "Nt / aNt"},
	{"a socket's event is a domain of its own", &intel, "cz", "c z", "cNt / z"},
	{"with two devices, a domain for each", &intel, "cyz", "c yz", "cNt / y / y / z"},
	{"sockets alone", &none, "z", "z", "Nt / z"},
	{"an unsupported socket", &intel, "-z", "z", "Nt"},
	{"an event without a want is not counted", &intel, "cm", "c", "cNt"},
	{"four counters for five", &core, "abdefH", "a b d e f H", "Nt|abdeHNt|fNt"},
	{"those for few counters come first", &core, "HIJKLMNOabdefghj",
	 "H I J K L M N O a b d e f g h j", "Nt|abdeHIJKNt|fghjLMNONt"},
	{"twelve for four counters: the children of L1_Bound", &core, "cabdefghjklmn",
	 "abc dc efghc jc klc mnc", "Nt|efghcNt|abcklNt|mncdjNt"},
	{"alone", &core, "aAbG", "a A b G", "Nt|ANt|GNt|abNt"},
	{"alone, beside fixed counters", &core, "acAi", "ac Aci", "Nt|AciNt|acNt"},
	{"alone in a want with others: apart", &core, "Aac", "Aac", "Nt|AcNt|aNt"},
	{"two registers for three values", &core, "XYZ", "X Y Z", "Nt|XYNt|ZNt"},
	{"what fits no group is apart, in few groups", &core, "abdefH", "abdefH", "Nt|abdeHNt|fNt"},
	{"metrics bring slots", &core, "R^SBa", "R aB", "SaBRNt"},
	{"metrics bring slots to each group", &core, "RabdeBfghj^S", "Rabde Bfghj",
	 "Nt|SRabdeNt|SBfghjNt"},
	{"metrics and slots, in a want that fits no group", &core, "RabdefB^S", "RBabdef",
	 "Nt|SRBabdeNt|fNt"},
	{"a metric without slots: the kernel has the reason", &core, "Ra", "Ra", "Nt|RNt|aNt"},
	{"slots that cannot be counted lead nothing", &core, "R-Sa", "R a", "Nt|aNt|RNt"},
	{"ten counters", &core, "ciHIJKLMNO", "ci HIJKLMNO", "HIJKLMNOciNt"},
	{"the watchdog leaves nine", &core_watched, "ciHIJKLMNO", "ci HIJKLMNO",
	 "Nt|HIJKLMNONt|ciNt"},
	{"the kernel has fewer than the table", &core_guest, "HIJKLM", "H I J K L M",
	 "Nt|HIJKNt|LMNt"},
	{"optional ones have the free counters", &zen, "ciabdefg", "ci ab ?d ?eg ?f", "ciabdfNt"},
	{"all of an optional want, or nothing", &intel, "ciabdef", "ci ab ?def ?dc", "ciabdNt"},
	{"none beside events that take turns", &one, "abd", "a b ?d", "Nt|aNt|bNt"},
	{"none by themselves", &intel, "ciu", "u ?ci", "Ntu"},
	{"none where counters are shared", &zen, "cid", "ci ?d", "Nt|ciNt", true},
	{"none if the PMU lacks one of them", &hybrid, "ci1d", "ci ?id", "cidNt / ciNt"},
	{"the watchdog's counter is not free", &zen_watched, "ciabdef", "ci ab ?d ?e", "ciabdNt"},
	{"nor where its counters are known", &core_watched, "ciHIJKLMNO", "ci HIJKLM ?NO ?O",
	 "HIJKLMciONt"},
	{"metrics need no counter", &core_watched, "ciHIJKLMNRB^S", "ci HIJKLMN ?RB",
	 "SHIJKLMNciRBNt"},
};

static struct plan *plan_of(const struct plan_case *this, const struct event_set *set)
{
	struct machine machine = *this->machine;

	return letter_plan(set, this->wants, machine.n_core,
			   &(struct plan_request){.separate_clock = this->separate_clock,
						  .watchdog = machine.watchdog,
						  .most = machine.most,
						  .fits = fits_in_counters,
						  .arg = &machine});
}

static void test_case(void **state)
{
	const struct plan_case *this = *state;
	struct event_set set;
	char text[512] = "", again[512] = "";

	letter_events(this->events, this->machine->n_core, &set);
	set_known(this->machine, &set);
	struct plan *plan = plan_of(this, &set);
	check_counters(plan, &set);
	check_domains(plan, &set, this->machine->n_core);
	check_count(plan);
	print_groups(plan, &set, text, sizeof(text));
	assert_string_equal(text, this->groups);
	struct plan *same = plan_of(this, &set);
	print_groups(same, &set, again, sizeof(again));
	assert_string_equal(again, text);
	plan_unref(same);
	plan_unref(plan);
	event_set_fini(&set);
}

/* The most events of a run: all are counted, and not every group is tried for each. */
struct tries {
	size_t n;
};

static bool six_fit(void *arg, size_t pmu, const struct event_code *const *codes, size_t n)
{
	struct tries *tries = arg;

	(void)pmu;
	(void)codes;
	tries->n++;
	return n <= 6;
}

static void test_many_events(void **state)
{
	enum { EVENTS = 256 };
	struct event_set set;
	struct plan_want wants[EVENTS];
	unsigned events[EVENTS];
	struct pmu pmu = {.kind = PMU_CORE};
	const struct pmu_set pmus = {&pmu, 1, 1};
	const size_t most = MANY;
	struct tries tries = {0};

	(void)state;
	event_set_init(&set, NULL);
	for (unsigned i = 0; i < EVENTS; i++) {
		char name[16];
		snprintf(name, sizeof(name), "r%x", i + 1);
		struct event event = {
			.name = xstrdup(name), .scale = 1, .kind = EVENT_HARDWARE, .n_codes = 1};
		event.codes = xcalloc(1, sizeof(*event.codes));
		event.codes[0].attr.config = i + 1;
		set.items = array_reserve(set.items, &set.capacity, set.n + 1, sizeof(*set.items));
		events[i] = (unsigned)set.n;
		set.items[set.n++] = event;
		wants[i] = (struct plan_want){&events[i], 1};
	}
	const struct plan_wants all = {wants, EVENTS};
	struct plan *plan = plan_new(&(struct plan_request){.events = &set,
							    .pmus = &pmus,
							    .wants = &all,
							    .most = &most,
							    .fits = six_fit,
							    .arg = &tries});
	check_counters(plan, &set);
	check_domains(plan, &set, 1);
	assert_int_equal(plan->shape.n_counters, TALLY_FIRST_COUNTED + EVENTS);
	assert_int_equal(plan_most_turns(plan), (EVENTS + 5) / 6);
	/* Each try opens a group in the kernel. */
	assert_true(tries.n < 10 * EVENTS);
	plan_unref(plan);
	event_set_fini(&set);
}

static void test_references(void **state)
{
	static const struct plan_case nothing = {"", &intel, "", "", "", false};
	struct event_set set;

	(void)state;
	letter_events("", 1, &set);
	struct plan *plan = plan_of(&nothing, &set);
	assert_ptr_equal(plan_ref(plan), plan);
	plan_unref(plan);
	assert_int_equal(plan->shape.n_domains, 1);
	plan_unref(plan);
	plan_unref(NULL);
	event_set_fini(&set);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_many_events),
		cmocka_unit_test(test_references),
	};
	static const struct cases table = CASES(test_case, cases);

	return cases_run("plan", &table, 1, others, ARRAY_SIZE(others));
}
