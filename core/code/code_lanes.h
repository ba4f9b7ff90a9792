// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_LANES_H
#define PMCTOP_CODE_LANES_H

#include "core/code/code_helpers.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The processes that find names. A lane is a pair of them: the opener (opener_client.h), which has
 * the rights of pmctop, and the parser (symbol_client.h), which has none.
 *
 * The files of all mounts use one lane, until a file does not answer for CODE_LANES_ASIDE_NS. Then
 * this lane is left to the device of this file, and all other files get a new one. So a slow disk
 * has names later than the others. From then on each device that has not answered before is tried
 * in a lane of its own. After CODE_LANES_SLOW_NS a note names the file. A lane that
 * stands still for CODE_LANES_DEAD_NS is abandoned: its processes are killed, and nothing waits for
 * their end, because they may hang for ever. Files of its device have no names, until the processes
 * have ended and a pause is over, which is longer each time.
 *
 * At most CODE_LANES_MAX such lanes wait. Devices that have not answered before wait until one is
 * free. If one more file of the others does not answer, the lane that stands still for longest is
 * abandoned earlier. At most CODE_PLACES_MAX devices are left alone, with one
 * abandoned lane each. If there are more, files of devices that have not answered before are not
 * opened. If a device that has answered stops answering then, names that are not known yet are
 * missing.
 *
 * One thread uses it. The processes end when this thread does.
 */
struct code_lanes;

enum { CODE_LANES_MAX = 8, CODE_PLACES_MAX = 32 };
#define CODE_LANES_ASIDE_NS (NS_PER_S / 10)
#define CODE_LANES_SLOW_NS  (NS_PER_S / 2)
#define CODE_LANES_DEAD_NS  (10 * NS_PER_S)
/* In place of the first two for a recording, which waits longer rather than to miss names. */
#define CODE_LANES_PATIENT_NS (2 * NS_PER_S)

struct code_lanes_config {
	const struct sys *sys; /* /proc of the helpers */
	/* As in struct code_names_config. Borrowed. */
	bool recording;
	const char *symfs, *build_id_cache;
	/* For tests; 0 and NULL: as above, and this program. */
	uint64_t aside_ns, slow_ns, dead_ns, pause_ns;
	const char *executable;
};

/* Starts no process yet. */
struct code_lanes *code_lanes_new(const struct code_lanes_config *config);
/*
 * Ends the processes, except abandoned ones. Waits at most 100 ms for their ends. They
 * start again when they are needed. The device of a process that does not end is left alone until
 * it has ended, also if it has stood still for a moment only.
 */
void code_lanes_stop(struct code_lanes *lanes);
/* The same, and frees the lanes. NULL is fine. */
void code_lanes_free(struct code_lanes *lanes);

struct code_helpers code_lanes_helpers(struct code_lanes *lanes);

/*
 * Returns why names are missing, as a sentence with the remedy, or NULL. `late`: some places had no
 * function at the last deadline. Valid until the next call.
 */
const char *code_lanes_note(struct code_lanes *lanes, bool late);

/*
 * main() calls this before anything else. Returns at once if the program was not started as one of
 * these processes. Else it does their work, and never returns.
 */
void code_lanes_main(int argc, char **argv);

#endif
