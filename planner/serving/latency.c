#include "planner/serving/latency.h"

/* The rational function for either tail; p < 0.02425. */
static double lower_tail(double p)
{
	static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
		-2.549732539343734e+00, 4.374664141464968e+00, 2.938163982698783e+00};
	static const double d[] = {
		7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
	double q = sqrt(-2 * log(p));

	return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
		   ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
}

double normal_quantile(double p)
{
	static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02,
		1.383577518672690e+02, -3.066479806614716e+01, 2.506628277459239e+00};
	static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
		6.680131188771972e+01, -1.328068155288572e+01};
	static const double tail = 0.02425;
	double q = p - 0.5, r = q * q;

	CHECK(p > 0 && p < 1);
	if (p < tail)
		return lower_tail(p);
	if (p > 1 - tail)
		return -lower_tail(1 - p);
	return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
		   (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

double queue_wait_s(double utilization, double servers, double service_s, double arrival_cv2, double service_cv2)
{
	double spare = fmax(1 - utilization, 1e-6), variability = (arrival_cv2 + service_cv2) / 2;

	return variability * pow(utilization, sqrt(2 * (servers + 1)) - 1) / (servers * spare) * service_s;
}

bool latency_prepare(const struct replica *replica, const struct demand *demand, double replicas, double requests_per_s,
	struct latency_model *model)
{
	const struct request_shape *shape = &demand->shape;
	struct operating_point *point = &model->point;
	double slots = replica_sequences_max(replica, shape->prompt_tokens, shape->output_tokens), service_s, variability,
		   shared_cv2;
	double slot_wait_s, prompt_wait_s, prompt_busy;

	operating_open(replica, shape, requests_per_s / replicas, point);
	model->shape = *shape;
	if (point->saturated)
		return false;
	/* Arrivals shared out at random over replicas come nearer to Poisson. */
	shared_cv2 = 1 + (demand->arrival_cv * demand->arrival_cv - 1) / replicas;
	service_s = point->ttft_s + (shape->output_tokens - 1) * point->tpot_s;
	slot_wait_s = queue_wait_s(fmin(requests_per_s / replicas * service_s / slots, 0.9999), slots, service_s, shared_cv2,
		shape->output_cv * shape->output_cv);
	prompt_busy = fmin(point->prefill_share, 0.9999);
	variability =
		(shared_cv2 - 1) / 2; /* the Poisson part of the prompts' queue is in the operating point's own TTFT */
	prompt_wait_s = fmax(variability, 0) * prompt_busy / (1 - prompt_busy) * point->prefill_s;
	model->wait_s = slot_wait_s + prompt_wait_s;
	model->wait_probability = fmin(1, prompt_busy + point->decode_sequences / slots);
	/* Someone's tokens share steps, half of which are the sequences' own, with a number of others that fluctuates as the square
	 * root, and with whoever's prompt; alone they come evenly. */
	model->tpot_log_sigma = sqrt(point->decode_sequences / (4 * pow(point->decode_sequences + 1, 2)) +
								 point->prefill_share * (1 - point->prefill_share) / fmax(shape->output_tokens, 1) * 4);
	return true;
}

static double length_factor(double cv, double share)
{
	double sigma = sqrt(log1p(cv * cv));

	return exp(normal_quantile(share) * sigma - sigma * sigma / 2);
}

/* Waiting times beyond their mean fall off exponentially. */
static double wait_quantile_s(const struct latency_model *model, double share)
{
	double probability = model->wait_probability;

	if (probability <= 0 || share <= 1 - probability)
		return 0;
	return model->wait_s / probability * log(probability / (1 - share));
}

double latency_quantile_s(const struct latency_model *model, enum latency_quantity quantity, double share)
{
	const struct operating_point *point = &model->point;
	double in_step_s = point->ttft_s - point->prefill_s, tokens = fmax(model->shape.output_tokens - 1, 0);
	double ttft_s = fmax(in_step_s, 0) * (0.5 + share) +
					point->prefill_s * length_factor(model->shape.prompt_cv, share) + wait_quantile_s(model, share);
	double tpot_s = point->tpot_s * exp(normal_quantile(share) * model->tpot_log_sigma);

	switch (quantity) {
	case LATENCY_TTFT:
		return ttft_s;
	case LATENCY_TPOT:
		return tpot_s;
	case LATENCY_E2E:
		break;
	}
	/* Long answers and slow tokens are independent: their spreads add as logarithms. */
	return ttft_s + tokens * point->tpot_s *
						exp(normal_quantile(share) * sqrt(model->tpot_log_sigma * model->tpot_log_sigma +
														  log1p(model->shape.output_cv * model->shape.output_cv))) /
						exp(log1p(model->shape.output_cv * model->shape.output_cv) / 2);
}
