// SPDX-License-Identifier: MIT
#include "core/view/cpu_ghz.h"

#include "core/base/util.h"

#include <stdlib.h>

bool cpu_ghz_is_known(const struct columns *columns)
{
	int cycles = event_set_find(&columns->events, "cycles");

	return columns->levels == EVENT_LEVELS_ALL && columns_metric(columns, "ghz") < 0 &&
	       cycles >= 0 && columns->events.items[cycles].state == FIGURE_VALID;
}

struct figure cpu_ghz(const struct columns *columns, const struct snapshot_cpu *cpu)
{
	const size_t width = tally_width(&columns->plan->shape);
	int cycles = event_set_find(&columns->events, "cycles");
	struct figure ghz = {.share = 1, .state = FIGURE_NOT_COUNTED};

	if (!cpu->tally || cycles < 0)
		return ghz;
	uint64_t *busy = xcalloc(width, sizeof(*busy));
	for (size_t i = 0; i < width; i++)
		busy[i] = cpu->tally[i] > cpu->idle[i] ? cpu->tally[i] - cpu->idle[i] : 0;
	const struct metric_input input = {
		.events = &columns->events, .plan = columns->plan, .tally = busy};
	ghz = metric_read_one(&columns->event_readings.items[cycles], &input);
	if (figure_known(ghz) && busy[TALLY_TASK_CLOCK] > 0)
		ghz.value /= (double)busy[TALLY_TASK_CLOCK];
	else if (figure_known(ghz))
		ghz.state = FIGURE_UNDEFINED;
	free(busy);
	return ghz;
}
