/* The parts of the resolver that its files share. Private to hwdb/. */
#ifndef FLEETPLAN_HWDB_RESOLVE_RESOLVE_PARTS_H
#define FLEETPLAN_HWDB_RESOLVE_RESOLVE_PARTS_H

#include "hwdb/catalogue/catalogue_index.h"
#include "hwdb/catalogue/offers.h"
#include "hwdb/resolve/resolve.h"

/* Candidates of a request, each with offer, site, calibration and topology. Faults are added to the failure; the
 * status is STATUS_OK when there are none. With one candidate all that was assumed is noted, with several what they
 * share. `joined` accelerators work together (a job's or replica's number, where the request gives it; below 1: the planner
 * will find it). */
FALLIBLE enum status resolve_candidates(const struct resolver *resolver, const struct request_common *common, int64_t joined,
	const struct candidate **candidates, size_t *count);

/* The same where the place is the planner's to choose: each candidate has every place and term as a supply that something could speak
 * for: cheaper, cleaner or in a better building than all that cost less. `all_terms`: no term is left out for another's sake. */
FALLIBLE enum status resolve_placed_candidates(const struct resolver *resolver, const struct request_common *common, bool all_terms,
	const struct candidate **candidates, size_t *count);

/* Members that training and inference have in common: defaults into `common`, contradictions as faults. */
void resolve_common(const struct resolver *resolver, struct request_common *common);

/* An accelerator reference to its row (for a variant: the row it is like) and the accelerator itself. */
FALLIBLE enum status resolve_accelerator_row(const struct resolver *resolver,
	const struct accelerator_reference *reference, const char *pointer, const struct accelerator_row **row,
	struct accelerator *accelerator);

/* Where the accelerator is named by an instance type: its number of accelerators is that of a node, unless the request says so. */
void resolve_instance(const struct resolver *resolver, struct request_common *common);

/* A site for an offer whose region row is known already (NULL: not). `findings` may be NULL: nothing is noted. */
void resolve_site_at(const struct resolver *resolver, const struct site_request *request,
	const struct region_row *asked, const struct region_row *of_offer, const struct offer *offer,
	struct findings *findings, struct site *site);

/* The region row that a site request names; NULL when it names none. Unknown names become faults. */
FALLIBLE enum status resolve_site_region(
	const struct resolver *resolver, const struct site_request *request, const struct region_row **region);

/* What measurement says of an accelerator in a precision; noted: each figure becomes an assumption. */
void resolve_calibration(const struct resolver *resolver, const struct accelerator *accelerator, enum precision precision, bool noted,
	struct calibration *calibration);

/* E134. The catalogue's runs of one's own, each as like as it is to a training of the resolver's software and model on this accelerator; a first run
 * counts those on the same one. NULL: none on record, or no training is asked for. */
const struct own_runs *resolve_own_runs(const struct resolver *resolver, const struct accelerator *accelerator, bool first_run);

/* Notes which runs count for the training, or why none does; warns of those that contradict each other. */
void resolve_own_runs_note(const struct resolver *resolver, const struct training_input *input);

/* Faults of a layout that the model cannot have. gpu_count: of one replica, where what is not pinned of it is tensor parallel; absent:
 * no number of accelerators is given for one. */
void resolve_layout(const struct resolver *resolver, const struct model *model, const struct candidate *candidates, size_t candidate_count,
	const struct serving_parallelism *pinned, int64_t gpu_count);

/* A fault for a name that is not known, with the nearest that are: `what` is "model" or the like. */
void fault_unknown(const struct resolver *resolver, const char *pointer, const char *what, const char *name);

/* STATUS_OK, or that of the faults so far. */
enum status resolver_status(const struct resolver *resolver);

/* Text in the resolver's arena; a static sentence when the arena is exhausted. */
const char *resolver_text(const struct resolver *resolver, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
