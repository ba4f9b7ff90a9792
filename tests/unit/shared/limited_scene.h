// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_LIMITED_SCENE_H
#define PMCTOP_TESTS_LIMITED_SCENE_H

#include "core/base/figure.h"
#include "core/engine/engine.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/unit/shared/true_counts.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * An engine on a machine of limited_machines.h, with a load of constant rates, and the comparison
 * of its figures with the truth. Tasks 50 and 51 take turns on CPU 0, tasks 52, 53 and 54 have
 * CPUs 1, 4 and 5 alone, and the other CPUs are idle. Differences fail the calling cmocka test.
 */
struct limited_machine {
	const char *name;
	const struct fk_config *config;
	size_t metrics; /* how many of the built-in table have figures, at least */
};

enum { LIMITED_MACHINES = 10 };
extern const struct limited_machine limited_machines[LIMITED_MACHINES];

struct limited_scene {
	struct true_counts counts;
	struct sys sys;
	struct event_table_cache *cache;
	struct engine *engine;
	struct snapshot *snapshot; /* of the third second */
	const char *name;
	bool watched;                     /* the NMI watchdog is on */
	size_t compared, scaled, unknown; /* figures */
};

/* `name` is for messages. */
void limited_scene_begin(struct limited_scene *scene, const char *name,
			 const struct fk_config *config, bool watched);
/* Counts for three seconds. */
void limited_scene_count(struct limited_scene *scene, const struct engine_config *config);
void limited_scene_end(struct limited_scene *scene);

/* What is compared: the machine, its busy CPUs, its tasks. */
enum { LIMITED_ROWS = 10 };

/* A metric or an event in all rows. */
struct limited_subject {
	const char *name;
	struct figure figures[LIMITED_ROWS];
	double truths[LIMITED_ROWS];
};

struct true_row limited_row(const struct limited_scene *scene, size_t i);
/* Reads the figures of a column. The caller sets the truths. */
void limited_read_metric(const struct limited_scene *scene, size_t metric,
			 struct limited_subject *subject);
/* Reads figures and truths of an event that is counted. */
void limited_read_event(const struct limited_scene *scene, const char *name,
			struct limited_subject *subject);
/* A figure without a truth must be unknown, each other one right. Adds to the sums. */
void limited_check(struct limited_scene *scene, const struct limited_subject *subject);
void limited_print_sums(const struct limited_scene *scene);

#endif
