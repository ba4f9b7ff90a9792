// SPDX-License-Identifier: MIT
/* One costly interval may be an exec, or a burst of mappings. Only several in a row count. */
#include "core/collect/code_rate.h"

void code_rate_begin(struct code_rate *rate, unsigned hz)
{
	rate->hz = rate->requested_hz = hz;
	rate->costly = 0;
	notes_remove(rate->notes, NOTE_CODE_RATE);
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
	if (rate->costly < CODE_COSTLY_INTERVALS || rate->hz < 2 * CODE_HZ_LEAST)
		return;
	rate->costly = 0;
	rate->hz /= 2;
	notes_remove(rate->notes, NOTE_CODE_RATE);
	notes_add_as(
		rate->notes, NOTE_CODE_RATE,
		"Sampling of functions costs more than 1 %% of a CPU: %u instead of %u samples a "
		"second.",
		rate->hz, rate->requested_hz);
}
