/* Estimates: from a request to a computed answer. Three steps, each of which may fill the failure: decode the request;
 * resolve it and plan; write `request` and `result`. Independent of HTTP and
 * of storage: the handlers and `fleetplan plan` use it. */
#ifndef FLEETPLAN_SERVICE_ESTIMATE_H
#define FLEETPLAN_SERVICE_ESTIMATE_H

#include "hwdb/catalogue/catalogue.h"
#include "hwdb/catalogue/records.h"
#include "schema/record.h"

/* A kind of estimate: its tables and its function. */
struct estimate_kind;
struct progress;
extern const struct estimate_kind estimate_training, estimate_inference, estimate_performance, estimate_memory, estimate_scaling,
	estimate_carbon, estimate_diagnosis, estimate_schedule;

/* The kind of a stored plan: "training" or "inference"; NULL for other names. */
const struct estimate_kind *estimate_kind_of_plan(const char *name);

/* One estimate. The caller sets the first three members, and may set others. Everything lives in the arena. */
struct estimate {
	const struct estimate_kind *kind;
	struct arena *arena;
	struct failure *failure;
	const struct progress *progress;      /* receives the progress; NULL: none */
	const char *plan_id;                  /* of a stored plan: its own calibrations apply; NULL: a new plan */
	bool lean;                            /* compute and write only the parts that `expand` names; false: all */
	const char *expand;                   /* names of parts, in place of the request's own; NULL: none */
	bool expanded;                        /* the client names a part; decoding sets it */
	unsigned omitted;                     /* parts that the client does not want (service/answer_parts.h); decoding sets them */
	bool hours_settled;                   /* the site's hours are stored in the request: do not load them from feeds */
	void *request;                        /* as decoded; after computing with the defaults */
	const struct measured_step *measured; /* of a training that is diagnosed: the advice is about this step; else NULL */
	const void *result;                   /* NULL before computing */
	const char *model, *accelerator;      /* ids of the recommended option, for lists; NULL: none */
	const struct catalogue *catalogue;
	int64_t computed_at_us;
};

/* 1. Decodes a body or query parameters. Reports all faults at once. */
FALLIBLE enum status estimate_decode(struct estimate *estimate, const char *json, size_t length);
FALLIBLE enum status estimate_decode_query(struct estimate *estimate, const struct query_parameter *query, size_t count);

/* Sets *as_of_us to the request's `as_of`; 0: the current catalogue. */
FALLIBLE enum status estimate_as_of(const struct estimate *estimate, int64_t *as_of_us);

/* After decoding found faults: adds faults for names that the catalogue lacks, so that one answer reports everything. */
void estimate_fault_names(const struct estimate *estimate, const struct catalogue *catalogue);

/* True if the client names the parts that a table of all figures of all options needs. */
bool estimate_is_wide(const struct estimate *estimate);

/* The site of the request; NULL: this kind has no site. */
struct site_request;
struct site_request *estimate_site(const struct estimate *estimate);

/* 2. Resolves the request with `catalogue` and computes. `now_us` sets the age of offers and the time of the answer. */
FALLIBLE enum status estimate_compute(struct estimate *estimate, const struct catalogue *catalogue, int64_t now_us);

/* 3. Fills a record: kind, request and result as JSON text in the arena, revisions, version and time; for training and
 * inference also name, labels, notes, model and accelerator. The caller sets id, created_at and revision. */
FALLIBLE enum status estimate_record(const struct estimate *estimate, struct plan_record *record);

/* The table of the answer that contains a record of this kind. */
const struct field_table *estimate_envelope(const struct estimate_kind *kind);

#endif
