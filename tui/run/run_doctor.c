// SPDX-License-Identifier: MIT
/*
 * --doctor: examines the machine with all rights that the user has, then drops them and prints the
 * page.
 */
#include "tui/run/run.h"

#include "core/doctor/doctor.h"
#include "core/doctor/out_doctor.h"
#include "core/output/batch.h"
#include "tui/run/output_buffer.h"
#include "tui/run/rights.h"

#include <errno.h>
#include <string.h>

static int print_page(const struct doctor *doctor, const struct options *options, unsigned width,
		      bool color, struct error *err)
{
	struct output_buffer buffer;

	output_buffer_open(&buffer);
	if (strcmp(options->format->name, "json") == 0)
		out_doctor_json(doctor, buffer.file);
	else
		out_doctor_text(doctor, width, color, buffer.file);
	return output_buffer_print(&buffer, options->output, err);
}

enum run_status run_doctor(const struct options *options, const struct tables_places *tables,
			   const struct rights *rights, unsigned width, bool color,
			   struct error *err)
{
	struct doctor doctor;
	struct sys sys;

	if (strcmp(options->format->name, "text") != 0 &&
	    strcmp(options->format->name, "json") != 0) {
		error_set(err, -EINVAL, "Option '--doctor' cannot write %s. Choose text or json.",
			  options->format->name);
		return RUN_USAGE;
	}
	int rc = sys_linux_init(&sys);

	if (rc) {
		error_set_no_descriptor(err, rc);
		return RUN_FAILED;
	}
	/* The page describes the rights of the user, so they are dropped after the examination. */
	doctor_examine(&sys, tables, &doctor);
	doctor_measure_cost(&doctor, &sys);
	sys_linux_fini(&sys);
	const struct rights_need need = rights_need_of(options, false);
	rc = rights_drop(rights, &need, err);
	if (!rc)
		rc = print_page(&doctor, options, width, color, err);
	bool can_count = doctor_can_count(&doctor);
	doctor_fini(&doctor);
	return rc ? RUN_FAILED : can_count ? RUN_OK : RUN_NOTHING;
}
