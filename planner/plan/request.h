/* Members that training and inference requests have in common, as decoded: names are not resolved yet, absent members
 * are absent (given.h). The API's field tables (api/tables/) decode into these structs; hwdb/resolve/resolve.h turns
 * them into inputs. */
#ifndef FLEETPLAN_PLANNER_PLAN_REQUEST_H
#define FLEETPLAN_PLANNER_PLAN_REQUEST_H

#include "planner/hardware/accelerator.h"
#include "planner/plan/practice_choice.h"

/* `model`: a catalogue id, or a config, or a size, or a generic model. A bare string is `id`. */
struct model_reference {
	const char *id;
	struct json_text config; /* a Hugging Face config.json */
	double params, params_active;
	const char *kind; /* "generic" */
	double flops_per_sample, sample_bytes;
};

/* `accelerator`: a catalogue id or alias (bare string), or `{like: id, ...}` with catalogue fields changed: `changes`
 * has the given fields, all other fields are absent. */
struct accelerator_reference {
	const char *id, *like;
	struct accelerator changes;
};

struct accelerator_reference_list {
	struct accelerator_reference *items;
	size_t count;
};

/* Purchase price of an accelerator, with its share of server and network. */
struct capex {
	const char *accelerator; /* its id or alias */
	double usd_per_gpu;
};

struct capex_list {
	struct capex *items;
	size_t count;
};

struct on_premises {
	double capex_usd_per_gpu, life_years, electricity_usd_per_kwh, staff_usd_per_gpu_month, space_usd_per_kw_month;
	struct capex_list capex; /* for each accelerator, instead of one price for all */
	enum truth list_prices;  /* use the catalogue's list prices instead */
};

/* Another currency for the amounts of an answer. */
struct currency {
	const char *code, *as_of; /* ISO 4217; the day of the rate */
	double per_usd;           /* units of it for one USD; absent: no currency was requested */
};

struct pricing {
	double usd_per_gpu_hour;
	struct currency currency;
	struct text_list providers, regions;
	struct text_list terms; /* on_demand, spot, reserved_1y, reserved_3y */
	double max_age_days, spot_interruptions_per_gpu_hour, storage_usd_per_gb_month, egress_usd_per_gb;
	double storage_gb, egress_gb;   /* stored while the work runs; sent out once, at the end */
	struct on_premises on_premises; /* given if capex_usd_per_gpu, capex or list_prices is given */
};

enum { SITE_STEPS_MAX = 8784 }; /* hours of a leap year */

/* Carbon intensity of a grid by steps, as the request gives it; in the completed request also the intensities of a
 * feed. */
struct site_series {
	int64_t start_us, step_minutes;
	struct number_list gco2e_per_kwh;
	const char *source; /* NULL: the request */
};

struct site_request {
	const char *provider, *region, *country;
	double grid_gco2e_per_kwh, pue, wue_l_per_kwh, ewif_l_per_kwh, electricity_usd_per_kwh;
	double grid_market_gco2e_per_kwh, grid_marginal_gco2e_per_kwh;
	int64_t start_us;          /* start of the run; 0 or less: not given, or the start of the series */
	struct site_series series; /* no numbers: no series */
};

/* Figures of the machines that replace published ones (E63, E65). */
struct hardware_request {
	double host_power_fraction; /* power of hosts and network over that of the accelerators */
	double embodied_kgco2e_per_gpu, embodied_kgco2e_per_node;
	double life_years, used_fraction; /* life over which embodied carbon is spread, and the fraction of it in use */
};

enum objective { OBJECTIVE_UNSET, OBJECTIVE_COST, OBJECTIVE_TIME, OBJECTIVE_ENERGY, OBJECTIVE_CARBON, OBJECTIVE_GPUS };
enum calibration_use { CALIBRATION_UNSET, CALIBRATION_MEASURED, CALIBRATION_DATASHEET };

/* Probability with which limits hold, unless the request gives another one. */
#define CONFIDENCE_USUAL 0.8

/* Members that both requests have under the same JSON names. */
struct request_common {
	const char *name, *notes;
	struct json_text labels; /* a map of strings */
	struct model_reference model;
	enum precision precision;
	struct accelerator_reference accelerator;
	struct accelerator_reference_list accelerators;
	int64_t gpu_count, gpus_per_node;
	double internode_gbs;
	struct pricing pricing;
	struct site_request site;
	struct hardware_request hardware;
	enum objective objective;
	double carbon_cap_kgco2e, energy_cap_kwh;
	enum calibration_use calibration;
	enum practice_kind practice;
	double confidence; /* probability with which deadline, budget, caps and SLOs hold */
	int64_t alternatives;
	const char *expand; /* names of the parts of the answer, separated by commas (answer_parts.h) */
	enum truth enforce_memory;
	const char *as_of; /* RFC 3339 */
};

#endif
