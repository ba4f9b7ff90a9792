// SPDX-License-Identifier: MIT
/*
 * Records byte by byte, in the order of perf_output_sample() and __perf_event__output_id_sample():
 * SAMPLE begins with its id, all others end with the sample_id trailer.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/internal.h"

#include <string.h>
#include <sys/mman.h>

/* Without use_clockid records carry the kernel's own clock, which is not CLOCK_MONOTONIC. */
#define LOCAL_CLOCK_OFFSET_NS 123456789u

/* Fields of another program's samples: see fk_rival. */
#define RIVAL_ID              999999u
#define RIVAL_CLOCK_OFFSET_NS (7 * NS_PER_S)
enum { CHAIN_MAX = 2048, UNWRITTEN = 0xee };

struct buffer {
	unsigned char bytes[256 + CHAIN_MAX + FK_VALUES_MAX * sizeof(uint64_t)];
	size_t n;
};

static void put_bytes(struct buffer *buffer, const void *bytes, size_t size)
{
	if (size > sizeof(buffer->bytes) - buffer->n)
		fk_die("a record grew too large");
	memcpy(buffer->bytes + buffer->n, bytes, size);
	buffer->n += size;
}

/* The kernel reserves these bytes in the ring and leaves their old content. */
static void put_unwritten(struct buffer *buffer, size_t size)
{
	if (size > sizeof(buffer->bytes) - buffer->n)
		fk_die("a record grew too large");
	memset(buffer->bytes + buffer->n, UNWRITTEN, size);
	buffer->n += size;
}

static void put_u64(struct buffer *buffer, uint64_t value)
{
	put_bytes(buffer, &value, sizeof(value));
}

static void put_u32_pair(struct buffer *buffer, uint32_t first, uint32_t second)
{
	put_bytes(buffer, &first, sizeof(first));
	put_bytes(buffer, &second, sizeof(second));
}

static void put_header(struct buffer *buffer, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = {.type = type, .misc = misc};

	put_bytes(buffer, &header, sizeof(header));
}

static void buffer_write(struct fk *fk, struct buffer *buffer, struct fk_perf *perf,
			 struct fk_cpu *cpu)
{
	uint16_t size = (uint16_t)buffer->n;

	memcpy(buffer->bytes + offsetof(struct perf_event_header, size), &size, sizeof(size));
	fk_ring_write(fk, perf, cpu, buffer->bytes, buffer->n);
}

static uint64_t record_time(const struct fk *fk, const struct fk_perf *perf)
{
	return fk->now_ns + (perf->attr.use_clockid ? 0 : LOCAL_CLOCK_OFFSET_NS);
}

/*
 * perf_event_pid() and _tid(): a task that has been released has lost its numbers, and another pid
 * namespace has none for it.
 */
static void put_numbers(struct buffer *buffer, const struct fk_task *task, bool no_numbers)
{
	bool no_pid = fk_is_released(task) && task->how == FK_EXIT_REAPED;
	bool no_tid = fk_is_released(task) && task->how != FK_EXIT_ZOMBIE;
	uint32_t pid = no_numbers ? 0 : (uint32_t)task->spec.pid;
	uint32_t tid = no_numbers ? 0 : (uint32_t)task->spec.tid;

	put_u32_pair(buffer, no_pid ? UINT32_MAX : pid, no_tid ? UINT32_MAX : tid);
}

static void put_tid(struct buffer *buffer, const struct fk_task *task)
{
	put_numbers(buffer, task, false);
}

static void put_trailer(struct fk *fk, const struct fk_perf *perf, const struct fk_cpu *cpu,
			struct buffer *buffer)
{
	uint64_t type = perf->attr.sample_type;

	if (!perf->attr.sample_id_all)
		return;
	if (type & PERF_SAMPLE_TID)
		put_tid(buffer, cpu->current);
	if (type & PERF_SAMPLE_TIME)
		put_u64(buffer, record_time(fk, perf));
	if (type & PERF_SAMPLE_ID)
		put_u64(buffer, perf->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put_u64(buffer, perf->id);
	if (type & PERF_SAMPLE_CPU)
		put_u32_pair(buffer, (uint32_t)cpu->number, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(buffer, perf->id);
}

size_t fk_record_trailer(struct fk *fk, const struct fk_perf *perf, const struct fk_cpu *cpu,
			 unsigned char *to)
{
	struct buffer buffer = {.n = 0};

	put_trailer(fk, perf, cpu, &buffer);
	memcpy(to, buffer.bytes, buffer.n);
	return buffer.n;
}

struct fk_prepared fk_prepared_by_rival(const struct fk *fk)
{
	const uint64_t ids = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;

	return (struct fk_prepared){
		.fields = PERF_SAMPLE_TIME | (fk->rival.without_id ? 0 : ids),
		.id = RIVAL_ID,
		.stream_id = RIVAL_ID,
		.time_ns = fk->now_ns - RIVAL_CLOCK_OFFSET_NS,
		.no_numbers = fk->rival.other_namespace,
		.more_bytes = fk->rival.chain_bytes,
	};
}

static void prepare(const struct fk *fk, const struct fk_perf *perf, struct fk_prepared *prepared)
{
	uint64_t fields = perf->attr.sample_type & ~prepared->fields;

	prepared->fields |= fields;
	if (fields & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID))
		prepared->id = perf->id;
	if (fields & PERF_SAMPLE_STREAM_ID)
		prepared->stream_id = perf->id;
	if (fields & PERF_SAMPLE_TIME)
		prepared->time_ns = record_time(fk, perf);
}

/* A u32 with the number of bytes that follow, padded to a multiple of 8. */
static void put_raw(struct buffer *buffer, const struct fk_trace_data *data)
{
	static const struct fk_switch_data empty;
	const struct fk_trace_data raw =
		data ? *data : (struct fk_trace_data){&empty, sizeof(empty)};
	const uint64_t fill = 0;
	size_t n_fill = (8 - (sizeof(uint32_t) + raw.n) % 8) % 8;
	const uint32_t size = (uint32_t)(raw.n + n_fill);

	put_bytes(buffer, &size, sizeof(size));
	put_bytes(buffer, raw.bytes, raw.n);
	put_bytes(buffer, &fill, n_fill);
}

/* Where the running task is: one of its places, each as often as its weight. */
static struct fk_place draw_place(struct fk *fk, const struct fk_task *task)
{
	uint64_t sum = 0, at;

	for (size_t i = 0; i < task->n_places; i++)
		sum += task->places[i].weight;
	if (sum == 0)
		return (struct fk_place){.ip = FK_PLACE_DEFAULT};
	at = u64_random(&fk->random) % sum;
	for (size_t i = 0;; i++) {
		if (at < task->places[i].weight)
			return task->places[i];
		at -= task->places[i].weight;
	}
}

/* Of the last sample: perf_swevent_event(), perf_swevent_hrtimer(). */
static uint64_t last_period(const struct fk_perf *perf)
{
	if (perf->kind == FK_TASK_CLOCK)
		return perf->attr.sample_period; /* a later one is not noticed */
	return perf->kind > FK_TASK_CLOCK ? 1 : perf->period;
}

static bool is_kernel_address(uint64_t ip)
{
	return ip >> 63;
}

/* perf_callchain(): a mark before the addresses of each mode. */
static void put_chain(struct buffer *buffer, const struct fk_perf *perf,
		      const struct fk_place *place)
{
	bool kernel = is_kernel_address(place->ip);
	size_t first = 0;

	while (kernel && perf->attr.exclude_callchain_kernel && first < place->n_chain &&
	       place->chain[first] != (uint64_t)PERF_CONTEXT_USER)
		first++;
	bool own = !kernel || !perf->attr.exclude_callchain_kernel;
	put_u64(buffer, place->n_chain - first + (own ? 2 : 0));
	if (own) {
		put_u64(buffer, (uint64_t)(kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER));
		put_u64(buffer, place->ip);
	}
	for (size_t i = first; i < place->n_chain; i++)
		put_u64(buffer, place->chain[i]);
}

void fk_record_sample(struct fk *fk, struct fk_perf *perf, struct fk_cpu *cpu, bool user,
		      struct fk_prepared *prepared)
{
	uint64_t type = perf->attr.sample_type;
	uint64_t values[FK_VALUES_MAX];
	struct buffer buffer = {.n = 0};
	struct fk_place place = {0};

	prepare(fk, perf, prepared);
	if (!perf->ring)
		return;
	if (type & PERF_SAMPLE_IP) {
		place = draw_place(fk, cpu->current);
		user = !is_kernel_address(place.ip);
		/* perf_swevent_hrtimer(): a clock goes on in the kernel, without a sample. */
		if (!user && perf->attr.exclude_kernel && fk_perf_is_clock(perf))
			return;
	}
	put_header(&buffer, PERF_RECORD_SAMPLE,
		   user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(&buffer, prepared->id);
	if (type & PERF_SAMPLE_IP)
		put_u64(&buffer, place.ip);
	if (type & PERF_SAMPLE_TID)
		put_numbers(&buffer, cpu->current, prepared->no_numbers);
	if (type & PERF_SAMPLE_TIME)
		put_u64(&buffer, prepared->time_ns);
	if (type & PERF_SAMPLE_ID)
		put_u64(&buffer, prepared->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put_u64(&buffer, prepared->stream_id);
	if (type & PERF_SAMPLE_CPU)
		put_u32_pair(&buffer, (uint32_t)cpu->number, 0);
	if (type & PERF_SAMPLE_PERIOD)
		put_u64(&buffer, last_period(perf));
	if (type & PERF_SAMPLE_READ) {
		size_t n = fk_read_values(perf, perf, values);

		put_bytes(&buffer, values, n * sizeof(*values));
	}
	if (type & PERF_SAMPLE_CALLCHAIN)
		put_chain(&buffer, perf, &place);
	if (type & PERF_SAMPLE_RAW)
		put_raw(&buffer, prepared->raw);
	put_unwritten(&buffer, prepared->more_bytes);
	buffer_write(fk, &buffer, perf, cpu);
}

static bool asks_for(const struct fk_perf *perf, uint32_t type)
{
	switch (type) {
	case PERF_RECORD_COMM:
		return perf->attr.comm;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return perf->attr.context_switch;
	case PERF_RECORD_MMAP2:
		return perf->attr.mmap2;
	}
	return perf->attr.task || perf->attr.comm;
}

static bool wants_side_band(const struct fk_perf *perf, const struct fk_cpu *cpu)
{
	/*
	 * Its own state matters, not its leader's: a sibling samples before its group is enabled.
	 */
	return perf->enabled && perf->ring && (perf->cpu < 0 || perf->cpu == cpu->number);
}

static void context_side_band(struct fk *fk, const struct fk_context *context, struct fk_cpu *cpu,
			      const struct buffer *record, uint32_t type)
{
	for (size_t i = 0; i < context->n; i++) {
		for (size_t k = 0; k < context->leaders[i]->n_members; k++) {
			struct fk_perf *perf = context->leaders[i]->members[k];

			if (!wants_side_band(perf, cpu) || !asks_for(perf, type))
				continue;
			struct buffer buffer = *record;
			if (type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT)
				put_u64(&buffer, record_time(fk, perf));
			put_trailer(fk, perf, cpu, &buffer);
			buffer_write(fk, &buffer, perf, cpu);
		}
	}
}

void fk_record_task(struct fk *fk, struct fk_cpu *cpu, uint32_t type, const struct fk_task *task,
		    pid_t ppid, pid_t ptid)
{
	struct buffer record = {.n = 0};

	put_header(&record, type, 0);
	put_u32_pair(&record, (uint32_t)task->spec.pid, (uint32_t)ppid);
	put_u32_pair(&record, (uint32_t)task->spec.tid, (uint32_t)ptid);
	context_side_band(fk, &cpu->context, cpu, &record, type);
	context_side_band(fk, &cpu->current->context, cpu, &record, type);
}

void fk_record_throttle(struct fk *fk, struct fk_perf *perf, struct fk_cpu *cpu, bool on)
{
	struct buffer record = {.n = 0};

	put_header(&record, on ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE, 0);
	put_u64(&record, record_time(fk, perf));
	put_u64(&record, perf->id);
	put_u64(&record, perf->id);
	put_trailer(fk, perf, cpu, &record);
	buffer_write(fk, &record, perf, cpu);
}

void fk_record_comm(struct fk *fk, struct fk_cpu *cpu, const struct fk_task *task, bool exec)
{
	struct buffer record = {.n = 0};
	char comm[16] = "";

	put_header(&record, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put_u32_pair(&record, (uint32_t)task->spec.pid, (uint32_t)task->spec.tid);
	/* The name with its NUL, filled up with NULs to 8 bytes. */
	put_bytes(&record, comm, (text_copy(comm, sizeof(comm), task->comm) + 8) & ~7ul);
	context_side_band(fk, &cpu->context, cpu, &record, PERF_RECORD_COMM);
	context_side_band(fk, &cpu->current->context, cpu, &record, PERF_RECORD_COMM);
}

void fk_map_code(struct fk *fk, pid_t tid, uint64_t start, uint64_t length, const char *path)
{
	struct buffer record = {.n = 0};
	struct fk_task *task = fk_find(fk, tid);
	char name[128] = "";

	if (!task || task->cpu < 0)
		fk_die("task %d maps a file and does not run", (int)tid);
	struct fk_cpu *cpu = fk_cpu(fk, task->cpu);
	fk_settle(fk, cpu);
	put_header(&record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put_u32_pair(&record, (uint32_t)task->spec.pid, (uint32_t)task->spec.tid);
	put_u64(&record, start);
	put_u64(&record, length);
	put_u64(&record, 0);
	put_u32_pair(&record, 8, 1); /* device */
	put_u64(&record, 42);        /* inode */
	put_u64(&record, 0);
	put_u32_pair(&record, PROT_READ | PROT_EXEC, MAP_PRIVATE);
	put_bytes(&record, name, (text_copy(name, sizeof(name), path) + 8) & ~7ul);
	context_side_band(fk, &cpu->context, cpu, &record, PERF_RECORD_MMAP2);
	context_side_band(fk, &task->context, cpu, &record, PERF_RECORD_MMAP2);
}

void fk_record_switch(struct fk *fk, struct fk_cpu *cpu, const struct fk_task *other, bool out)
{
	struct buffer record = {.n = 0};

	const struct fk_task *prev = cpu->current;
	bool preempted = prev->leaves == FK_PREEMPTED;

	put_header(&record, PERF_RECORD_SWITCH_CPU_WIDE,
		   !out        ? 0
		   : preempted ? PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT
			       : PERF_RECORD_MISC_SWITCH_OUT);
	put_tid(&record, other);
	context_side_band(fk, &cpu->context, cpu, &record, PERF_RECORD_SWITCH_CPU_WIDE);
}
