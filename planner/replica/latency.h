/* E58. Latency percentiles of a fleet at a load, from queueing formulas: a bracket, not a simulation. */
#ifndef FLEETPLAN_PLANNER_REPLICA_LATENCY_H
#define FLEETPLAN_PLANNER_REPLICA_LATENCY_H

#include "planner/replica/demand.h"

enum latency_quantity { LATENCY_TTFT, LATENCY_TPOT, LATENCY_E2E };

/* What spreads the latencies of a fleet around the operating point of one of its replicas. */
struct latency_model {
	struct operating_point point;
	struct request_shape shape;
	double wait_s, wait_probability; /* for a slot and for the prompts ahead; mean over all, and how many wait */
	double tpot_log_sigma;
};

/* Given: a replica, the demand, how many replicas share it, and the rate (requests/s) of the whole fleet. False when the
 * load is more than they take. */
bool latency_prepare(const struct replica *replica, const struct demand *demand, double replicas, double requests_per_s,
	struct latency_model *model);

/* Seconds that a share (0..1) of the requests stays below. */
double latency_quantile_s(const struct latency_model *model, enum latency_quantity quantity, double share);

/* E58. Mean wait in a queue with several servers. Given: utilisation (0 <= rho < 1), servers (>= 1), service time, squared
 * coefficients of variation of arrivals' gaps and of service (>= 0). Returned: s; exact for M/M/1 and M/G/1.
 * Source: Allen 1978 and Cunneen; the many-server term of Sakasegawa 1977. */
double queue_wait_s(double utilization, double servers, double service_s, double arrival_cv2, double service_cv2);


#endif
