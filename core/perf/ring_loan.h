// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RING_LOAN_H
#define PMCTOP_RING_LOAN_H

#include "core/perf/ring.h"

#include <stddef.h>
#include <stdint.h>

/*
 * What was consumed of a ring, for another thread to read where it lies, so that who counts need
 * not copy it. The kernel does not write there until the borrower has taken it. That must not cost
 * records: only as much is lent as leaves the ring's reader its time, and where the borrower is
 * late, ring_release takes back what is lent, as a copy.
 *
 * A ring's loans are taken in the order in which they were made, by one thread.
 */
struct ring_loan;

/*
 * The reader's: lends what was consumed since tail stood at `from` and is not released yet. NULL
 * where that is too little to be worth it, or more than the ring can spare.
 */
struct ring_loan *ring_lend(struct ring *ring, uint64_t from);
/* Takes back all that is lent, without waiting: whether nobody reads there any more. */
bool ring_reclaim(struct ring *ring);

/* The borrower's. */
size_t ring_loan_bytes(const struct ring_loan *loan);
/* Its bytes, in `room` for so many or elsewhere: good until the loan's end. */
const void *ring_loan_take(struct ring_loan *loan, void *room);
void ring_loan_end(struct ring_loan *loan); /* whether it was taken or not */

#endif
