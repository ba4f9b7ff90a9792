// SPDX-License-Identifier: MIT
#include "core/engine/machine_reader.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <limits.h>

/* A second, less what a refresh may be early. */
#define READ_EVERY_NS (950 * NS_PER_MS)
/* A reading of 1 ms is followed by a pause of 200 ms: 0.5 % of a CPU. */
enum { PAUSE_FACTOR = 200 };

enum { UNKNOWN = -1 }; /* for machine_set() */

static void read_load(struct machine_reader *reader)
{
	struct snapshot_machine *machine = &reader->machine;
	struct proc_load load;
	bool known = proc_load_read(reader->sys, &load) == 0;
	uint64_t processes = 0;

	reader->threads = known && load.threads <= UINT_MAX ? (unsigned)load.threads : 0;
	for (size_t i = 0; i < ARRAY_SIZE(load.average); i++)
		machine_set(machine, (enum machine_value)(MACHINE_LOAD_1M + i),
			    known ? load.average[i] : UNKNOWN);
	/* The thread that reads the file is running. */
	machine_set(machine, MACHINE_RUNNABLE,
		    known ? (double)u64_growth(1, load.runnable) : UNKNOWN);
	machine_set(machine, MACHINE_THREADS, known ? (double)load.threads : UNKNOWN);
	/* More processes than threads: the links of this /proc are no count of processes. */
	known = known && proc_links_processes(&reader->links, &processes) == 0 &&
		processes <= load.threads;
	machine_set(machine, MACHINE_PROCESSES, known ? (double)processes : UNKNOWN);
}

static void read_memory(struct machine_reader *reader)
{
	struct snapshot_machine *machine = &reader->machine;
	struct proc_memory memory;

	if (proc_memory_read(reader->sys, &memory) < 0)
		return;
	machine_set(machine, MACHINE_MEMORY, (double)memory.total_bytes);
	machine_set(machine, MACHINE_MEMORY_AVAILABLE, (double)memory.available_bytes);
	machine_set(machine, MACHINE_SWAP, (double)memory.swap_total_bytes);
	machine_set(machine, MACHINE_SWAP_FREE, (double)memory.swap_free_bytes);
	machine_set(machine, MACHINE_MEMORY_CACHE,
		    memory.cache_known ? (double)memory.cache_bytes : UNKNOWN);
}

/* The growth of the times that tasks waited, in percent of the time. */
static void set_pressure(struct snapshot_machine *machine, enum machine_value which,
			 const struct pressure_line *before, const struct pressure_line *now,
			 uint64_t ns)
{
	if (!before->known || !now->known || now->total_us < before->total_us)
		return;
	double percent = 100 * (double)(now->total_us - before->total_us) * NS_PER_US / (double)ns;

	machine_set(machine, which, percent < 100 ? percent : 100);
}

static void read_pressures(struct machine_reader *reader, uint64_t ns)
{
	static const struct {
		enum machine_value some, full; /* MACHINE_VALUES: none */
	} values[PRESSURE_RESOURCES] = {
		[PRESSURE_CPU] = {MACHINE_CPU_PRESSURE, MACHINE_VALUES},
		[PRESSURE_IO] = {MACHINE_IO_PRESSURE, MACHINE_IO_PRESSURE_FULL},
		[PRESSURE_MEMORY] = {MACHINE_MEMORY_PRESSURE, MACHINE_MEMORY_PRESSURE_FULL},
	};

	for (size_t i = 0; i < PRESSURE_RESOURCES; i++) {
		struct pressure *before = &reader->pressures[i], now = {0};

		if (pressure_read(reader->sys, NULL, (enum pressure_resource)i, &now) < 0)
			now = (struct pressure){0};
		if (ns > 0) {
			set_pressure(&reader->machine, values[i].some, &before->some, &now.some,
				     ns);
			if (values[i].full != MACHINE_VALUES)
				set_pressure(&reader->machine, values[i].full, &before->full,
					     &now.full, ns);
		}
		*before = now;
	}
}

/* Shares of the CPU time between two readings, of the CPUs that both have. */
static void set_cpu_shares(struct snapshot_machine *machine, const struct proc_cpus *before,
			   const struct proc_cpus *now)
{
	uint64_t all = 0, steal = 0, iowait = 0;

	for (size_t i = 0; i < now->n; i++) {
		const struct proc_cpu *cpu = &now->items[i];
		const struct proc_cpu *was = proc_cpus_find(before, cpu->cpu);

		if (!was)
			continue;
		all += u64_growth(was->busy_ticks, cpu->busy_ticks) +
		       u64_growth(was->idle_ticks, cpu->idle_ticks);
		steal += u64_growth(was->steal_ticks, cpu->steal_ticks);
		/* It can fall: Documentation/filesystems/proc.rst. */
		iowait += u64_growth(was->iowait_ticks, cpu->iowait_ticks);
	}
	if (all == 0)
		return;
	machine_set(machine, MACHINE_STEAL,
		    100 * (double)(steal < all ? steal : all) / (double)all);
	machine_set(machine, MACHINE_IOWAIT,
		    100 * (double)(iowait < all ? iowait : all) / (double)all);
}

/* The greater of the two shares of a CPU's time. */
static struct machine_interrupt interrupt_share(const struct proc_cpu *was,
						const struct proc_cpu *cpu)
{
	uint64_t all = u64_growth(was->busy_ticks, cpu->busy_ticks) +
		       u64_growth(was->idle_ticks, cpu->idle_ticks);
	uint64_t irq = u64_growth(was->irq_ticks, cpu->irq_ticks);
	uint64_t softirq = u64_growth(was->softirq_ticks, cpu->softirq_ticks);
	bool soft = softirq >= irq;
	uint64_t ticks = soft ? softirq : irq;

	return (struct machine_interrupt){
		.cpu = cpu->cpu,
		.soft = soft,
		.percent = all > 0 ? 100 * (double)(ticks < all ? ticks : all) / (double)all : 0,
	};
}

/* Keeps the greatest, descending. */
static void insert_interrupt(struct snapshot_machine *machine,
			     const struct machine_interrupt *interrupt)
{
	struct machine_interrupt *items = machine->interrupts;
	size_t at = machine->n_interrupts;

	if (at < MACHINE_INTERRUPTS)
		machine->n_interrupts++;
	else if (interrupt->percent > items[at - 1].percent)
		at--;
	else
		return;
	for (; at > 0 && items[at - 1].percent < interrupt->percent; at--)
		items[at] = items[at - 1];
	items[at] = *interrupt;
}

/* Names the CPUs' interrupts of a kind, from the second reading in a row on. */
static void name_interrupts(struct machine_reader *reader, enum interrupts_kind kind)
{
	struct snapshot_machine *machine = &reader->machine;
	struct interrupts *before = &reader->interrupts[kind], now = {.n_cpus = 0};
	int cpus[MACHINE_INTERRUPTS];
	size_t n = 0;

	for (size_t i = 0; i < machine->n_interrupts; i++)
		if (machine->interrupts[i].soft == (kind == INTERRUPTS_SOFT))
			cpus[n++] = machine->interrupts[i].cpu;
	if (n > 0)
		interrupts_read(reader->sys, kind, cpus, n, &now);
	for (size_t i = 0; i < machine->n_interrupts && n > 0; i++) {
		struct machine_interrupt *interrupt = &machine->interrupts[i];
		uint64_t times;

		if (interrupt->soft != (kind == INTERRUPTS_SOFT))
			continue;
		const struct interrupt *most =
			interrupts_most(before, &now, interrupt->cpu, &times);
		if (most)
			text_printable(interrupt->name, sizeof(interrupt->name),
				       kind == INTERRUPTS_SOFT ? most->id : most->name, UINT_MAX);
	}
	interrupts_fini(before);
	*before = now;
}

static void find_interrupts(struct machine_reader *reader, const struct proc_cpus *before,
			    const struct proc_cpus *now)
{
	for (size_t i = 0; i < now->n; i++) {
		const struct proc_cpu *cpu = &now->items[i];
		const struct proc_cpu *was = proc_cpus_find(before, cpu->cpu);

		if (!was)
			continue;
		const struct machine_interrupt interrupt = interrupt_share(was, cpu);
		if (interrupt.percent >= MACHINE_INTERRUPT_PERCENT)
			insert_interrupt(&reader->machine, &interrupt);
	}
	name_interrupts(reader, INTERRUPTS_HARD);
	name_interrupts(reader, INTERRUPTS_SOFT);
}

static void read_cpus(struct machine_reader *reader, uint64_t ns)
{
	struct snapshot_machine *machine = &reader->machine;
	struct proc_cpus *before = &reader->cpus, now = {0};

	if (proc_cpus_read(reader->sys, &now) < 0)
		proc_cpus_fini(&now);
	if (now.n > 0)
		machine_set(machine, MACHINE_CPUS, (double)now.n);
	if (ns > 0 && before->n > 0) {
		set_cpu_shares(machine, before, &now);
		find_interrupts(reader, before, &now);
		if (before->counts.known && now.counts.known &&
		    now.counts.forks >= before->counts.forks)
			machine_set(machine, MACHINE_FORKS,
				    (double)(now.counts.forks - before->counts.forks) *
					    (double)NS_PER_S / (double)ns);
	}
	proc_cpus_fini(before);
	*before = now;
}

/* ns: time since the last reading; 0: none. */
static void read_all(struct machine_reader *reader, uint64_t now_ns, uint64_t ns)
{
	uint64_t begin_ns = sys_cpu_ns(reader->sys, false);

	reader->machine = (struct snapshot_machine){.known = {false}};
	read_memory(reader);
	read_pressures(reader, ns);
	read_cpus(reader, ns);
	uint64_t pause_ns = (sys_cpu_ns(reader->sys, false) - begin_ns) * PAUSE_FACTOR;
	reader->read_ns = now_ns;
	reader->due_ns = now_ns + (pause_ns > READ_EVERY_NS ? pause_ns : READ_EVERY_NS);
}

void machine_reader_init(struct machine_reader *reader, const struct sys *sys)
{
	*reader = (struct machine_reader){.sys = sys};
	proc_links_init(&reader->links, sys);
	read_all(reader, sys_now_ns(sys), 0);
}

void machine_reader_fini(struct machine_reader *reader)
{
	proc_cpus_fini(&reader->cpus);
	for (size_t i = 0; i < INTERRUPTS_KINDS; i++)
		interrupts_fini(&reader->interrupts[i]);
}

bool machine_reader_cut(struct machine_reader *reader)
{
	uint64_t now_ns = sys_now_ns(reader->sys);
	bool due = now_ns >= reader->due_ns;

	if (due)
		read_all(reader, now_ns, now_ns - reader->read_ns);
	read_load(reader);
	return due;
}
