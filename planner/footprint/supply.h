/* Choice of the offer from which a number of accelerators is rented.
 *
 * Instances are rented whole. Accelerators that work together (a training job, a replica) need an instance that holds
 * all of them, or a whole node: providers do not promise that single accelerators are connected as those of a node
 * are. TPUs are priced by the chip and rented by the slice, so any offer can provide any number of them. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_SUPPLY_H
#define FLEETPLAN_PLANNER_FOOTPRINT_SUPPLY_H

#include "planner/findings.h"
#include "planner/hardware/accelerator.h"

/* Returns the supply from which `count` accelerators that work in groups of `group` cost least; NULL if there is none. */
const struct supply *supply_best(const struct candidate *candidate, int64_t group, int64_t count);

/* True if supply_best() considers the offer: one instance holds the group, or no instance is larger. */
bool supply_suits(const struct candidate *candidate, int64_t group, const struct offer *offer);

/* E142. Computes the least number of accelerators that can be rented and is at least `count`.
 *
 * Given:    candidate  slice_sizes, chips
 *           count      accelerators, >= 1
 * Returned: the size of one slice; beyond the largest slice several slices of the same size; `count` if the
 *             accelerator is not rented by slices
 * Source:   sizes of slices: Google Cloud's documentation
 * Case:     tests/planner/test_footprint.c */
int64_t supply_rentable_count(const struct candidate *candidate, int64_t count);

/* Returns the price of `count` accelerators at an offer, whole instances, USD per hour. */
double supply_usd_per_hour(const struct accelerator *accelerator, const struct offer *offer, int64_t count);

/* Returns the candidate with the cheapest offer, and the site of that offer, for `count` accelerators that work in
 * groups of `group`. If no instance is large enough it takes one of the largest. Without supplies it returns the
 * candidate unchanged. */
struct candidate supply_of_count(const struct candidate *candidate, int64_t group, int64_t count);

/* True if the accelerator is priced by the chip and rented by the slice: TPUs. */
bool supply_is_by_slice(const struct accelerator *accelerator);

/* Returns the number of accelerators that are paid when `count` are used: those of whole instances. */
int64_t supply_paid_count(const struct candidate *candidate, int64_t count);

/* Warns if `count` is not the size of a slice, if an instance is smaller than a group, and if accelerators are paid
 * but not used. */
void supply_remark(const struct candidate *candidate, int64_t group, int64_t count, struct findings *findings);

#endif
