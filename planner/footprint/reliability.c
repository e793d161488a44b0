#include "planner/footprint/reliability.h"

/* BLOOM wrote 2.3 TB in 40 s from 384 accelerators (Scao et al. 2022; chronicles): 0.15 GB/s per accelerator. */
static const double checkpoint_bytes_per_s_per_gpu = 2.3e12 / 40 / 384;
/* Copy to host memory: three quarters of the rate of PCIe 4 with 16 lanes (PCI-SIG). Each accelerator copies its own
 * part. */
static const double copy_bytes_per_s = 0.75 * 31.5e9;
static const int64_t spares_max = 10000;
static const double exponent_max = 60; /* beyond: the job practically never ends */
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

double reliability_spares_suffice(double broken, int64_t spares)
{
	double term = exp(-broken), sum = term;

	for (int64_t k = 1; k <= spares; k++) {
		term *= broken / (double)k;
		sum += term;
	}
	return fmin(1, sum);
}

int64_t reliability_spares_needed(double broken, double confidence)
{
	double term = exp(-broken), sum = term;
	int64_t spares = 0;

	while (sum < confidence && spares < spares_max) {
		spares++;
		term *= broken / (double)spares;
		sum += term;
	}
	return spares;
}

static void job_checkpoints(const struct training_request *request, double gpu_count, double params, struct reliability *job)
{
	double write_bytes_per_s = given_or(request->reliability.checkpoint_gbs * 1e9, checkpoint_bytes_per_s_per_gpu * gpu_count);
	double bytes = params * CHECKPOINT_BYTES_PER_PARAM;
	bool beside = request->reliability.asynchronous == TRUTH_TRUE;

	job->write_hours = bytes / write_bytes_per_s / 3600;
	job->checkpoint_hours = beside ? fmin(job->write_hours, bytes / gpu_count / copy_bytes_per_s / 3600) : job->write_hours;
	if (is_given(request->reliability.checkpoint_interval_minutes))
		job->interval_hours = request->reliability.checkpoint_interval_minutes / 60;
	else
		job->interval_hours = reliability_daly_interval(job->checkpoint_hours, job->mtbf_hours);
	if (beside)
		job->interval_hours = fmax(job->interval_hours, job->write_hours);
}

static void job_spares(const struct training_request *request, double broken, struct reliability *job)
{
	job->spares_given = request->reliability.spare_nodes >= 0;
	job->spare_nodes = job->spares_given ? request->reliability.spare_nodes : reliability_spares_needed(broken, RELIABILITY_SPARE_CONFIDENCE);
	job->waiting = job->spares_given ? 1 - reliability_spares_suffice(broken, job->spare_nodes) : 0;
}

double reliability_mtbf_hours(const struct training_request *request, const struct reliability *job, double gpu_count, double mtbf_gpu_hours)
{
	double spot = job->spot ? given_or(request->common.pricing.spot_interruptions_per_gpu_hour, 0) : 0;

	return 1 / (gpu_count * (1 / mtbf_gpu_hours + spot));
}

struct reliability reliability_of_job(const struct training_input *input, double gpu_count, double params, bool spot)
{
	const struct training_request *request = &input->request;
	double mtbf_gpu_hours = given_or(request->reliability.mtbf_gpu_hours, RELIABILITY_MTBF_GPU_HOURS);
	double broken = gpu_count / mtbf_gpu_hours * RELIABILITY_NODE_SHARE *
		given_or(request->reliability.repair_hours, RELIABILITY_REPAIR_HOURS);
	struct reliability result;

	result.spot = spot;
	result.mtbf_hours = reliability_mtbf_hours(request, &result, gpu_count, mtbf_gpu_hours);
	result.restart_hours = given_or(request->reliability.restart_minutes, RELIABILITY_RESTART_MINUTES) / 60;
	job_checkpoints(request, gpu_count, params, &result);
	job_spares(request, broken, &result);
	result.fraction = reliability_fraction(&result, result.mtbf_hours);
	return result;
}

double reliability_fraction(const struct reliability *job, double mtbf_hours)
{
	double unwritten = job->write_hours - job->checkpoint_hours;

	return fmax(fraction_min,
		(1 - job->waiting) * reliability_goodput(job->checkpoint_hours, job->interval_hours, mtbf_hours, job->restart_hours + unwritten));
}
