// SPDX-License-Identifier: MIT
/*
 * The table has all names. duration_time is in seconds, as in perf's metrics. #core_wide is 0,
 * because a row never has counts of the other thread of a core. There is one PMU for
 * the CHAs of the same number in all sockets.
 */
#include "core/metric/metric_constant.h"

#include "core/base/util.h"
#include "core/event/event_resolver.h"
#include "core/sys/cpu_facts.h"
#include "core/sys/cpu_kind.h"

#include <string.h>

enum constant {
	INTERVAL_S,
	INTERVAL_MS,
	SLOTS_PER_CYCLE,
	TSC_HZ,
	CPUS,
	CPUS_ONLINE,
	CORES,
	DIES,
	SOCKETS,
	THREADS_PER_CORE,
	SMT_ON,
	CORES_PER_SOCKET,
	CHAS_PER_SOCKET,
	NONE,
};

static const struct {
	const char *name;
	bool of_vendor; /* in any case */
	enum constant constant;
} constants[] = {
	{"slots_per_cycle", false, SLOTS_PER_CYCLE},
	{"duration_time", false, INTERVAL_S},
	{"#slots", false, SLOTS_PER_CYCLE},
	{"#system_tsc_freq", false, TSC_HZ},
	{"#num_cpus", false, CPUS},
	{"#num_cpus_online", false, CPUS_ONLINE},
	{"#num_cores", false, CORES},
	{"#num_dies", false, DIES},
	{"#num_packages", false, SOCKETS},
	{"#smt_on", false, SMT_ON},
	{"#core_wide", false, NONE},
	{"DURATIONTIMEINSECONDS", true, INTERVAL_S},
	{"DURATIONTIMEINMILLISECONDS", true, INTERVAL_MS},
	{"SYSTEM_TSC_FREQ", true, TSC_HZ},
	{"THREADS_PER_CORE", true, THREADS_PER_CORE},
	{"HYPERTHREADING_ON", true, SMT_ON},
	{"SOCKET_COUNT", true, SOCKETS},
	{"CORES_PER_SOCKET", true, CORES_PER_SOCKET},
	{"CHAS_PER_SOCKET", true, CHAS_PER_SOCKET},
};

static size_t find_constant(const char *name)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(constants) &&
	       (constants[i].of_vendor ? !event_same_name(name, strlen(name), constants[i].name)
				       : strcmp(name, constants[i].name) != 0))
		i++;
	return i;
}

bool metric_constant_exists(const char *name)
{
	return find_constant(name) < ARRAY_SIZE(constants);
}

const char *metric_constant_of_vendor(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (constants[i].of_vendor && event_same_name(name, length, constants[i].name))
			return constants[i].name;
	return NULL;
}

static uint64_t count_chas(const struct pmu_set *pmus)
{
	uint64_t n = 0;

	for (size_t i = 0; pmus && i < pmus->n; i++)
		n += event_pmu_matches("uncore_cha", pmus->items[i].name);
	return n;
}

/* Returns whether the value is known. */
static bool read_constant(const struct event_context *context, enum constant constant,
			  double *value)
{
	static const enum cpu_fact facts_of[] = {
		[SLOTS_PER_CYCLE] = CPU_FACT_SLOTS,
		[TSC_HZ] = CPU_FACT_TSC_HZ,
		[CPUS] = CPU_FACT_CPUS,
		[CPUS_ONLINE] = CPU_FACT_CPUS_ONLINE,
		[CORES] = CPU_FACT_CORES,
		[DIES] = CPU_FACT_DIES,
		[SOCKETS] = CPU_FACT_SOCKETS,
		[THREADS_PER_CORE] = CPU_FACT_THREADS_PER_CORE,
		[SMT_ON] = CPU_FACT_THREADS_PER_CORE,
		[CORES_PER_SOCKET] = CPU_FACT_CORES,
	};
	struct cpu_facts here, *facts = context->cpu;
	uint64_t number, sockets;

	if (!facts) {
		cpu_facts_init(&here, context->sys, context->pmus);
		facts = &here;
	}
	if (constant == CHAS_PER_SOCKET)
		number = count_chas(context->pmus);
	else
		number = cpu_facts_get(facts, facts_of[constant]);
	*value = (double)number;
	if (constant == SMT_ON)
		*value = number > 1;
	if (constant == CORES_PER_SOCKET) {
		sockets = cpu_facts_get(facts, CPU_FACT_SOCKETS);
		if (sockets == 0 || number % sockets != 0)
			return false;
		*value = (double)(number / sockets);
	}
	return number > 0;
}

static int emit_number(struct metric_parser *p, double number)
{
	return metric_parser_emit(p, (struct metric_op){.code = OP_NUMBER, .number = number}, 0);
}

static int emit_milliseconds(struct metric_parser *p)
{
	int ret = metric_parser_emit_op(p, OP_INTERVAL, 0);

	if (ret == 0)
		ret = emit_number(p, 1000);
	return ret < 0 ? ret : metric_parser_emit_op(p, OP_MULTIPLY, 2);
}

int metric_parse_constant(struct metric_parser *p, const char *name)
{
	const struct event_context *context = p->events ? p->events->context : NULL;
	size_t found = find_constant(name);
	enum constant constant = constants[found].constant;
	double value;

	if (constant == INTERVAL_S)
		return metric_parser_emit_op(p, OP_INTERVAL, 0);
	if (constant == INTERVAL_MS)
		return emit_milliseconds(p);
	if (constant == NONE)
		return emit_number(p, 0);
	if (context && read_constant(context, constant, &value))
		return emit_number(p, value);
	return metric_parser_emit(
		p, (struct metric_op){.code = OP_UNSUPPORTED, .variable = constants[found].name},
		0);
}

unsigned metric_cpu_kinds(const struct event_context *context)
{
	if (context && context->cpu)
		return cpu_facts_kinds(context->cpu);
	return context && context->sys ? cpu_kind_read(context->sys) : 0;
}
