#include "server/streamed.h"

#include "server/diagnosis_body.h"
#include "server/import_body.h"
#include "server/inference_body.h"

enum status streamed_open(const struct route *route, enum media media, struct body_sink *sink, struct failure *failure)
{
	if (route->id == ROUTE_DIAGNOSIS)
		return diagnosis_body_open(sink, failure);
	if (route->rows)
		return import_body_open(route->request, media, sink, failure);
	CHECK(route->id == ROUTE_INFERENCE_ESTIMATE || route->id == ROUTE_INFERENCE_PLAN_CREATE);
	return inference_body_open(sink, failure);
}
