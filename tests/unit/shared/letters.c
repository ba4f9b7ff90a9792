// SPDX-License-Identifier: MIT
#include "tests/unit/shared/letters.h"

#include "core/base/util.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PMUS = 2 }; /* the most core PMUs; after them two devices of sockets */

static enum event_kind kind_of(char letter)
{
	return strchr("uvw", letter)  ? EVENT_SOFTWARE
	       : strchr("yz", letter) ? EVENT_SOCKET
				      : EVENT_HARDWARE;
}

static void make_codes(struct event *event, char letter, char mark, size_t n_core)
{
	bool socket = event->kind == EVENT_SOCKET;

	event->n_codes = event->kind == EVENT_HARDWARE ? n_core : letter == 'y' ? 2 : 1;
	event->codes = xcalloc(event->n_codes, sizeof(*event->codes));
	for (size_t i = 0; i < event->n_codes; i++) {
		bool elsewhere = (mark == '1' || mark == '2') && (size_t)(mark - '1') != i;

		event->codes[i] = (struct event_code){
			.pmu = socket ? PMUS + i : i,
			.attr = {.config = (uint64_t)letter},
			.state = elsewhere || mark == '-' ? FIGURE_UNSUPPORTED : FIGURE_VALID,
		};
	}
}

void letter_events(const char *letters, size_t n_core, struct event_set *set)
{
	event_set_init(set, NULL);
	for (const char *at = letters; *at; at++) {
		char mark = isalpha((unsigned char)*at) ? '\0' : *at++;
		struct event event = {
			.name = xstrndup(at, 1),
			.kind = kind_of(*at),
			.leads = mark == '^',
			.state = mark == '-'   ? FIGURE_UNSUPPORTED
				 : mark == '!' ? FIGURE_DENIED
					       : FIGURE_VALID,
		};

		event.scale = event.kind == EVENT_SOCKET ? 0.25 : 1;
		make_codes(&event, *at, mark, n_core);
		set->items =
			array_reserve(set->items, &set->capacity, set->n + 1, sizeof(*set->items));
		set->items[set->n++] = event;
	}
}

static void make_wants(const char *words, const struct event_set *set, struct plan_wants *wants)
{
	*wants = (struct plan_wants){.items = xcalloc(strlen(words) + 1, sizeof(*wants->items))};
	for (const char *at = words; *at;) {
		bool optional = *at == '?';
		at += optional;
		size_t n = strcspn(at, " ");
		struct plan_want *want = &wants->items[wants->n++];

		*want = (struct plan_want){
			.events = xcalloc(n, sizeof(unsigned)), .n = n, .optional = optional};
		for (size_t i = 0; i < n; i++) {
			int event = event_set_find(set, (char[]){at[i], '\0'});

			assert_true(event >= 0);
			want->events[i] = (unsigned)event;
		}
		at += n + (at[n] == ' ');
	}
}

static void free_wants(struct plan_wants *wants)
{
	for (size_t i = 0; i < wants->n; i++)
		free(wants->items[i].events);
	free(wants->items);
}

struct plan *letter_plan(const struct event_set *set, const char *words, size_t n_core,
			 const struct plan_request *rest)
{
	struct pmu pmus[PMUS + 2] = {
		{.kind = PMU_CORE}, {.kind = PMU_CORE}, {.kind = PMU_SOCKET}, {.kind = PMU_SOCKET}};
	const struct pmu_set pmu_set = {pmus, ARRAY_SIZE(pmus), n_core};
	struct plan_request request = *rest;
	struct plan_wants wants;

	make_wants(words, set, &wants);
	request.events = set;
	request.pmus = &pmu_set;
	request.wants = &wants;
	struct plan *plan = plan_new(&request);
	free_wants(&wants);
	return plan;
}
