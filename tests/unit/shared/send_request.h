// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SEND_REQUEST_H
#define PMCTOP_TESTS_SEND_REQUEST_H

#include "core/engine/engine.h"
#include "core/engine/feed.h"

/* One request that the caller keeps. */
static inline unsigned send_request(struct engine *engine, const struct request *request)
{
	struct request_list list = {0};

	request_list_add(&list, request);
	return engine_request(engine, &list);
}

static inline void send_to_feed(const struct feed *feed, const struct request *request)
{
	struct request_list list = {0};

	request_list_add(&list, request);
	feed_request(feed, &list);
}

#endif
