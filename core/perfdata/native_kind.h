// SPDX-License-Identifier: MIT
#ifndef PMCTOP_NATIVE_KIND_H
#define PMCTOP_NATIVE_KIND_H

/* The kinds of native records (struct native_head), and the words and texts of each. */
enum native_kind {
	/*
	 * version, CLOCK_MONOTONIC, CLOCK_REALTIME; for formulas: slots_per_cycle, kinds of CPUs
	 * (enum cpu_kind); number of PMUs, number of CPU PMUs; texts: mode, host, PMU (as in
	 * snapshots), the CPUs of the indices ("0-3,8")
	 */
	NATIVE_BEGIN,
	/*
	 * What is counted from now on: NATIVE_PLAN, then its events, groups and columns, each in
	 * the order of their index.
	 *
	 * n_events, n_counters, n_groups, n_domains, n_columns, n_preset, levels, times_group; of
	 * each counter: event, code, group; of each domain: pmu, socket, all_cpus, first_group,
	 * n_groups; text: name of the preset
	 */
	NATIVE_PLAN,
	/* kind, leads, state, answer, scale; n_codes, of each: pmu, state; texts: name, label,
	 * unit */
	NATIVE_EVENT,
	/* domain, n_members, members */
	NATIVE_GROUP,
	/* kind, better, warn, bad, width, decimals, machine; texts: name, title, group, expression,
	 * unit, help, format (absent: ""; metric_format_name()) */
	NATIVE_COLUMN,
	/*
	 * attrib_open, and attrib_resume if `on`. CPU index, CPU number, group, on, origin_ns,
	 * last_ns, lost, pid and tid of the runner; the pending EXIT: time, pid, tid; the pending
	 * SWITCH: time, pid, tid, other pid, other tid; ids: of switch samples, of ticks, n_values,
	 * of each value. The reading is all zero.
	 */
	NATIVE_OPEN,
	/* attrib_close: CPU index */
	NATIVE_CLOSE,
	/* attrib_pause: CPU index, group, whether the runner is known, its pid and tid, reading */
	NATIVE_PAUSE,
	/* attrib_resume: CPU index, group, start_ns (0: it continues), weight */
	NATIVE_RESUME,
	/* A FORK or COMM of the CPU's ring that is used before its turn: CPU index, the record */
	NATIVE_AHEAD,
	/*
	 * End of the interval: attrib_cut of every online CPU. The records up to the next
	 * PERFDATA_ROUND belong to the interval.
	 *
	 * sequence, time_ns, realtime_ns, interval_ns, threads of the machine, lost records,
	 * threads_ran, threads_counted, enum native_rows
	 */
	NATIVE_CUT,
	/*
	 * A final tally of the interval, with the counts that no record has (sockets, /proc): enum
	 * native_scope; of a CPU: index, number, socket, node, online, enum native_cpu_flag; of a
	 * task: pid, tid; width, values
	 */
	NATIVE_TALLY,
	/*
	 * Identity of a row, if it differs from the last record of that tid: pid, tid, ppid, uid,
	 * start_ns, flags with held_ms; texts: comm, user, cgroup, command line
	 */
	NATIVE_TASK,
	/* The notes, if they have changed: n, texts */
	NATIVE_NOTES,
	/* After NATIVE_BEGIN, one for each PMU: type, kind; texts: name, CPUs */
	NATIVE_PMU,
	/*
	 * The roots of a target, if they have changed: n, of each: tid, pid, whole, ended_ns, uid;
	 * texts: comm of each
	 */
	NATIVE_TARGET,
	/*
	 * The tasks with rows, unless these are all tasks that ran: enum native_list, n, tids (two
	 * in a word, the low half first). A long list takes several records.
	 */
	NATIVE_ROWS,
	/* No words. The recording is complete. */
	NATIVE_END,
	/*
	 * tasks_exit of a task that /proc does not have any more, when records were lost: time,
	 * pid, tid
	 */
	NATIVE_GONE,
	/*
	 * Between struct perfdata_head and NATIVE_BEGIN. Together with the former it has the size
	 * of struct perfdata_file_head, which replaces both at the end
	 * (core/perfdata/perfdata_sections.h).
	 */
	NATIVE_ROOM,
	/*
	 * Between NATIVE_CUT and the end of the interval: load, memory and pressure. number of
	 * values, of each in the order of enum machine_value: whether it is known, value; number of
	 * interrupts (absent: 0), of each: CPU number, soft, percent; text of each: name
	 */
	NATIVE_MACHINE,
	/*
	 * Between NATIVE_CUT and the end of the interval, while a column shows facts: bits of the
	 * facts that are shown (1 << enum fact); n, of each: pid in the low half and tid in the
	 * high one (0: of the process), states (enum figure_state, 4 bits of each such fact, from
	 * bit 0 on), the values of known ones. First the processes, by pid, then the threads whose
	 * facts differ from their process's. A long list takes several records.
	 */
	NATIVE_FACTS,
	/*
	 * Between NATIVE_CUT and the end of the interval, while code is sampled: the functions of
	 * the interval. First the sampled events. lost samples, n, of each: index of the event
	 * (UINT32_MAX: not counted); texts: name of each
	 */
	NATIVE_CODE_EVENTS,
	/*
	 * More functions of that interval: n, kind of each; texts: name and module of each, and
	 * after all of these code_function.why of each ("": none). Recordings without any, and old
	 * ones, end before.
	 */
	NATIVE_CODE_FUNCTIONS,
	/*
	 * More samples of that interval: n, of each: pid in the low half and tid in the high one,
	 * start_ns, event, CPU (-1: unknown), samples, weight, squares, depth, functions (two in a
	 * word, the low half first), all as in struct code_entry
	 */
	NATIVE_CODE_STACKS,
	/*
	 * After NATIVE_BEGIN: more about the CPUs, for formulas: n, of each enum cpu_fact its value
	 * (0: unknown). Old recordings have none.
	 */
	NATIVE_CPU_FACTS,
	/*
	 * Behind the groups of a plan: a metric that the formula of a column names, also through
	 * others. texts: name, expression
	 */
	NATIVE_METRIC,
	/*
	 * Between NATIVE_CUT and the end of the interval, behind NATIVE_TASK: what a row was before
	 * it changed its name, user or cgroup. tid, start_ns; of each enum task_owner the bounds of
	 * the part before (struct row_before); uid; texts: comm, user, cgroup; the bounds of the
	 * part in the target (old recordings have none)
	 */
	NATIVE_BEFORE,
	NATIVE_KINDS,
};

/* Of a snapshot: which tasks have rows, and what is in them. */
enum native_rows {
	NATIVE_COMMAND_LINES = 1 << 0, /* rows have command lines */
	NATIVE_IDLE_ROWS = 1 << 1,     /* tasks that did not run have rows: NATIVE_STILL */
	/* interval.still */
	NATIVE_STILL_KNOWN = 1 << 8,
	NATIVE_STILL_BLOCKED = 1 << 9,
	NATIVE_STILL_SLEEPING = 1 << 10,
	NATIVE_TARGETED =
		1 << 2, /* only tasks of the target have rows: NATIVE_TARGET, NATIVE_RAN */
	NATIVE_UNCOUNTED = 1 << 3, /* interval.uncounted: all rows are marked */
};

enum {
	NATIVE_HELD_SHIFT = 16, /* of a row's flags: its held_ms; 0 in old recordings */
	NATIVE_FACT_BITS = 4,   /* of the state of a fact */
	NATIVE_FACT_MASK = (1 << NATIVE_FACT_BITS) - 1,
	NATIVE_FACTS_MAX = 64 / NATIVE_FACT_BITS,
};

enum native_list {
	NATIVE_RAN,   /* of a target: tasks that ran, in row order, then roots that did not run */
	NATIVE_ABOVE, /* of a target: parents of these without a row among them */
	NATIVE_STILL, /* tasks that did not run, in row order */
};

/* Of a CPU in an interval, as in struct interval. The bits from NATIVE_CPU_DOUBT on: doubt_ns. */
enum native_cpu_flag {
	NATIVE_CPU_COUNTED = 1 << 0,
	NATIVE_CPU_GAPS = 1 << 1,
	NATIVE_CPU_OUTSIDE = 1 << 2,
	NATIVE_CPU_DOUBT = 8,
};

enum native_scope {
	NATIVE_TOTALS,
	NATIVE_UNATTRIBUTED,
	NATIVE_CPU,
	NATIVE_IDLE,        /* of a CPU */
	NATIVE_TASK_VALUES, /* of a task: values that its slices do not have */
	NATIVE_WAIT_VALUES, /* the same with its start, of a task that may not have run; estimates,
			       if any */
};

extern const char *const native_names[NATIVE_KINDS];

#endif
