/* The time of one engine step, operator by operator (E50-E53). */
#include "planner/replica/replica.h"

static const double wide_bytes = 2;

/* Smallest number of rows of matrix units. Kernels choose larger tiles as experts get more rows. */
static const double least_tile_tokens = 16;

/* Times of a step by what bounds each operator. */
struct tally {
	double compute_s, memory_s, network_s, overhead_s, host_s, flops, bytes;
};

/* Returns a smooth maximum of two times, because kernels do not overlap the two perfectly. */
static double smooth_maximum(double a, double b)
{
	double a2 = a * a, b2 = b * b;

	return sqrt(sqrt(a2 * a2 + b2 * b2));
}

static void tally_roofline(struct tally *tally, double compute_s, double memory_s)
{
	if (compute_s > memory_s)
		tally->compute_s += smooth_maximum(compute_s, memory_s);
	else
		tally->memory_s += smooth_maximum(compute_s, memory_s);
}

/* E50. Adds one matrix product: rows x k by k x n. */
static void tally_gemm(struct tally *tally, const struct gemm *gemm, double rows, double kernel_s)
{
	double flops = 2 * rows * gemm->n * gemm->k;
	double bytes = gemm->n * gemm->k * gemm->weight_bytes + rows * (gemm->n + gemm->k) * wide_bytes;

	tally_roofline(tally, flops / gemm->flops_per_s, bytes / gemm->memory_bytes_per_s);
	tally->overhead_s += kernel_s;
	tally->flops += flops;
	tally->bytes += bytes;
}

/* E50. Adds the experts that at least one of T tokens chose: E (1 - (1 - k/E)^(s T)), s = expert_spread. Their rows are
 * padded to whole tiles. All ranks wait for the fullest of e ranks: the expected largest of e binomial counts, mean +
 * sqrt(2 ln e variance). */
static void tally_experts(struct tally *tally, const struct replica *replica, const struct replica_kind *kind, double tokens)
{
	const struct serving_constants *constants = replica->constants;
	double active = kind->experts_active / kind->experts, share = kind->experts_local / kind->experts;
	double hit = kind->experts_local * -expm1(constants->expert_spread * tokens * log1p(-fmin(active, 0.999999)));
	double fullest = fmin(kind->experts_local, hit + sqrt(2 * log(replica->expert) * hit * (1 - hit / kind->experts_local)));
	double imbalance = replica->expert > 1 ? constants->expert_imbalance : 1;
	double rows = tokens * kind->experts_active * share * imbalance, flops = 2 * rows * kind->expert_weights;
	double tile = fmin(constants->expert_tile_tokens, fmax(least_tile_tokens, 2 * rows / fmax(hit, 1e-9)));
	double padded = rows + hit * tile / 2;
	double bytes = fullest * kind->expert_weight_bytes;

	tally_roofline(tally, 2 * padded * kind->expert_weights / (kind->expert_flops_per_s * replica->expert_product_speed),
		bytes / (replica->weight_memory_bytes_per_s * replica->expert_speed * kind->expert_memory_fraction));
	tally->overhead_s += 4 * replica->kernel_s; /* top-k and sort, two grouped products, weighted sum */
	tally->flops += flops;
	tally->bytes += bytes;
}

/* E204. Computes the tokens that a query attends to: the mean over contexts that are even within mean -/+ spread. Where
 * attention starts anew every chunk, it is the integral of x mod chunk. */
static double attended_tokens(const struct replica_kind *kind, double mean_tokens, double spread_tokens)
{
	double chunk = kind->chunk_tokens, ends[2] = {fmax(mean_tokens - spread_tokens, 0), mean_tokens + spread_tokens}, sums[2];

	if (kind->attended_tokens > 0)
		return fmin(mean_tokens, kind->attended_tokens);
	if (chunk <= 0 || ends[1] <= chunk)
		return mean_tokens;
	if (ends[1] - ends[0] < 1)
		return fmod(mean_tokens, chunk) > 0 ? fmod(mean_tokens, chunk) : chunk;
	for (int i = 0; i < 2; i++) {
		double rest = fmod(ends[i], chunk);

		sums[i] = (ends[i] - rest) * chunk / 2 + rest * rest / 2;
	}
	return (sums[1] - sums[0]) / (ends[1] - ends[0]);
}

/* E51. Adds attention: of decoding sequences (bandwidth over the cache) and of prompt chunks (arithmetic over causal
 * pairs). */
static void tally_attention(struct tally *tally, const struct replica *replica, const struct replica_kind *kind, const struct batch *batch)
{
	const struct serving_constants *constants = replica->constants;

	if (batch->decode_sequences > 0) {
		double attended = attended_tokens(kind, batch->decode_context_tokens, batch->decode_spread_tokens);
		double pairs = batch->decode_sequences * attended;
		double indexed = batch->decode_sequences * batch->decode_context_tokens;
		double bytes = pairs * (kind->kv_bytes_per_token - kind->index_bytes_per_token) + indexed * kind->index_bytes_per_token +
			batch->decode_sequences * kind->state_bytes;
		double flops = pairs * kind->decode_flops_per_pair + indexed * kind->index_flops_per_pair;

		tally_roofline(tally, flops / (replica->attention_flops_per_s * constants->decode_flops_efficiency),
			bytes / (replica->bandwidth_bytes_per_s * constants->decode_efficiency));
		tally->overhead_s += constants->decode_attention_s + replica->pair_s * (pairs + attended);
		tally->flops += flops;
		tally->bytes += bytes;
	}
	if (batch->prefill_tokens > 0) {
		double chunk = batch->prefill_tokens / fmax(batch->prefill_sequences, 1e-9);
		double pairs = batch->prefill_tokens * attended_tokens(kind, batch->prefill_context_tokens + chunk / 2, chunk / 2);
		double flops = pairs * kind->prefill_flops_per_pair +
			batch->prefill_tokens * (batch->prefill_context_tokens + chunk / 2) * kind->index_flops_per_pair;
		double efficiency = replica->prefill_fraction * chunk / (chunk + constants->prefill_half_tokens);

		double state_flops = batch->prefill_tokens * kind->state_flops_per_token;

		tally->compute_s += flops / (replica->attention_flops_per_s * efficiency) +
			state_flops / (replica->attention_flops_per_s * constants->state_efficiency);
		tally->overhead_s += replica->kernel_s;
		tally->flops += flops + state_flops;
	}
}

/* E52. Returns the time of one all-reduce: a latency, a part that grows with ranks and bytes up to a knee, and the
 * bytes over the bandwidth. Beyond the link's domain: twice the latency (NCCL over PCIe; smallest messages on L40S: 6
 * us with two ranks, 22 us with eight) and the rate of E140. */
static double reduce_time_s(const struct replica *replica, double bytes)
{
	const struct serving_constants *constants = replica->constants;
	const struct replica_network *network = &replica->network;
	double ranks = replica->tensor, traffic = 2 * (ranks - 1) / ranks * bytes;

	if (!network->linked)
		return 2 * replica->reduce_s + network->tensor_latency_s + traffic / network->tensor_bytes_per_s;
	return replica->reduce_s + constants->reduce_rank_s * ranks * -expm1(-bytes / constants->reduce_knee_bytes) +
		traffic / replica->link_bytes_per_s;
}

/* E52. Returns the time of one exchange among attention-data ranks. Each token goes to the ranks of its experts: of r
 * ranks r (1 - (1 - 1/r)^k) on average. Split experts need every token on all ranks: the ranks then gather around a
 * ring. */
static double exchange_time_s(const struct replica *replica, const struct replica_kind *kind, double bytes)
{
	const struct replica_network *network = &replica->network;
	double ranks = replica->attention_data;

	if (replica->expert > 1)
		return collective_exchange_s(
			&network->device, network->exchange, bytes * ranks * -expm1(kind->experts_active * log1p(-1 / ranks)), 0);
	return (ranks - 1) * bytes / collective_rate_bytes_per_s(&network->device, network->exchange);
}

static void tally_network(struct tally *tally, const struct replica *replica, const struct replica_kind *kind, double tokens)
{
	const struct serving_constants *constants = replica->constants;
	double bytes = tokens * replica->hidden * wide_bytes;

	if (replica->tensor > 1)
		tally->network_s += kind->reduces * reduce_time_s(replica, bytes);
	if (kind->experts > 0 && replica->attention_data > 1)
		tally->network_s += 2 * (constants->reduce_rank_s + replica->network.exchange_latency_s) +
			exchange_time_s(replica, kind, bytes * replica->dispatch_bytes / wide_bytes) + exchange_time_s(replica, kind, bytes);
}

/* Returns the padded number of sequences. Steps that only decode replay a captured graph of the next larger captured
 * batch: 1, 2, 4 and multiples of 8 up to 512 (vLLM and SGLang; TensorRT-LLM is similar). Padding costs arithmetic and
 * rows, but no cache and no experts. */
static double padded_sequences(const struct batch *local)
{
	double sequences = local->decode_sequences;

	if (local->prefill_tokens > 0 || sequences > 512)
		return sequences;
	return sequences > 4 ? 8 * ceil(sequences / 8) : sequences > 2 ? 4 : ceil(sequences);
}

static void tally_kind(struct tally *tally, const struct replica *replica, const struct replica_kind *kind, const struct batch *local)
{
	struct tally layer = {0};
	double tokens = local->decode_sequences + local->prefill_tokens, passes = replica->constants->elementwise_passes;
	double elementwise_bytes = passes * tokens * replica->hidden * wide_bytes;

	for (int i = 0; i < kind->gemm_count; i++)
		tally_gemm(&layer, &kind->gemms[i], padded_sequences(local) + local->prefill_tokens, replica->kernel_s);
	if (kind->experts > 0)
		tally_experts(&layer, replica, kind, tokens * replica->attention_data);
	tally_attention(&layer, replica, kind, local);
	tally_network(&layer, replica, kind, tokens);
	layer.memory_s += elementwise_bytes / replica->weight_memory_bytes_per_s;
	layer.overhead_s += replica->layer_s;
	layer.bytes += elementwise_bytes;

	tally->compute_s += kind->layers * layer.compute_s;
	tally->memory_s += kind->layers * layer.memory_s;
	tally->network_s += kind->layers * layer.network_s;
	tally->overhead_s += kind->layers * layer.overhead_s;
	tally->host_s += kind->layers * replica->host.eager_layer_s * (kind->experts > 0 ? 3 : 1);
	tally->flops += kind->layers * layer.flops;
	tally->bytes += kind->layers * layer.bytes;
}

/* The batch is divided over attention-data ranks, and over pipeline stages as micro-batches that each pass through all
 * layers. With all stages busy, every sequence gets its token in the time of one micro-batch. The process of each stage
 * does its host work for every sequence before it passes the micro-batch on. */
void step_time(const struct replica *replica, const struct batch *batch, struct step *step)
{
	double ranks = (double)replica->attention_data * replica->pipeline;
	double factor = replica->software_factor, stages = replica->pipeline;
	struct tally tally = {0};
	struct batch local = *batch;
	double sampled, engine_s, launch_s = 0;

	local.decode_sequences = fmax(batch->decode_sequences / ranks, fmin(batch->decode_sequences, 1));
	local.prefill_tokens = batch->prefill_tokens / ranks;
	local.prefill_sequences = fmin(batch->prefill_sequences, fmax(batch->prefill_sequences / ranks, 1));
	if (batch->prefill_sequences < replica->attention_data) /* one rank computes a whole prompt; the other ranks wait */
		local.prefill_tokens = batch->prefill_tokens / fmax(batch->prefill_sequences, 1) / replica->pipeline;
	for (int i = 0; i < replica->kind_count; i++)
		tally_kind(&tally, replica, &replica->kinds[i], &local);
	sampled = local.decode_sequences + fmin(local.prefill_sequences, local.prefill_tokens);
	tally_gemm(&tally, &replica->logits, sampled, replica->kernel_s);
	tally.network_s += (replica->pipeline - 1) *
		(replica->constants->reduce_s + replica->network.stage_latency_s +
			(local.decode_sequences + local.prefill_tokens) * replica->hidden * wide_bytes / replica->network.stage_bytes_per_s);
	if (local.prefill_tokens > 0) { /* decoding replays a captured graph; the host launches the kernels of steps with prompts one by one */
		double device_s = tally.compute_s + tally.memory_s + tally.network_s + tally.overhead_s;

		launch_s = smooth_maximum(device_s, tally.host_s) - device_s;
		tally.overhead_s += launch_s;
	}
	tally.overhead_s += stages * (replica->host.step_s + replica->host.sequence_s * batch->decode_sequences);
	engine_s = tally.compute_s + tally.memory_s + tally.network_s + tally.overhead_s;
	tally.overhead_s += smooth_maximum(engine_s, replica->host.stream_s * batch->decode_sequences) - engine_s;
	*step = (struct step){.compute_s = factor * tally.compute_s,
		.memory_s = factor * tally.memory_s,
		.network_s = factor * tally.network_s,
		.overhead_s = factor * tally.overhead_s,
		.launch_s = factor * launch_s,
		.flops = tally.flops,
		.bytes = tally.bytes};
	step->time_s = step->compute_s + step->memory_s + step->network_s + step->overhead_s;
}
