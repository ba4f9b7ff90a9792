// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PLAYBACK_TEXT_H
#define PMCTOP_PLAYBACK_TEXT_H

#include "core/engine/playback.h"

#include <stddef.h>
#include <stdint.h>

/* "00:01:12 of 00:10:00", with "+" if the length is not known yet; "" before the first snapshot */
void playback_position_text(const struct playback *playback, char *text, size_t size);
/* "WHOLE 3.5s": of a profile that is one interval. "reading" before its end, "CUT OFF" at a defect.
 */
void playback_whole_text(const struct playback *playback, char *text, size_t size);
/* "x2", "x0.5", "max" */
void playback_speed_text(uint32_t speed, char *text, size_t size);
/* "PAUSED", "END", "CUT OFF", "seeking", "seeking 45%", "waiting for data"; "" while it plays */
void playback_state_text(const struct playback *playback, char *text, size_t size);

#endif
