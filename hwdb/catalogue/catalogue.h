/* The catalogue: the known accelerators, models, prices, regions and calibrations, as one immutable snapshot.
 *
 * Storage keeps all rows (append-only, valid_from/valid_to). A snapshot holds the rows that are valid at one moment,
 * indexed by id and alias. A snapshot never changes: a write builds a new one and replaces the old one as a whole. All
 * that a snapshot points to is in its own arena and is freed with its last reference. Thread-safe for readers.
 *
 * api/tables maps the row structs to JSON, storage to SQL. Absent members as in base/given.h. */
#ifndef FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_H
#define FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_H

#include "base/arena.h"
#include "base/failure.h"
#include "planner/findings.h"
#include "planner/model/model.h"
#include "planner/plan/request.h"

/* Another good source's value of one figure of a row. Plans use the row's own value. */
struct conflict {
	const char *field; /* name of the row's figure: "memory_bandwidth_gbs" */
	double value;
	const char *source, *source_date, *note; /* note: possible reason for the difference; NULL: none */
};

enum { CONFLICTS_MAX = 32 }; /* for one row */

struct conflict_list {
	struct conflict *items;
	size_t count;
};

/* Members of every row. */
struct row_meta {
	const char *origin; /* builtin, imported, user, measured */
	const char *source, *source_date;
	int64_t valid_from_us, valid_to_us; /* wall clock; valid_to_us 0: still valid */
	int64_t revision;                   /* revision of the catalogue at which the row was written */
	struct conflict_list conflicts;     /* for accelerators, prices and regions */
	int64_t opened_by, closed_by;       /* used by storage: imports that are not settled yet (storage/imports.h); 0: none */
	struct warning_list {
		struct warning *items;
		size_t count;
	} warnings; /* returned with a write; not stored */
};

/* Both kinds of JSON (row and plan) read `accelerator.source` and `.source_date`. The row does not use those of
 * `meta`. */
struct accelerator_row {
	struct row_meta meta;
	struct accelerator accelerator;
	struct text_list aliases;
	const char *memory_usable_source;
};

struct model_row {
	struct row_meta meta;
	const char *id, *repo;
	double params_total, params_active; /* as published */
	struct json_text config;            /* config.json as received; NULL text when only the size is known */
	struct text_list aliases;
	struct model model; /* computed from config (or from the size) when the snapshot is built */
};

struct price_row {
	struct row_meta meta;
	const char *id; /* a slug of the key columns: "aws.p5-48xlarge.us-east-1.on-demand" */
	const char *provider, *instance_type, *region, *accelerator_id, *pricing_model, *as_of, *notes;
	int64_t gpus;
	double vcpus, ram_gb, price_usd_per_hour; /* of the whole instance */
};

struct region_row {
	struct row_meta meta;
	const char *id; /* "aws.us-east-1", "country.fra" */
	const char *provider, *region_id, *country_zone, *location, *em_zone;
	double grid_gco2e_per_kwh, grid_marginal_gco2e_per_kwh, pue, wue_l_per_kwh, ewif_l_per_kwh;
	int64_t year, pue_year, wue_year;
};

/* A figure from a benchmark or from observed jobs, which corrects plans on one accelerator. */
struct calibration_row {
	struct row_meta meta;
	const char *id, *accelerator_id, *device_id, *benchmark_id;
	enum precision precision;
	const char *quantity; /* quantity_name() of planner/measurement/evidence.h */
	const char *method;   /* library_gemm, kernel_gemm, issue_rate, stream, ... */
	double value, low, high;
	const char *class;   /* products: thin, small, large, plan; stack_speed and run_practice: the software; NULL: none */
	const char *plan_id; /* the plan whose own work was measured; NULL: none */
	const char *driver;  /* the device's driver at that time */
	int64_t n;           /* repetitions or observations of which the value is the median */
	double spread;       /* median absolute deviation of the combined figures; absent for a single figure */
	double disagreement; /* difference from a repetition in the same run; absent: not repeated */
	double expected,
		expected_sigma; /* run_practice: the value that published runs suggest for such a plan, and the spread of its logarithm (E131) */
	double step_ratio;  /* run_practice: observed over planned time of a step; absent: not reported */
	int64_t gpu_count;  /* run_practice: accelerators of the run */
	double params;      /* run_practice: the model's parameters; absent: unknown */
	double baseline;    /* first measured value on that device; drift is value over baseline */
	const char *held_because; /* why it waits for an admin or for a device of another key (planner/measurement/trust.h); NULL: not held */
	const char *delivered_by; /* id of the key of the agent that delivered it; NULL: the daemon's own device, an admin, or real jobs */
	enum truth used;          /* in answers only, not stored: whether plans use it, and the reason if not */
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
	int64_t as_of_us; /* 0: the present */
	struct arena arena;
	struct catalogue_index *index;  /* hash tables of ids and aliases */
	struct catalogue_delta *change; /* NULL: built whole, not by hwdb/catalogue/catalogue_change.h */
	_Atomic int references;
};

/* Builds a snapshot that takes ownership of `rows` and `arena`. NULL and a filled failure when a row cannot be read. */
struct catalogue *catalogue_new(struct arena *arena, const struct catalogue_rows *rows, int64_t revision, int64_t calibration_revision,
	int64_t as_of_us, struct failure *failure);
struct catalogue *catalogue_retain(struct catalogue *catalogue);
void catalogue_release(struct catalogue *catalogue);

/* Find a row by id or alias, ignoring letter case (a model also by its repository); NULL when there is none. *alias
 * becomes the alias that matched, NULL for an id. */
const struct accelerator_row *catalogue_accelerator(const struct catalogue *catalogue, const char *name, const char **alias);
const struct model_row *catalogue_model(const struct catalogue *catalogue, const char *name, const char **alias);
const struct price_row *catalogue_price(const struct catalogue *catalogue, const char *id);
const struct region_row *catalogue_region(const struct catalogue *catalogue, const char *id);

/* Returns the version of the linked jansson library, which parses model configurations. */
const char *catalogue_library_version(void);

#endif
