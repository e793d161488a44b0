/* Failures, checkpoints, spare nodes and goodput (E46-E49). */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_RELIABILITY_H
#define FLEETPLAN_PLANNER_FOOTPRINT_RELIABILITY_H

#include "planner/plan/training.h"

/* Published rates of failure, as accelerator-hours between interruptions. Llama 3 405B: 50.7 thousand: 466
 * interruptions, 419 of them unexpected, in 54 days on 16,384 H100 (Grattafiori et al. 2024, arXiv 2407.21783, section
 * 3.3.4). OPT-175B: 12.3 thousand: about two hosts of 128 a day (metaseq logbook). Meta RSC: 29.5 thousand: 6.5 per
 * 1,000 node-days (Kokolis et al. 2024, arXiv 2410.21680). */
#define RELIABILITY_MTBF_GPU_HOURS      50.7e3
#define RELIABILITY_MTBF_LOW_GPU_HOURS  12.3e3
#define RELIABILITY_MTBF_HIGH_GPU_HOURS 60e3
#define RELIABILITY_RESTART_MINUTES     10.0

/* E46. Checkpoint bytes of a trained parameter: 16-bit weights, 32-bit master weights and moments. BLOOM: 2.3 TB over
 * 176e9 parameters is 13.05. */
#define CHECKPOINT_BYTES_PER_PARAM 14.0

/* Hardware fails in 78 % of the unexpected interruptions (Grattafiori et al. 2024, section 3.3.4). The exchange of a
 * node takes a day: with OPT-175B's two hosts of 128 a day (metaseq logbook) this recommends 6 spares, 5 %;
 * ml-engineering reports 5 to 10 %. */
#define RELIABILITY_NODE_SHARE       0.78
#define RELIABILITY_REPAIR_HOURS     24.0
#define RELIABILITY_SPARE_CONFIDENCE 0.99

struct reliability {
	double mtbf_hours;       /* between failures of the whole job */
	double checkpoint_hours; /* training stops for so long for one checkpoint */
	double write_hours;      /* until a checkpoint is on storage; above checkpoint_hours if it is written beside the training */
	double restart_hours;
	double interval_hours; /* useful time between checkpoints */
	bool spot;             /* interruptions of spot instances are counted */
	int64_t spare_nodes;   /* given, or recommended */
	bool spares_given;
	double waiting;  /* fraction of the time in which more nodes are broken than there are spares; 0 if the spares are recommended */
	double fraction; /* goodput: useful over wall clock, 0 < f <= 1 */
};

/* E47. Compute the interval between checkpoints that loses the least time, by Young and by Daly.
 *
 * Given:    checkpoint  time to write one (delta), any unit, > 0
 *           mtbf        mean time between failures (M), same unit, > 0
 * Returned: same unit. Young: sqrt(2 delta M). Daly: Young x [1 + sqrt(delta / 2M) / 3 + delta / 18M] - delta for
 *             delta < 2M, else M
 * Source:   Young 1974; Daly 2006, FGCS 22, equation 37
 * Case:     tests/planner/golden/training.txt */
double reliability_young_interval(double checkpoint, double mtbf);
double reliability_daly_interval(double checkpoint, double mtbf);

/* E49. Computes the goodput: useful time over wall clock, with exponential failures.
 *
 * Given:    checkpoint  time to write one (delta), any unit, >= 0
 *           interval    useful time between checkpoints (tau), same unit, > 0
 *           mtbf        mean time between failures (M), same unit, > 0
 *           restart     time to restart (R), same unit, >= 0
 * Returned: tau / (M e^(R/M) (e^((tau + delta)/M) - 1)), 1e-6 to 1
 * Source:   Daly 2006, equation 20
 * Case:     tests/planner/golden/training.txt */
double reliability_goodput(double checkpoint, double interval, double mtbf, double restart);

/* E48. Compute the probability that the spare nodes suffice, and the number of spares for a given probability. The
 * nodes in repair are Poisson-distributed with the mean failure rate x repair time, for any distribution of the repair
 * times.
 *
 * Given:    broken      mean number of nodes in repair, >= 0
 *           spares      spare nodes, >= 0
 *           confidence  probability, 0 < p < 1
 * Returned: reliability_spares_suffice(): probability that at most `spares` nodes are broken, 0..1
 *           reliability_spares_needed(): the least number of spares for which it is at least `confidence`, at most
 *             10,000
 * Source:   Palm's theorem: Palm 1938; Feeney and Sherbrooke 1966
 * Case:     tests/planner/test_training_levers.c */
double reliability_spares_suffice(double broken, int64_t spares);
int64_t reliability_spares_needed(double broken, double confidence);

/* E46-E49. Computes failures, checkpoints, spares and goodput of a job.
 *
 * Asynchronous checkpoints stop the training only for the copy to host memory, but the write takes as long: the
 * interval is at least the time to write one, and a failure also loses the checkpoint that is not written yet.
 *
 * Given:    input      request.reliability; an absent member gets the published figure above
 *           gpu_count  accelerators, > 0
 *           params     trained parameters, > 0
 *           spot       the job runs on spot capacity: its interruptions add to the failures
 * Returned: struct reliability
 * Source:   asynchronous checkpoints: Mohan et al. 2021, CheckFreq
 * Case:     tests/planner/test_training_rules.c */
struct reliability reliability_of_job(const struct training_input *input, double gpu_count, double params, bool spot);

/* E46. Computes the hours between failures of a job.
 *
 * Given:    request         spot_interruptions_per_gpu_hour
 *           job             spot: its interruptions add to the failures
 *           gpu_count       accelerators, > 0
 *           mtbf_gpu_hours  hours between failures of one accelerator, > 0
 * Returned: 1 / (accelerators x (1 / mtbf + spot interruptions)), h */
double reliability_mtbf_hours(const struct training_request *request, const struct reliability *job, double gpu_count, double mtbf_gpu_hours);

/* E49. Computes the goodput of a job for another time between failures. Includes waiting for repairs and the loss of
 * checkpoints that are not written yet.
 *
 * Given:    job         of reliability_of_job()
 *           mtbf_hours  between failures of the whole job, h, > 0
 * Returned: goodput, 1e-6 to 1 */
double reliability_fraction(const struct reliability *job, double mtbf_hours);

#endif
