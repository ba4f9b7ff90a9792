// SPDX-License-Identifier: MIT
#include "run.h"

#include "core/batch.h"
#include "core/doctor.h"
#include "core/out_doctor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A reader that has seen enough (head) is no failure. */
static int print(const struct doctor *doctor, const struct options *options, unsigned width,
		 bool color, struct error *err)
{
	const char *path = options->output;
	FILE *file = path ? fopen(path, "we") : stdout;
	bool failed = !file;

	if (file && strcmp(options->format->name, "json") == 0)
		out_doctor_json(doctor, file);
	else if (file)
		out_doctor_text(doctor, width, color, file);
	if (file)
		failed = fflush(file) != 0 || ferror(file);
	int error = errno;
	if (file && path && fclose(file) && !failed) {
		failed = true;
		error = errno;
	}
	if (!failed || error == EPIPE)
		return 0;
	return error_set(err, -error, "'%.120s' cannot be written: %s.",
			 path ? path : "standard output", strerror(error));
}

enum run_status run_doctor(const struct options *options, unsigned width, bool color,
			   struct error *err)
{
	struct doctor doctor;
	struct sys sys;
	int rc = sys_linux_init(&sys);

	if (rc) {
		error_set(err, rc, "No file descriptor is left.");
		return RUN_FAILED;
	}
	doctor_examine(&sys, &doctor);
	sys_linux_fini(&sys);
	rc = print(&doctor, options, width, color, err);
	bool can_count = doctor_can_count(&doctor);
	doctor_fini(&doctor);
	return rc ? RUN_FAILED : can_count ? RUN_OK : RUN_NOTHING;
}
