// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAYING_TEXT_H
#define PMCTOP_REPLAYING_TEXT_H

#include "core/engine/playback.h"

#include <stddef.h>
#include <stdint.h>

/* "00:01:12 of 00:10:00", with "+" where it may be longer; "" before the first picture. */
void replaying_position(const struct playback *playback, char *text, size_t size);
/* "x2", "x0.5", "max" */
void replaying_speed(uint32_t speed, char *text, size_t size);
/* "PAUSED", "END", "BROKEN OFF", "seeking", "seeking 45%", "waiting for more"; "": it plays */
void replaying_state(const struct playback *playback, char *text, size_t size);

#endif
