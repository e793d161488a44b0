/* From a decoded request to the planner's input: rows for names, default values, candidates with offer and site.
 *
 * Each value that the request leaves out gets a default here, and an assumption in `findings` with its source. An
 * unknown or contradictory value is a fault, with the nearest known names. The result borrows from the request, the
 * arena and the snapshot. `now_us` dates offers (max_age_days) and is the only clock. */
#ifndef FLEETPLAN_HWDB_RESOLVE_RESOLVE_H
#define FLEETPLAN_HWDB_RESOLVE_RESOLVE_H

#include "hwdb/catalogue/catalogue.h"
#include "planner/plan/estimates.h"
#include "planner/plan/serving.h"
#include "planner/plan/training.h"

struct resolver {
	const struct catalogue *catalogue;
	struct arena *arena;
	int64_t now_us;
	struct findings *findings;
	struct failure *failure;
	const char *plan_id;     /* the plan that is computed again: measurements of its own work count; NULL: a new plan */
	const char *stack;       /* software whose observed speed counts; set by resolve_training() */
	int64_t gpu_count;       /* of the request; less than 1: open. Set as `stack` */
	double params;           /* active parameters of the model in training; 0 or less: unknown. Set as `stack` */
	struct grid_hours hours; /* of the request's site, filled by resolve_hours(); count 0: none */
	int64_t run_start_us;
};

FALLIBLE enum status resolve_training(const struct resolver *resolver, const struct training_request *request, struct training_input *input);
FALLIBLE enum status resolve_inference(
	const struct resolver *resolver, const struct inference_request *request, struct inference_input *input);
/* Sets an unset precision to that of a checkpoint published in 8 or 4 bits, and notes it. */
void resolve_published_precision(const struct resolver *resolver, const struct model *model, enum precision *precision);

FALLIBLE enum status resolve_performance(
	const struct resolver *resolver, const struct performance_request *request, struct performance_input *input);

/* After planning: notes the offer and the site of the recommended option, where the planner had a choice. */
void resolve_recommended(const struct resolver *resolver, const struct request_common *common, const struct candidate *candidates,
	size_t count, const struct offer *offer);

/* After planning: notes the figures of the catalogue that the answer uses and on which good sources disagree, or which
 * no second source confirms (peak of the precision, bandwidth, memory, power, links; the offer's price; the grid). Each
 * becomes an assumption with its range, and widens one of `inputs`. offer, inputs: may be NULL. */
void resolve_doubts(const struct resolver *resolver, const struct request_common *common, const struct accelerator *accelerator,
	enum precision precision, const struct offer *offer, struct figures *inputs);

/* After planning: adds the price of reserving the accelerators with the recommended offer's provider (E102), if it
 * sells reservations. */
void resolve_reservations(const struct resolver *resolver, const struct training_input *input, struct training_plan *plan);

/* After planning: adds to every option with purchased hardware the cost of renting the same number at each term
 * (E155). */
void resolve_training_purchases(const struct resolver *resolver, const struct training_input *input, struct training_plan *plan);
void resolve_serving_purchases(const struct resolver *resolver, struct inference_plan *plan);

/* After planning: adds the commitment that costs least over the daily profile. The terms are those of the recommended
 * offer's provider and region that the request names, else all except spot. Adds nothing without a profile and an
 * offer, or with a single term. */
FALLIBLE enum status resolve_commitment(
	const struct resolver *resolver, const struct inference_input *input, struct inference_option *option);

/* Replace aliases in a request by ids of catalogue rows; other names stay. The functions above do so in the request
 * that they answer. */
void resolve_names(const struct resolver *resolver, struct request_common *common);
void resolve_model_name(const struct resolver *resolver, struct model_reference *reference);
void resolve_accelerator_name(const struct resolver *resolver, struct accelerator_reference *reference);

/* Adds faults for unknown names of models and accelerators, where their place has no fault yet. For a request that
 * failed before it could be resolved. */
void resolve_fault_names(const struct resolver *resolver, const struct request_common *common);

/* Fills the hours of the request's site, once for all candidates (E109). Call it before the functions above. Faults for
 * a series that is not valid. */
FALLIBLE enum status resolve_hours(struct resolver *resolver, const struct site_request *site);

/* True if a reference contains a name, or figures of an accelerator (which it then must name). */
bool resolve_accelerator_given(const struct accelerator_reference *reference);

/* After planning: warns of each field of the decoded request that the answer does not use, with the reason, so that no
 * field is ignored silently. `asked`: the request before the functions above completed it. */
void resolve_unused_training(const struct resolver *resolver, const struct training_request *asked, const struct training_input *input,
	const struct training_plan *plan);
void resolve_unused_inference(const struct resolver *resolver, const struct inference_request *asked, const struct inference_input *input,
	const struct inference_plan *plan);
void resolve_unused_performance(
	const struct resolver *resolver, const struct performance_request *asked, const struct performance_input *input);
void resolve_unused_memory(const struct resolver *resolver, const struct memory_request *asked);
void resolve_unused_carbon(const struct resolver *resolver, const struct carbon_request *asked, const struct accelerator *accelerator);

/* The parts, for the smaller calculators. `pointer` is the place of the reference in the request ("/model"). */
FALLIBLE enum status resolve_model(
	const struct resolver *resolver, const struct model_reference *reference, const char *pointer, struct model *model);
FALLIBLE enum status resolve_accelerator(
	const struct resolver *resolver, const struct accelerator_reference *reference, const char *pointer, struct accelerator *accelerator);
FALLIBLE enum status resolve_site(
	const struct resolver *resolver, const struct site_request *request, const struct offer *offer, struct site *site);

#endif
