/* Which of an accelerator's offers a number of them is had from.
 *
 * Instances are rented whole, and accelerators that work together (a training job, a replica) need an instance that holds all of
 * them or a whole node: nobody promises that single ones are joined as those of a node are. TPUs are priced by the chip and rented
 * by the slice, so that any offer holds any number of them. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_SUPPLY_H
#define FLEETPLAN_PLANNER_FOOTPRINT_SUPPLY_H

#include "planner/findings.h"
#include "planner/hardware/accelerator.h"

/* The supply from which `count` accelerators that work in groups of `group` cost least; NULL without supplies. */
const struct supply *supply_best(const struct candidate *candidate, int64_t group, int64_t count);

/* Whether an offer of the candidate's is one that supply_best() looks at: an instance holds the group, or none is larger. */
bool supply_suits(const struct candidate *candidate, int64_t group, const struct offer *offer);

/* E142. The least number that can be rented and is no less than `count`: the size of one slice, beyond the largest slices of the same size; any number
 * where nothing is rented by slices. Valid: count >= 1. */
int64_t supply_rentable_count(const struct candidate *candidate, int64_t count);

/* What `count` accelerators cost an hour at an offer, instances paid whole, USD. */
double supply_usd_per_hour(const struct accelerator *accelerator, const struct offer *offer, int64_t count);

/* The candidate with the offer, and the site of that offer, from which `count` accelerators that work in groups of `group` cost least.
 * Where no instance is large enough the largest are taken. Without supplies the candidate as it is. */
struct candidate supply_of_count(const struct candidate *candidate, int64_t group, int64_t count);

/* Whether it is priced by the chip and rented by the slice: TPUs. */
bool supply_is_by_slice(const struct accelerator *accelerator);

/* Accelerators that are paid when `count` are used: those of whole instances. */
int64_t supply_paid_count(const struct candidate *candidate, int64_t count);

/* Warns of instances that are smaller than what works together, and of accelerators that are paid but not used. */
void supply_remark(const struct candidate *candidate, int64_t group, int64_t count, struct findings *findings);

#endif
