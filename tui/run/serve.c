// SPDX-License-Identifier: MIT
/*
 * The server runs from the start, so that a wrong address fails before anything is counted.
 * serve_feed() connects it to the feed. struct serve owns the server and its counters: both live
 * longer than the feed of run_live.c or run_batch.c. Separate from run.c, which only chooses what
 * runs.
 */
#include "tui/run/serve.h"

#include "core/output/metrics_export.h"
#include "core/output/metrics_server.h"

#include <unistd.h>

/*
 * The host names that requests may have; NULL: all. Beyond the loopback every client that reaches
 * the address may read the counters anyway, and a scraper may use any name for it.
 */
static const struct host_names *allowed_hosts(const struct options *options,
					      const struct listen_address *address,
					      struct host_names *hosts)
{
	hosts->others = options->listen_names;
	hosts->n_others = options->n_listen_names;
	if (gethostname(hosts->own, sizeof(hosts->own)))
		hosts->own[0] = '\0';
	return listen_address_is_loopback(address) ? hosts : NULL;
}

static char *export_text(void *export, enum metrics_export_dialect dialect, size_t *size)
{
	return metrics_export_text(export, dialect, size);
}

int serve_open(const struct options *options, struct serve *serve, struct error *err)
{
	struct listen_address address;

	*serve = (struct serve){0};
	if (!options->listen)
		return 0;
	if (listen_address_parse(options->listen, &address, err))
		return err->code;
	serve->export = metrics_export_new(options->top ? options->top : METRICS_EXPORT_TOP);
	const struct metrics_source source = {
		.text = export_text,
		.arg = serve->export,
		.hosts = allowed_hosts(options, &address, &serve->hosts),
	};
	int rc = metrics_server_start(&address, &source, &serve->server, err);
	if (rc)
		serve_close(serve);
	else
		listen_address_text(&address, serve->where);
	return rc;
}

static void export_snapshot(void *export, const struct snapshot *snapshot)
{
	metrics_export_add(export, snapshot);
}

void serve_feed(const struct serve *serve, struct feed *feed)
{
	if (!serve->export)
		return;
	feed->finished = export_snapshot;
	feed->arg = serve->export;
}

void serve_close(struct serve *serve)
{
	metrics_server_stop(serve->server);
	metrics_export_free(serve->export);
	*serve = (struct serve){0};
}
