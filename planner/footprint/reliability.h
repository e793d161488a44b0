/* Failures, checkpoints and the part of the hours that is kept (E46, E47, E49). */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_RELIABILITY_H
#define FLEETPLAN_PLANNER_FOOTPRINT_RELIABILITY_H

#include "planner/plan/training.h"

/* Published rates of failure, hours of one accelerator between interruptions. Llama 3 405B: 466 interruptions, 419 of them
 * unexpected, in 54 days on 16,384 H100 (Grattafiori et al. 2024, arXiv 2407.21783, section 3.3.4): 50.7 thousand.
 * OPT-175B: about two hosts of 128 a day (metaseq logbook): 12.3 thousand; Meta RSC: 6.5 per 1,000 node-days
 * (Kokolis et al. 2024, arXiv 2410.21680): 29.5 thousand. */
#define RELIABILITY_MTBF_GPU_HOURS 50.7e3
#define RELIABILITY_MTBF_LOW_GPU_HOURS 12.3e3
#define RELIABILITY_MTBF_HIGH_GPU_HOURS 60e3
#define RELIABILITY_RESTART_MINUTES 10.0

/* E46. Checkpoint bytes: 14 a trained parameter (16-bit weights, 32-bit master and moments); BLOOM's 2.3 TB over 176e9 is 13.05. */
#define CHECKPOINT_BYTES_PER_PARAM 14.0

/* Nodes are lost to hardware in 78 % of the unexpected interruptions (Grattafiori et al. 2024, section 3.3.4). A day to exchange one:
 * with OPT-175B's two hosts of 128 a day (metaseq logbook) that asks for 6 spares, 5 %, where ml-engineering reports 5 to 10 %. */
#define RELIABILITY_NODE_SHARE 0.78
#define RELIABILITY_REPAIR_HOURS 24.0
#define RELIABILITY_SPARE_CONFIDENCE 0.99

struct reliability {
	double mtbf_hours;       /* of the whole job */
	double checkpoint_hours; /* in which training stands still for one */
	double write_hours;      /* until one is on storage: the same, unless it is written beside the training */
	double restart_hours;
	double interval_hours;   /* useful time between checkpoints */
	bool spot;               /* interruptions of spot instances are counted */
	int64_t spare_nodes;     /* given, or recommended */
	bool spares_given;
	double waiting;          /* part of the time in which more nodes are broken than there are spares */
	double fraction;         /* goodput: useful over wall clock, 0 < f <= 1 */
};

/* E47. Interval between checkpoints. Given: checkpoint (delta) and time between failures (M), same unit, > 0.
 * Returned: Young 1974: sqrt(2 delta M); Daly 2006 (FGCS 22, eq. 37): times [1 + sqrt(delta/2M)/3 + delta/18M] less delta
 * for delta < 2M, else M. */
double reliability_young_interval(double checkpoint, double mtbf);
double reliability_daly_interval(double checkpoint, double mtbf);

/* E49. Useful over wall clock with exponential failures: tau / (M e^(R/M) (e^((tau + delta)/M) - 1)) (Daly 2006, eq. 20). */
double reliability_goodput(double checkpoint, double interval, double mtbf, double restart);

/* E48. Nodes in repair are Poisson-distributed with mean rate x repair time, whatever the repairs' distribution (Palm's theorem: Palm
 * 1938; Feeney and Sherbrooke 1966). Given: that mean (>= 0), spares (>= 0). Returned: probability that no more than the spares are
 * broken; and the least spares for which it is at least `confidence`, at most 10,000. */
double reliability_spares_suffice(double broken, int64_t spares);
int64_t reliability_spares_needed(double broken, double confidence);

/* All of it for a job. Asynchronous checkpoints (Mohan et al. 2021, CheckFreq) stop the training only for the copy to host memory, but
 * are not written faster: the interval is at least the time to write one, and a failure costs the unwritten one too. Given: input (request.reliability, absent members get the figures above), accelerators, trained
 * parameters. Interruptions of spot capacity add to the failures where `spot` says so. */
struct reliability reliability_of_job(const struct training_input *input, double gpu_count, double params, bool spot);

/* E46. Hours between failures of the job, were one accelerator's `mtbf_gpu_hours` (> 0) apart: interruptions of spot capacity come on top. */
double reliability_mtbf_hours(const struct training_request *request, const struct reliability *job, double gpu_count, double mtbf_gpu_hours);

/* E49 for the job with another time between failures, hours: waiting for repairs and unwritten checkpoints included. */
double reliability_fraction(const struct reliability *job, double mtbf_hours);

#endif
