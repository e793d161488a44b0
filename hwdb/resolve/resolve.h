/* From a decoded request to what the planner takes: names to rows, defaults filled, candidates with offer and site.
 *
 * Every value that the caller left out gets its default here and a line in `findings` with its source. What is
 * unknown or contradictory becomes a fault with the nearest known names. The result borrows from the
 * request, the arena and the snapshot. `now_us` dates offers (max_age_days) and is the only clock. */
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
	const char *plan_id; /* of a plan that is planned again: what was measured of it counts; NULL: a new one */
	const char *stack;   /* software whose observed speed counts; the resolver of trainings sets it */
	int64_t gpu_count;   /* of the request; less than 1: open. As `stack` */
	double params;       /* of the model in training, active ones; not above 0: not known. As `stack` */
	struct grid_hours hours; /* of the request's site, by resolve_hours(); count 0: none */
	int64_t run_start_us;
};

FALLIBLE enum status resolve_training(
	const struct resolver *resolver, const struct training_request *request, struct training_input *input);
FALLIBLE enum status resolve_inference(
	const struct resolver *resolver, const struct inference_request *request, struct inference_input *input);
/* A checkpoint that is published in 8 or 4 bits is served in them unless the request says otherwise: fills what is unset, and says so. */
void resolve_published_precision(const struct resolver *resolver, const struct model *model, enum precision *precision);

FALLIBLE enum status resolve_performance(
	const struct resolver *resolver, const struct performance_request *request, struct performance_input *input);

/* After planning: notes the offer and the site that the recommended option took, where the planner had a choice. */
void resolve_recommended(const struct resolver *resolver, const struct request_common *common, const struct candidate *candidates,
	size_t count, const struct offer *offer);

/* After planning: where good sources disagree on a figure of the catalogue that the answer rests upon (peak of the precision, bandwidth,
 * memory, power, links; the offer's price; the grid), or none confirms it. Each becomes an assumption with its range, and one of `inputs`.
 * offer, inputs: may be NULL. */
void resolve_doubts(const struct resolver *resolver, const struct request_common *common, const struct accelerator *accelerator,
	enum precision precision, const struct offer *offer, struct figures *inputs);

/* After planning: what the recommended offer's provider takes for reserving them (E102), where it does. */
void resolve_reservations(const struct resolver *resolver, const struct training_input *input, struct training_plan *plan);

/* After planning: of hardware that is bought, what renting as many would cost at each term (E155), in every option. */
void resolve_training_purchases(const struct resolver *resolver, const struct training_input *input, struct training_plan *plan);
void resolve_serving_purchases(const struct resolver *resolver, struct inference_plan *plan);

/* After planning: what to commit to over the daily profile, among the terms of the recommended offer's provider and region: those that the
 * request names, else all but spot. Nothing without a profile and an offer, or where there is one term alone. */
FALLIBLE enum status resolve_commitment(
	const struct resolver *resolver, const struct inference_input *input, struct inference_option *option);

/* Puts the ids of catalogue rows in the place of aliases in a request; what is no row's name stays. The above do so in
 * the request that they answer. */
void resolve_names(const struct resolver *resolver, struct request_common *common);
void resolve_model_name(const struct resolver *resolver, struct model_reference *reference);
void resolve_accelerator_name(const struct resolver *resolver, struct accelerator_reference *reference);

/* Names of models and accelerators that are not known, as faults, where nothing was found wrong at their place yet: for a request
 * that failed before it could be resolved. */
void resolve_fault_names(const struct resolver *resolver, const struct request_common *common);

/* Before the above: the hours of the request's site, for all candidates once (E109). Faults for a series that is none. */
FALLIBLE enum status resolve_hours(struct resolver *resolver, const struct site_request *site);

/* Whether a reference says anything: a name, or figures of an accelerator that it then must name. */
bool resolve_accelerator_given(const struct accelerator_reference *reference);

/* After planning: what the request as decoded gives and the answer does not rest upon, with the reason, as warnings: a field is never without
 * effect in silence. `asked`: the request before the above completed it. */
void resolve_unused_training(const struct resolver *resolver, const struct training_request *asked, const struct training_input *input,
	const struct training_plan *plan);
void resolve_unused_inference(const struct resolver *resolver, const struct inference_request *asked, const struct inference_input *input,
	const struct inference_plan *plan);
void resolve_unused_performance(const struct resolver *resolver, const struct performance_request *asked, const struct performance_input *input);
void resolve_unused_memory(const struct resolver *resolver, const struct memory_request *asked);
void resolve_unused_carbon(const struct resolver *resolver, const struct carbon_request *asked, const struct accelerator *accelerator);

/* The parts, for the smaller calculators. `pointer` is where the reference stood in the request ("/model"). */
FALLIBLE enum status resolve_model(
	const struct resolver *resolver, const struct model_reference *reference, const char *pointer, struct model *model);
FALLIBLE enum status resolve_accelerator(const struct resolver *resolver, const struct accelerator_reference *reference,
	const char *pointer, struct accelerator *accelerator);
FALLIBLE enum status resolve_site(
	const struct resolver *resolver, const struct site_request *request, const struct offer *offer, struct site *site);

#endif
