/* Parts of the resolver that several of its files use. Private to hwdb/. */
#ifndef FLEETPLAN_HWDB_RESOLVE_RESOLVE_PARTS_H
#define FLEETPLAN_HWDB_RESOLVE_RESOLVE_PARTS_H

#include "hwdb/catalogue/catalogue_index.h"
#include "hwdb/catalogue/offers.h"
#include "hwdb/resolve/resolve.h"

/* Fills the candidates of a request, each with offer, site, calibration and topology. Faults are added to the failure;
 * STATUS_OK without faults. With one candidate all its assumptions are noted, with several the shared ones. `joined`:
 * accelerators that work together (of a job or replica, if the request gives the number); below 1: the planner finds
 * the number. */
FALLIBLE enum status resolve_candidates(const struct resolver *resolver, const struct request_common *common, int64_t joined,
	const struct candidate **candidates, size_t *count);

/* Does the same where the planner chooses the place. Each candidate gets a supply for each place and term that is
 * cheaper, cleaner or in a better building than all that cost less. `all_terms`: compares only supplies of the same
 * term, so that no term replaces another. */
FALLIBLE enum status resolve_placed_candidates(const struct resolver *resolver, const struct request_common *common, bool all_terms,
	const struct candidate **candidates, size_t *count);

/* Checks the members that training and inference share: defaults into `common`, contradictions as faults. */
void resolve_common(const struct resolver *resolver, struct request_common *common);

/* Resolves an accelerator reference to its row (for a variant: the row in `like`) and the accelerator itself. */
FALLIBLE enum status resolve_accelerator_row(const struct resolver *resolver, const struct accelerator_reference *reference,
	const char *pointer, const struct accelerator_row **row, struct accelerator *accelerator);

/* For an accelerator named by an instance type: sets the node's number of accelerators to the instance's, unless the
 * request gives it. */
void resolve_instance(const struct resolver *resolver, struct request_common *common);

/* Resolves a site for an offer whose region row is known (NULL: unknown). `findings` may be NULL: nothing is noted. */
void resolve_site_at(const struct resolver *resolver, const struct site_request *request, const struct region_row *asked,
	const struct region_row *of_offer, const struct offer *offer, struct findings *findings, struct site *site);

/* Finds the region row that a site request names; NULL when it names none. Unknown names become faults. */
FALLIBLE enum status resolve_site_region(
	const struct resolver *resolver, const struct site_request *request, const struct region_row **region);

/* Fills the calibration of an accelerator in a precision from measurements. `noted`: each figure becomes an
 * assumption. */
void resolve_calibration(const struct resolver *resolver, const struct accelerator *accelerator, enum precision precision, bool noted,
	struct calibration *calibration);

/* E134. Returns the client's own runs from the catalogue, each with its likeness to a training of the resolver's
 * software and model on this accelerator. A first run counts only runs on the same accelerator. NULL: no runs on
 * record, or the request is not a training. */
const struct own_runs *resolve_own_runs(const struct resolver *resolver, const struct accelerator *accelerator, bool first_run);

/* Notes which runs count for the training, or why none does. Warns of runs that contradict each other. */
void resolve_own_runs_note(const struct resolver *resolver, const struct training_input *input);

/* Adds faults for a layout that the model cannot have. gpu_count: of one replica, whose unpinned part is tensor
 * parallel; absent: not given. */
void resolve_layout(const struct resolver *resolver, const struct model *model, const struct candidate *candidates, size_t candidate_count,
	const struct serving_parallelism *pinned, int64_t gpu_count);

/* Adds a fault for an unknown name, with the nearest known ones. `what` is "model" or another kind of name. */
void fault_unknown(const struct resolver *resolver, const char *pointer, const char *what, const char *name);

/* Returns STATUS_OK, or the status of the faults so far. */
enum status resolver_status(const struct resolver *resolver);

/* Formats text in the resolver's arena; returns a static sentence when the arena is exhausted. */
const char *resolver_text(const struct resolver *resolver, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
