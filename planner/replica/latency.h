/* E58. Latency percentiles of a fleet at a load, from queueing formulas. They are an estimate, not a simulation. */
#ifndef FLEETPLAN_PLANNER_REPLICA_LATENCY_H
#define FLEETPLAN_PLANNER_REPLICA_LATENCY_H

#include "planner/replica/demand.h"

enum latency_quantity { LATENCY_TTFT, LATENCY_TPOT, LATENCY_E2E };

/* The spread of a fleet's latencies around the operating point of one of its replicas. */
struct latency_model {
	struct operating_point point;
	struct request_shape shape;
	double wait_s, wait_probability; /* for a slot and for the prompts ahead: mean over all requests; share of requests that wait */
	double tpot_log_sigma;
};

/* E58. Prepares the latency percentiles of a fleet at a load.
 * Given:    replica; demand; replicas: number that share the load (> 0); requests_per_s: of the whole fleet (> 0).
 * Returned: *model. False if the load exceeds the capacity.
 * Valid:    coefficient of variation of the arrivals' gaps below about 3.
 * Case:     tests/planner/test_serving_operating.c, shared_arrivals_come_nearer_to_poisson. */
bool latency_prepare(
	const struct replica *replica, const struct demand *demand, double replicas, double requests_per_s, struct latency_model *model);

/* E58. Computes a percentile of a latency.
 * Given:    model: filled by latency_prepare(); quantity; share: of the requests (0 < share < 1).
 * Returned: the time that this share of the requests does not exceed, s.
 * Case:     tests/planner/test_serving_operating.c, waits_fall_off_exponentially. */
double latency_quantile_s(const struct latency_model *model, enum latency_quantity quantity, double share);

/* E58. Computes the mean wait in a queue with several servers.
 * Given:    utilization: rho (0 <= rho < 1); servers: m (>= 1); service_s: mean service time, s; arrival_cv2,
 *           service_cv2: squared coefficients of variation of the arrivals' gaps and of the service times (>= 0).
 * Returned: (arrival_cv2 + service_cv2) / 2 x rho^(sqrt(2 (m + 1)) - 1) / (m (1 - rho)) x service_s, s; exact for M/M/1
 *           and M/G/1.
 * Source:   Allen 1978 and Cunneen; the many-server term of Sakasegawa 1977.
 * Case:     tests/planner/test_serving.c, queues_wait_as_theory_says. */
double queue_wait_s(double utilization, double servers, double service_s, double arrival_cv2, double service_cv2);

#endif
