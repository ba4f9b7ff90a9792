// SPDX-License-Identifier: MIT
/*
 * Rings: real memory behind the kernel's control page, written as in kernel/events/ring_buffer.c. A
 * record that does not fit between head and the reader's tail is lost and counted. The next record
 * that fits follows a LOST with that number.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void ring_put(struct fk_ring *ring, const void *bytes, size_t size)
{
	uint64_t head = ring->page->data_head;
	size_t data_size = ring->page->data_size, at = head % data_size;
	size_t to_end = size < data_size - at ? size : data_size - at;

	memcpy(ring->data + at, bytes, to_end);
	memcpy(ring->data, (const unsigned char *)bytes + to_end, size - to_end);
	/* Pairs with the reader's load-acquire: the bytes first, then the head that shows them. */
	__atomic_store_n(&ring->page->data_head, head + size, __ATOMIC_RELEASE);
}

/* CIRC_SPACE: one byte always stays free. */
static bool ring_has_room(const struct fk_ring *ring, size_t size)
{
	uint64_t tail = __atomic_load_n(&ring->page->data_tail, __ATOMIC_ACQUIRE);
	uint64_t head = ring->page->data_head;

	return ((tail - (head + 1)) & (ring->page->data_size - 1)) >= size;
}

static void ring_wake(struct fk_ring *ring, const struct fk_perf *perf, bool sample)
{
	uint64_t head = ring->page->data_head;
	bool wake = false;

	if (head - ring->wakeup > ring->watermark) {
		ring->wakeup += ring->watermark;
		wake = true;
	}
	if (sample && !perf->attr.watermark && perf->attr.wakeup_events &&
	    ++ring->events >= perf->attr.wakeup_events) {
		ring->events = 0;
		wake = true;
	}
	ring->poll = ring->poll || wake;
}

/* A LOST record: the id of the event that noticed, how many, and the usual trailer. */
static size_t lost_record(struct fk *fk, const struct fk_perf *perf, const struct fk_cpu *cpu,
			  uint64_t lost, unsigned char *to)
{
	uint64_t body[2] = {perf->id, lost};
	struct perf_event_header header = {.type = PERF_RECORD_LOST};
	size_t size = sizeof(header) + sizeof(body);

	memcpy(to + sizeof(header), body, sizeof(body));
	size += fk_record_trailer(fk, perf, cpu, to + size);
	header.size = (uint16_t)size;
	memcpy(to, &header, sizeof(header));
	return size;
}

void fk_ring_write(struct fk *fk, struct fk_perf *perf, struct fk_cpu *cpu, const void *record,
		   size_t size)
{
	struct fk_ring *ring = perf->ring;
	struct perf_event_header bare = *(const struct perf_event_header *)record;
	unsigned char lost[128];
	size_t lost_size = 0;

	if (!ring || !ring->page->data_size)
		return;
	if (fk_is_unreported(cpu) &&
	    (bare.type == PERF_RECORD_SAMPLE || bare.type == PERF_RECORD_SWITCH_CPU_WIDE))
		return;
	if (ring->lost)
		lost_size = lost_record(fk, perf, cpu, ring->lost, lost);
	if (cpu->lose || !ring_has_room(ring, lost_size + size)) {
		cpu->lose -= cpu->lose > 0;
		ring->lost++;
		perf->lost_samples++;
		fk->lost++;
		return;
	}
	if (cpu->garble) {
		cpu->garble--;
		record = &bare;
		size = bare.size = sizeof(bare);
	}
	ring_put(ring, lost, lost_size);
	ring->lost = 0;
	ring_put(ring, record, size);
	ring_wake(ring, perf,
		  ((const struct perf_event_header *)record)->type == PERF_RECORD_SAMPLE);
}

bool fk_ring_poll(struct fk_ring *ring)
{
	bool poll = ring->poll;

	ring->poll = false;
	return poll;
}

/* What kernel.perf_event_mlock_kb leaves to an unprivileged user (RLIMIT_MEMLOCK is 0 here). */
static bool may_lock(const struct fk *fk, size_t size)
{
	size_t online = 0, locked = 0;

	if (!fk->config.unprivileged || fk->config.paranoid < 0)
		return true;
	for (unsigned i = 0; i < fk->config.cpus; i++)
		online += fk->cpus[i].online;
	for (size_t i = 0; i < fk->n_rings; i++)
		locked += fk->rings[i]->size;
	return locked + size <= online * fk->config.mlock_kb * 1024;
}

static struct fk_ring *ring_new(struct fk *fk, const struct fk_perf *perf, size_t size)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct fk_ring *ring = xcalloc(1, sizeof(*ring));

	if (memory == MAP_FAILED)
		fk_die("no memory for a ring of %zu bytes", size);
	ring->page = memory;
	ring->data = (unsigned char *)memory + page_size;
	ring->size = size;
	ring->clockid = perf->attr.use_clockid ? perf->attr.clockid : -1;
	ring->cpu = perf->cpu;
	ring->page->data_offset = page_size;
	ring->page->data_size = size - page_size;
	ring->page->version = 0;
	ring->page->cap_user_time = fk->config.tsc_mult > 0;
	ring->page->time_mult = fk->config.tsc_mult;
	ring->page->time_shift = fk->config.tsc_shift;
	if (perf->attr.watermark)
		ring->watermark = size_min(perf->attr.wakeup_watermark, size - page_size);
	if (!ring->watermark)
		ring->watermark = (size - page_size) / 2;
	fk->rings = array_reserve(fk->rings, &fk->rings_capacity, fk->n_rings + 1,
				  sizeof(struct fk_ring *));
	fk->rings[fk->n_rings++] = ring;
	return ring;
}

void fk_ring_free(struct fk *fk, struct fk_ring *ring)
{
	size_t kept = 0;

	for (size_t i = 0; i < fk->n_rings; i++)
		if (fk->rings[i] != ring)
			fk->rings[kept++] = fk->rings[i];
	fk->n_rings = kept;
	munmap(ring->page, ring->size);
	free(ring);
}

int fk_perf_map(void *ctx, int fd, size_t size, void **address)
{
	struct fk *fk = ctx;
	struct fk_perf *perf = fk_perf_of(fk, fd);
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	size_t pages = size / page_size;
	int error = fk_enter(fk, FK_PERF_MAP);

	if (error)
		return error;
	if (!perf)
		return -EBADF;
	if (fk_perf_is_inherited(perf) && perf->cpu < 0)
		return -EINVAL; /* each CPU needs a ring of its own */
	if (fk_perf_is_inherited(perf))
		fk_die("a ring of inherited events is not modelled");
	if (!pages || size % page_size || (pages > 1 && (pages - 1) & (pages - 2)))
		return -EINVAL;
	if (perf->ring) {
		/* Its own ring again, or (EBUSY) one that it was redirected to. */
		if (perf->ring->size != size)
			return -EINVAL;
		if (perf->mapped != perf->ring)
			return -EBUSY;
	} else {
		if (!may_lock(fk, size))
			return -EPERM;
		perf->ring = perf->mapped = ring_new(fk, perf, size);
	}
	perf->ring->maps++;
	*address = perf->ring->page;
	return 0;
}

int fk_perf_unmap(void *ctx, void *address, size_t size)
{
	struct fk *fk = ctx;
	struct fk_ring *ring = NULL;
	int error = fk_enter(fk, FK_PERF_UNMAP);

	if (error)
		return error;
	for (size_t i = 0; i < fk->n_rings; i++)
		if (fk->rings[i]->page == address)
			ring = fk->rings[i];
	if (!ring || ring->size != size)
		fk_die("unmapping %zu bytes that are no ring", size);
	if (--ring->maps)
		return 0;
	/*
	 * The last mapping goes: events that write there lose their output, and only the owner
	 * keeps some.
	 */
	for (size_t i = fk->n_perfs; i-- > 0;) {
		struct fk_perf *perf = fk->perfs[i];

		if (perf->ring == ring)
			perf->ring = NULL;
		if (perf->mapped == ring) {
			perf->mapped = NULL;
			fk_perf_free(fk, perf);
		}
	}
	fk_ring_free(fk, ring);
	return 0;
}

int fk_perf_set_output(struct fk *fk, struct fk_perf *perf, int fd)
{
	const struct fk_perf *output;

	if (fd == -1) {
		if (perf->mapped)
			return -EINVAL;
		perf->ring = NULL;
		return 0;
	}
	output = fk_perf_of(fk, fd);
	if (!output)
		return -EBADF;
	if (output == perf || output->cpu != perf->cpu || perf->mapped || !output->ring)
		return -EINVAL;
	if (output->cpu < 0 && output->task != perf->task)
		return -EINVAL;
	if (output->attr.use_clockid != perf->attr.use_clockid ||
	    output->attr.clockid != perf->attr.clockid)
		return -EINVAL;
	perf->ring = output->ring;
	return 0;
}
