// SPDX-License-Identifier: MIT
/*
 * A loan is two owners' (its ring's and its borrower's) and changes hands by its state alone. The
 * borrower copies first and asks then whether it was in time: if not, what it copied may have been
 * written over, and the reader's copy stands for it.
 */
#include "core/perf/ring_loan.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

enum { LOAN_BYTES_MIN = 4096 }; /* less is as soon copied */

enum loan_state {
	LOAN_LENT,
	LOAN_READ,     /* the borrower is reading it */
	LOAN_TAKEN,    /* has read it */
	LOAN_STOLEN,   /* is reading it in vain: there is a copy */
	LOAN_RETURNED, /* nobody reads it: there is a copy */
	LOAN_DROPPED,  /* nobody wants it */
};

struct ring_loan {
	struct perf_event_mmap_page *page;
	struct ring_part parts[2];
	uint64_t from, to;
	unsigned char *copy;    /* owned; NULL: none was needed */
	int state;              /* enum loan_state; atomic */
	int owners;             /* atomic */
	struct ring_loan *next; /* of its ring */
};

static void unref(struct ring_loan *loan)
{
	if (__atomic_sub_fetch(&loan->owners, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	free(loan->copy);
	free(loan);
}

/* All that was read or written before is done when the other side sees it. */
static bool change(struct ring_loan *loan, enum loan_state from, enum loan_state to)
{
	int expected = (int)from;

	return __atomic_compare_exchange_n(&loan->state, &expected, (int)to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static enum loan_state state_of(const struct ring_loan *loan)
{
	return (enum loan_state)__atomic_load_n(&loan->state, __ATOMIC_ACQUIRE);
}

size_t ring_loan_bytes(const struct ring_loan *loan)
{
	return loan->parts[0].n + loan->parts[1].n;
}

static void copy_bytes(const struct ring_loan *loan, unsigned char *to)
{
	memcpy(to, loan->parts[0].bytes, loan->parts[0].n);
	memcpy(to + loan->parts[0].n, loan->parts[1].bytes, loan->parts[1].n);
}

/* The tail for the kernel, by whoever is first: never back. */
static void give_back(struct perf_event_mmap_page *page, uint64_t tail)
{
	__u64 now = __atomic_load_n(&page->data_tail, __ATOMIC_RELAXED); /* as the kernel has it */

	/* Pairs with the kernel's read of data_tail in __perf_output_begin(): our reads of the
	 * records are done before their space may be written again. */
	while ((int64_t)(tail - now) > 0)
		if (__atomic_compare_exchange_n(&page->data_tail, &now, tail, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return;
}

/* ---- the reader */

/* Forgets those that are over. */
static void prune(struct ring *ring)
{
	for (struct ring_loan **link = &ring->loans, *loan; (loan = *link);) {
		enum loan_state state = state_of(loan);
		if (state == LOAN_LENT || state == LOAN_READ || state == LOAN_STOLEN) {
			link = &loan->next;
			continue;
		}
		*link = loan->next;
		unref(loan);
	}
}

/* Where the first begins that has not been taken yet; the tail where there is none. */
static uint64_t lent_from(struct ring *ring)
{
	prune(ring);
	for (const struct ring_loan *loan = ring->loans; loan; loan = loan->next)
		if (state_of(loan) != LOAN_STOLEN)
			return loan->from;
	return ring->tail;
}

/*
 * When the reader is woken next, what is lent and what has come meanwhile leave room for as much
 * again: for the time that the reader is late.
 */
static uint64_t most_lent(const struct ring *ring)
{
	return ring->data_bytes - 2 * ring_wake_bytes(ring->data_bytes);
}

static void take_back(struct ring_loan *loan)
{
	enum loan_state state = state_of(loan);

	if (state != LOAN_LENT && state != LOAN_READ)
		return;
	loan->copy = xmalloc(ring_loan_bytes(loan));
	copy_bytes(loan, loan->copy);
	if (change(loan, LOAN_LENT, LOAN_RETURNED) || change(loan, LOAN_READ, LOAN_STOLEN))
		return;
	/* It was in time after all. */
	free(loan->copy);
	loan->copy = NULL;
}

bool ring_reclaim(struct ring *ring)
{
	for (struct ring_loan *loan = ring->loans; loan; loan = loan->next)
		take_back(loan);
	prune(ring);
	return !ring->loans;
}

void ring_release(struct ring *ring)
{
	uint64_t from = lent_from(ring);

	if (ring->tail - from > most_lent(ring)) {
		ring_reclaim(ring);
		from = ring->tail;
	}
	give_back(ring->page, from);
}

struct ring_loan *ring_lend(struct ring *ring, uint64_t from)
{
	uint64_t n = ring->tail - from, most = most_lent(ring);

	if (n < LOAN_BYTES_MIN || n > most)
		return NULL;
	if (ring->tail - lent_from(ring) > most)
		ring_reclaim(ring);
	struct ring_loan *loan = xcalloc(1, sizeof(*loan)), **last = &ring->loans;
	*loan = (struct ring_loan){.page = ring->page, .from = from, .to = ring->tail, .owners = 2};
	ring_consumed(ring, from, loan->parts);
	while (*last)
		last = &(*last)->next;
	*last = loan;
	return loan;
}

/* ---- the borrower */

const void *ring_loan_take(struct ring_loan *loan, void *room)
{
	if (!change(loan, LOAN_LENT, LOAN_READ))
		return loan->copy;
	copy_bytes(loan, room);
	if (change(loan, LOAN_READ, LOAN_TAKEN)) {
		give_back(loan->page, loan->to);
		return room;
	}
	/* The copy is seen now; and the ring may go. */
	const void *copy = loan->copy;
	change(loan, LOAN_STOLEN, LOAN_RETURNED);
	return copy;
}

void ring_loan_end(struct ring_loan *loan)
{
	/* The ring is its reader's to give back: earlier loans may still be read. */
	change(loan, LOAN_LENT, LOAN_DROPPED);
	unref(loan);
}
