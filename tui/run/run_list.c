// SPDX-License-Identifier: MIT
#include "tui/run/run.h"

#include "tui/run/output_buffer.h"
#include "tui/run/rights_need.h"

enum run_status run_list(const struct listing *listing, const struct options *options,
			 const struct rights *rights, struct error *err)
{
	const struct rights_need need = rights_need_of(options, false);
	struct error remark, unwritten;
	struct output_buffer buffer;
	struct sys sys;

	if (rights_drop(rights, &need, err))
		return RUN_FAILED;
	int rc = sys_linux_init(&sys);
	if (rc) {
		error_set_no_descriptor(err, rc);
		return RUN_FAILED;
	}
	output_buffer_open(&buffer);
	int printed = listing_print(listing, &sys, buffer.file, &remark);
	sys_linux_fini(&sys);
	rc = output_buffer_print(&buffer, NULL, &unwritten);
	*err = rc ? unwritten : remark;
	return rc || printed == 0 ? RUN_FAILED : RUN_OK;
}
