/* The parts of an answer that a client asks for by name (`expand`). An answer without them is short.
 *
 * A set of parts is a sum of bits. The code passes the parts that are left out, so that 0 is a complete answer. A part
 * that is left out is not computed if it costs time, and it never changes the figures of the other parts. */
#ifndef FLEETPLAN_PLANNER_PLAN_ANSWER_PARTS_H
#define FLEETPLAN_PLANNER_PLAN_ANSWER_PARTS_H

#include <stdbool.h>
#include <stddef.h>

/* In the order of `part_words` in service/answer_parts.c. */
enum answer_part {
	PART_ALTERNATIVES = 1 << 0, /* all options with all their figures; without it the best three in short */
	PART_FRONT = 1 << 1,
	PART_PROVENANCE = 1 << 2,
	PART_INPUTS = 1 << 3,
	PART_SENSITIVITY = 1 << 4,
	PART_ADVICE = 1 << 5,
	PART_ASSUMPTIONS = 1 << 6, /* all; without it the five that move the answer most */
	PART_SEARCH = 1 << 7,
	PART_RESERVATIONS = 1 << 8,
	PART_STAGES = 1 << 9,
	PART_BATCH = 1 << 10,
	PART_COMPUTE_OPTIMAL = 1 << 11,
	PART_CONFIDENCE = 1 << 12,  /* the curve of confidence and the uncertainties */
	PART_AUTOSCALING = 1 << 13, /* a service by the hour */
	PART_DETAILS = 1 << 14,     /* memory, inputs, provenance and secondary figures of an option */
};

/* From this ratio on another number of accelerators is a different choice: a convention of the answer (decision 0342), not
 * a measured figure. It selects what is shown and changes no figure. */
#define OTHER_NUMBER 1.2

enum { PART_COUNT = 15, PARTS_ALL = (1 << PART_COUNT) - 1, LEAN_ALTERNATIVES = 3, LEAN_ASSUMPTIONS = 5 };

/* True if none of `parts` is in the answer. */
static inline bool parts_are_omitted(unsigned parts, unsigned omitted)
{
	return (parts & ~omitted) == 0;
}

#endif
