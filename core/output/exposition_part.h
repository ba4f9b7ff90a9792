// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EXPOSITION_PART_H
#define PMCTOP_EXPOSITION_PART_H

#include "core/output/exposition.h"
#include "core/output/exposition_name.h"
#include "core/output/ledger.h"

#include <pthread.h>

/* What core/output/exposition.c keeps and core/output/exposition_text.c tells. */

/* Of an event: what the last snapshot says of it. */
struct exposition_event {
	bool counted;         /* it is among its columns */
	struct figure figure; /* of the machine, without its idle time or with it */
};

struct exposition_cpu {
	int cpu, socket, node; /* -1 where unknown */
	char type[24];
	bool heard; /* now */
	struct ledger_sums all, idle;
};

/* Whose sums they are, in this order of the text. */
enum exposition_whole {
	EXPOSITION_MACHINE,
	EXPOSITION_IDLE, /* told where no CPU is */
	EXPOSITION_UNATTRIBUTED,
	EXPOSITION_OTHERS,
	EXPOSITION_TARGET,
	EXPOSITION_WHOLES,
};

enum exposition_crowd {
	EXPOSITION_TASKS,
	EXPOSITION_CGROUPS,
	EXPOSITION_USERS,
	EXPOSITION_CROWDS,
};

struct exposition {
	pthread_mutex_t lock;
	size_t top;
	struct exposition_names names;
	struct exposition_event events[EXPOSITION_NAMES_MAX];
	struct {
		struct ledger_sums sums;
		bool told; /* the last snapshot has them */
	} wholes[EXPOSITION_WHOLES];
	struct exposition_cpu *cpus;
	size_t n_cpus, cpus_capacity;
	struct ledger crowds[EXPOSITION_CROWDS];

	/* Of the last snapshot, and how many there were. */
	uint64_t snapshots, lost_records;
	uint64_t records, own_cpu_ns; /* what telling it took; 0: not known, or a replay */
	bool intervals;               /* not all of them were summaries */
	uint64_t time_ns, realtime_ns, interval_ns;
	unsigned threads;
	char host[64], replay[64], pmu[32], mode[16];
	const char *levels;
};

#endif
