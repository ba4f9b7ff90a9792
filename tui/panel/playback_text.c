// SPDX-License-Identifier: MIT
/* Position, speed and state of a replay as text, for titles and prompts. */
#include "tui/panel/playback_text.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/options/duration.h"

#include <stdio.h>

void playback_position_text(const struct playback *playback, char *text, size_t size)
{
	char position[24], length[24];

	text[0] = '\0';
	if (!playback->position_ns)
		return;
	duration_format_clock(playback->position_ns, position, sizeof(position));
	duration_format_clock(playback->length_ns, length, sizeof(length));
	snprintf(text, size, "%s of %s%s", position, length, playback->final ? "" : "+");
}

void playback_whole_text(const struct playback *playback, char *text, size_t size)
{
	uint64_t ns = playback->position_ns, step_ns = ns < NS_PER_S ? NS_PER_MS : NS_PER_S / 10;
	char length[24];

	if (!playback->ended || playback->broken[0]) {
		playback_state_text(playback, text, size);
		if (!playback->ended)
			text_copy(text, size, "reading");
		return;
	}
	ns = (ns + step_ns / 2) / step_ns * step_ns;
	duration_format(ns, length, sizeof(length));
	snprintf(text, size, "WHOLE%s%s", ns ? " " : "", ns ? length : "");
}

void playback_speed_text(uint32_t speed, char *text, size_t size)
{
	char number[16];

	if (speed == PLAYBACK_SPEED_MAX) {
		text_copy(text, size, "max");
		return;
	}
	text_trimmed(number, sizeof(number), (double)speed / PLAYBACK_SPEED_ONE, 3);
	snprintf(text, size, "x%s", number);
}

void playback_state_text(const struct playback *playback, char *text, size_t size)
{
	if (playback->seeking && playback->seeking_percent > 0 && playback->seeking_percent < 100)
		snprintf(text, size, "seeking %u%%", playback->seeking_percent);
	else if (playback->seeking)
		text_copy(text, size, "seeking");
	else if (playback->broken[0] && playback->ended)
		text_copy(text, size, "CUT OFF");
	else if (playback->ended)
		text_copy(text, size, "END");
	else if (playback->paused)
		text_copy(text, size, "PAUSED");
	else
		text_copy(text, size, playback->waiting ? "waiting for data" : "");
}
