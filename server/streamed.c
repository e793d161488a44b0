#include "server/streamed.h"

#include "server/diagnosis_body.h"
#include "server/inference_body.h"

enum status streamed_open(enum route_id route, struct body_sink *sink, struct failure *failure)
{
	if (route == ROUTE_DIAGNOSIS)
		return diagnosis_body_open(sink, failure);
	CHECK(route == ROUTE_INFERENCE_ESTIMATE || route == ROUTE_INFERENCE_PLAN_CREATE);
	return inference_body_open(sink, failure);
}
