#include "planner/training/reliability.h"

/* BLOOM wrote 2.3 TB in 40 s from 384 accelerators (Scao et al. 2022; chronicles): 0.15 GB/s each. */
static const double checkpoint_bytes_per_s_per_gpu = 2.3e12 / 40 / 384;
static const double exponent_max = 60;  /* beyond: practically never finishes */
static const double fraction_min = 1e-6;

double reliability_young_interval(double checkpoint, double mtbf)
{
	return sqrt(2 * checkpoint * mtbf);
}

double reliability_daly_interval(double checkpoint, double mtbf)
{
	double ratio = checkpoint / (2 * mtbf);

	if (ratio >= 1)
		return mtbf;
	return reliability_young_interval(checkpoint, mtbf) * (1 + sqrt(ratio) / 3 + ratio / 9) - checkpoint;
}

double reliability_goodput(double checkpoint, double interval, double mtbf, double restart)
{
	double waiting = restart / mtbf, working = (interval + checkpoint) / mtbf;

	if (waiting + working > exponent_max)
		return fraction_min;
	return fmax(fraction_min, interval / (mtbf * exp(waiting) * expm1(working)));
}

struct reliability reliability_of_job(const struct training_input *input, double gpu_count, double params, bool spot)
{
	const struct training_request *request = &input->request;
	double rate = 1 / given_or(request->reliability.mtbf_gpu_hours, RELIABILITY_MTBF_GPU_HOURS);
	double write_bytes_per_s = given_or(request->reliability.checkpoint_gbs, ABSENT_NUMBER) * 1e9;
	struct reliability result;

	result.spot = spot;
	if (spot)
		rate += given_or(request->common.pricing.spot_interruptions_per_gpu_hour, 0);
	result.mtbf_hours = 1 / (rate * gpu_count);
	write_bytes_per_s = given_or(write_bytes_per_s, checkpoint_bytes_per_s_per_gpu * gpu_count);
	result.checkpoint_hours = params * CHECKPOINT_BYTES_PER_PARAM / write_bytes_per_s / 3600;
	result.restart_hours = given_or(request->reliability.restart_minutes, RELIABILITY_RESTART_MINUTES) / 60;
	if (is_given(request->reliability.checkpoint_interval_minutes))
		result.interval_hours = request->reliability.checkpoint_interval_minutes / 60;
	else
		result.interval_hours = reliability_daly_interval(result.checkpoint_hours, result.mtbf_hours);
	result.fraction = reliability_goodput(result.checkpoint_hours, result.interval_hours, result.mtbf_hours, result.restart_hours);
	return result;
}
