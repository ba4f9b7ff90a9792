// SPDX-License-Identifier: MIT
/* One costly interval may be an exec, or a burst of mappings. Only several in a row count. */
#include "core/collect/code_rate.h"

#include "core/perf/code_event.h"

#include <limits.h>
#include <stdlib.h>

void code_rate_begin(struct code_rate *rate, unsigned hz)
{
	rate->hz = rate->requested_hz = hz;
	rate->costly = 0;
	notes_remove(rate->notes, NOTE_CODE_RATE);
}

/* 0: unknown. */
static uint64_t read_max_hz(const struct sys *sys)
{
	char text[32];

	if (sys_file_read(sys, "/proc/sys/kernel/perf_event_max_sample_rate", text, sizeof(text)) <=
	    0)
		return 0;
	return strtoull(text, NULL, 10);
}

/* Half of what the kernel allows, so that it never throttles an event that is on time. */
static unsigned allowed_hz(const struct code_rate *rate)
{
	uint64_t half = rate->max_hz / 2;

	return rate->max_hz == 0 || half > UINT_MAX ? UINT_MAX : half > 0 ? (unsigned)half : 1;
}

static void lower_rate(struct code_rate *rate, unsigned hz, const char *why)
{
	rate->hz = hz;
	notes_remove(rate->notes, NOTE_CODE_RATE);
	notes_add_as(rate->notes, NOTE_CODE_RATE, "%s: at most %u instead of %u samples a second.",
		     why, rate->hz, rate->requested_hz);
}

void code_rate_judge(struct code_rate *rate, bool open, uint64_t samples, uint64_t other_ns)
{
	uint64_t now_ns = sys_now_ns(rate->sys);
	uint64_t passed_ns = now_ns - rate->cut_ns;
	uint64_t cost_ns = samples * CODE_SAMPLE_NS + rate->own_ns + other_ns;
	bool costly = open && (double)cost_ns > CODE_COST_MOST * (double)passed_ns;

	rate->costly = costly ? rate->costly + 1 : 0;
	rate->cut_ns = now_ns;
	rate->own_ns = 0;
	rate->max_hz = read_max_hz(rate->sys);
	if (rate->hz > allowed_hz(rate))
		lower_rate(rate, allowed_hz(rate),
			   "kernel.perf_event_max_sample_rate bounds the sampling of functions");
	if (rate->costly < CODE_COSTLY_INTERVALS || rate->hz < 2 * CODE_HZ_LEAST)
		return;
	rate->costly = 0;
	lower_rate(rate, rate->hz / 2, "Sampling of functions costs more than 1 % of a CPU");
}

uint64_t code_rate_faults_period(const struct code_rate *rate, uint64_t period, uint64_t samples,
				 uint64_t ran_ns)
{
	if (ran_ns < CODE_RATE_LEAST_NS)
		return period;
	return code_event_faults_period(period, (double)samples * NS_PER_S / (double)ran_ns,
					rate->hz);
}
