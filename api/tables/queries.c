/* Query parameters. */
#include "api/tables/shared.h"

#define OF struct page_query
static const struct field page_rows[] = {
	INTEGER(limit, 1, PAGE_LIMIT_MAX, "Items on a page", .fallback = "50"),
	TEXT(cursor, 512, "Start of the page: next_cursor of the previous page"),
};
TABLE(page_query, page_rows, "One page of a list.");
#undef OF

static const char *const plan_sort_words[] = {"gpu_count", "-gpu_count", "wall_clock_hours", "-wall_clock_hours", "total_usd", "-total_usd",
	"total_kwh", "-total_kwh", "total_kgco2e", "-total_kgco2e"};

#define OF struct plan_query
static const struct field plan_query_rows[] = {
	MERGE(page, page_query),
	WORD(kind, plan_kind_words, "Plans of this kind"),
	TEXT(label, 320, "Plans with this label, as key:value"),
	TEXT(model, 128, "Plans of this model"),
	TEXT(accelerator, 128, "Plans whose recommended option has this accelerator"),
	TIME_AS(created_after, created_after_us, "Plans created after this time"),
	TIME_AS(created_before, created_before_us, "Plans created before this time"),
	TEXT(q, 200, "Plans whose name or notes contain this text"),
	WORD(sort, plan_sort_words,
		"Figure of the summary to sort by, `-` before it for the largest first; for a service its figures are of a month. Plans without it come last. Default: newest first"),
	TEXTS(fields, 32, "Members of a plan to return, separated by commas; default: all", .example = "\"id,name,summary\""),
};
TABLE(plan_query, plan_query_rows, "Which plans.");
#undef OF

#define OF struct plan_id_query
static const struct field plan_id_query_rows[] = {
	INTEGER(revision, 1, 9e15, "Revision to return; default: the newest"),
	TEXT(expand, 200, "Parts of the answer to return, separated by commas, as in a request; `none`: the short answer. Default: all",
		.example = "\"alternatives,front\""),
};
TABLE(plan_id_query, plan_id_query_rows, "The revision to return, and the parts of its answer.");
#undef OF

#define OF struct expand_query
static const struct field expand_query_rows[] = {
	TEXT(expand, 200, "Parts of the answer to return, separated by commas; replaces the request's `expand`",
		.example = "\"alternatives,front\""),
};
TABLE(expand_query, expand_query_rows, "The parts of an answer.");
#undef OF

static const char *const compare_format_words[] = {"json", "csv", "markdown"};

#define OF struct compare_query
static const struct field compare_query_rows[] = {
	TEXTS(ids, 16, "Plans to compare: ID, or ID@REVISION for an older revision", .flags = REQUIRED),
	WORD(format, compare_format_words, "Format of the response, instead of an Accept header"),
};
TABLE(compare_query, compare_query_rows, "Which plans.");
#undef OF

#define OF     struct catalogue_query
#define AS_OF  TIME_AS(as_of, as_of_us, "The catalogue as of this time")
#define SEARCH TEXT(q, 200, "Rows whose id, name or alias contains this text")
#define ORIGIN WORD(origin, origin_words, "Rows of this origin")
static const struct field accelerator_query_rows[] = {
	MERGE(page, page_query), AS_OF, SEARCH, ORIGIN, TEXT(vendor, 64, "Accelerators of this maker")};
TABLE(accelerator_query, accelerator_query_rows, "Filters of accelerators.");

static const struct field model_query_rows[] = {MERGE(page, page_query), AS_OF, SEARCH, ORIGIN};
TABLE(model_query, model_query_rows, "Filters of models.");

static const struct field price_query_rows[] = {
	MERGE(page, page_query),
	AS_OF,
	SEARCH,
	ORIGIN,
	TEXT(provider, 64, "Prices of this provider"),
	TEXT(region, 64, "Prices in this region"),
	TEXT(accelerator, 128, "Prices of this accelerator, by id or alias"),
	WORD(pricing_model, pricing_model_words, "Prices with this term"),
};
TABLE(price_query, price_query_rows, "Filters of prices.");

static const struct field region_query_rows[] = {
	MERGE(page, page_query),
	AS_OF,
	SEARCH,
	ORIGIN,
	TEXT(provider, 64, "Regions of this provider"),
	TEXT(country, 64, "Regions of this country or zone"),
};
TABLE(region_query, region_query_rows, "Filters of regions.");

static const struct field catalogue_row_query_rows[] = {AS_OF};
TABLE(catalogue_row_query, catalogue_row_query_rows, "The time of the row.");
#undef OF

#define OF struct offer_query
static const struct field offer_query_rows[] = {
	TEXT(accelerator, 128, "Accelerator, by id or alias", .flags = REQUIRED),
	INTEGER(gpu_count, 1, 1000000, "Number of accelerators needed", .fallback = "1"),
	INTEGER(limit, 1, PAGE_LIMIT_MAX, "Number of offers to return", .fallback = "50"),
	TEXTS(providers, 32, "Offers of these providers"),
	TEXTS(regions, 64, "Offers in these regions"),
	TEXTS(terms, 4, "Offers with these terms", .words = pricing_model_words, .word_count = COUNT_OF(pricing_model_words),
		.fallback = "on_demand"),
	POSITIVE(max_age_days, 36500, "Largest age of an offer; older ones are left out", .fallback = "400"),
	AS_OF,
};
TABLE(offer_query, offer_query_rows, "Filters of offers.");
#undef OF

#define OF struct benchmark_query
static const struct field benchmark_query_rows[] = {
	MERGE(page, page_query),
	WORD(state, state_words, "Benchmarks in this state"),
	TEXT(device, 128, "Benchmarks on this device"),
	TEXT(accelerator, 128, "Benchmarks of this accelerator"),
	TEXT(plan_id, 36, "Benchmarks that verify this plan", .form = FORM_UUID),
	TEXT(agent, 64, "Benchmarks whose last attempt ran on this agent"),
	TEXT(label, 320, "Benchmarks with this label, as key:value"),
};
TABLE(benchmark_query, benchmark_query_rows, "Filters of benchmarks.");

static const struct field calibration_query_rows[] = {
	MERGE(page, page_query),
	TEXT(accelerator, 128, "Calibrations of this accelerator, by id or alias"),
	TEXT(device, 128, "Calibrations measured on this device"),
	TEXT(plan_id, 36, "Calibrations measured on this plan's own work", .form = FORM_UUID),
	TEXT(quantity, 64, "Calibrations of this quantity"),
	TRUTH(used, "true: only calibrations that plans use today; false: only those that plans do not use. Applied within one page"),
	BOOL(held, "Only calibrations that wait for an admin's decision, or for a device with another key"),
	TIME_AS(as_of, as_of_us, "Calibrations as of this time, with `used` as it was then"),
};
TABLE(calibration_query, calibration_query_rows, "Filters of calibrations.");
#undef OF
