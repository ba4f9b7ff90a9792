// SPDX-License-Identifier: MIT
/*
 * The conditions under which libpfm4 would crash or refuse everything are checked before it is
 * used. Its files are opened here without struct sys, as libpfm4 does.
 */
#include "core/event/pfm_start.h"

#include "core/base/util.h"

#include <fcntl.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stddef.h>
#include <unistd.h>

/* Whether a file exists, but is empty or cannot be read. */
static bool is_unreadable(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t length = read(fd, &byte, 1);
	close(fd);
	return length <= 0;
}

/* Whether libpfm4 has codes of perf_event_open for the PMUs that it found. */
static bool has_perf_codes(void)
{
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu = {.size = sizeof(pmu)};
		pfm_event_info_t event = {.size = sizeof(event)};

		if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS && pmu.is_present &&
		    pmu.first_event != -1)
			return pfm_get_event_info(pmu.first_event, PFM_OS_PERF_EVENT_EXT, &event) !=
			       PFM_ERR_NOTSUPP;
	}
	return true;
}

static bool has_begun(void)
{
	pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

	return pfm_get_pmu_info(PFM_PMU_PERF_EVENT, &pmu) != PFM_ERR_NOINIT;
}

bool pfm_start(void)
{
	static const char *const paths[] = {"/proc/cpuinfo", "/proc/mounts"};

	/* It reads the files once, in pfm_initialize(). */
	for (size_t i = 0; i < ARRAY_SIZE(paths) && !has_begun(); i++)
		if (is_unreadable(paths[i]))
			return false;
	return pfm_initialize() == PFM_SUCCESS && has_perf_codes();
}
