/* Counters and histogram of requests, in the format that Prometheus reads. */
#include "base/clock.h"
#include "server/exchange.h"
#include "server/metrics.h"
#include "support/assert.h"

static void count(const struct route *route, int http_status, double duration_s, size_t request_bytes, size_t answer_bytes)
{
	static struct exchange exchange;

	exchange.call.route = route;
	exchange.http_status = http_status;
	exchange.started_ns = clock_monotonic_ns() - (int64_t)(duration_s * 1e9);
	exchange.body.wire_bytes = request_bytes;
	exchange.answer_length = answer_bytes;
	metrics_count_request(&exchange);
}

static void requests_are_counted_by_template_and_status(void **state)
{
	struct buffer out;

	(void)state;
	buffer_init(&out, 1 << 20);
	metrics_write_requests(&out);
	assert_null(strstr(out.bytes, "code="));
	count(&routes[ROUTE_PLAN_GET], 200, 0.0002, 0, 100);
	count(&routes[ROUTE_PLAN_GET], 200, 0.03, 0, 100);
	count(&routes[ROUTE_PLAN_GET], 404, 100, 0, 50);
	count(&routes[ROUTE_TRAINING_PLAN_CREATE], 201, 0.0002, 700, 2000);
	count(NULL, 404, 0.0002, 0, 10);
	buffer_clear(&out);
	metrics_write_requests(&out);
	assert_contains(out.bytes, "# TYPE fleetplan_http_requests_total counter\n");
	assert_contains(out.bytes, "fleetplan_http_requests_total{method=\"GET\",route=\"/v1/plans/{id}\",code=\"200\"} 2\n");
	assert_contains(out.bytes, "fleetplan_http_requests_total{method=\"GET\",route=\"/v1/plans/{id}\",code=\"404\"} 1\n");
	assert_contains(out.bytes, "fleetplan_http_requests_total{method=\"POST\",route=\"/v1/plans/training\",code=\"201\"} 1\n");
	assert_contains(out.bytes, "fleetplan_http_requests_total{method=\"any\",route=\"none\",code=\"404\"} 1\n");
	assert_contains(out.bytes, "# TYPE fleetplan_http_request_duration_seconds histogram\n");
	assert_contains(out.bytes, "_bucket{method=\"GET\",route=\"/v1/plans/{id}\",le=\"0.0001\"} 0\n");
	assert_contains(out.bytes, "_bucket{method=\"GET\",route=\"/v1/plans/{id}\",le=\"0.025\"} 1\n");
	assert_contains(out.bytes, "_bucket{method=\"GET\",route=\"/v1/plans/{id}\",le=\"10\"} 2\n");
	assert_contains(out.bytes, "_bucket{method=\"GET\",route=\"/v1/plans/{id}\",le=\"+Inf\"} 3\n");
	assert_contains(out.bytes, "_count{method=\"GET\",route=\"/v1/plans/{id}\"} 3\n");
	assert_contains(out.bytes, "_sum{method=\"GET\",route=\"/v1/plans/{id}\"} 100.03");
	assert_contains(out.bytes, "fleetplan_http_request_body_bytes_total 700\n");
	assert_contains(out.bytes, "fleetplan_http_response_body_bytes_total 2260\n");
	assert_int_equal(out.bytes[out.length - 1], '\n');
	buffer_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(requests_are_counted_by_template_and_status)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
