#include "planner/operators/attention.h"

static const double misaligned_slowdown = 3.0; /* 16-bit products without the 16-byte alignment: NVIDIA guide, figure 3 */

static struct product_time fused_forward(const struct device *device, const struct physics *physics, const struct attention *attention)
{
	double flops = 2 * attention->tokens * attention->span_tokens * attention->heads * (attention->key_dim + attention->value_dim);
	double length = 2 * attention->span_tokens;
	double width = (attention->key_dim + attention->value_dim) / 2;
	double rate = device->attention_flops_per_s * length / (length + physics->attention_half_tokens) *
		fmin(1, 2 * width / (width + device->full_head_width));

	return (struct product_time){.time_s = flops / rate};
}

static struct product_time unfused_forward(const struct device *device, const struct physics *physics, const struct attention *attention)
{
	double scores = attention->tokens * attention->sequence * attention->heads;
	double flops = 2 * scores * (attention->key_dim + attention->value_dim);
	double slowdown = fmod(attention->key_dim, 8) > 0 ? misaligned_slowdown : 1;
	double traffic_s = scores * physics->score_traffic_bytes * (attention->score_traffic > 0 ? attention->score_traffic : 1) /
		device->memory_bytes_per_s;

	return (struct product_time){.time_s = flops / device->wide_flops_per_s * slowdown + traffic_s, .traffic_s = traffic_s};
}

struct product_time attention_forward(const struct device *device, const struct physics *physics, const struct attention *attention)
{
	return attention->fused ? fused_forward(device, physics, attention) : unfused_forward(device, physics, attention);
}

struct product_time attention_backward(const struct device *device, const struct physics *physics, const struct attention *attention)
{
	struct product_time time = attention_forward(device, physics, attention);
	double factor = attention->fused ? 2.5 / physics->attention_backward : 2;

	return (struct product_time){.time_s = time.time_s * factor, .traffic_s = time.traffic_s * factor};
}
