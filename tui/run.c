// SPDX-License-Identifier: MIT
#include "run.h"

#include <malloc.h>
#include <sys/resource.h>

enum {
	NICE = -10,
	KEPT_BYTES = 32 << 20,
};

void run_prepare(void)
{
	struct rlimit files;

	/* Snapshots come and go: to give their memory back costs more than to make them. */
	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	/* Where either is refused, it is done without. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (getpriority(PRIO_PROCESS, 0) > NICE)
		setpriority(PRIO_PROCESS, 0, NICE);
}

int run_open_recorder(const struct options *options, struct recorder **recorder, struct error *err)
{
	*recorder = NULL;
	return options->record.path ? recorder_new(&options->record, recorder, err) : 0;
}
