// SPDX-License-Identifier: MIT
#include "figure.h"

const char *figure_state_name(enum figure_state state)
{
	switch (state) {
	case FIGURE_VALID:
		return "valid";
	case FIGURE_SCALED:
		return "scaled";
	case FIGURE_UNDEFINED:
		return "undefined";
	case FIGURE_NOT_COUNTED:
		return "not_counted";
	case FIGURE_UNSUPPORTED:
		return "unsupported";
	case FIGURE_DENIED:
		return "denied";
	case FIGURE_LOST:
		return "lost";
	}
	return "unknown";
}
