/* The catalogue: what is known of accelerators, models, prices and regions, as one immutable snapshot.
 *
 * Storage keeps the rows (append-only, valid_from/valid_to); a snapshot holds those that are valid at one moment,
 * indexed by id and alias. A snapshot never changes: a write builds a new one and swaps it whole. Everything a
 * snapshot points to lives in its own arena, and dies with its last reference. Thread-safe for readers.
 *
 * Row structs are what api/tables and storage map to JSON and SQL; absent members as in base/given.h. */
#ifndef FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_H
#define FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_H

#include "base/arena.h"
#include "base/failure.h"
#include "planner/findings.h"
#include "planner/model/model.h"
#include "planner/plan/request.h"

/* What another good source says of one figure of a row. The row's own value is what plans go by; this is kept beside it. */
struct conflict {
	const char *field; /* of the row: "memory_bandwidth_gbs" */
	double value;
	const char *source, *source_date, *note; /* note: what may explain it; NULL */
};

enum { CONFLICTS_MAX = 32 }; /* of a row */

struct conflict_list {
	struct conflict *items;
	size_t count;
};

/* What every row has. */
struct row_meta {
	const char *origin; /* builtin, imported, user, measured */
	const char *source, *source_date;
	int64_t valid_from_us, valid_to_us; /* wall clock; valid_to_us 0: still valid */
	int64_t revision; /* of the catalogue, when the row was written */
	struct conflict_list conflicts; /* of accelerators, prices and regions */
	int64_t opened_by, closed_by; /* the store's: imports that are not settled yet (storage/imports.h); 0: none */
	struct warning_list {
		struct warning *items;
		size_t count;
	} warnings; /* of the answer to a write; not kept */
};

/* `accelerator.source` and `.source_date` are where both kinds of JSON (row and plan) read them; meta's are unused
 * here. */
struct accelerator_row {
	struct row_meta meta;
	struct accelerator accelerator;
	struct text_list aliases;
	const char *memory_usable_source;
};

struct model_row {
	struct row_meta meta;
	const char *id, *repo;
	double params_total, params_active; /* published */
	struct json_text config; /* config.json as it was given; NULL text when only the size is known */
	struct text_list aliases;
	struct model model; /* read from config (or from the size) when the snapshot was built */
};

struct price_row {
	struct row_meta meta;
	const char *id; /* "aws.p5-48xlarge.us-east-1.on-demand", a slug made of the key columns */
	const char *provider, *instance_type, *region, *accelerator_id, *pricing_model, *as_of, *notes;
	int64_t gpus;
	double vcpus, ram_gb, price_usd_per_hour; /* the whole instance */
};

struct region_row {
	struct row_meta meta;
	const char *id; /* "aws.us-east-1", "country.fra" */
	const char *provider, *region_id, *country_zone, *location, *em_zone;
	double grid_gco2e_per_kwh, grid_marginal_gco2e_per_kwh, pue, wue_l_per_kwh, ewif_l_per_kwh;
	int64_t year, pue_year, wue_year;
};

/* A figure that a benchmark measured and that corrects plans on one accelerator. */
struct calibration_row {
	struct row_meta meta;
	const char *id, *accelerator_id, *device_id, *benchmark_id;
	enum precision precision;
	const char *quantity; /* quantity_name() of planner/measurement/evidence.h */
	const char *method; /* library_gemm, kernel_gemm, issue_rate, stream, ... */
	double value, low, high;
	const char *class;   /* of products: thin, small, large, plan; of stack_speed and run_practice: the software; NULL: has none */
	const char *plan_id; /* whose own work was measured; NULL: none's */
	const char *driver;  /* of the device then */
	int64_t n;           /* repetitions, or observations, that it is the median of */
	double spread;       /* median absolute deviation of what was combined; absent for a single figure */
	double disagreement; /* of its repetition in the same run; absent: there was none */
	double expected, expected_sigma; /* of run_practice: what published runs let expect of such a plan, and the spread of its logarithm (E131) */
	double step_ratio;               /* likewise: observed over planned time of a step; absent: not reported */
	int64_t gpu_count;               /* likewise: that it ran on */
	double params;                   /* likewise: of its model; absent: not known */
	double baseline;     /* what it was when it was first measured on that device: drift is value over it */
	const char *held_because; /* why it waits for an admin or a device of another key (planner/measurement/trust.h); NULL: it does not */
	const char *delivered_by; /* id of the agent's key that brought it; NULL: the daemon's own device, an admin, or real jobs */
	enum truth used;     /* answered, not stored: whether plans take it, and if not, why */
	const char *unused_because;
};

struct catalogue_rows {
	struct accelerator_row *accelerators;
	struct model_row *models;
	struct price_row *prices;
	struct region_row *regions;
	struct calibration_row *calibrations;
	size_t accelerator_count, model_count, price_count, region_count, calibration_count;
};

struct catalogue {
	struct catalogue_rows rows; /* each sorted by id */
	int64_t revision, calibration_revision;
	int64_t as_of_us; /* 0: now */
	struct arena arena;
	struct catalogue_index *index; /* ids and aliases, hashed */
	struct catalogue_delta *change; /* NULL: built whole (hwdb/catalogue/catalogue_change.h) */
	_Atomic int references;
};

/* Builds a snapshot that owns `rows` and `arena` (moved in). NULL and a filled failure when a row cannot be read. */
struct catalogue *catalogue_new(struct arena *arena, const struct catalogue_rows *rows, int64_t revision,
	int64_t calibration_revision, int64_t as_of_us, struct failure *failure);
struct catalogue *catalogue_retain(struct catalogue *catalogue);
void catalogue_release(struct catalogue *catalogue);

/* By id or alias, letter case ignored (a model also by its repository); NULL when there is none. *alias is the alias used, NULL when it was the id itself. */
const struct accelerator_row *catalogue_accelerator(
	const struct catalogue *catalogue, const char *name, const char **alias);
const struct model_row *catalogue_model(const struct catalogue *catalogue, const char *name, const char **alias);
const struct price_row *catalogue_price(const struct catalogue *catalogue, const char *id);
const struct region_row *catalogue_region(const struct catalogue *catalogue, const char *id);

/* Version of the jansson that is linked, which reads models' configurations. */
const char *catalogue_library_version(void);

#endif
