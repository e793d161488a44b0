/* Seeded random requests from the whole space of trainings, as JSON for `fleetplan plan training -`. */
#ifndef FLEETPLAN_TESTS_PLAUSIBILITY_DRAW_H
#define FLEETPLAN_TESTS_PLAUSIBILITY_DRAW_H

#include "hwdb/catalogue/catalogue.h"
#include "planner/plan/training.h"

enum { DRAW_JSON_MAX_BYTES = 4096 };

/* Factors on the accelerator's catalogue figures; all 1: the row itself. */
struct variant {
	double flops, memory, bandwidth, link, nic, power;
};

/* One request. Checks change a member and plan again. */
struct draw {
	uint64_t number;
	char model[1024]; /* JSON */
	const struct accelerator *accelerator;
	struct variant variant;
	enum stack stack;
	enum precision precision;
	enum optimizer optimizer;
	enum fine_tuning_method fine_tuning;
	char release[8];
	int64_t gpu_count;
	double internode_gbs, sequence, batch;
	bool pinned;               /* the whole layout is pinned; else the search chooses it */
	struct parallelism layout; /* read if pinned */
};

/* Draws the request of this number: the same on every machine. */
void draw_request(const struct catalogue *catalogue, uint64_t number, struct draw *draw);

void draw_json(const struct draw *draw, char json[DRAW_JSON_MAX_BYTES]);

/* Writes a request for a replica of the same model on the same accelerator: POST
 * /v1/estimates/inference/performance. */
void draw_serving_json(const struct draw *draw, char json[DRAW_JSON_MAX_BYTES]);

#endif
