#include "planner/replica/latency.h"

#include "planner/interval.h"

double queue_wait_s(double utilization, double servers, double service_s, double arrival_cv2, double service_cv2)
{
	double spare = fmax(1 - utilization, 1e-6), variability = (arrival_cv2 + service_cv2) / 2;

	return variability * pow(utilization, sqrt(2 * (servers + 1)) - 1) / (servers * spare) * service_s;
}

bool latency_prepare(
	const struct replica *replica, const struct demand *demand, double replicas, double requests_per_s, struct latency_model *model)
{
	const struct request_shape *shape = &demand->shape;
	struct operating_point *point = &model->point;
	double slots = replica_sequences_max(replica, shape->prompt_tokens, shape->output_tokens), service_s, variability, shared_cv2;
	double slot_wait_s, prompt_wait_s, prompt_busy;

	operating_open(replica, shape, requests_per_s / replicas, point);
	model->shape = *shape;
	if (point->saturated)
		return false;
	/* Arrivals that are spread at random over replicas are closer to Poisson. */
	shared_cv2 = 1 + (demand->arrival_cv * demand->arrival_cv - 1) / replicas;
	service_s = point->ttft_s + (shape->output_tokens - 1) * point->tpot_s;
	slot_wait_s = queue_wait_s(
		fmin(requests_per_s / replicas * service_s / slots, 0.9999), slots, service_s, shared_cv2, shape->output_cv * shape->output_cv);
	prompt_busy = fmin(point->prefill_share, 0.9999);
	variability = (shared_cv2 - 1) / 2; /* the Poisson part of the prompts' queue is in the operating point's own TTFT */
	prompt_wait_s = fmax(variability, 0) * prompt_busy / (1 - prompt_busy) * point->prefill_s;
	model->wait_s = slot_wait_s + prompt_wait_s;
	model->wait_probability = fmin(1, prompt_busy + point->decode_sequences / slots);
	/* The time per token of a request varies with the number of other sequences in its steps, which fluctuates as the
	 * square root (half of a step's time depends on it), and with the prompts in its steps. A single request has even
	 * times. */
	model->tpot_log_sigma = sqrt(point->decode_sequences / (4 * pow(point->decode_sequences + 1, 2)) +
		point->prefill_share * (1 - point->prefill_share) / fmax(shape->output_tokens, 1) * 4);
	return true;
}

static double length_factor(double cv, double share)
{
	double sigma = sqrt(log1p(cv * cv));

	return exp(normal_quantile(share) * sigma - sigma * sigma / 2);
}

/* The tail of the waiting time is exponential. */
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
	double ttft_s = fmax(in_step_s, 0) * (0.5 + share) + point->prefill_s * length_factor(model->shape.prompt_cv, share) +
		wait_quantile_s(model, share);
	double tpot_s = point->tpot_s * exp(normal_quantile(share) * model->tpot_log_sigma);

	switch (quantity) {
	case LATENCY_TTFT:
		return ttft_s;
	case LATENCY_TPOT:
		return tpot_s;
	case LATENCY_E2E:
		break;
	}
	/* The length of an answer and the time per token are independent: the variances of their logarithms add. */
	return ttft_s +
		tokens * point->tpot_s *
		exp(normal_quantile(share) *
			sqrt(model->tpot_log_sigma * model->tpot_log_sigma + log1p(model->shape.output_cv * model->shape.output_cv))) /
		exp(log1p(model->shape.output_cv * model->shape.output_cv) / 2);
}
