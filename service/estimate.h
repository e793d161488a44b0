/* From a request to a computed answer: decode, resolve, plan, and write `request` and `result`. Knows no HTTP and no
 * storage, so that the handlers and `fleetplan plan` share it. Three steps, each of which may fail with the failure filled. */
#ifndef FLEETPLAN_SERVICE_ESTIMATE_H
#define FLEETPLAN_SERVICE_ESTIMATE_H

#include "hwdb/catalogue/catalogue.h"
#include "hwdb/catalogue/records.h"
#include "schema/record.h"

/* A kind of estimate: its tables, and what computes it. */
struct estimate_kind;
struct progress;
extern const struct estimate_kind estimate_training, estimate_inference, estimate_performance, estimate_memory,
	estimate_scaling, estimate_carbon, estimate_diagnosis, estimate_schedule;

/* The kind of a stored plan by its name ("training", "inference"); NULL for any other word. */
const struct estimate_kind *estimate_kind_of_plan(const char *name);

/* One estimate on its way. The caller sets the first three; everything lives in the arena. */
struct estimate {
	const struct estimate_kind *kind;
	struct arena *arena;
	struct failure *failure;
	const struct progress *progress; /* NULL: nobody looks on */
	const char *plan_id;             /* of a plan that is computed again: what was measured of it counts; NULL: a new one */
	bool hours_settled;              /* of its site: as stored, none are looked for */
	void *request;                   /* as decoded; after computing, as understood */
	const struct measured_step *measured; /* of a training that is diagnosed: its advice is about this step; else NULL */
	const void *result;              /* NULL until computed */
	const char *model, *accelerator; /* ids of the recommended option, for lists; NULL where there is none */
	const struct catalogue *catalogue;
	int64_t computed_at_us;
};

/* 1. Decodes a body, or query parameters. All faults at once. */
FALLIBLE enum status estimate_decode(struct estimate *estimate, const char *json, size_t length);
FALLIBLE enum status estimate_decode_query(struct estimate *estimate, const struct query_parameter *query, size_t count);

/* The request's `as_of` as wall clock; 0 when it wants the catalogue of now. */
FALLIBLE enum status estimate_as_of(const struct estimate *estimate, int64_t *as_of_us);

/* After a decoding that found faults: adds the names that the catalogue does not know, so that one answer names everything. */
void estimate_fault_names(const struct estimate *estimate, const struct catalogue *catalogue);

/* Where the request says that it runs; NULL of a kind that has no site. */
struct site_request;
struct site_request *estimate_site(const struct estimate *estimate);

/* 2. Resolves on `catalogue` and computes. `now_us` dates offers and the answer. */
FALLIBLE enum status estimate_compute(struct estimate *estimate, const struct catalogue *catalogue, int64_t now_us);

/* 3. The content of a record: kind, request and result as JSON text in the arena, revisions, version, time; for the two
 * kinds of plans also name, labels, notes, model and accelerator. id, created_at and revision are the caller's. */
FALLIBLE enum status estimate_record(const struct estimate *estimate, struct plan_record *record);

/* The envelope that a record of this kind is answered in: an estimate's, or a plan's. */
const struct field_table *estimate_envelope(const struct estimate_kind *kind);

#endif
