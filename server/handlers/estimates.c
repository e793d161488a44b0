/* Estimates: computed and answered, but not stored. POST with a body, GET with query parameters. */
#include "api/report.h"
#include "base/clock.h"
#include "server/handlers.h"
#include "server/inference_body.h"
#include "server/plan_answer.h"
#include "server/server.h"

static enum status decode_estimate(struct call *call, struct estimate *estimate, bool query)
{
	if (query)
		return estimate_decode_query(estimate, call->query, call->query_count);
	if (call->streamed)
		return inference_body_decode(call->streamed, estimate);
	return estimate_decode(estimate, call->body, call->body_length);
}

static enum status answer_estimate(struct call *call, const struct estimate_kind *kind, bool query)
{
	struct estimate estimate = {.kind = kind, .arena = &call->arena, .failure = &call->failure};
	struct plan_record *record = ARENA_NEW(&call->arena, struct plan_record);
	enum status status = record ? STATUS_OK : STATUS_NO_MEMORY;

	estimate.lean = call->accept != MEDIA_MARKDOWN; /* the report has every part */
	if (status == STATUS_OK && !query && call->route->query)
		status = plan_expand(call, &estimate.expand);
	if (status == STATUS_OK) {
		status = decode_estimate(call, &estimate, query);
		if (status == STATUS_INVALID)
			estimate_fault_names(&estimate, call_catalogue(call));
	}
	if (status == STATUS_OK)
		status = plan_compute(call, &estimate, record);
	return status == STATUS_OK ? plan_answer(call, estimate_envelope(kind), record, estimate_is_wide(&estimate)) : status;
}

#define ESTIMATE(name, kind) \
	enum status handle_##name(struct call *call) \
	{ \
		return answer_estimate(call, &(kind), false); \
	} \
	enum status handle_##name##_get(struct call *call) \
	{ \
		return answer_estimate(call, &(kind), true); \
	}

ESTIMATE(training_estimate, estimate_training)
ESTIMATE(inference_estimate, estimate_inference)
ESTIMATE(performance_estimate, estimate_performance)
ESTIMATE(memory_estimate, estimate_memory)
ESTIMATE(scaling_estimate, estimate_scaling)
ESTIMATE(carbon_estimate, estimate_carbon)
