#include "server/audit_trail.h"
#include "server/metrics.h"

#include <dirent.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/exchange.h"
#include "server/feed_service.h"
#include "server/http.h"
#include "server/job_queue.h"
#include "server/server.h"
#include "service/calibration_drift.h"
#include "storage/agents.h"

enum metric {
#define X(name, text, kind, help) METRIC_##name,
	METRIC_TABLE(X)
#undef X
		METRIC_COUNT
};

static const struct {
	const char *name, *kind, *help;
} metrics[METRIC_COUNT] = {
#define X(name, text, kind, help) [METRIC_##name] = {text, kind, help},
	METRIC_TABLE(X)
#undef X
};

/* Upper bounds of the histogram, in seconds: from a static answer to a search over many accelerators. */
static const double metrics_bounds_s[] = {0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

enum { BOUND_COUNT = COUNT_OF(metrics_bounds_s), CODE_COUNT = 600, ROUTE_NONE = ROUTE_COUNT, SERIES_COUNT = ROUTE_COUNT + 1 };

static struct metrics_route {
	_Atomic uint64_t by_code[CODE_COUNT];
	_Atomic uint64_t bucket[BOUND_COUNT + 1];
	_Atomic uint64_t duration_ns;
} metrics_routes[SERIES_COUNT];
static _Atomic uint64_t metrics_request_bytes, metrics_answer_bytes;

static void metrics_add(_Atomic uint64_t *counter, uint64_t more)
{
	atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

static uint64_t metrics_read(_Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

void metrics_count_request(const struct exchange *exchange)
{
	const struct route *route = exchange->call.route;
	struct metrics_route *series = &metrics_routes[route ? (size_t)route->id : ROUTE_NONE];
	int64_t duration_ns = clock_monotonic_ns() - exchange->started_ns;
	size_t bound = 0;

	while (bound < BOUND_COUNT && (double)duration_ns > metrics_bounds_s[bound] * 1e9)
		bound++;
	metrics_add(&series->by_code[exchange->http_status > 0 && exchange->http_status < CODE_COUNT ? exchange->http_status : 0], 1);
	metrics_add(&series->bucket[bound], 1);
	metrics_add(&series->duration_ns, (uint64_t)duration_ns);
	if (exchange->body.wire_bytes)
		metrics_add(&metrics_request_bytes, exchange->body.wire_bytes);
	metrics_add(&metrics_answer_bytes, exchange->answer_length);
}

static void metrics_head(struct buffer *out, enum metric metric)
{
	buffer_printf(
		out, "# HELP %s %s\n# TYPE %s %s\n", metrics[metric].name, metrics[metric].help, metrics[metric].name, metrics[metric].kind);
}

static void metrics_single(struct buffer *out, enum metric metric, double value)
{
	metrics_head(out, metric);
	buffer_printf(out, "%s %.17g\n", metrics[metric].name, value);
}

static const char *metrics_template(size_t series)
{
	return series == ROUTE_NONE ? "none" : routes[series].path;
}

static const char *metrics_method(size_t series)
{
	return series == ROUTE_NONE ? "any" : routes[series].method;
}

static void metrics_write_answers(struct buffer *out)
{
	metrics_head(out, METRIC_REQUESTS);
	for (size_t series = 0; series < SERIES_COUNT; series++) {
		for (size_t code = 0; code < CODE_COUNT; code++) {
			uint64_t count = metrics_read(&metrics_routes[series].by_code[code]);
			if (count)
				buffer_printf(out, "%s{method=\"%s\",route=\"%s\",code=\"%zu\"} %llu\n", metrics[METRIC_REQUESTS].name,
					metrics_method(series), metrics_template(series), code, (unsigned long long)count);
		}
	}
}

static void metrics_write_durations(struct buffer *out)
{
	const char *name = metrics[METRIC_DURATION].name;

	metrics_head(out, METRIC_DURATION);
	for (size_t series = 0; series < SERIES_COUNT; series++) {
		const char *method = metrics_method(series), *route = metrics_template(series);
		unsigned long long total = 0;

		for (size_t i = 0; i <= BOUND_COUNT; i++)
			total += metrics_read(&metrics_routes[series].bucket[i]);
		if (total == 0)
			continue;
		total = 0;
		for (size_t i = 0; i <= BOUND_COUNT; i++) {
			char bound[32] = "+Inf";

			if (i < BOUND_COUNT)
				snprintf(bound, sizeof bound, "%g", metrics_bounds_s[i]);
			total += metrics_read(&metrics_routes[series].bucket[i]);
			buffer_printf(out, "%s_bucket{method=\"%s\",route=\"%s\",le=\"%s\"} %llu\n", name, method, route, bound, total);
		}
		buffer_printf(out, "%s_sum{method=\"%s\",route=\"%s\"} %.9g\n%s_count{method=\"%s\",route=\"%s\"} %llu\n", name, method, route,
			(double)metrics_read(&metrics_routes[series].duration_ns) / 1e9, name, method, route, total);
	}
}

void metrics_write_requests(struct buffer *out)
{
	metrics_write_answers(out);
	metrics_write_durations(out);
	metrics_single(out, METRIC_REQUEST_BYTES, (double)metrics_read(&metrics_request_bytes));
	metrics_single(out, METRIC_ANSWER_BYTES, (double)metrics_read(&metrics_answer_bytes));
}

static void metrics_write_http(struct server *server, struct buffer *out)
{
	struct http_state state;

	http_state_get(server->http, &state);
	metrics_single(out, METRIC_IN_FLIGHT, (double)state.in_flight);
	metrics_single(out, METRIC_QUEUE, (double)state.queue_depth);
	metrics_single(out, METRIC_BODIES, (double)state.body_bytes);
	metrics_single(out, METRIC_CONNECTIONS, (double)state.connections);
	metrics_single(out, METRIC_CUT, (double)state.connections_cut);
	metrics_single(out, METRIC_CUT_FOR_ROOM, (double)state.connections_cut_for_room);
	metrics_single(out, METRIC_CUT_FOR_MEMORY, (double)state.connections_cut_for_memory);
	metrics_single(out, METRIC_TURNED_AWAY, (double)state.connections_refused);
}

static void metrics_write_jobs(struct server *server, struct buffer *out)
{
	struct jobs_counts counts;

	jobs_counts_get(http_jobs(server->http), &counts);
	metrics_single(out, METRIC_JOBS_QUEUED, (double)counts.queued);
	metrics_single(out, METRIC_JOBS_RUNNING, (double)counts.running);
	metrics_single(out, METRIC_JOBS_KEPT, (double)counts.kept);
	metrics_head(out, METRIC_JOBS_ENDED);
	buffer_printf(out, "%s{state=\"succeeded\"} %llu\n%s{state=\"failed\"} %llu\n%s{state=\"cancelled\"} %llu\n",
		metrics[METRIC_JOBS_ENDED].name, (unsigned long long)counts.succeeded, metrics[METRIC_JOBS_ENDED].name,
		(unsigned long long)counts.failed, metrics[METRIC_JOBS_ENDED].name, (unsigned long long)counts.cancelled);
}

/* Left out if the storage cannot be read. */
static void metrics_write_benchmarks(struct server *server, struct buffer *out)
{
	const char *benchmarks = metrics[METRIC_BENCHMARKS].name, *agents = metrics[METRIC_AGENTS].name;
	struct queue_counts counts;
	struct failure failure;

	failure_clear(&failure);
	if (storage_queue_counts(server->storage, clock_even_us(), &counts, &failure) != STATUS_OK)
		return;
	metrics_head(out, METRIC_BENCHMARKS);
	buffer_printf(out, "%s{state=\"queued\"} %lld\n%s{state=\"running\"} %lld\n", benchmarks, (long long)counts.queued, benchmarks,
		(long long)counts.running);
	metrics_head(out, METRIC_AGENTS);
	buffer_printf(out, "%s{state=\"online\"} %lld\n%s{state=\"silent\"} %lld\n", agents, (long long)counts.agents_online, agents,
		(long long)counts.agents_silent);
}

static void metrics_write_storage(struct server *server, struct buffer *out)
{
	struct catalogue *catalogue = server_catalogue(server);
	struct storage_state state;

	storage_state_get(server->storage, &state);
	metrics_single(out, METRIC_COMMITS, (double)state.commits);
	metrics_single(out, METRIC_JOBS, (double)state.jobs);
	metrics_single(out, METRIC_FAILED_COMMITS, (double)state.failed_commits);
	metrics_single(out, METRIC_REJECTED, (double)state.rejected);
	metrics_single(out, METRIC_COMMIT_SECONDS, (double)state.commit_ns_total / 1e9);
	metrics_single(out, METRIC_STORAGE_QUEUE, (double)state.queued);
	metrics_single(out, METRIC_WRITABLE, state.writable);
	metrics_single(out, METRIC_FILE, (double)state.file_bytes);
	metrics_single(out, METRIC_LOG, (double)state.log_bytes);
	metrics_single(out, METRIC_CATALOGUE, (double)catalogue->revision);
	metrics_single(out, METRIC_READINGS, (double)atomic_load(&server->snapshot.readings));
	metrics_head(out, METRIC_DRIFT);
	calibration_drift_write(catalogue, metrics[METRIC_DRIFT].name, out);
	catalogue_release(catalogue);
}

static double metrics_resident_bytes(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file) {
		if (fscanf(file, "%*d %ld", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double metrics_open_fds(void)
{
	DIR *folder = opendir("/proc/self/fd");
	double count = -3; /* ".", ".." and the folder itself */

	if (!folder)
		return 0;
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static void metrics_write_process(struct server *server, struct buffer *out)
{
	struct rusage usage = {0};

	getrusage(RUSAGE_SELF, &usage);
	metrics_single(out, METRIC_AUDIT_DROPPED, (double)audit_dropped());
	metrics_single(out, METRIC_LOG_DROPPED, (double)log_dropped_lines());
	metrics_single(out, METRIC_RESIDENT, metrics_resident_bytes());
	metrics_single(out, METRIC_CPU,
		(double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
	metrics_single(out, METRIC_FDS, metrics_open_fds());
	metrics_single(out, METRIC_STARTED, (double)server->started_us / 1e6);
	metrics_head(out, METRIC_BUILD);
	buffer_printf(out, "%s{version=\"%s\"} 1\n", metrics[METRIC_BUILD].name, FLEETPLAN_VERSION);
}

/* Writes one metric, with a line for each enabled feed. */
static void metrics_write_feed(struct server *server, struct buffer *out, enum metric metric, double (*value)(const struct feed_state *state))
{
	metrics_head(out, metric);
	for (int id = 0; id < FEED_COUNT; id++) {
		struct feed_state state;

		feeds_state_get(server->feeds, (enum feed_id)id, &state);
		if (feeds_setting(server->feeds, (enum feed_id)id)->enabled)
			buffer_printf(out, "%s{feed=\"%s\"} %.17g\n", metrics[metric].name, feeds[id].name, value(&state));
	}
}

static double feed_rows(const struct feed_state *state)
{
	return (double)state->rows_changed;
}

static double feed_held(const struct feed_state *state)
{
	return (double)state->quarantined;
}

static double feed_fetched(const struct feed_state *state)
{
	return (double)state->last_good_us / 1e6;
}

static void metrics_write_feeds(struct server *server, struct buffer *out)
{
	static const char *const outcomes[] = {"succeeded", "failed", "cancelled"};

	metrics_head(out, METRIC_FEED_REFRESHES);
	for (int id = 0; id < FEED_COUNT; id++) {
		struct feed_state state;

		feeds_state_get(server->feeds, (enum feed_id)id, &state);
		for (size_t i = 0; i < COUNT_OF(outcomes) && feeds_setting(server->feeds, (enum feed_id)id)->enabled; i++)
			buffer_printf(out, "%s{feed=\"%s\",outcome=\"%s\"} %llu\n", metrics[METRIC_FEED_REFRESHES].name, feeds[id].name, outcomes[i],
				(unsigned long long)state.refreshes[i]);
	}
	metrics_write_feed(server, out, METRIC_FEED_ROWS, feed_rows);
	metrics_write_feed(server, out, METRIC_FEED_HELD, feed_held);
	metrics_write_feed(server, out, METRIC_FEED_FETCHED, feed_fetched);
}

void metrics_write(struct server *server, struct buffer *out)
{
	metrics_write_requests(out);
	metrics_write_http(server, out);
	metrics_write_jobs(server, out);
	metrics_write_benchmarks(server, out);
	metrics_write_storage(server, out);
	metrics_write_feeds(server, out);
	metrics_write_process(server, out);
}
