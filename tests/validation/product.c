#include "validation/product.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/tables/tables.h"
#include "base/clock.h"
#include "hwdb/resolve/resolve.h"
#include "hwdb/rows/builtin.h"

enum { CATALOGUE_MAX_BYTES = 256 << 20, REQUESTS_MAX_BYTES = 1 << 30 };

static const char now[] = "2026-09-01T00:00:00Z";

void product_stop(const char *what, const char *which)
{
	fprintf(stderr, "validation: %s: %s\n", what, which);
	exit(2);
}

const char *product_failure(const struct failure *failure)
{
	static char text[FAULT_POINTER_MAX + sizeof failure->faults[0].detail + 4];

	if (failure->fault_count == 0)
		return failure->detail;
	snprintf(text, sizeof text, "%s: %s", failure->faults[0].pointer, failure->faults[0].detail);
	return text;
}

int64_t product_now_us(void)
{
	int64_t now_us;

	CHECK(clock_parse(now, &now_us));
	return now_us;
}

const struct catalogue *product_catalogue(void)
{
	static struct catalogue *catalogue;
	static struct failure failure;
	struct catalogue_rows rows = {0};
	struct arena arena;

	if (catalogue)
		return catalogue;
	arena_init(&arena, CATALOGUE_MAX_BYTES);
	failure_clear(&failure);
	if (builtin_rows_read(&arena, &rows, &failure) != STATUS_OK)
		product_stop("built-in data", failure.detail);
	catalogue = catalogue_new(&arena, &rows, 0, 0, 0, &failure);
	if (!catalogue)
		product_stop("catalogue", failure.detail);
	return catalogue;
}

struct arena *product_arena(void)
{
	static struct arena arena;
	static bool made;

	if (!made)
		arena_init(&arena, REQUESTS_MAX_BYTES);
	made = true;
	return &arena;
}

static struct resolver resolver_at(struct failure *failure)
{
	static struct findings findings; /* of one request; assumptions are not judged */

	findings_clear(&findings);
	return (struct resolver){
		.catalogue = product_catalogue(), .arena = product_arena(), .now_us = product_now_us(), .findings = &findings, .failure = failure};
}

enum status product_training(const char *json, struct training_input *input, bool *decoded, struct failure *failure)
{
	struct resolver resolver = resolver_at(failure);
	struct training_request *request = ARENA_NEW(resolver.arena, struct training_request);
	enum status status;

	CHECK(request);
	*input = (struct training_input){.progress = NULL};
	status = record_decode(&table_training_request, json, strlen(json), resolver.arena, request, failure);
	if (decoded)
		*decoded = status == STATUS_OK;
	if (status == STATUS_OK)
		status = resolve_hours(&resolver, &request->common.site);
	return status == STATUS_OK ? resolve_training(&resolver, request, input) : status;
}

enum status product_performance(const char *json, struct performance_input *input, struct failure *failure)
{
	struct resolver resolver = resolver_at(failure);
	struct performance_request *request = ARENA_NEW(resolver.arena, struct performance_request);
	enum status status;

	CHECK(request);
	*input = (struct performance_input){.candidate = NULL};
	status = record_decode(&table_performance_request, json, strlen(json), resolver.arena, request, failure);
	return status == STATUS_OK ? resolve_performance(&resolver, request, input) : status;
}
