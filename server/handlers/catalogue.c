/* The catalogue as a whole: its revision and its offers. */
#include "api/tables/tables.h"
#include "base/clock.h"
#include "base/spelling.h"
#include "hwdb/catalogue/catalogue_change.h"
#include "hwdb/catalogue/given_names.h"
#include "hwdb/catalogue/offers.h"
#include "hwdb/models/model_config.h"
#include "server/commit.h"
#include "server/handlers.h"
#include "server/page_answer.h"
#include "server/row_kinds.h"
#include "server/server.h"
#include "storage/catalogue_rows.h"

static struct catalogue_state state_of_now(const struct catalogue *catalogue)
{
	const struct catalogue_rows *rows = &catalogue->rows;

	return (struct catalogue_state){.revision = catalogue->revision,
		.calibration_revision = catalogue->calibration_revision,
		.as_of_us = clock_wall_us(),
		.accelerators = (int64_t)rows->accelerator_count,
		.models = (int64_t)rows->model_count,
		.prices = (int64_t)catalogue_price_count(catalogue),
		.regions = (int64_t)rows->region_count,
		.calibrations = (int64_t)rows->calibration_count};
}

static enum status state_of_then(struct call *call, int64_t as_of_us, struct catalogue_state *state)
{
	struct catalogue_counts counts;
	enum status status = server_as_of_check(as_of_us, &call->failure);

	if (status == STATUS_OK)
		status = storage_catalogue_count(call->server->storage, as_of_us, &counts, &call->arena, &call->failure);
	if (status == STATUS_OK)
		*state = (struct catalogue_state){.revision = counts.revision,
			.calibration_revision = counts.calibration_revision,
			.as_of_us = as_of_us,
			.accelerators = counts.accelerators,
			.models = counts.models,
			.prices = counts.prices,
			.regions = counts.regions,
			.calibrations = counts.calibrations};
	return status;
}

enum status handle_catalogue(struct call *call)
{
	struct catalogue_query query = {0};
	struct catalogue_state state;
	char tag[48];
	enum status status = STATUS_OK;

	if (call->query_count)
		status = record_decode_query(&table_catalogue_row_query, call->query, call->query_count, &call->arena, &query, &call->failure);
	if (status == STATUS_OK && query.as_of_us > 0)
		status = state_of_then(call, query.as_of_us, &state);
	else if (status == STATUS_OK)
		state = state_of_now(call_catalogue(call));
	if (status != STATUS_OK)
		return status;
	snprintf(tag, sizeof tag, "%lld.%lld", (long long)state.revision, (long long)state.calibration_revision);
	if (!call_tag_not_modified(call, tag))
		record_encode(&table_catalogue_state, &state, &call->json);
	return STATUS_OK;
}

/* Answers with the cheapest offers for this number of accelerators at this time; whole instances are paid. */
static enum status offers_answer(struct call *call, const struct catalogue *catalogue, const struct offer_query *query, int64_t now_us)
{
	const struct pricing pricing = {.usd_per_gpu_hour = ABSENT_NUMBER,
		.providers = query->providers,
		.regions = query->regions,
		.terms = query->terms,
		.max_age_days = query->max_age_days,
		.on_premises = {.capex_usd_per_gpu = ABSENT_NUMBER}};
	const struct offer_filter filter = {.pricing = &pricing, .now_us = now_us};
	const struct accelerator_row *accelerator;
	struct offer_quote_list quotes;
	struct offer_rejects rejects;
	char because[200];
	size_t limit = query->limit > 0 ? (size_t)query->limit : PAGE_LIMIT_DEFAULT;
	const char *alias;
	enum status status;

	accelerator = given_accelerator(catalogue, query->accelerator, &alias);
	if (!accelerator) {
		row_not_found(&row_ops_table[ROW_ACCELERATOR], catalogue, query->accelerator, &call->failure);
		return STATUS_NOT_FOUND;
	}
	status = offers_quote(
		catalogue, accelerator, &filter, query->gpu_count > 0 ? query->gpu_count : 1, &call->arena, &quotes, &call->failure);
	if (status != STATUS_OK)
		return status;
	because[0] = '\0';
	if (quotes.count == 0) {
		(void)offers_cheapest(catalogue, accelerator, &filter, &(struct offer){0}, &(const struct region_row *){NULL}, &rejects);
		offers_explain(&rejects, &filter, because, sizeof because);
	}
	return page_answer_remarked(call, &table_offer_quote, quotes.items, quotes.count < limit ? quotes.count : limit, NULL,
		&(struct page_remark){.empty_because = because});
}

enum status handle_offers(struct call *call)
{
	struct offer_query query;
	struct catalogue *past = NULL;
	enum status status = record_decode_query(&table_offer_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status == STATUS_OK && query.as_of_us > 0)
		status = server_catalogue_as_of(call->server, query.as_of_us, &past, &call->failure);
	if (status == STATUS_OK)
		status = offers_answer(call, past ? past : call_catalogue(call), &query, past ? query.as_of_us : clock_wall_us());
	if (past)
		catalogue_release(past);
	return status;
}
